"""One check and its result."""

from collections.abc import Iterable
from typing import Final, Literal

from vsalang.base.records import dataclass

Level = Literal["ok", "warn", "fail"]
LEVELS: Final[tuple[Level, ...]] = ("ok", "warn", "fail")
"""From good to bad: with ``warn`` a phone can be guarded, with ``fail`` it cannot."""


@dataclass(frozen=True, slots=True)
class Check:
    """One check and its result.

    Attributes:
        group: under which heading it is shown.
        name: what was checked, in a word or two.
        level: the result.
        message: one line.
        fix: a command that fixes it, or what to do; empty if nothing is to be done.
        repair: the shell command for the phone that ``--fix`` runs; empty if only the user can fix it.
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
