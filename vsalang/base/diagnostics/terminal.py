"""Renders findings for people: the message, the source text with the exact place underlined, and the help.

error[E0201]: unknown relation `Slto`
  --> reserve.vsa:5:8
   |
 5 |   when Slto(restaurant = "R").
   |        ^^^^ not declared
   |
   = help: did you mean `Slot`?
"""

from collections import Counter
from collections.abc import Iterable, Mapping

from vsalang.base.diagnostics.diagnostic import Diagnostic, Edit, Fix, Severity
from vsalang.base.diagnostics.display import count, safe, safe_lines
from vsalang.base.diagnostics.excerpt import Mark, Paint, excerpt
from vsalang.base.diagnostics.sentences import says_the_same
from vsalang.base.records import dataclass
from vsalang.base.source import Source

_COLOURS = {Severity.ERROR: "1;31", Severity.WARNING: "1;33", Severity.INFO: "1;36"}
_CHANGED_LINES = 8
_CHANGED_WIDTH = 120


@dataclass(frozen=True, slots=True)
class _Styles:
    on: bool

    def __call__(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.on and text else text

    def gutter(self, text: str) -> str:
        return self("1;34", text)


def render(
    diagnostics: Iterable[Diagnostic], sources: Mapping[str, Source], *, color: bool, counted: bool = True
) -> str:
    """The findings in the order given, and a line that counts them; an empty text if there are none.

    Args:
        sources: the texts of the files, by the names that spans use; a file that is missing is only named.
        color: whether to use ANSI colours. Texts from findings and files cannot add escape sequences.
        counted: whether to print the line that counts them.
    """
    style = _Styles(color)
    items = list(diagnostics)
    blocks = [_block(item, sources, style) for item in items]
    if items and counted:
        blocks.append(_count(items, style) + "\n")
    return "\n".join(blocks)


def _block(item: Diagnostic, sources: Mapping[str, Source], style: _Styles) -> str:
    colour = _COLOURS[item.severity]
    title = style(colour, f"{item.severity.value}[{safe(item.code)}]") + style("1", f": {safe(item.message)}")
    lines = [title]
    gutter = _gutter_width(item, sources)
    pad = " " * gutter
    bar = style.gutter("|")

    marks: dict[str, list[Mark]] = {}
    if item.span:
        marks[item.span.file] = [Mark(item.span.start, item.span.end, item.label, primary=True)]
    for label in item.labels:
        marks.setdefault(label.span.file, []).append(Mark(label.span.start, label.span.end, label.text))

    if not item.span and item.file:
        lines.append(f"{pad}{style.gutter('-->')} {safe(item.file)}")
    paint: Paint = {
        "gutter": style.gutter,
        "primary": lambda t: style(colour, t),
        "second": lambda t: style("1;34", t),
    }
    for file, file_marks in marks.items():
        source = sources.get(file)
        arrow = style.gutter("-->" if item.span and file == item.span.file else ":::")
        if source is None:
            lines.append(f"{pad}{arrow} {safe(file)}")
            lines += [
                f"{pad} {style.gutter('=')} note: {safe(mark.text)}" for mark in file_marks if mark.text
            ]
            continue
        first = source.position(file_marks[0].start)
        lines.append(f"{pad}{arrow} {safe(file)}:{first.line}:{first.column}")
        lines.append(f"{pad} {bar}")
        lines += excerpt(source, file_marks, gutter, paint)

    if item.help and not any(says_the_same(item.help, fix) for fix in item.fixes):
        if marks:
            lines.append(f"{pad} {bar}")
        first_line, *rest = safe_lines(item.help)
        lines.append(f"{pad} {style.gutter('=')} {style('1', 'help')}: {first_line}")
        lines += [f"{pad}         {line}".rstrip() for line in rest]
    for fix in item.fixes:
        lines += _fix(fix, sources, gutter, style)
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _gutter_width(item: Diagnostic, sources: Mapping[str, Source]) -> int:
    """Digits of the largest line number that the finding shows, and one blank."""
    spans = [label.span for label in item.labels] + [edit.span for fix in item.fixes for edit in fix.edits]
    if item.span:
        spans.append(item.span)
    numbers = [sources[span.file].position(span.end).line for span in spans if span.file in sources]
    return len(str(max(numbers, default=1))) + 1


def _fix(fix: Fix, sources: Mapping[str, Source], gutter: int, style: _Styles) -> list[str]:
    """A suggestion: the lines it changes, before and after."""
    lines = [f"{style('1;32', 'help')}: {safe(fix.title)}"]
    pad = " " * gutter
    for file in dict.fromkeys(edit.span.file for edit in fix.edits):
        edits = sorted((edit for edit in fix.edits if edit.span.file == file), key=lambda edit: edit.span)
        source = sources.get(file)
        if source is None:
            lines.append(f"{pad}{style.gutter('-->')} {safe(file)}")
            continue
        number, old, new = _changed(source, edits)
        bar = style.gutter("|")
        lines.append(f"{pad} {bar}")
        for sign, colour, texts in (("-", "31", old), ("+", "32", new)):
            for index, text in enumerate(texts[:_CHANGED_LINES]):
                styled_line = style(colour, text)
                lines.append(
                    f"{style.gutter(str(number + index).rjust(gutter))} {style(colour, sign)} {styled_line}"
                )
            if len(texts) > _CHANGED_LINES:
                lines.append(f"{pad} {style(colour, sign)} … {len(texts) - _CHANGED_LINES} more lines")
        lines.append(f"{pad} {bar}")
    return lines


def _changed(source: Source, edits: list[Edit]) -> tuple[int, list[str], list[str]]:
    """The number of the first line that sorted edits change, and the lines before and after."""
    first = source.position(edits[0].span.start).line
    last = source.position(max(edit.span.end for edit in edits)).line
    begin = edits[0].span.start - (source.position(edits[0].span.start).column - 1)
    end_position = source.position(max(edit.span.end for edit in edits))
    end = max(edit.span.end for edit in edits) - (end_position.column - 1) + len(source.line(last))
    old = source.text[begin:end]
    new, at = [], begin
    for edit in edits:
        new += [source.text[at : edit.span.start], edit.text]
        at = max(at, edit.span.end)
    new.append(source.text[at:end])
    before, after = old.split("\n"), "".join(new).split("\n")
    near = edits[0].span.start - begin
    return first, [_cut(line, near) for line in before], [_cut(line, near) for line in after]


def _cut(line: str, near: int) -> str:
    """A line without its carriage return; a very long one is cut around a place."""
    line = line.rstrip("\r").expandtabs(4) if len(line) < 1000 else line
    if len(line) <= _CHANGED_WIDTH:
        return safe(line)
    start = max(0, min(near - 20, len(line) - _CHANGED_WIDTH))
    piece = line[start : start + _CHANGED_WIDTH]
    return f"{'…' if start else ''}{safe(piece)}{'…' if start + _CHANGED_WIDTH < len(line) else ''}"


def _count(items: list[Diagnostic], style: _Styles) -> str:
    counts = Counter(item.severity for item in items)
    names = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
    parts = [count(n, names[kind]) for kind in names if (n := counts[kind])]
    text = f"{', '.join(parts[:-1])} and {parts[-1]}" if len(parts) > 1 else parts[0]
    return style("1", f"Found {text}.")
