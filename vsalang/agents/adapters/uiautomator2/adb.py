"""adbutils' device behind a gate: commands and files are judged, and whatever else would reach the phone is refused."""

import json
import shlex
import stat
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NoReturn, TypeVar

from vsalang.base.source.opening import open_regular
from vsalang.phone.classify import (
    Actions,
    Allowance,
    Part,
    Pass,
    classify,
    classify_rpc,
    classify_shell,
    classify_sync,
)
from vsalang.phone.classify.verdict import NOTHING
from vsalang.phone.errors import DeviceError, NotDelivered
from vsalang.phone.gate import ActionRefused, Gate
from vsalang.phone.gate.finger import METHOD, event_of
from vsalang.phone.gate.touching import touch_of_call, touch_of_command, touch_of_gesture
from vsalang.phone.uiautomator.acting import LONG_PRESS, still_there
from vsalang.phone.uiautomator.adb import library
from vsalang.phone.uiautomator.device import UiAutomatorDevice
from vsalang.phone.uiautomator.link import failures
from vsalang.phone.uiautomator.selecting import see_the_only
from vsalang.phone.vocabulary import sh
from vsalang.phone.vocabulary.adb_input import event_in
from vsalang.program.action import POINTING, Action
from vsalang.program.delivery import reading
from vsalang.program.screen import UnresolvedTarget

adbutils: Any = library("adbutils")
T = TypeVar("T")

QUERIES: Final = frozenset({"features", "get-state", "get-serialno", "get-devpath", "list-forward"})
"""What may be asked of the adb server about the phone."""
ACTING_SECONDS: Final = 60.0
"""So long at least the end of what acts is waited for, however short the agent would wait: until then nothing else may
act, for it would be judged on a screen that is about to change."""
LONG_MS: Final = int(LONG_PRESS * 1000)
CONNECT: Final = (
    "to speak to a port or socket of the phone goes around the guard: use the methods of the device"
)


