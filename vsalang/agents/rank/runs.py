"""Reads recorded runs as choices: of each step what could have been done, what was, and how sure a scorer is.

A journal holds what was proposed and seen, not what else could have been. Its session is enacted again, and at each
proposal the candidates are enumerated and judged as they were when it was made (`Guard.judge_all`).
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from vsalang.agents.rank.recorded import as_done, gold_of
from vsalang.agents.rank.undoing import TAKES_BACK
from vsalang.base.records import dataclass
from vsalang.guard import Guard, Verdict
from vsalang.guard.journal import Session, read_session, recorded_program
from vsalang.guard.journal.recorded_session import Step
from vsalang.guard.journal.replay import enacted
from vsalang.guard.journal.values_json import understood
from vsalang.guard.memory import certify
from vsalang.guard.memory.certificate_words import short
from vsalang.models.rank import Candidate, Decision, PastStep, Ranking, Scorer, Situation, rank
from vsalang.models.rank.enumerating import apps_of, candidates
from vsalang.models.rank.judging import allowed
from vsalang.models.rank.linear import LinearScorer
from vsalang.models.rank.pairs import RunStep, StepLabels, answered, labels, proof_of
from vsalang.models.rank.situation import past_step
from vsalang.program.action import GESTURES, Action
from vsalang.program.ir import Program
from vsalang.program.screen import UnresolvedTarget
from vsalang.screen.control import delta
from vsalang.screen.screen import TreeScreen


@dataclass(frozen=True, slots=True)
class RecordedChoice:
    """One step of a recorded run that was carried out.

    Attributes:
        step: as it was recorded.
        choice: what could have been done, and what was.
        ranking: the candidates in the order of a scorer.
        screen: the name of its screen in the journal.
    """

    step: Step
    choice: RunStep
    ranking: Ranking
    screen: str


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """A recorded run.

    Attributes:
        session: its journal.
        task: what the user asked for.
        choices: its steps that were carried out on screens with a UI tree, and where something could be chosen.
        proof: what the end of the task was proved by; empty: it did not end.
    """

    session: Session
    task: str
    choices: tuple[RecordedChoice, ...]
    proof: frozenset[str] = frozenset()

    @property
    def margins(self) -> dict[int, float]:
        """Number of a choice, from 0 -> how sure the scorer is of it."""
        return {nth: one.ranking.margin for nth, one in enumerate(self.choices)}

    def labels(self, answers: Sequence["tuple[int, str]"] = ()) -> tuple[StepLabels, ...]:
        """What is known of each choice: by logic, and by what a person said.

        Args:
            answers: the number of a choice, and the key of the candidate that a person says is right.

        Raises:
            ValueError: a choice has no candidate of that key.
        """
        known = list(labels([one.choice for one in self.choices], self.proof))
        for nth, key in answers:
            known[nth] = answered(known[nth], self.choices[nth].choice.decision, key)
        return tuple(known)


def read_run(path: str | Path, scorer: Scorer | None = None) -> RecordedRun:
    """A recorded run, as choices.

    Args:
        path: of a journal.
        scorer: says how sure each choice is; None: `LinearScorer`.

    Raises:
        JournalError: it is not a journal, its secrets were replaced, or it cannot be enacted again.
        ScorerError: the scorer gives no scores.
    """
    session = read_session(path)
    program = recorded_program(session).checked()
    with understood(session.path):
        return _run(session, program, scorer or LinearScorer())


def _run(session: Session, program: Program, scorer: Scorer) -> RecordedRun:
    reading = _Reading(session, program, scorer)
    for step, verdict, guard in enacted(session, program):
        if step.commit and verdict is not None:
            reading.read(step, verdict, guard)
    return RecordedRun(session, reading.task, tuple(reading.choices), reading.proof)


class _Reading:
    """A session while it is read."""

    def __init__(self, session: Session, program: Program, scorer: Scorer) -> None:
        self.task = program.modules[program.main].doc
        self.choices: list[RecordedChoice] = []
        self.proof: frozenset[str] = frozenset()
        self._session = session
        self._program = program
        self._scorer = scorer
        self._history: list[PastStep] = []
        self._memory: list[str] = []

    def read(self, step: Step, verdict: Verdict, guard: Guard) -> None:
        """Read a step that was carried out, on the guard as it stood."""
        self.task = guard.session.instruction or self.task
        if step.proposed.attempts and step.proposed.attempts[0].name == "finish":
            self.proof = proof_of(verdict)
        recorded = self._choice(step, verdict, guard)
        if recorded is None:
            return
        if recorded.choice.undoes:
            self._taken_back()
        self.choices.append(recorded)
        self._remember(step, verdict, recorded)

    def _choice(self, step: Step, verdict: Verdict, guard: Guard) -> RecordedChoice | None:
        """A step as a choice; None: its screen has no UI tree, or nothing could be chosen there."""
        screen = guard.snapshot.screen
        if not isinstance(screen, TreeScreen):
            return None
        situation = Situation(
            self.task, screen, tuple(self._history), tuple(self._memory), apps=apps_of(self._program)
        )
        judged = allowed(guard.judge_all, self._program, candidates(situation))
        if not judged.candidates:
            return None
        done = any(one.kind == "finish" for one in judged.candidates)
        decision = Decision(replace(situation, done=done), judged.candidates)
        choice = RunStep(
            decision,
            _did(step, screen, judged.candidates),
            judged.dropped,
            frozenset(action.name for action in verdict.actions),
            undoes=step.note.startswith(TAKES_BACK),
        )
        name = str(step.screen["id"]) if step.screen else ""
        return RecordedChoice(step, choice, rank(decision, [self._scorer]), name)

    def _taken_back(self) -> None:
        """The last step that takes none back is taken back."""
        for nth in range(len(self.choices) - 1, -1, -1):
            one = self.choices[nth]
            if not one.choice.undoes:
                self.choices[nth] = replace(one, choice=replace(one.choice, undone=True))
                return

    def _remember(self, step: Step, verdict: Verdict, recorded: RecordedChoice) -> None:
        before = recorded.choice.decision.situation.screen
        look = step.after["screen"] if step.after is not None else None
        after = self._session.screen(look) if look is not None else None
        certificate = certify(verdict, before, after, self._program, delivered=step.delivered)
        self._memory.append(f"{len(self._memory) + 1}. {short(certificate)}")
        done = [one for one in recorded.choice.decision.candidates if one.key == recorded.choice.did]
        if not done or recorded.choice.undoes:
            return
        changed = None
        if isinstance(after, TreeScreen):
            moved = done[0].kind in ("scroll", "swipe")
            changed = delta(before.tree, after.tree, scrolled=moved).transition
        proposed = step.proposed.gesture or next(iter(step.proposed.attempts), Action(""))
        typed = proposed.args.get("text") if proposed.name == "answer" else proposed.args.get("value")
        self._history.append(past_step(before, as_done(done[0], proposed), str(typed or ""), changed))


def _did(step: Step, screen: TreeScreen, recorded: Sequence[Candidate]) -> str:
    """The key of the candidate that was done; empty: none of them."""
    proposed = step.proposed
    action = proposed.gesture or next(iter(proposed.attempts), None)
    if action is None:
        return ""
    meant = _meant(action, screen)
    exact = next((one.key for one in recorded if _meant(one.action, screen) == meant), "")
    if exact or action.name not in ("tap", "clear_text"):
        return exact
    return next((recorded[nth].key for nth in gold_of(screen, action, recorded)), "")


def _meant(action: Action, screen: TreeScreen) -> object:
    """What an action does, whatever is typed or said: two that are the same mean the same."""
    if action.name not in GESTURES:
        return action.name
    try:
        cells = screen.target(action.name, action.args)
    except UnresolvedTarget:
        cells = {}
    node = cells.get("node")
    where = node if isinstance(node, int) else action.args.get("package")
    return action.name, where, action.args.get("direction")


def read_runs(paths: Sequence[str | Path], scorer: Scorer | None = None) -> Iterator[RecordedRun]:
    """Recorded runs, one after the other; raises what `read_run` raises."""
    for path in paths:
        yield read_run(path, scorer)
