"""The key of a remembered gesture: screen, control and its state, gesture.

Where things stand, what texts say and how often rows repeat is not part of it: a list with another row, or a clock that
went on, is the same screen. What a person would call another screen (another page, a dialog above it, a switch that is
on) has another name.
"""

import hashlib
from collections.abc import Mapping
from typing import Final

from vsalang.base.records import dataclass
from vsalang.base.source import Source
from vsalang.program.action import POINTING, Action
from vsalang.program.ir import Program
from vsalang.program.screen import Cells, UnresolvedTarget
from vsalang.screen.control.keys import marked
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import Node, Tree
from vsalang.screen.tree.target import resolve

_STATES: Final = ("checked", "selected", "enabled", "focused")
_MORE: Final = {"scroll": "direction", "swipe": "direction", "press_key": "key", "open_app": "package"}


@dataclass(frozen=True, slots=True)
class Key:
    """Under which a gesture is remembered.

    Attributes:
        package: the app whose control it is, or the one in the foreground; empty: not known.
        screen: a hash of the structure of the screen (`screen_hash`).
        control: a hash of the control's name and of its own states; empty: the gesture has no target (`back`).
        gesture: its name, with a direction or a key that it has: ``tap``, ``scroll down``, ``press_key ENTER``.
        module: a hash of the app's module, by whose rules the screen was read; empty: there is none.
    """

    package: str
    screen: str
    control: str
    gesture: str
    module: str = ""


def key_of(screen: TreeScreen, action: Action, *, module: str = "") -> Key | None:
    """The key of a gesture on a screen; None: nobody knows what it touches.

    Args:
        screen: what it was done on.
        action: the gesture, with its point or the attributes of its target.
        module: a hash of the app's module.
    """
    tree = screen.tree
    try:
        cells = resolve(tree, action.name, action.args)
    except UnresolvedTarget:
        return None
    number = cells.get("node")
    node = tree.by_number.get(number) if isinstance(number, int) else None
    if node is None and action.name in POINTING and "x" in cells:
        return None
    package = node.package if node is not None else screen.app[0] if screen.app else None
    control = "" if node is None else control_hash(tree, node)
    return Key(package or "", screen_hash(tree), control, gesture_of(action.name, cells), module)


def gesture_of(name: str, cells: Cells) -> str:
    """The gesture in a word or two: its name, and where it leads.

    Args:
        name: of the gesture.
        cells: as it was judged: what it was given, and its point.
    """
    ends = [cells.get(end) for end in ("x", "y", "x2", "y2")]
    more = cells.get(_MORE.get(name, ""))
    if name == "swipe" and more is None and all(isinstance(end, int) for end in ends):
        x, y, x2, y2 = map(int, ends)  # type: ignore[arg-type]
        across, down = x2 - x, y2 - y
        ways = ("left", "right") if abs(across) > abs(down) else ("up", "down")
        more = ways[max(across, down, key=abs) > 0]
    return name if more is None else f"{name} {more}"


def screen_hash(tree: Tree) -> str:
    """Equal for screens that are built alike: of nodes of the same classes and ids, hung alike, in the same states.

    How many there are of a kind, their order, texts and places do not count. It is computed once for a tree.
    """
    known: str | None = tree.memory.get("screen_hash")
    if known is None:
        paths: dict[int | None, str] = {None: ""}
        seen = set()
        for node in tree.nodes:
            path = paths[node.node] = _digest(paths[node.parent], node.package, node.cls, node.resource_id)
            seen.add(_digest(path, node.checked, node.selected, node.enabled))
        known = tree.memory["screen_hash"] = _digest(*sorted(seen))
    return known


def control_hash(tree: Tree, node: Node) -> str:
    """Equal for a control of one name (`vsalang.screen.control.keys`) in one state, on whatever screen."""
    mark = marked(tree)[node.node]
    name = mark.key if mark.certain else mark.marks[2]  # what tells it from its like holds in its dump only
    return _digest(name, *(getattr(node, state) for state in _STATES))


def _digest(*parts: str | bool | None) -> str:
    return hashlib.blake2b(repr(parts).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def module_hash(program: Program, sources: Mapping[str, Source], package: str) -> str:
    """A hash of the module of an app, of the generic ones, and of all that they import; empty if there is none.

    Args:
        sources: the text of every file of the program (`vsalang.language.semantics.Loaded.sources`).
        package: of the app.
    """
    waiting = [info.name for info in program.modules.values() if info.generic or package in info.packages]
    seen: dict[str, str] = {}
    while waiting:
        name = waiting.pop()
        info = program.modules.get(name)
        if info is not None and name not in seen:
            source = sources.get(info.file)
            seen[name] = source.digest if source is not None else ""
            waiting += info.imports
    return _digest(*(f"{name} {seen[name]}" for name in sorted(seen))) if seen else ""
