"""Formats a document: the edits from its text to that of ``vsac fmt``."""

import difflib
import re
from collections.abc import Iterable, Iterator

from lsprotocol import types

from vsalang.base.source import Source, Span
from vsalang.base.source.files import MAX_BYTES
from vsalang.language.syntax.formatting import FormatFault, NotFormatted, format_source
from vsalang.tools.lsp.convert import Places, touches
from vsalang.tools.lsp.snapshot import Snapshot

_LONE_RETURN = re.compile(r"\r(?!\n)")
_MOST_LINES = 1000
"""Longer texts are not compared line by line: one edit replaces everything between equal beginnings and ends."""


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
        wanted = format_source(source)
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
    first = 0
    while first < min(len(old), len(new)) and old[first] == new[first]:
        first += 1
    last = 0
    while last < min(len(old), len(new)) - first and old[-1 - last] == new[-1 - last]:
        last += 1
    middle_old, middle_new = old[first : len(old) - last], new[first : len(new) - last]
    starts = [0]
    for line in old:
        starts.append(starts[-1] + len(line))
    if len(middle_old) == len(middle_new):  # most lines stay where they are
        yield from _line_by_line(middle_old, middle_new, first, starts)
        return
    if len(middle_old) + len(middle_new) > _MOST_LINES:
        yield starts[first], starts[len(old) - last], "".join(middle_new)
        return
    for kind, low, high, new_low, new_high in difflib.SequenceMatcher(
        None, middle_old, middle_new, autojunk=False
    ).get_opcodes():
        if kind != "equal":
            yield starts[first + low], starts[first + high], "".join(middle_new[new_low:new_high])


def _line_by_line(
    old: list[str], new: list[str], first: int, starts: list[int]
) -> Iterator[tuple[int, int, str]]:
    """The runs of lines that differ."""
    at = 0
    while at < len(old):
        end = at
        while end < len(old) and old[end] != new[end]:
            end += 1
        if end > at:
            yield starts[first + at], starts[first + end], "".join(new[at:end])
        at = end + 1


def _lines(text: str) -> list[str]:
    """The lines with their breaks; only line feeds end one, as in `Source`."""
    return [line for line in text.replace("\n", "\n\0").split("\0") if line]
