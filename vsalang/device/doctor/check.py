"""One thing that was looked at, and what came of it."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal

Level = Literal["ok", "warn", "fail"]
LEVELS: Final[tuple[Level, ...]] = ("ok", "warn", "fail")
"""From good to bad: ``warn`` can be lived with, ``fail`` is in the way."""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at.

    Attributes:
        group: under which heading it is shown.
        name: what was looked at, in a word or two.
        level: what came of it.
        message: one line.
        fix: a command that mends it, or what to do; empty if nothing is to be done.
        repair: the shell command for the phone that ``--fix`` runs; empty if it is the user's to mend.
    """

    group: str
    name: str
    level: Level
    message: str
    fix: str = ""
    repair: str = ""


def worst(checks: Iterable[Check]) -> Level:
    """The worst level of some checks."""
    return max((check.level for check in checks), key=LEVELS.index, default="ok")
