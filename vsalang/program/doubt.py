"""Whether what a text says is in doubt: it is too long to be read, mixes scripts in a word, or turns its direction.

Such a text may look like another one to a person. So it is not similar to a constant, and not dissimilar either.
"""

import re
import unicodedata
from functools import lru_cache
from typing import Final

from vsalang.program.text import canonical, is_invisible, plain

LONGEST: Final = 20_000
"""Longer texts, in characters after NFKC, are not read."""
_KEPT: Final = 500
"""What was found of texts up to this length is remembered."""
_TURNING: Final = re.compile("[\u202d\u202e]")
_TURNING_LEFT_TO_RIGHT: Final = re.compile("[\u202b\u2067]")
_UNITS: Final = frozenset("ΩμΜ")
"""Greek letters of units such as kΩ and μm, as a normal form writes them; Μ is the capital of μ."""
# Writing systems that use several scripts together (UTS #39, augmented script sets).
_TOGETHER: Final = dict.fromkeys(
    ("CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "IDEOGRAPHIC", "HANGUL", "BOPOMOFO"), "EAST ASIAN"
)

_UNLIKE: Final = frozenset({"EAST ASIAN", "ARABIC", "HEBREW", "THAI"})
"""Scripts with no letter that looks like one of another alphabet: "Tシャツ" is in no doubt."""


def doubt(text: str) -> str:
    """Why it is in doubt what a text says, for a person: "it ..."; empty if it is not."""
    if text.isascii():
        return _TOO_LONG if len(text) > LONGEST else ""
    if too_long(text):
        return _TOO_LONG
    return _looked_at(text)[1]


_TOO_LONG: Final = f"it has more than {LONGEST:,} characters"


def too_long(text: str) -> bool:
    """Whether a text has too many characters; some become 18 in a normal form."""
    if len(text) > LONGEST:
        return True
    return len(text) * 18 > LONGEST and len(unicodedata.normalize("NFKC", text)) > LONGEST


def hides(text: str) -> bool:
    """Whether a canonical text may be another one than a person takes it for.

    It has invisible characters next to letters or digits, or a word of it mixes scripts, or it turns its direction.
    Marks of direction around a word, joiners in scripts that need them, and what forms an emoji hide nothing.
    """
    if text.isascii():
        return False
    if too_long(text):
        return _has_hidden(text)
    return _has_hidden(text) or _looked_at(text)[1] != ""


def _has_hidden(text: str) -> bool:
    return any(
        _is_hidden(text, at) for at, char in enumerate(text) if not char.isascii() and is_invisible(char)
    )


_DIRECTION: Final = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u2066\u2067\u2068\u2069")
_JOINERS: Final = frozenset("\u200c\u200d")
_FIRST_JOINED: Final = "\u0590"
"""Scripts from here on join letters, or part them, by invisible characters."""
_KEYCAP: Final = "\u20e3"


def _is_hidden(text: str, at: int) -> bool:
    before, after = text[at - 1 : at], text[at + 1 : at + 2]
    if after == _KEYCAP:
        return False
    if text[at] in _DIRECTION:
        return before.isalnum() and after.isalnum()
    if text[at] in _JOINERS and before >= _FIRST_JOINED:
        return False
    return before.isalnum() or after.isalnum()


def scripts_agree(text: str, constant: str) -> bool:
    """No word of either mixes scripts, and where both have letters they use the same scripts."""
    if text.isascii() and constant.isascii():
        return True
    one, other = _looked_at(text)[0], _looked_at(constant)[0]
    if one is None or other is None:
        return False
    return not one or not other or one == other


def _looked_at(text: str) -> tuple[frozenset[str] | None, str]:
    """The scripts of the words of a text, None if a word mixes two; and why it is in doubt what it says."""
    return _remembered(text) if len(text) <= _KEPT else _look_at(text)


def _look_at(text: str) -> tuple[frozenset[str] | None, str]:
    scripts = _scripts(plain(unicodedata.normalize("NFKC", plain(unicodedata.normalize("NFKC", text)))))
    if scripts is None:
        return None, "a word of it mixes letters of two scripts"
    turns = _TURNING.search(text) is not None
    if not turns and _TURNING_LEFT_TO_RIGHT.search(text):  # what is written from right to left may need it
        turns = not any(unicodedata.bidirectional(char) in ("R", "AL") for char in text)
    return scripts, "it turns the direction of writing" if turns and any(map(str.isalnum, text)) else ""


_remembered: Final = lru_cache(maxsize=4096)(_look_at)


def _scripts(text: str) -> frozenset[str] | None:
    """The scripts of the words of the text; None if one word mixes two that look alike.

    A letter's script is the first word of its Unicode name, which holds for the alphabets that can be
    confused.
    """
    scripts: set[str] = set()
    in_word = ""
    for char in canonical(text):
        if not (char.isalnum() or unicodedata.category(char)[0] == "M"):
            in_word = ""
            continue
        if not char.isalpha() or char in _UNITS:
            continue
        script = "LATIN" if char.isascii() else unicodedata.name(char, "UNNAMED").split(" ", 1)[0]
        if script == "MODIFIER":
            continue
        script = _TOGETHER.get(script, script)
        if in_word and script != in_word and _UNLIKE.isdisjoint((script, in_word)):
            return None
        in_word = script
        scripts.add(script)
    return frozenset(scripts)
