"""The version of meaning: what programs mean, as journals and exported programs carry it.

A journal of an earlier version is judged again by today's meaning; `CHANGES` says what has changed since.
"""

from typing import Final

from vsalang.base.records import dataclass


@dataclass(frozen=True, slots=True)
class Change:
    """A change of meaning.

    Attributes:
        name: as reasons of a verdict name the change that they depend on.
        since: the version that it came with.
        words: what is different, in one sentence.
        takes: the kind of reason of which it may take a warning away; empty: it takes none.
    """

    name: str
    since: int
    words: str
    takes: str = ""


UNREAD: Final = "unread"
BOXES: Final = "boxes"
TEXTS: Final = "texts"
CHANGES: Final = (
    Change(UNREAD, 2, "what nobody read adds duty"),
    Change(BOXES, 2, "boxes that cannot be right are judged both ways"),
    Change(TEXTS, 2, "patterns know all scripts and what a text hides; ~= keeps punctuation that counts"),
    Change("contracts", 2, "what may have come by itself, or from elsewhere, meets no contract"),
    Change("permissions", 2, "every control of a permission dialog permits but those that refuse"),
    Change("touched", 2, "the nodes that an action is about are checked before and after the touch"),
    Change(
        "rows",
        2,
        "a list is complete only if each row that shows was read whole; belief ends with its evidence",
    ),
    Change("then", 2, "a then inside a definition does not let undone work count"),
    Change("order", 3, "what stands right of then is asked once its left side has held", takes="frontier"),
    Change("keyed", 4, "a row of a list with key stays known when an action adds or removes another one"),
)
"""The oldest first. The reasons of a verdict name the first three; the others show in what rules say."""
SEMANTICS: Final = max(change.since for change in CHANGES)
"""The version of today."""
FIRST: Final = 1
"""The version of journals and programs that carry none."""


def changes_since(version: int) -> tuple[Change, ...]:
    """What changed after a version."""
    return tuple(change for change in CHANGES if change.since > version)
