"""Texts that are searched as one row of bytes: what stands where, what was found, and how much may still be tried."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import Any, Final

from vsalang.screen.secrets.folding import FoldedText, fold, joined
from vsalang.screen.secrets.secret import EACH_TRIED, MAX_FOUND, Finding, Kind, TooManyFound, limit_of


class Page:
    """Some texts, and what was found in them.

    Args:
        texts: in order.
        most: how much of one text may look like secrets; infinite: any number of secrets may be found, too.

    Attributes:
        data: the texts, folded, with `END` between them.
        starts: where in it each begins.
        taken: the places of what was found, sorted; none overlaps another.
        hits: what was found.
    """

    def __init__(self, texts: Sequence[str], most: float) -> None:
        self.texts = texts
        self.most = most
        self.data, self.starts = joined(texts)
        self.taken: list[tuple[int, int]] = []
        self.hits: list[tuple[int, int, Kind, str]] = []
        self._folded: dict[int, FoldedText] = {}
        self._counted = (0, 0)
        self._left = 0.0
        """How much may still be tried in the text that stands at the place `_counted`."""

    def inside_word(self, at: int) -> bool:
        """Whether no word ends or begins here."""
        data = self.data
        return 0 < at < len(data) and _is_word(data[at - 1]) and _is_word(data[at])

    def index(self, at: int) -> int:
        """The index of the text to which a place of the page belongs."""
        return bisect_right(self.starts, at) - 1 if len(self.texts) > 1 else 0

    def stop(self, at: int) -> int:
        """Where the text ends to which a place of the page belongs."""
        return self.starts[self.index(at) + 1] - 1

    def within(self, begin: int, end: int) -> bool:
        """Whether all of a run lies in one thing that was found."""
        at = bisect_right(self.taken, (begin, len(self.data) + 1)) - 1
        return at >= 0 and self.taken[at][1] >= end

    def take(self, begin: int, end: int, kind: Kind, value: str) -> bool:
        """Keep a finding unless it overlaps a more certain one."""
        at = bisect_left(self.taken, (begin, end))
        if at < len(self.taken) and self.taken[at][0] < end:
            return False
        if at and self.taken[at - 1][1] > begin:
            return False
        self.taken.insert(at, (begin, end))
        self.add(begin, end, kind, value)
        return True

    def add(self, begin: int, end: int, kind: Kind, value: str) -> None:
        """Keep a finding, also over another one."""
        self.count(begin, 4)
        if len(self.hits) >= limit_of(self.most):
            raise TooManyFound(f"more than {MAX_FOUND} secrets in one place: it is not searched to the end")
        self.hits.append((begin, end, kind, value))

    def visible(self, begin: int, end: int) -> str:
        """What the texts show at a place, without what does not show."""
        index = self.index(begin)
        start = self.starts[index]
        return self.part(index).visible(begin - start, end - start)

    def part(self, index: int) -> FoldedText:
        """A text, folded alone; only few are needed."""
        folded_text = self._folded.get(index)
        if folded_text is None:
            folded_text = self._folded[index] = fold(self.texts[index])
        return folded_text

    def matches(self, pattern: Any) -> Iterator[Any]:
        """The matches of a pattern on the page."""
        for match in pattern.finditer(self.data):
            self.count(match.start(), 2)
            yield match

    def count(self, at: int, cost: int) -> None:
        """Count what is tried in the text of a place: a text that is made of what looks like secrets ends the search.

        Args:
            cost: about a millionth of a second each.
        """
        if not self._counted[0] <= at < self._counted[1]:
            index = self.index(at)
            self._counted = (self.starts[index], self.starts[index + 1])
            self._left = self.most + (self._counted[1] - self._counted[0]) / EACH_TRIED
        self._left -= cost
        if self._left < 0:
            raise TooManyFound("too much of one text looks like secrets: it is not searched to the end")

    def groups(self, begin: int, end: int) -> list[tuple[int, bytes]]:
        """The groups of digits in a run, each with its place."""
        self.count(begin, 1 + (end - begin) // 8)
        pairs: list[tuple[int, bytes]] = []
        at = begin
        for group in self.data[begin:end].translate(_BLANKS).split():
            at = self.data.index(group, at)
            pairs.append((at, group))
            at += len(group)
        return pairs

    def finding(self, hit: tuple[int, int, Kind, str]) -> tuple[int, Finding]:
        """One of the hits as a finding, with the index of its text."""
        begin, end, kind, value = hit
        index = self.index(begin)
        start, part = self.starts[index], self.part(index)
        return index, Finding(kind, value, part.place(begin - start), part.end(end - start))


_BLANKS: Final = bytes(char if 48 <= char <= 57 else 32 for char in range(256))
_WORD_BYTES: Final = bytes(
    48 <= char <= 57 or (65 <= char & 0xDF <= 90 and char < 128) or char in (95, 255) for char in range(256)
)


def _is_word(char: int) -> bool:
    return bool(_WORD_BYTES[char])
