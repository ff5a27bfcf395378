"""AndroidWorld's JSON actions (``JSONAction``), as its environment carries them out."""

from typing import Any, Final

from vsalang.phone.vocabulary import base, keys
from vsalang.phone.vocabulary.base import NOWHERE, Surface, VocabularyError, cannot, only, place
from vsalang.program.action import Action
from vsalang.program.values import Value

_WHO: Final = "androidworld"
_KEYS: Final = (
    "action_type", "index", "x", "y", "text", "direction", "goal_status", "app_name", "keycode", "clear_text",
)  # fmt: skip
# Its swipe up and down name where the finger moves, its left and right where it looks (actuation.py).
_SWIPES: Final = {"up": "up", "down": "down", "left": "right", "right": "left"}
_TOUCHES: Final = {"click": "tap", "double_tap": "double_tap", "long_press": "long_press"}
_CLICKS: Final = {name: kind for kind, name in _TOUCHES.items()}


def read(data: object, surface: Surface = NOWHERE) -> tuple[Action, ...]:
    """The actions of the language for one action; an unknown type is ``shell(command)``.

    Args:
        data: the action, as text or JSON data.
        surface: gives the elements for ``index``.

    Raises:
        VocabularyError: it is not an action, or it lacks what it needs.
    """
    fields = base.opened(data, _WHO)
    kind = fields.get("action_type")
    if not isinstance(kind, str):
        raise VocabularyError(f"{_WHO}: there is no `action_type`")
    if kind not in _TYPES:
        return base.not_understood(_WHO, fields)
    base.refuse_unknown_keys(fields, _KEYS, f"{_WHO}: {kind}")
    if kind in _TOUCHES:
        return (Action(_TOUCHES[kind], _target(fields, surface, kind)),)
    if kind == "input_text":
        return _typing(fields, surface)
    if kind == "scroll":
        direction = base.word(fields.get("direction"), "direction", base.DIRECTIONS)
        # its environment takes index 0 for none
        at = base.element(surface, fields["index"]) if fields.get("index") not in (None, 0, "0") else {}
        return (Action("scroll", {**at, "direction": direction}),)
    if kind == "swipe":
        direction = base.word(fields.get("direction"), "direction", base.DIRECTIONS)
        return (Action("swipe", {"direction": _SWIPES[direction]}),)
    if kind == "open_app":
        return (base.app(surface, fields.get("app_name")),)
    if kind == "answer":
        return (Action("answer", {"text": base.text(fields.get("text"), "text")}),)
    if kind == "status":
        return _status(fields.get("goal_status"))
    if kind == "press_keyboard":
        return keys.pressed(fields.get("keycode"))
    if kind == "wait":
        return (base.wait(1000),)
    return {"keyboard_enter": keys.pressed("ENTER"), "navigate_back": _BACK, "navigate_home": _HOME}[kind]


_BACK: Final = (Action("back"),)
_HOME: Final = (Action("home"),)
_TYPES: Final = frozenset(_TOUCHES) | {
    "input_text", "scroll", "swipe", "open_app", "answer", "status", "press_keyboard", "wait", "keyboard_enter",
    "navigate_back", "navigate_home",
}  # fmt: skip


def _target(fields: base.Data, surface: Surface, kind: str) -> dict[str, Value]:
    if fields.get("index") is not None:
        if fields.get("x") is not None or fields.get("y") is not None:
            raise VocabularyError(f"{_WHO}: {kind} has an index and a place: it must be one of them")
        return base.element(surface, fields["index"])
    if fields.get("x") is None or fields.get("y") is None:
        raise VocabularyError(f"{_WHO}: {kind} needs an index, or x and y")
    return {"x": base.pixel(fields["x"], "x"), "y": base.pixel(fields["y"], "y")}


def _typing(fields: base.Data, surface: Surface) -> tuple[Action, ...]:
    """It taps, types and presses Enter; without a text it does nothing at all."""
    text = fields.get("text")
    if (text is not None and not isinstance(text, str) and isinstance(text, int | float)) or hasattr(
        text, "is_finite"
    ):
        text = str(text)
    if not text:
        return ()
    at = _target(fields, surface, "input_text")
    clear = fields.get("clear_text", False)
    if clear not in (None, True, False):
        raise VocabularyError(f"{_WHO}: clear_text is true or false")
    return (*base.typed(text, at, clear=bool(clear)), *keys.pressed("ENTER"))


def _status(status: object) -> tuple[Action, ...]:
    if status in ("complete", "success", "successful"):
        return (Action("finish"),)
    if status in ("infeasible", "failure", "failed", "impossible"):
        return (Action("give_up", {"reason": str(status)}),)
    raise VocabularyError(f"{_WHO}: goal_status is complete or infeasible")


def write(action: Action) -> dict[str, Any]:
    """The action as JSON data.

    Raises:
        VocabularyError: it cannot be expressed: AndroidWorld swipes across the whole screen, and types with Enter.
    """
    name, args = action.name, action.args
    if name in _CLICKS:
        only(action, ("x", "y"), _WHO)
        x, y = place(action, _WHO)
        return {"action_type": _CLICKS[name], "x": x, "y": y}
    if name in ("scroll", "swipe"):
        only(action, ("direction",), _WHO)
        direction = args.get("direction")
        if direction not in base.DIRECTIONS:
            raise cannot(action, _WHO, "it needs a direction")
        return {"action_type": name, "direction": direction if name == "scroll" else _SWIPES[str(direction)]}
    if name == "open_app" and len(args) == 1:
        return {"action_type": name, "app_name": next(iter(args.values()))}
    if name == "answer":
        return {"action_type": name, "text": base.text(args.get("text"), "text")}
    if name == "press_key" and args.get("key") == "ENTER":
        return {"action_type": "keyboard_enter"}
    if name in _FIXED:
        return dict(_FIXED[name])
    raise cannot(action, _WHO)


def write_all(actions: tuple[Action, ...]) -> dict[str, Any]:
    """As `write`, for several actions that are one here: clearing a field, typing into it, and Enter.

    Raises:
        VocabularyError: they are not one.
    """
    rest = actions[1:] if actions and actions[0].name == "clear_text" else actions
    match rest:
        case (Action(name="input_text") as typing, Action(name="press_key") as enter) if (
            enter.args.get("key") == "ENTER"
        ):
            only(typing, ("x", "y", "value"), _WHO)
            x, y = place(typing, _WHO)
            if len(rest) < len(actions) and place(actions[0], _WHO) != (x, y):
                raise cannot(actions[0], _WHO, "another field is typed into")
            clear = {"clear_text": True} if len(rest) < len(actions) else {}
            text = base.text(typing.args.get("value"), "value")
            return {"action_type": "input_text", "text": text, "x": x, "y": y, **clear}
    if len(actions) != 1:
        raise VocabularyError(f"{_WHO}: these are not one action")
    return write(actions[0])


_FIXED: Final[dict[str, dict[str, str]]] = {
    "back": {"action_type": "navigate_back"},
    "home": {"action_type": "navigate_home"},
    "wait": {"action_type": "wait"},
    "finish": {"action_type": "status", "goal_status": "complete"},
    "give_up": {"action_type": "status", "goal_status": "infeasible"},
}
