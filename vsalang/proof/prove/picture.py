"""Plans as a picture (SVG, or a graph for Graphviz): the steps of each run, with what the app is supposed to show."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from textwrap import wrap

from vsalang.base.diagnostics.display import columns, on_page
from vsalang.base.records import dataclass
from vsalang.base.templates import page_template
from vsalang.language.notations.out.dot import quoted
from vsalang.program.phrases import say
from vsalang.proof.prove.telling import Line

_MOST = 54
"""Characters in a line."""
_LINE = 18
_PAD = 12
_GAP = 26
_WIDTH = 500
_MARGIN = 24
_TITLE = 34


@dataclass(frozen=True, slots=True)
class Box:
    """A box of the picture.

    Attributes:
        kind: ``start``, ``shows``, ``does``, ``ends`` or ``denied``.
        lines: what stands in it: the text, its height on the picture, and whether it is the main thing.
    """

    kind: str
    y: int
    height: int
    lines: tuple[tuple[str, int, str], ...]


@dataclass(frozen=True, slots=True)
class Column:
    """One run of the picture."""

    x: int
    title: tuple[str, ...]
    boxes: tuple[Box, ...]


def svg(runs: Sequence[tuple[str, Sequence[Line]]]) -> str:
    """The picture of runs, each with its title, side by side."""
    made = [
        _column(_MARGIN + number * (_WIDTH + 2 * _MARGIN), title, lines)
        for number, (title, lines) in enumerate(runs)
    ]
    template = page_template(Path(__file__).parent / "templates" / "plan.svg.j2", on_page)
    ends = [column.boxes[-1].y + column.boxes[-1].height for column in made]
    return template.render(
        columns=made,
        box=_WIDTH,
        pad=_PAD,
        width=2 * _MARGIN + len(made) * (_WIDTH + 2 * _MARGIN) - 2 * _MARGIN,
        height=max([_TITLE, *ends]) + _MARGIN,
    )


def _column(x: int, title: str, lines: Sequence[Line]) -> Column:
    heading = tuple(_wrapped(title))
    boxes = []
    y = _MARGIN + len(heading) * _LINE + _PAD
    for number, line in enumerate(lines, 1):
        if line.shows:
            box_lines = [("if the app shows", "small")]
            box_lines += [(text, "text") for fact in line.shows for text in _wrapped(fact)]
            boxes.append(_box("shows", y, box_lines))
            y += boxes[-1].height + _GAP
        done = [(text, "main") for text in _wrapped(f"{number}. {line.does}")]
        done += [(text, "text") for text in _wrapped(line.means)]
        done.append((line.verdict, "small"))
        last = number == len(lines)
        kind = "denied" if line.verdict.startswith(say("verdict.block")) else "ends" if last else "does"
        boxes.append(_box(kind, y, done))
        y += boxes[-1].height + _GAP
    return Column(x, heading, tuple(boxes))


def _box(kind: str, y: int, box_lines: Sequence[tuple[str, str]]) -> Box:
    lines = tuple(
        (text, y + _PAD + _LINE * number + 12, style) for number, (text, style) in enumerate(box_lines)
    )
    return Box(kind, y, 2 * _PAD + _LINE * len(box_lines) - 4, lines)


def _wrapped(text: str) -> list[str]:
    """The text in lines that fit into a box; wide characters count twice."""
    room = _MOST if columns(text) == len(text) else _MOST // 2
    indent = " " * (len(text) - len(text.lstrip()))
    return wrap(text, room, subsequent_indent=indent + "    ", drop_whitespace=True) if text.strip() else []


def graph(name: str, runs: Sequence[tuple[str, Sequence[Line]]]) -> str:
    """The runs as one graph for Graphviz: from the start, by what is done if the app shows something, to an end."""
    return "\n".join([f"digraph {quoted(name)} {{", *_graph(runs), "}"]) + "\n"


def _graph(runs: Sequence[tuple[str, Sequence[Line]]]) -> Iterator[str]:
    yield "  rankdir=TB; node [shape=box, fontsize=10]; edge [fontsize=9];"
    yield '  "start" [shape=circle, label="start"];'
    for number, (_, lines) in enumerate(runs, 1):
        before = "start"
        for step, line in enumerate(lines, 1):
            node = f"{number}.{step}"
            last = ", peripheries=2" if step == len(lines) else ""
            labels = [line.does, *([line.means] if line.means else []), line.verdict]
            shows = ["if the app shows:", *line.shows] if line.shows else []
            text = "\n".join(labels)
            yield f"  {quoted(node)} [label={quoted(text)}{last}];"
            conditions = "\n".join(shows)
            yield f"  {quoted(before)} -> {quoted(node)} [label={quoted(conditions)}];"
            before = node
