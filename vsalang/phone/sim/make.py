"""Writes a phone's folder from recorded screens of a real phone and the inputs between them."""

import datetime as dt
import re
from collections.abc import Iterable, Sequence
from dataclasses import field, replace
from pathlib import Path

from vsalang.base.records import dataclass
from vsalang.phone.sim.recorded import extent, packages
from vsalang.phone.sim.toml import PhoneSpecError

UNNAMED = "org.example.recorded"
"""The package of screens without one."""
_PACKAGE = re.compile(r"[A-Za-z]\w*(\.\w+)+", re.ASCII)


@dataclass(frozen=True, slots=True)
class RecordedScreen:
    """A recorded screen.

    Attributes:
        name: a proposed name; it is made unique and valid.
        xml: its dump.
        source: its origin, for the reader of the folder.
        activity: in front, "" if unknown.
        package: in front, "" for the package of most nodes.
        picture: a screenshot of it, as PNG.
    """

    name: str
    xml: str
    source: str = ""
    activity: str = ""
    package: str = ""
    picture: bytes | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class RecordedMove:
    """An input on the screen with index `start` that led to the screen with index `end`.

    Attributes:
        on: tap, long_press, text, swipe or back.
        node: number of the node in the dump of `start`, from 1; None for back, or a swipe anywhere.
        direction: of a swipe, where the finger moved to.
        note: for the reader.
    """

    start: int
    end: int
    on: str
    node: int | None = None
    direction: str = ""
    note: str = ""

    @property
    def key(self) -> tuple[str, int | None, str]:
        return (self.on, self.node, self.direction)


@dataclass(frozen=True, slots=True)
class Recording:
    """The recorded screens and steps; `notes` are written at the top of phone.toml."""

    screens: tuple[RecordedScreen, ...]
    led: tuple[RecordedMove, ...] = ()
    title: str = "A phone made of recorded screens"
    clock: dt.datetime | None = None
    notes: tuple[str, ...] = ()


def merged(recording: Recording) -> Recording:
    """The recording with equal screens merged, unless the same input leads from them to different screens."""
    kept: list[RecordedScreen] = []
    index: dict[int, int] = {}
    out: dict[int, dict[tuple[str, int | None, str], int]] = {}
    leads = {led.start: led for led in recording.led}  # the last one of a screen
    # Backwards, so that the screens that a screen leads to are known.
    for number in range(len(recording.screens) - 1, -1, -1):
        seen, led = recording.screens[number], leads.get(number)
        goal = index.get(led.end) if led is not None else None
        for place, other in enumerate(kept):
            same = (other.xml, other.package, other.activity) == (seen.xml, seen.package, seen.activity)
            if same and (led is None or out[place].get(led.key, goal) == goal):
                break
        else:
            place = len(kept)
            kept.append(seen)
        index[number] = place
        out.setdefault(place, {})
        if led is not None and goal is not None:
            out[place][led.key] = goal
    order = sorted(range(len(kept)), key=lambda place: min(n for n, p in index.items() if p == place))
    new = {place: position for position, place in enumerate(order)}
    moves: dict[tuple[int, tuple[str, int | None, str]], RecordedMove] = {}
    for led in recording.led:
        moved = replace(led, start=new[index[led.start]], end=new[index[led.end]])
        moves.setdefault((moved.start, moved.key), moved)
    first = [min(n for n, p in index.items() if p == place) for place in order]
    return replace(recording, screens=tuple(recording.screens[n] for n in first), led=tuple(moves.values()))


def write_phone(folder: Path, recording: Recording) -> list[Path]:
    """Write the folder of a phone: `phone.toml`, and a dump (and picture) for each screen.

    Args:
        folder: is created; it must not exist, or be empty.

    Returns:
        The files, `phone.toml` first.

    Raises:
        PhoneSpecError: nothing was recorded, a dump is invalid, the folder is not empty or cannot be written.
    """
    if not recording.screens:
        raise PhoneSpecError("there is no screen to make a phone of")
    names = _names([seen.name for seen in recording.screens])
    files: dict[str, bytes] = {}
    for name, seen in zip(names, recording.screens, strict=True):
        files[f"screens/{name}.xml"] = seen.xml.encode()
        if seen.picture is not None:
            files[f"screens/{name}.png"] = seen.picture
    toml = _toml(folder.name, recording, names)
    try:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise PhoneSpecError(f"{folder}: holds something already: give the name of a new folder")
        (folder / "screens").mkdir(parents=True)
        written = []
        for name, content in {"phone.toml": toml.encode(), **files}.items():
            (folder / name).write_bytes(content)
            written.append(folder / name)
    except OSError as error:
        raise PhoneSpecError(f"{folder}: cannot be written ({error.strerror})") from error
    return written


