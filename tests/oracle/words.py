"""What ``matches`` asks of texts: a list of words is asked word by word, without an automaton."""

from vsalang.program.doubt import hides
from vsalang.program.ir import Regex, TextPattern, Words
from vsalang.program.patterns import Matcher, compile_pattern
from vsalang.program.text import canonical
from vsalang.program.word_lists import folded


class NaiveWords(Matcher):
    """A list of words that looks for each form at each place of a text."""

    groups = ()

    def __init__(self, words: Words) -> None:
        self.words = words
        self.reading = words.reading

    def matches(self, text: str) -> bool | None:
        """Whether the words of some form are in the text, one after the other."""
        careful = self.reading in ("certain", "narrow")
        if careful and hides(canonical(text)):
            return None if self.reading == "certain" else False
        given = folded(text, look_alikes=not careful).split()
        for form in self.words.forms:
            wanted = folded(form, look_alikes=not careful).split()
            places = range(len(given) - len(wanted) + 1)
            if self.words.whole:
                places = range(len(given) == len(wanted))
            if any(given[at : at + len(wanted)] == wanted for at in places):
                return True
        return False


def asked(term: TextPattern) -> Matcher:
    """The regular expression or the list of words."""
    if isinstance(term, Words):
        return NaiveWords(term)
    assert isinstance(term, Regex)
    return compile_pattern(term.source, term.flags, term.reading)
