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


def needs_objects(said: object) -> bool:
    """Whether an action names an element by its number in the list of objects."""
    call = _CALL.fullmatch(said) if isinstance(said, str) else None
    return call is not None and call[1] in _TOUCHES and call[2].strip(" '\"").isdigit()


def read(said: object, objects: Any = None) -> tuple[Action, ...]:
    """What is done in a step; a touch at an element that is not known has no place.

    Args:
        said: the step's ``action``.
        objects: the list of objects that the step was chosen from, if it is known.

    Raises:
        VocabularyError: it is not an action.
    """
    if isinstance(said, str):
        return _call(said, objects)
    if isinstance(said, dict):
        said = [said]
    if not isinstance(said, list) or not all(isinstance(each, dict) for each in said) or len(said) > _MOST:
        raise VocabularyError(
            "`action` is a call such as tap(5), or a list of objects with `name` and `parameters`"
        )
    return tuple(action for each in said for action in _named(each))


# ---------------------------------------------------------------- calls


def _call(said: str, objects: Any) -> tuple[Action, ...]:
    call = _CALL.fullmatch(said)
    if call is None:
        return _unknown(said)
    name, given = call[1], call[2].strip()
    bare = given.strip("'\"")
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
    return _unknown(said)


def _unknown(said: str) -> tuple[Action, ...]:
    return base.not_understood(_WHO, {"action": said[:2000]})


def _element(said: str, objects: Any) -> dict[str, Value]:
    """The middle of an element, by its number from 0 in the list of objects; nothing if that does not say it."""
    number = int(said) if re.fullmatch(r"\d{1,6}", said, re.ASCII) else None
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
    name, given = base.tool_call(data, _WHO)
    if name in _TOUCHES:
        return (Action(_TOUCHES[name], _at(given)),)
    match name:
        case "input_text" | "type":
            return base.typed(given.get("value", given.get("text")), _at(given))
        case "clear_text":
            return (Action("clear_text", _at(given)),)
        case "swipe":
            return _swipe(given)
        case "scroll":
            direction = base.word(given.get("direction"), "direction", base.DIRECTIONS)
            return (Action("scroll", {**_at(given), "direction": direction}),)
        case "press_key":
            return keys.pressed(given.get("key"))
        case "back" | "home":
            return (Action(name),)
        case "open_app":
            return (base.app(base.NOWHERE, given.get("package", given.get("name"))),)
        case "start_activity":
            return _activity(given)
        case "shell":
            return _command(given.get("command"))
        case "install":
            return (Action("install", {"package": base.package(given.get("package"), "the package")}),)
        case "push_file":
            return (Action("push_file", {"path": base.text(given.get("path"), "the path", 4000)}),)
        case "answer":
            return (Action("answer", {"text": base.text(given.get("text"), "the answer")}),)
        case "wait":
            return (base.wait(base.seconds(given.get("seconds", 1), "seconds")),)
        case "terminate":
            status = given.get("status", "success")
            if status == "success":
                return (Action("finish"),)
            return (Action("give_up", {"reason": base.text(status, "the status", 200)}),)
    return base.not_understood(_WHO, data)


def _at(given: Mapping[str, Any]) -> dict[str, Value]:
    """The place of a touch; nothing if none is given."""
    if given.get("x") is None and given.get("y") is None:
        return {}
    return {axis: base.pixel(given.get(axis), axis) for axis in ("x", "y")}


def _swipe(given: Mapping[str, Any]) -> tuple[Action, ...]:
    start = _at(given)
    end = (given.get("x2", given.get("to_x")), given.get("y2", given.get("to_y")))
    if start and None not in end:
        held = given.get("duration")
        return base.stroke(
            start["x"], start["y"], *end, held=None if held is None else base.milliseconds(held, "duration")
        )
    direction = base.word(given.get("direction"), "direction", base.DIRECTIONS)
    return (Action("swipe", {**start, "direction": direction}),)


def _activity(given: Mapping[str, Any]) -> tuple[Action, ...]:
    words = ["am", "start"]
    if given.get("uri"):
        words += ["-a", "android.intent.action.VIEW", "-d", base.text(given["uri"], "the link", 4000)]
    package = base.package(given["package"], "the package") if given.get("package") else ""
    if package and given.get("activity"):
        words += ["-n", f"{package}/{base.text(given['activity'], 'the activity', 300)}"]
    elif package:
        words += ["-p", package]
    return (base.shell(words),)


def _command(said: object) -> tuple[Action, ...]:
    command = base.text(said, "the command", 4000)
    try:
        return read_action("adb", command)
    except VocabularyError:
        return (base.shell_line(command),)
