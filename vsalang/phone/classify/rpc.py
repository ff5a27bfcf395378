"""Requests to the servers on the device: uiautomator2's JSON-RPC call by call, mobilerun's helper app."""

import json
import re
from collections.abc import Mapping
from typing import Final

from vsalang.phone.classify.verdict import NOTHING, Actions, Allowance, Class, Part, Pass, Protocol, Refuse
from vsalang.phone.vocabulary import base, keys, uiautomator2
from vsalang.phone.vocabulary.adb_text import portal_keyboard
from vsalang.phone.vocabulary.base import VocabularyError
from vsalang.program.action import Action

READS: Final = frozenset(
    {
        "ping", "deviceInfo", "dumpWindowHierarchy", "takeScreenshot", "waitForExists", "waitUntilGone", "exist",
        "count", "objInfo", "objInfoOfAllInstances", "getText", "getUiObject", "getChild", "childByInstance",
        "getClipboard", "getLastToast", "clearLastToast",
        "getLastTraversedText", "clearLastTraversedText", "isScreenOn", "waitForIdle", "waitForWindowUpdate",
        "getConfigurator", "hasAnyWatcherTriggered", "hasWatcherTriggered", "getWatchers", "hasWatcher",
    }
)  # fmt: skip
"""The calls that only read."""


def classify_rpc(body: str | bytes, allowed: Allowance = NOTHING) -> Class:
    """What one JSON-RPC call to uiautomator2's server does; a batch of several calls is refused.

    The rewritten body is classified again: if its class differs, the call is refused.
    """
    verdict = _classified(body)
    if isinstance(verdict, Pass | Actions) and verdict.body and _classified(verdict.body) != verdict:
        return Refuse(
            "the call to uiautomator2's server is refused: written again, it is judged as something else"
        )
    return verdict


def _classified(body: str | bytes) -> Class:
    try:
        data = uiautomator2.load(body)
        method, params = uiautomator2.call(data)
        if method in READS:
            return Pass(body=uiautomator2.written(data, acts=False))
        actions = uiautomator2.actions_of(method, params)
        again = uiautomator2.written(data, acts=bool(actions))
    except VocabularyError as error:
        return Refuse(f"the call to uiautomator2's server is refused: {error}")
    if actions is None:
        return Refuse(f"the call to uiautomator2's server is refused: `{method}` is not known")
    return _acts(actions, again)


def _acts(actions: tuple[Action, ...], body: bytes) -> Class:
    return Actions((Part("", actions=actions),), body) if actions else Pass(body=body)


_PORTAL_READS: Final = frozenset(
    {
        "/ping",
        "/state",
        "/state_full",
        "/a11y_tree",
        "/a11y_tree_full",
        "/phone_state",
        "/packages",
        "/version",
    }
    | {"/screenshot"}
)


def classify_http(
    protocol: Protocol,
    method: str,
    target: str,
    body: str | bytes = b"",
    headers: Mapping[str, str] | None = None,
    allowed: Allowance = NOTHING,
) -> Class:
    """What one HTTP request does, on a stream for which `classify` gave `Inspect`.

    Args:
        protocol: which server it goes to.
        method: ``GET``, ``POST``.
        target: path and query, as in the first line.
        body: all of it, decoded from chunks.
        headers: a request to change the protocol, or with an encoded body, is refused.
    """
    for name, value in (headers or {}).items():
        lower, content = name.lower(), value.strip().lower()
        if lower == "upgrade" or (lower == "content-encoding" and content != "identity"):
            return Refuse(f"a request with {lower}: {content[:40]} cannot be read")
    if method != "POST" and body:
        # servers that expect no body read it as the next request
        return Refuse(f"a {method[:10]} request with a body")
    if protocol == "uiautomator2":
        if method == "POST" and target in ("/jsonrpc/0", "/jsonrpc/0/"):
            return classify_rpc(body, allowed)
        if method == "GET" and re.fullmatch(r"/ping|/info|/screenshot/0(?:\?[\w=&]*)?", target, re.ASCII):
            return Pass()
    if protocol == "portal":
        path, _, query = target.partition("?")
        if method == "GET" and path in _PORTAL_READS and re.fullmatch(r"[\w=&]*", query, re.ASCII):
            return Pass()
        match = re.fullmatch(r"/keyboard/(input|clear|key)", target)
        if method == "POST" and match is not None:
            return _portal(match[1], body)
        acts = re.fullmatch(r"(?:/action)?/(tap|swipe|global|app)", target)
        if method == "POST" and acts is not None:
            return _portal_gesture(acts[1], body)
    return Refuse(f"the request `{method[:10]} {target[:80]}` to the {protocol} server is not known")


def _portal(verb: str, body: str | bytes) -> Class:
    try:
        text = body.decode() if isinstance(body, bytes) else body
        data = base.load(text) if text.strip() else {}
    except (UnicodeDecodeError, VocabularyError) as error:
        return Refuse(f"the request to the helper app's keyboard is not JSON: {error}")
    if not isinstance(data, dict) or not all(isinstance(value, str | int | bool) for value in data.values()):
        return Refuse("the request to the helper app's keyboard is not understood")
    actions = portal_keyboard(verb, {key: str(value) for key, value in data.items()})
    return (
        Refuse("the request to the helper app's keyboard is not understood")
        if actions is None
        else _acts(actions, json.dumps(data).encode("ascii"))
    )


_GLOBALS: Final[Mapping[int, str]] = {1: "BACK", 2: "HOME", 3: "APP_SWITCH"}
"""Numbers of Android's global actions (``AccessibilityService``) -> the key that does the same."""
_ENDS: Final = ("startX", "startY", "endX", "endY")


def _portal_gesture(verb: str, body: str | bytes) -> Class:
    """A gesture that mobilerun's helper app makes: ``/tap``, ``/swipe``, ``/global``, ``/app``."""
    try:
        text = body.decode() if isinstance(body, bytes) else body
        data = base.load(text)
        if not isinstance(data, dict):
            raise VocabularyError("it is not an object")
        actions, again = _gesture(verb, data)
    except (UnicodeDecodeError, VocabularyError) as error:
        return Refuse(f"the request `/{verb}` to the helper app is not understood: {error}")
    return _acts(actions, json.dumps(again).encode("ascii"))


def _gesture(verb: str, data: Mapping[str, object]) -> tuple[tuple[Action, ...], dict[str, object]]:
    """The actions of such a request, and its data with whole pixels.

    Raises:
        VocabularyError: a value is missing, for which the app would take 0, or one is not known.
    """
    if verb == "tap":
        base.refuse_unknown_keys(data, ("x", "y"), "a tap")
        again: dict[str, object] = {name: base.pixel(data.get(name), name) for name in ("x", "y")}
        return base.touch(again["x"], again["y"]), again
    if verb == "swipe":
        base.refuse_unknown_keys(data, (*_ENDS, "duration"), "a swipe")
        held = base.milliseconds(data.get("duration", 300), "duration")
        again = {name: base.pixel(data.get(name), name) for name in _ENDS}
        return base.stroke(*again.values(), held=held), again | {"duration": held}
    if verb == "app":
        base.refuse_unknown_keys(data, ("package",), "opening an app")
        package = base.package(data.get("package"), "package")
        return (Action("open_app", {"package": package}),), {"package": package}
    base.refuse_unknown_keys(data, ("action",), "a global action")
    number = data.get("action")
    if isinstance(number, bool) or not isinstance(number, int) or number not in _GLOBALS:
        raise VocabularyError("back (1), home (2) and the list of apps (3) are known")
    return keys.pressed(_GLOBALS[number]), {"action": number}
