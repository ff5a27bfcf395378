"""Functions and types for all formats of actions: the error, the surface, and one form for each gesture."""

import datetime as dt
import json
import math
import re
import shlex
import struct
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

from vsalang.base.records import dataclass
from vsalang.base.source.strict_json import no_constant, object_once
from vsalang.program.action import Action
from vsalang.program.gestures.path import Point, path
from vsalang.program.gestures.path import rest as rest
from vsalang.program.text import canonical
from vsalang.program.values import Value

LONGEST: Final = 3_600_000
"""Milliseconds: a longer movement or wait is refused."""
MOST_TEXT: Final = 100_000
"""Characters: longer data are refused."""
PACKAGE: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]*(?:\.[A-Za-z0-9_]+)+", re.ASCII)
_NUMBER: Final = re.compile(r"\d{1,6}(?:\.\d{1,20})?", re.ASCII)
_UNSEEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
DIRECTIONS: Final = ("up", "down", "left", "right")

Data = Mapping[str, Any]


class VocabularyError(ValueError):
    """An action that is not understood, or that a format cannot express; the message says which and why."""


@dataclass(frozen=True, slots=True)
class Surface:
    """What a format needs to know about the screen on which it acts.

    Attributes:
        width: of the screen in pixels, 0 if unknown; needed where places are given in parts of the screen.
        height: of the screen in pixels, as for `width`.
        element: gives what selects an element by the agent's number for it (``{"x": 10, "y": 20}``, ``{"node": 4}``);
            None if the agent's list of elements is not known. It raises `LookupError` where there is no such element.
        package: the package of an app by its name, for formats that open apps by name; None leaves the name.
    """

    width: int = 0
    height: int = 0
    element: Callable[[int], Mapping[str, Value]] | None = None
    package: Callable[[str], str | None] | None = None


NOWHERE: Final = Surface()
"""Nothing is known of the screen."""


def load(text: str) -> Any:
    """Parse JSON of an agent strictly: no key twice, no ``NaN``, exact decimals.

    Raises:
        VocabularyError: it is none.
    """
    if len(text) > MOST_TEXT:
        raise VocabularyError(f"longer than {MOST_TEXT} characters")
    try:
        return json.loads(
            text, parse_float=Decimal, parse_constant=no_constant, object_pairs_hook=object_once
        )
    except (ValueError, ArithmeticError, RecursionError) as error:
        raise VocabularyError(f"not JSON: {error}") from error


def refuse_unknown_keys(data: Data, allowed: Iterable[str], what: str) -> None:
    """Refuse keys that the format does not have: their meaning is not known.

    Raises:
        VocabularyError: there is one.
    """
    other = sorted(str(key) for key, value in data.items() if key not in set(allowed) and value is not None)
    if other:
        raise VocabularyError(f"{what} has no `{other[0][:80]}`")


def pixel(value: object, what: str) -> int:
    """The pixel of a coordinate, given as a number or its decimal digits.

    Phones cut the fraction off, or store it as a 32-bit float. A coordinate for which these give different pixels is
    refused. Requests that are passed on contain this pixel.

    Raises:
        VocabularyError: it is none, or negative, or no screen is that large.
    """
    if isinstance(value, str):
        if not _NUMBER.fullmatch(value):
            raise VocabularyError(f"{what} is {value[:40]!r}, which is not a plain number of pixels")
        value = Decimal(value)
    if isinstance(value, float) and math.isfinite(value):
        value = Decimal(repr(value))
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        raise VocabularyError(f"{what} is {_value_text(value)}, which is not a number of pixels")
    if (isinstance(value, Decimal) and not value.is_finite()) or not 0 <= value < 100_000:
        raise VocabularyError(f"{what} is {_value_text(value)}, which lies on no screen")
    (single,) = struct.unpack("<f", struct.pack("<f", value))
    if math.floor(single) != math.floor(value):
        raise VocabularyError(
            f"{what} is {_value_text(value)}: some phones take it for the next pixel; give a whole one"
        )
    return math.floor(value)


def milliseconds(value: object, what: str) -> int:
    """A time in milliseconds, given as an integer or its decimal digits.

    Raises:
        VocabularyError: it is none, or longer than an hour.
    """
    if isinstance(value, str) and re.fullmatch(r"\d{1,7}", value, re.ASCII):
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= LONGEST:
        raise VocabularyError(f"{what} is {_value_text(value)}, which is not a time in milliseconds")
    return value


