"""Actions of VeriSafe Agent: ``{"type": "click", "index": 3}``, alone or as ``Action`` of an answer."""

from typing import Any, Final

from vsalang.phone.vocabulary import base, keys
from vsalang.phone.vocabulary.base import NOWHERE, Surface, VocabularyError, cannot
from vsalang.program.action import Action

_WHO: Final = "verisafe"
_ARGUMENTS: Final[dict[str, tuple[str, ...]]] = {
    "click": ("index",), "long_click": ("index",), "input": ("text", "index"), "scroll": ("direction", "index"),
    "navigate_back": (), "navigate_home": (), "keyboard_enter": (), "finish": ("status",),
    "request_approval": ("text", "reason"),
}  # fmt: skip


def read(data: object, surface: Surface = NOWHERE) -> tuple[Action, ...]:
    """The actions of the language for one action; an unknown type is ``shell(command)``.

    Raises:
        VocabularyError: it is not an action, or it lacks what it needs.
    """
    fields = base.opened(data, _WHO)
    if isinstance(fields.get("Action"), dict):
        fields = fields["Action"]
    kind = fields.get("type")
    if not isinstance(kind, str):
        raise VocabularyError(f"{_WHO}: there is no `type`")
    if kind not in _ARGUMENTS:
        return base.not_understood(_WHO, fields)
    base.refuse_unknown_keys(fields, ("type", *_ARGUMENTS[kind]), f"{_WHO}: {kind}")
    match kind:
        case "click" | "long_click":
            return base.rest(base.element(surface, fields.get("index")), 2000 if kind == "long_click" else 0)
        case "input":
            return base.typed(fields.get("text"), base.element(surface, fields.get("index")))
        case "scroll":
            direction = base.word(fields.get("direction"), "direction", base.DIRECTIONS)
            at = base.element(surface, fields["index"]) if fields.get("index") is not None else {}
            return (Action("scroll", {**at, "direction": direction}),)
        case "finish":
            base.word(fields.get("status", "complete"), "status", ("complete",))
            return (Action("finish"),)
        case "request_approval":
            return ()  # the user is asked; nothing happens on the device
    return keys.pressed({"navigate_back": "BACK", "navigate_home": "HOME", "keyboard_enter": "ENTER"}[kind])


def write(action: Action) -> dict[str, Any]:
    """The action as JSON data. Its targets are numbers of the agent's list: give ``index`` if there is one.

    Raises:
        VocabularyError: it cannot be expressed.
    """
    if action.name in _FIXED and not action.args:
        return dict(_FIXED[action.name])
    if action.name == "press_key" and action.args.get("key") == "ENTER":
        return {"type": "keyboard_enter"}
    if action.name == "scroll" and set(action.args) == {"direction"}:
        return {"type": "scroll", "direction": action.args["direction"]}
    raise cannot(action, _WHO, "its targets are numbers of its own list")


def write_at(action: Action, index: int) -> dict[str, Any]:
    """As `write`, for an action on the element with a number.

    Raises:
        VocabularyError: it cannot be expressed.
    """
    kinds = {"tap": "click", "long_press": "long_click", "input_text": "input", "scroll": "scroll"}
    if action.name not in kinds:
        raise cannot(action, _WHO)
    data: dict[str, Any] = {"type": kinds[action.name], "index": index}
    if action.name == "input_text":
        data["text"] = base.text(action.args.get("value"), "value")
    if action.name == "scroll":
        data["direction"] = base.word(action.args.get("direction"), "direction", base.DIRECTIONS)
    return data


_FIXED: Final[dict[str, dict[str, str]]] = {
    "back": {"type": "navigate_back"},
    "home": {"type": "navigate_home"},
    "finish": {"type": "finish", "status": "complete"},
}
