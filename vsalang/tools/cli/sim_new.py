"""``vsac phone sim new``: makes the folder of a simulated phone from dumps, recorded walks, or a device."""

import datetime as dt
import shlex
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Final

from vsalang.agents.walks import Walk, WalkError, WalkStep, read_walks
from vsalang.base.options import argument, option
from vsalang.base.records import dataclass
from vsalang.phone import DeviceError
from vsalang.phone.open import open_device
from vsalang.phone.sim import Phone, load
from vsalang.phone.sim.make import UNNAMED, RecordedMove, RecordedScreen, Recording, merged, write_phone
from vsalang.phone.sim.recorded import packages
from vsalang.phone.sim.toml import PhoneSpecError
from vsalang.phone.uiautomator import UiAutomatorDevice
from vsalang.program.screen import UnresolvedTarget
from vsalang.program.text import canonical
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import DumpError, load_dump
from vsalang.screen.tree.source import decode, read_bytes
from vsalang.tools.cli import frame
from vsalang.tools.cli.common import EXIT_OK, Failure, require
from vsalang.tools.cli.output import echo

_DUMPS: Final = (".xml", ".xml.gz", ".uix")
_OPPOSITE: Final = {"up": "down", "down": "up", "left": "right", "right": "left"}
_QUIET: Final = frozenset({"wait", "answer", "finish", "give_up"})


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
        else _from_files([*options.sources, *options.more], options.task, options.package)
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


# ---- dumps and walks -----------------------------------------------------------------------------------------


def _from_files(paths: list[Path], task: int | None, package: str) -> Recording:
    screens: list[RecordedScreen] = []
    led: list[RecordedMove] = []
    clocks: list[dt.datetime] = []
    for path in _spread(paths):
        if path.is_file() and path.name.lower().endswith(_DUMPS):
            screens.append(_dump(path, package))
            continue
        for walk in _walks(path, task):
            steps = [walk.taken(index, package) for index in range(len(walk.steps))]
            clocks += [step.at for step in steps if step.at is not None]
            _add(walk, steps, screens, led)
    notes = ["", f"Made of {', '.join(path.name for path in paths)}."]
    recording = Recording(tuple(screens), tuple(led), clock=min(clocks, default=None), notes=tuple(notes))
    return merged(recording) if led else recording


def _spread(paths: list[Path]) -> Iterator[Path]:
    """The files; for a folder with dumps, the dumps."""
    for path in paths:
        if not path.exists():
            raise Failure(f"{path}: there is no such file")
        inside = sorted(p for p in path.iterdir() if p.name.lower().endswith(_DUMPS)) if path.is_dir() else []
        yield from inside or [path]


def _dump(path: Path, package: str) -> RecordedScreen:
    try:
        text = decode(read_bytes(path), str(path))
        load_dump(text, name=str(path))
    except OSError as error:
        raise Failure(f"{path}: cannot be read ({error.strerror})") from error
    except DumpError as error:
        raise Failure(str(error), "give a dump that `vsac screen facts` can read") from error
    name = path.name.removesuffix(".gz").removesuffix(".uix").removesuffix(".xml")
    named = packages(text, path.name)
    return RecordedScreen(name, text, source=path.name, package="" if any(named) else package)


def _walks(path: Path, task: int | None) -> tuple[Walk, ...]:
    try:
        walks = read_walks(path)
    except WalkError as error:
        raise Failure(str(error), "give dumps (.xml, .xml.gz), a recorded walk or a journal") from error
    if task is None:
        return walks
    if task > len(walks):
        raise Failure(f"{path}: has {len(walks)} walks, not {task}")
    return walks[task - 1 : task]


def _add(walk: Walk, steps: list[WalkStep], screens: list[RecordedScreen], led: list[RecordedMove]) -> None:
    """Add the screens of a walk, and the inputs that led from each to the next."""
    numbers: list[int | None] = []
    for index, step in enumerate(steps, 1):
        if step.screen is None:
            numbers.append(None)
            continue
        app = step.screen.app
        source = f"{walk.task or walk.name}, step {index}" + (f": {step.note}" if step.note else "")
        numbers.append(len(screens))
        screens.append(
            RecordedScreen(
                f"{walk.name or 'screen'}-{index}",
                step.xml,
                source=source,
                package=app[0] if app else "",
                activity=(app[1] or "") if app else "",
            )
        )
    for (step, start), (_, end) in pairwise(zip(steps, numbers, strict=True)):
        if start is not None and end is not None:
            made = _led(step, screens[start].xml, start, end)
            if made is not None:
                led.append(made)


def _led(step: WalkStep, xml: str, start: int, end: int) -> RecordedMove | None:
    """The input that led on from a step: its last action with an effect; None if that is not an input on the screen."""
    actions = [action for action in step.actions if action.name not in _QUIET]
    if not actions:
        return None
    action = actions[-1]
    if action.name == "back":
        return RecordedMove(start, end, "back")
    on = {"tap": "tap", "double_tap": "tap", "long_press": "long_press", "input_text": "text"}.get(
        action.name
    )
    if on is None and action.name not in ("scroll", "swipe"):
        return None
    screen = TreeScreen(load_dump(xml))
    try:
        cells = screen.target(action.name, action.args)
    except UnresolvedTarget:
        cells = {}
    node = cells.get("node") or cells.get("leaf")
    number = node if isinstance(node, int) else None
    note = f"{action.name} {cells.get('label') or ''}".strip()
    if on is not None:
        return RecordedMove(start, end, on, number, note=note) if number is not None else None
    direction = str(action.args.get("direction") or "")
    if action.name == "scroll":
        direction = _OPPOSITE.get(direction, "")
    return RecordedMove(start, end, "swipe", number, direction if direction in _OPPOSITE else "", note)


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
                nodes = _node(screens[-1].xml, touched)
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


def _node(xml: str, name: str) -> tuple[int, ...]:
    """The numbers of the nodes that a touch on `name` may mean; one if it is clear, none if nothing has that name.

    Nodes that take touches come before others. ``NAME#2`` is the second of several.
    """
    screen = TreeScreen(load_dump(xml))
    for text, number in _numbered(name):
        for key in ("text", "desc", "id"):
            nodes = [node for node in screen.tree.nodes if getattr(node, key) == text]
            touched = [node for node in nodes if node.clickable or node.long_clickable] or nodes
            if number:
                touched = touched[number - 1 : number]
            if touched:
                return tuple(node.node for node in touched)
    try:
        cells = screen.target("tap", {"label": name})
    except UnresolvedTarget:
        return ()
    node = cells.get("node") or cells.get("leaf")
    return (node,) if isinstance(node, int) else ()


def _numbered(name: str) -> list[tuple[str, int]]:
    """The possible meanings: the whole name, or the name before ``#NUMBER``."""
    text, _, number = name.rpartition("#")
    more = [(canonical(text), int(number))] if text and number.isdecimal() and number.isascii() else []
    return [(canonical(name), 0), *(pair for pair in more if 0 < pair[1] < 10_000)]
