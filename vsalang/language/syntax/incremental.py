"""Parses the next version of a text that is being edited: only the items near the change are read again.

Items before the change are the same objects, those after it are moved. The result is that of parsing the whole text.
"""

import dataclasses
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Final

from vsalang.base.source import Source, Span
from vsalang.base.source.moving import moved
from vsalang.language.syntax import tree
from vsalang.language.syntax.scan import cut, excess, odd_characters, unclosed_turns

BEFORE: Final = 1
AFTER: Final = 2
"""So many items before and after the change are read again: what is written next to them may belong to them."""
_SHORT: Final = 1000
"""Shorter texts are replaced by blanks; of more, the parser would say that there is no period in them."""
MOST: Final = 64
"""So many texts of an editor are remembered, files and what formatting made of them, each with its last version."""

Parse = Callable[[Source], "Result"]
Result = tuple[tree.Module | None, tuple[Any, ...], tuple[Span, ...]]
"""The module, what was found, and the spans that could not be read."""


class LastVersions:
    """The last version of each file that is edited, with what was read of it. One thread at a time may use it."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, tuple[Source, Result]] = OrderedDict()

    def parse(self, source: Source, parse: Parse) -> Result:
        """What is read of a text, with the help of the last version of its file.

        Args:
            source: the text.
            parse: reads a whole text.
        """
        known = self._known.get(source.file)
        if known is not None and known[0].text == source.text:
            return known[1]
        result = _next(*known, source, parse) if known is not None else None
        if result is None:
            result = parse(source)
        self._known[source.file] = (source, result)
        self._known.move_to_end(source.file)
        while len(self._known) > MOST:
            self._known.popitem(last=False)
        return result


def _next(old: Source, before: Result, new: Source, parse: Parse) -> Result | None:
    """The result for a changed text; None if it must be read as a whole."""
    module = before[0]
    if module is None or not module.items or excess(new.text) is not None:
        return None
    if odd_characters(new.text) or unclosed_turns(new.text):
        return None
    first, last = _changed(old.text, new.text)
    spans = [*before[2], *(finding.span for finding in before[1] if finding.span is not None)]
    low = min([first, *(span.start for span in spans)])
    high = max([last, *(span.end for span in spans)])
    header = max([module.span.end, *(item.span.end for item in module.imports)])
    if low <= header or any(item.span.start < header for item in module.items):
        return None
    kept = [item for item in module.items if item.span.end < low][:-BEFORE]
    rest = [item for item in module.items if item.span.start > high][AFTER:]
    if len(kept) + len(rest) < len(module.items) // 2:
        return None
    by = len(new.text) - len(old.text)
    start = kept[-1].span.end if kept else header
    end = rest[0].span.start + by if rest else len(new.text)
    masked = new.text[:header] + _blank(new.text[header:start]) + new.text[start:end] + _blank(new.text[end:])
    if rest and new.text.rfind("//", start, end) > new.text.rfind("\n", start, end):
        return None  # what follows may be part of a comment
    if new.text.rfind("/*", start, end) > new.text.rfind("*/", start, end):
        return None
    result = parse(Source(new.file, masked, new.path))
    if result[0] is None or any(not header <= span.start <= end for span in result[2]):
        return None
    if result[2] and _open_to_the_end(masked):
        return None
    if result[0].items and not start <= result[0].items[0].span.start <= result[0].items[-1].span.end <= end:
        return None
    items = (*kept, *result[0].items, *(moved(item, by) for item in rest))
    return dataclasses.replace(result[0], items=items), result[1], result[2]


def _changed(old: str, new: str) -> tuple[int, int]:
    """The part of the old text that is not in the new one: its first offset and the one after its last."""
    most = min(len(old), len(new))
    low = _common(old, new, most)
    rest = _common(old[::-1], new[::-1], most - low)
    return low, len(old) - rest


def _common(one: str, other: str, most: int) -> int:
    """The length of the common beginning, found by halves."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _blank(text: str) -> str:
    """A comment in place of a text, or blanks for a short one, with its line breaks."""
    blanks = "\n".join([" " * len(line) for line in text.split("\n")])
    if len(blanks) < _SHORT:
        return blanks
    low, high = blanks.find("  "), blanks.rfind("  ")
    return f"{blanks[:low]}/*{blanks[low + 2 : high]}*/{blanks[high + 2 :]}" if low + 2 <= high else blanks


def _open_to_the_end(text: str) -> bool:
    """Whether a text or comment is never closed, so that all that follows is part of it."""
    return any(flaw.kind in ("block", "comment") for chunk in cut(text) for flaw in chunk.flaws)
