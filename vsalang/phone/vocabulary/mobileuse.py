"""The tools of mobile-use (minitap), as its executor calls them."""

from typing import Any, Final

from vsalang.phone.vocabulary import base, keys
from vsalang.phone.vocabulary.base import NOWHERE, Surface, VocabularyError, cannot, lasting, only, place
from vsalang.program.action import Action
from vsalang.program.values import Value

_WHO: Final = "mobile-use"
_ARGUMENTS: Final[dict[str, tuple[str, ...]]] = {
    "tap": ("target", "selector_request", "index"),
    "long_press_on": ("target", "selector_request", "index", "duration"),
    "swipe": ("swipe_request",),
    "swipe_coordinates": ("start_x", "start_y", "end_x", "end_y", "duration"),
    "swipe_percentages": ("start_x_percent", "start_y_percent", "end_x_percent", "end_y_percent", "duration"),
    "focus_and_input_text": ("text", "target"), "focus_and_clear_text": ("target",), "erase_one_char": (),
    "press_key": ("key",), "back": (), "launch_app": ("package_name", "app_name"), "stop_app": ("package_name",),
    "open_link": ("url",), "wait_for_delay": ("time_in_ms",),
}  # fmt: skip
NAMES: Final = frozenset(_ARGUMENTS)
"""Its tools that act."""


def read(data: object, surface: Surface = NOWHERE) -> tuple[Action, ...]:
    """The actions of one call, in order; an unknown tool is ``shell(command)``.

    Raises:
        VocabularyError: it is not a call, or it lacks what it needs.
    """
    name, args = base.tool_call(base.opened(data, _WHO), _WHO)
    if name not in _ARGUMENTS:
        return base.not_understood(_WHO, {"name": name, "args": args})
    base.refuse_unknown_keys(args, (*_ARGUMENTS[name], "agent_thought"), f"{_WHO}: {name}")
    return _read(name, args, surface)


def _read(name: str, args: base.Data, surface: Surface) -> tuple[Action, ...]:
    match name:
        case "tap":
            return base.rest(_selected(args, name))
        case "long_press_on":
            held = args.get("duration")
            return base.rest(
                _selected(args, name), 1000 if held is None else base.milliseconds(held, "duration")
            )
        case "focus_and_input_text":
            return base.typed(args.get("text"), _target(args.get("target")))
        case "focus_and_clear_text":
            return (Action("clear_text", _target(args.get("target"))),)
        case "erase_one_char":
            return keys.pressed("DEL")
        case "press_key":
            return keys.pressed(base.word(str(args.get("key")).upper(), "key", ("ENTER", "HOME", "BACK")))
        case "back":
            return keys.pressed("BACK")
        case "launch_app":
            return (base.app(surface, args.get("package_name") or args.get("app_name")),)
        case "stop_app":
            return (base.shell(["am", "force-stop", base.package(args.get("package_name"), "package_name")]),)
        case "open_link":
            return (base.link(args.get("url")),)
        case "wait_for_delay":
            held = args.get("time_in_ms")
            late = isinstance(held, int) and not isinstance(held, bool) and held < 0
            return (base.wait(1000 if late else base.milliseconds(held, "time_in_ms")),)
        case _:
            return _swipe(name, args, surface)


