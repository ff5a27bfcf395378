"""Commands with which keyboards and helper apps type for an agent: broadcasts, content providers, clipboards."""

import base64
import binascii
import re
from collections.abc import Mapping
from typing import Final

from vsalang.phone.vocabulary import keys
from vsalang.phone.vocabulary.base import VocabularyError, typed
from vsalang.program.action import Action

PORTALS: Final = frozenset({"com.droidrun.portal", "com.mobilerun.portal"})
"""Packages of mobilerun's helper app, whose content provider types."""
Words = tuple[str, ...]

# action of the broadcast -> (extra that holds the text, how it is written)
_TEXTS: Final[dict[str, tuple[tuple[str, str], ...]]] = {
    "ADB_INPUT_TEXT": (("msg", "plain"),),
    "ADB_INPUT_B64": (("msg", "base64"),),
    "ADB_INPUT_CHARS": (("chars", "codes"),),
    "ADB_KEYBOARD_INPUT_TEXT": (("text", "base64"),),
    "devicekit.clipboard.set": (("text", "by encoding"),),
    "clipper.set": (("text", "plain"),),
}
_CLEARING: Final = frozenset({"ADB_CLEAR_TEXT", "ADB_KEYBOARD_CLEAR_TEXT"})
_CODES: Final = frozenset({"ADB_INPUT_CODE", "ADB_KEYBOARD_INPUT_KEYCODE"})
_ENTERING: Final = frozenset({"ADB_EDITOR_CODE", "ADB_KEYBOARD_EDITOR_CODE", "ADB_KEYBOARD_SMART_ENTER"})
QUIET: Final = frozenset(
    {"ADB_KEYBOARD_HIDE", "clipper.get", "devicekit.clipboard.get", "devicekit.clipboard.clear"}
)
"""Broadcasts without an effect in apps: they hide the keyboard, or return the clipboard."""
KEYBOARDS: Final = frozenset(
    {"com.android.adbkeyboard", "com.github.uiautomator", "com.mobilenext.devicekit", "ca.zgrs.clipper"}
)
"""Packages of the keyboards and helper apps that take these broadcasts."""
_STRINGS: Final = frozenset({"--es", "-e"})
_EXTRAS: Final = {
    "msg": _STRINGS, "text": _STRINGS, "encoding": _STRINGS, "chars": frozenset({"--eia"}),
    "code": _STRINGS | {"--ei"},
}  # fmt: skip
"""Extra -> the option with its type: a receiver does not find an extra of another type."""
_WHOLE: Final = r"(?:0|[1-9]\d{0,6})"
"""A number that begins with 0 is octal for `am`, and decimal for others."""


def broadcast(words: Words) -> tuple[str, Mapping[str, str]] | None:
    """The action and the extras of ``am broadcast ...``; None if it is written in a way that is not known.

    A broadcast that names its receiver is understood only if that is a keyboard or a helper app.
    """
    action, extras, at = "", {}, 2
    while at < len(words):
        flag = words[at]
        if flag == "-a" and at + 1 < len(words) and not action:
            action, at = words[at + 1], at + 2
        elif at + 2 < len(words) and words[at + 1] not in extras and flag in _EXTRAS.get(words[at + 1], ()):
            extras[words[at + 1]], at = words[at + 2], at + 3
        elif (
            flag in ("-n", "-p") and at + 1 < len(words) and words[at + 1].partition("/")[0] in KEYBOARDS
        ) or (flag == "--user" and words[at + 1 : at + 2] in (("0",), ("current",))):
            at += 2
        elif flag in ("--include-stopped-packages", "--receiver-foreground"):
            at += 1
        else:
            return None
    return (action, extras) if action else None


