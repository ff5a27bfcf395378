"""How rules are read: what adds duty reads *supposed*, what takes duty away reads *certainly* (`language.md#readings`).

This is the only place that decides it. A rule's reading follows from its head, so that no rule and no step of judging
can choose another one.
"""

from enum import Enum
from typing import assert_never

from vsalang.program.ir import Derive, Expect, Goto, Judge, License, Mark, Recognize, Rule, Write


class Polarity(Enum):
    """What it means for a proposal that a rule holds."""

    ADDS_DUTY = "supposed"
    """It holds if what nobody read may be so."""
    TAKES_DUTY_AWAY = "certain"
    """It holds only if it is so whatever nobody read or saw: the engine reads it so."""
    TELLS = "plain"
    """It says what is, or what will be, and holds of what is known."""


def polarity(rule: Rule) -> Polarity:
    """How a rule is read."""
    match rule.head:
        case Recognize():
            return Polarity.ADDS_DUTY
        case License():
            return Polarity.TAKES_DUTY_AWAY
        case Judge(level="deny" | "confirm" | "warn"):
            return Polarity.ADDS_DUTY
        case Judge() | Write() | Mark() | Goto() | Expect() | Derive():
            return Polarity.TELLS
    assert_never(rule.head)
