"""The events of a gate: each request with its outcome, and why it did not pass."""

from collections.abc import Callable
from typing import Literal as OneOf
from typing import TypeAlias

from vsalang.base.records import dataclass
from vsalang.guard import NotAllowed, ObservationResult, Verdict
from vsalang.guard.say.agent_hints import AgentHint
from vsalang.program.action import Action

Confirm: TypeAlias = Callable[[Verdict], bool | None]
"""Asks the user about a verdict `confirm`; returns True only if they agreed to this, None if nobody could be asked."""
Outcome: TypeAlias = OneOf["passed", "blocked", "refused", "failed"]


def nobody(verdict: Verdict) -> None:
    """The answer if there is nobody to ask: None, which means no."""


class ActionRefused(NotAllowed):
    """A request that is refused independently of the rules: it is not understood, or could not be judged."""

    def __init__(self, feedback: str) -> None:
        super().__init__(feedback)
        self.feedback = feedback


@dataclass(frozen=True, slots=True)
class GateEvent:
    """One request that acts, and its outcome.

    Attributes:
        number: from 1, in the order of the requests.
        what: the request, in one line.
        outcome: ``passed``; ``blocked``: by the rules or the user, or because the screen changed before it was sent;
            ``refused``: it is never allowed, or could not be judged; ``failed``: it was sent, and it failed or it is
            not known whether it arrived.
        feedback: text for the agent: why it did not pass; what came out otherwise than expected if it did.
        actions: the judged actions.
        verdict: the last one; None if there is none.
        delivered: whether it reached the phone; None: not known.
        problem: what went wrong after it was committed.
        observed: what was observed after it.
        at: seconds since the epoch.
        hint: the agent's next steps, if the guard's session has hints; they permit nothing.
    """

    number: int
    what: str
    outcome: Outcome
    feedback: str = ""
    actions: tuple[Action, ...] = ()
    verdict: Verdict | None = None
    delivered: bool | None = False
    problem: str = ""
    observed: ObservationResult | None = None
    at: float = 0.0
    hint: AgentHint | None = None
