"""The transparent session: an agent's program that does not know the guard gets a guarded phone.

with open_guarded("reserve.vsa", "emulator-5554") as session:
    run = TransparentSession(session, confirm=lambda verdict: None)
    status = run.run(AgentProgram(("python", "my_agent.py")))
    session.end(run.completed)
"""

import os
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, ExitStack, nullcontext, suppress
from dataclasses import asdict, field
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol

from vsalang.agents.session.inforce import SessionError
from vsalang.base.options import argument, flag, option
from vsalang.base.records import dataclass
from vsalang.phone.gate.answers import OnBlock
from vsalang.phone.wire.peers import allowed_users

if TYPE_CHECKING:
    from vsalang.agents import Step
    from vsalang.agents.session.guarded_session import GuardedSession
    from vsalang.guard import Guard, Verdict
    from vsalang.phone import Device
    from vsalang.phone.gate import Gate, GateEvent
    from vsalang.phone.gate.bypass import Bypass
    from vsalang.phone.gate.channel import SideChannel
    from vsalang.phone.gate.child import Child
    from vsalang.phone.gate.phone import Phone
    from vsalang.phone.gate.services import Rules
    from vsalang.phone.gate.telling import FeedbackFile
    from vsalang.phone.wire import Upstream


_END: Final = "finish: the agent's program ended"
_SERVICE: Final = re.compile(
    r"tcp:(?:[\w.-]+:)?\d{1,5}|vsock:\d+(?::\d+)?|local(?:abstract|reserved|filesystem)?:[^\s\x00:][^\x00]*",
    re.ASCII,
)


def service(text: str) -> str:
    """A service of adb that can be allowed without a check.

    Raises:
        ValueError: it is another one.
    """
    if _SERVICE.fullmatch(text):
        return text
    port = re.fullmatch(r"(?:tcp|port)?\W*(\d{1,5})", text, re.ASCII | re.IGNORECASE)
    meant = f"; did you mean tcp:{port[1]}?" if port is not None else ""
    raise ValueError(
        f"{text!r} cannot be allowed without a check: use tcp:PORT, localabstract:NAME and the like{meant}"
    )


def address(text: str) -> tuple[str, int]:
    """A host and a port of ``[HOST:]PORT``; 127.0.0.1 if no host is named.

    Raises:
        ValueError: it is not one.
    """
    host, colon, port = text.rpartition(":")
    if not (port.isascii() and port.isdecimal() and 0 < int(port[:6]) <= 65535) or (colon and not host):
        raise ValueError(f"{text!r} is not [HOST:]PORT")
    return host.strip("[]") or "127.0.0.1", int(port)


@dataclass(frozen=True, slots=True)
class AgentProgram:
    """The agent's program, and what it may reach.

    Attributes:
        command: the program and its arguments.
        on_block: see `vsalang.phone.gate.services.Rules`; ``fail``: see `vsalang.phone.gate.early`.
        feedback_file: where the guard's answers are written for the agent; None: nowhere.
        services: services that pass without a check.
        portal_port: of mobilerun's helper app.
        adb_server: ``own``: our own adb server serves the agent; ``real``: that of the adb command does.
        serial: of the phone, as the agent sees it; None: its own.
        isolate: whether the program has a network of its own.
        reach: what it can reach from there: host and port outside; the port is the same inside.
        users: further users of this machine who may connect.
    """

    command: tuple[str, ...] = argument("-- COMMAND...", default=(), rest=True)
    on_block: OnBlock | Literal["fail", "show"] = option(
        "--on-block",
        default="error",
        choices=("error", "fail", "silent", "show"),
        help="error: what is blocked is answered by an error that says why. fail: the same, and plain commands are not "
        "even opened, for clients that read no output (adbutils). silent: it is answered as if it had been done. show: "
        "likewise, and the reason stands in the next dump and picture that COMMAND takes.",
    )
    feedback_file: str | None = option(
        "--feedback",
        metavar="FILE",
        help="Append the guard's answers to this file, a JSON document a line.",
    )
    services: tuple[str, ...] = option(
        "--allow-service",
        default=(),
        read=service,
        metavar="SERVICE",
        help="Allow a service of adb without a check, such as tcp:8080; repeatable.",
    )
    portal_port: int | None = option(
        "--portal-port",
        least=1,
        most=65535,
        metavar="PORT",
        help="Where mobilerun's helper app listens on the phone.",
    )
    adb_server: Literal["own", "real"] = option(
        "--adb-server",
        default="own",
        help="own: the agent's adb server is part of vsac. real: one of the adb command is started for it.",
    )
    serial: str | None = option(
        "--serial",
        metavar="NAME",
        help="The serial that the agent sees.",
        default_text="the phone's own",
        excludes={"--adb-server real": "that server names the phone itself"},
    )
    isolate: bool = flag(
        "--isolate",
        help="On Linux: give COMMAND a network of its own, with the guarded phone and nothing else.",
    )
    reach: tuple[tuple[str, int], ...] = option(
        "--reach",
        default=(),
        read=address,
        metavar="[HOST:]PORT",
        help="With --isolate: what COMMAND can still reach, by this port on 127.0.0.1; repeatable.",
        needs={"--isolate": "without it COMMAND reaches everything"},
    )
    users: tuple[int, ...] = allowed_users()

    def rules(self, phone: "Phone") -> "Rules":
        """The rules for the gate, with what the phone says about its apps."""
        from vsalang.phone.gate.services import Rules, launchers
        from vsalang.phone.vocabulary.adb import DeviceFacts

        on_block = "error" if self.on_block == "fail" else self.on_block
        known = DeviceFacts(launchers=launchers(phone))
        return Rules(on_block, frozenset(self.services), self.portal_port, known)


