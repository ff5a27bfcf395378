"""Screens as drawings: boxes with texts, and the place that a gesture points at; data for a template."""

from collections.abc import Mapping
from typing import Any, Final

from vsalang.base.records import dataclass
from vsalang.guard.journal.file import JournalError
from vsalang.guard.journal.recorded_session import Session, Step
from vsalang.guard.journal.screens_json import table
from vsalang.program.screen import UnresolvedTarget
from vsalang.program.text import line

MOST: Final = 600
"""More boxes of one screen are not drawn."""
_FONT: Final = 0.55
"""How wide a letter is, as a part of its height, on the safe side."""


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle with what it says.

    Attributes:
        kind: ``text``, ``control``, ``field``, ``image``, ``group``, ``pane`` (a window above another one).
        size: of the letters.
        lines: the text, broken to fit.
        on: checked or selected.
        off: disabled.
    """

    x: int
    y: int
    width: int
    height: int
    kind: str
    size: float = 0.0
    lines: tuple[str, ...] = ()
    on: bool = False
    off: bool = False
    middle: bool = False

    @property
    def baselines(self) -> list[tuple[float, str]]:
        """Each line of text with its height."""
        total = len(self.lines) * self.size * 1.2
        top = self.y + max((self.height - total) / 2, 0)
        return [(round(top + (n + 0.85) * self.size * 1.2, 1), text) for n, text in enumerate(self.lines)]


@dataclass(frozen=True, slots=True)
class Drawing:
    """A screen to be drawn; `rows` are what a screen without places says, one a line."""

    id: str
    width: int
    height: int
    boxes: tuple[Box, ...] = ()
    rows: tuple[str, ...] = ()
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class Target:
    """Where a gesture points: a node's rectangle, or a point; what it points at in words.

    Attributes:
        text: what a person calls the node, else its id.
        about: what else tells it: its class and id.
    """

    x: int
    y: int
    width: int = 0
    height: int = 0
    text: str = ""
    about: str = ""


def drawing(body: Mapping[str, Any]) -> Drawing:
    """A recorded screen. Raises `JournalError` if it is none."""
    try:
        name = str(body["id"])
        if body["form"] == "tree":
            from vsalang.screen.tree.node import Node, Window

            nodes = table(body["nodes"], Node)
            windows = table(body["windows"], Window)
            edges = [(w["right"], w["bottom"]) for w in windows] or [(n["right"], n["bottom"]) for n in nodes]
            width = max((right for right, _ in edges), default=1)
            height = max((bottom for _, bottom in edges), default=1)
            # a window lower down is behind: number 1 is topmost
            order = sorted(nodes, key=lambda n: (-n["window"], n["draw"]))
            # one over all of the screen may be clear; a smaller one covers what is behind it
            panes = {
                w["window"]: pane for w in windows if (pane := _pane(w)).width * pane.height < width * height
            }
            boxes: list[Box] = []
            below = None
            for node in order:
                if boxes and node["window"] != below and node["window"] in panes:
                    boxes.append(panes[node["window"]])
                below = node["window"]
                boxes.append(_box(node, width))
            return Drawing(
                name, max(width, 1), max(height, 1), tuple(boxes[:MOST]), left_out=max(len(boxes) - MOST, 0)
            )
        rows = [_row(cells) for cells in body["facts"].get("Node", ())]
        return Drawing(name, 0, 0, rows=tuple(rows[:MOST]), left_out=max(len(rows) - MOST, 0))
    except (KeyError, TypeError, AttributeError) as error:
        raise JournalError(f"an invalid screen: {type(error).__name__}: {error}") from error


def target(session: Session, step: Step) -> Target | None:
    """Where the gesture of a step points, if it points anywhere."""
    gesture = step.proposed.gesture
    if gesture is None or step.screen is None or not gesture.args:
        return None
    try:
        cells = session.screen(step.screen).target(gesture.name, gesture.args)
    except UnresolvedTarget:
        return None
    except Exception:  # of what is only a picture nothing hangs on
        return None
    named = {name: cells.get(name) for name in ("left", "top", "right", "bottom", "x", "y")}
    words = line(str(cells.get("label") or cells.get("id") or ""), 60)
    parts = [str(cells["class"])] if cells.get("class") else []
    parts += [f"id {cells['id']}"] if cells.get("id") and cells["id"] != words else []
    about = line(", ".join(parts), 120)
    if all(isinstance(named[edge], int) for edge in ("left", "top", "right", "bottom")):
        left, top = int(str(named["left"])), int(str(named["top"]))
        width, height = int(str(named["right"])) - left, int(str(named["bottom"])) - top
        return Target(left, top, width, height, words, about)
    if isinstance(named["x"], int) and isinstance(named["y"], int):
        return Target(named["x"], named["y"], text=words, about=about)
    return Target(0, 0, text=words, about=about) if words else None


def _pane(window: Mapping[str, Any]) -> Box:
    left, top = window["left"], window["top"]
    return Box(left, top, window["right"] - left, window["bottom"] - top, "pane")


def _box(node: Mapping[str, Any], screen: int) -> Box:
    width, height = node["right"] - node["left"], node["bottom"] - node["top"]
    text = node.get("text") or ""
    if node.get("password") and text:
        text = "•" * min(len(text), 12)
    caption = text or node.get("hint") or ""
    if not caption and width > screen / 6:
        caption = node.get("desc") or ""  # an icon has no room for it
    cls = node.get("cls") or ""
    takes = bool(node.get("clickable") or node.get("long_clickable") or node.get("checkable"))
    if node.get("editable") or cls == "EditText":
        kind = "field"
    elif takes:
        kind = "control"
    elif "Image" in cls and not text:
        kind = "image"
    elif text:
        kind = "text"
    else:
        kind = "group"
        caption = ""
    size, lines = _fitted(line(caption, 400), width, height, screen)
    on = bool(node.get("checked") or node.get("selected"))
    return Box(
        node["left"],
        node["top"],
        width,
        height,
        kind,
        size,
        lines,
        on,
        node.get("enabled") is False,
        kind in ("control", "image"),
    )


def _fitted(text: str, width: int, height: int, screen: int) -> tuple[float, tuple[str, ...]]:
    """The greatest size at which the text fits in, broken at words; cut if it fits at none."""
    if not text or width <= 0 or height <= 0:
        return 0.0, ()
    import textwrap

    greatest, least = min(height * 0.72, screen / 22), screen / 50
    size = greatest
    while size > least:
        lines = textwrap.wrap(text, max(int(width / (size * _FONT)), 1), break_on_hyphens=False)
        if len(lines) * size * 1.2 <= height and max(map(len, lines)) * size * _FONT <= width:
            return round(size, 1), tuple(lines)
        size *= 0.9
    size = max(min(least, height * 0.8), 1.0)
    room = max(int(width / (size * _FONT)), 1)
    lines = textwrap.wrap(text, room, break_on_hyphens=False)
    fit = max(int(height / (size * 1.2)), 1)
    if len(lines) > fit:
        lines = [*lines[: fit - 1], (lines[fit - 1][: room - 1] + "…")[:room]]
    return round(size, 1), tuple(lines)


def _row(cells: Mapping[str, Any]) -> str:
    text = cells.get("text") or cells.get("label") or cells.get("desc") or ""
    name = cells.get("id") or f"node {cells.get('node', '')}"
    return line(f"{name}: {text}" if text else str(name), 100)
