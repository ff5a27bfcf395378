"""The reason of a refusal in what mobilerun's helper app, the portal, says of the screen: over HTTP and as content.

A state is JSON: the tree itself, or an object that has it as ``a11y_tree``, in one or two wrappers ``result`` or
``data``, each of which may be a text that holds JSON again.
"""

import json
import re
from collections.abc import Callable
from typing import Any, Final

from vsalang.phone.gate.carrying import output
from vsalang.phone.gate.packets import Terminal
from vsalang.phone.gate.phone import Phone
from vsalang.phone.vocabulary import sh
from vsalang.phone.vocabulary.adb_text import reads_content

STATES: Final = frozenset({"state", "state_full", "a11y_tree", "a11y_tree_full"})
_URI: Final = re.compile(r"content://[\w.]+/(\w+)(?:\?filter=\w+)?", re.ASCII)
_ROW: Final = re.compile(rb"(?m)(^Row: \d+ result=)(.*)$")
_WRAPPERS: Final = ("result", "data")
_MOST_WRAPPED: Final = 8
_NOWHERE: Final = {"left": 0, "top": 0, "right": 0, "bottom": 0}


def with_node(answer: bytes, reason: str, package: str) -> bytes | None:
    """A state with the reason as its last node: without an area, and not to be clicked; None: it is not a state."""
    try:
        data = json.loads(answer)
        marked = _marked(data, reason, package, _MOST_WRAPPED)
    except (ValueError, RecursionError):
        return None
    return json.dumps(marked).encode() if marked is not None else None


def _marked(data: Any, reason: str, package: str, deeper: int) -> Any:
    """The data with the node in it; None: it holds no tree."""
    if not deeper:
        return None
    if isinstance(data, str):
        inner = _marked(json.loads(data), reason, package, deeper - 1)
        return None if inner is None else json.dumps(inner)
    if isinstance(data, list):
        trees = [each for each in data if isinstance(each, dict)]
        return [*data, _node(trees, reason, package)] if len(trees) == len(data) else None
    if not isinstance(data, dict):
        return None
    if "className" in data:
        children = data.get("children")
        children = children if isinstance(children, list) else []
        return data | {"children": [*children, _node([data], reason, package)]}
    for name in ("a11y_tree", *_WRAPPERS):
        if name in data and (inner := _marked(data[name], reason, package, deeper - 1)) is not None:
            return data | {name: inner}
    return None


def _node(trees: list[dict[str, Any]], reason: str, package: str) -> dict[str, Any]:
    """The node in the form of those of the trees: all that is known of each, or what a model is shown."""
    if any("boundsInScreen" in each for each in trees):
        flags = dict.fromkeys(
            ("isClickable", "isLongClickable", "isFocusable", "isScrollable", "isCheckable"), False
        )
        named = {
            "className": "android.widget.TextView",
            "packageName": package,
            "resourceId": "",
            "text": reason,
        }
        return {
            **named,
            **flags,
            "isEnabled": True,
            "isVisibleToUser": True,
            "boundsInScreen": _NOWHERE,
            "children": [],
        }
    return {
        "index": max((_last_index(each) for each in trees), default=0) + 1,
        "resourceId": "",
        "className": "TextView",
        "text": reason,
        "bounds": "0, 0, 0, 0",
        "children": [],
    }


def _last_index(tree: dict[str, Any]) -> int:
    """The largest index of a tree: the node that is added takes none of another one."""
    largest, waiting = 0, [tree]
    while waiting:
        node = waiting.pop()
        index, children = node.get("index"), node.get("children")
        largest = max(largest, index if isinstance(index, int) else 0)
        waiting += [each for each in children if isinstance(each, dict)] if isinstance(children, list) else []
    return largest


def has_state(command: str) -> bool:
    """Whether a command line asks a helper app for its state."""
    return "content" in command and any(_asks(each.words) for each in sh.parse(command))


def _asks(words: tuple[str, ...]) -> bool:
    match = _URI.fullmatch(words[-1]) if words[:1] == ("content",) and reads_content(words) else None
    return match is not None and match[1] in STATES


class States:
    """Asks a helper app for its state, for an agent.

    Args:
        phone: has the app.
        change: the JSON of a state, with what is shown; None: unchanged.
    """

    def __init__(self, phone: Phone, change: Callable[[bytes], bytes | None]) -> None:
        self._phone = phone
        self._change = change

    def run(self, terminal: Terminal, command: str) -> int | None:
        """Run one command if it only asks for the state; return the exit status. None: it was not run.

        Raises:
            DeviceError, ServiceRefused: the phone does not answer.
        """
        parsed = sh.parse(command)
        if len(parsed) != 1 or parsed[0].redirects or not _asks(parsed[0].words):
            return None
        answer = output(self._phone, f"exec:{sh.render(parsed)}")
        terminal.out(_ROW.sub(lambda row: row[1] + (self._change(row[2]) or row[2]), answer))
        return 0
