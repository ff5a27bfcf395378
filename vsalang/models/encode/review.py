"""Asks about the meaning of a spec that checks: lint, the solver, and a reader."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from importlib.util import find_spec

from vsalang.base.diagnostics import Diagnostic, Severity, terminal
from vsalang.base.records import dataclass
from vsalang.language.describe import describe, to_text
from vsalang.language.lint import lint
from vsalang.language.semantics import Loaded
from vsalang.models.encode.meaning import Doubt, Reader, Review
from vsalang.program.ir import Program
from vsalang.proof.findings import finding
from vsalang.proof.prove.printing import source
from vsalang.proof.prove.results import Probe
from vsalang.proof.prove.stories import apart
from vsalang.proof.solver import Alive, Missing
from vsalang.proof.worlds import interpreter

SECONDS = 60.0
"""How long the solver may take for all its questions."""
_EACH = 2.0
NO_DOUBTS = frozenset({"L0004", "L0005"})
"""Findings that are not doubts here: the instruction may leave a parameter open, which the reader compares; and what
the app's module does not read is not a mistake of the spec."""


@dataclass(frozen=True, slots=True)
class Reviewing:
    """Looks for doubts about a spec: a `vsalang.models.encode.Meaning`.

    Attributes:
        instruction: what the user said.
        reader: compares the instruction with the description; None: nobody does.
        tell: is told what is being looked at, for a line that does not stay.
    """

    instruction: str
    reader: Reader | None
    tell: Callable[[str], None] = lambda text: None

    @property
    def solves(self) -> bool:
        """Whether the solver is here: without it there are no probes, and nothing is verified."""
        return find_spec("z3") is not None

    def __call__(self, loaded: Loaded) -> Review:
        """The doubts about a spec without errors."""
        try:
            return self._looked(loaded)
        finally:
            self.tell("")

    def _looked(self, loaded: Loaded) -> Review:
        program = loaded.checked()
        self.tell("the linter looks at the spec ..")
        doubts = [*_doubts_of("lint", lint(loaded), loaded)]
        if self.solves:
            self.tell("the solver looks at the spec ..")
            doubts += _doubts_of("verify", _verified(loaded), loaded)
        checks = ("linted", *(["looked at by the solver"] if self.solves else []))
        if self.reader is None:
            return Review(tuple(doubts), checks=checks)
        probe_list: list[Probe] = []
        if self.solves:
            from vsalang.proof.prove.probes import probes  # Z3 may not be installed

            probe_list = list(probes(program, seconds=SECONDS / 2, each=_EACH, progress=self._asks))
        questions = [probe.sentence for probe in probe_list]
        self.tell(f"{self.reader.model.name} compares the spec with the instruction ..")
        read = self.reader.read(self.instruction, to_text(describe(program)), questions)
        return replace(
            read,
            doubts=(*read.doubts, *doubts),
            checks=(*read.checks, *checks),
            tests=_tests(program, [probe_list[number - 1] for number in read.meant]),
        )

    def _asks(self, rule: str) -> None:
        self.tell(f"the solver looks for questions about {rule} ..")


def _tests(program: Program, meant: Sequence[Probe]) -> tuple[str, ...]:
    """The states of these questions as tests, each with its sentence as name."""
    if not meant:
        return ()
    stories = [replace(each.story, name=each.sentence.removesuffix(" Is that meant?")) for each in meant]
    return tuple(source(program, [story]) for story in apart(stories))


def _verified(loaded: Loaded) -> Iterator[Diagnostic]:
    """What the solver finds within its time; what it cannot decide raises no doubt."""
    program = loaded.checked()
    end = time.monotonic() + SECONDS / 2
    from vsalang.proof.solver import analyse  # Z3 may not be installed

    for result in analyse(program, interpreter(program), timeout=_EACH):
        if not isinstance(
            result, Alive | Missing
        ):  # where no rule applies the agent may give up: that is often meant
            yield finding(program, result)
        if time.monotonic() > end:
            return


def _doubts_of(
    kind: str, findings: Iterator[Diagnostic] | tuple[Diagnostic, ...], loaded: Loaded
) -> Iterator[Doubt]:
    for item in findings:
        if (
            item.severity is not Severity.INFO
            and item.where in ("", loaded.file)
            and item.code not in NO_DOUBTS
        ):
            text = terminal.render([item], loaded.sources, color=False, counted=False).rstrip()
            yield Doubt(kind, f"{item.code}: {item.message}", text)  # type: ignore[arg-type]
