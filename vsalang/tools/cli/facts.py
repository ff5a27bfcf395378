"""``vsac screen facts DUMP...``: shows the facts of a screen as a table or JSON, and which node receives a tap."""

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

from vsalang.base.options import argument, flag, option
from vsalang.base.records import dataclass
from vsalang.base.report import Report, Style
from vsalang.base.source.suggest import did_you_mean
from vsalang.program.action import Action
from vsalang.program.gestures import takes
from vsalang.program.screen import Cells, UnresolvedTarget
from vsalang.program.text import line
from vsalang.program.values import Value, show
from vsalang.program.vocabulary import SINCE, VOCABULARY
from vsalang.screen.quoting import quoted
from vsalang.screen.screen import TooManyRows, TreeScreen
from vsalang.screen.secrets import ON_SCREEN, TooManyFound, rows_of_screen
from vsalang.screen.tree import Tree
from vsalang.tools.ask import AskError, Place, Situation
from vsalang.tools.ask.asking import bring_about
from vsalang.tools.ask.meaning import meaning_data, meaning_lines, meaning_of
from vsalang.tools.ask.state import ObservedScreen
from vsalang.tools.cli import frame
from vsalang.tools.cli.common import (
    Failure,
)
from vsalang.tools.cli.dumps import Part, each_dump, styled, table
from vsalang.tools.cli.situations import load_place, paint

_TEXTS: Final = frozenset({"id", "resource_id", "class", "package", "text", "desc", "hint", "label", "title"})
_NUMBERS: Final = frozenset(
    {"node", "parent", "index", "window", "length", "left", "top", "right", "bottom", "of", "nth", "next"}
    | {"control", "list", "place"}
)
_LOST: Final = ("place", "parent", "class", "id", "text", "why", "bounds")
_READABLE: Final = ("node", "parent", "class", "id", "text", "desc", "label", "flags", "bounds")
_FLAGS: Final = {
    "clickable": "click",
    "long_clickable": "long",
    "editable": "edit",
    "scrollable": "scroll",
    "focused": "focus",
    "selected": "selected",
    "password": "password",
}


def _point(text: str) -> tuple[int, int]:
    x, comma, y = text.partition(",")
    try:
        if comma:
            return int(x), int(y)
    except ValueError:
        pass
    raise ValueError(f"{text!r} is not a point: two whole numbers are needed, such as 540,1200")


@dataclass(frozen=True, slots=True)
class FactsOptions:
    """Which facts of which screens are shown."""

    dumps: tuple[str, ...] = argument("DUMP")
    relation: str = option("--relation", default="Node", metavar="NAME", help="Which relation to show.")
    every: bool = flag("--all", help="Show all attributes of Node.")
    point: tuple[int, int] | None = option(
        "--tap",
        metavar="X,Y",
        read=_point,
        help="Show which node takes a touch at this point instead.",
    )
    module: str | None = option(
        "--app",
        metavar="MODULE",
        help="With --tap: what the tap is to this app module or spec: action, goto, writes, verdict.",
        needs="--tap",
    )


@frame.as_command("text", "json")
def command(options: FactsOptions) -> Report:
    """Show the facts of UI dumps and accessibility trees (XML or JSON, plain or .gz; `-` is standard input).

    Empty columns are unknown. On a terminal, long texts are cut to fit; in a pipe they are complete.

    Exit status: 0; 1 if a file is not a UI tree or the point lies off the screen; 2 if one cannot be read, or
    MODULE has errors.
    """
    place = load_place(options.module, ()) if options.module is not None else None
    if options.point is not None:
        part = partial(_touch, place, *options.point)
    else:
        _check_relation(options.relation)
        part = partial(_facts, options.relation, options.every)
    return each_dump(options.dumps, part, (UnresolvedTarget, TooManyRows, TooManyFound))


