"""``vsac prove probe``: near misses of a spec as questions in plain words; answers become tests."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vsalang.tools.cli import solving
from vsalang.tools.cli.common import (
    EXIT_FINDINGS,
    EXIT_OK,
    Failure,
    format_option,
    require,
)
from vsalang.tools.cli.output import append_text, ask_if_meant, echo, json_text
from vsalang.tools.cli.progress import telling

if TYPE_CHECKING:
    from vsalang.language.semantics import Loaded
    from vsalang.proof.prove.probes import Probe


@click.command(name="probe")
@click.argument("spec", metavar="SPEC")
@click.option(
    "--most",
    type=click.IntRange(1, 50),
    default=7,
    show_default=True,
    metavar="N",
    help="How many questions at most.",
)
@click.option("--ask", is_flag=True, help="Ask the questions here, and take the answers.")
@click.option(
    "--answers",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help='Take the answers from a JSON object, by the number of the question: {"1": true, "2": false}.',
)
@click.option(
    "--write", is_flag=True, help="Append the tests of the answers to SPEC instead of printing them."
)
@solving.timeout()
@solving.limit(60.0, "those are asked that were found by then")
@format_option("text", "json")
def command(
    spec: str,
    *,
    most: int,
    ask: bool,
    answers: str | None,
    write: bool,
    timeout: float,
    limit: float,
    format: str,
) -> int:
    """Ask few questions about SPEC that show whether it says what was meant: states at the edge of what it allows.

    Each question is a state that was run by the guard. An answer becomes a test: what is meant passes; what is not
    meant fails until SPEC is fixed.

    Exit status: 0 the questions were shown, or all answers agree with SPEC, 1 an answer says that SPEC is wrong, 2 SPEC
    has errors or cannot be read, the answers cannot be used, or Z3 is not installed.
    """
    if ask and (answers is not None or format == "json"):
        raise click.UsageError("--ask goes with neither --answers nor --json")
    if write and not ask and answers is None:
        raise click.UsageError("--write writes the tests of answers: give --ask or --answers")
    loaded = solving.load_file(spec, "tests belong to a file")
    if loaded.program is None:
        return solving.show_errors(loaded, format)
    if loaded.program.modules[loaded.program.main].kind != "spec":
        raise Failure(f"{loaded.file} is not a spec, so it allows nothing", "name a spec")
    given = _read(answers) if answers is not None else {}
    require("z3", "smt")
    from vsalang.proof.prove.probes import probes

    with telling() as tell:
        left: dict[str, None] = {}
        found = list(
            probes(
                loaded.program,
                most=most,
                seconds=limit,
                each=timeout,
                progress=tell,
                undecided=lambda rule: left.update({rule: None}),
            )
        )
    strange = sorted(set(given) - set(range(1, len(found) + 1)))
    if strange:
        raise Failure(f"there is no question {strange[0]}", f"the questions are 1 to {len(found)}")
    if ask:
        given = _asked(found)
    elif format == "text" and answers is None:
        _show(loaded, found, decided=not left)
    for rule in left:
        where = solving.place_of_rule(loaded, rule)
        echo(
            f"{where}: the solver did not answer all questions about this clause: there may be more", err=True
        )
    tests = _tests(loaded, found, given)
    if format == "json":
        click.echo(json_text({**_data(loaded, found, given), "undecided": list(left)}, indent=2))
    elif tests and not write:
        echo(tests, nl=False)
    if write and tests:
        append_text(Path(loaded.file), tests)
    wrong = sum(not yes for yes in given.values())
    if given:
        where = f", tests appended to {loaded.file}" if write and tests else ""
        said = (
            f"{wrong} of {len(given)} answers say that {loaded.file} is wrong"
            if wrong
            else "all is as it is meant"
        )
        echo(f"{said}{where}", err=True)
    return EXIT_FINDINGS if wrong else EXIT_OK


def _read(file: str) -> dict[int, bool]:
    """The answers of a file.

    Raises:
        Failure: it is not a JSON object of numbers and truths.
    """
    from vsalang.base.source import read_source

    hint = 'write {"1": true, "2": false}: the number of the question, and whether it is meant'
    try:
        data = json.loads(read_source(file).text)
    except (ValueError, RecursionError):
        raise Failure(f"{file} is not JSON", hint) from None
    if not isinstance(data, dict) or not all(isinstance(yes, bool) for yes in data.values()):
        raise Failure(f"{file} does not hold answers", hint)
    try:
        return {int(number): yes for number, yes in data.items()}
    except ValueError:
        raise Failure(f"{file} does not hold answers", hint) from None


def _asked(found: "Sequence[Probe]") -> dict[int, bool]:
    """The answers of the person at the terminal; an empty line leaves a question out."""
    given: dict[int, bool] = {}
    for number, probe in enumerate(found, 1):
        answer = ask_if_meant(f"{number}. {probe.sentence}")
        if answer is not None:
            given[number] = answer
    return given


def _tests(loaded: "Loaded", found: "Sequence[Probe]", given: dict[int, bool]) -> str:
    from vsalang.proof.prove.printing import source
    from vsalang.proof.prove.stories import apart

    stories = [found[number - 1].answered(yes) for number, yes in sorted(given.items())]
    return source(loaded.checked(), apart(stories))


def _show(loaded: "Loaded", found: "Sequence[Probe]", *, decided: bool) -> None:
    for number, probe in enumerate(found, 1):
        echo(f"{number}. {solving.place_of_rule(loaded, probe.rule)}: {probe.sentence}")
    if not found and decided:
        echo(f"no state was found that {loaded.file} allows")
    elif not found:
        echo("no question was found with this time: give more with --limit and --timeout")


def _data(loaded: "Loaded", found: "Sequence[Probe]", given: dict[int, bool]) -> dict[str, Any]:
    from vsalang.proof.prove.printing import source

    program = loaded.checked()
    return {
        "version": 1,
        "file": loaded.file,
        "probes": [
            {
                "number": number,
                "sentence": probe.sentence,
                "rule": probe.rule,
                "place": solving.place_of_rule(loaded, probe.rule),
                "level": probe.level,
                "edit": probe.edit,
                "test": source(program, [probe.story]),
                "meant": given.get(number),
                "answer": source(program, [probe.answered(given[number])]) if number in given else None,
            }
            for number, probe in enumerate(found, 1)
        ],
    }
