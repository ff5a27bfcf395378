"""Shell commands of adb (``input``, ``am``, ``monkey``, ``pm``, ``settings``, ``content``) as actions."""

import base64
import re
import shlex
from collections.abc import Mapping
from typing import Final

from vsalang.base.records import dataclass
from vsalang.phone.vocabulary import adb_apps, adb_input, adb_text, keys, sh
from vsalang.phone.vocabulary.adb_input import ForbiddenCommand
from vsalang.phone.vocabulary.base import (
    NOWHERE,
    Surface,
    VocabularyError,
    cannot,
    lasting,
    only,
    place,
    shell_line,
)
from vsalang.phone.vocabulary.wrappers import hidden
from vsalang.program.action import Action

__all__ = ["KEEP", "DeviceFacts", "ForbiddenCommand", "actions_of", "read", "write"]

Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DeviceFacts:
    """Facts about the device that are needed to understand a command.

    Attributes:
        portals: packages of helper apps whose content provider types for the agent.
        launchers: package -> activities that its icon opens; None if that is not known.
    """

    portals: frozenset[str] = adb_text.PORTALS
    launchers: Mapping[str, frozenset[str]] | None = None


KEEP: Final = DeviceFacts()
"""Only the defaults."""
_SELECT_ALL: Final = (("input", "keycombination", "113", "29"), ("input", "keycombination", "CTRL_LEFT", "A"))
_DELETE: Final = (
    ("input", "keyevent", "67"),
    ("input", "keyevent", "KEYCODE_DEL"),
    ("input", "keyevent", "DEL"),
)


def actions_of(words: Words, known: DeviceFacts = KEEP) -> tuple[Action, ...] | None:
    """The actions of one command; None if it is not a known action (it may read, or be something else).

    Args:
        words: by the names that `adb_apps.normal` gives.

    Raises:
        Forbidden: it is never allowed.
    """
    if why := adb_input.forbidden(words):
        raise ForbiddenCommand(f"`{words[0][:40]}`: {why}")
    match words[:2]:
        case ("input", *_):
            return adb_input.read_input(words)
        case ("sleep", *_):
            return adb_input.read_sleep(words)
        case ("monkey", *_):
            return adb_apps.read_monkey(words)
        case ("am", "start"):
            return adb_apps.read_start(words, known.launchers)
        case ("am", "broadcast"):
            return adb_text.read_broadcast(words)
        case ("pm", *_):
            return adb_apps.read_package(words)
        case ("content", *_):
            return adb_text.read_content(words, known.portals)
        case ("cmd", "statusbar"):
            return adb_input.read_statusbar(words)
        case ("screencap", *_) | ("uiautomator", "dump"):
            return _written(words)
    return None


def _written(words: Words) -> tuple[Action, ...] | None:
    """The file of a command that saves the screen; None if the command does not clearly name one."""
    flags, path = words[1:-1], words[-1]
    plain = not set(flags) - {"dump", "-p", "--compressed", "--windows"} and re.fullmatch(
        r"(?:/sdcard|/storage/emulated/0|/mnt/sdcard)(?:/(?!\.{1,2}(?:/|$))[\w.+@ -]+)+", path, re.ASCII
    )
    return (Action("push_file", {"path": path}),) if plain else None


def read(command: str, surface: Surface = NOWHERE, known: DeviceFacts = KEEP) -> tuple[Action, ...]:
    """The actions of a command line, in order; a command that is not understood is ``shell(command)``.

    ``adb shell ...``, as it is typed on the host, is read too; ``adb -s SERIAL`` and other options of adb are not.

    Raises:
        VocabularyError: it is always refused, is not a supported shell command, or cannot be judged.
    """
    try:
        commands = sh.parse(_device_side(command))
    except sh.ShellRefused as error:
        raise VocabularyError(f"not understood: {error}") from error
    for one in commands:
        if one.variables:
            raise ForbiddenCommand(
                f"`{one.variables[0][0]}=`: what a variable does to a command is not known"
            )
    if any(c.link == "|" for c in commands):
        for c in commands:
            if why := adb_input.forbidden(adb_apps.normal(c.words)) or hidden(adb_apps.normal(c.words)):
                raise ForbiddenCommand(f"`{c.words[0][:40]}`: {why}")
        return (shell_line(sh.render(commands)),)
    actions: list[Action] = []
    at = 0
    while at < len(commands):
        words = adb_apps.normal(commands[at].words)
        following = adb_apps.normal(commands[at + 1].words) if at + 1 < len(commands) else ()
        if words in _SELECT_ALL and following in _DELETE:
            actions.append(Action("clear_text"))
            at += 2
            continue
        for each in adb_input.each_alone(words):
            understood = actions_of(adb_apps.launching(each), known)
            actions += understood if understood is not None else adb_apps.as_shell(_plain(each))
        at += 1
    return tuple(actions)


