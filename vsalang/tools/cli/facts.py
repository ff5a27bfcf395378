"""``vsac screen facts DUMP...``: shows the facts of a screen as a table or JSON, and which node receives a tap."""

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import click

from vsalang.tools.cli.common import (
    EXIT_FAILED,
    EXIT_FINDINGS,
    EXIT_OK,
    Failure,
    color_option,
    format_option,
)
from vsalang.tools.cli.dumps import complain, load_screen, quoted, styled, table
from vsalang.tools.cli.output import json_text
from vsalang.tools.cli.situations import paint

if TYPE_CHECKING:
    from vsalang.program.screen import Cells
    from vsalang.program.values import Value
    from vsalang.screen.screen import TreeScreen
    from vsalang.tools.ask import Place

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


def _point(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[int, int] | None:
    if value is None:
        return None
    x, comma, y = value.partition(",")
    try:
        if comma:
            return int(x), int(y)
    except ValueError:
        pass
    raise click.BadParameter(f"{value!r} is not a point: two whole numbers are needed, such as 540,1200")


@click.command(name="facts")
@click.argument("dumps", metavar="DUMP...", nargs=-1, required=True)
@click.option("--relation", default="Node", show_default=True, metavar="NAME", help="Which relation to show.")
@click.option("--all", "every", is_flag=True, help="Show all attributes of Node.")
@click.option(
    "--tap",
    "point",
    metavar="X,Y",
    callback=_point,
    help="Show which node takes a touch at this point instead.",
)
@click.option(
    "--app",
    "module",
    metavar="MODULE",
    help="With --tap: what the tap is to this app module or spec: action, goto, writes, verdict.",
)
@format_option("text", "json")
@color_option
@click.pass_context
def command(
    ctx: click.Context,
    *,
    dumps: Sequence[str],
    relation: str,
    every: bool,
    point: tuple[int, int] | None,
    module: str | None,
    format: str,
) -> None:
    """Show the facts of UI dumps and accessibility trees (XML or JSON, plain or .gz; `-` is standard input).

    Empty columns are unknown. On a terminal, long texts are cut to fit; in a pipe they are complete.

    Exit status: 0; 1 if a file is not a UI tree or the point lies off the screen; 2 if one cannot be read, or
    MODULE has errors.
    """
    from vsalang.program.vocabulary import VOCABULARY

    place = None
    if module is not None:
        from vsalang.tools.cli.situations import load_place

        if point is None:
            raise click.UsageError("--app says what a tap is: name one with --tap X,Y")
        place = load_place(module, (), machine=format == "json")
        if place is None:
            ctx.exit(EXIT_FAILED)
    if point is None:
        _check_relation(relation)
    status = EXIT_OK
    results: list[dict[str, Any]] = []
    for number, path in enumerate(dumps):
        screen, failed = load_screen(path)
        status = max(status, failed)
        if screen is None:
            continue
        for note in screen.tree.notes:
            complain("note", f"{screen.tree.name}: {note}")
        try:
            if point is not None:
                found: dict[str, Any] = {"tap": dict(_tap(screen, *point))}
                if lying := _lying(screen, found["tap"]):
                    found["perhaps"] = [dict(cells) for cells in lying]
                if place is not None:
                    meaning = tapped(place, screen, *point)
                    found["meaning"] = meaning.data
            else:
                found = {"relation": relation, "rows": [dict(row) for row in _rows(screen, relation)]}
                if relation == "Node" and screen.tree.lost:
                    found["lost"] = [_without_unknown(dataclasses.asdict(item)) for item in screen.tree.lost]
        except _refusals() as error:
            status = max(status, EXIT_FINDINGS)
            complain("error", _prefixed(str(error), screen.tree.name))
            continue
        if format == "json":
            results.append({"file": screen.tree.name, **found})
            continue
        if len(dumps) > 1:
            click.echo(
                ("\n" if number else "") + styled(f"== {quoted(screen.tree.name)}", bold=True), color=True
            )
        if point is not None:
            click.echo(_tap_lines(screen, found["tap"], found.get("perhaps", ())), color=True)
            if place is not None:
                click.echo("\n".join(["", *meaning.lines]), color=True)
        elif relation == "Node" and not every:
            click.echo(
                table(_READABLE, [_readable(row) for row in found["rows"]], cut=_TEXTS, right=_NUMBERS),
                nl=False,
                color=True,
            )
            if screen.tree.lost:
                rows = [_readable_lost(row) for row in found["lost"]]
                click.echo("\nwithout a visible area:")
                click.echo(table(_LOST, rows, cut=_TEXTS, right=_NUMBERS), nl=False, color=True)
        else:
            names = [attr.name for attr in VOCABULARY[relation].attrs]
            rows = [{name: _shown(value) for name, value in row.items()} for row in found["rows"]]
            click.echo(table(names, rows, cut=_TEXTS, right=_NUMBERS), nl=False, color=True)
    if format == "json":
        click.echo(json_text(results, indent=1, default=_plain))
    ctx.exit(status)


def _check_relation(name: str) -> None:
    """Raise `Failure` unless a dump gives rows of this relation."""
    from vsalang.base.source.suggest import did_you_mean
    from vsalang.program.vocabulary import SINCE
    from vsalang.screen.screen import TreeScreen
    from vsalang.screen.tree import Tree

    screen = TreeScreen(Tree((), (), 0, app=("", None)))  # some sources say which app is in the foreground
    silent = {"Scrolled", "Settled", "Toast", "Notification"}
    known = sorted((screen.relations() | {"Found", "FoundPage"}) - silent)
    if name not in known:
        hint = "it is about two screens: `vsac screen delta`" if name in SINCE else did_you_mean(name, known)
        listed = "a dump has " + ", ".join(known)
        raise Failure(f"a dump says nothing of `{name}`", f"{hint}; {listed}" if hint else listed)


def _rows(screen: "TreeScreen", relation: str) -> "Iterable[Cells]":
    from vsalang.screen.secrets import ON_SCREEN, rows_of_screen

    return rows_of_screen(relation, screen) if relation in ON_SCREEN else screen.rows(relation)


def _refusals() -> tuple[type[Exception], ...]:
    from vsalang.program.screen import Unresolved
    from vsalang.screen.screen import TooManyRows
    from vsalang.screen.secrets import TooManyFound

    return (Unresolved, TooManyRows, TooManyFound)


def _tap(screen: "TreeScreen", x: int, y: int) -> "Cells":
    return screen.target("tap", {"x": x, "y": y})


def _lying(screen: "TreeScreen", cells: "Mapping[str, Value]") -> "list[Cells]":
    """The other nodes that may lie where a tap meets, since their boxes cannot be right."""
    return [other for other in screen.perhaps("tap", cells) if other.get("node") != cells.get("node")]


def _tap_lines(
    screen: "TreeScreen", cells: "Mapping[str, Value]", perhaps: "Sequence[Mapping[str, Value]]" = ()
) -> str:
    """What happens to a touch, as text, and the attributes that `tap` would have in a rule."""
    from vsalang.program.gestures import takes

    point = f"({cells['x']}, {cells['y']})"
    leaf = screen.tree.by_number.get(_int(cells.get("leaf")))
    if takes(cells) or (cells["covered"] and "node" in cells):
        words = [f"node {cells['node']} takes a touch at {point}"]
    else:
        words = [f"nothing is known to take a touch at {point}: no node there is clickable"]
        if "node" in cells:
            words.append(f"the deepest node there counts as its target: node {cells['node']}")
    if leaf is not None and cells.get("node") != leaf.node:
        said = f" {quoted(leaf.label)}" if leaf.label else ""
        words.append(f"drawn last there is node {leaf.node} ({leaf.cls or 'no class'}{said})")
    if cells["covered"]:
        words.append("the tree does not settle who takes it (covered): both ways are judged")
    for other in perhaps:
        said = quoted(str(other["label"])) if "label" in other else "without a label"
        words.append(
            f"node {other['node']} ({other.get('class', 'no class')} {said}) may lie there: its box cannot be right"
        )
    if perhaps:
        words.append("every way is judged")
    lines = ["\n".join(words)]
    width = max(len(name) for name in cells)
    lines += [f"  {styled(f'{name:{width}}', dim=True)}  {_shown(value)}" for name, value in cells.items()]
    return "\n".join(lines)


def _int(value: object) -> int:
    return value if isinstance(value, int) else 0


def _readable(row: "Mapping[str, Value]") -> dict[str, str]:
    """A row of Node with its flags in one column and its bounds in another."""
    cells = {name: _shown(row[name], bare=name in ("class", "id")) for name in _READABLE if name in row}
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


def _readable_lost(row: "Mapping[str, Any]") -> dict[str, str]:
    """An element without a visible area, in columns."""
    cells = {name: str(row[name]) for name in ("place", "parent", "why") if name in row}
    cells["class"] = quoted(row["cls"])[1:-1] if "cls" in row else ""
    cells["id"] = quoted(row["id"])[1:-1] if "id" in row else ""
    cells["text"] = quoted(row["text"]) if "text" in row else ""
    cells["bounds"] = f"{row['left']},{row['top']} {row['right']},{row['bottom']}"
    return cells


def _without_unknown(row: "Mapping[str, Any]") -> dict[str, Any]:
    return {name: value for name, value in row.items() if value is not None}


def _shown(value: "Value", *, bare: bool = False) -> str:
    from vsalang.program.values import show

    if isinstance(value, str):
        return quoted(value)[1:-1] if bare else quoted(value)
    return show(value)


def _prefixed(message: str, name: str) -> str:
    return message if message.startswith(name) else f"{name}: {message}"


def _plain(value: object) -> object:
    """Values that JSON does not have: a date or time in ISO format, a set as a sorted list."""
    if isinstance(value, Iterable):
        return sorted(str(item) for item in value)
    return str(value)


_HOW = {"allow": "met", "block": "unmet"}


@dataclass(frozen=True)
class Tapped:
    """The meaning of a tap, for people and as JSON data."""

    lines: list[str]
    data: dict[str, Any]


def tapped(place: "Place", screen: "TreeScreen", x: int, y: int) -> Tapped:
    """The meaning of a tap: the recognised actions, where it leads, what it writes, and the verdict.

    Raises:
        Failure: the screen cannot be read.
    """
    from vsalang.program.action import Action
    from vsalang.program.text import line
    from vsalang.tools.ask import AskError, Situation
    from vsalang.tools.ask.asking import bring_about
    from vsalang.tools.ask.meaning import meaning_data, meaning_lines, meaning_of
    from vsalang.tools.ask.state import Shown
    from vsalang.tools.cli.common import Failure

    try:
        moment = bring_about(place, Situation((Shown(screen, screen.tree.name),)))
    except AskError as error:
        raise Failure(str(error)) from error
    guard = moment.player.guard
    verdict = guard.propose(Action("tap", {"x": x, "y": y}))
    meaning = meaning_of(moment, verdict)
    shown = " and ".join(sorted(place.program.relations[name].short for name in guard.screens))
    said = [
        ("on", f"screen {shown}" if shown else "no screen of the module"),
        *meaning_lines(moment, meaning),
    ]
    said.append(
        ("verdict", verdict.level + ("" if meaning.specced else " (no spec: nothing is licensed or refused)"))
    )
    width = max(len(word) for word, _ in said)
    lines = [
        f"{paint(f'{word:{width}}', 'dim')}  "
        + (paint(text, _HOW.get(verdict.level, "unknown")) if word == "verdict" else line(text, 2000))
        for word, text in said
    ]
    for reason in verdict.reasons:
        lines.append(f"  {line(reason.message, 2000)}" + (f"  [{reason.rule}]" if reason.rule else ""))
        lines += [f"    {line(text, 2000)}" for text in reason.texts() if text not in reason.message]
    return Tapped(lines, {"screens": sorted(guard.screens), **meaning_data(moment, meaning)})
