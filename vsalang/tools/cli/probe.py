"""``vsac prove probe``: near misses of a spec as questions in plain words; answers become tests."""

import json
from collections.abc import Sequence
from pathlib import Path

from vsalang.base.options import argument, flag, option
from vsalang.base.records import dataclass
from vsalang.base.report import Report
from vsalang.base.source import read_source
from vsalang.proof.prove.probes_report import Questions
from vsalang.proof.prove.results import Probe
from vsalang.tools.cli import frame, shared
from vsalang.tools.cli.common import EXIT_FINDINGS, EXIT_OK, Failure, require
from vsalang.tools.cli.output import append_text, ask_if_meant
from vsalang.tools.cli.progress import telling
from vsalang.tools.cli.solving import load_file, spec_of


@dataclass(frozen=True, slots=True)
class ProbeOptions:
    """What is asked about, how many questions, and where the answers come from."""

    spec: str = argument("SPEC")
    most: int = option("--most", default=7, least=1, most=50, metavar="N", help="How many questions at most.")
    ask: bool = flag(
        "--ask",
        help="Ask the questions here, and take the answers.",
        excludes=("--answers", "--format json"),
    )
    answers: str | None = option(
        "--answers",
        metavar="FILE",
        help='Take the answers from a JSON object, by the number of the question: {"1": true, "2": false}.',
    )
    write: bool = flag(
        "--write",
        help="Append the tests of the answers to SPEC instead of printing them.",
        needs="--ask or --answers",
    )
    timeout: float = shared.solver_timeout()
    limit: float = shared.solver_limit(60.0, "those are asked that were found by then")


@frame.as_command("text", "json")
def command(options: ProbeOptions) -> Report:
    """Ask few questions about SPEC that show whether it says what was meant: states at the edge of what it allows.

    Each question is a state that was run by the guard. An answer becomes a test: what is meant passes; what is not
    meant fails until SPEC is fixed.

    Exit status: 0 the questions were shown, or all answers agree with SPEC, 1 an answer says that SPEC is wrong, 2 SPEC
    has errors or cannot be read, the answers cannot be used, or Z3 is not installed.
    """
    loaded = load_file(options.spec, "tests belong to a file")
    program = spec_of(loaded, "it allows nothing")
    answers = _read(options.answers) if options.answers is not None else {}
    require("z3", "smt")
    from vsalang.proof.prove.probes import probes  # imports Z3

    undecided: dict[str, None] = {}
    with telling() as tell:
        questions = tuple(
            probes(
                program,
                most=options.most,
                seconds=options.limit,
                each=options.timeout,
                progress=tell,
                undecided=lambda rule: undecided.update({rule: None}),
            )
        )
    strange = sorted(set(answers) - set(range(1, len(questions) + 1)))
    if strange:
        raise Failure(f"there is no question {strange[0]}", f"the questions are 1 to {len(questions)}")
    if options.ask:
        answers = _person_answers(questions)
    report = Questions(
        loaded,
        questions,
        answers,
        tuple(undecided),
        answered=options.ask or options.answers is not None,
        written=options.write and bool(answers),
        status=EXIT_OK if all(answers.values()) else EXIT_FINDINGS,
    )
    if report.written:
        append_text(Path(loaded.file), report.tests())
    return report


def _read(file: str) -> dict[int, bool]:
    """The answers of a file.

    Raises:
        Failure: it is not a JSON object of numbers and truths.
    """
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


def _person_answers(questions: Sequence[Probe]) -> dict[int, bool]:
    """The answers of the person at the terminal; an empty line leaves a question out."""
    answers = {n: ask_if_meant(f"{n}. {probe.sentence}") for n, probe in enumerate(questions, 1)}
    return {number: answer for number, answer in answers.items() if answer is not None}
