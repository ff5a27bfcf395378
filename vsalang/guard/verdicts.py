"""Makes verdicts of what judging found, for one proposal and for many at once; the session stays as it is.

`vsalang.guard.machine.Machine` moves the session.
"""

import datetime as dt
import time
from collections.abc import Callable, Iterable
from typing import Final, TypeAlias

from vsalang.base.collector import no_collection
from vsalang.engine.api import EngineError
from vsalang.engine.explain.match import known_cells
from vsalang.guard.say.touched import touched_text
from vsalang.guard.say.verdict import Proposal, Reason, Verdict
from vsalang.guard.session import Session
from vsalang.guard.world.about_actions import about_actions
from vsalang.guard.world.clock import Times
from vsalang.guard.world.session_state import JudgedProposal
from vsalang.program.action import Action
from vsalang.program.example import LEVELS
from vsalang.program.phrases import say
from vsalang.program.text import safe

_HELD: Final = frozenset({"error", "running", "finished"})
"""Kinds of reasons that hold in every mode: what was not judged, or what would come while an action is under way or
after the session cannot be accounted for."""

Judges: TypeAlias = Callable[[Proposal, Times, bool], JudgedProposal]
"""Judges a proposal at a time; the flag says that exactly it was warned of, and may pass."""


def is_repeated(at: Session, key: object) -> bool:
    """Whether a proposal of this key was warned of last, and may still pass by repetition."""
    return at.warned == (key, at.state.version) and (
        at.settings.overrides is None or at.state.overrides < at.settings.overrides
    )


def warnings_of(judged: JudgedProposal) -> frozenset[tuple[str, str]]:
    """What the agent is told by a verdict: the kinds and rules of its reasons."""
    return frozenset((reason.kind, reason.rule) for reason in judged.reasons)


def verdict_of(
    at: Session,
    proposal: Proposal,
    judged: JudgedProposal,
    now: Times,
    begun: float,
    *,
    token: int,
    repeated: bool = False,
    is_answered: bool = True,
) -> Verdict:
    """P10 Repetition: what was judged, as a verdict; a warning passes if exactly it is proposed again.

    Args:
        begun: when judging began, by `time.perf_counter`.
        token: the number of the verdict in the session.
        repeated: exactly this proposal was warned of, and may pass.
        is_answered: the screen can tell its fingerprint.
    """
    # What the agent was not warned of, such as what became true with the time, it cannot have thought about.
    overridden = repeated and judged.level == "warn" and warnings_of(judged) <= at.warned_of
    level = judged.level
    screen = at.state.screen
    actions = tuple(
        Action(name, known_cells(at.program.relation(name), row))
        for name, rows in judged.instances.items()
        for row in rows
    )
    return Verdict(
        "allow" if overridden else level,
        tuple(sorted(judged.reasons, key=lambda reason: -LEVELS.index(reason.level))),
        proposal,
        token,
        now.clock,
        screen.fingerprint if screen is not None and is_answered else "",
        actions,
        judged.screens,
        judged.flags,
        overridden,
        at.settings.mode,
        at.settings.mode != "shadow" or any(reason.kind in _HELD for reason in judged.reasons),
        judged.licensed,
        time.perf_counter() - begun,
        now,
        about_actions(actions, judged.read, screen) if is_answered and level != "block" else (),
        touched_text(proposal.gesture, judged.cells),
    )


def verdict_of_error(at: Session, proposal: Proposal, error: Exception, begun: float, token: int) -> Verdict:
    """The verdict where judging failed: a block."""
    never = Times.all_at(dt.datetime.min)
    return verdict_of(at, proposal, judged_of_error(error), never, begun, token=token, is_answered=False)


def judged_of_error(error: Exception) -> JudgedProposal:
    """What was found where judging failed: a reason to block."""
    return JudgedProposal((error_reason("reason.error", error),))


def error_reason(words: str, error: Exception) -> Reason:
    """An internal error as a reason to block."""
    cause: BaseException = error
    while isinstance(cause, EngineError) and cause.__context__ is not None and not cause.__suppress_context__:
        cause = cause.__context__  # what an engine says after a failure is that there was one
    return Reason("error", "block", say(words, error=f"{type(cause).__name__}: {safe(str(cause), 300)}"))


@no_collection()
def judge_each(at: Session, judge: Judges, proposals: Iterable[Proposal]) -> tuple[Verdict, ...]:
    """What each of these proposals would be answered now, were it the only one. All are judged at one time.

    No verdict of these can be committed: none has a number (`Verdict.token` is 0), and none is the session's newest.

    Args:
        at: its lock is held.
        judge: as the session judges.
    """
    now: Times | None = None
    known: dict[object, Verdict] = {}
    verdicts: list[Verdict] = []
    for proposal in proposals:
        begun = time.perf_counter()
        try:
            key = proposal.key()
            verdict = known.get(key)
            if verdict is None or verdict.proposal != proposal:
                now = now or at.clock.read()
                repeated = is_repeated(at, key)
                judged = judge(proposal, now, repeated)
                verdict = verdict_of(at, proposal, judged, now, begun, token=0, repeated=repeated)
                known[key] = verdict
        except Exception as error:
            # An internal error is never an allow.
            verdict = verdict_of_error(at, proposal, error, begun, token=0)
        verdicts.append(verdict)
    return tuple(verdicts)
