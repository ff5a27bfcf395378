"""``vsac screen read MODULE DUMP...``: shows what an app module reads from captured screens, and compares it."""

import datetime as dt
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import click

from vsalang.tools.cli.common import EXIT_FINDINGS, EXIT_OK, Failure, color_option, format_option
from vsalang.tools.cli.output import echo, json_text, refuse_to_lose
from vsalang.tools.cli.situations import load_place, paint

if TYPE_CHECKING:
    from vsalang.program.ir import Attr
    from vsalang.screen.tree import Tree
    from vsalang.tools.ask import Place
    from vsalang.tools.ask.reading import Reading
    from vsalang.tools.ask.recognition import Recognition
    from vsalang.tools.ask.writers import Writers

    Why: TypeAlias = Recognition | Writers
    """The answer to one --why about one dump."""


@click.command(name="read")
@click.argument("module", metavar="[MODULE]", required=False)
@click.argument("dumps", metavar="[DUMP]...", nargs=-1)
@click.option(
    "--scrolled",
    type=click.Choice(["down", "up"]),
    default=None,
    help="The DUMPs are one session: between two of them the list was scrolled to show what is below (above).",
)
@click.option(
    "--why",
    "asked",
    multiple=True,
    metavar="SCREEN|REL[.ATTR]",
    help="Of a screen: say why it was, or was not, recognised. Of a state, view or list: say which rules wrote the "
    "cells, from which nodes, and why the others did not. Repeatable.",
)
@click.option(
    "--app",
    metavar="PACKAGE",
    help="The app of the nodes of which the DUMPs do not say it, as in com.example.shop.",
)
@click.option(
    "--clock",
    type=click.DateTime(["%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M", "%Y-%m-%d"]),
    help="The device's date and time; a date without a year on the screen is read by it. [default: 2026-01-05 09:00]",
)
@click.option("--expect", metavar="FILE", help="Write what is read into FILE, for --check.")
@click.option("--check", metavar="FILE", help="Read again what FILE names, and compare.")
@click.option("--update", is_flag=True, help="With --check: write FILE again as it is read now.")
@format_option("text", "json")
@color_option
def command(
    *,
    module: str | None,
    dumps: tuple[str, ...],
    scrolled: str | None,
    asked: tuple[str, ...],
    app: str | None,
    clock: dt.datetime | None,
    expect: str | None,
    check: str | None,
    update: bool,
    format: str,
) -> int:
    """Show what the app module MODULE reads from UI dumps and accessibility trees: the screen, the rows of its states,
    views and lists in order, what is complete, and cells for which two values were seen.

    Where no screen is recognised, the rule that comes nearest is shown, with what it lacks and what was seen instead.

    MODULE is a file or the name of a shipped module (apps.settings); a spec reads what its apps read. DUMP is XML or
    JSON, plain or .gz. Each DUMP is read alone, unless --scrolled says that they are one session.

    `vsac screen read MODULE DUMP.. --expect FILE` writes expectations; `vsac screen read --check FILE` compares, in CI.

    Exit status: 0 it was read, and as expected; 1 something differs from FILE, or a DUMP is not a UI tree;
    2 it could not be read, or MODULE has errors.
    """
    from vsalang.tools.ask import AskError
    from vsalang.tools.ask.expectations import to_text

    try:
        if check is not None:
            if module or expect or asked or app or clock:
                raise click.UsageError(
                    "--check FILE names module, dumps, app and clock itself: leave out the others"
                )
            return _check(check, update, format)
        if not module or not dumps:
            raise click.UsageError("name a module and dumps, or expectations: vsac screen read --check FILE")
        if update:
            raise click.UsageError("--update goes with --check FILE")
        place = load_place(module, (), machine=format == "json")
        if place is None:
            return 2
        trees = _trees(dumps, bool(scrolled), app or "")
        readings = _read(place, trees, scrolled or "", clock, explain=True)
        whys = [_why(place, tree, clock, name) for tree in trees for name in asked]
        if expect is not None:
            refuse_to_lose(expect, dumps)
            if Path(expect).exists():
                raise Failure(
                    f"{expect} is there already",
                    f"vsac screen read --check {expect} --update writes it again",
                )
            read = [reading.data() for reading in readings]
            _write(expect, to_text(module, scrolled or "", read, Path(expect), app=app or "", clock=clock))
        if format == "json":
            click.echo(json_text(_data(readings, whys, place), indent=1))
        else:
            for index, reading in enumerate(readings):
                mine = whys[index * len(asked) : (index + 1) * len(asked)]
                _show(reading, mine, place, named=len(readings) > 1 or not index)
    except AskError as error:
        raise Failure(str(error)) from error
    if expect is not None and format == "text":
        echo(f"{expect} written; `vsac screen read --check {expect}` compares", err=True)
    return EXIT_OK


def _trees(dumps: Sequence[str], session: bool, app: str) -> "list[tuple[str, Tree]]":
    """The trees of dumps, with `app` as the package of nodes that say none. A file that is not a tree ends the command
    with status 1."""
    from vsalang.screen.tree import DumpError, load_tree
    from vsalang.screen.tree.source import read_bytes

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


def _of_app(name: str, tree: "Tree", app: str) -> "Tree":
    """A tree with a package for the nodes that say none."""
    from vsalang.base.diagnostics.display import some
    from vsalang.screen.tree.package import packages, with_package

    known = packages(tree)
    if known and app not in known and all(node.package is not None for node in tree.nodes):
        raise Failure(f"{name} says itself that it is of {some(known)}, not of {app}: leave --app out")
    return with_package(tree, app)


