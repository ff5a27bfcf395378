"""Where a sentence of an instruction puts its verbs: the clauses of which `std.intent` asks what they ask for."""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

from vsalang.records import dataclass

MOST: Final = 400
"""So many clauses of an instruction are read: in what comes after them nothing is asked for."""
LONGEST: Final = 200
"""So many characters of a clause are read."""

# A verb stands at the beginning, after a mark, or after one of these words.
_LEADS: Final = (
    "and then to please kindly also you or i we must shall should will now just but first it me can could let lets "
    "help try so by for be been get got have want him her them afterwards immediately quickly directly again only once "
    "there here needed instead pls plz rather simply finally lastly next gonna wanna gotta"
)
_START: Final = re.compile(rf"^\W*|[.,;:!?\n]\W*|\b(?:{'|'.join(_LEADS.split())})\s+", re.IGNORECASE)
# So does an instruction that begins with where or when: "in Photos delete", "on Friday call".
_PLACE: Final = re.compile(
    r"\W*(?:in|on|at|via|using|from|im|auf|en|dans|su)\s+(?:(?:the|my)\s+)?[\w'-]+\s+(?P<second>[\w'-]+\s+)?",
    re.IGNORECASE,
)
# What follows one of these, to the end of the sentence, is not to be done.
_DENIAL: Final = re.compile(
    r"\b(?:don.t|do not|does not|doesn.t|never|without|nothing|not|no|instead of|rather than|"
    r"nicht|ohne|kein\w*|nie|sin|ne|pas|sans)\b([^.;:!?]*)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, order=True)
class Clause:
    """A part of an instruction, from where a sentence may put its verb.

    Attributes:
        text: it and what follows, up to `LONGEST` characters.
        denied: the instruction says that this is not to be done.
    """

    text: str
    denied: bool = False


def clauses(instruction: str) -> tuple[Clause, ...]:
    """The clauses of an instruction, each once; those that it denies are among the others, too.

    >>> [clause.text for clause in clauses("Open it and call Ann")]
    ['Open it and call Ann', 'and call Ann', 'call Ann']
    >>> [clause.text for clause in clauses("Call Ann, do not write") if clause.denied]
    ['write']
    """
    return tuple(dict.fromkeys(islice(_clauses(instruction), MOST)))


def _clauses(instruction: str) -> Iterator[Clause]:
    """What is denied comes first: nobody can hide it behind many words."""
    for denial in _DENIAL.finditer(instruction):
        yield from _begun(denial[1], True)
    yield from _begun(instruction, False)


def _begun(text: str, denied: bool) -> Iterator[Clause]:
    place = _PLACE.match(text)
    starts = {place.end(), place.start("second") if place["second"] else place.end()} if place else set()
    for start in (*(match.end() for match in _START.finditer(text)), *sorted(starts)):
        clause = Clause(text[start : start + LONGEST], denied)
        if clause.text:
            yield clause
