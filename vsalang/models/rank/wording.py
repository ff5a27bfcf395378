"""Compares words of a task with those of controls: stems, words of one meaning, misspellings, literal values."""

import difflib
import re
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Final

from vsalang.base.records import dataclass
from vsalang.base.source.opening import read_regular
from vsalang.program.text import fold_case

MAX_TEXT: Final = 2000
"""So many characters of a text are looked at."""
_WORD: Final = re.compile(r"[^\W\d_]+|\d+")
_CAMEL: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
_QUOTED: Final = re.compile(r"[\"'‘’“”]([^\"'‘’“”\n]{1,200})[\"'‘’“”]")
_NUMBER: Final = re.compile(r"\d[\d:.,]*\d|\d")
_FILE: Final = re.compile(r"[\w-]+\.\w{2,5}\b")
_SUFFIXES: Final = ("ations", "ation", "ings", "ing", "ies", "ers", "er", "ed", "es", "s", "ly", "y", "e")
_SHORTEST: Final = 3
_MOST_FILE: Final = 1 << 20
_ALIKE: Final = 0.84
"""The similarity (`difflib`) from which a long word counts as another one, misspelled."""
_LONG: Final = 5
_NUMERALS: Final[Mapping[str, str]] = {
    word: str(number)
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve".split()
    )
}


@cache
def concepts() -> Mapping[str, Any]:
    """The shipped lists of words (``concepts.toml``)."""
    import tomllib

    return tomllib.loads(read_regular(Path(__file__).parent / "concepts.toml", _MOST_FILE).decode("utf-8"))


@cache
def listed(name: str) -> frozenset[str]:
    """The words of one of the lists, as stems."""
    return frozenset(stem(word) for word in str(concepts()[name]).split())


@cache
def _groups() -> Mapping[str, str]:
    groups: dict[str, str] = {}
    for line in concepts()["groups"]:
        first, *others = line.split()
        for word in (first, *others):
            groups.setdefault(_cut(word), _cut(first))
    return groups


def _cut(word: str) -> str:
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= _SHORTEST:
            return word[: -len(suffix)]
    return word


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """The stem of a word, case-folded; of a word that means the same as another the stem of that one."""
    word = _NUMERALS.get(word, word)
    cut = _cut(word)
    return _groups().get(cut, cut)


@lru_cache(maxsize=20_000)
def stems(text: str) -> tuple[str, ...]:
    """The stems of the words of a text, in order, without small words. Words in camel case are several."""
    words = _WORD.findall(fold_case(_CAMEL.sub(" ", text[:MAX_TEXT])))
    return tuple(stem(word) for word in words if word not in _small())


@cache
def _small() -> frozenset[str]:
    return frozenset(str(concepts()["small"]).split())


@lru_cache(maxsize=100_000)
def alike(one: str, other: str) -> bool:
    """Whether two stems are one word: equal, or long and one the beginning or a misspelling of the other."""
    if one == other:
        return True
    if one.isdigit() or other.isdigit():
        return False
    short, long = sorted((one, other), key=len)
    if len(short) >= _LONG - 1 and long.startswith(short):
        return True
    return len(short) >= _LONG and difflib.SequenceMatcher(None, one, other).ratio() >= _ALIKE


def plain(text: str) -> str:
    """The words of a text, folded and separated by blanks."""
    return " ".join(_WORD.findall(fold_case(_CAMEL.sub(" ", text[:MAX_TEXT]))))


@dataclass(frozen=True, slots=True)
class TaskWords:
    """The words of a task.

    Attributes:
        stems: of its words, in order, each once.
        literals: what it gives word by word: in quotes, names of files, numbers, names.
        plain: all words, folded.
        wants: 1: it wants something on; -1: off; 0: neither, or both.
        about_settings: whether it is about how an app behaves.
        asks: whether it asks for an answer.
    """

    stems: tuple[str, ...]
    literals: tuple[str, ...]
    plain: str
    wants: int
    about_settings: bool
    asks: bool


_ASKING: Final = re.compile(r"\b(what|which|how|who|when|where|tell me)\b|\?\s*$", re.IGNORECASE)


@lru_cache(maxsize=2000)
def task_words(task: str) -> TaskWords:
    """The words of a task."""
    text = task[:MAX_TEXT]
    all_stems = dict.fromkeys(stems(text))
    words = frozenset(_WORD.findall(fold_case(text)))
    on = bool({stem(word) for word in words} & listed("on"))
    off = bool({stem(word) for word in words} & listed("off"))
    return TaskWords(
        tuple(all_stems),
        literals(text),
        plain(text),
        -1 if off else 1 if on else 0,
        bool(frozenset(all_stems) & listed("settings")),
        _ASKING.search(text) is not None,
    )


def literals(text: str) -> tuple[str, ...]:
    """What a text gives word by word: in quotes; names of files; numbers; words with a capital inside the sentence."""
    values = [match.group(1).strip() for match in _QUOTED.finditer(text)]
    rest = _QUOTED.sub(" ", text)
    values += _FILE.findall(rest)
    values += _NUMBER.findall(_FILE.sub(" ", rest))
    # a first word has a capital anyway
    for match in re.finditer(r"(?<=[a-z,:] )[A-Z][\w-]*(?: [A-Z][\w-]*)*", _FILE.sub(" ", rest)):
        values.append(match.group())
    return tuple(dict.fromkeys(one for one in values if one))


def shared_words(words: Iterable[str], by: Iterable[str]) -> tuple[str, ...]:
    """Those of the first stems that are among the others."""
    others = tuple(dict.fromkeys(by))
    return tuple(one for one in words if any(alike(one, other) for other in others))
