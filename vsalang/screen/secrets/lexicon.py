"""The user's lexicon: words and phrases that count as secrets, such as the names of projects or people.

A file of UTF-8 text with one word or phrase a line; empty lines and lines that begin with ``#`` are left out. The words
are matched by an Aho-Corasick automaton, so that the time does not depend on how many there are (A. V. Aho and
M. J. Corasick, "Efficient String Matching", CACM 18(6), 1975).
"""

import unicodedata
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from vsalang.base.source.opening import open_regular
from vsalang.program.text import plain
from vsalang.screen.secrets.folding import fold_words

MAX_WORDS: Final = 20_000
MAX_WORD: Final = 100
MAX_BYTES: Final = 2 * 1024 * 1024


class LexiconError(Exception):
    """The lexicon cannot be read; the message names the file and the line."""


class Lexicon:
    """Words to look for.

    Args:
        words: the words and phrases as they are to be shown; those that are equal but for case are one.
    """

    def __init__(self, words: Iterable[str] = ()) -> None:
        self.words = tuple(dict.fromkeys(words))

    def __bool__(self) -> bool:
        return bool(self.words)

    @cached_property
    def _folded(self) -> Any:
        import ahocorasick

        automaton = ahocorasick.Automaton()
        for word in self.words:
            key = fold_words(word)
            if key.strip() and key not in automaton:
                automaton.add_word(key, (len(key), word))
        automaton.make_automaton()
        return automaton

    @cached_property
    def _exact(self) -> Any:
        import ahocorasick

        automaton = ahocorasick.Automaton()
        for word in self.words:
            automaton.add_word(word, word)
        automaton.make_automaton()
        return automaton

    def whole(self, text: str) -> Iterator[tuple[int, int, str]]:
        """The whole words of a text (`fold_words`) that are in the lexicon, whatever their case: (begin, end, word).

        A word that is a part of a longer phrase of the lexicon is given too. Scripts that are written without blanks
        have no whole words: there every occurrence counts.
        """
        if not self.words:
            return
        for last, (length, word) in self._folded.iter(text):
            begin, end = last + 1 - length, last + 1
            if begin and _one_word(text[begin - 1], text[begin]):
                continue
            if end < len(text) and _one_word(text[end - 1], text[end]):
                continue
            yield begin, end, word

    def parts(self, text: str) -> list[str]:
        """The words that occur anywhere in the text, also inside others, in the order of the lexicon; case counts."""
        if not self.words:
            return []
        words = {word for _, word in self._exact.iter(text)}
        return [word for word in self.words if word in words]


def _one_word(left: str, right: str) -> bool:
    """Whether two neighbouring characters belong to one word."""
    return (left.isalnum() or left == "_") and (right.isalnum() or right == "_") and not _wide(left, right)


def _wide(*chars: str) -> bool:
    """Whether one is of a script that is written without blanks between words."""
    return any(unicodedata.east_asian_width(char) in "WF" for char in chars if char > "\x7f")


def read_lexicon(path: Path) -> Lexicon:
    """The lexicon of a file.

    Raises:
        LexiconError: it cannot be read, is not UTF-8, or too large; a word is too long.
    """
    try:
        with open_regular(path) as file:
            data = file.read(MAX_BYTES + 1)
        text = data.decode("utf-8-sig")
    except OSError as error:
        raise LexiconError(f"cannot read the lexicon {path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise LexiconError(
            f"{path}, line {line}: this is not UTF-8 text; save the lexicon as UTF-8"
        ) from error
    if len(data) > MAX_BYTES:
        raise LexiconError(
            f"the lexicon {path} has more than {MAX_BYTES // 1024 // 1024} MiB; leave words out"
        )
    words: list[str] = []
    for number, row in enumerate(text.split("\n"), 1):
        word = plain(row)
        if not word or word.startswith("#"):
            continue
        if len(word) > MAX_WORD:
            raise LexiconError(f"{path}, line {number}: a word has at most {MAX_WORD} characters; one a line")
        words.append(word)
        if len(words) > MAX_WORDS:
            raise LexiconError(
                f"{path}, line {number}: a lexicon has at most {MAX_WORDS} words; leave some out"
            )
    return Lexicon(words)
