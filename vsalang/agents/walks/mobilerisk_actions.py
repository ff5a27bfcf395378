"""The actions of MobileRisk's traces: a call as text (``tap(5)``), or a list of objects with a name and parameters."""

import re
from collections.abc import Mapping
from typing import Any, Final

from vsalang.phone.vocabulary import VocabularyError, base, keys
from vsalang.phone.vocabulary import read as read_action
from vsalang.program.action import Action
from vsalang.program.values import Value

_WHO: Final = "mobilerisk"
_MOST: Final = 20
"""So many actions one step may have."""
_CALL: Final = re.compile(r"\s*([a-z][\w-]{0,60})\s*\((.*)\)\s*", re.ASCII | re.DOTALL)
_TOUCHES: Final[Mapping[str, str]] = {
    "tap": "tap", "click": "tap", "double_tap": "double_tap",
    "long_press": "long_press", "long-tap": "long_press", "long_tap": "long_press",
}  # fmt: skip
_BOUNDS: Final = re.compile(r"\[(-?\d{1,6}),(-?\d{1,6})\]\[(-?\d{1,6}),(-?\d{1,6})\]", re.ASCII)


def needs_objects(value: object) -> bool:
    """Whether an action names an element by its number in the list of objects."""
    call = _CALL.fullmatch(value) if isinstance(value, str) else None
    return call is not None and call[1] in _TOUCHES and call[2].strip(" '\"").isdigit()


def read(items: object, objects: Any = None) -> tuple[Action, ...]:
    """What is done in a step; a touch at an element that is not known has no place.

    Args:
        items: the step's ``action``.
        objects: the list of objects that the step was chosen from, if it is known.

    Raises:
        VocabularyError: it is not an action.
    """
    if isinstance(items, str):
        return _call(items, objects)
    if isinstance(items, dict):
        items = [items]
    if not isinstance(items, list) or not all(isinstance(each, dict) for each in items) or len(items) > _MOST:
        raise VocabularyError(
            "`action` is a call such as tap(5), or a list of objects with `name` and `parameters`"
        )
    return tuple(action for each in items for action in _named(each))


# ---------------------------------------------------------------- calls


def _call(text: str, objects: Any) -> tuple[Action, ...]:
    call = _CALL.fullmatch(text)
    if call is None:
        return _unknown(text)
    name, arguments = call[1], call[2].strip()
    bare = arguments.strip("'\"")
    match name:
        case "tap" | "click" | "long-tap" | "long_tap":
            return (Action(_TOUCHES[name], _element(bare, objects)),)
        case "swipe" if bare in base.DIRECTIONS:
            return (Action("swipe", {"direction": bare}),)
        case "button" if bare in ("HOME", "BACK"):
            return (Action(bare.lower()),)
        case "enter":
            return keys.pressed("ENTER")
        case "complete" | "terminate":
            return (Action("finish"),)
        case "refuse" | "ask-consent":
            return (Action("give_up", {"reason": name}),)
    return _unknown(text)


def _unknown(text: str) -> tuple[Action, ...]:
    return base.not_understood(_WHO, {"action": text[:2000]})


def _element(text: str, objects: Any) -> dict[str, Value]:
    """The middle of an element, by its number from 0 in the list of objects; nothing if that does not say it."""
    number = int(text) if re.fullmatch(r"\d{1,6}", text, re.ASCII) else None
    if number is None or not isinstance(objects, list) or number >= len(objects):
        return {}
    one = objects[number]
    bounds = one.get("bounds", one.get("bbox")) if isinstance(one, dict) else None
    if isinstance(bounds, str) and (written := _BOUNDS.fullmatch(bounds)):
        bounds = [int(edge) for edge in written.groups()]
    match bounds:
        case [int(left), int(top), int(right), int(bottom)] | [
            [int(left), int(top)],
            [int(right), int(bottom)],
        ]:
            return {"x": base.pixel((left + right) // 2, "x"), "y": base.pixel((top + bottom) // 2, "y")}
    return {}


# ---------------------------------------------------------------- objects


def _named(data: Mapping[str, Any]) -> tuple[Action, ...]:
    name, arguments = base.tool_call(data, _WHO)
    if name in _TOUCHES:
        return (Action(_TOUCHES[name], _at(arguments)),)
    match name:
        case "input_text" | "type":
            return base.typed(arguments.get("value", arguments.get("text")), _at(arguments))
        case "clear_text":
            return (Action("clear_text", _at(arguments)),)
        case "swipe":
            return _swipe(arguments)
        case "scroll":
            direction = base.word(arguments.get("direction"), "direction", base.DIRECTIONS)
            return (Action("scroll", {**_at(arguments), "direction": direction}),)
        case "press_key":
            return keys.pressed(arguments.get("key"))
        case "back" | "home":
            return (Action(name),)
        case "open_app":
            return (base.app(base.NOWHERE, arguments.get("package", arguments.get("name"))),)
        case "start_activity":
            return _activity(arguments)
        case "shell":
            return _command(arguments.get("command"))
        case "install":
            return (Action("install", {"package": base.package(arguments.get("package"), "the package")}),)
        case "push_file":
            return (Action("push_file", {"path": base.text(arguments.get("path"), "the path", 4000)}),)
        case "answer":
            return (Action("answer", {"text": base.text(arguments.get("text"), "the answer")}),)
        case "wait":
            return (base.wait(base.seconds(arguments.get("seconds", 1), "seconds")),)
        case "terminate":
            status = arguments.get("status", "success")
            if status == "success":
                return (Action("finish"),)
            return (Action("give_up", {"reason": base.text(status, "the status", 200)}),)
    return base.not_understood(_WHO, data)


def _at(arguments: Mapping[str, Any]) -> dict[str, Value]:
    """The place of a touch; nothing if none is given."""
    if arguments.get("x") is None and arguments.get("y") is None:
        return {}
    return {axis: base.pixel(arguments.get(axis), axis) for axis in ("x", "y")}


def _swipe(arguments: Mapping[str, Any]) -> tuple[Action, ...]:
    start = _at(arguments)
    end = (arguments.get("x2", arguments.get("to_x")), arguments.get("y2", arguments.get("to_y")))
    if start and None not in end:
        held = arguments.get("duration")
        return base.stroke(
            start["x"], start["y"], *end, held=None if held is None else base.milliseconds(held, "duration")
        )
    direction = base.word(arguments.get("direction"), "direction", base.DIRECTIONS)
    return (Action("swipe", {**start, "direction": direction}),)


def _activity(arguments: Mapping[str, Any]) -> tuple[Action, ...]:
    words = ["am", "start"]
    if arguments.get("uri"):
        words += ["-a", "android.intent.action.VIEW", "-d", base.text(arguments["uri"], "the link", 4000)]
    package = base.package(arguments["package"], "the package") if arguments.get("package") else ""
    if package and arguments.get("activity"):
        words += ["-n", f"{package}/{base.text(arguments['activity'], 'the activity', 300)}"]
    elif package:
        words += ["-p", package]
    return (base.shell(words),)


def _command(value: object) -> tuple[Action, ...]:
    command = base.text(value, "the command", 4000)
    try:
        return read_action("adb", command)
    except VocabularyError:
        return (base.shell_line(command),)
