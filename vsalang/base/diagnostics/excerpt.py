"""Shows lines of source text with marked places underlined, as compilers do.

Line numbers are in a gutter. A place of one line is underlined, with its label next to or below the underline; a place
of several lines has a bracket on its left side.
"""

from collections.abc import Callable, Mapping

from vsalang.base.diagnostics.display import Layout, layout, safe, safe_lines
from vsalang.base.records import dataclass
from vsalang.base.source import Source

WIDTH = 120
"""Longest part of a line that is shown, in code points."""

_BEFORE = 40
_LINES = 4
_QUOTED = 60

Paint = Mapping[str, Callable[[str], str]]
"""Colours: ``gutter``, ``primary``, ``second``."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A place to underline: offsets into the text, and a label. The primary place is the finding's own."""

    start: int
    end: int
    text: str = ""
    primary: bool = False


@dataclass(frozen=True, slots=True)
class _Line:
    """A line to show: the layout of the part that is shown, and where that part begins."""

    number: int
    layout: Layout
    begin: int
    cut_left: bool
    cut_right: bool

    def columns(self, start: int, end: int) -> tuple[int, int]:
        """The columns of a range of the line's code points, at least one column wide."""
        shift = 1 if self.cut_left else 0
        last = len(self.layout.columns) - 1
        left = self.layout.columns[max(0, min(start - self.begin, last))] + shift
        right = self.layout.columns[max(0, min(end - self.begin, last))] + shift
        if end - self.begin > last and self.cut_right:
            right += 1
        return left, max(right, left + 1)

    def holds(self, column: int) -> bool:
        """Whether a code point of the line is in the piece that is shown (or is its end)."""
        return self.begin <= column <= self.begin + len(self.layout.columns) - 1

    @property
    def text(self) -> str:
        return f"{'…' if self.cut_left else ''}{self.layout.text}{'…' if self.cut_right else ''}"


@dataclass(frozen=True, slots=True)
class _Under:
    """An underline of one line, in columns."""

    left: int
    right: int
    text: str
    primary: bool


def excerpt(source: Source, marks: list[Mark], gutter: int, paint: Paint) -> list[str]:
    """The lines that `marks` touch, in order, underlined. Gaps are shown as ``...``.

    Args:
        marks: the places; the first primary one of several lines gets the bracket, the others show where they begin.
        gutter: the width of the column of line numbers.
    """
    bracket = next(
        (mark for mark in marks if mark.primary and _lines(source, mark)[0] != _lines(source, mark)[1]), None
    )
    first, last = _lines(source, bracket) if bracket else (0, 0)
    per_line: dict[int, list[Mark]] = {}
    for mark in marks:
        if mark is not bracket:
            per_line.setdefault(_lines(source, mark)[0], []).append(mark)
    line_numbers = set(per_line)
    if bracket:
        middle = range(first, last + 1)
        line_numbers |= set(middle) if len(middle) <= _LINES + 1 else {first, first + 1, last}

    out: list[str] = []
    notes: list[str] = []
    bar, pad = paint["gutter"]("|"), " " * gutter
    before = 0
    for number in sorted(line_numbers):
        if before and number > before + 1:
            inside = bracket and first <= before and number <= last
            out.append(paint["gutter"]("...") + (" " * gutter + paint["primary"]("|") if inside else ""))
        before = number
        here = per_line.get(number, [])
        line = _piece(source, number, here or [bracket] if bracket else here)
        margin = "  " if bracket else ""
        opens = bracket is not None and number == first
        start_column = source.position(bracket.start).column - 1 if bracket else 0
        at_front = (
            bracket is not None and not source.line(first)[:start_column].strip() and start_column <= WIDTH
        )
        if bracket and first < number <= last:
            margin = paint["primary"]("|") + " "
        elif opens and at_front:
            margin = paint["primary"]("/") + " "
        out.append(f"{paint['gutter'](str(number).rjust(gutter))} {bar} {margin}{line.text}")
        if opens and not at_front:
            left, _ = line.columns(start_column, start_column + 1)
            out.append(f"{pad} {bar} {paint['primary'](' ' + '_' * (left + 1) + '^')}")
        if bracket and first <= number < last:
            margin = paint["primary"]("|") + " "
        unders = []
        for mark in here:
            under = _under(source, line, mark)
            if under:
                unders.append(under)
            else:
                place = source.position(mark.start)
                notes.append(
                    f"{pad} {paint['gutter']('=')} note: column {place.column}: {_mark_note(source, mark)}"
                )
        out += [f"{pad} {bar} {margin}{row}" for row in _underlines(unders, paint)]
        if bracket and number == last:
            _, right = line.columns(0, source.position(bracket.end).column - 1)
            text = safe(bracket.text)
            out.append(
                f"{pad} {bar} {paint['primary']('|' + '_' * right + '^' + (' ' + text if text else ''))}"
            )
    return out + notes


