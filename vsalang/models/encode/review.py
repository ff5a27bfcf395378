"""Asks about the meaning of a spec that checks: lint, the solver, and a reader.

The reader is asked about states that the solver makes: of the whole task, and near the edge of each clause. What its
doubts would do to the end of the task is proved before the writer hears them.
"""

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
from vsalang.models.encode.omissions import omissions
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
_MOST_QUESTIONS = 10
"""Of the whole task, and near misses: a reader answers so many."""
_MOST_PROOFS = 3
"""Of so many doubts it is looked at what they would do to the end of the task."""
_IGNORE = "lint: ignore"
NO_DOUBTS = frozenset({"L0004", "L0005"})
"""Findings that are not doubts here: the instruction may leave a parameter open, which the reader compares; and what
the app's module does not read is not a mistake of the spec."""
NO_DOUBTS_OF_CHARTERS = NO_DOUBTS | {"L0002", "L0006", "L0016"}
"""Of charters further ones: a day or a size bounds nothing, a switch is set to "on" or "off" whatever the app calls it,
and a task that may do something again ends when it was done once."""


@dataclass(frozen=True, slots=True)
class Reviewing:
    """Looks for doubts about a spec: a `vsalang.models.encode.Meaning`.

    Attributes:
        instruction: what the user said.
        reader: compares the instruction with the description; None: nobody does.
        tell: is told what is being looked at, for a line that does not stay.
        solver: whether the solver is asked, too.
    """

    instruction: str
    reader: Reader | None
    tell: Callable[[str], None] = lambda text: None
    solver: bool = True

    @property
    def solves(self) -> bool:
        """Whether the solver is here and asked: probes and the verifier need it."""
        return self.solver and find_spec("z3") is not None

    def __call__(self, loaded: Loaded, apps: Program) -> Review:
        """The doubts about a spec without errors; `apps` imports all that it may use."""
        try:
            return self._looked(loaded, apps)
        finally:
            self.tell("")

    def _looked(self, loaded: Loaded, apps: Program) -> Review:
        program = loaded.checked()
        self.tell("the linter looks at the spec ..")
        charter = self.reader is not None and self.reader.charter
        left_out = NO_DOUBTS_OF_CHARTERS if charter else NO_DOUBTS
        findings = (item for item in lint(loaded) if item.code not in left_out)
        doubts = [*_doubts_of("lint", findings, loaded)]
        if self.solves:
            self.tell("the solver looks at the spec ..")
            doubts += _doubts_of("verify", _verified(loaded), loaded)
        checks = ("linted", *(["looked at by the solver"] if self.solves else []))
        probe_list: list[Probe] = []
        unfinishable = ""
        if self.solves:
            from vsalang.proof.prove.whole_task import whole_task  # Z3 may not be installed

            whole = whole_task(program, seconds=SECONDS / 3, each=_EACH, progress=self._asks)
            unfinishable, probe_list = whole.unfinishable, list(whole.probes)
            doubts += _endless(whole.unfinishable, whole.held)
        if self.reader is None:
            return Review(tuple(doubts), checks=checks, unfinishable=unfinishable)
        if self.solves:
            probe_list = self._near(program, probe_list)
        questions = [probe.sentence for probe in probe_list]
        self.tell(f"{self.reader.model.name} compares the spec with the instruction ..")
        read = self.reader.read(
            self.instruction, to_text(describe(program)), questions, omissions(loaded, apps)
        )
        return replace(
            read,
            doubts=(*self._proved(program, read.doubts, probe_list), *doubts),
            checks=(*read.checks, *checks),
            tests=_tests(program, [probe_list[number - 1] for number in read.meant]),
            unfinishable=unfinishable,
        )

    def _near(self, program: Program, known: Sequence[Probe]) -> list[Probe]:
        """The questions about the whole task, and near misses of its clauses that are others."""
        from vsalang.proof.prove.probes import probes  # Z3 may not be installed

        questions = list(known)
        turns = {repr(probe.story.turns) for probe in known}
        for probe in probes(program, seconds=SECONDS / 3, each=_EACH, progress=self._asks):
            if len(questions) >= _MOST_QUESTIONS:
                break
            if repr(probe.story.turns) not in turns:
                questions.append(probe)
        return questions

    def _asks(self, rule: str) -> None:
        self.tell(f"the solver looks for questions about {rule} ..")

    def _proved(
        self, program: Program, doubts: Sequence[Doubt], questions: Sequence[Probe]
    ) -> Iterator[Doubt]:
        """The doubts; those that would make the task unfinishable, if what they are about is only refused, say so."""
        left = _MOST_PROOFS
        for doubt in doubts:
            if doubt.quote and doubt.question and left:
                left -= 1
                self.tell("the solver looks whether the task can still be finished ..")
                doubt = _with_proof(program, doubt, questions[doubt.question - 1])
            yield doubt


def _endless(proof: str, held: str) -> Iterator[Doubt]:
    """What is doubted about the end of the task: that there is none, or that it does not come when all was done."""
    if proof:
        message = f"the task can never be finished: {proof}"
        yield Doubt("verify", message, message)
    if held:
        message = f"all that is permitted was done, and the task may not end: {held}"
        yield Doubt("verify", message, message)


def _with_proof(program: Program, doubt: Doubt, probe: Probe) -> Doubt:
    from vsalang.proof.prove.whole_task import ending, refused  # Z3 may not be installed

    mended = refused(program, probe)
    proof = ending(mended, seconds=SECONDS / 12, each=_EACH).proof if mended is not None else ""
    if not proof:
        return doubt
    more = (
        f"If this is refused whatever else was seen, the task can never be finished ({proof}): "
        "say under which condition it is right"
    )
    return replace(doubt, message=f"{doubt.message} {more}", text=f"{doubt.text} {more}.")


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
        if item.severity is not Severity.INFO and item.where in ("", loaded.file):
            if _IGNORE in item.help:  # a comment above a finding of the header is dropped from an answer
                item = replace(item, help="")
            text = terminal.render([item], loaded.sources, color=False, counted=False).rstrip()
            yield Doubt(kind, f"{item.code}: {item.message}", text)  # type: ignore[arg-type]