def _target(value: object) -> dict[str, Value]:
    """The locator that its tools try first: the place, then the id, then the text."""
    if not isinstance(value, dict):
        raise VocabularyError(f"{_WHO}: there is no target")
    base.refuse_unknown_keys(
        value,
        ("resource_id", "resource_id_index", "text", "text_index", "coordinates", "bounds"),
        f"{_WHO}: a target",
    )
    box = value.get("coordinates") or value.get("bounds")
    if box is not None:
        if not isinstance(box, dict):
            raise VocabularyError(f"{_WHO}: coordinates are an object")
        base.refuse_unknown_keys(box, ("x", "y", "width", "height"), f"{_WHO}: coordinates")
        x, y, wide, high = (base.pixel(box.get(key), key) for key in ("x", "y", "width", "height"))
        return {"x": base.pixel(x + wide // 2, "x"), "y": base.pixel(y + high // 2, "y")}
    for key, attribute in (("resource_id", "resource_id"), ("text", "text")):
        if value.get(key):
            if value.get(f"{key}_index") not in (None, 0):
                raise VocabularyError(
                    f"{_WHO}: the index of a target is not known here: give its coordinates"
                )
            return {attribute: base.text(value[key], key)}
    raise VocabularyError(f"{_WHO}: the target selects nothing")


def _selected(args: base.Data, name: str) -> dict[str, Value]:
    """What a touch goes to: a target, or the selector of earlier versions."""
    if args.get("target") is not None:
        if args.get("selector_request") is not None:
            raise VocabularyError(f"{_WHO}: {name} has a target and a selector_request")
        return _target(args["target"])
    request = args.get("selector_request")
    if not isinstance(request, dict) or args.get("index") not in (None, 0):
        raise VocabularyError(f"{_WHO}: {name} needs a target, or a selector_request without an index")
    base.refuse_unknown_keys(request, ("id", "resource_id", "text", "coordinates"), f"{_WHO}: a selector")
    if isinstance(place_ := request.get("coordinates"), dict):
        return {"x": base.pixel(place_.get("x"), "x"), "y": base.pixel(place_.get("y"), "y")}
    ids = {request[key] for key in ("id", "resource_id") if isinstance(request.get(key), str)}
    if len(ids) > 1:
        raise VocabularyError(f"{_WHO}: a selector with two ids")
    return _target({"resource_id": next(iter(ids), None), "text": request.get("text")})


def _swipe(name: str, args: base.Data, surface: Surface) -> tuple[Action, ...]:
    held = args.get("duration")
    if name == "swipe":
        request = args.get("swipe_request")
        mode = request.get("swipe_mode") if isinstance(request, dict) else None
        if not isinstance(request, dict) or not isinstance(mode, dict):
            raise VocabularyError(f"{_WHO}: swipe needs a swipe_mode with start and end")
        base.refuse_unknown_keys(request, ("swipe_mode", "duration"), f"{_WHO}: a swipe_request")
        base.refuse_unknown_keys(mode, ("start", "end"), f"{_WHO}: a swipe_mode")
        held = request.get("duration")
        ends = [*_end(mode.get("start"), surface), *_end(mode.get("end"), surface)]
    else:
        part = "_percent" if name == "swipe_percentages" else ""
        ends = []
        for end in ("start", "end"):
            ends += _end({f"{axis}{part}": args.get(f"{end}_{axis}{part}") for axis in ("x", "y")}, surface)
    return base.stroke(*ends, held=base.milliseconds(400 if held is None else held, "duration"))


def _end(value: object, surface: Surface) -> list[object]:
    if not isinstance(value, dict):
        raise VocabularyError(f"{_WHO}: a swipe has a start and an end")
    if set(value) == {"x", "y"}:
        return [value["x"], value["y"]]
    if set(value) != {"x_percent", "y_percent"}:
        raise VocabularyError(f"{_WHO}: the end of a swipe is x and y, or x_percent and y_percent")
    if not surface.width or not surface.height:
        raise VocabularyError(f"{_WHO}: parts of the screen, whose size is not known here: give pixels")
    parts: list[object] = []
    for key, size in (("x_percent", surface.width), ("y_percent", surface.height)):
        part = value[key]
        if isinstance(part, bool) or not isinstance(part, int) or not 0 <= part <= 100:
            raise VocabularyError(f"{_WHO}: {key} is a whole number from 0 to 100")
        parts.append(min(size * part // 100, size - 1))
    return parts


def write(action: Action) -> dict[str, Any]:
    """The call of a tool.

    Raises:
        VocabularyError: there is none.
    """
    name, args = _write(action)
    return {"name": name, "args": args}


def _write(action: Action) -> tuple[str, dict[str, Any]]:
    name, args = action.name, action.args
    if name in ("tap", "long_press"):
        return ("tap" if name == "tap" else "long_press_on"), {"target": _other_arguments(action, ())}
    if name == "input_text":
        text = base.text(args.get("value"), "value")
        return "focus_and_input_text", {"text": text, "target": _other_arguments(action, ("value",))}
    if name == "clear_text":
        return "focus_and_clear_text", {"target": _other_arguments(action, ())}
    if name == "swipe":
        only(action, ("x", "y", "x2", "y2", "duration"), _WHO)
        x, y, x2, y2 = place(action, _WHO, ("x", "y", "x2", "y2"))
        mode = {"start": {"x": x, "y": y}, "end": {"x": x2, "y": y2}}
        return "swipe", {"swipe_request": {"swipe_mode": mode, "duration": lasting(action, 400)}}
    if name == "press_key" and args.get("key") == "ENTER":
        return "press_key", {"key": "Enter"}
    if name == "press_key" and args.get("key") == "DEL":
        return "erase_one_char", {}
    if name == "home":
        return "press_key", {"key": "Home"}
    if name == "back":
        return "back", {}
    if name == "open_app" and set(args) == {"package"}:
        return "launch_app", {"package_name": args["package"]}
    if name == "wait":
        return "wait_for_delay", {"time_in_ms": lasting(action, 1000)}
    raise cannot(action, _WHO)


def _other_arguments(action: Action, other: tuple[str, ...]) -> dict[str, Any]:
    names = set(action.args) - set(other)
    if names == {"x", "y"}:
        x, y = place(action, _WHO)
        return {"coordinates": {"x": x, "y": y, "width": 0, "height": 0}}
    if names in ({"resource_id"}, {"text"}):
        return {key: action.args[key] for key in names}
    raise cannot(action, _WHO, "its target is a place, a resource_id or a text")