def read_broadcast(words: Words) -> tuple[Action, ...] | None:
    """The actions of ``am broadcast`` to a keyboard; None if it goes elsewhere."""
    intent = broadcast(words)
    if intent is None:
        return None
    action, extras = intent
    try:
        if action in _TEXTS:
            for extra, how in _TEXTS[action]:
                if extra in extras and set(extras) <= {extra, "encoding"}:
                    return typed(_decoded(extras[extra], how, extras.get("encoding", "")))
            return None
        if action in _CLEARING:
            return None if extras else (Action("clear_text"),)
        if action in _CODES:
            plain = set(extras) == {"code"} and re.fullmatch(_WHOLE, extras["code"], re.ASCII)
            return keys.pressed(extras["code"]) if plain else None
        if action in _ENTERING:
            plain = set(extras) <= {"code"} and re.fullmatch(r"[0-7]?", extras.get("code", ""), re.ASCII)
            return (Action("press_key", {"key": "ENTER"}),) if plain else None
    except VocabularyError:
        return None
    return None


def _decoded(value: str, how: str, encoding: str) -> str:
    if how == "plain" or (how == "by encoding" and encoding in ("", "plain", "utf8")):
        return value
    if how == "codes":
        if not re.fullmatch(f"{_WHOLE}(,{_WHOLE})*", value, re.ASCII):
            raise VocabularyError("not a list of characters")
        codes = [int(code) for code in value.split(",")]
        if any(code > 0x10FFFF for code in codes):
            raise VocabularyError("no characters")
        return "".join(map(chr, codes))
    if how == "by encoding" and encoding != "base64":
        raise VocabularyError(f"the encoding {encoding[:20]!r} is not known")
    return base64_text(value)


def base64_text(value: str) -> str:
    """A text in base64.

    Raises:
        VocabularyError: it is none, in a form that every decoder reads alike.
    """
    try:
        return base64.b64decode(value, validate=True).decode()
    except (binascii.Error, ValueError) as error:
        raise VocabularyError("not a text in base64") from error


def _bindings(words: Words) -> tuple[str, dict[str, str]] | None:
    """The address and the values of ``content insert ...``."""
    uri, values, at = "", {}, 2
    while at + 1 < len(words):
        flag, value = words[at], words[at + 1]
        if flag == "--uri" and not uri:
            uri = value
        elif flag == "--bind":
            name, _, typed_value = value.partition(":")
            kind, colon, text = typed_value.partition(":")
            if kind not in ("s", "i", "b", "l") or not colon or name in values:
                return None
            values[name] = text
        elif (flag, value) not in (("--user", "0"), ("--user", "current")):
            return None
        at += 2
    return (uri, values) if uri and at == len(words) else None


def read_content(words: Words, portals: frozenset[str] = PORTALS) -> tuple[Action, ...] | None:
    """The actions of ``content insert`` to the keyboard of a helper app; None if it goes elsewhere."""
    if words[1:2] != ("insert",) or (bindings := _bindings(words)) is None:
        return None
    uri, values = bindings
    match = re.fullmatch(r"content://([\w.]+)/keyboard/(input|clear|key)", uri, re.ASCII)
    if match is None or match[1] not in portals:
        return None
    return portal_keyboard(match[2], values)


def portal_keyboard(verb: str, values: Mapping[str, str]) -> tuple[Action, ...] | None:
    """The actions of a request to the keyboard of mobilerun's helper app; None if it is not understood."""
    try:
        if verb == "clear":
            return (Action("clear_text"),)
        if verb == "key" and set(values) == {"key_code"}:
            return keys.pressed(values["key_code"])
        if verb == "input" and "base64_text" in values and set(values) <= {"base64_text", "clear"}:
            clear = {"true": True, "false": False}[values.get("clear", "true").lower()]
            return typed(base64_text(values["base64_text"]), clear=clear)
    except (VocabularyError, KeyError):
        return None
    return None


def reads_content(words: Words, portals: frozenset[str] = PORTALS) -> bool:
    """Whether it is ``content query`` of a helper app's own state."""
    if len(words) != 4 or words[1:3] != ("query", "--uri"):
        return False
    match = re.fullmatch(r"content://([\w.]+)/(\w+)(\?filter=(?:true|false))?", words[3], re.ASCII)
    return match is not None and match[1] in portals and match[2] in _TOLD


_TOLD: Final = frozenset(
    {"state", "state_full", "a11y_tree", "a11y_tree_full", "phone_state", "packages", "version", "ping"}
)
