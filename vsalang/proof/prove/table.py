"""Plans as a table with one row for each step."""

from collections.abc import Sequence
from textwrap import wrap

from vsalang.base.diagnostics.display import columns
from vsalang.proof.prove.telling import Line

_HEADS = ("", "if the app shows", "do", "meaning", "verdict")
_WIDEST = (3, 46, 28, 36, 20)


def table(lines: Sequence[Line]) -> list[str]:
    """The lines of a table with one row for each step; what is long is broken."""
    rows = [
        [
            _cell([f"{number}."], _WIDEST[0]),
            _cell(line.shows, _WIDEST[1]),
            _cell([line.does], _WIDEST[2]),
            _cell([line.means], _WIDEST[3]),
            _cell([line.verdict], _WIDEST[4]),
        ]
        for number, line in enumerate(lines, 1)
    ]
    used = [index for index in range(len(_HEADS)) if index == 0 or any(row[index] for row in rows)]
    widths = {
        index: max(columns(text) for text in [_HEADS[index], *(part for row in rows for part in row[index])])
        for index in used
    }
    text_lines = [_joined([_HEADS[index] for index in used], [widths[index] for index in used])]
    text_lines.append("  ".join("-" * widths[index] for index in used))
    for row in rows:
        for height in range(max(len(cell) for cell in row)):
            parts = [row[index][height] if height < len(row[index]) else "" for index in used]
            text_lines.append(_joined(parts, [widths[index] for index in used]))
    return [f"  {line}".rstrip() for line in text_lines]


def _cell(texts: Sequence[str], width: int) -> list[str]:
    return [part for text in texts if text for part in _broken(text, width)]


def _broken(text: str, width: int) -> list[str]:
    """The text in lines of a width; wide characters count twice."""
    room = width if columns(text) == len(text) else width // 2
    indent = " " * (len(text) - len(text.lstrip()) + 2)
    return wrap(text, room, subsequent_indent=indent, break_on_hyphens=False)


def _joined(parts: Sequence[str], widths: Sequence[int]) -> str:
    padded = (part + " " * (width - columns(part)) for part, width in zip(parts, widths, strict=True))
    return "  ".join(padded).rstrip()
