"""``vsac phone doctor``: says what is missing to guard a phone, and which command fixes it."""

import contextlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from vsalang.base.config import Config, config_for, config_in_force
from vsalang.base.diagnostics.display import count, safe
from vsalang.base.options import flag
from vsalang.base.records import dataclass
from vsalang.base.report import Report, Style
from vsalang.base.source import SourceError
from vsalang.models.similarity import SimilarityError, backend_of
from vsalang.phone import DeviceError
from vsalang.phone.doctor import Check, Remote, adb_checks, host_checks, phone_checks, way_checks, worst
from vsalang.phone.gate.bypass import bypasses
from vsalang.phone.sim import PhoneSpecError, SimulatedPhone, load, shipped
from vsalang.phone.wire import Upstream, server_address
from vsalang.program.similarity import name_of
from vsalang.tools.cli import frame
from vsalang.tools.cli.common import EXIT_FINDINGS, EXIT_OK, Failure
from vsalang.tools.cli.phones import device_option

_END = {
    "ok": "Phones can be guarded.",
    "warn": "Phones can be guarded; read the warnings.",
    "fail": "Fix what fails first.",
}
_NO_PHONE = "Simulated phones can be guarded (--device sim:NAME). Real ones cannot: none is connected."
_SIMULATED = "Simulated phones"
MARKS = {"ok": ("ok  ", "green"), "warn": ("warn", "yellow"), "fail": ("FAIL", "red")}


@dataclass(frozen=True, slots=True)
class DoctorOptions:
    """What is checked, and whether it is fixed."""

    device: str | None = device_option("A serial of adb, or sim:NAME.", default_text="all that are ready")
    fix: bool = flag("--fix", help="Fix on the phone what a command can fix; without it nothing is changed.")


@frame.as_command("text", "json")
def command(options: DoctorOptions) -> Report:
    """Check this computer, the adb server, the phones, and ways around the guard, and say what is missing.

    A computer without a phone is not a failure: there are simulated phones. A phone that is named must be connected.

    Exit status: 0 phones, or simulated ones, can be guarded (there may be warnings), 1 something fails, 2 the checks
    could not run.
    """
    simulated = options.device is not None and options.device.startswith("sim:")
    with _upstreams(options.device) as (checks, phones):
        checks += _project()
        repaired: list[str] = []
        for upstream in phones:
            all_checks = _phone(upstream, simulated)
            if options.fix and (wanted := [check for check in all_checks if check.repair]):
                repaired += _repair(upstream, wanted)
                all_checks = _phone(upstream, simulated)
            checks += all_checks
        checks += _ways(phones)
        if simulated:
            checks = [_passing(check, upstream.port) for check in checks for upstream in phones]
    return Checks(checks, repaired, bool(phones))


@dataclass(frozen=True, slots=True)
class Checks(Report):
    """What was checked.

    Attributes:
        checks: each with its level, and how it is fixed.
        repaired: the commands that were run on phones.
        real: whether a phone was checked.
    """

    checks: list[Check]
    repaired: list[str]
    real: bool

    @property
    def status(self) -> int:  # type: ignore[override]
        """1 if something fails."""
        return EXIT_FINDINGS if worst(self.checks) == "fail" else EXIT_OK

    def data(self) -> object:
        """Each check with its level, message and fix."""
        rows = [
            {"group": c.group, "name": c.name, "level": c.level, "message": c.message, "fix": c.fix}
            for c in self.checks
        ]
        return {"level": worst(self.checks), "checks": rows, "repaired": self.repaired}

    def lines(self, style: Style) -> Iterator[str]:
        """The checks under their headings, and how many there are of each level."""
        yield from (f"done: {line}" for line in self.repaired)
        group = ""
        for check in self.checks:
            if check.group != group:
                yield from [""] * bool(group)
                yield safe(check.group)
                group = check.group
            mark, colour = MARKS[check.level]
            mark = style(mark, fg=colour, bold=check.level == "fail")
            yield f"  {mark}  {safe(check.name)}: {safe(check.message)}"
            if check.fix and check.level != "ok":
                yield f"        fix: {safe(check.fix)}"
        numbers = {level: sum(check.level == level for check in self.checks) for level in MARKS}
        counts = (
            f"{numbers['ok']} ok, {count(numbers['warn'], 'warning')}, {count(numbers['fail'], 'failure')}"
        )
        level = worst(self.checks)
        yield ""
        yield f"{counts}. {_END[level] if self.real or level == 'fail' else _NO_PHONE}"


