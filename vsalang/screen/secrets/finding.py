"""Finds the secrets of texts. RE2 and an Aho-Corasick automaton match, so that hostile texts take linear time.

All texts of a screen are searched as one row of bytes; no match reaches from one text into another. Where findings
overlap, the more certain kind stays: what a check sum or a fixed beginning proves before what words around it say.
Words of the lexicon are given in addition.
"""

from bisect import bisect_left
from collections.abc import Callable, Collection, Sequence
from functools import lru_cache
from typing import Final
from unicodedata import normalize

from vsalang.screen.secrets.folding import fold, joined_words
from vsalang.screen.secrets.lexicon import Lexicon
from vsalang.screen.secrets.numbers import (
    CARD_DIGITS,
    IBAN_LENGTHS,
    LENGTHS,
    is_card,
    is_date,
    is_iban,
    is_international,
    is_national,
    is_north_american,
)
from vsalang.screen.secrets.page import Page
from vsalang.screen.secrets.patterns import patterns
from vsalang.screen.secrets.secret import MAX_TRIED, NOTHING_AROUND, Around, Finding
from vsalang.screen.secrets.secret_words import PROSE, words_of_name

NEAR: Final = 60
"""A number is a one-time code if the words that say so stand at most so many characters from it."""
NEAR_YEAR: Final = (16, 3)
"""The same for a number that could be a year: before it, and after it."""
NEAR_NAME: Final = 24
"""Digits are a telephone number if the word that says so stands at most so many characters before them."""
_LEAST_PHONE: Final = 7
_CARD_MARKS: Final = (b" ", b"-", b".", b"/", b"  ", b" - ")
"""What may stand between the groups of a card."""
_LONGEST_AROUND: Final = 300
_LONGEST_TYPED: Final = 128
_MOST_WORDS: Final = 400
"""A recovery phrase is looked for among so many words of a text."""


def _no_around(_: int) -> Around:
    return NOTHING_AROUND


def find(
    text: str, lexicon: Lexicon | None = None, around: Around = NOTHING_AROUND, *, entered: bool = False
) -> list[Finding]:
    """The secrets of one text, in order.

    Args:
        text: any text, also a hostile one.
        lexicon: words that count as secrets.
        around: what stands around it.
        entered: whether it is what somebody typed into a field, so that what `around` calls a password is one.

    Raises:
        TooManyFound: more than `MAX_FOUND`, or too much of the text looks like secrets.
    """
    return [hit for _, hit in find_all([text], lexicon, lambda _: around, {0} if entered else ())]


def find_all(
    texts: Sequence[str],
    lexicon: Lexicon | None = None,
    around: Callable[[int], Around] = _no_around,
    entered: Collection[int] = (),
    hidden: Collection[int] = (),
    most: float = MAX_TRIED,
) -> list[tuple[int, Finding]]:
    """The secrets of many texts, each with the index of its text, in order.

    Args:
        texts: the texts of a screen, in document order.
        lexicon: words that count as secrets.
        around: what stands around a text; asked only where it matters.
        entered: the texts that somebody typed into a field.
        hidden: the texts of fields that hide what is typed: they are passwords, whatever they look like.
        most: how much of one text may look like secrets (`MAX_TRIED`); infinite for texts that need no quick answer:
            then there may be any number of secrets, too.

    Raises:
        TooManyFound: more than `MAX_FOUND`, or too much of one text looks like secrets.
    """
    return _Search(texts, lexicon, around, entered, hidden, most).findings()


