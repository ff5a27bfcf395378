"""``vsac phone doctor``: says what is missing to guard a phone, and which command fixes it."""

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from vsalang.tools.cli.common import EXIT_FINDINGS, EXIT_OK, Failure, format_option, use_color
from vsalang.tools.cli.options import named_device

if TYPE_CHECKING:
    from vsalang.base.config import Config
    from vsalang.phone.doctor import Check
    from vsalang.phone.wire import Upstream

_END = {
    "ok": "Phones can be guarded.",
    "warn": "Phones can be guarded; read the warnings.",
    "fail": "Fix what fails first.",
}
_NO_PHONE = "Simulated phones can be guarded (--device sim:NAME). Real ones cannot: none is connected."
_SIMULATED = "Simulated phones"
MARKS = {"ok": ("ok  ", "green"), "warn": ("warn", "yellow"), "fail": ("FAIL", "red")}


@click.command(name="doctor")
@click.option(
    "--device",
    "device_name",
    metavar="NAME",
    help="A serial of adb, or sim:NAME. [default: all that are ready]",
)
@click.option(
    "--fix",
    is_flag=True,
    help="Fix on the phone what a command can fix; without it nothing is changed.",
)
@format_option("text", "json")
def command(device_name: str | None, fix: bool, format: str) -> int:
    """Check this computer, the adb server, the phones, and ways around the guard, and say what is missing.

    A computer without a phone is not a failure: there are simulated phones. A phone that is named must be connected.

    Exit status: 0 phones, or simulated ones, can be guarded (there may be warnings), 1 something fails, 2 the checks
    could not run.
    """
    from vsalang.phone.doctor import worst

    if device_name is not None:
        named_device(device_name)
    simulated = device_name is not None and device_name.startswith("sim:")
    with _upstreams(device_name) as (checks, phones):
        checks += _project()
        repaired: list[str] = []
        for upstream in phones:
            found = _phone(upstream, simulated)
            if fix and (wanted := [check for check in found if check.repair]):
                repaired += _repair(upstream, wanted)
                found = _phone(upstream, simulated)
            checks += found
        checks += _ways(phones)
        if simulated:
            checks = [_passing(check, upstream.port) for check in checks for upstream in phones]
    level = worst(checks)
    if format == "json":
        rows = [
            {"group": c.group, "name": c.name, "level": c.level, "message": c.message, "fix": c.fix}
            for c in checks
        ]
        click.echo(json.dumps({"level": level, "checks": rows, "repaired": repaired}, indent=2))
    else:
        for line in repaired:
            click.echo(f"done: {line}")
        click.echo(text(checks, color=use_color(), real=bool(phones)), color=True)
    return EXIT_FINDINGS if level == "fail" else EXIT_OK


@contextlib.contextmanager
def _upstreams(name: str | None) -> Iterator[tuple[list["Check"], list["Upstream"]]]:
    """The checks on the way to the chosen phones, and the phones; a simulated one is started."""
    from vsalang.phone.doctor import Check, adb_checks, host_checks
    from vsalang.phone.wire import Upstream

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
    found, ready = adb_checks(host, port, name)
    yield checks + found, [Upstream(host, port, serial) for serial in ready]


def _shipped() -> "Check":
    """The check of the simulated phones that come with vsalang."""
    from vsalang.phone.doctor import Check
    from vsalang.phone.sim import PhoneSpecError, load, shipped

    names = shipped()
    try:
        for name in names:
            load(name)
    except PhoneSpecError as error:
        return Check(_SIMULATED, "phones", "fail", f"one is damaged: {error}", "install vsalang again")
    return Check(_SIMULATED, "phones", "ok", f"sim:{', sim:'.join(names)}")


@contextlib.contextmanager
def _simulated(name: str) -> Iterator[tuple[str, int]]:
    from vsalang.phone.sim import PhoneSpecError, SimulatedPhone, load

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
    from vsalang.phone.errors import DeviceError
    from vsalang.phone.wire import server_address

    try:
        return server_address()
    except DeviceError as error:
        raise Failure(str(error)) from error


