"""Graphs as pictures (SVG), for Graphviz (DOT) and as text. What apps and strangers wrote is quoted and cut in all."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from vsalang.agents.maps.beneath import Returns
from vsalang.agents.maps.gestures import cells_of
from vsalang.agents.maps.layout import Layout, laid_out
from vsalang.agents.maps.screen_graph import ANY, Edge, Graph, Screen, is_anywhere
from vsalang.base.diagnostics.display import columns, safe_lines
from vsalang.base.records import dataclass
from vsalang.base.templates import page_template
from vsalang.language.notations.out.dot import quoted
from vsalang.program import ir
from vsalang.program.show import short_name, source
from vsalang.program.text import line
from vsalang.program.values import Value
from vsalang.program.walk import parts

_LABEL: Final = 40
_WIDE: Final = 150
_HIGH: Final = 30
_GAP: Final = {True: 300, False: 60}
"""Between two columns: of a small graph there is room for gestures."""
_DOWN: Final = {True: 44, False: 42}
_MARGIN: Final = 24
_TOP: Final = 64
_MOST_TIPS: Final = 12
_BENEATH: Final = "the screen beneath"
_SAID: Final = ("package", "key", "direction", "command", "class", "id", "name", "text", "label")
"""The attributes that name a gesture on a picture; of several the last one does."""


def gesture_text(edge: Edge, most: int = _LABEL) -> str:
    """What is done, as it is written in a file, cut."""
    return line(" ".join(source(edge.gesture).split()), most)


def when_text(edge: Edge, most: int = 200) -> str:
    """What else must hold, as it is written in a file, cut; empty: nothing."""
    return line(" ".join(", ".join(source(literal) for literal in edge.when).split()), most)


def counts_text(edge: Edge) -> str:
    """How often it worked."""
    return f"worked {edge.worked} of {edge.tried} times" if edge.tried else "not counted"


def place_text(graph: Graph, name: str) -> str:
    """A screen, or where edges start that start anywhere, in a few words."""
    if name == ANY:
        return "anywhere"
    if is_anywhere(name):
        return line(f"any of {name.removesuffix(f':{ANY}').rpartition('.')[2]}", _LABEL)
    return line(graph.screens[name].title, _LABEL)


# ---------------------------------------------------------------- text


def text_lines(graph: Graph, only: Iterable[str] = ()) -> Iterator[str]:
    """The graph for people: each screen with what leads away from it.

    Args:
        only: names of screens; left out, all.
    """
    chosen = set(only)
    returns = Returns(graph)
    anyhow = [name for name in graph.by_source if is_anywhere(name)]
    for name in (*anyhow, *graph.screens):
        if chosen and name not in chosen:
            continue
        yield place_text(graph, name) + _about(graph.screens.get(name))
        for edge, place in _leaving(graph, returns, name):
            when = f" if {when_text(edge)}" if edge.when else ""
            to = "stays" if edge.target == name else f"-> {place}"
            yield f"  {gesture_text(edge, 80)}{when}  {to}  ({counts_text(edge)})"


def _leaving(graph: Graph, returns: Returns, name: str) -> Iterator[tuple[Edge, str]]:
    """The edges of a source, and where each leads; what leads back is one edge to the screen beneath."""
    for each in returns.by_source.get(name, ()):
        yield each.to(""), _BENEATH
    for edge in graph.by_source.get(name, ()):
        here = returns.elsewhere(edge)
        if here is not None:
            yield here, place_text(graph, here.target)


def _about(screen: Screen | None) -> str:
    if screen is None or screen.kind == "screen":
        return ""
    words = ", ".join(f'"{line(text, 24)}"' for text in screen.texts[:4])
    return f"  ({line(screen.name, 60)}{f': {words}' if words else ''})"


# ---------------------------------------------------------------- Graphviz


def dot(graph: Graph) -> str:
    """The graph for Graphviz. Dashed: nobody counted; red: tried, and never worked."""
    lines = [
        "digraph utg {",
        "  rankdir=LR; concentrate=false;",
        '  node [fontname="Helvetica", fontsize=11, shape=box, style="rounded,filled", fillcolor="#ede9fe"];',
        '  edge [fontname="Helvetica", fontsize=9, color=gray30];',
    ]
    apps: dict[str, list[str]] = {}
    for name, screen in graph.screens.items():
        apps.setdefault(screen.app, []).append(name)
    for app, names in apps.items():
        lines.append(f"  subgraph {quoted(f'cluster {app}')} {{")
        lines.append(f"    label={quoted(line(app, _LABEL))}; color=gray80; fontcolor=gray40;")
        for name in names:
            screen = graph.screens[name]
            tip = line("; ".join((name, *screen.texts[:8])), 300)
            plain = "" if screen.kind == "screen" else ', fillcolor="#f3f4f6"'
            lines.append(
                f"    {quoted(name)} [label={quoted(place_text(graph, name))}, tooltip={quoted(tip)}{plain}];"
            )
        lines.append("  }")
    for name in graph.by_source:
        if is_anywhere(name):
            lines.append(
                f'  {quoted(name)} [shape=plaintext, style="", label={quoted(place_text(graph, name))}];'
            )
    returns = Returns(graph)
    for source_ in returns.by_source:
        at = quoted(f"{source_} {_BENEATH}")
        lines.append(f'  {at} [shape=plaintext, style="", label={quoted(_BENEATH)}];')
    for edge, _ in (each for name in graph.by_source for each in _leaving(graph, returns, name)):
        if edge.source == edge.target:
            continue
        label = _short(edge) + (f"\n{edge.worked} of {edge.tried}" if edge.tried else "")
        tip = gesture_text(edge, 80) + (f" if {when_text(edge)}" if edge.when else "")
        look = ', color="#b91c1c"' if edge.refuted else "" if edge.tried else ", style=dashed"
        more = f"label={quoted(label)}, tooltip={quoted(tip)}{look}"
        target = edge.target or f"{edge.source} {_BENEATH}"
        lines.append(f"  {quoted(edge.source)} -> {quoted(target)} [{more}];")
    return "\n".join([*lines, "}"]) + "\n"


# ---------------------------------------------------------------- SVG


@dataclass(frozen=True, slots=True)
class Box:
    """A screen of the picture.

    Attributes:
        first_text: of a screen that no rule names, the first text on it; empty: there is none.
    """

    x: float
    y: float
    kind: str
    title: str
    first_text: str
    tip: str


@dataclass(frozen=True, slots=True)
class Line:
    """The edges from one screen to another, as one line.

    Attributes:
        path: as SVG writes it; empty: it is not drawn.
        main: whether it is the way by which the screen is reached first.
        label: what is written next to it; empty: nothing.
        x, y: where that is.
    """

    path: str
    main: bool
    look: str
    label: str
    x: float
    y: float
    tip: str


def svg(graph: Graph, title: str) -> str:
    """The picture of a graph. A pointer over a line or a screen shows all of it."""
    plan, returns = laid_out(graph), Returns(graph)
    template = page_template(Path(__file__).parent / "templates" / "utg.svg.j2", _on_picture)
    lines = _lines(graph, plan)
    drawn = [each for each in lines if each.path]
    step = _WIDE + _GAP[plan.small]
    return template.render(
        title=line(title, 100),
        about=_summary(graph),
        small=plan.small,
        boxes=[_box(graph, plan, name, returns) for name in plan.spots],
        lines=[each for each in drawn if not each.main] + [each for each in drawn if each.main],
        labels=[each for each in lines if each.label],
        far=len(lines) - len(drawn),
        heads=[
            (
                _MARGIN + column * step,
                _TOP + row * _DOWN[plan.small] + 8,
                f"{depth} gesture{'s' * (depth != 1)} away" if depth else "begin",
            )
            for column, row, depth in plan.heads
        ],
        wide=_WIDE,
        high=_HIGH,
        width=max(760, round(2 * _MARGIN + plan.columns * step - _GAP[plan.small])),
        height=round(_TOP + 2 * _MARGIN + plan.rows * _DOWN[plan.small]),
    )


def _on_picture(value: object) -> object:
    """What a template shows: of a text nothing that XML cannot hold, or that hides or turns what is around it."""
    return "\n".join(safe_lines(value)) if isinstance(value, str) else value


def _summary(graph: Graph) -> str:
    tried = sum(1 for edge in graph.edges if edge.tried)
    return f"{len(graph.screens)} screens, {len(graph.edges)} edges, {tried} of them tried"


def _at(plan: Layout, name: str) -> tuple[float, float]:
    spot = plan.spots[name]
    step = _WIDE + _GAP[plan.small]
    return _MARGIN + spot.column * step, _TOP + _MARGIN + spot.row * _DOWN[plan.small]


def _box(graph: Graph, plan: Layout, name: str, returns: Returns) -> Box:
    x, y = _at(plan, name)
    screen = graph.screens.get(name)
    if screen is None:
        return Box(x, y, "any", _fitted(place_text(graph, name)), "", "edges that start anywhere")
    tip = [line(screen.name, 100), *(f'"{line(text, 60)}"' for text in screen.texts[:8])]
    leaving = list(_leaving(graph, returns, name))
    for edge, place in leaving[:_MOST_TIPS]:
        to = "stays" if edge.target == name else f"-> {place}"
        tip.append(f"{gesture_text(edge, 60)} {to}")
    tip += [f"and {len(leaving) - _MOST_TIPS} more"] if len(leaving) > _MOST_TIPS else []
    title = next((line(text, 60) for text in screen.texts if text.strip()), "")
    title = f'"{_fitted(title, 24)}"' if title and screen.kind != "screen" else ""
    return Box(x, y, screen.kind, _fitted(place_text(graph, name)), title, "\n".join(tip))


def _fitted(text: str, room: int = 20) -> str:
    """The text, cut to a box's width; wide characters count twice."""
    while columns(text) > room:
        text = f"{text[:-2]}…" if text.endswith("…") else f"{text[:-1]}…"
    return text


