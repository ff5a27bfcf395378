"""Plans as a picture (SVG): the steps of each run one below the other, with what the app is supposed to show."""

from collections.abc import Sequence
from pathlib import Path
from textwrap import wrap

from vsalang.base.diagnostics.display import columns, on_page
from vsalang.base.records import dataclass
from vsalang.base.templates import page_template
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
            shown = [("if the app shows", "small")]
            shown += [(text, "text") for said in line.shows for text in _wrapped(said)]
            boxes.append(_box("shows", y, shown))
            y += boxes[-1].height + _GAP
        done = [(text, "main") for text in _wrapped(f"{number}. {line.does}")]
        done += [(text, "text") for text in _wrapped(line.means)]
        done.append((line.verdict, "small"))
        last = number == len(lines)
        kind = "denied" if line.verdict.startswith(say("verdict.block")) else "ends" if last else "does"
        boxes.append(_box(kind, y, done))
        y += boxes[-1].height + _GAP
    return Column(x, heading, tuple(boxes))


def _box(kind: str, y: int, said: Sequence[tuple[str, str]]) -> Box:
    lines = tuple((text, y + _PAD + _LINE * number + 12, style) for number, (text, style) in enumerate(said))
    return Box(kind, y, 2 * _PAD + _LINE * len(said) - 4, lines)


def _wrapped(text: str) -> list[str]:
    """The text in lines that fit into a box; wide characters count twice."""
    room = _MOST if columns(text) == len(text) else _MOST // 2
    indent = " " * (len(text) - len(text.lstrip()))
    return wrap(text, room, subsequent_indent=indent + "    ", drop_whitespace=True) if text.strip() else []
