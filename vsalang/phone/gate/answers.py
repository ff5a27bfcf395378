"""Answers to requests that do not pass, in the form of their protocol."""

import json
import re
from collections.abc import Mapping
from typing import Any, Final, TypeAlias
from typing import Literal as OneOf

from vsalang.guard import NotAllowed

OnBlock: TypeAlias = OneOf["error", "silent"]
"""``error``: the agent gets an error; ``silent``: it gets the answer of success, and sees that nothing changed."""

NOT_PERMITTED: Final = 126
"""The exit status of a command that was found and may not be run (POSIX shells)."""
BROKEN: Final = 255
"""The exit status of a command that was run, and whose outcome is not known (as adb's own)."""
RPC_REFUSED: Final = -32001
"""The code of the JSON-RPC error; the range is the application's own."""
_MAGIC: Final = re.compile(
    r"UiAutomation not connected|DeadObjectException|DeadSystemRuntimeException|UiObjectNotFoundException"
    r"|StackOverflowError",
    re.IGNORECASE,
)
"""Words in an error for which clients of uiautomator2 restart the server and repeat the call."""
_PUT: Final = frozenset(
    {"click", "setText", "pressKey", "pressKeyCode", "swipe", "drag", "longClick", "swipePoints"}
)
LONGEST: Final = 8000


def feedback_of(error: BaseException) -> str:
    """The message of an error for the agent."""
    text = str(getattr(error, "feedback", "")) or str(error) or type(error).__name__
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def in_shell(error: BaseException) -> bytes:
    """The text on standard error for a command that was not run."""
    name = "" if isinstance(error, NotAllowed) else "failed: "
    return f"vsalang: {name}{feedback_of(error).strip()}\n".encode("utf-8", "replace")


def rpc_id(body: bytes) -> Any:
    """The id of a JSON-RPC call, None if it cannot be read."""
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        return None
    number = data.get("id") if isinstance(data, Mapping) else None
    return number if isinstance(number, int | str) and len(str(number)) < 100 else None


def rpc_method(body: bytes) -> str:
    """The method of a JSON-RPC call, "" if it cannot be read."""
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        return ""
    method = data.get("method") if isinstance(data, Mapping) else None
    return method if isinstance(method, str) else ""


def rpc_error(body: bytes, error: BaseException) -> bytes:
    """The JSON-RPC answer that says why a call was not made."""
    message = _MAGIC.sub(lambda match: match[0].replace(" ", "_")[:3] + "…", feedback_of(error))
    answer = {"code": RPC_REFUSED, "message": f"vsalang: {message}", "data": ""}
    return json.dumps({"jsonrpc": "2.0", "id": rpc_id(body), "error": answer}).encode()


def rpc_silent(body: bytes) -> bytes:
    """The JSON-RPC answer of a call that was made."""
    result = True if rpc_method(body) in _PUT else None
    return json.dumps({"jsonrpc": "2.0", "id": rpc_id(body), "result": result}).encode()


def portal_error(error: BaseException) -> bytes:
    """The answer of a helper app's server to a forbidden request."""
    return json.dumps({"status": "error", "error": f"vsalang: {feedback_of(error)}"}).encode()


def portal_silent() -> bytes:
    """The answer of a helper app's server to a request that was done."""
    return json.dumps({"status": "success", "result": "ok"}).encode()