@dataclass(slots=True)
class Door:
    """The gate, and the phone behind it. Nobody but the guarded classes holds one.

    Attributes:
        gate: judges.
        phone: what is looked at and acted on, unguarded.
        allowed: what is known of the phone.
        close: closes the connection to the phone, if it was opened for this.
    """

    gate: Gate
    phone: UiAutomatorDevice
    allowed: Allowance = NOTHING
    close: Callable[[], None] = lambda: None

    @property
    def adb(self) -> Any:
        return self.phone.link.u2.adb_device

    @property
    def _watches(self) -> bool:
        """Whether the guard only watches: nothing is held back, and a target is the agent's own affair."""
        return self.gate.guard.settings.mode == "shadow"

    def refuse(self, what: str, reason: str) -> NoReturn:
        """Raises: ActionRefused: always."""
        raise self.gate.refuse(what, reason)

    def rpc(self, method: str, params: Any, timeout: float) -> Any:
        """One call of the server on the phone.

        Raises:
            ActionBlocked: it may not be done now.
            ActionRefused: it is never allowed.
            Exception: what uiautomator2 raises.
        """
        what = f"uiautomator2 {method}({json.dumps(params, default=str)[:200]})"
        try:
            body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        except (TypeError, ValueError) as error:
            self.refuse(what, f"its parameters are not JSON: {error}")
        verdict = classify_rpc(body, self.allowed)
        link = self.phone.link
        # what was judged is what is sent, in whole pixels: nobody else can change it any more
        sent = json.loads(getattr(verdict, "body", b"") or body)["params"]
        if isinstance(verdict, Pass):
            return link.u2.jsonrpc_call(method, sent, timeout)
        if not isinstance(verdict, Actions):
            self.refuse(what, getattr(verdict, "reason", "it is not understood"))

        if method == METHOD:
            return self._finger(verdict, sent, what)

        touch = None if self._watches else touch_of_call(verdict.body, verdict.actions)
        if touch is not None:
            return self.gate.act(verdict.actions, lambda: self._touch(touch), what=what)

        def forward() -> Any:
            name, arguments = self._placed(method, sent, verdict.actions)
            with link.sent_once(name):
                return link.u2.jsonrpc_call(name, arguments, max(timeout, ACTING_SECONDS))

        return self.judged(verdict.actions, forward, what)

    def _touch(self, touch: Action) -> bool:
        """Make a touch if what was judged is still there: the phone itself finds it, where it has a name of its own.

        Raises TargetChanged: something else is there.
        """
        try:
            self.phone.perform(touch, self.gate.target(touch))
        except NotDelivered as error:
            raise TargetChanged(str(error)) from error
        return True

    def _finger(self, actions: Actions, params: Any, what: str) -> Any:
        """One event of a finger: it waits until the finger is lifted, and the gesture is judged as a whole."""
        link = self.phone.link

        def event() -> Any:
            with link.sent_once(METHOD):
                return link.u2.jsonrpc_call(METHOD, params, ACTING_SECONDS)

        taken = self.gate.finger.takes(*event_of(actions.body), event)
        if taken is True:
            return True
        if taken is False:
            return self.judged(actions.actions, event, what)
        touch = None if self._watches else touch_of_gesture(taken)
        if touch is not None:
            return self.gate.act(taken.actions, lambda: self._touch(touch), what=what)
        return self.judged(taken.actions, lambda: taken.make(event), what)

    def _placed(self, method: str, params: Any, actions: tuple[Action, ...]) -> tuple[str, Any]:
        """A call whose selector means the judged node and no other: at its place, where there is such a call.

        Raises TargetChanged: the server on the phone would take another node.
        """
        screen = self.gate.guard.snapshot.screen
        selects = isinstance(params, list) and params and isinstance(params[0], dict)
        if not selects or screen is None or self._watches:
            return method, params
        try:
            target = screen.target(actions[0].name, actions[0].args)
            if method in ("click", "longClick"):
                return "click", [target["x"], target["y"], *([LONG_MS] if method == "longClick" else [])]
            link = self.phone.link
            with reading(), failures("looking at the target"):
                see_the_only(link.u2, self.phone.eyes.dump(), params[0], target)
        except (DeviceError, UnresolvedTarget) as error:
            raise TargetChanged(str(error)) from error
        return method, params

    def judged(
        self,
        actions: tuple[Action, ...],
        forward: Callable[[], T],
        what: str,
        *,
        continued: bool = False,
    ) -> T:
        """Call what acts, however many steps it takes, if it may be done.

        Immediately before, the tree is read once more: a gesture must still meet what was judged.

        Raises: as `rpc`.
        """

        def send() -> T:
            self._see(actions)
            return forward()

        return self.gate.act(actions, send, what=what, continued=continued)

    def _see(self, actions: tuple[Action, ...]) -> None:
        """Raises TargetChanged: a gesture meets something else than was judged."""
        screen = self.gate.guard.snapshot.screen
        pointing = [action for action in actions if action.name in POINTING]
        if not pointing or screen is None or self._watches:
            return
        try:
            tree = self.phone.tree()
            for action in pointing:
                still_there(tree, action, screen.target(action.name, action.args))
        except (DeviceError, UnresolvedTarget) as error:
            raise TargetChanged(str(error)) from error

    def toast(self) -> str | None:
        """The last toast that was noticed; the guard's own looks may have taken it from the phone."""
        self.phone.eyes.listen()
        return self.phone.eyes.heard or None

    def clear_toast(self) -> None:
        """The agent has noticed it; the guard keeps the toasts that it noticed."""
        self.phone.eyes.listen()
        self.phone.eyes.heard = ""

    def run(self, line: str, timeout: float | None, *, v2: bool) -> Any:
        """One command line, part by part; adbutils' answer, in bytes.

        Raises: as `rpc`.
        """
        what = f"shell:{line}"
        verdict = classify_shell(line, self.allowed)

        def execute(command: str, seconds: float | None = timeout) -> Any:
            return self.adb.shell2(command, timeout=seconds, encoding=None, v2=v2)

        if isinstance(verdict, Pass):
            return execute(verdict.command)
        if not isinstance(verdict, Actions):
            self.refuse(what, getattr(verdict, "reason", "it is not understood"))
        answers: list[Any] = []
        status, acted = 0, False
        for part in verdict.parts:
            if (part.link == "&&" and status != 0) or (part.link == "||" and status == 0):
                continue
            answers.append(self._part(part, status, execute, what, timeout, continued=acted))
            acted = bool(part.actions)  # what only reads takes time: the screen may be another one after it
            status = answers[-1].returncode
        return answers[0].__class__(
            command=line,
            returncode=status,
            output=b"".join(answer.output for answer in answers),
            stderr=b"".join(answer.stderr for answer in answers),
            stdout=b"".join(answer.stdout for answer in answers),
        )

    def _part(
        self,
        part: Part,
        status: int,
        execute: Callable[..., Any],
        what: str,
        timeout: float | None,
        *,
        continued: bool,
    ) -> Any:
        if not part.actions:
            try:
                parsed = sh.parse(part.command)
            except sh.ShellRefused as error:
                self.refuse(what, f"the shell command is not understood: {error}")
            if any(command.uses_status for command in parsed):
                return execute(sh.render(tuple(command.with_status(status) for command in parsed)))
            return execute(part.command)

        def run() -> Any:
            answer = execute(part.command, None if timeout is None else max(timeout, ACTING_SECONDS))
            if answer.returncode != 0:
                raise _CommandFailed(answer)
            return answer

        try:
            event = event_in(part.command)
        except ValueError as error:
            self.refuse(what, str(error))
        try:
            touch = None if self._watches else touch_of_command(part.command, part.actions)
            if touch is not None:
                self.gate.act(part.actions, lambda: self._touch(touch), what=what, continued=continued)
                return execute("true")
            if event is None:
                return self.judged(part.actions, run, what, continued=continued)
            taken = self.gate.finger.takes(*event, run)
            if taken is True:
                return execute("true")
            if taken is False:
                return self.judged(part.actions, run, what, continued=continued)
            tap = None if self._watches else touch_of_gesture(taken)
            if tap is not None:
                self.gate.act(taken.actions, lambda: self._touch(tap), what=what, continued=continued)
                return execute("true")
            return self.judged(taken.actions, lambda: taken.make(run), what, continued=continued)
        except _CommandFailed as ended:
            return ended.answer


