"""``vsac phone sim``: runs a simulated phone for other programs, draws its screen, or checks it."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vsalang.base.diagnostics.display import count
from vsalang.base.source.private import write_out
from vsalang.tools.cli import sim_new
from vsalang.tools.cli.common import EXIT_FINDINGS, EXIT_OK, Failure, format_option, require
from vsalang.tools.cli.options import allow_user
from vsalang.tools.cli.output import echo

if TYPE_CHECKING:
    from vsalang.phone.sim import Phone, PhoneSpec

_scenario = click.option(
    "--scenario",
    default="",
    metavar="NAME|FILE",
    help="Begin with one of the phone's scenarios, or one in a .toml file.",
)


def _load(name: str) -> "PhoneSpec":
    from vsalang.phone.sim import PhoneSpecError, load

    try:
        return load(name.removeprefix("sim:"))
    except PhoneSpecError as error:
        raise Failure(str(error), "`vsac phone list` lists the simulated phones") from error


@click.group(name="sim")
def command() -> None:
    """Work with simulated phones.

    NAME is a phone that comes with vsalang (`vsac phone list` lists them) or a folder with a phone.toml.
    """


command.add_command(sim_new.new)


@command.command(name="serve")
@click.argument("name")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    help="Where the phone's own adb server listens. [default: a free port]",
)
@click.option(
    "--adbd-port",
    type=click.IntRange(0, 65535),
    default=0,
    help="Where the phone listens for `adb connect`. [default: a free port]",
)
@allow_user
@format_option("text", "json")
@_scenario
def serve(name: str, port: int, adbd_port: int, users: tuple[int, ...], format: str, scenario: str) -> int:
    """Run a phone until Ctrl-C, for adb, uiautomator2 and agents that use them.

    It listens on 127.0.0.1, for the user who started it, says how to connect, and shows each input that reaches it.
    """
    from vsalang.tools.cli import sim_serve

    return sim_serve.serve(
        _load(name), scenario, port=port, adbd_port=adbd_port, more=users, as_json=format == "json"
    )


@command.command(name="screenshot")
@click.argument("name")
@click.option("-o", "--output", required=True, type=click.Path(path_type=Path), help="The PNG file to write.")
@click.option(
    "--open", "package", default=None, metavar="PACKAGE", help="The app to open first; default: the first."
)
@click.option("--home", is_flag=True, help="Stay on the home screen.")
@click.option(
    "--tap",
    "taps",
    multiple=True,
    metavar="ID",
    help="Tap what has this id or text; ID#2: the second one. May be repeated.",
)
@click.option("--screen", default="", metavar="NAME", help="Show this screen of the app first.")
@_scenario
def screenshot(
    *,
    name: str,
    output: Path,
    package: str | None,
    home: bool,
    taps: tuple[str, ...],
    screen: str,
    scenario: str,
) -> int:
    """Draw a phone's screen as a PNG, after taps on elements with the given ids or texts."""
    require("PIL", "device")
    from vsalang.phone.errors import DeviceError
    from vsalang.phone.sim import Phone
    from vsalang.phone.sim.paint import png

    spec = _load(name)
    try:
        phone = Phone(spec, scenario)
        if not home and not phone.open_app(package or spec.apps[0].package):
            known = ", ".join(app.package for app in spec.apps)
            raise Failure(f"the phone has no app {package!r}", f"there are: {known}")
        if screen:
            _show(phone, package or spec.apps[0].package, screen)
        for tap in taps:
            phone.tap_id(tap)
        data = png(phone)
    except (DeviceError, LookupError) as error:
        raise Failure(str(error.args[0] if error.args else error)) from error
    try:
        write_out(output, data)
    except OSError as error:
        raise Failure(f"{output}: cannot be written ({error.strerror})") from error
    echo(f"{output}: {spec.width}x{spec.height}, {len(data)} bytes")
    return EXIT_OK


def _show(phone: "Phone", package: str, screen: str) -> None:
    """Show a screen of one of the apps, the given one first."""
    apps = sorted(phone.spec.apps, key=lambda app: app.package != package)
    for app in apps:
        if screen in app.screens:
            phone.show(app.package, screen)
            return
    known = ", ".join(sorted(name for app in apps for name in app.screens))
    raise Failure(f"the phone has no screen {screen!r}", f"there are: {known}")


@command.command(name="check")
@click.argument("names", metavar="NAME...", nargs=-1, required=True)
@click.option(
    "--scenario", "scenarios", multiple=True, metavar="FILE", help="Check this scenario too; repeatable."
)
@format_option("text", "json")
def check(names: tuple[str, ...], scenarios: tuple[str, ...], format: str) -> int:
    """Check phones and their scenarios.

    This checks phone.toml, templates, dumps, and every screen that taps lead to. With NAME#SCENARIO only that scenario
    is checked, and the phone must have it.

    Exit status: 0 nothing is wrong, 1 something is, 2 it could not be checked.
    """
    import json

    from vsalang.base.diagnostics.display import safe
    from vsalang.phone.sim import PhoneSpecError, load
    from vsalang.phone.sim.check import problems

    results: list[dict[str, Any]] = []
    for name in names:
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
                "problems": problems(spec, scenarios),
                "apps": len(spec.apps),
                "screens": sum(len(app.screens) for app in spec.apps),
                "scenarios": len(spec.scenarios) + len(scenarios),
            }
        )
    wrong = any(one["problems"] for one in results)
    if format == "json":
        click.echo(json.dumps(results, indent=2))
        return EXIT_FINDINGS if wrong else EXIT_OK
    for one in results:
        found = one["problems"]
        for problem in found:
            echo(f"error: {safe(problem)}")
        if not found:
            counts = ", ".join(count(one[f"{what}s"], what) for what in ("app", "screen", "scenario"))
            echo(f"{one['phone']}: {counts}: nothing is wrong")
    return EXIT_FINDINGS if wrong else EXIT_OK


def _with_one(spec: "PhoneSpec", name: str) -> "PhoneSpec":
    """The phone with one of its scenarios only.

    Raises:
        Failure: it has none of that name.
    """
    from dataclasses import replace

    from vsalang.phone.sim import PhoneSpecError

    try:
        scenario = spec.scenario(name)
    except PhoneSpecError as error:
        raise Failure(str(error), "`vsac phone list` lists the scenarios") from error
    return replace(spec, scenarios={name: scenario} if name else {})
