"""JSON-RPC calls of uiautomator2's server on the device (interface ``AutomatorService``) as actions."""

import json
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any, Final

from vsalang.phone.vocabulary import base, keys
from vsalang.phone.vocabulary.adb_input import ForbiddenCommand, motion
from vsalang.phone.vocabulary.base import (
    VocabularyError,
    cannot,
    lasting,
    only,
    place,
    shell,
    stroke,
    touch,
    typed,
)
from vsalang.program.action import Action
from vsalang.program.gestures.keys import CODES
from vsalang.program.gestures.path import Point, path
from vsalang.program.values import Value

__all__ = ["FORBIDDEN", "METHODS", "actions_of", "parse", "read", "write", "written"]

Params = list[Any]
Actions = tuple[Action, ...]
STEP: Final = 5
"""Milliseconds of one step of a movement."""

_FIELDS: Final[dict[str, tuple[int, str]]] = {
    "text": (0x01, "text"),
    "className": (0x10, "class"),
    "description": (0x40, "desc"),
    "checkable": (0x400, "checkable"),
    "checked": (0x800, "checked"),
    "clickable": (0x1000, "clickable"),
    "longClickable": (0x2000, "long_clickable"),
    "scrollable": (0x4000, "scrollable"),
    "enabled": (0x8000, "enabled"),
    "focused": (0x20000, "focused"),
    "selected": (0x40000, "selected"),
    "packageName": (0x80000, "package"),
    "resourceId": (0x200000, "resource_id"),
}
"""Field of a selector -> the bit of its mask, the attribute of a node. Other fields are not tests for equality."""
_INSTANCE: Final = 0x1000000


def selector(value: object) -> dict[str, Value]:
    """The attributes that a selector asks for.

    The server uses only fields whose bit is in the mask: a selector whose mask does not fit its fields is refused,
    since it would select another node than the one it names.

    Raises:
        VocabularyError: it selects by something else than attributes (a part of a text, a child, a position).
    """
    if not isinstance(value, Mapping):
        raise VocabularyError(
            "a handle of an object that was found before: which it is cannot be seen; use a selector"
        )
    if value.get("childOrSibling") or value.get("childOrSiblingSelector"):
        raise VocabularyError("a selector of children or siblings: find the node first and act at its place")
    mask = value.get("mask")
    if isinstance(mask, bool) or not isinstance(mask, int):
        raise VocabularyError("the selector has no mask")
    values: dict[str, Value] = {}
    bits = 0
    for field, wanted in value.items():
        if field in ("mask", "childOrSibling", "childOrSiblingSelector"):
            continue
        if field == "instance" and wanted == 0 and not isinstance(wanted, bool):
            bits |= _INSTANCE & mask
            continue  # the guard asks for the only one, which is the first
        if field not in _FIELDS:
            raise VocabularyError(
                f"a selector by {str(field)[:40]!r} cannot be judged: find the node first and act at its place"
            )
        bit, attribute = _FIELDS[field]
        bits |= bit
        if isinstance(wanted, str):
            text = base.text(wanted, field)
            values[attribute] = text.rpartition(".")[2] if attribute == "class" else text
        elif isinstance(wanted, bool) and attribute not in (
            "text",
            "class",
            "desc",
            "package",
            "resource_id",
        ):
            values[attribute] = wanted
        else:
            raise VocabularyError(f"the selector's {field} is neither a text nor true nor false")
    if bits != mask:
        raise VocabularyError("the selector's mask does not say what its fields say")
    if not values:
        raise VocabularyError("the selector selects everything")
    return values


def _ints(params: Params) -> list[Any]:
    for value in params:
        if isinstance(value, bool) or (
            not isinstance(value, int | float) and not hasattr(value, "is_finite")
        ):
            raise VocabularyError("a number is expected")
    return params


