"""Where a sentence of an instruction puts its verbs: the clauses of which `std.intent` asks what they ask for."""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

from vsalang.base.records import dataclass

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
# What follows one of these is not to be done.
_DENIAL: Final = re.compile(
    r"\b(?:(?P<order>don.?t|do not|never|niemals|nunca|jamais)|doesn.t|does not|mustn.t|shouldn.t|without|avoid|"
    r"refrain from|nothing|not|no|non(?!-)|não|instead of|rather than|nicht|ohne|kein\w*|nie|sin|ne|pas|sans)\b|"
    r"\bn['’](?=\w)",
    re.IGNORECASE,
)
# A denial ends with its sentence, and before a word that turns to what is to be done.
_TURN: Final = re.compile(
    r"[.;:!?]|\b(?:but|instead|rather|so|then|sondern|aber|stattdessen|pero|sino|mais|ma|mas)\b|"
    r",\s*(?:just|simply|only|please)\b",
    re.IGNORECASE,
)
# An order goes on over commas, but for one to do something at once. Other denials end at the comma, unless it belongs
# to the no.
_AT_ONCE: Final = re.compile(r"\s*(?:wait|worry|bother|ask|hesitate)\b[^,]{0,20}$", re.IGNORECASE)
_ASIDE: Final = re.compile(r"\s*(?:$|(?:ever|under|in|at|on|by)\s+any|ever\b)", re.IGNORECASE)
# Who must not forget something must do it.
_REMINDER: Final = re.compile(
    r"\s*(?:to\s+)?(?:forget|hesitate|fail|olvid\w+|dimentic\w+|te esqueças|esqueç\w+|oubli\w+)\b",
    re.IGNORECASE,
)
# "Vergiss nicht" is such a word, and "if not" only names a case.
_REMINDED: Final = re.compile(
    r"\b(?:vergiss|vergesst|vergessen sie|oublie[rz]?|if|wenn|falls|si|se|or|oder)\s*$", re.IGNORECASE
)
# "Tell Ann that she is not late", "ask him not to call": what others are told is not an order to the agent.
_TOLD: Final = re.compile(
    r"\b(?:tell|write|text|message|mail|say|inform|let|reply|answer|post|note|sag|schreib\w*|antwort\w*|di|dile|"
    r"escribe|dis|écris|scrivi|diz|escreve)\b[^.;:!?]*\b(?:that|dass|daß|que|che)\b"
    r"(?:(?!\b(?:and|but|und|aber|y|pero|et|mais|e|ma)\s*$)[^.;:!?,])*$",
    re.IGNORECASE,
)
_ADVISED: Final = re.compile(r"\b(?:tell|ask|remind|warn|advise|beg)\s+(?:[\w'’.-]+\s+){1,3}$", re.IGNORECASE)
_NOT_TO: Final = re.compile(r"(?:not|never)\s+to\b", re.IGNORECASE)
# The verb stands before the no: "delete nothing", "send no mail", "lösche das Foto nicht".
_NONE: Final = re.compile(
    r"[\w-]+\s+(?:(?:off|out|up|in|back|to|him|her|them)\s+)?"
    r"(?:nothing|nobody|no one|none|nichts|niemand\w*|nada|nadie|rien|personne|niente|nessun\w*|ninguém)\b"
    r"(?=\s*(?:[.,;:!?]|$)|\s+(?:of|from|in|on|to|for|until|without|at all|yet|ab|aus|weg|von|an|de|di)\b)|"
    r"(?!say|vote|answer|reply|tell|write|click|tap|press|choose|select|there|is|are|has|have|with)[\w-]+\s+no\s+"
    r"(?!later|more|longer|matter|problem|one|other|less)\w+|"
    r"(?!ist|sind|hab|hat|mit|wenn|falls)[\w-]+\s+kein\w*\s+\w+|"
    r"[\w-]+\s+(?:[\w'-]+\s+)?pas\b|"
    r"(?!wenn|falls|ob|dass|weil|schreib|sag|antwort|frag|meld)[\w-]+\s+"
    r"(?:(?!wenn|falls|ob|dass|weil|damit|und|oder)[\w'-]+\s+){0,4}nicht(?:\s+\w+)?\s*(?=[.,;:!?]|$)",
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
    """The clauses of an instruction, each once, those that it denies first.

    >>> [clause.text for clause in clauses("Open it and call Ann")]
    ['Open it and call Ann', 'and call Ann', 'call Ann']
    >>> [clause.text for clause in clauses("Call Ann, do not write") if clause.denied]
    ['write']
    """
    return tuple(dict.fromkeys(islice(_clauses(instruction), MOST)))


def _clauses(instruction: str) -> Iterator[Clause]:
    """What is denied comes first: nobody can hide it behind many words. It is asked for nowhere else."""
    spans = tuple(islice(_denials(instruction), MOST))
    for start, end in spans:
        for _, text in _begun(instruction[start:end]):
            yield Clause(text, True)
    begun = [(at, text, _NONE.match(text)) for at, text in islice(_begun(instruction), MOST)]
    for _, _, none in begun:
        if none:
            yield Clause(none.group(), True)
    for at, text, none in begun:
        if not none and not any(start < at < end for start, end in spans):
            yield Clause(text)


def _denials(instruction: str) -> Iterator[tuple[int, int]]:
    """Where the words stand that the instruction denies: an order goes on over commas."""
    for denial in _DENIAL.finditer(instruction):
        before = instruction[max(0, denial.start() - LONGEST) : denial.start()]
        if _TOLD.search(before) or (_NOT_TO.match(instruction, denial.start()) and _ADVISED.search(before)):
            continue
        if _REMINDER.match(instruction, denial.end()) or _REMINDED.search(before):
            continue
        turn = _TURN.search(instruction, denial.end())
        end = turn.start() if turn else len(instruction)
        comma = instruction.find(",", denial.end(), end)
        first = instruction[denial.end() : comma]
        if comma >= 0 and (_AT_ONCE.match(first) if denial["order"] else not _ASIDE.match(first)):
            end = comma
        yield denial.end(), end


def _begun(text: str) -> Iterator[tuple[int, str]]:
    """Where a verb may stand in a text, and what follows from there."""
    place = _PLACE.match(text)
    starts = {place.end(), place.start("second") if place["second"] else place.end()} if place else set()
    for start in (*(match.end() for match in _START.finditer(text)), *sorted(starts)):
        if begun := text[start : start + LONGEST]:
            yield start, begun
