"""The actions of mobilerun (formerly droidrun): ``{"action": "click", "index": 3}``, or calls of its tools."""

from collections.abc import Mapping
from typing import Any, Final

from vsalang.phone.vocabulary import base, keys
from vsalang.phone.vocabulary.base import NOWHERE, Surface, VocabularyError, cannot, lasting, only, place
from vsalang.program.action import Action
from vsalang.program.values import Value

_WHO: Final = "mobilerun"
_ARGUMENTS: Final[dict[str, tuple[str, ...]]] = {
    "click": ("index",), "long_press": ("index",), "click_at": ("x", "y"), "long_press_at": ("x", "y"),
    "click_area": ("x1", "y1", "x2", "y2"), "type": ("text", "index", "clear"),
    "type_text": ("text", "index", "clear"),
    "type_secret": ("secret_id", "index"), "system_button": ("button",),
    "swipe": ("coordinate", "coordinate2", "duration"),
    "open_app": ("text",), "open_bundle_id": ("bundle_id", "app_id"), "wait": ("duration",),
    "remember": ("information",),
    "complete": ("success", "reason", "message"),
}  # fmt: skip
NAMES: Final = frozenset(_ARGUMENTS)
"""Its actions."""
_BUTTONS: Final = {"back": "BACK", "home": "HOME", "enter": "ENTER"}


def recognises(data: Mapping[Any, Any]) -> bool:
    """Whether an object with ``action`` is mobilerun's, which shares names with the language."""
    match data["action"]:
        case "swipe":
            return "coordinate" in data
        case "open_app":
            return "text" in data
        case "wait":
            return "duration" in data and not isinstance(data["duration"], str)
        case "long_press":
            return False  # `index` is an argument of the language too
    return data["action"] in NAMES


def read(data: object, surface: Surface = NOWHERE) -> tuple[Action, ...]:
    """The actions of the language for one action; an unknown one is ``shell(command)``.

    Raises:
        VocabularyError: it is not an action, or it lacks what it needs.
    """
    fields = base.opened(data, _WHO)
    if isinstance(fields.get("action"), str):
        name = fields["action"]
        args: base.Data = {key: value for key, value in fields.items() if key != "action"}
    else:
        name, args = base.tool_call(fields, _WHO)
    if name not in _ARGUMENTS:
        return base.not_understood(_WHO, {"action": name, **args})
    base.refuse_unknown_keys(args, (*_ARGUMENTS[name], "thought"), f"{_WHO}: {name}")
    return _read(name, args, surface)


def _read(name: str, args: base.Data, surface: Surface) -> tuple[Action, ...]:
    if name in ("click", "long_press"):
        return base.rest(base.element(surface, args.get("index")), 1000 if name == "long_press" else 0)
    if name in ("click_at", "long_press_at"):
        return base.touch(args.get("x"), args.get("y"), 1000 if name == "long_press_at" else 0)
    if name == "click_area":
        x, y, x2, y2 = (base.pixel(args.get(key), key) for key in ("x1", "y1", "x2", "y2"))
        return base.touch((x + x2) // 2, (y + y2) // 2)
    if name in ("type", "type_text", "type_secret"):
        return _typing(name, args, surface)
    if name == "system_button":
        button = args.get("button")
        button_name = _BUTTONS.get(button.lower()) if isinstance(button, str) else None
        if button_name is None:
            raise VocabularyError(f"{_WHO}: the buttons are back, home and enter")
        return keys.pressed(button_name)
    if name == "swipe":
        start, end = (
            _pair(args.get("coordinate"), "coordinate"),
            _pair(args.get("coordinate2"), "coordinate2"),
        )
        return base.stroke(*start, *end, held=base.seconds(_default(args.get("duration"), 1), "duration"))
    if name in ("open_app", "open_bundle_id"):
        if name == "open_app":
            return (base.app(surface, args.get("text")),)
        return (
            Action(
                "open_app", {"package": base.package(args.get("app_id") or args.get("bundle_id"), "app_id")}
            ),
        )
    if name == "wait":
        return (base.wait(base.seconds(_default(args.get("duration"), 1), "duration")),)
    if name == "remember":
        return ()
    if not isinstance(args.get("success"), bool):
        raise VocabularyError(f"{_WHO}: complete needs `success`")
    if args["success"]:
        return (Action("finish"),)
    reason = base.text(args.get("reason") or args.get("message") or "", "reason")
    return (Action("give_up", {"reason": reason} if reason else {}),)


def _default(value: object, other: object) -> object:
    return other if value is None else value


def _typing(name: str, args: base.Data, surface: Surface) -> tuple[Action, ...]:
    number = args.get("index")
    at: dict[str, Value] = {} if number in (None, -1) else base.element(surface, number)
    if name == "type_secret":
        base.text(args.get("secret_id"), "secret_id")
        return (Action("input_text", at),)  # the typed text is not known
    clear = args.get("clear", False)
    if not isinstance(clear, bool):
        raise VocabularyError(f"{_WHO}: clear is true or false")
    return base.typed(args.get("text"), at, clear=clear)


def _pair(value: object, what: str) -> tuple[object, object]:
    if not isinstance(value, list) or len(value) != 2:
        raise VocabularyError(f"{_WHO}: {what} is a pair of numbers")
    return value[0], value[1]


def write(action: Action) -> dict[str, Any]:
    """The action as JSON data.

    Raises:
        VocabularyError: it cannot be expressed.
    """
    name, args = action.name, action.args
    if name in ("tap", "long_press"):
        only(action, ("x", "y"), _WHO)
        x, y = place(action, _WHO)
        return {"action": "click_at" if name == "tap" else "long_press_at", "x": x, "y": y}
    if name == "swipe":
        only(action, ("x", "y", "x2", "y2", "duration"), _WHO)
        x, y, x2, y2 = place(action, _WHO, ("x", "y", "x2", "y2"))
        return {
            "action": name,
            "coordinate": [x, y],
            "coordinate2": [x2, y2],
            "duration": lasting(action, 1000) / 1000,
        }
    if name == "input_text":
        only(action, ("value",), _WHO)
        return {"action": "type", "text": base.text(args.get("value"), "value"), "index": -1}
    if name in ("back", "home") or (name == "press_key" and args.get("key") == "ENTER"):
        return {"action": "system_button", "button": name if name != "press_key" else "enter"}
    if name == "open_app" and set(args) == {"package"}:
        return {"action": "open_bundle_id", "app_id": args["package"]}
    if name == "open_app" and set(args) == {"name"}:
        return {"action": "open_app", "text": args["name"]}
    if name == "wait":
        return {"action": name, "duration": lasting(action, 1000) / 1000}
    if name == "finish":
        return {"action": "complete", "success": True}
    if name == "give_up":
        return {"action": "complete", "success": False, "reason": str(args.get("reason", ""))}
    raise cannot(action, _WHO)