def seconds(value: object, what: str) -> int:
    """A time in milliseconds, given as a number of seconds or its decimal digits.

    Raises:
        VocabularyError: it is none, or longer than an hour.
    """
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        value = Decimal(value)
    if isinstance(value, float) and math.isfinite(value):
        value = Decimal(repr(value))
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        raise VocabularyError(f"{what} is {_value_text(value)}, which is not a time in seconds")
    if (isinstance(value, Decimal) and not value.is_finite()) or not 0 <= value <= LONGEST // 1000:
        raise VocabularyError(f"{what} is {_value_text(value)}, which is not a time in seconds")
    return int(value * 1000)


def text(value: object, what: str, most: int = MOST_TEXT) -> str:
    """A text.

    Raises:
        VocabularyError: it is none, or too long, or has half of a surrogate pair or a NUL.
    """
    if not isinstance(value, str):
        raise VocabularyError(f"{what} is {_value_text(value)}, which is not a text")
    if len(value) > most:
        raise VocabularyError(f"{what} is longer than {most} characters")
    if "\x00" in value or any("\ud800" <= char <= "\udfff" for char in value):
        raise VocabularyError(f"{what} has invalid characters")
    return value


def word(value: object, what: str, allowed: Iterable[str]) -> str:
    """One of several words.

    Raises:
        VocabularyError: it is another.
    """
    if not isinstance(value, str) or value not in tuple(allowed):
        raise VocabularyError(f"{what} is {_value_text(value)}; it is one of {', '.join(allowed)}")
    return value


def package(value: object, what: str) -> str:
    """The name of a package.

    Raises:
        VocabularyError: it is none.
    """
    if not isinstance(value, str) or len(value) > 255 or not PACKAGE.fullmatch(value):
        raise VocabularyError(f"{what} is {_value_text(value)}, which is not a package")
    return value


def _value_text(value: object) -> str:
    try:
        return json.dumps(value, default=str)[:60]
    except (ValueError, RecursionError):
        return "something else"


# ---- gestures ----------------------------------------------------------------------------------------------------


def touch(x: object, y: object, held: int = 0) -> tuple[Action, ...]:
    """The gestures of a finger at rest: a tap, or a long press, or either if the time is between the two."""
    return rest({"x": pixel(x, "x"), "y": pixel(y, "y")}, held)


def stroke(x: object, y: object, x2: object, y2: object, *, held: int | None = None) -> tuple[Action, ...]:
    """The gestures of a finger that moves evenly from a point to another (`vsalang.program.gestures.path`).

    Args:
        held: how long it moves, in milliseconds; None if the format does not say.
    """
    first, last = Point(pixel(x, "x"), pixel(y, "y")), Point(pixel(x2, "x2"), pixel(y2, "y2"), held or 0)
    return path((first, last), timed=held is not None)


def wait(held: int) -> Action:
    """A pause, in milliseconds."""
    return Action("wait", {"duration": dt.timedelta(milliseconds=held)})


def typed(value: object, at: Mapping[str, Value] | None = None, *, clear: bool = False) -> tuple[Action, ...]:
    """Typing a text into the selected node or the focused field; an empty text is at most a tap there."""
    content = text(value, "text")
    actions = [Action("clear_text", at or {})] if clear else []
    if content:
        actions.append(Action("input_text", {**(at or {}), "value": content}))
    elif at and not clear:
        actions.append(Action("tap", at))
    return tuple(actions)


def shell(words: Sequence[str]) -> Action:
    """A command that is not understood, as the action ``shell``.

    Raises:
        VocabularyError: the judged text would differ from the command that runs.
    """
    return shell_line(shlex.join(words))


def shell_line(line: str) -> Action:
    """As `shell`, for a command line."""
    if canonical(line) != line or any(unicodedata.category(char) in _UNSEEN for char in line):
        raise VocabularyError("the command has characters that look like others: nobody could judge it")
    if not line.strip():
        raise VocabularyError("the command is empty")
    return Action("shell", {"command": line})


def link(url: object) -> Action:
    """A deep link: the action ``shell``, since its effect in the app is not known."""
    address = text(url, "the link", 4000)
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9+.-]*:[^\s\x00-\x1f\x7f]*", address):
        raise VocabularyError(f"{_value_text(address)} is not a link")
    return shell(["am", "start", "-a", "android.intent.action.VIEW", "-d", address])


