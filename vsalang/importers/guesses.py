"""What a schema does not say: whether a relation lasts or lives on a screen, and what tells its rows apart.

Both guesses read names and descriptions only. They are marked wherever they show, for a person to confirm.
"""

import re

from vsalang.importers.naming import words

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
    """Whether a relation seems to say what is on the screen now, rather than what lasts."""
    parts = words(name)
    if not _STATE_WORDS.isdisjoint(parts):  # a setting outlives the screen that shows it
        return False
    return not _VIEW_WORDS.isdisjoint(parts) or bool(_VIEW_PHRASES.search(doc))


def key(relation: str, attributes: list[tuple[str, str]]) -> str:
    """The attribute that seems to name a row of a lasting relation; an empty text if none does.

    Args:
        attributes: name and type of each.

    An attribute is taken if it is a Text or Number and called ``id``, ``name``, ``title`` or ``label``, alone or
    after the first word of the relation (``Alarm.alarm_label``), and there is something else to say of the row.
    """
    if len(attributes) < 2:
        return ""
    first = words(relation)[:1]
    for word in _KEY_WORDS:
        for name, kind in attributes:
            if kind in ("Text", "Number") and words(name) in ([word], [*first, word]):
                return name
    return ""
