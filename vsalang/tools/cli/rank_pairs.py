"""``vsac rank pairs PATH.. -o FILE``: pairs of a better and a worse action, of recorded walks and sessions."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from vsalang.agents.rank.annotations import AnnotationError, PersonAnswer, answers_of, read_answers
from vsalang.agents.rank.recorded import recorded_decisions
from vsalang.agents.rank.runs import read_run
from vsalang.agents.walks import WalkError, format_of, read_walks
from vsalang.agents.walks.follow import only_package
from vsalang.base.diagnostics.display import count
from vsalang.base.options import argument, flag, option
from vsalang.base.records import dataclass
from vsalang.base.report import Report, Style
from vsalang.guard import GuardFailed
from vsalang.guard.journal import JournalError
from vsalang.models.rank import LinearScorer, ScorerError, rank
from vsalang.models.rank.pairs import Pair, RunStep, StepLabels, flagged, labels, pairs, write_pairs
from vsalang.program.ir import Program
from vsalang.program.text import line
from vsalang.tools.cli import frame, shared
from vsalang.tools.cli.common import Failure, load_in_force
from vsalang.tools.cli.frame import Unusable


@dataclass(frozen=True, slots=True)
class PairsOptions:
    """Of what pairs are made, and where they go."""

    paths: tuple[str, ...] = argument("PATH")
    output: Path = shared.output("FILE", "Where the pairs go, one a line.")
    spec: str | None = option(
        "--spec",
        metavar="SPEC",
        help="Label by this task: what its proof holds is right, what it blocks is wrong.",
    )
    policies: tuple[str, ...] = shared.policies()
    answers: Path | None = option(
        "--answers",
        metavar="FILE",
        help="What people said of the choices of journals: see `vsac rank annotate`.",
    )
    right: bool = flag("--right", help="What was recorded is right: label it so where no proof does.")
    package: str = option(
        "--package",
        default="",
        metavar="PACKAGE",
        help="The app of the walks.",
        default_text="the only one of SPEC",
    )


@frame.as_command("text", "json")
def command(options: PairsOptions) -> Report:
    """Write pairs of a better and a worse action, as training a scorer needs them.

    PATH is a journal, or recorded walks of any format that `vsac record` follows. Each candidate of a step that is
    known to be right makes a pair with each other one. A journal is read with the spec that it was recorded under;
    a walk needs --spec or --right, else nothing of it is known. Steps of which nobody knows are listed, those first
    between whose candidates the shipped weights hardly decide: people look at these.

    Exit status: 0; 2 a PATH is not such a recording, a file could not be read or written, or SPEC has errors.
    """
    program = _program(options)
    rows: list[Pair] = []
    known: Counter[str] = Counter()
    doubts: dict[tuple[str, int], float] = {}
    walks = 0
    try:
        answers = read_answers(options.answers) if options.answers is not None else {}
        for path in options.paths:
            for one in _runs(path, options, program, answers):
                walks += 1
                known.update(each.why for each in one.known if each.why is not None)
                rows += pairs(one.run, one.known)
                doubts |= {(one.name, each.step): one.margins[each.step] for each in one.known if each.open}
    except (WalkError, ScorerError) as error:
        raise Failure(str(error), error.hint) from error
    except (GuardFailed, JournalError, AnnotationError, ValueError) as error:
        raise Failure(line(str(error), 1000)) from error
    try:
        write_pairs(options.output, rows)
    except OSError as error:
        raise Failure(f"cannot write {options.output}: {error.strerror or error}") from error
    return PairsReport(options.output, walks, len(rows), dict(known), doubts)


def _program(options: PairsOptions) -> Program | None:
    if options.spec is None:
        return None
    loaded = load_in_force(options.spec, options.policies)
    if loaded.program is None:
        raise Unusable.of(loaded)
    return loaded.program


@dataclass(frozen=True, slots=True)
class _Run:
    """A walk or session: its steps, what is known of them, and how sure the shipped weights are of each."""

    name: str
    run: Sequence[RunStep]
    known: Sequence[StepLabels]
    margins: Mapping[int, float]


def _runs(
    path: str, options: PairsOptions, program: Program | None, answers: Mapping[tuple[str, int], PersonAnswer]
) -> Iterator[_Run]:
    if program is None and not options.right and format_of(path) == "journal":
        run = read_run(path)
        known = run.labels(answers_of(run, answers))
        yield _Run(Path(path).name, [one.choice for one in run.choices], known, run.margins)
        return
    package = options.package or (only_package(program) if program is not None else "")
    for walk in read_walks(path):
        decisions = list(recorded_decisions(walk, package=package, program=program, right=options.right))
        steps = [one.run for one in decisions]
        known = labels(steps, decisions[-1].proof if decisions else frozenset())
        margins = {
            one.step: rank(steps[one.step].decision, [LinearScorer()]).margin
            for one in known
            if one.open and steps[one.step].decision.candidates
        }
        yield _Run(walk.name, steps, [one for one in known if one.step in margins or not one.open], margins)


@dataclass(frozen=True, slots=True)
class PairsReport(Report):
    """What was written.

    Attributes:
        file: where.
        walks: how many were read.
        pairs: how many were written.
        labelled: label -> how many steps have it.
        open: the walk and number of each step of which nobody knows what is right -> the margin.
    """

    file: Path
    walks: int
    pairs: int
    labelled: dict[str, int]
    open: dict[tuple[str, int], float]

    @property
    def _looked(self) -> list[tuple[str, int]]:
        """The steps that are open, the most doubtful first."""
        places = list(self.open)
        order = flagged(dict(enumerate(self.open.values())), share=1)
        return [places[nth] for nth in order]

    def data(self) -> object:
        """The numbers and the open steps as JSON values."""
        looked: list[dict[str, Any]] = [
            {"walk": walk, "step": step + 1, "margin": round(self.open[walk, step], 6)}
            for walk, step in self._looked
        ]
        return {
            "version": 1,
            "file": str(self.file),
            "walks": self.walks,
            "pairs": self.pairs,
            "labelled": dict(sorted(self.labelled.items())),
            "open": looked,
        }

    def lines(self, style: Style) -> Iterator[str]:
        """A summary, and the steps for people."""
        by = ", ".join(f"{number} by {label}" for label, number in sorted(self.labelled.items()))
        yield f"{count(self.pairs, 'pair')} of {count(self.walks, 'walk')} in {self.file}"
        yield f"{count(sum(self.labelled.values()), 'step')} labelled{': ' if by else ''}{by}"
        if not self.open:
            return
        yield f"{count(len(self.open), 'step')} for a person, the most doubtful first:"
        for walk, step in self._looked:
            yield f"  {line(walk, 200)}, step {step + 1}: margin {self.open[walk, step]:.2f}"