class _CommandFailed(Exception):
    """A command that acts ended with another exit status than 0: whether it did anything is not known."""

    delivered: bool | None = None

    def __init__(self, answer: Any) -> None:
        super().__init__(f"the command ended with exit status {answer.returncode}")
        self.answer = answer


class TargetChanged(ActionRefused):
    """What a gesture was judged on is not there any more; nothing was sent."""

    delivered = False

    def __init__(self, why: str) -> None:
        super().__init__(f"not sent: {why}. Look at the screen again, and propose what fits it.")


_doors: weakref.WeakKeyDictionary[object, Door] = weakref.WeakKeyDictionary()


def door_of(guarded: object) -> Door:
    """The door of a guarded object."""
    return _doors[guarded]


def keep(guarded: object, door: Door) -> None:
    """Remember the door of a guarded object: none of its attributes holds it."""
    _doors[guarded] = door


class _Nowhere:
    """Stands for the adb client: it opens nothing."""

    def __init__(self, door: Door) -> None:
        self.host, self.port = door.adb._client.host, door.adb._client.port
        keep(self, door)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return door_of(self).refuse(
            f"adb.{name}", "the adb server is not the agent's: use the methods of the device"
        )


class GuardedConnection:
    """A connection to the phone on which one service may be opened: one that only reads."""

    def __init__(self, door: Door, timeout: float | None) -> None:
        keep(self, door)
        self._timeout = timeout
        self._opened: Any = None

    def send_command(self, service: str) -> None:
        """Open a service. Raises ActionRefused for one that does more than read."""
        door = door_of(self)
        verdict = classify(service, door.allowed)
        if self._opened is not None or not isinstance(verdict, Pass):
            door.refuse(service, getattr(verdict, "reason", "") or CONNECT)
        name, _, _ = service.partition(":")
        is_line = name.partition(",")[0] in ("shell", "exec")
        exact = f"{name}:{verdict.command}" if is_line and verdict.command else service
        connection = door.adb.open_transport(timeout=self._timeout)
        try:
            connection.send_command(exact)
        except BaseException:
            connection.close()
            raise
        self._opened = connection

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if self._opened is None:
            door_of(self).refuse(f"adb connection.{name}", CONNECT)
        return getattr(self._opened, name)

    def close(self) -> None:
        if self._opened is not None:
            self._opened.close()

    def __enter__(self) -> "GuardedConnection":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class GuardedSync(adbutils.Sync):  # type: ignore[misc]
    """The file service: what is read is passed on, what is put on the phone is judged as ``push_file``."""

    def __init__(self, door: Door) -> None:
        super().__init__(None)
        keep(self, door)

    def _prepare_sync(self, path: str, cmd: str) -> Any:
        door_of(self).refuse(f"sync:{cmd} {path}", CONNECT)

    def _real(self, identity: str, path: object) -> Any:
        door = door_of(self)
        verdict = classify_sync(identity, str(path))
        if not isinstance(verdict, Pass):
            door.refuse(f"sync:{identity} {path}", getattr(verdict, "reason", "it is not understood"))
        return door.adb.sync

    def exists(self, path: str) -> bool:
        return bool(self._real("STAT", path).exists(path))

    def stat(self, path: str) -> Any:
        return self._real("STAT", path).stat(path)

    def iter_directory(self, path: str) -> Any:
        return self._real("LIST", path).iter_directory(path)

    def iter_content(self, path: str) -> Iterator[bytes]:
        content: Iterator[bytes] = self._real("RECV", path).iter_content(path)
        return content

    def _push_file(self, src: Any, dst: str, mode: int = 0o755, check: bool = False) -> int:
        door = door_of(self)
        what = f"sync:SEND {dst}"
        verdict = classify_sync("SEND", f"{dst},{stat.S_IFREG | mode}")  # as it goes over the wire
        if not isinstance(verdict, Actions):
            door.refuse(what, getattr(verdict, "reason", "it is not understood"))
        if isinstance(src, str | Path):
            with open_regular(src) as file:
                src = file.read()  # what is judged is what is sent
        real = door.adb.sync
        return door.judged(verdict.actions, lambda: int(real._push_file(src, dst, mode, check)), what)


