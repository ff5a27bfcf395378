"""Reads and checks a phone's folder: `phone.toml`, its screens and its scenarios.

The folder is described in `docs/reference/simulator.md`. Everything here is immutable; the state of a running phone
is in `vsalang.phone.sim.phone`.
"""

import datetime as dt
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Any

from vsalang.base.records import dataclass
from vsalang.base.source.toml import Table, hint
from vsalang.phone.sim.rule import SYSTEM_EVENTS, Rule, read_rule
from vsalang.phone.sim.scenario import Knows, Scenario, read_scenario, read_state
from vsalang.phone.sim.toml import PhoneSpecError, read_text, read_toml

__all__ = [
    "SYSTEM_EVENTS",
    "AppSpec",
    "Move",
    "PhoneSpec",
    "PhoneSpecError",
    "Rule",
    "ScreenSpec",
    "load_phone",
]


@dataclass(frozen=True, slots=True)
class Move:
    """Where an input on a recorded screen leads; attributes that are "" or None match every node.

    Attributes:
        on: tap, long_press, swipe or text.
        node: its number in the dump, in document order from 1; None: any.
        goto: the next screen; "": the one that the opened app shows.
        direction: of a swipe, the direction of the finger; "": any.
        open: the package of another app that is opened.
    """

    on: str
    goto: str
    node: int | None = None
    id: str = ""
    text: str = ""
    desc: str = ""
    direction: str = ""
    open: str = ""

    @property
    def anywhere(self) -> bool:
        """Whether it names no node."""
        return self.node is None and not (self.id or self.text or self.desc)


@dataclass(frozen=True, slots=True)
class ScreenSpec:
    """One screen of an app.

    Attributes:
        file: its template, or its dump.
        dialog: it is a separate window over the screen below it in the stack, which takes no touches then.
        package: of a dialog, the package of its window; "" for the app's.
        outside: a touch outside the dialog closes it.
        recorded: `file` is a dump of a real screen.
        moves: where inputs lead, of a recorded screen.
        picture: a screenshot that was taken with the dump.
    """

    name: str
    activity: str
    file: str
    dialog: bool = False
    package: str = ""
    outside: bool = True
    recorded: bool = False
    moves: tuple[Move, ...] = ()
    picture: Path | None = None


@dataclass(frozen=True, slots=True)
class AppSpec:
    """One app: identity, start screen, variables, constants, screens and rules.

    Attributes:
        links: how the addresses begin that lead to it.
    """

    package: str
    label: str
    activity: str
    start: str
    version: str
    icon: str
    color: str
    state: Mapping[str, Any]
    data: Mapping[str, Any]
    screens: Mapping[str, ScreenSpec]
    rules: tuple[Rule, ...]
    links: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PhoneSpec:
    """One phone: hardware, clock, theme, apps, scenarios.

    Attributes:
        step: how far the clock moves at each input.
        seed: of the random numbers of templates and scenarios.
        home: the package of the app that is the home screen; "" for the system's launcher.
        files: templates and dumps by file name; templates of the system unless the folder has its own.
        theme: colour name -> ``#rrggbb``, for templates and the painter.
        scenarios: by name: those in phone.toml, and the files in the folder ``scenarios``.
        folder: where it was read from, for messages.
        root: whether its shell may list every folder; without root, those of other apps are denied.
        changing: files that change by themselves: each gets longer whenever files are listed.
    """

    name: str
    title: str
    model: str
    serial: str
    width: int
    height: int
    density: int
    clock: dt.datetime
    step: dt.timedelta
    zone: str
    seed: int
    home: str
    theme: Mapping[str, str]
    apps: tuple[AppSpec, ...] = field(repr=False)
    files: Mapping[str, str] = field(repr=False)
    scenarios: Mapping[str, Scenario] = field(repr=False)
    folder: Path
    root: bool = False
    changing: tuple[str, ...] = ()

    def scenario(self, name: str) -> Scenario:
        """A scenario by its name, or by the path of its file (which ends with ``.toml``); "" is the empty one.

        Raises:
            PhoneSpecError: there is none, or it is wrong.
        """
        if not name:
            return Scenario()
        if name in self.scenarios:
            return self.scenarios[name]
        if name.endswith(".toml"):
            file = Path(name)
            return read_scenario(file, self.knows, _templates(file.parent))
        known = ", ".join(sorted(self.scenarios)) or "none"
        raise PhoneSpecError(
            f"{self.folder}: no scenario is called {name!r}; there are: {known}. The path of a scenario's file ends "
            f"with .toml{hint(name, self.scenarios)}"
        )

    @property
    def knows(self) -> Knows:
        """The names that scenarios may use."""
        return _knows(self.apps, self.files)


