"""Formats a document: the edits from its text to that of ``vsac fmt``."""

import difflib
import re
from collections.abc import Iterator

from lsprotocol import types

from vsalang.base.source import Source, Span
from vsalang.base.source.files import MAX_BYTES
from vsalang.language.syntax.formatting import NotFormatted, format_source
from vsalang.tools.lsp.convert import Places

_LONE_RETURN = re.compile(r"\r(?!\n)")
_MOST_LINES = 5000
"""Longer texts are not compared line by line: one edit replaces everything between equal beginnings and ends."""


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
    if len(middle_old) + len(middle_new) > _MOST_LINES:
        yield starts[first], starts[len(old) - last], "".join(middle_new)
        return
    for kind, low, high, new_low, new_high in difflib.SequenceMatcher(
        None, middle_old, middle_new, autojunk=False
    ).get_opcodes():
        if kind != "equal":
            yield starts[first + low], starts[first + high], "".join(middle_new[new_low:new_high])


def _lines(text: str) -> list[str]:
    """The lines with their breaks; only line feeds end one, as in `Source`."""
    return [line for line in text.replace("\n", "\n\0").split("\0") if line]
