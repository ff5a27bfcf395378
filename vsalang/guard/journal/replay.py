"""Judges every recorded proposal again, under the recorded program or another one, and says which verdicts flip."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any

from vsalang.base.names import DEFAULT_ENGINE, FORMER_ENGINES, EngineName
from vsalang.base.records import dataclass
from vsalang.engine import Opens
from vsalang.guard import Guard, GuardFailed, Verdict
from vsalang.guard.courses import Courses
from vsalang.guard.journal.enact import Enactment, RecordedSimilarity, Tape, first_day, instruction_of
from vsalang.guard.journal.file import JournalError
from vsalang.guard.journal.recorded_session import Session, Step, refuse_redacted
from vsalang.guard.journal.settings_json import read_settings
from vsalang.guard.journal.values_json import understood
from vsalang.program.example import LEVELS
from vsalang.program.ir import Program
from vsalang.program.meaning import FIRST, SEMANTICS, changes_since
from vsalang.program.similarity import Similarity


@dataclass(frozen=True, slots=True)
class Judgement:
    """One proposal, judged then and now; `now` as `Verdict.to_json` writes it.

    `now` is None where there was no verdict, so that nothing is judged again: an error was recorded, or what others
    did before the screen was looked at (`Step.judged`).
    """

    step: Step
    now: Mapping[str, Any] | None

    @property
    def flipped(self) -> bool:
        """Whether the level is another."""
        return self.now is not None and self.now["level"] != self.step.level

    @property
    def looser(self) -> bool:
        """Whether it is more permissive now."""
        return self.now is not None and LEVELS.index(self.now["level"]) < LEVELS.index(self.step.level)

    def warned_only_of(self, kinds: Collection[str]) -> bool:
        """Whether it was a warning, and each of its reasons of one of these kinds."""
        reasons = self.step.verdict["reasons"]
        return self.step.level == "warn" and all(reason["kind"] in kinds for reason in reasons)

    @property
    def changes(self) -> tuple[str, ...]:
        """The changes of meaning that its new reasons depend on, where it flipped; none if they name none."""
        if self.now is None or not self.flipped:
            return ()
        then = self.step.verdict["reasons"]
        new = [reason for reason in self.now["reasons"] if reason not in then]
        return tuple(sorted({reason["change"] for reason in new if reason.get("change")}))

    @property
    def moved(self) -> bool:
        """Whether the level is the same and comes from other rules."""
        return self.now is not None and not self.flipped and _rules(self.now) != _rules(self.step.verdict)


@dataclass(frozen=True, slots=True)
class ReplayResult:
    """A session judged again.

    Attributes:
        judgements: one for each proposal, in order.
        same_program: whether it was the recorded program.
    """

    session: Session
    judgements: tuple[Judgement, ...]
    same_program: bool

    @property
    def flipped(self) -> list[Judgement]:
        """Those whose level is another now."""
        return [judgement for judgement in self.judgements if judgement.flipped]

    @property
    def semantics(self) -> int:
        """The version of meaning that it was recorded under."""
        return semantics_of(self.session)

    @property
    def unexpected(self) -> list[Judgement]:
        """The flips that no change of meaning can explain.

        Of an earlier version these are what is more permissive, and not a warning of a kind that a change takes away.
        """
        if not self.same_program or self.semantics == SEMANTICS:
            return self.flipped
        taken = {change.takes for change in changes_since(self.semantics) if change.takes}
        return [each for each in self.flipped if each.looser and not each.warned_only_of(taken)]


def replay(
    session: Session,
    program: Program,
    *,
    engine: EngineName | Opens | None = None,
    similarity: Similarity | None = None,
    courses: Courses | None = None,
) -> ReplayResult:
    """Judge every proposal of a session by a program, on the recorded screens, at the recorded times.

    The course of events is the recorded one: what was committed counts as committed, also where the program would
    have blocked it.

    Args:
        session: what was recorded.
        program: judges.
        engine: which evaluator decides, or a function that opens it; None: that of `engine_of`.
        similarity: answers ``~=`` where the journal does not.
        courses: the outcome of the same in sessions that were replayed before.

    Raises:
        JournalError: a record cannot be understood, or the guard failed on an observation.
    """
    with understood(session.path):
        semantics_of(session)
        return _replayed(session, program, engine, similarity, courses)


def semantics_of(session: Session) -> int:
    """The version of meaning that a session was recorded under.

    Raises:
        JournalError: it is none, or a later one than this version knows.
    """
    version = session.header.get("semantics", FIRST)
    if not isinstance(version, int) or isinstance(version, bool) or not FIRST <= version <= SEMANTICS:
        raise JournalError(
            f"{session.path}: recorded under version {str(version)[:20]} of meaning; this version of vsac knows "
            f"those up to {SEMANTICS}: use a newer one"
        )
    return version


def earlier_meaning(session: Session) -> str:
    """That a session was recorded under an earlier version of meaning, in words, without a full stop; else empty.

    Raises:
        JournalError: as `semantics_of`.
    """
    version = semantics_of(session)
    if version == SEMANTICS:
        return ""
    return f"The session was recorded under version {version} of meaning, this is version {SEMANTICS}"


def engine_of(session: Session) -> EngineName:
    """The engine that decided in a session; the default one if this version has it no more."""
    recorded = session.header["engine"]
    return DEFAULT_ENGINE if recorded in FORMER_ENGINES else recorded


def other_engine(session: Session) -> str:
    """A sentence for people who have a session judged again by another engine than decided in it; else empty."""
    recorded = session.header["engine"]
    if engine_of(session) == recorded:
        return ""
    return (
        f"The session was recorded under the engine {recorded}, which this version has no more: it is judged again by "
        f"{engine_of(session)}."
    )


def _replayed(
    session: Session,
    program: Program,
    engine: EngineName | Opens | None,
    similarity: Similarity | None,
    courses: Courses | None,
) -> ReplayResult:
    judgements = [
        Judgement(step, verdict.to_json() if verdict is not None else None)
        for step, verdict in judged_again(
            session, program, engine=engine, similarity=similarity, courses=courses
        )
    ]
    return ReplayResult(session, tuple(judgements), program.digest == session.header.get("digest"))


def judged_again(
    session: Session,
    program: Program,
    *,
    engine: EngineName | Opens | None = None,
    similarity: Similarity | None = None,
    courses: Courses | None = None,
) -> Iterator[tuple[Step, Verdict | None]]:
    """Each proposal with its verdict now; None where there was none (`Judgement`). See `replay`.

    Raises:
        JournalError: a record cannot be understood, or the guard failed on an observation.
    """
    for step, verdict, _ in enacted(session, program, engine=engine, similarity=similarity, courses=courses):
        yield step, verdict


def enacted(
    session: Session,
    program: Program,
    *,
    engine: EngineName | Opens | None = None,
    similarity: Similarity | None = None,
    courses: Courses | None = None,
) -> Iterator[tuple[Step, Verdict | None, Guard]]:
    """The same, each with the guard as it stands when the proposal was judged and nothing came of it yet.

    Ask the guard only what changes nothing, such as `Guard.judge_all`: it goes on with the session.

    Raises:
        JournalError: as `judged_again`.
    """
    refuse_redacted(session)
    backed = bool(session.header.get("similarity"))
    tape = Tape(session.header)
    settings = read_settings(session.header["settings"])
    # What took no time then may take it here: a verdict must not hang on the machine.
    settings = replace(settings, budget=replace(settings.budget, seconds=None))
    guard = Guard(
        program,
        today=first_day(session) or tape.now.clock.date(),
        clock=tape,
        engine=engine or engine_of(session),
        settings=settings,
        similarity=RecordedSimilarity(session, similarity) if similarity or backed else None,
        instruction=instruction_of(session),
        courses=courses or Courses(),
    )
    enactment = Enactment(session, guard, tape, follow=True)
    steps = {step.record: step for step in session.steps}
    for record in session.records[1:]:
        try:
            verdict = enactment.enact(record)
        except GuardFailed as error:
            raise JournalError(f"{session.path}, line {record.number}: {error}") from error
        if record.kind == "propose":
            step = steps[record.number]
            yield step, verdict if step.judged else None, guard


def _rules(verdict: Mapping[str, Any]) -> set[tuple[str, str]]:
    return {(reason["kind"], reason["rule"]) for reason in verdict["reasons"]}
