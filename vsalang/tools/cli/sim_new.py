"""``vsac phone sim new``: makes the folder of a simulated phone from dumps, recorded walks, or a device."""

import datetime as dt
import shlex
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from vsalang.agents.walks import WalkError
from vsalang.agents.walks.phone_recording import recording_of
from vsalang.base.options import argument, option
from vsalang.base.records import dataclass
from vsalang.phone import DeviceError
from vsalang.phone.open import open_device
from vsalang.phone.sim import Phone, load
from vsalang.phone.sim.make import UNNAMED, RecordedMove, RecordedScreen, Recording, merged, write_phone
from vsalang.phone.sim.named_nodes import nodes_named
from vsalang.phone.sim.toml import PhoneSpecError
from vsalang.phone.uiautomator import UiAutomatorDevice
from vsalang.screen.screen import TreeScreen
from vsalang.tools.cli import frame
from vsalang.tools.cli.common import EXIT_OK, Failure, require
from vsalang.tools.cli.output import echo


@dataclass(frozen=True, slots=True)
class NewOptions:
    """Of what a phone is made."""

    folder: Path = argument("FOLDER")
    more: tuple[Path, ...] = argument("FILE", default=(), hidden=True, needs="--from")
    sources: tuple[Path, ...] = option(
        "--from",
        default=(),
        metavar="FILE...",
        help="Dumps (uiautomator XML, also .gz), folders of them, or recorded walks and journals of vsac.",
    )
    serial: str | None = option(
        "--device", metavar="SERIAL", help="Look at this device of adb instead.", excludes="--from"
    )
    task: int | None = option("--task", least=1, help="Of a file with several walks, only this one.")
    package: str = option(
        "--package", default="", help="The app's package, where the source does not say it."
    )
    title: str = option("--title", default="", help="What the phone is called in `vsac phone list`.")


@frame.as_command(one_of=("--from", "--device"))
def new(options: NewOptions) -> int:
    """Make a phone out of screens of a real one.

    \b
    vsac phone sim new FOLDER --from DUMP.xml...      each dump is a screen; write where taps lead
    vsac phone sim new FOLDER --from WALK.jsonl       screens and what led from one to the next
    vsac phone sim new FOLDER --device SERIAL         take the screens one by one
    """
    recording = (
        _from_device(options.serial)
        if options.serial is not None
        else _of_files([*options.sources, *options.more], options.task, options.package)
    )
    if options.title:
        recording = replace(recording, title=options.title)
    try:
        files = write_phone(options.folder, recording)
        problems = _checked(options.folder)
    except PhoneSpecError as error:
        raise Failure(str(error)) from error
    moves = sum(1 for led in recording.led if led.start != led.end)
    echo(f"{files[0]}: {len(recording.screens)} screens, {moves} inputs that lead from one to another")
    for problem in problems:
        echo(f"  {problem}")
    if UNNAMED in _packages(options.folder) and options.package != UNNAMED:
        echo(f"  no source says whose screens these are: the app is {UNNAMED}; --package gives another name")
    quoted = shlex.quote(str(options.folder))
    echo(f"Where taps lead is written in {files[0]}; `vsac phone sim check {quoted}` checks it.")
    echo(f"Try it: vsac phone sim screenshot {quoted} -o screen.png; vsac phone sim serve {quoted}")
    return EXIT_OK


def _packages(folder: Path) -> set[str]:
    return {app.package for app in load(str(folder)).apps}


def _checked(folder: Path) -> list[str]:
    """Load the folder as a phone, so that mistakes are reported now; return the problems."""
    spec = load(str(folder))
    Phone(spec)
    several = sum(len(app.screens) for app in spec.apps) > 1
    alone = [
        screen.name
        for app in spec.apps
        for screen in app.screens.values()
        if several and not screen.moves and all(rule.screen != screen.name for rule in app.rules)
    ]
    return [f"nothing leads on from: {', '.join(alone)}"] if alone else []


def _of_files(paths: list[Path], task: int | None, package: str) -> Recording:
    try:
        return recording_of(paths, task, package)
    except WalkError as error:
        raise Failure(str(error), error.hint) from error


# ---- a device ------------------------------------------------------------------------------------------------


def _from_device(serial: str) -> Recording:
    """Screens of a device, one for each Enter; the text before it says which element led to the screen."""
    require("uiautomator2", "device")
    try:
        with open_device(serial) as device:
            info = device.info
            echo(f"{serial}: {info.model}, {info.width}x{info.height}")
            if not isinstance(device, UiAutomatorDevice):
                echo(
                    f"  touch it:  ANDROID_ADB_SERVER_PORT={device.adb_port} ANDROID_SERIAL={info.serial}"
                    "  (any adb client)"
                )
            echo(
                "Enter takes the screen that shows. To say what was touched on the screen before, write its text,"
            )
            echo("description or id first: the new screen is where that leads. `back` is the key; `q` ends.")
            real = device if isinstance(device, UiAutomatorDevice) else device.connection
            dump = real.link.u2.dump_hierarchy
            screens, led, clock = _taken(device.observe, dump, device.screenshot)
    except DeviceError as error:
        raise Failure(str(error), "`vsac phone doctor` says what is missing") from error
    if not screens:
        raise Failure("no screen was taken")
    return merged(
        Recording(
            tuple(screens),
            tuple(led),
            title=f"{info.model}, as it was",
            clock=clock,
            notes=("", f"Taken of {info.model}, {info.width}x{info.height}."),
        )
    )


def _taken(
    look: Callable[[], TreeScreen], dump: Callable[[], str], picture: Callable[[], bytes]
) -> tuple[list[RecordedScreen], list[RecordedMove], dt.datetime | None]:
    screens: list[RecordedScreen] = []
    led: list[RecordedMove] = []
    clock: dt.datetime | None = None
    while True:
        echo(f"screen {len(screens) + 1}> ", nl=False)
        line = sys.stdin.readline()
        if not line or line.strip().lower() in ("q", "quit"):
            echo("")
            return screens, led, clock
        screen = look()
        clock = clock or screen.now
        app = screen.app
        xml = dump()
        title = next((str(n.text) for n in screen.tree.nodes if n.text and len(n.text) < 30), "screen")
        seen = RecordedScreen(
            title,
            xml,
            package=app[0] if app else "",
            activity=(app[1] or "") if app else "",
            picture=picture(),
        )
        touched, number = line.strip(), len(screens)
        if touched and screens:
            if touched.lower() == "back":
                led.append(RecordedMove(number - 1, number, "back"))
            else:
                nodes = nodes_named(screens[-1].xml, touched)
                if not nodes:
                    echo(f"  nothing on the screen before is called {touched!r}: not taken; try again")
                    continue
                if len(nodes) > 1:
                    echo(
                        f"  {len(nodes)} things on the screen before are called {touched!r}: not taken; say which, "
                        f"from the top: {touched}#1 to {touched}#{len(nodes)}"
                    )
                    continue
                led.append(RecordedMove(number - 1, number, "tap", nodes[0], note=f"tap {touched}"))
        screens.append(seen)
        echo(f"  {len(screen.tree.nodes)} nodes of {app[0] if app else 'an unknown app'}")