def _touch(place: Place | None, x: int, y: int, screen: TreeScreen) -> Part:
    """Which node takes a touch, and the meaning of that."""
    tap = _tap(screen, x, y)
    lying = _lying(screen, tap)
    meaning = tapped(place, screen, x, y) if place is not None else None
    data: dict[str, Any] = {"tap": _plain_row(tap)}
    if lying:
        data["perhaps"] = [_plain_row(cells) for cells in lying]
    if meaning is not None:
        data["meaning"] = meaning.data

    def text(style: Style) -> Iterator[str]:
        yield _tap_lines(screen, tap, lying)
        if meaning is not None:
            yield ""
            yield from meaning.lines

    return Part(data, text)


def _facts(relation: str, every: bool, screen: TreeScreen) -> Part:
    """The rows of a relation."""
    rows = list(_rows(screen, relation))
    lost = [_without_unknown(dataclasses.asdict(item)) for item in screen.tree.lost]
    data: dict[str, Any] = {"relation": relation, "rows": [_plain_row(row) for row in rows]}
    if relation == "Node" and lost:
        data["lost"] = lost

    def text(style: Style) -> Iterator[str]:
        if relation == "Node" and not every:
            names: Sequence[str] = _READABLE
            text_rows = [_readable(row) for row in rows]
        else:
            names = [attr.name for attr in VOCABULARY[relation].attrs]
            text_rows = [{name: _value_text(value) for name, value in row.items()} for row in rows]
        yield table(names, text_rows, cut=_TEXTS, right=_NUMBERS).rstrip("\n")
        if lost and names is _READABLE:
            yield "\nwithout a visible area:"
            yield table(_LOST, [_readable_lost(row) for row in lost], cut=_TEXTS, right=_NUMBERS).rstrip("\n")

    return Part(data, text)


def _check_relation(name: str) -> None:
    """Raise `Failure` unless a dump gives rows of this relation."""
    screen = TreeScreen(Tree((), (), 0, app=("", None)))  # some sources say which app is in the foreground
    silent = {"Scrolled", "Settled", "Toast", "Notification"}
    known = sorted((screen.relations() | {"Found", "FoundPage"}) - silent)
    if name not in known:
        hint = "it is about two screens: `vsac screen delta`" if name in SINCE else did_you_mean(name, known)
        listed = "a dump has " + ", ".join(known)
        raise Failure(f"a dump says nothing of `{name}`", f"{hint}; {listed}" if hint else listed)


def _rows(screen: TreeScreen, relation: str) -> Iterable[Cells]:
    return rows_of_screen(relation, screen) if relation in ON_SCREEN else screen.rows(relation)


def _tap(screen: TreeScreen, x: int, y: int) -> Cells:
    return screen.target("tap", {"x": x, "y": y})


def _lying(screen: TreeScreen, cells: Mapping[str, Value]) -> list[Cells]:
    """The other nodes that may lie where a tap meets, since their boxes cannot be right."""
    return [other for other in screen.perhaps("tap", cells) if other.get("node") != cells.get("node")]


def _tap_lines(
    screen: TreeScreen, cells: Mapping[str, Value], perhaps: Sequence[Mapping[str, Value]] = ()
) -> str:
    """What happens to a touch, as text, and the attributes that `tap` would have in a rule."""
    point = f"({cells['x']}, {cells['y']})"
    leaf = screen.tree.by_number.get(_int(cells.get("leaf")))
    if takes(cells) or (cells["covered"] and "node" in cells):
        words = [f"node {cells['node']} takes a touch at {point}"]
    else:
        words = [f"nothing is known to take a touch at {point}: no node there is clickable"]
        if "node" in cells:
            words.append(f"the deepest node there counts as its target: node {cells['node']}")
    if leaf is not None and cells.get("node") != leaf.node:
        label = f" {quoted(leaf.label)}" if leaf.label else ""
        words.append(f"drawn last there is node {leaf.node} ({leaf.cls or 'no class'}{label})")
    if cells["covered"]:
        words.append("the tree does not settle who takes it (covered): both ways are judged")
    for other in perhaps:
        label = quoted(str(other["label"])) if "label" in other else "without a label"
        words.append(
            f"node {other['node']} ({other.get('class', 'no class')} {label}) may lie there: its box cannot be right"
        )
    if perhaps:
        words.append("every way is judged")
    lines = ["\n".join(words)]
    width = max(len(name) for name in cells)
    lines += [
        f"  {styled(f'{name:{width}}', dim=True)}  {_value_text(value)}" for name, value in cells.items()
    ]
    return "\n".join(lines)


