"""What a gate says: of each request what became of it, and of one that is not let through why."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal as OneOf
from typing import TypeAlias

from vsalang.core.action import Action
from vsalang.guard import NotAllowed, Observed, Verdict

Confirm: TypeAlias = Callable[[Verdict], bool | None]
"""Asks the user about a verdict `confirm`; True only if they agreed to exactly this, None if nobody could be asked."""
Outcome: TypeAlias = OneOf["passed", "blocked", "refused", "failed"]


def nobody(verdict: Verdict) -> None:
    """The answer where no human is wired: none, which is a no."""


class ActionRefused(NotAllowed):
    """A request that is not let through whatever the rules say: it is not understood, or could not be judged."""

    def __init__(self, feedback: str) -> None:
        super().__init__(feedback)
        self.feedback = feedback


@dataclass(frozen=True, slots=True)
class GateEvent:
    """One request that acts, and what became of it.

    Attributes:
        number: from 1, in the order in which they came to the door.
        what: the request, in one line.
        outcome: ``passed``; ``blocked``: the rules say no (or the user does), or the screen changed before it was sent;
            ``refused``: it is never let through, or could not be judged; ``failed``: it was let through, and it
            failed or it is not known whether it arrived.
        feedback: why it did not pass, in words for the agent; empty if it passed.
        actions: what was judged.
        verdict: the newest on it; None if there is none.
        delivered: whether it reached the phone; None: not known.
        problem: what went wrong after it was committed.
        observed: what was seen after it.
        at: seconds since the epoch.
    """

    number: int
    what: str
    outcome: Outcome
    feedback: str = ""
    actions: tuple[Action, ...] = ()
    verdict: Verdict | None = None
    delivered: bool | None = False
    problem: str = ""
    observed: Observed | None = None
    at: float = 0.0
