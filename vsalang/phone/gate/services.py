"""The services of a guarded phone: each is classified, and opened on the real phone only after the verdict."""

import contextlib
import logging
import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Final, Literal

from vsalang.base.records import dataclass
from vsalang.guard import NotAllowed
from vsalang.phone.classify import Actions, Allowance, Inspect, Pass, Refuse, classify
from vsalang.phone.errors import DeviceError
from vsalang.phone.gate import answers
from vsalang.phone.gate.answers import OnBlock
from vsalang.phone.gate.carrying import heard, opened, passed
from vsalang.phone.gate.dumps import Dumper, has_dump
from vsalang.phone.gate.files import FileService
from vsalang.phone.gate.gate import Gate
from vsalang.phone.gate.helper_states import States, has_state
from vsalang.phone.gate.http import HttpService
from vsalang.phone.gate.installing import HeldInput
from vsalang.phone.gate.packets import Plain
from vsalang.phone.gate.phone import SILENCE, FarStream, Phone
from vsalang.phone.gate.pictures import Pictures, has_picture
from vsalang.phone.gate.shells import Shells
from vsalang.phone.gate.showing import Showing
from vsalang.phone.gate.sight import SERVER, Sight
from vsalang.phone.jar import JAR
from vsalang.phone.vocabulary import sh
from vsalang.phone.vocabulary.adb import KEEP, DeviceFacts
from vsalang.phone.vocabulary.adb_input import event_in
from vsalang.phone.wire import Handler, ServiceRefused, Stream, splice

log = logging.getLogger(__name__)

FEATURES: Final = frozenset({"shell_v2", "cmd", "stat_v2", "ls_v2", "fixed_push_mkdir", "abb_exec"})
"""The features that a guarded phone may offer: those whose requests are all understood here."""
_SHELLS: Final = ("shell", "exec")


@dataclass(frozen=True, slots=True)
class Rules:
    """Settings of the user for the gate.

    Attributes:
        on_block: see `vsalang.phone.gate.answers.OnBlock`; ``show``: ``silent``, and the reason stands in the agent's
            next dumps and pictures (`vsalang.phone.gate.showing`).
        services: services that pass without a check, such as ``tcp:8080``.
        portal_port: where the helper app of mobilerun listens; None: it is not to be reached.
        known: what is known of the phone's apps.
    """

    on_block: OnBlock | Literal["show"] = "error"
    services: frozenset[str] = frozenset()
    portal_port: int | None = None
    known: DeviceFacts = KEEP