def _int(value: object) -> int:
    return value if isinstance(value, int) else 0


def _readable(row: Mapping[str, Value]) -> dict[str, str]:
    """A row of Node with its flags in one column and its bounds in another."""
    cells = {name: _value_text(row[name], bare=name in ("class", "id")) for name in _READABLE if name in row}
    if "label" in cells and row["label"] in (row.get("text"), row.get("desc")):
        cells["label"] = "="
    flags = [word for name, word in _FLAGS.items() if row.get(name) is True]
    if row.get("checkable") is True or row.get("checked") is True:
        flags.append("checked" if row.get("checked") is True else "unchecked")
    if row.get("enabled") is False:
        flags.append("disabled")
    cells["flags"] = " ".join(flags)
    cells["bounds"] = f"{row['left']},{row['top']} {row['right']},{row['bottom']}"
    return cells


def _readable_lost(row: Mapping[str, Any]) -> dict[str, str]:
    """An element without a visible area, in columns."""
    cells = {name: str(row[name]) for name in ("place", "parent", "why") if name in row}
    cells["class"] = quoted(row["cls"])[1:-1] if "cls" in row else ""
    cells["id"] = quoted(row["id"])[1:-1] if "id" in row else ""
    cells["text"] = quoted(row["text"]) if "text" in row else ""
    cells["bounds"] = f"{row['left']},{row['top']} {row['right']},{row['bottom']}"
    return cells


def _without_unknown(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if value is not None}


def _value_text(value: Value, *, bare: bool = False) -> str:
    if isinstance(value, str):
        return quoted(value)[1:-1] if bare else quoted(value)
    return show(value)


def _plain_row(row: Mapping[str, Value]) -> dict[str, Any]:
    return {name: _plain(value) for name, value in row.items()}


def _plain(value: Value) -> object:
    """Values that JSON does not have: a date or time in ISO format, a set as a sorted list."""
    if isinstance(value, str | int | float | bool):
        return value
    if isinstance(value, Iterable):
        return sorted(str(item) for item in value)
    return str(value)


_HOW = {"allow": "met", "block": "unmet"}


@dataclass(frozen=True, slots=True)
class TapMeaning:
    """The meaning of a tap, for people and as JSON data."""

    lines: list[str]
    data: dict[str, Any]


def tapped(place: Place, screen: TreeScreen, x: int, y: int) -> TapMeaning:
    """The meaning of a tap: the recognised actions, where it leads, what it writes, and the verdict.

    Raises:
        Failure: the screen cannot be read.
    """
    try:
        moment = bring_about(place, Situation((ObservedScreen(screen, screen.tree.name),)))
    except AskError as error:
        raise Failure(str(error)) from error
    guard = moment.player.guard
    verdict = guard.propose(Action("tap", {"x": x, "y": y}))
    meaning = meaning_of(moment, verdict)
    names = " and ".join(sorted(place.program.relations[name].short for name in guard.screens))
    labelled_lines = [
        ("on", f"screen {names}" if names else "no screen of the module"),
        *meaning_lines(moment, meaning),
    ]
    labelled_lines.append(
        ("verdict", verdict.level + ("" if meaning.specced else " (no spec: nothing is licensed or refused)"))
    )
    width = max(len(word) for word, _ in labelled_lines)
    lines = [
        f"{paint(f'{word:{width}}', 'dim')}  "
        + (paint(text, _HOW.get(verdict.level, "unknown")) if word == "verdict" else line(text, 2000))
        for word, text in labelled_lines
    ]
    for reason in verdict.reasons:
        lines.append(f"  {line(reason.message, 2000)}" + (f"  [{reason.rule}]" if reason.rule else ""))
        lines += [f"    {line(text, 2000)}" for text in reason.texts() if text not in reason.message]
    return TapMeaning(lines, {"screens": sorted(guard.screens), **meaning_data(moment, meaning)})
