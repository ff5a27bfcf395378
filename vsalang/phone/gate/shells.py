"""Runs command lines on the phone: each command that acts is judged on the screen after the command before."""

import contextlib
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Final, Protocol

from vsalang.guard import NotAllowed
from vsalang.phone.apk import NoApk
from vsalang.phone.classify import Actions, Allowance, Part, Pass, Refuse, classify_shell
from vsalang.phone.errors import DeviceError, DeviceLost, NotDelivered
from vsalang.phone.gate import answers, packets
from vsalang.phone.gate.answers import BROKEN, NOT_PERMITTED, OnBlock
from vsalang.phone.gate.carrying import LEAVING, AgentStream, Feeding, Source, heard, opened
from vsalang.phone.gate.dumps import Dumper, has_dump
from vsalang.phone.gate.echoes import echoes
from vsalang.phone.gate.gate import Gate
from vsalang.phone.gate.http import Hook
from vsalang.phone.gate.installing import HeldInput, Uploads, install_of, named, package_of
from vsalang.phone.gate.packets import Packets, Plain, Terminal
from vsalang.phone.gate.phone import SILENCE, Phone
from vsalang.phone.gate.scratch import ScratchFiles
from vsalang.phone.gate.touching import touch_of_command, touch_of_gesture
from vsalang.phone.vocabulary import sh
from vsalang.phone.vocabulary.adb_input import event_in
from vsalang.phone.wire import EndOfStream, ServiceRefused, Stream
from vsalang.program.action import Action

MOST_LINE: Final = 64 << 10


class Instead(Protocol):
    """Runs some commands instead of the phone."""

    def run(self, terminal: Terminal, command: str) -> int | None:
        """Run one command; return the exit status. None: it was not run.

        Raises:
            DeviceError, ServiceRefused: the phone does not give what is needed.
        """
        ...


