"""Words of a screen as they may be shown: in quotes, and cut."""

from typing import Final

from vsalang.program.text import safe as in_quotes

_WIDEST_CUT: Final = 4000
_SHORT: Final = 60
"""So many characters of a label are shown, as in certificates."""


def quoted(text: str) -> str:
    """Untrusted text in quotes, as it may be shown."""
    return in_quotes(text, _WIDEST_CUT)


def short(text: str) -> str:
    """Words of a screen in quotes, cut: a page of text is one label to a reader of lines."""
    return in_quotes(text, _SHORT)
