"""An instruction: its words and numbers in a form in which labels can be compared with them, and its clauses."""

import re
import unicodedata
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import Final

from vsalang.base.records import dataclass
from vsalang.program.text import words
from vsalang.program.values import normal_number
from vsalang.screen.intent.clauses import Clause, clauses

_SHORTEST: Final = 3
"""A shorter word without a digit says too little."""
_LONGEST_NUMBER: Final = 15
_LONGEST_KEPT: Final = 500
"""Apps decide how long texts are: longer ones are read again each time, so that they take no memory."""
_STEM: Final = 3
"""What is left of a word without its ending has at least so many letters."""
_ENDINGS: Final = ("ings", "ing", "ies", "es", "ed", "en", "er", "s", "e", "n", "y")

_EMPTY: Final = frozenset(
    # English
    "the and for but not with without from into onto over under about after before then than that this these those "
    "there here what which who whom whose when where why how you your yours his her hers its our ours their theirs him "
    "them she they are was were been being have has had having does did doing will would shall should can could may "
    "might must let please all any some each every both only just also now once again one out off too very more most "
    "make want need like use get put new app phone screen page open show look see tap click press "
    # German
    "der die das den dem des ein eine einen einem einer eines und oder aber nicht mit ohne von vom aus bei zum zur "
    "für auf ist sind war hat haben wird werden ich wir sie ihr mir mich uns mein meine meinen meinem meiner dein "
    "deine bitte alle alles nur noch auch jetzt dann öffne zeige mach "
    # French
    "les des une aux par pour avec sans dans sur est sont mon mes ton ses nous vous que qui pas plus tout tous "
    # Spanish
    "los las una unos unas del por para con sin que está son mis tus sus todo todos más favor".split()
)

_NUMBERS: Final = {
    word: number
    for number, row in enumerate(
        (
            "zero null cero zéro",
            "one eins uno una un une once",
            "two zwei dos deux both beide beiden twice pair couple second",
            "three drei tres trois thrice third",
            "four vier cuatro quatre fourth",
            "five fünf cinco cinq fifth",
            "six sechs seis sixth",
            "seven sieben siete sept seventh",
            "eight acht ocho huit eighth",
            "nine neun nueve neuf ninth",
            "ten zehn diez dix tenth",
            "eleven elf onze",
            "twelve zwölf doce douze dozen noon",
        )
    )
    for word in row.split()
} | {"fifteen": 15, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "hundred": 100}

_DIGITS: Final = re.compile(r"[0-9]+(?:[.,'][0-9]+)*")


@dataclass(frozen=True, slots=True)
class Wish:
    """An instruction.

    Attributes:
        stems: its words in their common form: see `stem`.
        numbers: those that it names, in digits or in words.
        clauses: where a sentence puts its verbs: see `clauses`.
    """

    stems: frozenset[str] = frozenset()
    numbers: frozenset[int | Decimal] = frozenset()
    clauses: tuple[Clause, ...] = ()

    @classmethod
    def of(cls, text: str) -> "Wish":
        """The words, numbers and clauses of an instruction."""
        return cls(frozenset(_stems(text)), frozenset(_numbers(text)), clauses(text))

    def words_in(self, text: str) -> list[str]:
        """The words of the instruction that stand in a text, too: in their common form, sorted."""
        return sorted(self.stems.intersection(_stems(text))) if self.stems else []


NO_WISH: Final = Wish()
"""Nobody said anything."""


def stem(word: str) -> str:
    """The common form of a word: without accents, in lower case, without its ending.

    It is a coarse one: "renewing" and "renews" are "renew", and a word of another language loses its ending too.
    """
    plain = "".join(c for c in unicodedata.normalize("NFKD", word.casefold()) if not unicodedata.combining(c))
    if plain.isalpha():
        for ending in _ENDINGS:
            if plain.endswith(ending) and len(plain) - len(ending) >= _STEM:
                return plain[: -len(ending)]
    return plain


def _stems(text: str) -> frozenset[str]:
    """The common forms of the words of a text; of short ones they are kept, as screens show them again."""
    return _kept_stems(text) if len(text) <= _LONGEST_KEPT else _stems_of(text)


@lru_cache(maxsize=4096)
def _kept_stems(text: str) -> frozenset[str]:
    return _stems_of(text)


def _stems_of(text: str) -> frozenset[str]:
    stems = (word.folded for word in words(text))
    return frozenset(
        stem(word)
        for word in stems
        if word not in _EMPTY and (len(word) >= _SHORTEST or any(c.isdigit() for c in word))
    )


def _numbers(text: str) -> Iterator[int | Decimal]:
    """Each number of a text. Where a mark may part thousands or decimals, it is both."""
    for word in words(text):
        if word.folded in _NUMBERS:
            yield _NUMBERS[word.folded]
    for match in _DIGITS.finditer(text):
        digits = match.group()
        if len(digits) > _LONGEST_NUMBER:
            continue
        yield int(re.sub("[.,']", "", digits))
        mark = max(digits.rfind("."), digits.rfind(","))
        if mark > 0:
            try:
                yield normal_number(Decimal(re.sub("[.,']", "", digits[:mark]) + "." + digits[mark + 1 :]))
            except (InvalidOperation, ValueError):  # "1.2'3" is not a number
                continue