def _read(
    place: "Place",
    trees: "Sequence[tuple[str, Tree]]",
    scrolled: str,
    clock: dt.datetime | None,
    *,
    explain: bool = False,
) -> "list[Reading]":
    from vsalang.tools.ask.reading import read_screens

    return read_screens(place, trees, scrolled=scrolled, clock=clock, explain=explain)


# ---------------------------------------------------------------- expectations


def _write(file: str, text: str) -> None:
    try:
        Path(file).write_text(text, encoding="utf-8")
    except OSError as error:
        raise Failure(f"{file} cannot be written: {(error.strerror or str(error)).lower()}") from error


def _check(file: str, update: bool, format: str) -> int:
    from vsalang.program.text import line
    from vsalang.tools.ask.expectations import differences, read_expectations, to_text

    expected = read_expectations(Path(file))
    place = load_place(expected.module, (), machine=format == "json")
    if place is None:
        return 2
    trees = _trees([screen["dump"] for screen in expected.screens], bool(expected.scrolled), expected.app)
    read = [reading.data() for reading in _read(place, trees, expected.scrolled, expected.clock)]
    found = [
        (screen["dump"], differences(screen, now)) for screen, now in zip(expected.screens, read, strict=True)
    ]
    wrong = [(dump, lines) for dump, lines in found if lines]
    if update:
        text = to_text(
            expected.module, expected.scrolled, read, Path(file), app=expected.app, clock=expected.clock
        )
        _write(file, text)
    if format == "json":
        data = {"version": 1, "file": file, "screens": len(found), "updated": update}
        data["differences"] = [{"dump": dump, "lines": lines} for dump, lines in wrong]
        click.echo(json_text(data, indent=1))
        return EXIT_FINDINGS if wrong and not update else EXIT_OK
    for dump, lines in wrong:
        echo(paint(line(dump, 1000), "head"), color=True)
        for difference in lines:
            echo("  " + line(difference, 1000), color=True)
    screens = f"{len(found)} screen{'s' * (len(found) != 1)}"
    if update:
        echo(f"{file} written: {len(wrong)} of {screens} read otherwise than before")
        return EXIT_OK
    echo(
        f"{len(wrong)} of {screens} read otherwise than expected" if wrong else f"{screens} read as expected"
    )
    return EXIT_FINDINGS if wrong else EXIT_OK


# ---------------------------------------------------------------- showing


def _show(reading: "Reading", whys: "Sequence[Why]", place: "Place", *, named: bool) -> None:
    from vsalang.program.text import line
    from vsalang.tools.ask.recognition import Recognition
    from vsalang.tools.ask.recognition_text import recognition_lines, unrecognised_lines
    from vsalang.tools.ask.render import table, writers_lines

    def say(text: str) -> None:
        echo(text, color=True)

    if named:
        say(paint(f"== {line(reading.name, 1000)}", "head"))
    if reading.screens:
        say("screen " + " and ".join(reading.screens))
    elif reading.torn:
        say(paint(f"no screen: {' and '.join(reading.torn)} match at once (say which is `over`)", "unmet"))
    else:
        say(paint("no screen of the module", "unmet"))
        if reading.unrecognised is not None:
            for text in unrecognised_lines(reading.unrecognised, place.sources(), paint):
                say(text)
    for item in reading.tables:
        relation = item.relation
        said = " ".join([relation.sort, relation.short])
        whole = [_named_row(known, relation.attrs) for known in item.complete]
        if whole:
            said += ", complete" + (f" for {'; '.join(w for w in whole if w)}" if any(whole) else "")
        say("")
        say(paint(said, "head"))
        if not item.rows:
            say("  no rows")
            continue
        rows = [[row.get(attr.name) for attr in relation.attrs] for row in item.rows]
        for text in table(relation.attrs, rows, paint):
            say("  " + text)
    for conflict in reading.conflicts:
        say("")
        say(paint(f"conflict: {line(conflict, 1000)}", "unmet"))
    if reading.silent:
        say("")
        say(paint(f"nothing read of {', '.join(reading.silent)}", "dim"))
    for why in whys:
        say("")
        sources = place.sources()
        for text in (
            recognition_lines(why, sources, paint)
            if isinstance(why, Recognition)
            else writers_lines(why, sources, paint)
        ):
            say(text)
    say("")


def _named_row(cells: Any, attrs: "Iterable[Attr]") -> str:
    from vsalang.program.show import quoted

    types = {attr.name: attr.type for attr in attrs}
    return ", ".join(f"{name} = {quoted(value, types[name])}" for name, value in cells.items())


def _why(place: "Place", named: "tuple[str, Tree]", clock: dt.datetime | None, asked: str) -> "Why":
    from vsalang.tools.ask import AskError, Situation
    from vsalang.tools.ask.reading import shown_at
    from vsalang.tools.ask.recognition import recognitions
    from vsalang.tools.ask.writers import writers_of

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


def _data(readings: "Sequence[Reading]", whys: "Sequence[Why]", place: "Place") -> dict[str, Any]:
    from vsalang.tools.ask.recognition import Recognition
    from vsalang.tools.ask.recognition_text import recognition_data, unrecognised_data
    from vsalang.tools.ask.render import writers_data

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
    each = len(whys) // len(readings)
    for index, screen in enumerate(screens):
        if each:
            mine = whys[index * each : (index + 1) * each]
            screen["why"] = [
                recognition_data(why, sources) if isinstance(why, Recognition) else writers_data(why, sources)
                for why in mine
            ]
    return {"version": 1, "screens": screens}