class RunListener(Protocol):
    """Hears what happens in a transparent session, to show it to people."""

    def ready(self, program: AgentProgram, serial: str, port: int, open_ways: "Iterable[Bypass]") -> None:
        """The phone can be reached by this serial and port of an adb server; `open_ways` lead around the guard."""

    def refused(self, event: "GateEvent") -> None:
        """A request was refused without a verdict: it is never allowed, or was not understood."""

    def step(self, step: "Step") -> None:
        """An action was judged."""


@dataclass
class TransparentSession:
    """One run of an agent's program in an open session.

    Attributes:
        session: guard, journal, and the guard's own way to the phone.
        confirm: asks the user; it returns None if nobody can answer.
        language: the language of messages.
        listener: hears what happens; None: nobody does.
        steps: the actions that were judged.
        counts: how many requests had which outcome.
        completed: whether the agent's end was allowed as the end of the task.
        lost: why the phone can no longer be seen; empty: it can.
        around: why the run is taken to have gone around the guard (`vsalang.phone.gate.around`); empty: it is not.
    """

    session: "GuardedSession"
    confirm: "Callable[[Verdict], bool | None]"
    language: str = "en"
    listener: RunListener | None = None
    steps: "list[Step]" = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    completed: bool = False
    child: "Child | None" = None
    lost: str = ""
    around: str = ""

    @property
    def guard(self) -> "Guard":
        """The guard of the session."""
        return self.session.guard

    def asking(self) -> AbstractContextManager[None]:
        """Take the terminal from the agent while the user is asked."""
        return self.child.asking() if self.child is not None else nullcontext()

    def end(self) -> None:
        """Ask the agent's program to end, if it runs: the session is over."""
        if self.child is not None:
            self.child.end()

    def run(self, program: AgentProgram) -> int:
        """Run the program to its end; return its exit status.

        Raises:
            SessionError: it cannot be started.
            DeviceError: the phone cannot be reached.
        """
        from vsalang.phone.gate import Gate
        from vsalang.phone.gate.around import Around
        from vsalang.phone.gate.channel import SideChannel
        from vsalang.phone.gate.early import EarlyServices
        from vsalang.phone.gate.environment import agent_environment
        from vsalang.phone.gate.phone import EndablePhone
        from vsalang.phone.gate.services import GuardedServices
        from vsalang.phone.gate.sight import Sight
        from vsalang.phone.gate.telling import FeedbackFile

        with ExitStack() as stack:
            way = upstream(self.session.device, self.session.name)
            phone = EndablePhone(way)
            memory = self.session.memory
            recall = memory.recall if memory is not None else None
            sight = Sight(self.session.device, phone, self.session.clock.see, recall)
            file = None
            redactor = self.session.journal.redactor
            if program.feedback_file is not None:
                file = stack.enter_context(FeedbackFile(program.feedback_file, redactor))
            listeners: list[Callable[[GateEvent], None]] = [self._heard]

            def tell(event: "GateEvent") -> None:
                for listener in listeners:
                    listener(event)

            gate = Gate(
                self.guard,
                sight.look,
                confirm=self._asked,
                listener=tell,
                still_shows=sight.still_shows,
                around=Around(),
            )
            gate.begin()
            channel = stack.enter_context(SideChannel(gate, self._read, self._document, _unreadable()))
            listeners.append(channel.tell)
            if file is not None:
                listeners.append(lambda event: self._written(file, event))
                file.write(self._begun(program, channel, gate.hint))
            services = GuardedServices(
                gate,
                phone,
                sight,
                program.rules(phone),
                redact=(lambda text: text) if redactor is None else redactor.text,
            )
            front = EarlyServices(services) if program.on_block == "fail" else services
            with ExitStack() as agents:
                serial, port = _front(agents, front, way, self.session.device, program)
                folder = agents.enter_context(
                    TemporaryDirectory(prefix="vsac-agent-", ignore_cleanup_errors=True)
                )
                environment = agent_environment(
                    os.environ,
                    serial=serial,
                    port=port,
                    folder=folder,
                    feedback=str(file.path) if file is not None else "",
                    url=channel.url,
                    token=channel.token,
                )
                self._ready(program, serial, port, environment)
                status = self._start(program, environment, port, int(channel.url.rpartition(":")[2]), way)
                phone.end()  # do not wait for connections of a process that is still running
            self._ended(gate, status)
            gate.close()
            if file is not None:
                file.write(self.summary(program, status))
            return status

    def _start(
        self, program: AgentProgram, environment: Mapping[str, str], port: int, channel: int, real: "Upstream"
    ) -> int:
        """Run the program to its end.

        Args:
            program: with its arguments.
            environment: all of it.
            port: of the guarded adb server.
            channel: the port of the side channel.
            real: the way to the phone, which the program must not reach.
        """
        from vsalang.base.collector import collected_seldom
        from vsalang.phone.gate.child import Child
        from vsalang.phone.gate.isolation import Isolation, NotIsolated
        from vsalang.phone.gate.watch import PhoneWatch

        reach = reached_inside(program.reach, port, channel, real)
        try:
            with Isolation(reach) if program.isolate else nullcontext() as isolation:
                command = program.command
                files: tuple[int, ...] = ()
                if isolation is not None:
                    command, files = tuple(isolation.command(command)), isolation.passed
                self.child = Child(command, environment, files=files)
                try:
                    if isolation is not None:
                        isolation.begin()
                    with PhoneWatch(real, self._phone_gone), collected_seldom():
                        return self.child.wait()
                finally:
                    self.child.close()
        except NotIsolated as error:
            raise SessionError(
                f"--isolate: {error}", "run the agent in a container, or as another user"
            ) from error
        except OSError as error:
            raise SessionError(
                f"`{program.command[0]}` cannot be started: {error.strerror or error}"
            ) from error

    # ------------------------------------------------------------------ what happens

    def _phone_gone(self, why: str) -> None:
        """End the program: the phone is gone."""
        self.lost = why
        if self.child is not None:
            self.child.end()

    def _asked(self, verdict: "Verdict") -> bool | None:
        with self.asking():
            return self.confirm(verdict)

    def _heard(self, event: "GateEvent") -> None:
        from vsalang.agents import Proposed, Step
        from vsalang.program.action import Action

        self.counts[event.outcome] = self.counts.get(event.outcome, 0) + 1
        if event.verdict is None:
            if self.listener is not None:
                self.listener.refused(event)
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
        if self.listener is not None:
            self.listener.step(step)

    def _ended(self, gate: "Gate", status: int) -> None:
        """The program ended; for an agent that does not know the guard, this means `finish`."""
        from vsalang.guard import NotAllowed
        from vsalang.program.action import Action

        if self.interrupted or self.lost:
            return
        self.around = self._went_around(gate)
        try:
            if self.around:
                self.completed = False
                gate.refuse(_END, self.around)
            elif status == 0 and not gate.finished:
                gate.act([Action("finish")], lambda: None, what=_END)
        except NotAllowed:
            pass  # it was told
        self.lost = gate.blind

    def _went_around(self, gate: "Gate") -> str:
        """Why the run is taken to have gone around the guard; empty: it is not."""
        around = gate.around
        screen = None
        if around is None:
            return ""
        if around.needs_look:
            with suppress(Exception):  # `gate.blind` says why
                screen = gate.look()
        return around.reason(screen)

    @property
    def interrupted(self) -> int:
        """The signal with which the user ended the run; 0 if they did not."""
        return self.child.interrupted if self.child is not None else 0

    def _ready(self, program: AgentProgram, serial: str, port: int, environment: Mapping[str, str]) -> None:
        if self.listener is not None:
            ways = () if program.isolate else self._open_ways(environment)
            self.listener.ready(program, serial, port, ways)

    def _open_ways(self, environment: Mapping[str, str]) -> "tuple[Bypass, ...]":
        """Open ways around the guard from this computer, for a program with this environment."""
        from vsalang.phone.gate.bypass import bypasses
        from vsalang.phone.uiautomator.adb import adb_client

        if self.session.name.startswith("sim:"):
            return ()
        client = adb_client()
        serial = self.session.device.info.serial
        ways = bypasses(serial, adb_host=client.host, adb_port=client.port, environment=environment)
        return tuple(way for way in ways if way.grade == "open")

    # ------------------------------------------------------------------ what is written

    def _read(self, data: object, claim: bool) -> Any:
        from vsalang.agents.proposed import read_action

        return read_action(data, self.guard.program, claim=claim)

    def _document(self, event: "GateEvent") -> "Mapping[str, Any]":
        from vsalang.phone.gate.telling import event_document

        return event_document(event, sources=self.session.sources, language=self.language)

    def _written(self, file: "FeedbackFile", event: "GateEvent") -> None:
        file.write({**self._document(event), "finished": self.guard.finished})

    def _begun(self, program: AgentProgram, channel: "SideChannel", hint: str) -> "Mapping[str, Any]":
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

    def summary(self, program: AgentProgram, status: int) -> "dict[str, Any]":
        """How the run ended, as JSON data.

        Args:
            status: the exit status of the program; negative: the signal that ended it.
        """
        from vsalang.guard.say.feedback import roadmap
        from vsalang.phone.gate.telling import VERSION

        guard = self.guard
        legs = roadmap(guard.program, guard.roadmap(), today=guard.today, language=self.language)
        return {
            "version": VERSION,
            "kind": "end",
            "mode": guard.settings.mode,
            "completed": self.completed,
            "agent": {"command": list(program.command), "status": status},
            "lost": self.lost,
            "around": self.around,
            "requests": self.counts,
            "roadmap": [{**asdict(leg), "next": list(leg.next)} for leg in legs],
            "journal": str(self.session.journal.path),
            "head": self.session.journal.head,
        }


