"""``vsac screen read MODULE DUMP...``: shows what an app module reads from captured screens, and compares it."""

import datetime as dt
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, TypeAlias

import click

from vsalang.base.diagnostics.display import count, some
from vsalang.base.options import argument, flag, option
from vsalang.base.records import dataclass
from vsalang.base.report import Report, Result, Style
from vsalang.program.ir import Attr
from vsalang.program.show import quoted
from vsalang.program.text import line
from vsalang.screen.tree import DumpError, Tree, load_tree
from vsalang.screen.tree.package import packages, with_package
from vsalang.screen.tree.source import read_bytes
from vsalang.tools.ask import AskError, Place, Situation
from vsalang.tools.ask.expectations import differences, read_expectations, to_text
from vsalang.tools.ask.reading import Reading, read_screens, shown_at
from vsalang.tools.ask.recognition import Recognition, recognitions
from vsalang.tools.ask.recognition_text import (
    recognition_data,
    recognition_lines,
    unrecognised_data,
    unrecognised_lines,
)
from vsalang.tools.ask.render import table, writers_data, writers_lines
from vsalang.tools.ask.writers import Writers, writers_of
from vsalang.tools.cli import frame
from vsalang.tools.cli.common import EXIT_FINDINGS, EXIT_OK, Failure
from vsalang.tools.cli.output import echo, refuse_to_lose
from vsalang.tools.cli.situations import load_place, paint

Why: TypeAlias = Recognition | Writers
"""The answer to one --why about one dump."""


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """Which dumps are read, by which module, or what is compared."""

    module: str | None = argument("MODULE", required=False, needs="DUMP")
    dumps: tuple[str, ...] = argument("DUMP", default=())
    scrolled: Literal["down", "up"] | None = option(
        "--scrolled",
        help="The DUMPs are one session: between two of them the list was scrolled to show what is below (above).",
    )
    asked: tuple[str, ...] = option(
        "--why",
        default=(),
        metavar="SCREEN|REL[.ATTR]",
        help="Of a screen: say why it was, or was not, recognised. Of a state, view or list: say which rules wrote the "
        "cells, from which nodes, and why the others did not. Repeatable.",
    )
    app: str | None = option(
        "--app",
        metavar="PACKAGE",
        help="The app of the nodes of which the DUMPs do not say it, as in com.example.shop.",
    )
    clock: dt.datetime | None = option(
        "--clock",
        help="The device's date and time; a date without a year on the screen is read by it.",
        default_text="2026-01-05 09:00",
    )
    expect: str | None = option("--expect", metavar="FILE", help="Write what is read into FILE, for --check.")
    check: str | None = option(
        "--check",
        metavar="FILE",
        help="Read again what FILE names, and compare.",
        excludes=dict.fromkeys(("MODULE", "--expect", "--why", "--app", "--clock"), "FILE says it"),
    )
    update: bool = flag("--update", help="With --check: write FILE again as it is read now.", needs="--check")


@frame.as_command("text", "json", one_of=("MODULE", "--check"))
def command(options: ReadOptions) -> Report:
    """Show what the app module MODULE reads from UI dumps and accessibility trees: the screen, the rows of its states,
    views and lists in order, what is complete, and cells for which two values were seen.

    Where no screen is recognised, the rule that comes nearest is shown, with what it lacks and what was seen instead.

    MODULE is a file or the name of a shipped module (apps.settings); a spec reads what its apps read. DUMP is XML or
    JSON, plain or .gz. Each DUMP is read alone, unless --scrolled says that they are one session.

    `vsac screen read MODULE DUMP.. --expect FILE` writes expectations; `vsac screen read --check FILE` compares, in CI.

    Exit status: 0 it was read, and as expected; 1 something differs from FILE, or a DUMP is not a UI tree;
    2 it could not be read, or MODULE has errors.
    """
    try:
        if options.check is not None:
            return _check(options.check, options.update)
        return _reading(options)
    except AskError as error:
        raise Failure(str(error)) from error


