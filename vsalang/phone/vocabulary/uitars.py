"""Answers of UI-TARS: ``Thought: ..``, ``Action: click(start_box='(500,300)')``; places are of 0 to 1000."""

import re
from collections.abc import Mapping
from typing import Any, Final

from vsalang.phone.vocabulary import autoglm, base, keys
from vsalang.phone.vocabulary.base import MOST_TEXT, NOWHERE, Surface, VocabularyError, cannot, only
from vsalang.program.action import Action

_WHO: Final = "ui-tars"
_ARGUMENTS: Final[dict[str, tuple[str, ...]]] = {
    "click": ("start_box",), "long_press": ("start_box", "time"), "type": ("content",),
    "scroll": ("start_box", "end_box", "direction"), "drag": ("start_box", "end_box"), "open_app": ("app_name",),
    "press_home": (), "press_back": (), "wait": (), "finished": ("content",),
}  # fmt: skip
_ACTION: Final = re.compile(r"(?:^|\n)\s*Action:\s*(?=\w+\()")
_CALL: Final = re.compile(r"\w+\(.*\)\s*", re.DOTALL)
_PLACE: Final = re.compile(
    r"(?:<\|box_start\|>)?\(\s*(\d{1,4})\s*,\s*(\d{1,4})\s*\)(?:<\|box_end\|>)?", re.ASCII
)
_BOX: Final = re.compile(r"\[\s*(\d{1,4})\s*,\s*(\d{1,4})\s*,\s*(\d{1,4})\s*,\s*(\d{1,4})\s*\]", re.ASCII)
_BEGINS: Final = re.compile(r"\s*(?:Thought:|Action:\s*\w+\(|(\w+)\()")
_LONG: Final = 1000
"""Milliseconds of a long press that says nothing of its time."""
_WAIT: Final = 5000
"""Milliseconds of ``wait()``."""


def recognises(text: str) -> bool:
    """Whether a text is an answer of this format."""
    match = _BEGINS.match(text)
    return match is not None and (match[1] is None or match[1] in _ARGUMENTS)


def parts(value: object) -> tuple[str, str]:
    """The thought and the call of one answer.

    Raises:
        VocabularyError: there is no call, or more than one.
    """
    whole = base.text(value, f"{_WHO}: the answer", MOST_TEXT).strip()
    matches = list(_ACTION.finditer(whole))
    if len(matches) > 1:
        raise VocabularyError(f"{_WHO}: an answer has one `Action:`, this has several")
    thought, call = (whole[: matches[0].start()], whole[matches[0].end() :]) if matches else ("", whole)
    if not _CALL.fullmatch(call):
        raise VocabularyError(f"{_WHO}: an answer has one `Action:` with a call")
    return re.sub(r"\AThought:\s*", "", thought.strip()), call.strip()


def read(data: object, surface: Surface = NOWHERE) -> tuple[Action, ...]:
    """The actions of one answer; an unknown one is ``shell(command)``.

    Args:
        data: the answer, or the call alone.
        surface: needs the size of the screen for actions with a place.

    Raises:
        VocabularyError: it is not an answer, or it lacks what it needs.
    """
    name, args = autoglm.call_of(parts(data)[1], _WHO)
    if name not in _ARGUMENTS:
        return base.not_understood(_WHO, {"action": name, **args})
    base.refuse_unknown_keys(args, _ARGUMENTS[name], f"{_WHO}: {name}")
    match name:
        case "click" | "long_press":
            held = args.get("time") or (_LONG if name == "long_press" else 0)
            lasts = base.seconds(held, "time") if isinstance(held, str) else held
            return base.touch(*_place(args.get("start_box"), surface), lasts)
        case "drag":
            return _stroke(args, surface)
        case "scroll":
            if args.get("end_box"):
                base.refuse_unknown_keys(args, ("start_box", "end_box"), f"{_WHO}: a scroll with an end")
                return _stroke(args, surface)
            direction = base.word(args.get("direction"), "direction", base.DIRECTIONS)
            if not args.get("start_box"):
                return (Action("scroll", {"direction": direction}),)
            x, y = _place(args["start_box"], surface)
            return (Action("scroll", {"x": x, "y": y, "direction": direction}),)
        case "type":
            return _typing(args.get("content"))
        case "open_app":
            return (base.app(surface, args.get("app_name")),)
        case "wait":
            return (base.wait(_WAIT),)
        case "finished":
            return (Action("finish"),)
    return keys.pressed(name.removeprefix("press_").upper())


def _typing(content: object) -> tuple[Action, ...]:
    """Typing a text; a line break at its end submits it."""
    text = base.text(content, "content")
    plain = re.sub(r"(?:\n|\\n)+\Z", "", text)
    return (*base.typed(plain), *(keys.pressed("ENTER") if plain != text else ()))


def _stroke(args: Mapping[str, Any], surface: Surface) -> tuple[Action, ...]:
    start, end = _place(args.get("start_box"), surface), _place(args.get("end_box"), surface)
    return base.stroke(*start, *end)


def _place(value: object, surface: Surface) -> tuple[int, int]:
    """The pixel of a place, or of the middle of a box."""
    text = value if isinstance(value, str) else ""
    if (match := _PLACE.fullmatch(text.strip())) is not None:
        return autoglm.place_of([int(match[1]), int(match[2])], surface, _WHO)
    if (match := _BOX.fullmatch(text.strip())) is not None:
        left, top, right, bottom = map(int, match.groups())
        return autoglm.place_of([(left + right) // 2, (top + bottom) // 2], surface, _WHO)
    raise VocabularyError(f"{_WHO}: a place is '(x,y)' or '[x1,y1,x2,y2]', of 0 to {autoglm.PARTS}")


def write(action: Action) -> str:
    """The answer with an action whose target is not a place: those are parts of a screen that is not known here.

    Raises:
        VocabularyError: it cannot be expressed.
    """
    name, args = action.name, action.args
    if name in ("back", "home") and not args:
        return f"Action: press_{name}()"
    if name == "finish" and not args:
        return "Action: finished(content='')"
    if name == "open_app" and len(args) == 1:
        return f"Action: open_app(app_name={str(next(iter(args.values())))!r})"
    if name == "scroll":
        only(action, ("direction",), _WHO)
        return f"Action: scroll(direction={args.get('direction')!r})"
    raise cannot(action, _WHO)
