"""Formats a document: the edits from its text to that of ``vsac fmt``."""

import difflib
import operator
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import accumulate, groupby
from typing import TypeAlias

from lsprotocol import types

from vsalang.base.source import Source, Span
from vsalang.base.source.files import MAX_BYTES
from vsalang.language.syntax.formatting import FormatFault, NotFormatted, format_source
from vsalang.tools.lsp.convert import Places, touches
from vsalang.tools.lsp.snapshot import Snapshot

_LONE_RETURN = re.compile(r"\r(?!\n)")
_MOST_LINES = 1000
"""Longer parts of a text, between lines that are there once, are not compared line by line: one edit replaces them."""


def formatting(snapshot: Snapshot, params: types.DocumentFormattingParams) -> list[types.TextEdit] | None:
    """The edits that format an open document."""
    document = snapshot.documents.get(params.text_document.uri)
    if document is None:
        return None
    return layout(document.text, str(document.path or document.uri), snapshot.places)


def range_formatting(
    snapshot: Snapshot, params: types.DocumentRangeFormattingParams
) -> list[types.TextEdit] | None:
    """The edits that format the items that a range touches; the rest of the file need not parse."""
    module = snapshot.module(params.text_document.uri)
    if module is None:
        return None
    items = [
        item.span
        for item in module.unit.tree.items
        if touches(snapshot.places.range(module.source, item.span), params.range)
    ]
    return layout_items(module.source, items, snapshot.places)


def on_type_formatting(
    snapshot: Snapshot, params: types.DocumentOnTypeFormattingParams
) -> list[types.TextEdit] | None:
    """The edits that format the item whose end was typed."""
    module = snapshot.module(params.text_document.uri)
    if module is None:
        return None
    end = snapshot.places.offset(module.source, params.position)
    items = [item.span for item in module.unit.tree.items if item.span.end == end]
    return layout_items(module.source, items, snapshot.places)


def layout(text: str, file: str, places: Places) -> list[types.TextEdit] | None:
    """The edits that format a text, from top to bottom; none if it is formatted.

    Only lines that change are in an edit, so that the cursor and marks stay where they are.

    Returns:
        None for a text that does not parse: it is left as it is.

    Raises:
        FormatFault: a bug of the formatter. Nothing was formatted.
    """
    if len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES or "\0" in text:
        return None
    source = Source.from_text(text, file)
    try:
        wanted = format_source(source, edited=True)
    except NotFormatted:
        return None
    if _LONE_RETURN.search(text):
        # editors count a line there, `Source` does not: replace everything
        whole = types.Range(types.Position(0, 0), types.Position(text.count("\n") + text.count("\r") + 1, 0))
        return [types.TextEdit(whole, wanted)]
    return [
        types.TextEdit(places.range(source, Span(file, start, end)), new)
        for start, end, new in changes(source.text, wanted)
    ]


def layout_items(source: Source, spans: Iterable[Span], places: Places) -> list[types.TextEdit]:
    """The edits that format some items of a text, each as if it stood alone; comments around them stay."""
    edits: list[types.TextEdit] = []
    for span in spans:
        head = "policy alone\n"
        text = source.slice(span).replace("\r\n", "\n")
        try:
            wanted = format_source(Source.from_text(f"{head}{text}\n", source.file))
        except (NotFormatted, FormatFault):
            continue
        new = wanted.removeprefix(head).strip("\n")
        if new != text:
            if "\r\n" in source.text:
                new = new.replace("\n", "\r\n")
            edits.append(types.TextEdit(places.range(source, span), new))
    return edits


def changes(before: str, after: str) -> Iterator[tuple[int, int, str]]:
    """The changed lines of `before`: the first offset, the one after the last, and the new text."""
    old, new = _lines(before), _lines(after)
    starts = [0, *accumulate(map(len, old))]
    for low, high, new_low, new_high in _differing(old, new):
        yield starts[low], starts[high], "".join(new[new_low:new_high])


_Runs: TypeAlias = Iterator[tuple[int, int, int, int]]
"""Runs of lines that differ: the first of the old ones, the one after the last, and the same of the new ones."""


def _differing(old: list[str], new: list[str]) -> _Runs:
    """The runs of lines that differ, between lines that are there once in both texts and in the same order.

    The patience diff of B. Cohen (https://bramcohen.livejournal.com/73318.html): its time does not grow with the
    square of the length.
    """
    low = new_low = 0
    for high, new_high in [*_anchors(old, new), (len(old), len(new))]:
        for part in _parts(old[low:high], new[new_low:new_high]):
            yield low + part[0], low + part[1], new_low + part[2], new_low + part[3]
        low, new_low = high + 1, new_high + 1


def _anchors(old: list[str], new: list[str]) -> list[tuple[int, int]]:
    """The longest rising series of lines that are there once in both texts, by their numbers in each."""
    places = {line: at for at, line in enumerate(new)}
    once, other = Counter(old), Counter(new)
    pairs = [(at, places[line]) for at, line in enumerate(old) if once[line] == other[line] == 1]
    ends: list[int] = []  # the smallest end of a rising series of each length
    series: list[int] = []
    before: list[int] = []
    for index, (_, place) in enumerate(pairs):
        at = bisect_left(ends, place)
        ends[at : at + 1] = [place]
        series[at : at + 1] = [index]
        before.append(series[at - 1] if at else -1)
    anchors: list[tuple[int, int]] = []
    index = series[-1] if series else -1
    while index >= 0:
        anchors.append(pairs[index])
        index = before[index]
    return anchors[::-1]


def _parts(old: list[str], new: list[str]) -> _Runs:
    """The runs of lines that differ in a part of the texts."""
    if old == new:
        return
    if len(old) == len(new):  # most lines stay where they are
        at = 0
        for differs, pairs in groupby(map(operator.ne, old, new)):
            end = at + len(list(pairs))
            if differs:
                yield at, end, at, end
            at = end
    elif len(old) + len(new) > _MOST_LINES:
        yield 0, len(old), 0, len(new)
    else:
        for kind, *run in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
            if kind != "equal":
                yield run[0], run[1], run[2], run[3]


def _lines(text: str) -> list[str]:
    """The lines with their breaks; only line feeds end one, as in `Source`."""
    return [line for line in text.replace("\n", "\n\0").split("\0") if line]
