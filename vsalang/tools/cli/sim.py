"""``vsac phone sim``: runs a simulated phone for other programs, draws its screen, or checks it."""

from collections.abc import Iterator
from dataclasses import MISSING, replace
from functools import partial
from pathlib import Path
from typing import Any

from vsalang.base.diagnostics.display import count, safe
from vsalang.base.options import argument, flag, option
from vsalang.base.records import dataclass
from vsalang.base.report import Report, Result, Style
from vsalang.base.source.private import write_out
from vsalang.phone.errors import DeviceError
from vsalang.phone.sim import Phone, PhoneSpec, PhoneSpecError, load
from vsalang.phone.sim.check import problems
from vsalang.phone.wire.peers import allowed_users
from vsalang.tools.cli import frame, sim_serve
from vsalang.tools.cli.common import EXIT_FINDINGS, EXIT_OK, Failure, require
from vsalang.tools.cli.frame import Output
from vsalang.tools.cli.output import echo


def _scenario() -> Any:
    help = "Begin with one of the phone's scenarios, or one in a .toml file."
    return option("--scenario", default="", metavar="NAME|FILE", help=help)


def _load(name: str) -> PhoneSpec:
    try:
        return load(name.removeprefix("sim:"))
    except PhoneSpecError as error:
        raise Failure(str(error), "`vsac phone list` lists the simulated phones") from error


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """Which phone is run, and where."""

    name: str = argument("NAME")
    port: int = option(
        "--port",
        least=0,
        most=65535,
        default=0,
        help="Where the phone's own adb server listens.",
        default_text="a free port",
    )
    adbd_port: int = option(
        "--adbd-port",
        least=0,
        most=65535,
        default=0,
        help="Where the phone listens for `adb connect`.",
        default_text="a free port",
    )
    users: tuple[int, ...] = allowed_users()
    scenario: str = _scenario()


@frame.as_command("text", "json")
def serve(options: ServeOptions, output: Output) -> int:
    """Run a phone until Ctrl-C, for adb, uiautomator2 and agents that use them.

    It listens on 127.0.0.1, for the user who started it, says how to connect, and shows each input that reaches it.
    """
    return sim_serve.serve(
        _load(options.name),
        options.scenario,
        port=options.port,
        adbd_port=options.adbd_port,
        more=options.users,
        as_json=output.format == "json",
    )


@dataclass(frozen=True, slots=True)
class ScreenshotOptions:
    """Which screen of which phone is drawn."""

    name: str = argument("NAME")
    output: Path = option("-o", "--output", required=True, default=MISSING, help="The PNG file to write.")
    package: str | None = option(
        "--open", metavar="PACKAGE", help="The app to open first; default: the first."
    )
    home: bool = flag("--home", help="Stay on the home screen.")
    taps: tuple[str, ...] = option(
        "--tap",
        default=(),
        metavar="ID",
        help="Tap what has this id or text; ID#2: the second one. May be repeated.",
    )
    screen: str = option("--screen", default="", metavar="NAME", help="Show this screen of the app first.")
    scenario: str = _scenario()


@frame.as_command()
def screenshot(options: ScreenshotOptions) -> int:
    """Draw a phone's screen as a PNG, after taps on elements with the given ids or texts."""
    require("PIL", "device")
    from vsalang.phone.sim.paint import png  # Pillow may not be installed

    spec = _load(options.name)
    try:
        phone = Phone(spec, options.scenario)
        if not options.home and not phone.open_app(options.package or spec.apps[0].package):
            known = ", ".join(app.package for app in spec.apps)
            raise Failure(f"the phone has no app {options.package!r}", f"there are: {known}")
        if options.screen:
            _show(phone, options.package or spec.apps[0].package, options.screen)
        for tap in options.taps:
            phone.tap_id(tap)
        data = png(phone)
    except (DeviceError, LookupError) as error:
        raise Failure(str(error.args[0] if error.args else error)) from error
    try:
        write_out(options.output, data)
    except OSError as error:
        raise Failure(f"{options.output}: cannot be written ({error.strerror})") from error
    echo(f"{options.output}: {spec.width}x{spec.height}, {len(data)} bytes")
    return EXIT_OK


def _show(phone: Phone, package: str, screen: str) -> None:
    """Show a screen of one of the apps, the given one first."""
    apps = sorted(phone.spec.apps, key=lambda app: app.package != package)
    for app in apps:
        if screen in app.screens:
            phone.show(app.package, screen)
            return
    known = ", ".join(sorted(name for app in apps for name in app.screens))
    raise Failure(f"the phone has no screen {screen!r}", f"there are: {known}")


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """What is checked."""

    names: tuple[str, ...] = argument("NAME")
    scenarios: tuple[str, ...] = option(
        "--scenario", default=(), metavar="FILE", help="Check this scenario too; repeatable."
    )


@frame.as_command("text", "json")
def check(options: CheckOptions) -> Report:
    """Check phones and their scenarios.

    This checks phone.toml, templates, dumps, and every screen that taps lead to. With NAME#SCENARIO only that scenario
    is checked, and the phone must have it.

    Exit status: 0 nothing is wrong, 1 something is, 2 it could not be checked.
    """
    results: list[dict[str, Any]] = []
    for name in options.names:
        phone, hash, only = name.removeprefix("sim:").partition("#")
        place = Path(phone)
        try:
            spec = load(str(place))
            if hash:
                spec = _with_one(spec, only)
        except PhoneSpecError as error:
            if not (place / "phone.toml").exists() and not place.is_dir():
                raise Failure(str(error), "`vsac phone list` lists the simulated phones") from error
            results.append({"phone": name, "problems": [str(error)]})
            continue
        results.append(
            {
                "phone": name,
                "problems": problems(spec, options.scenarios),
                "apps": len(spec.apps),
                "screens": sum(len(app.screens) for app in spec.apps),
                "scenarios": len(spec.scenarios) + len(options.scenarios),
            }
        )
    wrong = any(one["problems"] for one in results)
    return Result(lambda: results, partial(_lines, results), EXIT_FINDINGS if wrong else EXIT_OK)


def _lines(results: list[dict[str, Any]], style: Style) -> Iterator[str]:
    for one in results:
        yield from (f"error: {safe(problem)}" for problem in one["problems"])
        if not one["problems"]:
            counts = ", ".join(count(one[f"{what}s"], what) for what in ("app", "screen", "scenario"))
            yield f"{one['phone']}: {counts}: nothing is wrong"


def _with_one(spec: PhoneSpec, name: str) -> PhoneSpec:
    """The phone with one of its scenarios only.

    Raises:
        Failure: it has none of that name.
    """
    try:
        scenario = spec.scenario(name)
    except PhoneSpecError as error:
        raise Failure(str(error), "`vsac phone list` lists the scenarios") from error
    return replace(spec, scenarios={name: scenario} if name else {})