def reached_inside(
    reach: Iterable[tuple[str, int]], port: int, channel: int, real: "Upstream"
) -> dict[int, tuple[str, int]]:
    """What a program in a network of its own reaches: port inside -> host and port outside.

    The guarded adb server is at its own port and, for programs that ask at no other, at adb's usual one.

    Raises:
        SessionError: one of `reach` would be the phone's real adb server, or take the guarded one's place.
    """
    from vsalang.phone.gate.bypass import ADB_PORT

    inside = {
        ADB_PORT: ("127.0.0.1", port),
        port: ("127.0.0.1", port),
        channel: ("127.0.0.1", channel),
    }
    for host, there in reach:
        if there == real.port and host in (real.host, "127.0.0.1", "localhost", "::1"):
            raise SessionError(
                f"--reach {host}:{there}: the real adb server is there, and the program would get around the guard",
                "leave it out: the guarded one is at this port inside"
                if there == ADB_PORT
                else "leave it out",
            )
        if there in inside:
            raise SessionError(
                f"--reach {host}:{there}: inside, the guarded phone is at port {there}", "use another port"
            )
    return {there: (host, there) for host, there in reach} | inside


def upstream(device: "Device", name: str) -> "Upstream":
    """The way to the phone through the user's own adb server, or the simulated phone's."""
    from vsalang.phone.wire import Upstream

    if name.startswith("sim:"):
        return Upstream("127.0.0.1", device.adb_port, device.info.serial)  # type: ignore[attr-defined]
    from vsalang.phone.uiautomator.adb import adb_client

    client = adb_client()
    return Upstream(client.host, client.port, device.info.serial)


