"""The data of the room: the kinds of secrets, and one that was found."""

from math import inf
from typing import Final, Literal, NamedTuple, TypeAlias

from vsalang.program.native.secrets import SECRET

Kind: TypeAlias = Literal["email", "phone", "card", "iban", "code", "credential", "key", "word"]

KINDS: Final[tuple[Kind, ...]] = tuple(member.name for member in SECRET.members)  # type: ignore[misc]
"""The kinds, in the order of the documentation."""

MAX_FOUND: Final = 10_000
"""On a screen with more findings nothing is judged (309 real screens have at most a few dozen)."""


MAX_TRIED: Final = 300
EACH_TRIED: Final = 20
"""How much of one text may look like secrets and be looked at again: so much, and one more for so many characters. That
is some 60 telephone numbers in a short text. A text with more is not searched to the end, so that one of 10,000
characters takes about a thousandth of a second; real texts hold a few at most."""


def limit_of(most: float) -> float:
    """How many secrets may be found where so much of a text may look like some; infinite if that is infinite."""
    return MAX_FOUND if most < inf else inf


class TooManyFound(Exception):
    """More than `MAX_FOUND` secrets, or a text that looks too much like some (`MAX_TRIED`): not all is searched."""


class Finding(NamedTuple):
    """A secret in a text.

    Attributes:
        kind: what it is.
        value: its one form, so that equal secrets are equal values: a number without blanks and dashes, an address in
            lower case, a word of the lexicon as the lexicon writes it.
        start: where it begins in the text, in characters from 0.
        end: where the text goes on.
    """

    kind: Kind
    value: str
    start: int
    end: int


class Around(NamedTuple):
    """What stands around a text and says what the text is.

    Attributes:
        label: words that name it: its caption, prompt, description, the words of its id.
        before: the text shown before it.
        after: the text shown after it.
    """

    label: str = ""
    before: str = ""
    after: str = ""


NOTHING_AROUND: Final = Around()
