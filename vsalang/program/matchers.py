"""What the right side of ``matches`` asks of texts."""

from vsalang.program.ir import Regex, Term, TextPattern, Words
from vsalang.program.patterns import Matcher, compile_pattern
from vsalang.program.word_lists import WordList


def word_in(term: Term | None, text: object) -> str | None:
    """The word of a list that a text has; None if it has none, or `term` is not a list."""
    matcher = compiled(term) if isinstance(term, Words) else None
    return matcher.word_in(text) if isinstance(matcher, WordList) and isinstance(text, str) else None


def compiled(term: TextPattern) -> Matcher:
    """The regular expression or the list of words, ready to be asked; compiled once.

    Raises:
        PatternError: it is not a regular expression of the language; a checked program has no such.
    """
    match term:
        case Regex(source, flags, _, reading):
            return compile_pattern(source, flags, reading)
        case Words(_, forms, whole, reading):
            return WordList(forms, whole, reading)
    raise TypeError(f"{type(term).__name__} is not asked of texts")