class Shells:
    """Runs command lines of an agent.

    Args:
        gate: judges each action.
        phone: where they run.
        allowed: what is known of the phone.
        on_block: how a blocked command is answered.
        hook: completes the actions of a command, for example with the pasted text, and makes touches
            (`vsalang.phone.gate.http.Hook`). It is called while the gate is locked.
        dumper: dumps the tree instead of the phone's own command.
        looks: run commands that look, instead of the phone, before it is asked.
    """

    def __init__(
        self,
        gate: Gate,
        phone: Phone,
        allowed: Allowance,
        on_block: OnBlock,
        hook: Hook,
        dumper: Dumper,
        *,
        looks: Sequence["Instead"] = (),
    ) -> None:
        self._gate = gate
        self._phone = phone
        self._allowed = allowed
        self._on_block = on_block
        self._hook = hook
        self._instead = (dumper, *looks)
        self._scratch = ScratchFiles(phone)
        self.uploads = Uploads(gate)

    # ------------------------------------------------------------------ one command line

    def serve(self, stream: Stream, kind: str, actions: Actions) -> None:
        """Run a line that acts.

        Args:
            stream: the agent's.
            kind: how the shell was asked for: ``shell``, ``shell,v2,raw``, ``exec``.
            actions: the line, classified.
        """
        with heard(stream) as near:
            terminal = terminal_of(near, kind)
            with contextlib.ExitStack() as held:
                try:
                    source, judged = self._taken(held, terminal, near, kind, actions)
                except NotAllowed as error:
                    terminal.exit(self._refused(terminal, actions.command, error))
                    return
                whole = partial(self._whole, near, kind, actions, source)
                status = self._line(terminal, judged, near, whole)
            if status is not None:
                terminal.exit(status)

    def _taken(
        self, held: contextlib.ExitStack, terminal: Terminal, near: AgentStream, kind: str, actions: Actions
    ) -> tuple[Source | None, Actions]:
        """What the line reads instead of the agent's input, and its actions: an app that is sent is held and named.

        Raises:
            ActionRefused: what is sent is not an app.
        """
        kept = None if self._watches else self.uploads.taken(held, terminal.typed(), actions)
        if kept is None:
            return None, actions
        file, named_actions = kept
        return HeldInput(file, near, second=_is_second(kind)), named_actions

    def read(self, stream: Stream, kind: str, command: str) -> None:
        """Run a line that only reads, command by command (`vsalang.phone.classify.Pass.command`)."""
        terminal = terminal_of(stream, kind)
        terminal.exit(self._reading(terminal, command, 0))

    def _reading(self, terminal: Terminal, command: str, status: int) -> int:
        for group in _pipelines(command):
            link = group[0].link
            if not ((link == "&&" and status != 0) or (link == "||" and status == 0)):
                group = [replace(group[0], link=""), *group[1:]]
                status = self.run(terminal, sh.render(tuple(each.with_status(status) for each in group)))
        return status

    def refuse(self, stream: Stream, kind: str, line: str, error: NotAllowed) -> None:
        """Answer a line that is not run: the reason, and what its ``echo`` of the exit status would print."""
        terminal = terminal_of(stream, kind)
        terminal.exit(self._refused(terminal, line, error))

    def _refused(self, terminal: Terminal, line: str, error: NotAllowed) -> int:
        status = self._blocked(terminal, error)
        if awaited := echoes(line, status):
            terminal.out(awaited)
        return status

    def interactive(self, stream: Stream, kind: str) -> None:
        """Run the input line by line, as a shell without a terminal does."""
        with heard(stream) as near:
            terminal = terminal_of(near, kind)
            status = 0
            for line in _lines(terminal):
                words = line.split()
                if not words or words[0].startswith("#"):
                    continue
                if words[0] == "exit":
                    if len(words) > 1 and words[1].isdecimal():
                        status = int(words[1][:3]) & 0xFF
                    break
                status = self._typed(terminal, near, line, status)
            terminal.exit(status)

    def _typed(self, terminal: Terminal, near: AgentStream, line: str, status: int) -> int:
        verdict = classify_shell(line, self._allowed)
        if isinstance(verdict, Pass):
            # a combination of reads only; starting a server is not one
            parsed = sh.parse(verdict.command)
            if not any(command.variables for command in parsed):
                return self._reading(terminal, verdict.command, status)
            verdict = Refuse("a server is started by a command of its own")
        if isinstance(verdict, Refuse):
            return self._refused(terminal, line, self._gate.refuse(f"shell:{line}", verdict.reason))
        if not isinstance(verdict, Actions):
            return self._refused(terminal, line, self._gate.refuse(f"shell:{line}", "it is not understood"))
        ran = self._line(terminal, verdict, near, None, status)
        return 0 if ran is None else ran

    # ------------------------------------------------------------------ lists of commands

    def _line(
        self,
        terminal: Terminal,
        line_actions: Actions,
        near: AgentStream,
        whole: Callable[[], int | None] | None,
        status: int = 0,
    ) -> int | None:
        """Run the commands of a line; return the exit status of the last, None if that was sent already.

        A single command is run unchanged, with the agent's data as its standard input.
        """
        stopped = False
        acted = False  # whether the command just before acted: then there is a new observation
        for part in line_actions.parts:
            if (part.link == "&&" and status != 0) or (part.link == "||" and status == 0):
                continue
            if not part.actions:
                status = self.run(terminal, self._with_status(part, status))
                acted = False
                continue
            if not stopped and self._scratch.harmless(part):
                status, acted = self.run(terminal, part.command, part.actions), False
                continue
            if stopped:
                status = NOT_PERMITTED if self._on_block == "error" else 0
                continue
            alone = len(line_actions.parts) == 1 and whole is not None and not has_dump(line_actions.command)
            actions: Callable[[], Sequence[Action]] = partial(self._hook.pasted, part.actions)
            if (install := install_of(part)) is not None and install.file:
                actions = partial(self._named, part, install.file)
            what = f"shell:{part.command}"
            try:
                event = event_in(part.command)
            except ValueError as error:
                refused = self._gate.refuse(f"shell:{part.command}", str(error))
                status, stopped = self._blocked(terminal, refused), True
                continue
            made = partial(self._act, terminal, near, part)
            if (touch := touch_of_command(part.command, part.actions)) is not None and not self._watches:
                made, alone = partial(self._touch, touch, made), False
            if event is not None:
                taken = self._gate.finger.takes(*event, partial(self._event, part.command))
                if taken is True:
                    status, acted = 0, False
                    continue
                alone = False
                if taken is not False:
                    actions = partial(self._hook.pasted, taken.actions)
                    made = partial(taken.make, made)
                    if (touch := touch_of_gesture(taken)) is not None and not self._watches:
                        made = partial(self._touch, touch, made)
                    what += f" x {len(taken.events)}"
            try:
                if alone:
                    assert whole is not None
                    self._gate.act(actions, whole, what=what)
                    return None
                status = self._gate.act(actions, made, what=what, continued=acted)
                acted = True
            except NotAllowed as error:
                status, stopped = self._blocked(terminal, error), True
            except DeviceError as error:
                terminal.err(answers.in_shell(error))
                status, stopped = BROKEN, True
            except _Status as ended:  # it ran, and reported an error
                acted = True
                if ended.announced:
                    return None
                status = ended.status
        return status

    def _named(self, part: Part, file: str) -> tuple[Action, ...]:
        """The install of a file, with its package: unknown, if the file cannot be read. While the gate is locked."""
        try:
            return named(part, package_of(self._phone, file))
        except NoApk:
            return part.actions

    def _with_status(self, part: Part, status: int) -> str:
        parsed = sh.parse(part.command)
        if not any(command.uses_status for command in parsed):
            return part.command
        return sh.render(tuple(command.with_status(status) for command in parsed))

    def _act(self, terminal: Terminal, near: AgentStream, part: Part) -> int:
        with near.holding():
            self._as_judged(part.command, part.actions)
            status = self._ran(terminal, part.command)
        if status != 0:
            raise _Status(status)
        return status

    @property
    def _watches(self) -> bool:
        """Whether the mode is shadow: nothing is blocked."""
        return self._gate.guard.settings.mode == "shadow"

    def _touch(self, touch: Action, made: Callable[[], int]) -> int:
        """Make a touch if the judged node is still there; by `made` if that cannot be checked. Raises as `_act`."""
        return 0 if self._hook.touch(touch, self._gate.target(touch)) else made()

    def _event(self, command: str) -> None:
        """Make a waiting event of a finger. Raises as `_ran`."""
        if (status := self._ran(_Silent(), command)) != 0:
            raise _Status(status)

    def run(self, terminal: Terminal, command: str, actions: tuple[Action, ...] = ()) -> int:
        """Run one command that needs no judgement, without input; return its exit status.

        Args:
            terminal: gets its output and errors.
            command: the command.
            actions: what it is classified as: nothing, unless it writes a file of `ScratchFiles`.
        """
        try:
            self._as_judged(command, actions)
            for instead in self._instead:
                if (status := instead.run(terminal, command)) is not None:
                    return status
            with contextlib.closing(self._phone.open(f"shell,v2,raw:{command}")) as far:
                far.set_timeout(SILENCE)
                far.write(packets.packet(packets.CLOSE_STDIN, b""))
                for kind, data in packets.packets(far):
                    if kind == packets.EXIT:
                        return data[0] if data else BROKEN
                    (terminal.err if kind == packets.STDERR else terminal.out)(data)
            raise DeviceLost("the phone ended the command without a word")
        except (DeviceError, ServiceRefused, ValueError) as error:
            terminal.err(answers.in_shell(error))
            return BROKEN

    def _ran(self, terminal: "Terminal | _Silent", command: str) -> int:
        """Run one acting command without input to its end, even if the agent is gone; return its exit status.

        Raises:
            NotDelivered: it was not started.
            DeviceError: its outcome is not known.
        """
        gone: float | None = None
        with contextlib.closing(opened(self._phone, f"shell,v2,raw:{command}")) as far:
            far.set_timeout(SILENCE)
            with contextlib.suppress(EndOfStream):  # it may have ended already
                far.write(packets.packet(packets.CLOSE_STDIN, b""))
            for kind, data in packets.packets(far):
                if kind == packets.EXIT:
                    return data[0] if data else BROKEN
                try:
                    (terminal.err if kind == packets.STDERR else terminal.out)(data)
                except EndOfStream:
                    gone = gone or time.monotonic()
                    far.set_timeout(LEAVING)
                    if time.monotonic() - gone > LEAVING:
                        raise DeviceLost("the command did not end after the agent had gone") from None
        raise DeviceLost("the phone ended the command without a word")

    def _as_judged(self, command: str, actions: tuple[Action, ...]) -> None:
        """Check that the command to be sent is the judged one.

        Raises:
            NotDelivered: it is classified differently now.
        """
        again = classify_shell(command, self._allowed)
        actions_now = again.actions if isinstance(again, Actions) else ()
        if not isinstance(again, Pass | Actions) or again.command != command or actions_now != actions:
            raise NotDelivered(f"`{command[:80]}` is not what was judged, once it is written to be sent")

    # ------------------------------------------------------------------ a line as it is

    def _whole(self, near: AgentStream, kind: str, actions: Actions, source: Source | None) -> None:
        """Run a complete line to its end; it reads what the agent sends, or `source`.

        Raises:
            NotDelivered: it could not be started.
            _Status: it ended with another exit status than 0, which was sent to the agent.
        """
        self._as_judged(actions.command, actions.actions)
        far = opened(self._phone, f"{kind}:{actions.command}")
        status: int | None = None
        second = _is_second(kind)
        last = packets.packet(packets.CLOSE_STDIN, b"") if second else b""
        with contextlib.closing(far):
            far.set_timeout(SILENCE)
            with near.holding(), Feeding(source or near, far, last) as feeding:
                if second:
                    for number, data in packets.packets(far):
                        with contextlib.suppress(
                            EndOfStream
                        ):  # it was done, even if the agent does not read the answer
                            near.write(packets.packet(number, data))
                        if number == packets.EXIT:
                            status = data[0] if data else BROKEN
                else:
                    while data := far.read(64 << 10):
                        with contextlib.suppress(EndOfStream):
                            near.write(data)
                    status = None if feeding.given_up else 0  # there is no exit status
        if status is None:
            raise DeviceLost("the command was given up, or the phone ended it without a word")
        if status != 0:
            raise _Status(status, announced=True)

    def _blocked(self, terminal: Terminal, error: BaseException) -> int:
        if self._on_block == "silent":
            return 0
        terminal.err(answers.in_shell(error))
        return NOT_PERMITTED