def _front(
    stack: ExitStack, services: Any, phone: "Upstream", device: "Device", program: AgentProgram
) -> tuple[str, int]:
    """Start the adb server for the agent's clients; return the phone's serial there, and the server's port."""
    from vsalang.phone.gate.adbserver import RealAdbServer
    from vsalang.phone.gate.services import features
    from vsalang.phone.wire import AdbDaemon, AdbServer, Banner, ServiceRefused
    from vsalang.phone.wire.peers import own_user

    try:
        offered = features(phone.features())
    except ServiceRefused:
        offered = ()
    info, users = device.info, own_user(program.users)
    banner = Banner("guarded", info.model or "phone", "guarded", offered)
    if program.adb_server == "real":
        daemon = stack.enter_context(AdbDaemon.start(services, banner, users=users))
        server = stack.enter_context(RealAdbServer(daemon.serial, users=users))
        return server.serial, server.port
    serial = serial_inside(program, info.serial)
    own = stack.enter_context(AdbServer.start({serial: (services, banner)}, users=users))
    return serial, own.port


def serial_inside(program: AgentProgram, serial: str) -> str:
    """The phone's serial for the agent: its own, unless that leads clients around the guard.

    For an emulator's serial ``adb emu`` goes to its console at the port of that number, past every adb server: such a
    name is kept only where the program has a network of its own that reaches none of the emulator's ports.
    """
    if program.serial is not None:
        return program.serial
    number = serial.removeprefix("emulator-")
    if number == serial:
        return serial
    console = int(number) if number.isascii() and number.isdigit() else -1
    ports = {console, console + 1, console + 3000}  # its console, adbd and gRPC
    away = program.isolate and console > 0 and not ports & {port for _, port in program.reach}
    return serial if away else f"guarded-{number}"


def _unreadable() -> "tuple[type[Exception], ...]":
    from vsalang.agents import AgentError

    return (AgentError, ValueError, TypeError, KeyError)