class GuardedAdb(adbutils.AdbDevice):  # type: ignore[misc]
    """adbutils' device, whose every way to the phone passes the gate."""

    def __init__(self, door: Door) -> None:
        keep(self, door)
        super().__init__(_Nowhere(door), serial=door.phone.link.serial)

    def open_transport(self, command: str | None = None, timeout: float | None = 600) -> Any:
        """See adbutils; a question to the adb server, or a connection on which one service may be opened."""
        door = door_of(self)
        if command is None:
            return GuardedConnection(door, timeout)
        if command not in QUERIES:
            door.refuse(f"adb {command}", CONNECT)
        return door.adb.open_transport(command, timeout=timeout)

    def open_shell(self, cmdargs: Any) -> Any:
        """See adbutils; only for commands that read: what acts is run to its end by `shell`."""
        connection = GuardedConnection(door_of(self), None)
        connection.send_command(f"shell:{command_line(cmdargs)}")
        connection.check_okay()
        return connection

    def shell(
        self,
        cmdargs: Any,
        stream: bool = False,
        timeout: float | None = 600,
        encoding: str | None = "utf-8",
        rstrip: bool = True,
    ) -> Any:
        """See adbutils. Raises ActionBlocked for what may not be done."""
        if stream:
            return self.open_shell(cmdargs)
        output = door_of(self).run(command_line(cmdargs), timeout, v2=False).output
        if encoding is None:
            return output
        text = output.decode(encoding, "replace")
        return text.rstrip() if rstrip else text

    def shell2(
        self,
        cmdargs: Any,
        timeout: float | None = 600,
        encoding: str | None = "utf-8",
        rstrip: bool = False,
        v2: bool = False,
    ) -> Any:
        """See adbutils. Raises ActionBlocked for what may not be done."""
        result = door_of(self).run(command_line(cmdargs), timeout, v2=v2)
        if encoding is None:
            return result
        texts = {
            name: getattr(result, name).decode(encoding, "replace") for name in ("output", "stderr", "stdout")
        }
        if rstrip:
            texts = {name: text.rstrip() for name, text in texts.items()}
        return adbutils.ShellReturn(command=result.command, returncode=result.returncode, **texts)

    @property
    def sync(self) -> GuardedSync:
        return GuardedSync(door_of(self))

    def create_connection(self, network: Any, address: Any) -> NoReturn:
        """Refused: nothing on such a connection could be judged."""
        door_of(self).refuse(f"adb connection to {network}:{address}", CONNECT)

    def adb_output(self, *args: Any, **_: Any) -> NoReturn:
        """Refused: the adb program would reach the phone around the guard."""
        door_of(self).refuse(f"adb {shlex.join(map(str, args))}", CONNECT)

    def start_recording(self, filename: str) -> NoReturn:
        """Refused: it runs programs on the phone."""
        door_of(self).refuse(
            f"adb start_recording {filename}", "recording runs programs on the phone that nobody judges"
        )

    def stop_recording(self) -> None:
        """Nothing is recorded."""

    def __repr__(self) -> str:
        return f"GuardedAdb(serial={self.serial!r})"


def command_line(cmdargs: Any) -> str:
    """A command as one line, its words quoted as adbutils does."""
    if isinstance(cmdargs, str):
        return cmdargs
    if isinstance(cmdargs, list | tuple):
        return " ".join(shlex.quote(str(word)) for word in cmdargs)
    raise TypeError(f"a command is a text or a list of words, not {type(cmdargs).__name__}")