def element(surface: Surface, number: object, what: str = "index") -> dict[str, Value]:
    """The attributes that select the element with the agent's number.

    Raises:
        VocabularyError: there is none, or the agent's list is not known.
    """
    if isinstance(number, str) and re.fullmatch(r"\d{1,6}", number, re.ASCII):
        number = int(number)
    if isinstance(number, bool) or not isinstance(number, int) or number < 0:
        raise VocabularyError(f"{what} is {_value_text(number)}, which is not a number of an element")
    if surface.element is None:
        raise VocabularyError(
            f"{what} {number} is a number in the agent's own list of elements, which is not known here: "
            "give the place (x and y)"
        )
    try:
        return dict(surface.element(number))
    except LookupError as error:
        raise VocabularyError(f"there is no element {number}") from error


def app(surface: Surface, name: object) -> Action:
    """Opening an app by its package or by the agent's name for it."""
    app_name = text(name, "the app", 300)
    if not app_name.strip():
        raise VocabularyError("the app has no name")
    if PACKAGE.fullmatch(app_name):
        return Action("open_app", {"package": app_name})
    package = surface.package(app_name) if surface.package is not None else None
    return Action("open_app", {"package": package} if package else {"name": app_name})


# ---- what writers need -------------------------------------------------------------------------------------------


def cannot(action: Action, who: str, why: str = "") -> VocabularyError:
    """The error of a writer whose format has no such action."""
    return VocabularyError(f"{who} cannot say {str(action)[:200]}" + (f": {why}" if why else ""))


def only(action: Action, names: Iterable[str], who: str) -> None:
    """Refuse to write an action with arguments that would be lost.

    Raises:
        VocabularyError: it has one.
    """
    lost = sorted(set(action.args) - set(names))
    if lost:
        raise cannot(action, who, f"`{lost[0]}` would be lost")


def whole(value: Value | None) -> int | None:
    """A number without a fraction; None if it is none."""
    if isinstance(value, bool) or not isinstance(value, int | Decimal) or value != int(value):
        return None
    return int(value)


def place(action: Action, who: str, keys: Sequence[str] = ("x", "y")) -> tuple[int, ...]:
    """Whole pixels of an action.

    Raises:
        VocabularyError: it does not say them, or not in whole pixels.
    """
    numbers = [whole(action.args.get(key)) for key in keys]
    if None in numbers:
        raise cannot(action, who, f"it needs {' and '.join(keys)} in whole pixels")
    return tuple(number for number in numbers if number is not None)


def lasting(action: Action, default: int) -> int:
    """How long a movement or pause lasts, in milliseconds."""
    duration = action.args.get("duration")
    return round(duration.total_seconds() * 1000) if isinstance(duration, dt.timedelta) else default


# ---- what readers of JSON need -----------------------------------------------------------------------------------


def opened(data: object, who: str) -> Data:
    """The JSON object in a text, or the object itself.

    Raises:
        VocabularyError: it is not an object.
    """
    if isinstance(data, bytes):
        try:
            data = data.decode()
        except UnicodeDecodeError as error:
            raise VocabularyError(f"{who}: not UTF-8") from error
    if isinstance(data, str):
        data = load(data)
    if not isinstance(data, Mapping) or not all(isinstance(key, str) for key in data):
        raise VocabularyError(f"{who}: an action is an object")
    return data


def tool_call(data: Data, who: str) -> tuple[str, Data]:
    """The name and the arguments of a tool call, in the forms that models use.

    Raises:
        VocabularyError: it is none.
    """
    if isinstance(data.get("function"), Mapping):
        refuse_unknown_keys(data, ("function", "id", "type", "index"), f"{who}: a call")
        data = data["function"]
    refuse_unknown_keys(
        data, ("name", "args", "arguments", "input", "parameters", "id", "type"), f"{who}: a call"
    )
    arguments = [
        data[key] for key in ("args", "arguments", "input", "parameters") if data.get(key) is not None
    ]
    if len(arguments) > 1:
        raise VocabularyError(f"{who}: the call has its arguments twice")
    args = arguments[0] if arguments else {}
    if isinstance(args, str):
        args = load(args) if args.strip() else {}
    if not isinstance(data.get("name"), str) or not isinstance(args, Mapping):
        raise VocabularyError(f"{who}: a call has a name and arguments")
    return data["name"], args


def not_understood(who: str, data: object) -> tuple[Action, ...]:
    """An action that the format does not have, as the critical action ``shell``.

    Raises:
        VocabularyError: nobody could judge it.
    """
    try:
        json_text = json.dumps(data, default=str, ensure_ascii=False, sort_keys=True)
    except (ValueError, TypeError, RecursionError) as error:
        raise VocabularyError(f"{who}: the action is not understood") from error
    return (shell_line(f"{who} {text(json_text, 'the action')}"),)