def _mark_note(source: Source, mark: Mark) -> str:
    """The note about a mark in the part of a line that is not shown: its label, else the marked text."""
    if mark.text:
        return safe(mark.text)
    marked = source.text[mark.start : min(mark.end, mark.start + _QUOTED + 1)].partition("\n")[0]
    return f"`{safe(marked[:_QUOTED])}{'…' if len(marked) > _QUOTED else ''}`"


def _lines(source: Source, mark: Mark) -> tuple[int, int]:
    """First and last line of a mark; the line break at its end does not count."""
    first = source.position(mark.start).line
    end = mark.end
    while end > mark.start + 1 and end <= len(source.text) and source.text[end - 1] in "\r\n":
        end -= 1
    return first, max(first, source.position(end).line)


def _piece(source: Source, number: int, marks: list[Mark]) -> _Line:
    """A line, cut around its first primary mark (or its first mark) if it is too long to show."""
    text = source.line(number)
    if len(text) <= WIDTH:
        return _Line(number, layout(text), 0, False, False)
    chosen = min(marks, key=lambda mark: (not mark.primary, mark.start))
    place = source.position(chosen.start)
    at = place.column - 1 if place.line == number else 0
    begin = max(0, min(at - _BEFORE, len(text) - WIDTH))
    return _Line(number, layout(text[begin : begin + WIDTH]), begin, begin > 0, begin + WIDTH < len(text))


def _under(source: Source, line: _Line, mark: Mark) -> _Under | None:
    """The underline of a mark in its first line, or nothing if the line was cut before it."""
    start = source.position(mark.start)
    end = source.position(max(mark.start, mark.end))
    stop = end.column - 1 if end.line == start.line else len(source.line(start.line))
    if not line.holds(start.column - 1):
        return None
    left, right = line.columns(start.column - 1, stop)
    return _Under(left, right, mark.text, mark.primary)


def _underlines(unders: list[_Under], paint: Paint) -> list[str]:
    """The row of underlines below a line, and the rows of labels that do not fit next to them."""
    if not unders:
        return []
    unders = sorted(unders, key=lambda under: (under.left, not under.primary))
    cells: dict[int, tuple[str, str]] = {}
    for under in sorted(unders, key=lambda under: under.primary):  # the primary one on top
        for column in range(under.left, under.right):
            cells[column] = ("^", "primary") if under.primary else ("-", "second")
    last = unders[-1]
    words = safe_lines(last.text) if last.text else []
    if any(under is not last and under.right > last.left for under in unders):
        words = []  # it would be next to the underline of another mark
    words_after = " " + words[0] if words else ""
    rows = [_row(cells, paint) + (paint[_kind(last)](words_after) if words_after else "")]
    rows += [" " * (last.right + 1) + paint[_kind(last)](word) for word in words[1:]]
    below = [under for under in unders if under.text and not (under is last and words)]
    if below:
        rows.append(_row({under.left: ("|", _kind(under)) for under in below}, paint))
    while below:
        under = below.pop()
        bars = {other.left: ("|", _kind(other)) for other in below if other.left < under.left}
        for word in safe_lines(under.text):
            rows.append(_row(bars, paint, under.left) + paint[_kind(under)](word))
    return rows


def _kind(under: _Under) -> str:
    return "primary" if under.primary else "second"


def _row(cells: Mapping[int, tuple[str, str]], paint: Paint, width: int = 0) -> str:
    """Characters at columns, runs of one colour painted together; blanks up to `width`."""
    out: list[str] = []
    at = 0
    run, kind = "", ""
    for column in sorted(cells):
        char, colour = cells[column]
        if run and (colour != kind or column != at):
            out.append(paint[kind](run))
            run = ""
        if column > at:
            out.append(" " * (column - at))
        run, kind, at = run + char, colour, column + 1
    if run:
        out.append(paint[kind](run))
    return "".join(out) + " " * (width - at)
