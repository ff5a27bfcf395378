"""Secrets in texts: addresses, numbers of cards, accounts and telephones, one-time codes, passwords, keys, words.

>>> from vsalang.screen.secrets import Lexicon, find
>>> [(found.kind, found.value) for found in find("Card 4111 1111 1111 1111 of Project Alder", Lexicon(["alder"]))]
[('card', '4111111111111111'), ('word', 'alder')]

Text in, findings out: nothing here knows trees, guards or phones. `vsalang.screen.secrets.relations` makes rows of
`std.secrets` of the rows of a screen.
"""

from vsalang.screen.secrets.finding import find, find_all
from vsalang.screen.secrets.lexicon import Lexicon, LexiconError, read_lexicon
from vsalang.screen.secrets.published import PUBLISHED, PageMatch, published
from vsalang.screen.secrets.redaction import RedactedStream, Redactor
from vsalang.screen.secrets.relations import ON_SCREEN, can_be_given, rows_of_screen, typed_rows
from vsalang.screen.secrets.secret import KINDS, Around, Finding, Kind, TooManyFound

__all__ = [
    "KINDS",
    "ON_SCREEN",
    "PUBLISHED",
    "Around",
    "Finding",
    "Kind",
    "Lexicon",
    "LexiconError",
    "PageMatch",
    "RedactedStream",
    "Redactor",
    "TooManyFound",
    "can_be_given",
    "find",
    "find_all",
    "published",
    "read_lexicon",
    "rows_of_screen",
    "typed_rows",
]
