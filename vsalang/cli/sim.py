"""``vsac sim``: run a simulated phone for other programs, or draw its screen."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from vsalang.cli.common import EXIT_OK, Failure, require

if TYPE_CHECKING:
    from vsalang.device.sim import PhoneSpec

_scenario = click.option(
    "--scenario", default="", metavar="NAME", help="Begin with one of the phone's scenarios."
)


def _load(name: str) -> "PhoneSpec":
    from vsalang.device.sim import PhoneSpecError, load

    try:
        return load(name.removeprefix("sim:"))
    except PhoneSpecError as error:
        raise Failure(str(error), "`vsac devices` lists the simulated phones") from error


@click.group(name="sim")
def command() -> None:
    """Work with simulated phones.

    NAME is a phone that comes with vsalang (`vsac devices` lists them) or a folder with a phone.toml.
    """


@command.command(name="serve")
@click.argument("name")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    show_default=True,
    help="Where to listen; 0: any free port.",
)
@_scenario
def serve(name: str, port: int, scenario: str) -> int:
    """Run a phone until Ctrl-C, for adb, uiautomator2 and agents that use them."""
    import threading

    from vsalang.device.sim import PhoneSpecError, SimulatedPhone

    spec = _load(name)
    try:
        simulated = SimulatedPhone.start(spec, scenario=scenario, port=port)
    except PhoneSpecError as error:
        raise Failure(str(error)) from error
    except OSError as error:
        raise Failure(
            f"cannot listen on port {port}: {error.strerror}", "give another --port, or none"
        ) from error
    with simulated:
        click.echo(f"{spec.title}: {simulated.serial}, adb server on 127.0.0.1:{simulated.port}")
        click.echo("In another terminal:")
        click.echo(f"  export ANDROID_ADB_SERVER_PORT={simulated.port} ANDROID_SERIAL={simulated.serial}")
        click.echo("  adb devices                                    # if adb is installed")
        click.echo("  python -m uiautomator2 current                 # or any client of uiautomator2")
        click.echo(f"  adb shell monkey -p {spec.apps[0].package} -c android.intent.category.LAUNCHER 1")
        click.echo("Ctrl-C ends it.")
        seen = 0
        tick = threading.Event()
        try:
            while True:
                tick.wait(0.5)
                inputs = simulated.phone.inputs
                for item in inputs[seen:]:
                    place = f" at {item.x},{item.y}" if item.x >= 0 else ""
                    target = f" on {item.target}" if item.target else ""
                    text = f" {item.text!r}" if item.text else ""
                    click.echo(f"  {item.time:%H:%M:%S} {item.kind}{text}{place}{target}")
                seen = len(inputs)
        except KeyboardInterrupt:
            click.echo("\nended")
    return EXIT_OK


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
@_scenario
def screenshot(
    name: str, output: Path, package: str | None, home: bool, taps: tuple[str, ...], scenario: str
) -> int:
    """Draw a phone's screen, after taps on what has the given ids or texts."""
    require("PIL", "device")
    from vsalang.device.errors import DeviceError
    from vsalang.device.sim import Phone
    from vsalang.device.sim.paint import png

    spec = _load(name)
    try:
        phone = Phone(spec, scenario)
        if not home and not phone.open_app(package or spec.apps[0].package):
            known = ", ".join(app.package for app in spec.apps)
            raise Failure(f"the phone has no app {package!r}", f"there are: {known}")
        for tap in taps:
            phone.tap_id(tap)
        data = png(phone)
    except (DeviceError, LookupError) as error:
        raise Failure(str(error.args[0] if error.args else error)) from error
    try:
        output.write_bytes(data)
    except OSError as error:
        raise Failure(f"{output}: cannot be written ({error.strerror})") from error
    click.echo(f"{output}: {spec.width}x{spec.height}, {len(data)} bytes")
    return EXIT_OK
