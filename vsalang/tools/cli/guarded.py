"""``vsac run SPEC -- COMMAND``: starts an agent that does not know the guard, with a guarded phone."""

import os
from contextlib import ExitStack, nullcontext
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from vsalang.tools.cli.commanded import Commanded
from vsalang.tools.cli.common import EXIT_FAILED, EXIT_FINDINGS, EXIT_OK, Failure
from vsalang.tools.cli.options import warn_of_strangers
from vsalang.tools.cli.output import echo, echo_json
from vsalang.tools.cli.runshow import TextShow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from contextlib import AbstractContextManager

    from vsalang.agents import Step
    from vsalang.agents.session import GuardedSession
    from vsalang.guard import Guard, Verdict
    from vsalang.phone import Device
    from vsalang.phone.gate import Gate, GateEvent
    from vsalang.phone.gate.channel import SideChannel
    from vsalang.phone.gate.child import Child
    from vsalang.phone.gate.telling import FeedbackFile
    from vsalang.phone.wire import Upstream


_REAL = (
    "Every user of this machine can connect to the ports that the adb command's server opens by itself "
    "(--adb-server real, `adb forward`): it accepts everybody. Leave the option out if others have accounts here."
)


class ErrorShow(TextShow):
    """Shows the run to people on standard error: standard output is the agent's."""

    def say(self, text: str = "", *, nl: bool = True) -> None:
        """Print a line at once."""
        echo(text, nl=nl, color=self.color, err=True)


