"""What the right side of ``matches`` and ``names`` asks of texts."""

from functools import lru_cache

from vsalang.program.ir import Names, Regex, Term, TextPattern, Words
from vsalang.program.naming import NameMatcher
from vsalang.program.patterns import Matcher, compile_pattern
from vsalang.program.word_lists import WordList


def word_in(term: Term | None, text: object) -> str | None:
    """The word of a list that a text has; None if it has none, or `term` is not a list."""
    matcher = compiled(term) if isinstance(term, Words) else None
    return matcher.word_in(text) if isinstance(matcher, WordList) and isinstance(text, str) else None


def compiled(term: TextPattern) -> Matcher:
    """The regular expression, the list of words or the name, ready to be asked; compiled once.

    Raises:
        PatternError: it is not a regular expression of the language; a checked program has no such.
    """
    match term:
        case Regex(source, flags, _, reading):
            return compile_pattern(source, flags, reading)
        case Words():
            return _word_list(term)
        case Names(name, reading):
            return NameMatcher(name, reading)
    raise TypeError(f"{type(term).__name__} is not asked of texts")


@lru_cache(1024)
def _word_list(words: Words) -> WordList:
    return WordList(words.forms, words.whole, words.reading)