@contextlib.contextmanager
def _upstreams(name: str | None) -> Iterator[tuple[list[Check], list[Upstream]]]:
    """The checks on the way to the chosen phones, and the phones; a simulated one is started."""
    checks = host_checks()
    if name is not None and name.startswith("sim:"):
        with _simulated(name) as (serial, port):
            message = f"{name} was started, and ends with this; `vsac phone sim serve {name[4:]}` runs one that stays"
            checks.append(Check(_SIMULATED, serial, "ok", message))
            yield checks, [Upstream("127.0.0.1", port, serial)]
        return
    host, port = _server()
    if name is None:
        checks.append(_shipped())
    server_checks, ready = adb_checks(host, port, name)
    yield checks + server_checks, [Upstream(host, port, serial) for serial in ready]


def _shipped() -> Check:
    """The check of the simulated phones that come with vsalang."""
    names = shipped()
    try:
        for name in names:
            load(name)
    except PhoneSpecError as error:
        return Check(_SIMULATED, "phones", "fail", f"one is damaged: {error}", "install vsalang again")
    return Check(_SIMULATED, "phones", "ok", f"sim:{', sim:'.join(names)}")


@contextlib.contextmanager
def _simulated(name: str) -> Iterator[tuple[str, int]]:
    phone, _, scenario = name.removeprefix("sim:").partition("#")
    try:
        simulated = SimulatedPhone.start(load(phone), scenario=scenario)
    except (PhoneSpecError, OSError) as error:
        raise Failure(
            str(error), "`vsac phone list` lists the simulated phones and their scenarios"
        ) from error
    with simulated:
        yield simulated.serial, simulated.port


def _server() -> tuple[str, int]:
    """The address of the user's adb server, from the variables that adb itself reads."""
    try:
        return server_address()
    except DeviceError as error:
        raise Failure(str(error)) from error


def _project() -> list[Check]:
    """The checks of the configuration of the working folder, and of who answers ``~=`` there."""
    try:
        config = config_for(Path.cwd() / "vsac.toml")
        similarity = _similarity(config_in_force(Path.cwd() / "vsac.toml"))
    except SourceError as error:
        return [Check("Project", "configuration", "fail", f"[{error.code}] {error}", error.hint)]
    except OSError as error:
        return [Check("Project", "configuration", "fail", f"it cannot be read: {error}")]
    if config.file is None:
        return [Check("Project", "configuration", "ok", "none here or above; the defaults hold"), *similarity]
    policies = f"{count(len(config.policies), 'policy', 'policies')} in force"
    return [Check("Project", "configuration", "ok", f"{config.file.name} is valid; {policies}"), *similarity]


def _similarity(config: Config) -> list[Check]:
    """The check of the backend of ``~=``, if it asks somebody. Nobody is asked anything."""
    if config.similarity.backend != "embeddings":
        return []
    try:
        backend = backend_of(config.similarity)
    except SimilarityError as error:
        return [Check("Project", "similarity", "fail", str(error), error.hint)]
    assert backend is not None
    return [Check("Project", "similarity", "ok", f"`~=` is answered by {name_of(backend)}")]


def _passing(check: Check, port: int) -> Check:
    """A check of a phone that ends with the command, without its port, which is free afterwards."""

    def with_port(text: str) -> str:
        return text.replace(f"-P {port} ", "-P PORT ").replace(f"127.0.0.1:{port}", "127.0.0.1:PORT")

    return replace(check, message=with_port(check.message), fix=with_port(check.fix))


def _phone(upstream: Upstream, simulated: bool = False) -> list[Check]:
    try:
        return phone_checks(upstream, simulated=simulated)
    except DeviceError as error:
        return [
            Check(
                f"Phone {upstream.serial}", "connection", "fail", f"it went away: {error}", "vsac phone list"
            )
        ]


def _repair(upstream: Upstream, checks: list[Check]) -> list[str]:
    """Run the repairs of the checks; return what was run."""
    done = []
    for check in checks:
        try:
            _, status = Remote(upstream).run(check.repair)
        except DeviceError as error:
            raise Failure(f"{check.name} on {upstream.serial} could not be fixed: {error}") from error
        done.append(f"{upstream.serial}: {check.repair}" + (f" (it ended with {status})" if status else ""))
    return done


def _ways(phones: list[Upstream]) -> list[Check]:
    """The checks of ways around the guard, from here and from the phones."""
    checks: dict[tuple[str, str], Check] = {}
    for phone in phones:
        others = [each.serial for each in phones]
        for way in bypasses(phone.serial, adb_host=phone.host, adb_port=phone.port, serials=others):
            if way.grade == "open":
                check = Check(
                    "Ways around the guard", way.name, "warn", f"{way.where}: {way.means}", way.remedy
                )
            else:
                check = Check("Ways around the guard", way.name, "ok", f"{way.where}: closed from here")
            checks[way.name, way.where] = check
        with contextlib.suppress(DeviceError):  # the checks of the phone say that it went away
            for check in way_checks(Remote(phone)):
                checks[check.name, phone.serial] = check
    return list(checks.values())
