"""The guard: judges what an agent proposes, keeps what was committed and seen, and says why.

>>> from vsalang.guard import Guard
>>> guard = Guard(program)                                  # doctest: +SKIP
>>> guard.observe(screen)                                   # doctest: +SKIP
>>> guard.propose(Action("finish")).level                   # doctest: +SKIP
'block'
"""

from typing import TYPE_CHECKING, Any

from vsalang.guard.acting import ActionBlocked, Phone, StepOutcome
from vsalang.guard.api import Guard
from vsalang.guard.examples import ExampleResult, StepResult, run_example
from vsalang.guard.machine import GuardFailed
from vsalang.guard.say.verdict import (
    Contract,
    ExpectedCondition,
    NotAllowed,
    ObservationResult,
    Proposal,
    Reason,
    Verdict,
    WantedValue,
    Why,
)
from vsalang.guard.session import Goal
from vsalang.guard.settings import Settings
from vsalang.guard.user.questions import AnswerRefused, Asker, Question
from vsalang.guard.world.observing import KnownWorld
from vsalang.guard.world.session_state import Snapshot

if TYPE_CHECKING:
    from vsalang.guard.aio import AsyncGuard as AsyncGuard

__all__ = [
    "ActionBlocked",
    "AnswerRefused",
    "Asker",
    "AsyncGuard",
    "Contract",
    "ExampleResult",
    "ExpectedCondition",
    "Goal",
    "Guard",
    "GuardFailed",
    "KnownWorld",
    "NotAllowed",
    "ObservationResult",
    "Phone",
    "Proposal",
    "Question",
    "Reason",
    "Settings",
    "Snapshot",
    "StepOutcome",
    "StepResult",
    "Verdict",
    "WantedValue",
    "Why",
    "run_example",
]


def __getattr__(name: str) -> Any:
    """`AsyncGuard` when it is first asked for: it imports asyncio, for which most commands have no use."""
    if name != "AsyncGuard":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from vsalang.guard.aio import AsyncGuard

    return AsyncGuard
