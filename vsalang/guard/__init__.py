"""The guard: judges what an agent proposes, keeps what was committed and seen, and says why.

>>> from vsalang.guard import Guard
>>> guard = Guard(program)                                  # doctest: +SKIP
>>> guard.observe(screen)                                   # doctest: +SKIP
>>> guard.propose(Action("finish")).level                   # doctest: +SKIP
'block'
"""

from vsalang.guard.examples import ExampleResult, StepResult, run_example
from vsalang.guard.machine import Goal, Guard, GuardFailed
from vsalang.guard.observing import Seen
from vsalang.guard.settings import Settings
from vsalang.guard.state import Snapshot
from vsalang.guard.verdict import Contract, NotAllowed, Observed, Proposal, Reason, Verdict, Why

__all__ = [
    "Contract",
    "ExampleResult",
    "Goal",
    "Guard",
    "GuardFailed",
    "NotAllowed",
    "Observed",
    "Proposal",
    "Reason",
    "Seen",
    "Settings",
    "Snapshot",
    "StepResult",
    "Verdict",
    "Why",
    "run_example",
]