class _Silent:
    """Discards the output of an event that was answered before it was made."""

    def out(self, data: bytes) -> None:
        """Discard it."""

    def err(self, data: bytes) -> None:
        """Discard it."""


class _Status(Exception):
    """A command that acts ended with another exit status than 0: it is not known whether it did anything."""

    delivered: bool | None = None

    def __init__(self, status: int, announced: bool = False) -> None:
        super().__init__(f"the command ended with exit status {status}")
        self.status = status
        self.announced = announced


def _is_second(kind: str) -> bool:
    return "v2" in kind.split(",")[1:]


def _pipelines(command: str) -> list[list[sh.Simple]]:
    commands: list[list[sh.Simple]] = []
    for each in sh.parse(command):
        if each.link == "|":
            commands[-1].append(each)
        else:
            commands.append([each])
    return commands


def terminal_of(stream: Stream, kind: str) -> Terminal:
    """The agent's end of a shell of that kind."""
    return Packets(stream) if _is_second(kind) else Plain(stream)


def _lines(terminal: Terminal) -> Iterator[str]:
    """The lines of the input; the last one may have no line break."""
    buffer = b""
    for data in terminal.typed():
        buffer += data
        *whole, buffer = buffer.split(b"\n")
        for line in whole:
            yield line.decode("utf-8", "replace").rstrip("\r")
        if len(buffer) > MOST_LINE:
            return
    if buffer.strip():
        yield buffer.decode("utf-8", "replace").rstrip("\r")