def _steps(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= 100_000:
        raise VocabularyError("steps are a number")
    return value * STEP


def _click(params: Params) -> Actions:
    if len(params) == 1:
        return base.rest(selector(params[0]))
    if len(params) == 2 and isinstance(params[1], str):
        raise VocabularyError("a click on a corner of a node: click at its place")
    _ints(params)
    return touch(params[0], params[1], base.milliseconds(params[2], "the time") if len(params) == 3 else 0)


def _long_click(params: Params) -> Actions:
    if len(params) != 1:
        raise VocabularyError("a long click on a corner of a node: click at its place")
    return (Action("long_press", selector(params[0])),)


def _swipe(params: Params) -> Actions:
    if len(params) != 5:
        target = selector(params[0])
        direction = base.word(str(params[1]).lower(), "the direction", base.DIRECTIONS)
        return (Action("swipe", {**target, "direction": direction}),)
    return stroke(*params[:4], held=_steps(params[4]))


def _drag(params: Params) -> Actions:
    moved = stroke(*params[:4], held=_steps(params[4]))
    return (*touch(params[0], params[1], 1000), *(a for a in moved if a.name == "swipe"))


def _swipe_points(params: Params) -> Actions:
    points = params[0]
    if not isinstance(points, list) or len(points) < 4 or len(points) % 2 or len(points) > 2000:
        raise VocabularyError("points are a list of pairs of numbers")
    _ints(points)
    pairs = [(base.pixel(x, "x"), base.pixel(y, "y")) for x, y in zip(points[::2], points[1::2], strict=True)]
    # the finger stays down, and moves evenly
    step, last = _steps(params[1]), len(pairs) - 1
    held = min(step * last, base.LONGEST)
    return path([Point(*pair, held * number // last) for number, pair in enumerate(pairs)])


def _inject(params: Params) -> Actions:
    _ints(params[1:3])
    kind = {0: "DOWN", 1: "UP", 2: "MOVE"}.get(params[0] if type(params[0]) is int else -1)
    if kind is None or params[3] != 0:
        raise VocabularyError("an event that is neither down, move nor up, or with a key held")
    return motion(kind, params[1], params[2])


_RPC_KEYS: Final = {
    "home": "HOME", "back": "BACK", "left": "DPAD_LEFT", "right": "DPAD_RIGHT", "up": "DPAD_UP", "down": "DPAD_DOWN",
    "center": "DPAD_CENTER", "menu": "MENU", "search": "SEARCH", "enter": "ENTER", "delete": "DEL", "del": "DEL",
    "recent": "APP_SWITCH", "volume_up": "VOLUME_UP", "volume_down": "VOLUME_DOWN", "volume_mute": "VOLUME_MUTE",
    "camera": "CAMERA", "power": "POWER",
}  # fmt: skip
_KEY_RPC: Final = {name: key for key, name in reversed(_RPC_KEYS.items())}
_META: Final = {
    "SHIFT_LEFT": 0x1 | 0x40 | 0x80, "ALT_LEFT": 0x2 | 0x10 | 0x20, "CTRL_LEFT": 0x1000 | 0x2000 | 0x4000,
}  # fmt: skip
"""Key that is held -> its bits in the state of the keyboard (``KeyEvent.META_``...); the others are refused."""


def _press(params: Params) -> Actions:
    if not isinstance(params[0], str) or params[0].lower() not in _RPC_KEYS:
        raise VocabularyError(f"there is no key {str(params[0])[:40]!r}")
    return keys.pressed(_RPC_KEYS[params[0].lower()])


def _press_code(params: Params) -> Actions:
    if any(type(value) is not int for value in params):
        raise VocabularyError("the key and what is held with it are codes")
    if len(params) == 1 or params[1] == 0:
        return keys.pressed(params[0])
    held: list[object] = [name for name, bits in _META.items() if params[1] & bits]
    if params[1] & ~sum(_META.values()):
        raise VocabularyError("a key is held, and its effect on other keys is not known")
    return keys.chord([*held, params[0]])


def _set_text(params: Params) -> Actions:
    target = selector(params[0])
    content = base.text(params[1], "the text")
    return (
        (Action("input_text", {**target, "value": content}),) if content else (Action("clear_text", target),)
    )


def _clipboard(params: Params) -> Actions:
    # the text will be pasted next: judged as typing, so that it is judged with its text
    return typed(params[-1]) or (Action("input_text", {"value": ""}),)


def _scroll(params: Params, forward: bool) -> Actions:
    if not isinstance(params[1], bool):
        raise VocabularyError("whether it scrolls up and down is true or false")
    direction = ("down" if forward else "up") if params[1] else ("right" if forward else "left")
    return (Action("scroll", {**selector(params[0]), "direction": direction}),)


def _child(params: Params) -> Actions:
    """Finding a child of a list by its text, which scrolls until it appears, unless the call forbids it."""
    return () if params[3:] == [False] else (Action("scroll", selector(params[0])),)


def _setting(method: str) -> Callable[[Params], Actions]:
    return lambda params: (shell(["uiautomator2", method, json.dumps(params, default=str)]),)


# method -> (how many parameters it takes, what it does)
METHODS: Final[dict[str, tuple[frozenset[int], Callable[[Params], Actions]]]] = {
    "click": (frozenset({1, 2, 3}), _click),
    "clickAndWaitForNewWindow": (frozenset({2}), lambda p: base.rest(selector(p[0]))),
    "longClick": (frozenset({1, 2}), _long_click),
    "swipe": (frozenset({3, 4, 5}), _swipe),
    "drag": (frozenset({5}), _drag),
    "swipePoints": (frozenset({2}), _swipe_points),
    "injectInputEvent": (frozenset({4}), _inject),
    "pressKey": (frozenset({1}), _press),
    "pressKeyCode": (frozenset({1, 2}), _press_code),
    "setText": (frozenset({2}), _set_text),
    "clearTextField": (frozenset({1}), lambda p: (Action("clear_text", selector(p[0])),)),
    "clearInputText": (frozenset({0}), lambda p: (Action("clear_text"),)),
    "pasteClipboard": (frozenset({0}), lambda p: keys.pasted()),
    "setClipboard": (frozenset({1, 2}), _clipboard),
    "scrollForward": (frozenset({2, 3}), lambda p: _scroll(p, True)),
    "scrollBackward": (frozenset({2, 3}), lambda p: _scroll(p, False)),
    "scrollToEnd": (frozenset({3, 4}), lambda p: _scroll(p, True)),
    "scrollToBeginning": (frozenset({3, 4}), lambda p: _scroll(p, False)),
    "flingForward": (frozenset({2}), lambda p: _scroll(p, True)),
    "flingBackward": (frozenset({2}), lambda p: _scroll(p, False)),
    "flingToEnd": (frozenset({3}), lambda p: _scroll(p, True)),
    "flingToBeginning": (frozenset({3}), lambda p: _scroll(p, False)),
    "scrollTo": (frozenset({3}), lambda p: (Action("scroll", selector(p[0])),)),
    "childByText": (frozenset({3, 4}), _child),
    "childByDescription": (frozenset({3, 4}), _child),
    "launchApp": (
        frozenset({1}),
        lambda p: (Action("open_app", {"package": base.package(p[0], "the app")}),),
    ),
    "wakeUp": (frozenset({0}), lambda p: (Action("press_key", {"key": "WAKEUP"}),)),
    "sleep": (frozenset({0}), lambda p: (Action("press_key", {"key": "SLEEP"}),)),
    "openNotification": (frozenset({0}), lambda p: (shell(["cmd", "statusbar", "expand-notifications"]),)),
    "openQuickSettings": (frozenset({0}), lambda p: (shell(["cmd", "statusbar", "expand-settings"]),)),
    "setOrientation": (frozenset({1}), _setting("setOrientation")),
    "freezeRotation": (frozenset({1}), _setting("freezeRotation")),
}
"""The calls that act and can be judged."""

FORBIDDEN: Final[dict[str, str]] = {
    "executeShellCommand": "it runs any command: send it as a shell service",
    "registerClickUiObjectWatcher": "a watcher acts later, when nobody judges",
    "registerPressKeyskWatcher": "a watcher acts later, when nobody judges",
    "runWatchers": "a watcher acts when nobody judges",
    "resetWatcherTriggers": "a watcher acts when nobody judges",
    "setConfigurator": "it changes how every later input is made",
    "makeToast": "a message of the agent could be mistaken for one of an app",
    "gesture": "a gesture of several fingers is not known to the language",
    "pinchIn": "a gesture of several fingers is not known to the language",
    "pinchOut": "a gesture of several fingers is not known to the language",
    "dragTo": "the end is known only when the finger is lifted: drag from place to place",
}


def actions_of(method: str, params: Params) -> Actions | None:
    """The actions of a call; None if it is not a known call that acts.

    Raises:
        Forbidden: it is never allowed.
        VocabularyError: its effect cannot be expressed.
    """
    if method in FORBIDDEN:
        raise ForbiddenCommand(f"`{method}`: {FORBIDDEN[method]}")
    if method not in METHODS:
        return None
    counts, run = METHODS[method]
    if len(params) not in counts:
        raise VocabularyError(f"`{method}` does not take {len(params)} parameters")
    try:
        return run(params)
    except VocabularyError as error:
        raise VocabularyError(f"`{method}`: {error}") from error


def parse(body: str | bytes) -> tuple[str, Params]:
    """The method and the parameters of one call.

    Raises:
        VocabularyError: it is not a call, or several, or other parsers may read it differently.
    """
    return call(load(body))


def load(body: str | bytes) -> Any:
    """The JSON data of one call.

    Raises:
        VocabularyError: it is none.
    """
    if isinstance(body, bytes):
        if len(body) > 4 * base.MOST_TEXT:
            raise VocabularyError(f"longer than {base.MOST_TEXT} characters")
        try:
            body = body.decode()
        except UnicodeDecodeError as error:
            raise VocabularyError("the call is not UTF-8") from error
    if "\x00" in body or body.startswith("\ufeff"):
        raise VocabularyError("the call is not plain UTF-8")
    return base.load(body)


def call(data: object) -> tuple[str, Params]:
    """As `parse`, for JSON data."""
    if isinstance(data, list):
        raise VocabularyError("several calls at once: send them one by one")
    if not isinstance(data, Mapping):
        raise VocabularyError("a call is an object")
    base.refuse_unknown_keys(data, ("jsonrpc", "id", "method", "params"), "a call")
    if data.get("jsonrpc", "2.0") != "2.0" or set(data) - {"jsonrpc", "id", "method", "params"}:
        raise VocabularyError("the call is not of JSON-RPC 2.0")
    method, params = data.get("method"), data.get("params")
    if not isinstance(method, str) or not method.isascii() or not method.isalnum():
        raise VocabularyError("the call names no method")
    if params is None or params == {}:
        params = []
    if not isinstance(params, list):
        raise VocabularyError("the parameters of a call are a list")
    return method, params


def written(data: object, *, acts: bool) -> bytes:
    """A call that was understood, written again: in ASCII, and with coordinates in whole pixels.

    So the call that is sent is the one that was judged, however parsers treat encodings, escapes and numbers.

    Args:
        data: the call, as JSON data (`base.load`).
        acts: whether it acts; numbers with a fraction in such a call are coordinates.

    Raises:
        VocabularyError: its id is none of JSON-RPC's.
    """
    method, params = call(data)
    assert isinstance(data, Mapping)  # it is a call
    number = data.get("id")
    if isinstance(number, bool) or not isinstance(number, int | str | None) or len(str(number)) > 200:
        raise VocabularyError("the call's id is neither a number nor a text")
    request = {"jsonrpc": "2.0", "id": number, "method": method, "params": _rewritten(params, acts)}
    if "id" not in data:
        del request["id"]
    try:
        return json.dumps(request, allow_nan=False).encode("ascii")
    except (ValueError, TypeError) as error:
        raise VocabularyError(f"the call cannot be written again: {error}") from error


def _rewritten(value: object, acts: bool) -> object:
    if isinstance(value, list):
        return [_rewritten(each, acts) for each in value]
    if isinstance(value, Mapping):
        return {name: _rewritten(each, acts) for name, each in value.items()}
    if isinstance(value, float | Decimal):
        return base.pixel(value, "a place") if acts else float(value)
    return value


def read(data: object, _surface: base.Surface = base.NOWHERE) -> Actions:
    """The actions of one call, given as text or JSON data; a call that is not understood is ``shell(command)``.

    Raises:
        VocabularyError: it is not a call, or always refused, or cannot be judged.
    """
    method, params = parse(data) if isinstance(data, str | bytes) else call(data)
    actions = actions_of(method, params)
    if actions is None:
        return (shell(["uiautomator2", method, json.dumps(params, default=str)]),)
    return actions


_WHO: Final = "uiautomator2"


def write(action: Action) -> dict[str, Any]:
    """The call for an action whose target is a place or the focused field.

    Raises:
        VocabularyError: there is none.
    """
    method, params = _write(action)
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


def _write(action: Action) -> tuple[str, Params]:
    name, args = action.name, action.args
    if name in ("tap", "long_press"):
        only(action, ("x", "y"), _WHO)
        return "click", [*place(action, _WHO), *([1000] if name == "long_press" else [])]
    if name == "swipe":
        only(action, ("x", "y", "x2", "y2", "duration"), _WHO)
        return "swipe", [*place(action, _WHO, ("x", "y", "x2", "y2")), max(1, lasting(action, 275) // STEP)]
    if name in ("back", "home"):
        return "pressKey", [name]
    if name == "press_key":
        only(action, ("key",), _WHO)
        key = keys.name_of(args.get("key"))
        return ("pressKey", [_KEY_RPC[key]]) if key in _KEY_RPC else ("pressKeyCode", [CODES[key]])
    if name == "open_app":
        only(action, ("package",), _WHO)
        return "launchApp", [base.package(args.get("package"), "the app")]
    if name == "clear_text" and not args:
        return "clearInputText", []
    if name == "input_text":
        only(action, ("value", "focused"), _WHO)
        if args.get("focused") is not True or not isinstance(args.get("value"), str) or not args["value"]:
            raise cannot(action, _WHO, "it needs the text, and the focused field as its target")
        wanted = {"mask": 0x20000, "childOrSibling": [], "childOrSiblingSelector": [], "focused": True}
        return "setText", [wanted, args["value"]]
    raise cannot(action, _WHO)