@dataclass
class Run:
    """One run of an agent's program.

    Attributes:
        session: guard, journal, and the guard's own way to the phone.
        language: the language of messages.
        confirm: asks the user; it returns None if nobody can answer.
        show: shows the run to people; None: it is not shown.
    """

    session: "GuardedSession"
    language: str
    confirm: "Callable[[Verdict], bool | None]"
    show: ErrorShow | None
    steps: "list[Step]" = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    completed: bool = False
    child: "Child | None" = None
    lost: str = ""

    @property
    def guard(self) -> "Guard":
        """The guard of the session."""
        return self.session.guard

    def asking(self) -> "AbstractContextManager[None]":
        """Take the terminal from the agent while the user is asked."""
        return self.child.asking() if self.child is not None else nullcontext()

    def start(self, given: Commanded) -> int:
        """Run the program to its end; return its exit status.

        Raises:
            Failure: it cannot be started.
            DeviceError: the phone cannot be reached.
        """
        from vsalang.phone.gate import Gate
        from vsalang.phone.gate.channel import SideChannel
        from vsalang.phone.gate.child import agent_environment
        from vsalang.phone.gate.early import EarlyServices
        from vsalang.phone.gate.phone import Held
        from vsalang.phone.gate.services import GuardedServices
        from vsalang.phone.gate.sight import Sight
        from vsalang.phone.gate.telling import FeedbackFile

        with ExitStack() as stack:
            way = upstream(self.session.device, self.session.name)
            phone = Held(way)
            memory = self.session.memory
            recall = memory.recall if memory is not None else None
            sight = Sight(self.session.device, phone, self.session.clock.see, recall)
            file = None
            if given.feedback_file is not None:
                file = stack.enter_context(FeedbackFile(given.feedback_file))
            listeners: list[Callable[[GateEvent], None]] = [self._heard]

            def tell(event: "GateEvent") -> None:
                for listener in listeners:
                    listener(event)

            gate = Gate(
                self.guard,
                sight.look,
                confirm=self._asked,
                told=tell,
            )
            gate.begin()
            channel = stack.enter_context(SideChannel(gate, self._read, self._document, _unreadable()))
            listeners.append(channel.tell)
            if file is not None:
                listeners.append(lambda event: self._written(file, event))
                file.write(self._begun(given, channel, gate.hint))
            services = GuardedServices(gate, phone, sight, given.rules(phone))
            front = EarlyServices(services) if given.on_block == "fail" else services
            with ExitStack() as agents:
                serial, port = _front(agents, front, way, self.session.device, given)
                environment = agent_environment(
                    os.environ,
                    serial=serial,
                    port=port,
                    feedback=str(file.path) if file is not None else "",
                    url=channel.url,
                    token=channel.token,
                )
                self._ready(given, serial, port)
                status = self._run(given, environment, [port, int(channel.url.rpartition(":")[2])])
                phone.end()  # do not wait for connections of a process that is still running
            self._ended(gate, status)
            gate.close()
            if file is not None:
                file.write(self._end(given, status))
            return status

    def _run(self, given: Commanded, environment: "Mapping[str, str]", ports: "Iterable[int]") -> int:
        """Run the program to its end; `ports`: the ports that it must find on 127.0.0.1."""
        from vsalang.phone.gate.child import Child
        from vsalang.phone.gate.isolation import Isolation, NotIsolated

        inside = {port: ("127.0.0.1", port) for port in ports}
        try:
            with Isolation({**given.reach, **inside}) if given.isolate else nullcontext() as isolation:
                command = given.command
                files: tuple[int, ...] = ()
                if isolation is not None:
                    command, files = tuple(isolation.command(command)), isolation.passed
                self.child = Child(command, environment, files=files)
                try:
                    if isolation is not None:
                        isolation.begin()
                    return self.child.wait()
                finally:
                    self.child.close()
        except NotIsolated as error:
            raise Failure(
                f"--isolate: {error}", "run the agent in a container, or as another user"
            ) from error
        except OSError as error:
            raise Failure(f"`{given.command[0]}` cannot be started: {error.strerror or error}") from error

    # ------------------------------------------------------------------ what happens

    def _asked(self, verdict: "Verdict") -> bool | None:
        with self.asking():
            return self.confirm(verdict)

    def _heard(self, event: "GateEvent") -> None:
        from vsalang.agents import Proposed, Step
        from vsalang.program.action import Action

        self.counts[event.outcome] = self.counts.get(event.outcome, 0) + 1
        if event.verdict is None:
            if self.show is not None:
                self.show.say(
                    f"{event.number:>3}  {event.what}  " + self.show.style("REFUSED", fg="red", bold=True)
                )
                self.show.wrapped(event.feedback, "     " + self.show.style("│", fg="red") + " ", 7)
            return
        action = event.actions[-1] if event.actions else Action("nothing")
        performed = event.outcome in ("passed", "failed") and event.delivered is not False
        step = Step(
            event.number,
            Proposed(action, note=event.what),
            event.verdict,
            performed,
            event.problem,
            event.observed,
            hint=event.hint,
        )
        self.steps.append(step)
        if action.name == "finish" and event.outcome == "passed":
            verdict = event.verdict
            self.completed = verdict.level == "allow" or (verdict.level == "confirm" and verdict.binding)
        if self.show is not None:
            self.show.step(step)

    def _ended(self, gate: "Gate", status: int) -> None:
        """The program ended; for an agent that does not know the guard, this means `finish`."""
        from vsalang.guard import NotAllowed
        from vsalang.program.action import Action

        if self._interrupted():
            return
        if status != 0 or gate.finished:
            self.lost = gate.blind
            return
        try:
            gate.act([Action("finish")], lambda: None, what="finish: the agent's program ended")
        except NotAllowed:
            self.lost = gate.blind  # it was told

    def _interrupted(self) -> int:
        """The signal with which the user ended the run; 0 if they did not."""
        return self.child.interrupted if self.child is not None else 0

    def _ready(self, given: Commanded, serial: str, port: int) -> None:
        """Say how the agent finds the phone."""
        if self.show is None:
            return
        self.show.say(f"The agent finds the phone by ANDROID_SERIAL={serial} ANDROID_ADB_SERVER_PORT={port}")
        if warning := warn_of_strangers("this port"):
            self.show.wrapped(warning, "", 0)
        if given.adb_server == "real":
            self.show.wrapped(_REAL, "", 0)
        if not given.isolate:
            self._warn_of_bypasses()
        self.show.say()

    def _warn_of_bypasses(self) -> None:
        """Warn of open ways around the guard from this computer."""
        from vsalang.phone.gate.bypass import bypasses

        if self.session.name.startswith("sim:") or self.show is None:
            return
        from vsalang.phone.uiautomator.adb import adb_client

        client = adb_client()
        found = bypasses(self.session.device.info.serial, adb_host=client.host, adb_port=client.port)
        ways = [f"{each.name} ({each.where})" for each in found if each.grade == "open"]
        if ways:
            self.show.wrapped(
                f"Not guarded, and open to a program that looks for it: {', '.join(ways)}. "
                "docs/guides/transparent-guard.md says how to close it.",
                "",
                0,
            )

    # ------------------------------------------------------------------ what is written

    def _read(self, data: object, claim: bool) -> Any:
        from vsalang.agents.proposed import read_action

        return read_action(data, self.guard.program, claim=claim)

    def _document(self, event: "GateEvent") -> "Mapping[str, Any]":
        from vsalang.phone.gate.telling import event_document

        return event_document(event, sources=self.session.sources, language=self.language)

    def _written(self, file: "FeedbackFile", event: "GateEvent") -> None:
        file.write({**self._document(event), "finished": self.guard.finished})

    def _begun(self, given: Commanded, channel: "SideChannel", hint: str) -> "Mapping[str, Any]":
        from vsalang.phone.gate.telling import VERSION

        return {
            "version": VERSION,
            "kind": "begin",
            "spec": self.guard.program.main,
            "device": self.session.name,
            "mode": self.guard.settings.mode,
            "clock": self.session.clock().isoformat(),
            "url": channel.url,
            **({"hint": hint} if hint else {}),
        }

    def _end(self, given: Commanded, status: int) -> "dict[str, Any]":
        from vsalang.guard.say.feedback import roadmap
        from vsalang.phone.gate.telling import VERSION

        guard = self.guard
        legs = roadmap(guard.program, guard.roadmap(), today=guard.today, language=self.language)
        return {
            "version": VERSION,
            "kind": "end",
            "mode": guard.settings.mode,
            "completed": self.completed,
            "agent": {"command": list(given.command), "status": status},
            "lost": self.lost,
            "requests": self.counts,
            "roadmap": [{**asdict(leg), "next": list(leg.next)} for leg in legs],
            "journal": str(self.session.journal.path),
            "head": self.session.journal.head,
        }

    def finish(self, given: Commanded, status: int) -> int:
        """Show how the run ended; return the exit status of ``vsac``."""
        from vsalang.guard.say.feedback import roadmap

        self.session.end(self.completed)
        guard = self.guard
        if self.show is None:
            echo_json(self._end(given, status))
        else:
            legs = roadmap(guard.program, guard.roadmap(), today=guard.today, language=self.language)
            if status != 0:
                how = f"was ended by signal {-status}" if status < 0 else f"ended with exit status {status}"
                self.show.say(f"The agent's program {how}.")
            if refused := self.counts.get("refused", 0):
                self.show.say(
                    f"{refused} request{'s' * (refused != 1)} refused: never allowed, or not understood."
                )
            if self._interrupted():
                self.show.say("It was interrupted: nothing is said to be done.")
            elif self.lost:
                self.show.say(f"The phone was lost: {self.lost}")
            self.show.end(guard, legs, self.steps, self.completed, self.session.journal)
        if self._interrupted():
            return 128 + self._interrupted()
        if self.lost:
            return EXIT_FAILED
        return EXIT_OK if self.completed else EXIT_FINDINGS


