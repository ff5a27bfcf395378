"""What ``~=`` means: whether a text is similar to a constant, decided by a backend within fixed limits.

With any backend a text is similar only if what identifies the constant (numbers, dates, money, e-mail
addresses, all that has a digit) occurs in it unchanged, and if its letters are of the constant's scripts.
`similar` keeps these limits; backends only answer for the rest.
"""

import unicodedata
from collections.abc import Iterable
from typing import Final, Protocol

from vsalang.core.dates import ENGLISH
from vsalang.core.readers import currency
from vsalang.core.text import canonical, plain


class Similarity(Protocol):
    """A backend: it says whether two texts mean the same."""

    def similar(self, text: str, constant: str) -> bool | None:
        """True, False, or None if it cannot answer. It must not raise: that stops the step which asked."""
        ...


def similar(backend: Similarity, text: str, constant: str) -> bool | None:
    """The answer of the language: neither ``~=`` nor ``!~=`` holds where it is None.

    Args:
        backend: who is asked where nothing forbids or settles the answer.
        text: the text of the world.
        constant: the text of the program.
    """
    text, constant = canonical(text), canonical(constant)
    if text == constant:
        return True
    if not admissible(text, constant):
        return False
    return backend.similar(text, constant)


def admissible(text: str, constant: str) -> bool:
    """Whether any backend may call the text similar to the constant."""
    if canonical(text) == canonical(constant):
        return True
    if len(text) > _LONGEST or len(constant) > _LONGEST:
        return False
    return _scripts_agree(text, constant) and required(constant) <= _occurring(text)


class Folded:
    """The default, deterministic and offline: equal after NFKC, case, blanks and punctuation."""

    def similar(self, text: str, constant: str) -> bool | None:
        """Whether the two are folded-equal; it always answers."""
        return folded_equal(text, constant)


class Assumed:
    """The backend of tests: the pairs that the test assumes, either way round, and folded-equal texts.

    Both texts of a pair stand for all that are folded-equal to them.

    Args:
        pairs: two texts and whether they are similar. A pair given twice with both answers is unanswered.
    """

    def __init__(self, pairs: Iterable[tuple[str, str, bool]]) -> None:
        self._answers: dict[frozenset[str], bool | None] = {}
        for one, other, answer in pairs:
            key = _pair(one, other)
            self._answers[key] = answer if self._answers.get(key, answer) is answer else None

    def similar(self, text: str, constant: str) -> bool | None:
        """What was assumed of the pair, True if they are folded-equal, else None."""
        key = _pair(text, constant)
        if key in self._answers:
            return self._answers[key]
        return True if folded_equal(text, constant) else None


def _pair(one: str, other: str) -> frozenset[str]:
    """Two texts in the form in which the default compares them; what has nothing to compare is itself."""
    return frozenset(fold(text) or canonical(text) for text in (one, other))


_LONGEST: Final = 20_000
"""Texts longer than this are similar to nothing but themselves."""


# ---- folded equality -----------------------------------------------------------------------------


def folded_equal(one: str, other: str) -> bool:
    """Whether two texts are equal except for NFKC, case, blanks and punctuation.

    Between two digits blanks and punctuation count: 1 2 is not 12, 1.5 not 15. A minus before a number
    counts. Texts of punctuation only must be equal.
    """
    one, other = canonical(one), canonical(other)
    if one == other:
        return True
    if len(one) > _LONGEST or len(other) > _LONGEST:
        return False
    folded = fold(one)
    return folded != "" and folded == fold(other)


def fold(text: str) -> str:
    """The form in which the default compares texts."""
    kept: list[str] = []
    skipped: list[str] = []  # blanks and punctuation since the last character kept
    for char in _compatible(text):
        if _is_blank(char) or unicodedata.category(char)[0] == "P":
            skipped.append(char)
            continue
        if skipped and _is_digit(char):
            between = "".join(skipped)
            if kept and _is_digit(kept[-1]):
                kept.append(" ".join(between.split()) or " ")
            elif between.endswith("-") and (len(between) > 1 or not kept or not kept[-1].isalnum()):
                kept.append("-")
        skipped.clear()
        kept.append(char)
    return "".join(kept)


def _compatible(text: str) -> str:
    """NFKC and case-folded, without invisible characters, canonical."""
    return plain(
        unicodedata.normalize("NFKC", plain(unicodedata.normalize("NFKC", canonical(text))).casefold())
    )


def _is_digit(char: str) -> bool:
    return unicodedata.category(char)[0] == "N"


def _is_blank(char: str) -> bool:
    return char.isspace() or unicodedata.category(char)[0] in "ZC"


# ---- what must occur unchanged -------------------------------------------------------------------