def _project() -> list["Check"]:
    """The checks of the configuration of the working folder, and of who answers ``~=`` there."""
    from vsalang.base.config import config_for, config_in_force
    from vsalang.base.source import SourceError
    from vsalang.phone.doctor import Check

    try:
        config = config_for(Path.cwd() / "vsac.toml")
        similarity = _similarity(config_in_force(Path.cwd() / "vsac.toml"))
    except SourceError as error:
        return [Check("Project", "configuration", "fail", f"[{error.code}] {error}", error.hint)]
    except OSError as error:
        return [Check("Project", "configuration", "fail", f"it cannot be read: {error}")]
    if config.file is None:
        return [Check("Project", "configuration", "ok", "none here or above; the defaults hold"), *similarity]
    policies = f"{len(config.policies)} {'policy' if len(config.policies) == 1 else 'policies'} in force"
    return [Check("Project", "configuration", "ok", f"{config.file.name} is valid; {policies}"), *similarity]


def _similarity(config: "Config") -> list["Check"]:
    """The check of the backend of ``~=``, if it asks somebody. Nobody is asked anything."""
    from vsalang.models.similarity import SimilarityError, backend_of
    from vsalang.phone.doctor import Check
    from vsalang.program.similarity import name_of

    if config.similarity.backend != "embeddings":
        return []
    try:
        backend = backend_of(config.similarity)
    except SimilarityError as error:
        return [Check("Project", "similarity", "fail", str(error), error.hint)]
    assert backend is not None
    return [Check("Project", "similarity", "ok", f"`~=` is answered by {name_of(backend)}")]


def _passing(check: "Check", port: int) -> "Check":
    """A check of a phone that ends with the command, without its port, which is free afterwards."""
    from dataclasses import replace

    def said(text: str) -> str:
        return text.replace(f"-P {port} ", "-P PORT ").replace(f"127.0.0.1:{port}", "127.0.0.1:PORT")

    return replace(check, message=said(check.message), fix=said(check.fix))


def _phone(upstream: "Upstream", simulated: bool = False) -> list["Check"]:
    from vsalang.phone import DeviceError
    from vsalang.phone.doctor import Check, phone_checks

    try:
        return phone_checks(upstream, simulated=simulated)
    except DeviceError as error:
        return [
            Check(
                f"Phone {upstream.serial}", "connection", "fail", f"it went away: {error}", "vsac phone list"
            )
        ]


def _repair(upstream: "Upstream", checks: list["Check"]) -> list[str]:
    """Run the repairs of the checks; return what was run."""
    from vsalang.phone import DeviceError
    from vsalang.phone.doctor import Remote

    done = []
    for check in checks:
        try:
            _, status = Remote(upstream).run(check.repair)
        except DeviceError as error:
            raise Failure(f"{check.name} on {upstream.serial} could not be fixed: {error}") from error
        done.append(f"{upstream.serial}: {check.repair}" + (f" (it ended with {status})" if status else ""))
    return done


def _ways(phones: list["Upstream"]) -> list["Check"]:
    """The checks of ways around the guard, from here and from the phones."""
    from vsalang.phone import DeviceError
    from vsalang.phone.doctor import Check, Remote, way_checks
    from vsalang.phone.gate.bypass import bypasses

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


def text(checks: list["Check"], *, color: bool = False, real: bool = True) -> str:
    """The checks for people, under their headings.

    Args:
        real: whether a real phone was checked; if not, the last line is about simulated ones.
    """
    from vsalang.base.diagnostics.display import safe
    from vsalang.phone.doctor import worst

    lines: list[str] = []
    group = ""
    for check in checks:
        if check.group != group:
            lines += ([""] if group else []) + [safe(check.group)]
            group = check.group
        mark, colour = MARKS[check.level]
        shown = click.style(mark, fg=colour, bold=check.level == "fail") if color else mark
        lines.append(f"  {shown}  {safe(check.name)}: {safe(check.message)}")
        if check.fix and check.level != "ok":
            lines.append(f"        fix: {safe(check.fix)}")
    count = {level: sum(check.level == level for check in checks) for level in MARKS}
    counts = ", ".join(
        f"{number} {word}{'s' * (number != 1 and word != 'ok')}"
        for number, word in ((count["ok"], "ok"), (count["warn"], "warning"), (count["fail"], "failure"))
    )
    level = worst(checks)
    lines += ["", f"{counts}. {_END[level] if real or level == 'fail' else _NO_PHONE}"]
    return "\n".join(lines)