def _plain(words: Words) -> Words:
    if any(sh.STATUS in word for word in words):
        raise VocabularyError("not understood: `$?`")
    return words


def _device_side(command: str) -> str:
    """The command line that ``adb shell WORDS`` runs on the device: the words, joined by spaces."""
    match = re.match(r"\s*adb\s+(shell|exec-out)\s+(?:-x\s+|-n\s+)?", command)
    if match is None:
        return command
    host = sh.parse(command[match.start() :].strip())
    if len(host) != 1 or host[0].redirects or host[0].uses_status:
        raise VocabularyError("not understood: more than one command of the host")
    words = host[0].words[2:]
    while words[:1] in (("-x",), ("-n",)):
        words = words[1:]
    return " ".join(words)


# ---- writing -----------------------------------------------------------------------------------------------------


def write(action: Action) -> str:
    """The command for an action whose target is a place or the focused field.

    Raises:
        VocabularyError: there is none.
    """
    name, args = action.name, action.args
    if name == "shell":
        only(action, ("command",), _WHO)
        if not isinstance(args.get("command"), str):
            raise cannot(action, _WHO, "it needs the command")
        return str(args["command"])
    if name in ("tap", "double_tap", "long_press"):
        only(action, ("x", "y"), _WHO)
        x, y = place(action, _WHO)
        if name == "long_press":
            return f"input swipe {x} {y} {x} {y} 1000"
        return f"input tap {x} {y}" if name == "tap" else _double(x, y)
    if name == "swipe":
        only(action, ("x", "y", "x2", "y2", "duration"), _WHO)
        ends = " ".join(map(str, place(action, _WHO, ("x", "y", "x2", "y2"))))
        return f"input swipe {ends} {lasting(action, 300)}"
    if name == "input_text":
        only(action, ("value",), _WHO)
        return _typing(action)
    if name == "open_app":
        only(action, ("package",), _WHO)
        if not isinstance(args.get("package"), str):
            raise cannot(action, _WHO, "it needs the package")
        return f"monkey -p {shlex.quote(str(args['package']))} -c {adb_apps.LAUNCHER} 1"
    if name == "press_key":
        only(action, ("key",), _WHO)
        return f"input keyevent KEYCODE_{keys.name_of(args.get('key'))}"
    if name == "wait":
        held = lasting(action, 1000)
        return f"sleep {held // 1000}" + (f".{held % 1000:03}".rstrip("0") if held % 1000 else "")
    if name in _FIXED:
        only(action, (), _WHO)
        return _FIXED[name]
    raise cannot(action, _WHO)


_WHO: Final = "adb"
_FIXED: Final = {
    "back": "input keyevent KEYCODE_BACK",
    "home": "input keyevent KEYCODE_HOME",
    "clear_text": "input keycombination 113 29 && input keyevent 67",
}


def _double(x: int, y: int) -> str:
    return f"input tap {x} {y} && input tap {x} {y}"


def _typing(action: Action) -> str:
    value = action.args.get("value")
    if not isinstance(value, str) or not value:
        raise cannot(action, _WHO, "it needs the text")
    if value.isascii() and value.isprintable() and "%s" not in value:
        # no separator, or `input` stops at the first space
        return f"input text {shlex.quote(value.replace(' ', '%s'))}"
    return f"am broadcast -a ADB_INPUT_B64 --es msg {base64.b64encode(value.encode()).decode()}"
