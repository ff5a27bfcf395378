"""Finds the secrets of texts. RE2 and an Aho-Corasick automaton match, so that hostile texts take linear time.

All texts of a screen are searched as one row of bytes; no match reaches from one text into another. Where findings
overlap, the more certain kind stays: what a check sum or a fixed beginning proves before what words around it say.
Words of the lexicon are given in addition.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, Final
from unicodedata import normalize

from vsalang.secrets.folding import Folded, fold, joined, joined_words
from vsalang.secrets.lexicon import Lexicon
from vsalang.secrets.model import (
    EACH_TRIED,
    MAX_FOUND,
    MAX_TRIED,
    NOTHING_AROUND,
    Around,
    Finding,
    Kind,
    TooManyFound,
)
from vsalang.secrets.numbers import (
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
from vsalang.secrets.patterns import patterns
from vsalang.secrets.words import PROSE

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
    return [found for _, found in find_all([text], lexicon, lambda _: around, {0} if entered else ())]


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
        most: how much of one text may look like secrets (`MAX_TRIED`); infinite for texts that need no quick answer.

    Raises:
        TooManyFound: more than `MAX_FOUND`, or too much of one text looks like secrets.
    """
    return _Search(texts, lexicon, around, entered, hidden, most).found()


class _Search:
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
        self.texts = texts
        self.lexicon = lexicon
        self.around = around
        self.entered = entered
        self.hidden = hidden
        self.most = most
        self.page, self.starts = joined(texts)
        self.taken: list[tuple[int, int]] = []
        """The places of what was found, sorted; none overlaps another."""
        self.hits: list[tuple[int, int, Kind, str]] = []
        self._codes: list[int] | None = None
        self._asked: dict[int, tuple[bool, bool]] = {}
        self._may: dict[int, bool] = {}
        self._folded: dict[int, Folded] = {}
        self._counted = (0, 0)
        self._left = 0.0
        """How much may still be tried in the text that stands at the place `_counted`."""

    def found(self) -> list[tuple[int, Finding]]:
        """All findings."""
        page = self.page
        if b"-----BEGIN" in page:
            self._blocks()
        if b"@" in page:
            self._emails()
        self._keys()
        self._ibans()
        runs = [match.span() for match in self._matches(patterns().number)]
        for run in runs:
            self._cards(*run)
        self._said()
        self._labelled()
        for run in runs:
            self._codes_and_phones(*run)
        if self.lexicon:
            self._words(self.lexicon)
        self.hits.sort()
        return [self._finding(hit) for hit in self.hits]

    # ------------------------------------------------------------------ kinds

    def _blocks(self) -> None:
        """Private keys: before all others, for what stands in one is a part of it."""
        done = 0
        for match in self._matches(patterns().block):
            begin, end = match.span()
            if begin < done:
                continue
            stop = self._stop(begin)
            last = self.page.find(b"-----END", end, stop)
            dashes = self.page.find(b"-----", last + 8, min(last + 60, stop)) if last >= 0 else -1
            done = stop if dashes < 0 else dashes + 5
            self._take(begin, done, "key", self._shown(begin, done))

    def _emails(self) -> None:
        for match in self._matches(patterns().email):
            begin, end = match.span()
            while begin < end and self.page[begin] in b"'.-%":
                begin += 1
            if self.page[begin] != ord("@"):
                self._take(begin, end, "email", normalize("NFKC", self._shown(begin, end)).lower())

    def _keys(self) -> None:
        for match in self._matches(patterns().key):
            begin, end = match.span()
            self._take(begin, end, "key", self._shown(begin, end))

    def _ibans(self) -> None:
        page, done = self.page, 0
        for match in self._matches(patterns().iban):
            begin = match.start()
            if begin < done:
                continue
            length, at, number = IBAN_LENGTHS[page[begin : begin + 2].upper()], begin, bytearray()
            self._try(begin, 12)
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
            if not self._inside_word(at) and is_iban(upper):
                self._take(begin, at, "iban", upper.decode("ascii"))
                done = at

    def _cards(self, begin: int, end: int) -> None:
        """The cards in a run of digits with marks between: whole groups, parted by one kind of mark."""
        if end - begin < CARD_DIGITS[0] or self._within(begin - 1, end + 1):
            return
        groups = self._groups(begin, end)
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
                between = self.page[after : groups[last + 1][0]]
                if between not in _CARD_MARKS or (mark and between != mark):
                    break
                mark, last = between, last + 1
                number += groups[last][1]
                self._try(begin, 1)
            else:
                stop = groups[last][0] + len(groups[last][1])
                parts = groups[first : last + 1]
                decimal = mark in (b".", b"/") and (len(parts) < 3 or min(len(part) for _, part in parts) < 3)
                if not decimal and not self._inside_word(at) and not self._inside_word(stop):
                    self._take(at, stop, "card", number.decode("ascii"))
                    first = last
            first += 1

    def _said(self) -> None:
        """Credentials with their names before them in the same text."""
        for match in self._matches(patterns().said):
            begin, end = match.span(1)
            self._try(begin, 2)
            while end > begin + 1 and self.page[end - 1] in b".,;)\"'!?":
                end -= 1
            while begin + 1 < end and self.page[begin] in b"\"'(":
                begin += 1
            value = self._shown(begin, end)
            mark = self.page[match.start() : begin].rstrip(b" \"'(")[-1:]
            if _is_value(value, strict=mark not in (b":", b"=")):
                self._take(begin, end, "credential", value)

    def _labelled(self) -> None:
        """Credentials and phrases with their names in another text: that before them, or the label of their field."""
        asked = set(self.entered) | set(self.hidden)
        after: set[int] = set()
        for match in self._matches(patterns().labelled):
            index = self._index(match.start())
            length = self.starts[index + 1] - 1 - self.starts[index]
            if length <= 40 and index + 1 < len(self.texts):
                after.add(index + 1)
        near = {self._index(match.start()) for match in self._matches(patterns().seed)}
        for index in sorted(near | {index + 1 for index in near}):
            if index < len(self.texts):
                self._seed(index)
        for index in sorted(asked | after):
            text = self.texts[index]
            shown = text.strip()
            if not any(char.isalnum() for char in shown) or len(shown) > _LONGEST_TYPED:
                continue
            begin = self.starts[index]
            if index in self.hidden:
                named = True
            elif index in self.entered:
                named = self._is_called(index)
            else:
                named = _is_value(shown, strict=True) and len(shown.split()) == 1
            if named:
                data = self._part(index).data
                left = len(data) - len(data.lstrip())
                self._take(begin + left, begin + len(data.rstrip()), "credential", shown)

    def _seed(self, index: int) -> None:
        """A row of twelve or more short words next to what says that it is a recovery phrase."""
        data, begin = self._part(index).data, self.starts[index]
        words = data.split()
        row: list[bytes] = []
        for word in [*words[:400], b"\0"]:
            if word.isalpha() and word.islower() and 3 <= len(word) <= 8:
                row.append(word)
                continue
            if len(row) >= 12:
                break
            row = []
        if len(row) >= 12:
            at = data.find(row[0])
            stop = at
            for word in row:
                stop = data.find(word, stop) + len(word)
            self._take(begin + at, begin + stop, "key", b" ".join(row).decode("latin-1"))

    def _codes_and_phones(self, begin: int, end: int) -> None:
        """One-time codes and telephone numbers in a run of digits with marks between."""
        if self._within(begin, end):
            return
        phones = end - begin >= _LEAST_PHONE
        if not phones and not self._codes_in(self._index(begin)):
            return
        groups = self._groups(begin, end)
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
        marks = [self.page[ends[at] : groups[at + 1][0]].decode("latin-1") for at in (0, 1)]
        return is_date([text.decode("ascii") for _, text in groups], marks)

    def _phone(self, begin: int, groups: Sequence[tuple[int, bytes]], first: int) -> int | None:
        """The last group of a telephone number that begins with this group; None: it begins none."""
        at, text = groups[first]
        if self._inside_word(at):
            return None
        before = self.page[max(at - 3, begin) : at]
        plus, bracket = b"+" in before[-2:], before[-1:] == b"("
        if first and not (plus or bracket or text[:1] == b"0"):
            return None
        numbers: list[str] = []
        marks: list[str] = []
        found: int | None = None
        digits = 0
        for last in range(first, min(first + 9, len(groups))):
            place, group = groups[last]
            self._try(begin, 2)
            if last > first:
                after = groups[last - 1][0] + len(groups[last - 1][1])
                mark = self.page[after:place].decode("latin-1")
                if "+" in mark or (mark.count("(") and last > first + 1):
                    break
                marks.append(mark)
            numbers.append(group.decode("ascii"))
            digits += len(group)
            if digits > 15:
                break
            if self._inside_word(place + len(group)) or is_date(numbers, marks):
                continue
            if self._is_phone(numbers, plus, bracket, at, marks):
                found = last
        if found is None:
            return None
        stop = groups[found][0] + len(groups[found][1])
        start = at - 1 if bracket else at
        start -= 1 if plus and self.page[start - 1 : start] == b"+" else 0
        value = b"".join(group for _, group in groups[first : found + 1]).decode("ascii")
        if plus:
            value = f"+{value}"
        elif value.startswith("00"):
            value = f"+{value[2:]}"
        return found if self._take(start, stop, "phone", value) else None

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
        index = self._index(at)
        named = patterns().phone.search(self.page[max(at - NEAR_NAME, self.starts[index]) : at]) is not None
        return 7 <= len(digits) <= 15 and (named or self._words_of(index)[1])

    def _code(self, groups: Sequence[tuple[int, bytes]], first: int) -> int | None:
        """The last group of a one-time code that begins with this group; None: it begins none."""
        at, text = groups[first]
        last = first
        stop = at + len(text)
        number = text
        if len(text) in (2, 3, 4) and first + 1 < len(groups):
            place, second = groups[first + 1]
            if len(second) == len(text) > 2 and self.page[stop:place] in (b" ", b"-"):
                last, stop, number = first + 1, place + len(second), text + second
        if not 4 <= len(number) <= 8 or self._inside_word(stop) or self._amount(at, stop):
            return None
        begin = at
        value = number.decode("ascii")
        if self.page[at - 2 : at - 1].isalpha() and self.page[at - 1 : at] == b"-":
            if self._inside_word(at - 2):
                return None
            begin, value = at - 2, self.page[at - 2 : at - 1].upper().decode("ascii") + value
        elif self._inside_word(at):
            return None
        index = self._index(at)
        self._try(at, 6)
        near = NEAR_YEAR if len(number) == 4 and number[:2] in (b"19", b"20") else (NEAR, NEAR)
        if not self._near(at, stop, near) and not self._words_of(index)[0]:
            return None
        return last if self._take(begin, stop, "code", value) else None

    def _words(self, lexicon: Lexicon) -> None:
        for begin, end, word in lexicon.whole(joined_words(self.texts)):
            self._add(begin, end, "word", word)

    # ------------------------------------------------------------------ what words say

    def _near(self, at: int, stop: int, near: tuple[int, int]) -> bool:
        """Whether the same text says close to these places that it is a one-time code."""
        index = self._index(at)
        return self._coded(max(at - near[0], self.starts[index]), min(stop + near[1], self._stop(at)))

    def _code_words(self) -> list[int]:
        """Where the words for a one-time code begin and end."""
        if self._codes is None:
            others = [match.span() for match in self._matches(patterns().others)]
            ends = [end for _, end in others]
            self._codes = []
            for match in self._matches(patterns().code):
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
            said = [around.label, around.before, around.after] if short else [around.label]
            texts = [fold(text[-_LONGEST_AROUND:]).data for text in said if text]
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

    # ------------------------------------------------------------------ places

    def _amount(self, at: int, stop: int) -> bool:
        """Whether a number is an amount, a share, a part of a decimal number or of a time."""
        page = self.page
        if page[at - 1 : at] in (b"$", b"\x1f", b"#", b":", b"&") or page[stop : stop + 1] in (
            b"%",
            b"$",
            b"\x1f",
        ):
            return True
        if page[at - 1 : at] in (b".", b",", b"/") and page[at - 2 : at - 1].isdigit():
            return True
        return page[stop : stop + 1] in (b".", b",", b":", b"/") and page[stop + 1 : stop + 2].isdigit()

    def _inside_word(self, at: int) -> bool:
        """Whether no word ends or begins here."""
        page = self.page
        return 0 < at < len(page) and _is_word(page[at - 1]) and _is_word(page[at])

    def _index(self, at: int) -> int:
        """The index of the text to which a place of the page belongs."""
        return bisect_right(self.starts, at) - 1 if len(self.texts) > 1 else 0

    def _stop(self, at: int) -> int:
        """Where the text ends to which a place of the page belongs."""
        return self.starts[self._index(at) + 1] - 1

    def _within(self, begin: int, end: int) -> bool:
        """Whether all of a run lies in one thing that was found."""
        at = bisect_right(self.taken, (begin, len(self.page) + 1)) - 1
        return at >= 0 and self.taken[at][1] >= end

    def _take(self, begin: int, end: int, kind: Kind, value: str) -> bool:
        """Keep a finding unless it overlaps a more certain one."""
        at = bisect_left(self.taken, (begin, end))
        if at < len(self.taken) and self.taken[at][0] < end:
            return False
        if at and self.taken[at - 1][1] > begin:
            return False
        self.taken.insert(at, (begin, end))
        self._add(begin, end, kind, value)
        return True

    def _add(self, begin: int, end: int, kind: Kind, value: str) -> None:
        self._try(begin, 4)
        if len(self.hits) == MAX_FOUND:
            raise TooManyFound(f"more than {MAX_FOUND} secrets in one place: it is not searched to the end")
        self.hits.append((begin, end, kind, value))

    def _shown(self, begin: int, end: int) -> str:
        """What the texts show at a place, without what does not show."""
        index = self._index(begin)
        start = self.starts[index]
        return self._part(index).shown(begin - start, end - start)

    def _part(self, index: int) -> Folded:
        """A text, folded alone; only few are needed."""
        found = self._folded.get(index)
        if found is None:
            found = self._folded[index] = fold(self.texts[index])
        return found

    def _matches(self, pattern: Any) -> Iterator[Any]:
        """The matches of a pattern on the page."""
        for match in pattern.finditer(self.page):
            self._try(match.start(), 2)
            yield match

    def _try(self, at: int, cost: int) -> None:
        """Count what is tried in the text of a place: a text that is made of what looks like secrets ends the search.

        Args:
            cost: about a millionth of a second each.
        """
        if not self._counted[0] <= at < self._counted[1]:
            index = self._index(at)
            self._counted = (self.starts[index], self.starts[index + 1])
            self._left = self.most + (self._counted[1] - self._counted[0]) / EACH_TRIED
        self._left -= cost
        if self._left < 0:
            raise TooManyFound("too much of one text looks like secrets: it is not searched to the end")

    def _groups(self, begin: int, end: int) -> list[tuple[int, bytes]]:
        """The groups of digits in a run, each with its place."""
        self._try(begin, 1 + (end - begin) // 8)
        found: list[tuple[int, bytes]] = []
        at = begin
        for group in self.page[begin:end].translate(_BLANKS).split():
            at = self.page.index(group, at)
            found.append((at, group))
            at += len(group)
        return found

    def _finding(self, hit: tuple[int, int, Kind, str]) -> tuple[int, Finding]:
        begin, end, kind, value = hit
        index = self._index(begin)
        start, part = self.starts[index], self._part(index)
        return index, Finding(kind, value, part.place(begin - start), part.end(end - start))


_BLANKS: Final = bytes(char if 48 <= char <= 57 else 32 for char in range(256))
_WORD_BYTES: Final = bytes(
    48 <= char <= 57 or (65 <= char & 0xDF <= 90 and char < 128) or char in (95, 255) for char in range(256)
)


def _is_word(char: int) -> bool:
    return bool(_WORD_BYTES[char])


def _is_value(value: str, *, strict: bool) -> bool:
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