def upstream(device: "Device", name: str) -> "Upstream":
    """The way to the phone through the user's own adb server, or the simulated phone's."""
    from vsalang.phone.wire import Upstream

    if name.startswith("sim:"):
        return Upstream("127.0.0.1", device.adb_port, device.info.serial)  # type: ignore[attr-defined]
    from vsalang.phone.uiautomator.adb import adb_client

    client = adb_client()
    return Upstream(client.host, client.port, device.info.serial)


def _front(
    stack: ExitStack, services: Any, phone: "Upstream", device: "Device", given: Commanded
) -> tuple[str, int]:
    """Start the adb server for the agent's clients; return the phone's serial there, and the server's port."""
    from vsalang.phone.gate.adbserver import RealAdbServer
    from vsalang.phone.gate.services import features
    from vsalang.phone.wire import AdbDaemon, AdbServer, Banner, Refused
    from vsalang.tools.cli.options import users

    try:
        offered = features(phone.features())
    except Refused:
        offered = ()
    info = device.info
    banner = Banner("guarded", info.model or "phone", "guarded", offered)
    if given.adb_server == "real":
        daemon = stack.enter_context(AdbDaemon.start(services, banner, users=users(given.users)))
        server = stack.enter_context(RealAdbServer(daemon.serial, users=users(given.users)))
        return server.serial, server.port
    serial = given.serial or info.serial
    if given.serial is None and serial.startswith("emulator-"):
        serial = f"guarded-{serial.removeprefix('emulator-')}"  # `adb emu` does not use the adb server
    own = stack.enter_context(AdbServer.start({serial: (services, banner)}, users=users(given.users)))
    return serial, own.port


def _unreadable() -> "tuple[type[Exception], ...]":
    from vsalang.agents import AgentError

    return (AgentError, ValueError, TypeError, KeyError)
