"""Actions of AutoGLM: ``do(action="Tap", element=[500, 300])``, ``finish(message="done")``; places are of 0 to 1000."""

import ast
import re
from collections.abc import Mapping
from typing import Any, Final

from vsalang.phone.vocabulary import base, keys
from vsalang.phone.vocabulary.base import MOST_TEXT, NOWHERE, Surface, VocabularyError, cannot, lasting, only
from vsalang.program.action import Action

_WHO: Final = "autoglm"
PARTS: Final = 1000
"""A place is given in so many parts of the screen's width and height."""
_ARGUMENTS: Final[dict[str, tuple[str, ...]]] = {
    "Launch": ("app",), "Tap": ("element", "message"), "Type": ("text",), "Type_Name": ("text",),
    "Swipe": ("start", "end"), "Back": (), "Home": (), "Double Tap": ("element",), "Long Press": ("element",),
    "Wait": ("duration",), "Take_over": ("message",), "Note": ("message",), "Call_API": ("instruction",),
    "Interact": ("message",),
}  # fmt: skip
_NOTHING: Final = frozenset({"Take_over", "Note", "Call_API", "Interact"})
"""The actions that do nothing on the device."""
_ANSWER: Final = re.compile(
    r"(?:.*</think>)?\s*(?:<answer>)?\s*((?:do|finish)\(.*\))\s*(?:</answer>)?\s*", re.DOTALL
)
_TYPES: Final = re.compile(r'do\(action="(Type|Type_Name)",\s*text=(["\'])(.*)\2\)', re.DOTALL)
_WAITS: Final = re.compile(r"(\d{1,4}(?:\.\d{1,3})?)\s*(?:seconds?)?", re.ASCII)


def recognises(text: str) -> bool:
    """Whether a text is an answer of this format."""
    return text.lstrip().startswith(("do(action=", "finish(message=", "<think>", "<answer>"))


def read(data: object, surface: Surface = NOWHERE) -> tuple[Action, ...]:
    """The actions of one answer; an unknown one is ``shell(command)``.

    Args:
        data: the answer; what the model thought, and the tags around it, are left out.
        surface: needs the size of the screen for actions with a place.

    Raises:
        VocabularyError: it is not an answer, or it lacks what it needs.
    """
    whole = base.text(data, f"{_WHO}: the answer", MOST_TEXT)
    match = _ANSWER.fullmatch(whole)
    if match is None:
        raise VocabularyError(f'{_WHO}: an answer is do(action="..", ..) or finish(message="..")')
    if typed := _TYPES.fullmatch(match[1]):
        # its own reader takes what is between the outer quotes as it is
        return base.typed(typed[3], clear=True)
    name, args = call_of(match[1], _WHO)
    if name == "finish":
        base.refuse_unknown_keys(args, ("message",), f"{_WHO}: finish")
        return (Action("finish"),)
    kind = args.get("action")
    if not isinstance(kind, str):
        raise VocabularyError(f"{_WHO}: there is no `action`")
    if kind not in _ARGUMENTS:
        return base.not_understood(_WHO, args)
    base.refuse_unknown_keys(args, ("action", *_ARGUMENTS[kind]), f"{_WHO}: {kind}")
    return _read(kind, args, surface)


def _read(kind: str, args: Mapping[str, Any], surface: Surface) -> tuple[Action, ...]:
    match kind:
        case "Tap" | "Long Press":
            return base.touch(*place_of(args.get("element"), surface), 3000 if kind == "Long Press" else 0)
        case "Double Tap":
            x, y = place_of(args.get("element"), surface)
            return (Action("double_tap", {"x": x, "y": y}),)
        case "Swipe":
            x, y = place_of(args.get("start"), surface)
            x2, y2 = place_of(args.get("end"), surface)
            held = min(max(((x - x2) ** 2 + (y - y2) ** 2) // 1000, 1000), 2000)  # as it does
            return base.stroke(x, y, x2, y2, held=held)
        case "Type" | "Type_Name":
            return base.typed(args.get("text"), clear=True)
        case "Launch":
            return (base.app(surface, args.get("app")),)
        case "Wait":
            return (base.wait(_waiting(args.get("duration", "1 seconds"))),)
        case "Back" | "Home":
            return keys.pressed(kind.upper())
    assert kind in _NOTHING
    return ()


def call_of(text: str, who: str) -> tuple[str, dict[str, Any]]:
    """The name and the arguments of a call with plain arguments, written as in Python.

    Args:
        text: the call.
        who: the format, for messages.

    Raises:
        VocabularyError: it is not one.
    """
    line = text.replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t")
    try:
        call = ast.parse(line, mode="eval").body
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.args:
            raise ValueError("not a call")
        args = {str(each.arg): ast.literal_eval(each.value) for each in call.keywords if each.arg is not None}
        if len(args) != len(call.keywords):
            raise ValueError("an argument without a name")
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError) as error:
        raise VocabularyError(f"{who}: the call is not understood") from error
    return call.func.id, args


def place_of(value: object, surface: Surface, who: str = _WHO) -> tuple[int, int]:
    """The pixel of a place in parts of the screen.

    Raises:
        VocabularyError: it is not such a call, or the size of the screen is not known.
    """
    if not isinstance(value, list) or len(value) != 2:
        raise VocabularyError(f"{who}: a place is a pair of numbers of 0 to {PARTS}")
    if not surface.width or not surface.height:
        raise VocabularyError(f"{who}: places are parts of the screen, whose size is not known here")
    pixels = []
    for part, size in zip(value, (surface.width, surface.height), strict=True):
        if isinstance(part, bool) or not isinstance(part, int) or not 0 <= part <= PARTS:
            raise VocabularyError(f"{who}: a place is a pair of whole numbers of 0 to {PARTS}")
        pixels.append(min(part * size // PARTS, size - 1))
    return pixels[0], pixels[1]


def _waiting(value: object) -> int:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return base.seconds(value, "duration")
    match = _WAITS.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is None:
        raise VocabularyError(f"{_WHO}: duration is a number of seconds")
    return base.seconds(match[1], "duration")


def write(action: Action) -> str:
    """The answer with an action whose target is not a place: those are parts of a screen that is not known here.

    Raises:
        VocabularyError: it cannot be expressed.
    """
    name, args = action.name, action.args
    if name in ("back", "home") and not args:
        return f'do(action="{name.capitalize()}")'
    if name == "finish" and not args:
        return 'finish(message="")'
    if name == "open_app" and len(args) == 1:
        return f'do(action="Launch", app={str(next(iter(args.values())))!r})'
    if name == "wait":
        only(action, ("duration",), _WHO)
        return f'do(action="Wait", duration="{lasting(action, 1000) / 1000:g} seconds")'
    raise cannot(action, _WHO)