class GuardedServices:
    """Services of a phone behind a gate (`vsalang.phone.wire.Services`).

    Services that only read are opened and connected directly, without looking at their data. A command line that acts
    is judged command by command; file transfers and calls to servers on the phone request by request. A request that
    is not understood, or cannot be judged because the phone is lost or cannot be observed, is refused.

    Args:
        gate: judges each action.
        phone: opens services on the real phone (`vsalang.phone.wire.Upstream`).
        sight: the guard's observations.
        rules: the user's settings.
        redact: replaces secrets in what is shown to the agent.
    """

    def __init__(
        self,
        gate: Gate,
        phone: Phone,
        sight: Sight,
        rules: Rules | None = None,
        *,
        redact: Callable[[str], str] = lambda text: text,
    ) -> None:
        rules = rules or Rules()
        self._gate = gate
        self._phone = phone
        self._sight = sight
        showing = Showing(gate, redact) if rules.on_block == "show" else None
        on_block: OnBlock = "silent" if rules.on_block == "show" else rules.on_block
        self._on_block = on_block
        self._allowed = Allowance(
            services=rules.services,
            portal_port=rules.portal_port,
            jars=frozenset({JAR}),  # it is not started: the guard's own server answers (`Sight.serve`)
            known=rules.known,
        )
        self._dumper = Dumper(phone, sight.dump if showing is None else _marked(sight.dump, showing))
        pictures = Pictures(phone, showing) if showing is not None else None
        looks = (
            (pictures, States(phone, showing.state)) if pictures is not None and showing is not None else ()
        )
        self._shells = Shells(gate, phone, self._allowed, on_block, sight, self._dumper, looks=looks)
        self._files = FileService(gate, phone, on_block, frozenset({JAR}))
        self._server = HttpService(
            gate, phone, SERVER, "uiautomator2", self._allowed, on_block, hook=sight, showing=showing
        )
        self._portal: HttpService | None = None
        if rules.portal_port is not None:
            port = f"tcp:{rules.portal_port}"
            self._portal = HttpService(gate, phone, port, "portal", self._allowed, on_block, showing=showing)
        self._showing, self._pictures = showing, pictures

    def open(self, name: str) -> Handler:
        self._gate.arrived()
        verdict = classify(name, self._allowed)
        service = name.removesuffix("\x00")
        kind, _, rest = service.partition(":")
        shell = kind.split(",")[0] in _SHELLS
        if isinstance(verdict, Pass):
            if (
                service == "framebuffer:"
                and self._pictures is not None
                and self._showing
                and self._showing.reason
            ):
                return self._pictures.framebuffer
            return self._read(service, kind, verdict) if shell else self._straight(service)
        if isinstance(verdict, Inspect):
            return self._inspect(service, verdict)
        if isinstance(verdict, Actions):
            if shell:
                return lambda stream: self._shells.serve(stream, kind, verdict)
            return lambda stream: self._words(stream, service, verdict)
        if shell and not rest.strip() and "pty" not in kind.split(",")[1:]:
            return lambda stream: self._shells.interactive(stream, kind)
        return self._refuse(service, kind, shell, verdict)

    # ------------------------------------------------------------------ what passes

    def _read(self, service: str, kind: str, call: Pass) -> Handler:
        if not call.command:  # the user allowed it by name
            return self._straight(service)
        if "CLASSPATH=" in call.command:
            parsed = sh.parse(call.command)
            if any(command.variables for command in parsed):
                if len(parsed) == 1:
                    return self._sight.serve
                return self._refuse(
                    service, kind, True, Refuse("a server is started by a command of its own")
                )
        marked = self._showing is not None and (has_picture(call.command) or has_state(call.command))
        if marked or has_dump(call.command):
            return lambda stream: self._shells.read(stream, kind, call.command)
        return self._straight(f"{kind}:{call.command}")

    def _straight(self, service: str) -> Handler:
        far = self._reached(service)
        return lambda near: splice(near, far)

    def _reached(self, service: str) -> FarStream:
        try:
            return self._phone.open(service)
        except (DeviceError, ValueError) as error:
            log.warning("%s: %s", service[:80], error)
            raise ServiceRefused(f"vsalang: {service[:80]}: {error}") from error

    # ------------------------------------------------------------------ what is inspected

    def _inspect(self, service: str, inspect: Inspect) -> Handler:
        if inspect.protocol == "sync":
            return self._files.serve
        server = self._server if inspect.protocol == "uiautomator2" else self._portal
        if server is None:
            raise ServiceRefused(f"vsalang: refused: `{service}` is not known")
        try:
            return server.open()
        except DeviceError as error:
            raise ServiceRefused(f"vsalang: {service[:80]}: {error}") from error

    # ------------------------------------------------------------------ what acts

    def _words(self, stream: Stream, name: str, actions: Actions) -> None:
        """A command that is given as words (``abb_exec:``): the words are passed on unchanged."""
        text = name.partition(":")[0] + ":" + name.partition(":")[2].replace("\x00", " ").strip()
        with heard(stream) as near, contextlib.ExitStack() as context:
            try:
                source = None
                if self._gate.guard.settings.mode != "shadow":
                    app = self._shells.uploads.taken(context, Plain(near).typed(), actions)
                    if app is not None:
                        source, actions = HeldInput(app[0], near, second=False), app[1]
                if any(event_in(part.command) for part in actions.parts):
                    raise self._gate.refuse(
                        text, "events of a finger come as commands of a shell: use `shell:`"
                    )
                self._gate.act(
                    partial(self._sight.pasted, actions.actions),
                    lambda: passed(near, opened(self._phone, name), SILENCE, source),
                    what=text,
                )
            except NotAllowed as error:
                if self._on_block == "error":
                    near.write(answers.in_shell(error))
            except DeviceError as error:
                near.write(answers.in_shell(error))

    # ------------------------------------------------------------------ what does not pass

    def _refuse(self, service: str, kind: str, shell: bool, problem: object) -> Handler:
        reason = problem.reason if isinstance(problem, Refuse) else "it is not understood"
        error = self._gate.refuse(service, reason)
        if shell:
            return lambda stream: self._shells.refuse(stream, kind, service.partition(":")[2], error)
        if kind == "abb" or kind == "abb_exec":
            return lambda stream: stream.write(answers.in_shell(error))
        if service.startswith("reverse:"):
            data = answers.feedback_of(error).encode("utf-8", "replace")[:0xFFFF]
            return lambda stream: stream.write(b"FAIL" + f"{len(data):04x}".encode() + data)
        raise ServiceRefused(f"vsalang: {answers.feedback_of(error)}")


def _marked(dump: Callable[[bool], str | None], showing: Showing) -> Callable[[bool], str | None]:
    """A function that dumps the tree, with what is shown to the agent."""

    def marked(compressed: bool) -> str | None:
        xml = dump(compressed)
        return None if xml is None else showing.dump(xml)

    return marked


def features(phone: Iterable[str]) -> tuple[str, ...]:
    """The features of a guarded phone, from those of the phone."""
    return tuple(name for name in phone if name in FEATURES)


_QUERY: Final = (
    "shell:cmd package query-activities --brief --components -a android.intent.action.MAIN "
    "-c android.intent.category.LAUNCHER"
)
_COMPONENT: Final = re.compile(r"\s*([A-Za-z][\w.]*)/([\w.$]+)\s*", re.ASCII)


def launchers(phone: Phone) -> Mapping[str, frozenset[str]] | None:
    """The activities that the icons of the phone's apps open; starting another one does not count as opening the app.

    Returns:
        Package -> activities; None if the phone does not say.
    """
    try:
        far = phone.open(_QUERY)
    except (ServiceRefused, DeviceError):
        return None
    data = b""
    with contextlib.closing(far):
        far.set_timeout(20)
        try:
            while (piece := far.read(64 << 10)) and len(data) < 4 << 20:
                data += piece
        except DeviceError:
            return None
    packages: dict[str, set[str]] = {}
    for line in data.decode("utf-8", "replace").split("\n"):
        if (match := _COMPONENT.fullmatch(line)) is not None:
            packages.setdefault(match[1], set()).add(match[2])
    return {package: frozenset(activities) for package, activities in packages.items()} or None