def _names(wanted: Sequence[str]) -> list[str]:
    """Names for screens and files: letters, digits and dashes, each once."""
    names: list[str] = []
    for text in wanted:
        base = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:40] or "screen"
        name, number = base, 2
        while name in names:
            name, number = f"{base}-{number}", number + 1
        names.append(name)
    return names


def quoted(text: str) -> str:
    """A TOML string."""
    escaped = "".join(
        f"\\{c}" if c in '"\\' else f"\\u{ord(c):04x}" if ord(c) < 32 or ord(c) == 127 else c for c in text
    )
    return f'"{escaped}"'


def _comment(text: str) -> str:
    return "# " + " ".join(re.sub(r"[\x00-\x1f\x7f]", " ", text).split())


def _owner(seen: RecordedScreen) -> str:
    counts = packages(seen.xml, seen.name)
    package = seen.package or max(counts, key=lambda name: counts[name], default="")
    return package if _PACKAGE.fullmatch(package) else UNNAMED


def _toml(folder: str, recording: Recording, names: list[str]) -> str:
    owners = [_owner(seen) for seen in recording.screens]
    sizes = [extent(seen.xml, seen.name) for seen in recording.screens]
    width, height = (min(4096, max(1, max(size[axis] for size in sizes))) for axis in (0, 1))
    clock = recording.clock or dt.datetime(2026, 1, 1, 12, 0)
    name = re.sub(r"[^A-Za-z0-9_.-]+", "-", folder) or "recorded"
    lines = [
        "# A phone made of recorded screens. A tap that no table below names does nothing, and is logged.",
        "# To say where one leads, write below its screen:",
        "#",
        "#     [[app.screen.on]]",
        '#     on = "tap"              # or long_press, text, swipe',
        '#     text = "Settings"       # or id, desc, node: the number that `vsac screen facts screens/NAME.xml` shows',
        '#     goto = "settings"       # the name of a screen; of another app: open = "its package" too',
        *(_comment(note).rstrip() for note in recording.notes),
        "",
        "[phone]",
        f"name = {quoted(name)}",
        f"title = {quoted(recording.title)}",
        f"serial = {quoted(f'sim-{name}')}",
        f"width = {width}",
        f"height = {height}",
        f"density = {_density(width)}",
        f"clock = {clock.replace(microsecond=0).isoformat()}",
    ]
    for package in dict.fromkeys(owners):
        own = [index for index, owner in enumerate(owners) if owner == package]
        lines += [
            "",
            "[[app]]",
            f"package = {quoted(package)}",
            f"label = {quoted(package.rpartition('.')[2].title())}",
            f"start = {quoted(names[own[0]])}",
        ]
        for index in own:
            lines += _screen(recording, index, names, owners)
        for led in recording.led:
            if led.on == "back" and led.start in own:
                lines += ["", "  [[app.on]]", '  event = "back"', f"  screen = {quoted(names[led.start])}"]
                lines += _goal(led, names, owners, "  ")
    return "\n".join(lines) + "\n"


def _density(width: int) -> int:
    """Dots per inch with which the screen is about 360 dp wide."""
    return min(960, max(1, round(width / 360 * 160)))


def _screen(recording: Recording, index: int, names: list[str], owners: list[str]) -> Iterable[str]:
    seen, name = recording.screens[index], names[index]
    yield ""
    if seen.source:
        yield "  " + _comment(seen.source)
    yield "  [[app.screen]]"
    yield f"  name = {quoted(name)}"
    yield f"  dump = {quoted(f'screens/{name}.xml')}"
    if seen.picture is not None:
        yield f"  picture = {quoted(f'screens/{name}.png')}"
    if seen.activity:
        yield f"  activity = {quoted(seen.activity)}"
    for led in recording.led:
        if led.start != index or led.on == "back" or led.end == index:
            continue
        yield ""
        if led.note:
            yield "    " + _comment(led.note)
        yield "    [[app.screen.on]]"
        if led.on != "tap":
            yield f"    on = {quoted(led.on)}"
        if led.node is not None:
            yield f"    node = {led.node}"
        if led.direction:
            yield f"    direction = {quoted(led.direction)}"
        yield from _goal(led, names, owners, "    ")


def _goal(led: RecordedMove, names: list[str], owners: list[str], indent: str) -> Iterable[str]:
    if owners[led.end] != owners[led.start]:
        yield f"{indent}open = {quoted(owners[led.end])}"
    yield f"{indent}goto = {quoted(names[led.end])}"