_AROUND_TOKENS: Final = ".,;:!?\"'()[]{}<>|…·•¿¡"
_DAY_WORDS: Final = frozenset(ENGLISH.weekdays) | frozenset(ENGLISH.days)
_HALF_DAYS: Final = {"a.m": "am", "p.m": "pm"}


class _Token:
    """A row of non-blank characters without the punctuation around it, folded."""

    __slots__ = ("joins_next", "may_follow", "money", "names_currency", "numeric", "text")

    def __init__(self, shown: str) -> None:
        folded = shown.strip(_AROUND_TOKENS)
        self.text = _HALF_DAYS.get(folded, folded)
        self.numeric = any(_is_digit(char) for char in folded)
        self.joins_next = folded != "" and shown.endswith(folded)
        starts = folded != "" and shown.startswith(folded)
        self.may_follow = starts and (
            folded[0].isalpha() or unicodedata.category(folded[0]) == "Sc" or folded[0] in "%°"
        )
        self.money = self.numeric and any(unicodedata.category(char) == "Sc" for char in folded)
        self.names_currency = not self.numeric and currency(folded.upper()) is not None


def required(constant: str) -> frozenset[str]:
    """The tokens of a constant that a similar text must hold unchanged.

    They are each token with a digit: an amount with the currency before it; another number joined with the
    word directly after it ("2 adults", "7 pm", "5 €") and with a month directly before it; e-mail addresses;
    and words that are dates (weekdays, today, ..).
    """
    tokens = _tokens(constant)
    wanted: set[str] = set()
    for index, token in enumerate(tokens):
        if token.numeric:
            wanted |= _required_at(tokens, index)
        elif "@" in token.text.strip("@") or token.text in _DAY_WORDS:
            wanted.add(token.text)
    return frozenset(wanted)


def _required_at(tokens: list[_Token], index: int) -> set[str]:
    """The forms in which the token with a digit at `index` must occur."""
    token = tokens[index]
    before = index > 0 and tokens[index - 1].joins_next
    if token.money:
        return {token.text}
    if before and tokens[index - 1].names_currency:
        return {_joined(tokens, index, before=True, after=False)}
    month = before and tokens[index - 1].text in ENGLISH.months
    number = not any(map(str.isalpha, token.text))
    after = number and token.joins_next and index + 1 < len(tokens) and tokens[index + 1].may_follow
    forms = {_joined(tokens, index, before=True, after=False)} if month else set()
    if after or not month:
        forms.add(_joined(tokens, index, before=False, after=after))
    return forms


def _occurring(text: str) -> frozenset[str]:
    """All tokens of the text, and each number also joined with its neighbours."""
    tokens = _tokens(text)
    found = {token.text for token in tokens}
    for index, token in enumerate(tokens):
        if token.numeric:
            before = index > 0 and tokens[index - 1].joins_next
            after = token.joins_next and index + 1 < len(tokens) and tokens[index + 1].may_follow
            found.update(
                _joined(tokens, index, before=left, after=right)
                for left in {False, before}
                for right in {False, after}
            )
    return frozenset(found)


def _tokens(text: str) -> list[_Token]:
    return [token for shown in _compatible(text).split() if (token := _Token(shown)).text]


def _joined(tokens: list[_Token], index: int, *, before: bool, after: bool) -> str:
    left = tokens[index - 1].text if before else ""
    right = tokens[index + 1].text if after else ""
    return left + tokens[index].text + right


# ---- scripts -------------------------------------------------------------------------------------

# Writing systems that use several scripts together (UTS #39, augmented script sets).
_TOGETHER: Final = dict.fromkeys(
    ("CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "IDEOGRAPHIC", "HANGUL", "BOPOMOFO"), "EAST ASIAN"
)


def _scripts_agree(text: str, constant: str) -> bool:
    """No word of either mixes scripts, and where both have letters they use the same scripts."""
    one, other = _scripts(text), _scripts(constant)
    if one is None or other is None:
        return False
    return not one or not other or one == other


def _scripts(text: str) -> frozenset[str] | None:
    """The scripts of the words of the text; None if one word mixes two.

    A letter's script is the first word of its Unicode name, which holds for the alphabets that can be
    confused.
    """
    found: set[str] = set()
    in_word = ""
    for char in _compatible(text):
        if not (char.isalnum() or unicodedata.category(char)[0] == "M"):
            in_word = ""
            continue
        if not char.isalpha():
            continue
        script = "LATIN" if char.isascii() else unicodedata.name(char, "UNNAMED").split(" ", 1)[0]
        if script == "MODIFIER":
            continue
        script = _TOGETHER.get(script, script)
        if in_word and script != in_word:
            return None
        in_word = script
        found.add(script)
    return frozenset(found)