class _Search(Page):
    """One search over some texts."""

    def __init__(
        self,
        texts: Sequence[str],
        lexicon: Lexicon | None,
        around: Callable[[int], Around],
        entered: Collection[int],
        hidden: Collection[int],
        most: float,
    ) -> None:
        super().__init__(texts, most)
        self.lexicon = lexicon
        self.around = around
        self.entered = entered
        self.hidden = hidden
        self._codes: list[int] | None = None
        self._asked: dict[int, tuple[bool, bool]] = {}
        self._may: dict[int, bool] = {}

    def findings(self) -> list[tuple[int, Finding]]:
        page = self.data
        if b"-----BEGIN" in page:
            self._blocks()
        if b"@" in page:
            self._emails()
        self._keys()
        self._ibans()
        runs = [match.span() for match in self.matches(patterns().number)]
        for run in runs:
            self._cards(*run)
        self._find_named()
        self._labelled()
        for run in runs:
            self._codes_and_phones(*run)
        if self.lexicon:
            self._words(self.lexicon)
        self.hits.sort()
        return [self.finding(hit) for hit in self.hits]

    # ------------------------------------------------------------------ kinds

    def _blocks(self) -> None:
        """Private keys: before all others, for what stands in one is a part of it."""
        done = 0
        for match in self.matches(patterns().block):
            begin, end = match.span()
            if begin < done:
                continue
            stop = self.stop(begin)
            last = self.data.find(b"-----END", end, stop)
            dashes = self.data.find(b"-----", last + 8, min(last + 60, stop)) if last >= 0 else -1
            done = stop if dashes < 0 else dashes + 5
            self.take(begin, done, "key", self.visible(begin, done))

    def _emails(self) -> None:
        for match in self.matches(patterns().email):
            begin, end = match.span()
            while begin < end and self.data[begin] in b"'.-%":
                begin += 1
            if self.data[begin] != ord("@"):
                self.take(begin, end, "email", normalize("NFKC", self.visible(begin, end)).lower())

    def _keys(self) -> None:
        for match in self.matches(patterns().key):
            begin, end = match.span()
            self.take(begin, end, "key", self.visible(begin, end))

    def _ibans(self) -> None:
        page, done = self.data, 0
        for match in self.matches(patterns().iban):
            begin = match.start()
            if begin < done:
                continue
            length, at, number = IBAN_LENGTHS[page[begin : begin + 2].upper()], begin, bytearray()
            self.count(begin, 12)
            while at < len(page) and len(number) < length:
                char = page[at]
                if char in b" -" and number and page[at - 1] not in b" -":
                    at += 1
                    continue
                if not (48 <= char <= 57 or 65 <= char & 0xDF <= 90):
                    break
                number.append(char)
                at += 1
            upper = bytes(number).upper()
            if not self.inside_word(at) and is_iban(upper):
                self.take(begin, at, "iban", upper.decode("ascii"))
                done = at

    def _cards(self, begin: int, end: int) -> None:
        """The cards in a run of digits with marks between: whole groups, parted by one kind of mark."""
        if end - begin < CARD_DIGITS[0] or self.within(begin - 1, end + 1):
            return
        groups = self.groups(begin, end)
        first = 0
        while first < len(groups):
            at, text = groups[first]
            if text[:4] not in LENGTHS and not (len(text) < 4 and text[:1] in b"23456"):
                first += 1
                continue
            number, last, mark = text, first, b""
            while len(number) < CARD_DIGITS[0] or not is_card(number):
                if last + 1 == len(groups) or len(number) >= CARD_DIGITS[1]:
                    break
                after = groups[last][0] + len(groups[last][1])
                between = self.data[after : groups[last + 1][0]]
                if between not in _CARD_MARKS or (mark and between != mark):
                    break
                mark, last = between, last + 1
                number += groups[last][1]
                self.count(begin, 1)
            else:
                stop = groups[last][0] + len(groups[last][1])
                parts = groups[first : last + 1]
                decimal = mark in (b".", b"/") and (len(parts) < 3 or min(len(part) for _, part in parts) < 3)
                if not decimal and not self.inside_word(at) and not self.inside_word(stop):
                    self.take(at, stop, "card", number.decode("ascii"))
                    first = last
            first += 1

    def _find_named(self) -> None:
        """Credentials with their names before them in the same text."""
        for match in self.matches(patterns().named_secret):
            begin, end = match.span(1)
            self.count(begin, 2)
            while end > begin + 1 and self.data[end - 1] in b".,;)\"'!?":
                end -= 1
            while begin + 1 < end and self.data[begin] in b"\"'(":
                begin += 1
            value = self.visible(begin, end)
            mark = self.data[match.start() : begin].rstrip(b" \"'(")[-1:]
            if is_value(value, strict=mark not in (b":", b"=")):
                self.take(begin, end, "credential", value)

    def _labelled(self) -> None:
        """Credentials and phrases with their names in another text: that before them, or the label of their field."""
        asked = set(self.entered) | set(self.hidden)
        after: set[int] = set()
        for match in self.matches(patterns().labelled):
            index = self.index(match.start())
            length = self.starts[index + 1] - 1 - self.starts[index]
            if length <= 40 and index + 1 < len(self.texts):
                after.add(index + 1)
        near = {self.index(match.start()) for match in self.matches(patterns().seed)}
        for index in sorted(near | {index + 1 for index in near}):
            if index < len(self.texts):
                self._seed(index)
        for index in sorted(asked | after):
            text = self.texts[index]
            typed = text.strip()
            long = len(typed) > _LONGEST_TYPED and index not in self.hidden
            if long or not any(char.isalnum() for char in typed):
                continue
            begin = self.starts[index]
            if index in self.hidden:
                named = True
            elif index in self.entered:
                named = self._is_called(index)
            else:
                named = is_value(typed, strict=True) and len(typed.split()) == 1
            if named:
                data = self.part(index).data
                left = len(data) - len(data.lstrip())
                self.take(begin + left, begin + len(data.rstrip()), "credential", typed)

    def _seed(self, index: int) -> None:
        """A row of twelve or more short words next to what says that it is a recovery phrase."""
        data, begin = self.part(index).data, self.starts[index]
        row: list[tuple[int, int]] = []
        at = 0
        for word in [*data.split(None, _MOST_WORDS)[:_MOST_WORDS], b""]:
            at = data.find(word, at)
            if word.isalpha() and word.islower() and 3 <= len(word) <= 8:
                row.append((at, at + len(word)))
            elif len(row) >= 12:
                break
            else:
                row = []
            at += len(word)
        if len(row) >= 12:
            value = b" ".join(data[first:last] for first, last in row).decode("latin-1")
            self.take(begin + row[0][0], begin + row[-1][1], "key", value)

    def _codes_and_phones(self, begin: int, end: int) -> None:
        """One-time codes and telephone numbers in a run of digits with marks between."""
        if self.within(begin, end):
            return
        phones = end - begin >= _LEAST_PHONE
        if not phones and not self._codes_in(self.index(begin)):
            return
        groups = self.groups(begin, end)
        phones = phones and sum(len(text) for _, text in groups) >= _LEAST_PHONE
        first = 0
        while first < len(groups):
            if self._date(groups[first : first + 3]):
                first += 3
                continue
            last = self._phone(begin, groups, first) if phones else None
            if last is None:
                last = self._code(groups, first)
            first = first + 1 if last is None else last + 1

    def _date(self, groups: Sequence[tuple[int, bytes]]) -> bool:
        """Whether three groups are a date."""
        if len(groups) < 3:
            return False
        ends = [at + len(text) for at, text in groups]
        marks = [self.data[ends[at] : groups[at + 1][0]].decode("latin-1") for at in (0, 1)]
        return is_date([text.decode("ascii") for _, text in groups], marks)

    def _phone(self, begin: int, groups: Sequence[tuple[int, bytes]], first: int) -> int | None:
        """The last group of a telephone number that begins with this group; None: it begins none."""
        at, text = groups[first]
        if self.inside_word(at):
            return None
        before = self.data[max(at - 3, begin) : at]
        plus, bracket = b"+" in before[-2:], before[-1:] == b"("
        if first and not (plus or bracket or text[:1] == b"0"):
            return None
        numbers: list[str] = []
        marks: list[str] = []
        end: int | None = None
        digits = 0
        for last in range(first, min(first + 9, len(groups))):
            place, group = groups[last]
            self.count(begin, 2)
            if last > first:
                after = groups[last - 1][0] + len(groups[last - 1][1])
                mark = self.data[after:place].decode("latin-1")
                if "+" in mark or (mark.count("(") and last > first + 1):
                    break
                marks.append(mark)
            numbers.append(group.decode("ascii"))
            digits += len(group)
            if digits > 15:
                break
            if self.inside_word(place + len(group)) or is_date(numbers, marks):
                continue
            if self._is_phone(numbers, plus, bracket, at, marks):
                end = last
        if end is None:
            return None
        stop = groups[end][0] + len(groups[end][1])
        start = at - 1 if bracket else at
        start -= 1 if plus and self.data[start - 1 : start] == b"+" else 0
        value = b"".join(group for _, group in groups[first : end + 1]).decode("ascii")
        if plus:
            value = f"+{value}"
        elif value.startswith("00"):
            value = f"+{value[2:]}"
        return end if self.take(start, stop, "phone", value) else None

    def _is_phone(
        self, groups: Sequence[str], plus: bool, bracket: bool, at: int, marks: Sequence[str]
    ) -> bool:
        digits = "".join(groups)
        if plus:
            return is_international(digits)
        if digits.startswith("00") and is_international(digits[2:]):
            return len(groups) > 1 or len(digits) > 10
        if any(mark not in (" ", "-", ".", "/", ") ", ")", "-(", " (", ")-", " - ", "/ ") for mark in marks):
            return False
        if is_national(groups) or (is_north_american(groups) and (bracket or len(set(marks)) == 1)):
            return True
        index = self.index(at)
        named = patterns().phone.search(self.data[max(at - NEAR_NAME, self.starts[index]) : at]) is not None
        return 7 <= len(digits) <= 15 and (named or self._words_of(index)[1])

    def _code(self, groups: Sequence[tuple[int, bytes]], first: int) -> int | None:
        """The last group of a one-time code that begins with this group; None: it begins none."""
        at, text = groups[first]
        last = first
        stop = at + len(text)
        number = text
        if len(text) in (2, 3, 4) and first + 1 < len(groups):
            place, second = groups[first + 1]
            if len(second) == len(text) > 2 and self.data[stop:place] in (b" ", b"-"):
                last, stop, number = first + 1, place + len(second), text + second
        if not 4 <= len(number) <= 8 or self.inside_word(stop) or self._amount(at, stop):
            return None
        begin = at
        value = number.decode("ascii")
        if self.data[at - 2 : at - 1].isalpha() and self.data[at - 1 : at] == b"-":
            if self.inside_word(at - 2):
                return None
            begin, value = at - 2, self.data[at - 2 : at - 1].upper().decode("ascii") + value
        elif self.inside_word(at):
            return None
        index = self.index(at)
        self.count(at, 6)
        near = NEAR_YEAR if len(number) == 4 and number[:2] in (b"19", b"20") else (NEAR, NEAR)
        if not self._near(at, stop, near) and not self._words_of(index)[0]:
            return None
        return last if self.take(begin, stop, "code", value) else None

    def _words(self, lexicon: Lexicon) -> None:
        for begin, end, word in lexicon.whole(joined_words(self.texts)):
            self.add(begin, end, "word", word)

    # ------------------------------------------------------------------ what words say

    def _near(self, at: int, stop: int, near: tuple[int, int]) -> bool:
        """Whether the same text says close to these places that it is a one-time code."""
        index = self.index(at)
        return self._coded(max(at - near[0], self.starts[index]), min(stop + near[1], self.stop(at)))

    def _code_words(self) -> list[int]:
        """Where the words for a one-time code begin and end."""
        if self._codes is None:
            others = [match.span() for match in self.matches(patterns().others)]
            ends = [end for _, end in others]
            self._codes = []
            for match in self.matches(patterns().code):
                begin, end = match.span()
                place = bisect_left(ends, begin)
                other = others[place] if place < len(others) else None
                if other is None or other[0] >= end:
                    self._codes += [begin, end]
        return self._codes

    def _coded(self, low: int, high: int) -> bool:
        """Whether the words for a one-time code begin or end between two places."""
        place = bisect_left(self._code_words(), low)
        return place < len(self._code_words()) and self._code_words()[place] <= high

    def _codes_in(self, index: int) -> bool:
        """Whether a long text may hold a one-time code: it or what names it has the words. Short ones always may."""
        if len(self.texts[index]) <= NEAR:
            return True
        known = self._may.get(index)
        if known is None:
            inside = self._coded(self.starts[index], self.starts[index + 1])
            known = self._may[index] = inside or self._words_of(index)[0]
        return known

    def _words_of(self, index: int) -> tuple[bool, bool]:
        """Whether what stands around a text says one-time code; and telephone."""
        known = self._asked.get(index)
        if known is None:
            around = self.around(index)
            short = len(self.texts[index]) <= NEAR
            around_texts = [around.label, around.before, around.after] if short else [around.label]
            texts = [fold(text[-_LONGEST_AROUND:]).data for text in around_texts if text]
            rules = patterns()
            code = any(
                rules.code.search(text) is not None and rules.others.search(text) is None for text in texts
            )
            named = [fold(around.label[:_LONGEST_AROUND]).data]
            if short:
                named.append(fold(around.before[-_LONGEST_AROUND:]).data)
            phone = any(rules.phone.search(text) is not None for text in named)
            known = self._asked[index] = (code, phone)
        return known

    def _is_called(self, index: int) -> bool:
        """Whether the label of a field says that it holds a credential."""
        around = self.around(index)
        label = patterns().label
        return any(
            label.search(fold(text[-_LONGEST_AROUND:]).data) is not None
            for text in (*around.label.split("\n"), around.before)
            if text
        )

    def _amount(self, at: int, stop: int) -> bool:
        """Whether a number is an amount, a share, a part of a decimal number or of a time."""
        page = self.data
        if page[at - 1 : at] in (b"$", b"\x1f", b"#", b":", b"&") or page[stop : stop + 1] in (
            b"%",
            b"$",
            b"\x1f",
        ):
            return True
        if page[at - 1 : at] in (b".", b",", b"/") and page[at - 2 : at - 1].isdigit():
            return True
        return page[stop : stop + 1] in (b".", b",", b":", b"/") and page[stop + 1 : stop + 2].isdigit()


@lru_cache(maxsize=4096)
def names_a_credential(name: str) -> bool:
    """Whether a name, such as that of an attribute, says that what it names is a credential."""
    return patterns().label.search(fold(words_of_name(name)).data) is not None


def is_value(value: str, *, strict: bool) -> bool:
    """Whether a text after the name of a credential is its value, not the next word of a sentence.

    Args:
        strict: it must look like a password: with a digit, a mark inside, or capitals after small letters.
    """
    if len(value) < 3 or not any(char.isalnum() for char in value) or value.lower() in PROSE:
        return False
    if value[0] in "<{[" and value[-1] in ">}]":
        return False  # a gap to be filled in
    plain = value.isalpha() or value.replace("-", "").replace("'", "").isalpha()
    if plain and (value.islower() or value.istitle() or value.isupper()):
        return not strict and len(value) >= 4
    return any(char.isdigit() for char in value) or not plain or not strict