def _knows(apps: tuple[AppSpec, ...], files: Mapping[str, str]) -> Knows:
    return Knows(
        {app.package: frozenset(app.state) for app in apps},
        {app.package: frozenset(app.screens) for app in apps},
        frozenset(files),
    )


def _templates(folder: Path) -> dict[str, str]:
    return {path.name: read_text(path) for path in sorted(folder.glob("*.xml"))}


def load_phone(folder: Path, system: Path) -> PhoneSpec:
    """Read the phone in `folder`; launcher, keyboard and dialogs come from `system` unless the folder has its own.

    Raises:
        PhoneSpecError: a file is missing or wrong.
    """
    top = read_toml(folder / "phone.toml")
    phone = top.table("phone", needed=True)
    name = phone.take("name", str, folder.name)
    files = _templates(system) | _templates(folder)
    tables = top.tables("app")
    apps = tuple(_app(files, folder, table) for table in tables)
    if not apps:
        raise top.fail("at least one [[app]] is needed")
    clock = phone.take("clock", dt.datetime)
    if clock.tzinfo is not None:
        raise phone.fail("'clock' is the device's local time: leave the offset out", "clock")
    knows = _knows(apps, files)
    scenarios = _scenarios(folder, top, knows)
    spec = PhoneSpec(
        name=name,
        title=phone.take("title", str, name),
        model=phone.take("model", str, "Simulated phone"),
        serial=phone.take("serial", str, f"sim-{name}"),
        width=phone.positive("width", 720, 4096),
        height=phone.positive("height", 1520, 4096),
        density=phone.positive("density", 320, 960),
        clock=clock,
        step=dt.timedelta(seconds=phone.positive("step", 2, 86400)),
        zone=phone.take("zone", str, "UTC"),
        seed=phone.take("seed", int, 0),
        home=phone.take("home", str, ""),
        theme=top.strings("theme"),
        apps=apps,
        files=files,
        scenarios=scenarios,
        folder=folder,
        root=phone.take("root", bool, False),
        changing=tuple(phone.take("changing", list, [])),
    )
    if not all(str(path).startswith("/") for path in spec.changing):
        raise phone.fail("'changing' holds absolute paths of files", "changing")
    phone.end()
    top.end()
    packages = [app.package for app in apps]
    if not spec.serial or not spec.serial.isascii() or any(c in spec.serial for c in " \t\n:;"):
        raise phone.fail("'serial' must be ASCII without blanks, colons and semicolons", "serial")
    if spec.home and spec.home not in packages:
        raise phone.fail(f"'home' must be the package of an app: {', '.join(packages)}", "home")
    for index, app in enumerate(apps):
        if app.package in packages[:index]:
            raise tables[index].fail(f"the package {app.package!r} is that of another app", "package")
        opened = [(rule.open, rule.goto) for rule in app.rules] + [
            (move.open, move.goto) for screen in app.screens.values() for move in screen.moves
        ]
        for package, goto in opened:
            if not package:
                continue
            if package not in packages:
                known = ", ".join(packages)
                raise tables[index].fail(f"'open' names the package {package!r}: there are {known}")
            if goto and goto not in apps[packages.index(package)].screens:
                raise tables[index].fail(f"'goto' names {goto!r}, which is not a screen of {package}")
    return spec


def _scenarios(folder: Path, top: Table, knows: Knows) -> dict[str, Scenario]:
    """The scenarios inside phone.toml, which give only first values, and those with a file."""
    scenarios: dict[str, Scenario] = {}
    inner = top.table("scenario")
    for name in list(inner.left):
        scenarios[name] = Scenario(name=name, title=name, state=read_state(inner.table(name), knows))
    for file in sorted((folder / "scenarios").glob("*.toml")):
        if file.stem in scenarios:
            raise PhoneSpecError(f"{file}: phone.toml has a scenario {file.stem!r} too: rename one")
        scenarios[file.stem] = read_scenario(file, knows, _templates(file.parent))
    return scenarios


