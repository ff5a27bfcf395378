"""Digests in outputs that a page or a golden file shows: any change of a program, an app or a module changes them."""

import re

_WHOLE = re.compile(r"\b[0-9a-f]{64}\b")
_SHORT = re.compile(r"\b[0-9a-f]{12}\b")
_LINE = re.compile(r"^In force: .*$", re.MULTILINE)


def masked(text: str) -> str:
    """The text with HASH for each SHA-256, and for the short ones of the lines that say what is in force."""
    return _LINE.sub(lambda found: _SHORT.sub("HASH", found[0]), _WHOLE.sub("HASH", text))