def _lines(graph: Graph, plan: Layout) -> list[Line]:
    pairs: dict[tuple[str, str], list[Edge]] = {}
    for edge in graph.edges:
        if edge.source != edge.target:
            pairs.setdefault((edge.source, edge.target), []).append(edge)
    return [_line(graph, plan, pair, edges) for pair, edges in pairs.items()]


def _line(graph: Graph, plan: Layout, pair: tuple[str, str], edges: Sequence[Edge]) -> Line:
    edges = sorted(edges, key=lambda edge: edge.cost)
    (x1, y1), (x2, y2) = _at(plan, pair[0]), _at(plan, pair[1])
    parent = plan.spots[pair[1]].parent
    main = parent is not None and parent.source == pair[0]
    tip = [f"{place_text(graph, pair[0])} -> {place_text(graph, pair[1])}"]
    for edge in edges[:_MOST_TIPS]:
        when = f" if {when_text(edge, 100)}" if edge.when else ""
        tip.append(f"{gesture_text(edge, 80)}{when} ({counts_text(edge)})")
    best = edges[0]
    look = "refuted" if best.refuted else "tried" if best.tried else "untried"
    label = ""
    middle = _HIGH / 2
    at = (x2 - 12, y2 + middle - 5)
    path = _curve(x1, y1 + middle, x2, y2 + middle)
    if plan.small and main:
        more = f" +{len(edges) - 1}" if len(edges) > 1 else ""
        label = _short(best) + more
    elif not plan.small and plan.far(pair[0], pair[1]):
        path = ""
        if main:
            label, at = f"from {_fitted(place_text(graph, pair[0]))}", (x2 + _WIDE, y2 - 2)
    return Line(path, main, look, label, *at, "\n".join(tip))


