"""What the look after a touch shows of what was judged: whether it is still at the place that was touched.

A touch that goes to a place meets what is there when it arrives. If what was judged shows at another place
afterwards, it had moved, and something else may have taken the touch. If it does not show at all, the touch may have
led away from it, or something else may have led away from it before the touch.
"""

from typing import Final

from vsalang.guard.say.verdict import Proposal
from vsalang.guard.world.observing import Touched
from vsalang.program.gestures import keyboard
from vsalang.program.screen import Cells, Screen, UnresolvedTarget
from vsalang.program.text import safe
from vsalang.program.values import Value

_TOUCHES: Final = ("tap", "double_tap", "long_press")
_EDGES: Final = ("left", "top", "right", "bottom")
_SAYS: Final = ("id", "resource_id", "class", "package", "text", "desc")
"""What tells a node from others, wherever it is."""


def touched(proposal: Proposal, before: Screen | None, after: Screen | None) -> tuple[Touched, str]:
    """What the next look shows of the node that a touch was judged on.

    Args:
        proposal: what was judged.
        before: the screen that it was committed on.
        after: the screen afterwards.

    Returns:
        See `Touched`; and for ``moved`` a sentence that says what is at the place now.
    """
    touches = (proposal.gesture, *proposal.attempts)
    touch = next((each for each in touches if each is not None and each.name in _TOUCHES), None)
    if touch is None or before is None or after is None:
        return "", ""
    try:
        judged = before.target(touch.name, touch.args)
    except UnresolvedTarget:
        return "", ""
    x, y = judged.get("x"), judged.get("y")
    says = _says(judged)
    if not isinstance(x, int) or not isinstance(y, int) or not (says.keys() & {"text", "desc", "id"}):
        return "", ""
    try:
        now: Cells = after.target(touch.name, {"x": x, "y": y})
    except UnresolvedTarget:
        now = {}
    if _says(now) == says or _keyboards(before) != _keyboards(after):  # a keyboard pushes a page about
        return "", ""
    alike = [row for row in after.rows("Node") if _says(row) == says]
    if len([row for row in before.rows("Node") if _says(row) == says]) != 1 or len(alike) != 1:
        return "gone", ""
    return ("", "") if _holds(alike[0], x, y) else ("moved", _words(now))


def _keyboards(screen: Screen) -> int:
    return sum(keyboard.is_keyboard(row.get("kind"), row.get("package")) for row in screen.rows("Window"))


def _says(cells: Cells) -> dict[str, Value]:
    return {name: value for name in _SAYS if (value := cells.get(name)) is not None and value != ""}


def _holds(row: Cells, x: int, y: int) -> bool:
    left, top, right, bottom = (row.get(edge) for edge in _EDGES)
    if not (
        isinstance(left, int) and isinstance(top, int) and isinstance(right, int) and isinstance(bottom, int)
    ):
        return True  # where it is is not known: that is not a sign that it has moved
    return left <= x < right and top <= y < bottom


def _words(now: Cells) -> str:
    name = next((str(now[each]) for each in ("text", "desc", "id") if now.get(each)), "")
    other = f"{safe(name, 60)} is" if name else "something else is"
    return f"what was judged has moved, and {other} in its place: it is not known what took the touch"
