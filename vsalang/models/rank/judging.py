"""Leaves out the candidates that the guard blocks, with its reasons."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Final, Protocol

from vsalang.base.records import dataclass
from vsalang.guard import Guard, Proposal, Reason
from vsalang.models.rank.candidate import (
    CANDIDATE_KINDS,
    Candidate,
    DroppedAction,
    DropRule,
    Enumeration,
    JudgedCandidate,
)
from vsalang.program.example import Level
from vsalang.program.ir import License, Program
from vsalang.program.text import line

_WHATEVER: Final = frozenset(
    {"closed", "unknown_screen", "unresolved", "no_screen", "running", "finished", "error"}
)
"""Kinds of reasons that block an action whatever is typed, opened or answered."""
_UNLICENSED: Final = frozenset({"unlicensed", "unmet", "incomplete", "licence"})
"""Kinds of reasons that say that no clause permits an effect."""
_LONGEST: Final = 300


class Judgement(Protocol):
    """What is needed of a verdict."""

    @property
    def level(self) -> Level: ...

    @property
    def reasons(self) -> tuple[Reason, ...]:
        """Why the level is what it is."""
        ...


Judge = Callable[[Sequence[Proposal]], Sequence[Judgement]]
"""Judges proposals as if each were made now, and changes nothing: `Guard.judge_all`."""


@dataclass(frozen=True, slots=True)
class JudgedCandidates:
    """What the guard leaves of the candidates.

    Attributes:
        kept: those that it does not block, in their order.
        dropped: the others, and what was none before.
        verdicts: key of a candidate that is kept -> the verdict on it.
    """

    kept: tuple[JudgedCandidate, ...]
    dropped: tuple[DroppedAction, ...]
    verdicts: Mapping[str, Judgement]

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        """The candidates that are kept."""
        return tuple(one.candidate for one in self.kept)


def allowed(judge: Judge, program: Program, enumeration: Enumeration) -> JudgedCandidates:
    """Judge all candidates at once, and leave out those that are blocked.

    One that needs a text, an app or an answer is judged without it. It is dropped if it is blocked whatever that may
    be, and else kept as `open`: it must be judged again when it is `completed`.

    Args:
        judge: of the guard.
        program: the task; an answer is a candidate only where it allows one.
        enumeration: the candidates of the screen that the guard has observed.
    """
    kept: list[JudgedCandidate] = []
    dropped = list(enumeration.dropped)
    verdicts: dict[str, Judgement] = {}
    asked = enumeration.candidates
    while asked:
        blocked: set[str] = set()
        for candidate, verdict in zip(asked, judge([one.proposal for one in asked]), strict=True):
            reasons = tuple(reason for reason in verdict.reasons if reason.level == "block")
            if verdict.level == "block" and not _open(candidate, program, reasons):
                dropped.append(_blocked(candidate, reasons))
                blocked.add(candidate.key)
                continue
            level, needs = verdict.level, candidate.needs is not None
            kept.append(
                JudgedCandidate(
                    candidate, "confirm" if level == "block" else level, verdict.reasons, open=needs
                )
            )
            verdicts[candidate.key] = verdict
        # what does the same as one that is blocked may be permitted all the same
        spare = spared(dropped, blocked)
        asked, dropped = spare.candidates, list(spare.dropped)
    return JudgedCandidates(tuple(kept), tuple(dropped), verdicts)


def spared(
    dropped: Sequence[DroppedAction],
    gone: Collection[str],
    kinds: Collection[str] = CANDIDATE_KINDS,
) -> Enumeration:
    """What was dropped for candidates that are gone, as candidates; and what stays dropped.

    Args:
        dropped: what is not a candidate.
        gone: the keys of candidates that cannot be done.
        kinds: what comes back.
    """
    back: list[Candidate] = []
    stay: list[DroppedAction] = []
    for one in dropped:
        if one.candidate is not None and one.instead in gone and one.candidate.kind in kinds:
            back.append(one.candidate)
        else:
            stay.append(one)
    return Enumeration(tuple(back), tuple(stay))


def _open(candidate: Candidate, program: Program, reasons: Sequence[Reason]) -> bool:
    """Whether what a candidate needs may decide otherwise."""
    if candidate.needs is None or any(reason.kind in _WHATEVER for reason in reasons):
        return False
    return candidate.kind != "answer" or any(
        isinstance(rule.head, License) and rule.head.atom.relation == "answer" for rule in program.rules
    )


def _blocked(candidate: Candidate, reasons: Sequence[Reason]) -> DroppedAction:
    rules = tuple(dict.fromkeys(reason.rule for reason in reasons if reason.rule))
    rule: DropRule = "blocked"
    if candidate.kind == "finish":
        rule = "not done"
    elif any(reason.kind in _UNLICENSED for reason in reasons):
        rule = "not allowed"
    return DroppedAction(candidate.text, rule, candidate=candidate, rules=rules, reasons=tuple(reasons))


def one_by_one(guard: Guard) -> Judge:
    """Judges each proposal by itself, as if it were made now."""

    def judge(proposals: Sequence[Proposal]) -> Sequence[Judgement]:
        return list(_foreseen(guard, proposals))

    return judge


@dataclass(frozen=True, slots=True)
class _SingleJudgement:
    level: Level
    reasons: tuple[Reason, ...]


def _foreseen(guard: Guard, proposals: Sequence[Proposal]) -> Iterator[_SingleJudgement]:
    for proposal in proposals:
        try:
            judged = guard.machine.foreseen(proposal)
        except Exception as error:
            # An internal error is never an allow.
            yield _SingleJudgement(
                "block", (Reason("error", "block", f"internal error: {line(str(error), _LONGEST)}"),)
            )
        else:
            yield _SingleJudgement(judged.level, judged.reasons)