def _reading(options: ReadOptions) -> Report:
    """What the module reads, written as expectations if a file is named for them."""
    assert options.module is not None
    place = load_place(options.module, ())
    app, clock, expect = options.app or "", options.clock, options.expect
    scrolled = options.scrolled or ""
    trees = _trees(options.dumps, bool(scrolled), app)
    readings = read_screens(place, trees, scrolled=scrolled, clock=clock, explain=True)
    whys = [[_why(place, tree, clock, name) for name in options.asked] for tree in trees]
    if expect is not None:
        refuse_to_lose(expect, options.dumps)
        if Path(expect).exists():
            raise Failure(
                f"{expect} is there already",
                f"vsac screen read --check {expect} --update writes it again",
            )
        read = [reading.data() for reading in readings]
        _write(expect, to_text(options.module, scrolled, read, Path(expect), app=app, clock=clock))
    return Readings(place, readings, whys, expect)


@dataclass(frozen=True, slots=True)
class Readings(Report):
    """What a module reads from dumps.

    Attributes:
        place: the module.
        readings: what it reads from each dump.
        whys: the answers to each --why, by dump.
        written: the file of expectations; None: none was written.
    """

    place: Place
    readings: Sequence[Reading]
    whys: Sequence[Sequence[Why]]
    written: str | None

    def data(self) -> object:
        """Each screen with its rows."""
        return _data(self.readings, self.whys, self.place)

    def lines(self, style: Style) -> Iterator[str]:
        """Each screen with its rows, as tables."""
        for reading, whys in zip(self.readings, self.whys, strict=True):
            yield from _lines(reading, whys, self.place)

    def notes(self, style: Style) -> Iterator[str]:
        """Where the expectations are."""
        if self.written is not None:
            yield f"{self.written} written; `vsac screen read --check {self.written}` compares"


def _trees(dumps: Sequence[str], session: bool, app: str) -> list[tuple[str, Tree]]:
    """The trees of dumps, with `app` as the package of nodes that say none. A file that is not a tree ends the command
    with status 1."""
    trees: list[tuple[str, Tree]] = []
    for name in dumps:
        try:
            before = trees[-1][1] if session and trees else None
            trees.append((name, load_tree(read_bytes(name), name=name, after=before)))
        except DumpError as error:
            echo(f"error: {error}", err=True)
            raise click.exceptions.Exit(EXIT_FINDINGS) from error
        except OSError as error:
            raise Failure(f"cannot read {name}: {(error.strerror or str(error)).lower()}") from error
    return [(name, _of_app(name, tree, app)) for name, tree in trees] if app else trees


def _of_app(name: str, tree: Tree, app: str) -> Tree:
    """A tree with a package for the nodes that say none."""
    known = packages(tree)
    if known and app not in known and all(node.package is not None for node in tree.nodes):
        raise Failure(f"{name} says itself that it is of {some(known)}, not of {app}: leave --app out")
    return with_package(tree, app)


# ---------------------------------------------------------------- expectations


def _write(file: str, text: str) -> None:
    try:
        Path(file).write_text(text, encoding="utf-8")
    except OSError as error:
        raise Failure(f"{file} cannot be written: {(error.strerror or str(error)).lower()}") from error


def _check(file: str, update: bool) -> Report:
    """What is read otherwise than a file says."""
    expected = read_expectations(Path(file))
    place = load_place(expected.module, ())
    trees = _trees([screen["dump"] for screen in expected.screens], bool(expected.scrolled), expected.app)
    readings = read_screens(place, trees, scrolled=expected.scrolled, clock=expected.clock)
    read = [reading.data() for reading in readings]
    compared = [
        (screen["dump"], differences(screen, now)) for screen, now in zip(expected.screens, read, strict=True)
    ]
    wrong = [(dump, lines) for dump, lines in compared if lines]
    if update:
        text = to_text(
            expected.module, expected.scrolled, read, Path(file), app=expected.app, clock=expected.clock
        )
        _write(file, text)
    screens = count(len(compared), "screen")

    def text_of(style: Style) -> Iterator[str]:
        for dump, lines in wrong:
            yield paint(line(dump, 1000), "head")
            yield from (f"  {line(difference, 1000)}" for difference in lines)
        if update:
            yield f"{file} written: {len(wrong)} of {screens} read otherwise than before"
        elif wrong:
            yield f"{len(wrong)} of {screens} read otherwise than expected"
        else:
            yield f"{screens} read as expected"

    data = {
        "version": 1,
        "file": file,
        "screens": len(compared),
        "updated": update,
        "differences": [{"dump": dump, "lines": lines} for dump, lines in wrong],
    }
    return Result(lambda: data, text_of, EXIT_FINDINGS if wrong and not update else EXIT_OK)


