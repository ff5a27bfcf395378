"""The version of the meaning of rules, and what each version changed for those who have rules and journals.

A program says under which version it was made, a journal under which one its verdicts were reached. `vsac replay` tells
by it which verdicts are others because the meaning changed.
"""

from collections.abc import Iterable
from typing import Final

from vsalang.base.records import dataclass

MEANING: Final = 2
"""The version that this package judges by. Journals that name none are of version 1."""


@dataclass(frozen=True, slots=True)
class MeaningChange:
    """One change of the meaning of rules. It never makes a verdict more permissive.

    Attributes:
        id: names its section of the page `docs/reference/changes.md`.
        version: the first version of the meaning that has it.
        title: what changed, in a sentence without a full stop.
        reasons: the kinds of reasons that a verdict may have gained by it.
    """

    id: str
    version: int
    title: str
    reasons: frozenset[str]


CHANGES: Final[tuple[MeaningChange, ...]] = ()
"""All changes, the oldest first."""


def changes_since(version: int) -> tuple[MeaningChange, ...]:
    """The changes that are newer than a version."""
    return tuple(change for change in CHANGES if change.version > version)


def causes(gained: Iterable[str], version: int) -> tuple[MeaningChange, ...]:
    """The changes since a version that may have given a verdict new reasons of these kinds."""
    kinds = frozenset(gained)
    return tuple(change for change in changes_since(version) if change.reasons & kinds)
