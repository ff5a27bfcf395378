"""``vsac prove tests``: tests that show each clause and each condition of a spec or policy at work."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vsalang.base.diagnostics.display import count
from vsalang.tools.cli import solving
from vsalang.tools.cli.common import EXIT_FINDINGS, EXIT_OK, Failure, format_option, require
from vsalang.tools.cli.output import append_text, echo, json_text
from vsalang.tools.cli.progress import telling

if TYPE_CHECKING:
    from vsalang.language.semantics import Loaded
    from vsalang.program.example import Example
    from vsalang.proof.prove.edits import Edit
    from vsalang.proof.prove.testgen import Made, Unmade


@click.command(name="testgen")
@click.argument("spec", metavar="SPEC")
@click.option("--missing", is_flag=True, help="Only what the tests of SPEC itself do not show yet.")
@click.option("--write", is_flag=True, help="Append the tests to SPEC instead of printing them.")
@solving.timeout()
@solving.limit(300.0, "what has no test then is said")
@format_option("text", "json")
def command(spec: str, missing: bool, write: bool, timeout: float, limit: float, format: str) -> int:
    """Write tests for SPEC, a spec or a policy: each clause at work, and each condition as the one that decides.

    A test is a state in which the verdict would be another if a condition were left out, an edge (`<` or `<=`) moved,
    a clause left out, or an action allowed without end. Each was run before it is printed. They say what SPEC does,
    not what was meant: read them.

    Exit status: 0 there is a test for everything that decides something, 1 for something none was found, 2 SPEC has
    errors or cannot be read, or Z3 is not installed.
    """
    loaded = solving.load_file(spec, "tests belong to a file")
    if loaded.program is None:
        return solving.show_errors(loaded, format)
    kind = loaded.program.modules[loaded.program.main].kind
    if kind not in ("spec", "policy"):
        raise Failure(
            f"{loaded.file} is neither a spec nor a policy, so nothing in it decides", "name one that is"
        )
    require("z3", "smt")
    from vsalang.proof.prove.printing import source
    from vsalang.proof.prove.testgen import Made, Unmade, generated

    known = loaded.own if missing or write else ()
    with telling() as tell:
        found = list(generated(loaded.program, seconds=limit, each=timeout, known=known, progress=tell))
    made = [item for item in found if isinstance(item, Made)]
    left = [item for item in found if isinstance(item, Unmade)]
    text = source(loaded.program, [item.story for item in made])
    if write and made:
        append_text(Path(loaded.file), text)
    percent = _coverage(
        loaded, [*loaded.own, *(item.story for item in made)] if known else [m.story for m in made]
    )
    if format == "json":
        click.echo(json_text(_data(loaded, made, left, percent), indent=2))
    else:
        if not write:
            echo(text, nl=False)
        _say(loaded, made, left, percent, write)
    return EXIT_FINDINGS if any(item.open for item in left) else EXIT_OK


def _coverage(loaded: "Loaded", stories: "Sequence[Example]") -> float:
    """How much of the clauses and conditions the tests show, of 100: as `vsac test --coverage` measures it."""
    from vsalang.guard import run_example
    from vsalang.tools.testing.coverage import Collector, percent

    program = loaded.checked()
    collector = Collector(program, loaded.file)
    for story in stories:
        run_example(program, story, watch=collector)
    return percent([collector.result(loaded.sources)])


# ---------------------------------------------------------------- what is said


def _say(
    loaded: "Loaded", made: "Sequence[Made]", left: "Sequence[Unmade]", percent: float, written: bool
) -> None:
    """The summary, on standard error: standard output has tests only."""
    for item in left:
        place = solving.place(loaded, item.edit.span, item.edit.rule)
        if item.open:
            echo(
                f"{place}: no test was found that shows {_what(item.edit)}: {item.open}",
                err=True,
            )
        else:
            where = "" if item.bound is None else f", in states with up to {item.bound} rows per relation"
            echo(
                f"{place}: {_if_made(item.edit)} decides the same{where}",
                err=True,
            )
    where = f" appended to {loaded.file}" if written and made else ""
    echo(
        f"{count(len(made), 'test')}{where}; they show {percent:.0f} % of the clauses and conditions",
        err=True,
    )


def _what(edit: "Edit") -> str:
    """What a test of the edit would show."""
    match edit.kind:
        case "rule":
            return "the rule at work"
        case "often":
            return f"that `{edit.condition}` is not allowed any number of times"
        case "edge":
            return f"the edge of `{edit.condition}`"
        case _:
            return f"that `{edit.condition}` counts"


def _if_made(edit: "Edit") -> str:
    """The change, as the beginning of a sentence that says what it would decide."""
    match edit.kind:
        case "rule":
            return f"the file without `{edit.rule}`"
        case "often":
            return f"the rule with `{edit.condition}` any number of times"
        case "edge":
            return f"the rule with {edit.text}"
        case _:
            return f"{edit.text} the rule"


def _data(
    loaded: "Loaded", made: "Sequence[Made]", left: "Sequence[Unmade]", percent: float
) -> dict[str, Any]:
    from vsalang.proof.prove.printing import source

    program = loaded.checked()
    return {
        "version": 1,
        "file": loaded.file,
        "percent": round(percent, 1),
        "tests": [
            {
                "name": item.story.name,
                "rule": item.edit.rule,
                "kind": item.edit.kind,
                "condition": item.edit.condition or None,
                "test": source(program, [item.story]),
            }
            for item in made
        ],
        "without": [
            {
                "rule": item.edit.rule,
                "kind": item.edit.kind,
                "condition": item.edit.condition or None,
                "why": item.open or None,
                "bound": item.bound,
            }
            for item in left
        ],
    }