def _app(files: dict[str, str], folder: Path, table: Table) -> AppSpec:
    """An app; the dumps that its screens name are added to `files`."""
    activity = table.take("activity", str, ".MainActivity")
    rows = table.tables("screen")
    if not rows:
        raise table.fail("at least one [[app.screen]] is needed")
    screens: dict[str, ScreenSpec] = {}
    moves: list[tuple[Table, Move]] = []
    for row in rows:
        screen = _screen(files, folder, row, activity, moves)
        if screen.name in screens:
            raise row.fail(f"there is another screen {screen.name!r}", "name")
        screens[screen.name] = screen
    for row, move in moves:
        if move.goto and not move.open and move.goto not in screens:
            raise row.fail(
                f"there is no screen {move.goto!r}; there are {', '.join(sorted(screens))}", "goto"
            )
    state = table.take("state", dict, {})
    rules = tuple(read_rule(row, screens, state) for row in table.tables("on"))
    start = table.take("start", str)
    if start not in screens or screens[start].dialog:
        raise table.fail(f"'start' names the screen {start!r}, which is not there or is a dialog", "start")
    app = AppSpec(
        package=table.take("package", str),
        label=table.take("label", str),
        activity=activity,
        start=start,
        version=table.take("version", str, "1.0"),
        icon=table.take("icon", str, "app"),
        color=table.take("color", str, "#455a64"),
        state=state,
        data=table.take("data", dict, {}),
        screens=screens,
        rules=rules,
        links=tuple(str(each) for each in table.take("links", list, [])),
    )
    table.end()
    return app


def _screen(
    files: dict[str, str], folder: Path, row: Table, activity: str, moves: list[tuple[Table, Move]]
) -> ScreenSpec:
    name = row.take("name", str)
    activity = row.take("activity", str, activity)
    if row.has("dump"):
        relative, picture = row.take("dump", str), row.take("picture", str, "")
        for key, name_of_file in (("dump", relative), ("picture", picture)):
            if Path(name_of_file).is_absolute() or ".." in Path(name_of_file).parts:
                raise row.fail(f"{key!r} must be a file inside the folder", key)
        files[relative] = _dump(folder / relative)
        if picture and not (folder / picture).is_file():
            raise row.fail(
                f"the picture {picture!r} is not in the folder: take it, or leave the key out", "picture"
            )
        own = []
        for inner in row.tables("on"):
            move = _move(inner)
            own.append(move)
            moves.append((inner, move))
        screen = ScreenSpec(
            name,
            activity,
            relative,
            recorded=True,
            moves=tuple(own),
            picture=folder / picture if picture else None,
        )
    else:
        template = row.take("template", str, f"{name}.xml")
        if template not in files:
            raise row.fail(
                f"the template {template!r} is not in the folder; there are {', '.join(sorted(files))}",
                "template",
            )
        package = row.take("package", str, "")
        screen = ScreenSpec(
            name,
            activity,
            template,
            dialog=row.take("dialog", bool, False),
            package=package,
            outside=row.take("outside", bool, not package),
        )
        if package and not screen.dialog:
            raise row.fail("only a dialog may have a package of its own: add dialog = true", "package")
    row.end()
    return screen


def _move(row: Table) -> Move:
    move = Move(
        on=row.one_of("on", ("tap", "long_press", "text", "swipe"), "tap"),
        goto=row.take("goto", str, ""),
        node=row.take("node", int) if row.has("node") else None,
        id=row.take("id", str, ""),
        text=row.take("text", str, ""),
        desc=row.take("desc", str, ""),
        direction=row.one_of("direction", ("up", "down", "left", "right"), ""),
        open=row.take("open", str, ""),
    )
    if move.anywhere and move.on != "swipe":
        raise row.fail("says no node: give node = NUMBER, id, text or desc")
    if move.direction and move.on != "swipe":
        raise row.fail('only a swipe has a direction: add on = "swipe"', "direction")
    if not move.goto and not move.open:
        raise row.fail('says nothing of where it leads: give goto = "SCREEN", or open = "PACKAGE"')
    row.end()
    return move


def _dump(path: Path) -> str:
    """The text of a dump of a real screen, in its own encoding."""
    from vsalang.screen.tree.node import DumpError
    from vsalang.screen.tree.source import decode, read_bytes

    try:
        return decode(read_bytes(path), str(path))
    except OSError as error:
        raise PhoneSpecError(f"{path}: cannot be read ({error.strerror})") from error
    except DumpError as error:
        raise PhoneSpecError(str(error)) from error
