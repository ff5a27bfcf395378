"""Gestures of the graph: the fewest attributes by which a recorded gesture names its widget, and whether one fits."""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from vsalang.agents.maps.screen_graph import MAX_TEXT
from vsalang.agents.maps.signature import own_nodes
from vsalang.program.action import GESTURES, POINTING, Action
from vsalang.program.gestures.path import directions
from vsalang.program.ir import BOOL, NUMBER, TEXT, Atom, Const, Constraint
from vsalang.program.screen import Cells, UnresolvedTarget
from vsalang.program.values import Value, same
from vsalang.screen.screen import TreeScreen

_NAMING: Final = (("id",), ("label",), ("id", "label"), ("class", "id"), ("class", "label"), ("class",))
_PLAIN: Final = frozenset({"back", "home"})
_MOVING: Final = frozenset({"swipe", "scroll"})
_STARTS: Final = re.compile(r"\s*(?:adb shell )?am (?:start|start-activity)\s")
_SENT: Final = re.compile(r"\s*(?:adb shell )?am (?:start|start-activity|force-stop)\s")
MAX_COMMAND: Final = 200


def atom(name: str, cells: Mapping[str, Value]) -> Atom:
    """The pattern of a gesture with these attributes."""
    return Atom(name, tuple(Constraint(key, "=", _constant(value)) for key, value in cells.items()))


def _constant(value: Value) -> Const:
    if isinstance(value, bool):
        return Const(value, BOOL)
    return Const(value, TEXT if isinstance(value, str) else NUMBER)


def gesture_on(action: Action, screen: TreeScreen | None) -> tuple[Atom, Cells] | None:
    """An action as an edge names it, and all that is known of it.

    What was typed is left out: it belongs to a task, not to the app. None: it is not a gesture that leads anywhere
    (waiting, the end of a task), or nobody can say what it was done to.
    """
    name = action.name
    if name in _PLAIN:
        return Atom(name), {}
    if name == "shell":
        command = action.args.get("command")
        if not isinstance(command, str) or len(command) > MAX_COMMAND:
            return None
        return (atom(name, {"command": command}), action.args) if _SENT.match(command) else None
    if name in ("open_app", "press_key"):
        texts = {key: value for key, value in action.args.items() if isinstance(value, str)}
        if any(len(value) > MAX_COMMAND for value in texts.values()):
            return None
        return atom(name, texts), texts
    if name not in POINTING or screen is None:
        return None
    assert name in GESTURES
    try:
        cells = dict(screen.target(name, action.args))
    except UnresolvedTarget:
        return None
    cells.pop("value", None)
    return atom(name, dict(_naming(name, cells, screen))), cells


def _naming(name: str, cells: Cells, screen: TreeScreen) -> Iterator[tuple[str, Value]]:
    """The attributes that tell the widget from the others of its screen, and where a movement goes."""
    yield from _widget(cells, screen).items()
    if name in _MOVING:
        ways = [cells["direction"]] if "direction" in cells else list(directions(cells))
        if len(ways) == 1:
            yield "direction", ways[0]


def _widget(cells: Cells, screen: TreeScreen) -> dict[str, Value]:
    nodes = list(own_nodes(screen))
    for names in _NAMING:
        chosen = {key: cells[key] for key in names if key in cells}
        if len(chosen) < len(names) or any(len(str(value)) > MAX_TEXT for value in chosen.values()):
            continue
        fitting = sum(
            all(getattr(node, "cls" if key == "class" else key) == value for key, value in chosen.items())
            for node in nodes
        )
        if fitting == 1:
            return chosen
    place = {
        key: cells[key]
        for key in ("class", "id", "index")
        if key in cells and len(str(cells[key])) <= MAX_TEXT
    }
    return place if "index" in place else {key: cells[key] for key in ("x", "y") if key in cells}


def fits(pattern: Atom, name: str, cells: Cells) -> bool:
    """Whether a gesture is one that the pattern names, as far as constants say it."""
    if pattern.relation != name:
        return False
    for each in pattern.constraints:
        if each.op != "=" or not isinstance(each.term, Const):
            return False
        value = cells.get(each.attr)
        if value is None or not same(value, each.term.value):
            return False
    return True


def starts_anywhere(gesture: Atom) -> bool:
    """Whether it does the same wherever one is: it opens an app or goes home."""
    if gesture.relation == "shell":
        command = next((each.term for each in gesture.constraints if each.attr == "command"), None)
        return isinstance(command, Const) and _STARTS.match(str(command.value)) is not None
    return gesture.relation in ("home", "open_app")


def cells_of(pattern: Atom) -> dict[str, Value]:
    """What a pattern says of the gesture by constants."""
    return {
        each.attr: each.term.value
        for each in pattern.constraints
        if each.op == "=" and isinstance(each.term, Const)
    }
