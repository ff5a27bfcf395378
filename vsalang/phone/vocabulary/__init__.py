"""Converts between the actions of agents, tools and adb and the actions of the language.

    from vsalang.phone.vocabulary import read, write

    read("androidworld", {"action_type": "click", "x": 360, "y": 1430})   # (tap(x = 360, y = 1430),)
    read("adb", "input swipe 360 1430 360 1430 1000")                     # (long_press(x = 360, y = 1430),)
    write("adb", Action("back"))                                          # "input keyevent KEYCODE_BACK"

All ways to make a gesture are read as the same action. An action that is not understood becomes ``shell(command)``,
which the guard blocks unless a spec allows it. A format is a module with `read` and `write`: one of this folder, which
`_OWN` names, or ``actions`` of a framework (`vsalang.base.frameworks`).
"""

from collections.abc import Mapping
from types import ModuleType
from typing import Any, Final

from vsalang.base.frameworks import ACTIONS, part
from vsalang.phone.vocabulary import (
    adb,
    androidworld,
    autoglm,
    droidtask,
    m3a,
    mobileuse,
    uiautomator2,
    uitars,
    verisafe,
)
from vsalang.phone.vocabulary.base import NOWHERE, Surface, VocabularyError
from vsalang.program.action import Action

__all__ = ["FORMATS", "NOWHERE", "Surface", "VocabularyError", "detect", "note_of", "read", "write"]

_OWN: Final[Mapping[str, ModuleType]] = {
    "adb": adb,
    "androidworld": androidworld,
    "autoglm": autoglm,
    "droidtask": droidtask,
    "m3a": m3a,
    "mobile-use": mobileuse,
    "ui-tars": uitars,
    "uiautomator2": uiautomator2,
    "verisafe": verisafe,
}
FORMATS: Final = tuple(sorted((*_OWN, *ACTIONS)))
"""The names of the formats."""


def read(format: str, data: object, surface: Surface = NOWHERE) -> tuple[Action, ...]:
    """The actions of the language that one action of a format makes, in order; none, if nothing happens.

    Raises:
        VocabularyError: no such format, or the action is not of it. Nothing else, whatever `data` is.
    """
    module = _module(format)
    if format == "adb":
        if not isinstance(data, str):
            raise VocabularyError("adb: a command is a text")
        return adb.read(data, surface)
    actions: tuple[Action, ...] = module.read(data, surface)
    return actions


def write(format: str, action: Action) -> Any:
    """An action in a format: JSON data, or a text (adb, m3a).

    Raises:
        VocabularyError: no such format, or it cannot express the action.
    """
    return _module(format).write(action)


def _module(format: str) -> ModuleType:
    if format not in FORMATS:
        raise VocabularyError(f"there is no format {format[:40]!r}; there are {', '.join(FORMATS)}")
    return _OWN[format] if format in _OWN else part(format, "actions")


def detect(data: object) -> str:
    """The format of one action, detected by features that only that format has; "" if there are none.

    Args:
        data: JSON data, or a text that is not JSON.
    """
    if isinstance(data, str):
        words = data.split(None, 2)
        if words[:2] in (["adb", "shell"], ["adb", "exec-out"]) or (words and words[0] in _COMMANDS):
            return "adb"
        if autoglm.recognises(data):
            return "autoglm"
        if uitars.recognises(data):
            return "ui-tars"
        return "m3a" if data.lstrip().startswith(("Reason:", "Action:")) else ""
    if not isinstance(data, Mapping):
        return ""
    if "ActionDetails" in data:
        return "droidtask"
    if "action_type" in data:
        return "androidworld"
    if "jsonrpc" in data or ("method" in data and "params" in data):
        return "uiautomator2"
    if isinstance(data.get("action"), str):
        return next((name for name in ACTIONS if part(name, "actions").recognises(data)), "")
    if isinstance(data.get("Action"), Mapping) or (
        isinstance(data.get("type"), str) and "function" not in data
    ):
        return "verisafe"
    called = data.get("function") if isinstance(data.get("function"), Mapping) else data
    name = called.get("name") if isinstance(called, Mapping) else None
    if isinstance(name, str):
        if name in mobileuse.NAMES:
            return "mobile-use"
        return next((each for each in ACTIONS if name in part(each, "actions").NAMES), "mobile-use")
    return ""


_COMMANDS: Final = frozenset({"input", "am", "monkey", "pm", "settings", "content", "cmd", "sleep"})


def note_of(data: object) -> str:
    """The agent's own comment on an action, if its format has a field for it; else empty."""
    if isinstance(data, str):
        try:
            return uitars.parts(data)[0] if uitars.recognises(data) else m3a.parts(data)[0]
        except VocabularyError:
            return ""
    if not isinstance(data, Mapping):
        return ""
    for key in ("args", "arguments", "Action"):
        if isinstance(data.get(key), Mapping) and (note := note_of(data[key])):
            return note
    for key in ("note", "Description", "Reason", "reason", "thought", "agent_thought"):
        if isinstance(data.get(key), str):
            return str(data[key])
    return ""