# ---------------------------------------------------------------- showing


def _lines(reading: Reading, whys: Sequence[Why], place: Place) -> Iterator[str]:
    yield paint(f"== {line(reading.name, 1000)}", "head")
    if reading.screens:
        yield f"screen {' and '.join(reading.screens)}"
    elif reading.torn:
        yield paint(f"no screen: {' and '.join(reading.torn)} match at once (say which is `over`)", "unmet")
    else:
        yield paint("no screen of the module", "unmet")
        if reading.unrecognised is not None:
            yield from unrecognised_lines(reading.unrecognised, place.sources(), paint)
    for item in reading.tables:
        relation = item.relation
        heading = " ".join([relation.sort, relation.short])
        whole = [_named_row(known, relation.attrs) for known in item.complete]
        if whole:
            heading += ", complete" + (f" for {'; '.join(w for w in whole if w)}" if any(whole) else "")
        yield ""
        yield paint(heading, "head")
        if not item.rows:
            yield "  no rows"
            continue
        rows = [[row.get(attr.name) for attr in relation.attrs] for row in item.rows]
        yield from ("  " + text for text in table(relation.attrs, rows, paint))
    for conflict in reading.conflicts:
        yield ""
        yield paint(f"conflict: {line(conflict, 1000)}", "unmet")
    if reading.silent:
        yield ""
        yield paint(f"nothing read of {', '.join(reading.silent)}", "dim")
    for why in whys:
        yield ""
        sources = place.sources()
        yield from (
            recognition_lines(why, sources, paint)
            if isinstance(why, Recognition)
            else writers_lines(why, sources, paint)
        )
    yield ""


def _named_row(cells: Any, attrs: Iterable[Attr]) -> str:
    types = {attr.name: attr.type for attr in attrs}
    return ", ".join(f"{name} = {quoted(value, types[name])}" for name, value in cells.items())


def _why(place: Place, named: tuple[str, Tree], clock: dt.datetime | None, asked: str) -> Why:
    name, _, attr = asked.partition(".")
    try:
        relation = place.relation(name)
    except KeyError:
        try:  # the name may be qualified: shop.Slot
            relation, attr = place.relation(asked), ""
        except KeyError as error:
            raise AskError(str(error.args[0])) from error
    dump, tree = named
    situation = Situation((shown_at(tree, dump, clock),), clock=clock)
    if relation.sort == "screen":
        if attr:
            raise AskError(f"{relation.short} is a screen: it has no attributes")
        return recognitions(place, situation, [relation])[0]
    return writers_of(place, situation, relation, *([attr] if attr else []))


def _data(readings: Sequence[Reading], whys: Sequence[Sequence[Why]], place: Place) -> dict[str, Any]:
    sources = place.sources()
    screens = [
        {
            **reading.data(),
            "torn": list(reading.torn),
            "silent": list(reading.silent),
            "unrecognised": unrecognised_data(reading.unrecognised, sources)
            if reading.unrecognised is not None
            else None,
        }
        for reading in readings
    ]
    for screen, mine in zip(screens, whys, strict=True):
        if mine:
            screen["why"] = [
                recognition_data(why, sources) if isinstance(why, Recognition) else writers_data(why, sources)
                for why in mine
            ]
    return {"version": 1, "screens": screens}
