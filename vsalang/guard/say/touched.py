"""What a gesture touches, as people call it: the label of the control, not its coordinates."""

from collections.abc import Mapping
from typing import Final

from vsalang.program.action import POINTING, Action
from vsalang.program.screen import Cells
from vsalang.program.text import line, safe
from vsalang.program.values import Value, show

_LONGEST: Final = 40
_TOUCHES: Final = POINTING - {"swipe", "scroll"}
_PLACES: Final = frozenset({"x", "y", "node"})
"""Arguments that are numbers of one look."""
_KINDS: Final = {
    "EditText": "field",
    "AutoCompleteTextView": "field",
    "Switch": "switch",
    "SwitchCompat": "switch",
    "CheckBox": "box",
    "RadioButton": "choice",
    "ImageView": "image",
}
"""The kinds of controls that are said: of a button it goes without saying."""


def touched_text(gesture: Action | None, cells: Cells) -> str:
    """The label of what a gesture touches, in quotes and cut, with its kind; empty if nothing is known of it.

    Args:
        gesture: what is proposed; only of one that names a place or a number anything is said.
        cells: the node that takes it, as `Screen.target` gives it.
    """
    if gesture is None or gesture.name not in _TOUCHES or _PLACES.isdisjoint(gesture.args):
        return ""
    return control_text(cells)


def control_text(cells: Cells) -> str:
    """The label of a control, in quotes and cut, with its kind, or its id; empty if it has neither."""
    kind = _KINDS.get(str(cells.get("class", "")).rpartition(".")[2], "")
    # what stands in a field is not what it is called, and a page that takes the touch is called like all that is on it
    attrs = ["label"] if cells.get("clickable") is not False else []
    attrs += ["desc", "hint"] if kind == "field" else ["text", "desc", "hint"]
    for attr in attrs:
        label = cells.get(attr)
        if isinstance(label, str) and label.strip():
            return f"{kind} {safe(label.strip(), _LONGEST)}".strip()
    id_ = cells.get("id")
    return f"{kind} id {safe(id_, _LONGEST)}".strip() if isinstance(id_, str) and id_ else ""


def gesture_text(name: str, args: Mapping[str, Value], touched: str) -> str:
    """A gesture as a line of the log: ``tap "Save"``; with its coordinates where nothing is known of the place.

    Args:
        touched: what `touched_text` says.
    """
    rest = {attr: value for attr, value in args.items() if not touched or attr not in _PLACES}
    words = [touched] if touched else []
    words += [f"{attr} {show(value)}" for attr, value in rest.items()]
    return line(f"{name.rpartition('.')[2]} {', '.join(words)}".strip())
