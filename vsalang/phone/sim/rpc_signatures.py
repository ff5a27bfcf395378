"""Reads the parameters of uiautomator2's JSON-RPC methods by their signatures."""

import math
from collections.abc import Callable, Mapping
from typing import Any


class NotThese(Exception):
    """The parameters do not fit the signature."""


def _int(value: Any) -> int:
    """Java's int: fractions are cut off, as the server's JSON reader does."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise NotThese
    if not math.isfinite(value) or abs(value) > 2**31 - 1:
        raise NotThese
    return int(value)


def _str(value: Any) -> str:
    if not isinstance(value, str):
        raise NotThese
    return value


def _bool(value: Any) -> bool:
    if not isinstance(value, bool):
        raise NotThese
    return value


def _number(value: Any) -> float:
    return float(_int(value))


def _selector(value: Any) -> Any:
    """A selector, or the handle of an object that was found before."""
    if not isinstance(value, Mapping | str):
        raise NotThese
    return value


def _points(value: Any) -> list[int]:
    if not isinstance(value, list) or len(value) > 10_000:
        raise NotThese
    return [_int(item) for item in value]


def _point(value: Any) -> tuple[int, int]:
    if not isinstance(value, Mapping):
        raise NotThese
    return _int(value.get("x")), _int(value.get("y"))


def _any(value: Any) -> Any:
    return value


_READERS: dict[str, Callable[[Any], Any]] = {
    "i": _int, "s": _str, "b": _bool, "n": _number, "o": _selector, "p": _points, "x": _point,
    "?": _any,
}  # fmt: skip

# name -> signatures; a letter for each parameter as in _READERS.
SIGNATURES: dict[str, tuple[str, ...]] = {
    "ping": ("",), "deviceInfo": ("",), "dumpWindowHierarchy": ("bi", "bib"), "takeScreenshot": ("ni",),
    "click": ("ii", "iii", "o", "os"), "clickAndWaitForNewWindow": ("oi",), "longClick": ("o", "os"),
    "drag": ("iiiii",), "dragTo": ("oiii", "ooi"), "swipe": ("iiiii", "osi", "osni"), "swipePoints": ("pi",),
    "injectInputEvent": ("inni",), "pressKey": ("s",), "pressKeyCode": ("i", "ii"),
    "setText": ("os",), "clearTextField": ("o",), "getText": ("o",), "clearInputText": ("",),
    "setClipboard": ("?s", "s"), "getClipboard": ("",), "pasteClipboard": ("",),
    "waitForExists": ("oi",), "waitUntilGone": ("oi",), "exist": ("o",), "count": ("o",),
    "objInfo": ("o",), "objInfoOfAllInstances": ("o",), "getUiObject": ("o",),
    "childByText": ("oos", "oosb"), "childByDescription": ("oos", "oosb"), "childByInstance": ("ooi",),
    "getChild": ("so",),
    "scrollForward": ("obi",), "scrollBackward": ("obi",), "scrollToBeginning": ("obii",),
    "scrollToEnd": ("obii",), "scrollTo": ("oob",), "flingForward": ("ob",), "flingBackward": ("ob",),
    "flingToBeginning": ("obi",), "flingToEnd": ("obi",),
    "getLastToast": ("",), "clearLastToast": ("",), "makeToast": ("sn",), "getLastTraversedText": ("",),
    "clearLastTraversedText": ("",), "wakeUp": ("",), "sleep": ("",), "isScreenOn": ("",),
    "pinchIn": ("oii",), "pinchOut": ("oii",), "gesture": ("oxxxxi",), "launchApp": ("s",),
    "executeShellCommand": ("s", "si"), "openNotification": ("",), "openQuickSettings": ("",),
    "setOrientation": ("s",), "freezeRotation": ("b",),
    "waitForIdle": ("i",), "waitForWindowUpdate": ("si",),
}  # fmt: skip


def read(signature: str, arguments: list[Any]) -> list[Any]:
    """The parameters, converted by a signature.

    Raises:
        NotThese: they do not fit.
    """
    if len(signature) != len(arguments):
        raise NotThese
    return [_READERS[letter](value) for letter, value in zip(signature, arguments, strict=True)]
