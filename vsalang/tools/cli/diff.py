"""``vsac prove diff``: what a new version of a spec or policy decides otherwise, with tests that show it."""

from typing import TYPE_CHECKING, Any

import click

from vsalang.base.diagnostics.display import count
from vsalang.tools.cli import solving
from vsalang.tools.cli.common import EXIT_FINDINGS, EXIT_OK, Failure, format_option, require
from vsalang.tools.cli.output import echo, json_text

if TYPE_CHECKING:
    from vsalang.language.semantics import Loaded
    from vsalang.program.ir import Program, Rule
    from vsalang.proof.prove import Diff, Difference, Head

_WORDS = {
    "equal": "decides the same as",
    "stricter": "is stricter than",
    "looser": "is looser than",
    "incomparable": "is here stricter and there looser than",
    "unknown": "could not be compared wholly with",
}


@click.command(name="diff")
@click.argument("old", metavar="OLD")
@click.argument("new", metavar="NEW")
@click.option(
    "--emit-tests",
    type=click.Choice(["old", "new"]),
    help="Print only tests: those that pass with OLD and fail with NEW, or those that pass with NEW and fail with OLD.",
)
@solving.timeout()
@solving.limit()
@format_option("text", "json")
def command(old: str, new: str, emit_tests: str | None, timeout: float, limit: float, format: str) -> int:
    """Say what NEW decides otherwise than OLD. Both are specs, or both are policies.

    For each head (an action that is allowed, done, deny, confirm, warn) NEW is equal, stricter, looser, or here
    stricter and there looser. Each difference is a state as a test, which was run against both. Order, names of
    variables and definitions, and where a definition is written out make no difference.

    Exit status: 0 they decide the same, 1 there is a difference or something could not be decided, 2 a file has errors
    or cannot be read, they cannot be compared, or Z3 is not installed.
    """
    if emit_tests is not None and format == "json":
        raise click.UsageError("--emit-tests prints tests: it does not go with --json")
    sides = [solving.load_file(file, "two files are compared") for file in (old, new)]
    broken = [side for side in sides if side.program is None]
    if broken:
        return [solving.show_errors(side, format) for side in broken][-1]
    require("z3", "smt")
    from vsalang.proof.prove import NotComparable, diff

    programs = [side.checked() for side in sides]
    try:
        found = diff(*programs, seconds=limit, each=timeout)
    except NotComparable as error:
        raise Failure(str(error), "name two versions of a spec, or of a policy") from None
    if emit_tests is not None:
        _tests(programs[0 if emit_tests == "old" else 1], found, emit_tests)
    elif format == "json":
        click.echo(json_text(_data(found, sides, (old, new)), indent=2))
    else:
        _text(found, sides, (old, new))
    return EXIT_OK if found.outcome == "equal" else EXIT_FINDINGS


def _tests(program: "Program", found: "Diff", side: str) -> None:
    from vsalang.proof.prove.printing import source
    from vsalang.proof.prove.stories import apart, expecting, named

    levels = [(item, item.old if side == "old" else item.new) for item in found.differences]
    stories = [named(expecting(item.story, level), item.about) for item, level in levels]
    echo(source(program, apart(stories)), nl=False)


# ---------------------------------------------------------------- for people


def _text(found: "Diff", sides: "list[Loaded]", files: tuple[str, str]) -> None:
    for head in found.heads:
        echo(_head(head))
        for item in head.differences:
            echo(f"  {_place(item, sides)}: {_levels(item, files)}")
            for line in _test(item, sides).rstrip("\n").split("\n"):
                echo(f"    {line}")
        for left in head.open:
            where = f"{left.rule}: " if left.rule else ""
            echo(f"  not decided: {where}{left.why}")
    bound = (
        "" if found.bound is None else f", in all states with up to {count(found.bound, 'row')} per relation"
    )
    echo(f"{files[1]} {_WORDS[found.outcome]} {files[0]}{bound}")


def _head(head: "Head") -> str:
    words = {"incomparable": "here stricter, there looser", "unknown": "not decided"}
    bound = "" if head.bound is None else f" (looked at with up to {count(head.bound, 'row')} per relation)"
    return f"{head.name}: {words.get(head.outcome, head.outcome)}{bound}"


def _levels(item: "Difference", files: tuple[str, str]) -> str:
    words = {"allow": "allows", "block": "refuses", "confirm": "asks about", "warn": "warns about"}
    return f"{files[0]} {words[item.old]} this, {files[1]} {words[item.new]} it"


def _rule(item: "Difference", sides: "list[Loaded]") -> "tuple[Loaded, Rule]":
    side = sides[int(item.of_new)]
    return side, next(rule for rule in side.checked().rules if rule.id == item.rule)


def _place(item: "Difference", sides: "list[Loaded]") -> str:
    side, rule = _rule(item, sides)
    return solving.place(side, rule.head_span or rule.span, item.rule)


def _test(item: "Difference", sides: "list[Loaded]") -> str:
    from vsalang.proof.prove.printing import source

    return source(sides[0].checked(), [item.story])


# ---------------------------------------------------------------- for programs


def _data(found: "Diff", sides: "list[Loaded]", files: tuple[str, str]) -> dict[str, Any]:
    return {
        "version": 1,
        "old": files[0],
        "new": files[1],
        "outcome": found.outcome,
        "bound": found.bound,
        "heads": [
            {
                "head": head.name,
                "outcome": head.outcome,
                "bound": head.bound,
                "differences": [_difference(item, sides) for item in head.differences],
                "open": [{"rule": left.rule or None, "why": left.why} for left in head.open],
            }
            for head in found.heads
        ],
    }


def _difference(item: "Difference", sides: "list[Loaded]") -> dict[str, Any]:
    side, rule = _rule(item, sides)
    span = rule.head_span or rule.span
    return {
        "rule": item.rule,
        "of": "new" if item.of_new else "old",
        "file": span.file if span is not None else None,
        "line": side.sources[span.file].position(span.start).line if span is not None else None,
        "old": item.old,
        "new": item.new,
        "test": _test(item, sides),
    }
