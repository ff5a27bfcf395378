"""Cuts text into tokens, whether or not it is a program: for colours, and for what is being typed."""

import re
from collections.abc import Iterator
from typing import Final

from vsalang.base.records import dataclass
from vsalang.program.reserved_words import (
    AGGREGATES,
    CONDITION_WORDS,
    ITEM_WORDS,
    MODULE_KINDS,
    OPERATOR_WORDS,
    STEP_WORDS,
)

_TOKEN: Final = re.compile(
    r"""
      (?P<comment> //[^\n]*+ | /\*(?:(?!\*/)[\s\S])*+(?:\*/)? )
    | (?P<string> \"{3}(?:\\\"{3}|(?!\"{3})[\s\S])*+(?:\"{3})? | "(?:[^"\\\n]|\\.)*+"? )
    | (?P<regex> /(?![/*])(?:[^/\\\n]|\\.)++/[A-Za-z]*+ )
    | (?P<annotation> @[A-Za-z_]\w*+ | @ )
    | (?P<variable> \?(?:[A-Za-z_]\w*+)? )
    | (?P<date> [0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?!\w) | [0-9]{1,2}:[0-9]{1,2}(?::[0-9]{1,2})?(?![\w:]) )
    | (?P<number> [0-9]++(?:\.[0-9]++)?+[A-Za-z_]*+ )
    | (?P<word> [A-Za-z_]\w*+(?:\.[A-Za-z_]\w*+)*+ )
    | (?P<operator> => | :- | !~= | != | ~= | <= | >= | \.\. | [-+*=<>!~] )
    | (?P<punctuation> [(){},.:\[\]] )
    """,
    re.VERBOSE | re.ASCII,
)

KEYWORDS: Final = (
    frozenset(MODULE_KINDS)
    | ITEM_WORDS
    | STEP_WORDS
    | frozenset(CONDITION_WORDS)
    | frozenset(OPERATOR_WORDS)
    | frozenset(
        "when with has of for on in key over closed package as refines because or any complete no".split()
    )
)
"""Words that are part of the language where they are not a name."""
CONSTANTS: Final = frozenset({"true", "false", "none", "unknown", "today"})
AGGREGATE_WORDS: Final = AGGREGATES


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of text.

    Attributes:
        kind: ``comment``, ``string``, ``regex``, ``annotation``, ``variable``, ``date``, ``number``, ``word``,
            ``operator`` or ``punctuation``.
        text: as it is written.
        start: its first offset.
    """

    kind: str
    text: str
    start: int

    @property
    def end(self) -> int:
        """The offset after it."""
        return self.start + len(self.text)


def lex(text: str, start: int = 0, end: int | None = None) -> Iterator[Token]:
    """The tokens of a part of a text, in order; blanks and what is not a token are left out."""
    for match in _TOKEN.finditer(text, start, len(text) if end is None else end):
        yield Token(match.lastgroup or "", match[0], match.start())