def _short(edge: Edge) -> str:
    """What is done, without names of attributes where that is enough: ``tap "Save"``."""
    cells = cells_of(edge.gesture)
    if not cells and edge.when:
        cells = dict(_texts(edge.when))
    says = [
        f'"{line(str(cells[key]), 24)}"' if key in ("label", "text", "name") else line(str(cells[key]), 34)
        for key in _SAID
        if key in cells
    ]
    text = line(f"{short_name(edge.gesture.relation)} {' '.join(says[-1:])}".strip(), 36)
    return text if says or not edge.when else f"{text} if .."


def _texts(when: Iterable[ir.Literal]) -> Iterator[tuple[str, Value]]:
    """What conditions ask of texts by constants."""
    for literal in when:
        for part in parts(literal):
            if isinstance(part, ir.Constraint) and part.op == "=" and isinstance(part.term, ir.Const):
                yield part.attr, part.term.value


def _curve(x1: float, y1: float, x2: float, y2: float) -> str:
    """From the right side of a box to the left one of another; backwards below and around."""
    if x2 > x1:
        begin, end = x1 + _WIDE, x2 - 2
        bend = min(60.0, (end - begin) / 2)
        return f"M{begin:g} {y1:g} C{begin + bend:g} {y1:g} {end - bend:g} {y2:g} {end:g} {y2:g}"
    if x2 == x1:
        side = x1 + _WIDE
        return f"M{side:g} {y1:g} C{side + 34:g} {y1:g} {side + 34:g} {y2:g} {side + 2:g} {y2:g}"
    low = y1 + (_HIGH / 2 if y2 >= y1 else -_HIGH / 2)
    end = x2 + _WIDE / 2
    edge = y2 + (-_HIGH / 2 if y2 >= y1 else _HIGH / 2)
    begin = x1 + _WIDE / 2
    bend = (edge - low) / 2
    return f"M{begin:g} {low:g} C{begin:g} {low + bend:g} {end:g} {edge - bend:g} {end:g} {edge:g}"
