"""Words of an instruction: its parts, what each is about, and the forms of a word that count as one."""

import re
from collections.abc import Iterator
from typing import Final

from vsalang.base.records import dataclass
from vsalang.language.lint.instruction import quoted_texts
from vsalang.program.text import words

_ENDINGS: Final = ("ings", "ing", "ies", "ied", "es", "ed", "s")


def stem(word: str) -> str:
    """A folded word without the ending of its plural or its tense: `tables` and `table`, `booking` and `book`.

    >>> stem("tables"), stem("replies"), stem("reply"), stem("holidays"), stem("deleting")
    ('tabl', 'reply', 'reply', 'holiday', 'delet')
    """
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            rest = word[: -len(ending)]
            if ending in ("ies", "ied"):
                return rest + "y"
            # `stopp`: a doubled letter belongs to the ending
            return rest[:-1] if len(rest) > 3 and rest[-1] == rest[-2] and ending in ("ing", "ed") else rest
    return word[:-1] if word.endswith("e") and len(word) > 3 else word


def spaced(name: str) -> str:
    """A name as the words that it is made of: `DeleteAlarm` as `Delete Alarm`."""
    return _CAMEL.sub(" ", name)


_CAMEL: Final = re.compile(r"(?<=[a-z])(?=[A-Z])|_")

NUMBERS: Final = {
    word: number
    for number, word in enumerate(
        "two three four five six seven eight nine ten eleven twelve".split(), start=2
    )
}
"""Words of numbers."""

ACTS: Final = frozenset(
    "send tell text call message email mail write book reserve order buy purchase pay transfer delete remove "
    "erase cancel lock unlock turn switch set add put create make post share invite remind rename move copy "
    "upload download install uninstall enable disable mute unmute block unblock reply answer forward archive "
    "print schedule play record save join subscribe unsubscribe follow like rate charge start stop clear "
    "publish submit apply change close tick star throw enter note mark pin notify inform label tag let".split()
)
"""Verbs with which an instruction asks for something to be done."""

_EMPTY: Final = frozenset(
    "a an the this that these those it its them they he she his her him me my mine i you your yours we our us "
    "who which what where when and or but then so if else otherwise as at by for from in into of on off onto "
    "out over to up with without about after before until till is are be been was were do does did done not no "
    "none nothing anything something everything everyone anyone someone all any each every both one ones other "
    "others another same first last next some more most less least than too also just only please now today "
    "tonight tomorrow yesterday morning afternoon evening noon night day days week am pm later soon again back "
    "there here new well sure can could would will shall should may might must let lets have has had get got "
    "give know go possible instead own via using app phone way thing things".split()
) | frozenset(
    "once twice second third fourth fifth ring rings had happen happens there much many few little also".split()
)
_REFERENCES: Final = frozenset("it them they these those others other rest ones one".split())
_CLAUSE: Final = re.compile(r"[.;:!?\n]+\s+|,\s*|\s+[-–—]\s+|\b(?:and|then|but|also)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Part:
    """A part of an instruction.

    Attributes:
        text: as it is written.
        start: its place in the instruction.
        end: the offset after it.
        verb: its first word, folded.
        about: the stems of its other words that say something.
        refers: whether it is about what another part names: `it`, `the others`.
    """

    text: str
    start: int
    end: int
    verb: str
    about: frozenset[str]
    refers: bool


def part(text: str, start: int, end: int) -> Part:
    """The part of an instruction at a place."""
    phrase = text[start:end]
    listed = [(word.folded, word) for word in words(phrase)]
    while listed and listed[0][0] in ("please", "also", "then", "finally", "kindly"):
        listed.pop(0)
    first = listed[0][0] if listed else ""
    about = frozenset(
        stem(folded)
        for folded, _ in listed[1:]
        if folded not in _EMPTY and len(folded) > 1 and not folded.isdigit()
    )
    refers = any(folded in _REFERENCES for folded, _ in listed)
    start += listed[0][1].start if listed else 0
    return Part(text[start:end].strip(), start, start + len(text[start:end].rstrip()), first, about, refers)


def parts_of(text: str) -> Iterator[Part]:
    """The parts of an instruction between stops, commas and conjunctions; none begins or ends in a quotation."""
    quoted = [(quote.start, quote.end) for quote in quoted_texts(text)]
    begin = 0
    for match in _CLAUSE.finditer(text):
        if any(start < match.end() and match.start() < end for start, end in quoted):
            continue
        yield part(text, begin, match.start())
        begin = match.end()
    yield part(text, begin, len(text))


def unquoted(text: str) -> str:
    """The instruction with blanks in place of what is quoted, so that places stay."""
    for quote in quoted_texts(text):
        text = text[: quote.start] + " " * (quote.end - quote.start) + text[quote.end :]
    return text
