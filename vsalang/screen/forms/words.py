"""Reads `words.toml`: the few words that structure alone cannot do without, in fourteen languages."""

import re
import tomllib
from functools import lru_cache
from pathlib import Path
from typing import Final

from vsalang.program.text import fold_case, plain

_FILE: Final = Path(__file__).with_name("words.toml")
_LONGEST: Final = 200
"""Longer texts, in characters, are not names of buttons."""


@lru_cache(4096)
def phrase(text: str | None) -> str:
    """A text as the tables have it: folded, on one line, without blanks and marks at its ends; empty if it is long."""
    if not text or len(text) > _LONGEST:
        return ""
    return _folded(" ".join(plain(text).split())).strip(" .!:…,·•")


def _folded(text: str) -> str:
    """Without case; Turkish has two letters i, of which capitals of other languages know one."""
    return fold_case(text).replace("i\u0307", "i").replace("ı", "i")


@lru_cache(4096)
def id_words(name: str) -> tuple[str, ...]:
    """The words of an id, in lower case: ``save``, ``all`` of ``btn_saveAll`` after ``btn``; digits are left out."""
    return tuple(word.lower() for word in _ID_WORD.findall(name[:_LONGEST]))


_ID_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def _tables() -> dict[str, frozenset[str]]:
    read = tomllib.loads(_FILE.read_text(encoding="utf-8"))
    return {
        name: frozenset(_folded(word) for words in languages.values() for word in words)
        for name, languages in read.items()
    }


def _within(words: frozenset[str]) -> re.Pattern[str]:
    """A pattern that finds one of the words in a folded text: whole words, where the script has blanks."""
    result = []
    for word in sorted(words, key=lambda word: (-len(word), word)):
        stem = re.escape(word.removesuffix("*")) + (r"\w*" if word.endswith("*") else "")
        result.append(stem if _has_no_blanks(word) else rf"(?<!\w){stem}(?!\w)")
    return re.compile("|".join(result))


def _has_no_blanks(word: str) -> bool:
    return any("\u3040" <= char <= "\u9fff" or "\uac00" <= char <= "\ud7a3" for char in word)


_TABLES: Final = _tables()

AGREES: Final = _TABLES["agrees"]
"""What a button says that closes positively whatever it closes."""
GOES_ON: Final = _TABLES["goes_on"]
"""What a button says that on a page often only shows the next one."""
DECLINES: Final = _TABLES["declines"]
"""What a button says that closes negatively whatever it closes."""
CANCELS: Final = _TABLES["cancels"]
"""Of these, what leaves a form also where it is not in front of a page."""
KEEPS: Final = _TABLES["keeps"]
"""What a button in the bar of a page says that keeps what was changed on it."""
SEARCHES: Final = _TABLES["searches"]
"""The first word in a field by which something is searched for."""
BACK: Final = _TABLES["back"]
"""What the arrow at the top left says."""
READ: Final = _TABLES["read"]
"""What the only button of a message says that only confirms that it was read."""
DEEDS: Final = _TABLES["deeds"]
"""What an item of a bar at the lower end says that does something."""
SCRIM: Final = _TABLES["scrim"]
"""What the dimmed part behind a dialog, sheet or drawer says to a screen reader."""
EVERY: Final = _TABLES["every"]
"""What the box says that ticks all rows."""
SETTINGS: Final = _TABLES["settings"]
"""What the title of a page of settings says."""
TOTAL: Final = _within(_TABLES["total"])
"""Finds words next to the amount that is the whole one."""
PART: Final = _within(_TABLES["part"])
"""Finds words next to an amount that is only a part."""
BALANCE: Final = _within(_TABLES["balance"])
"""Finds words of an amount that is there to be spent."""
COUNTED: Final = _within(_TABLES["selected"])
"""Finds words next to the number of what is selected."""
