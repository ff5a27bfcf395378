"""Guesses what a schema does not say: whether a relation is permanent or shown on a screen, and its key.

Both guesses use names and descriptions only. They are always marked, for a person to confirm.
"""

import re

from vsalang.language.notations.into.naming import words

_VIEW_WORDS = frozenset(
    "bar details dialog filter filters form home info information input main menu navigation option options page panel "
    "popup query result results screen search section sort tab tabs view".split()
)
_STATE_WORDS = frozenset("preference preferences setting settings".split())
_VIEW_PHRASES = re.compile(
    r"\b(?:current(?:ly)?|shown|displayed|displays?|being viewed|opened|after (?:clicking|tapping)|visible"
    r"|on (?:the )?screen|on the [\w ]*page|selected|is open)\b",
    re.IGNORECASE,
)
_KEY_WORDS = ("id", "name", "title", "label")


def is_view(name: str, doc: str) -> bool:
    """Whether a relation seems to be about the current screen, not about permanent state."""
    parts = words(name)
    if not _STATE_WORDS.isdisjoint(parts):  # a setting is permanent
        return False
    return not _VIEW_WORDS.isdisjoint(parts) or bool(_VIEW_PHRASES.search(doc))


def key(relation: str, attributes: list[tuple[str, str]]) -> str:
    """The attribute that seems to identify a row of a permanent relation; empty if there is none.

    Args:
        attributes: name and type of each.

    It is a Text or Number named ``id``, ``name``, ``title`` or ``label``, alone or after the first word of the relation
    (``Alarm.alarm_label``), and is not the only attribute.
    """
    if len(attributes) < 2:
        return ""
    first = words(relation)[:1]
    for word in _KEY_WORDS:
        for name, kind in attributes:
            if kind in ("Text", "Number") and words(name) in ([word], [*first, word]):
                return name
    return ""
