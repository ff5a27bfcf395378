"""Messages of JSON-RPC 2.0, one a line: what a line of a client says, and the lines that it gets."""

import json
from collections.abc import Mapping
from typing import Any, Final

from vsalang.base.records import dataclass

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
METHOD_NOT_FOUND: Final = -32601
INVALID_PARAMS: Final = -32602
INTERNAL_ERROR: Final = -32603

Id = int | str
"""What names a request."""


class Fault(Exception):
    """A request, or a line, that is answered by an error.

    Attributes:
        code: of JSON-RPC.
        data: more about it, for the client.
    """

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.data = data


@dataclass(frozen=True, slots=True)
class Request:
    """What a client wants; without an `id` it only tells something, and gets no answer."""

    id: Id | None
    method: str
    params: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Response:
    """What a client says to a request of ours; `result` is None if that is an error."""

    id: Id | None
    result: Mapping[str, Any] | None


def read(line: bytes) -> Request | Response | None:
    """What a line says; None: it is blank.

    Raises:
        Fault: it is not JSON, or not a message.
    """
    text = line.decode("utf-8", "replace")
    if not text.strip():
        return None
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):  # a number of thousands of digits is a ValueError too
        raise Fault(PARSE_ERROR, "the line is not JSON") from None
    message = _message(data) if isinstance(data, dict) and data.get("jsonrpc") == "2.0" else None
    if message is None:
        raise Fault(INVALID_REQUEST, "the line is not a message of JSON-RPC 2.0")
    return message


def _message(data: Mapping[str, Any]) -> Request | Response | None:
    number = as_id(data.get("id"))
    if number is None and data.get("id") is not None:
        return None
    if "method" in data:
        method, params = data["method"], data.get("params")
        if isinstance(method, str) and isinstance(params, dict | None):
            return Request(number, method, params or {})
    elif "error" in data:
        return Response(number, None)
    elif number is not None and isinstance(data.get("result"), dict):
        return Response(number, data["result"])
    return None


def as_id(value: object) -> Id | None:
    """What names a request; None: it cannot."""
    return value if isinstance(value, int | str) and not isinstance(value, bool) else None


def same_id(value: Id) -> Id:
    """An id as it is compared: clients send numbers back as texts."""
    if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) <= _MOST_DIGITS:
        return int(value)
    return value


_MOST_DIGITS: Final = 18


def written(**message: Any) -> bytes:
    """The line of a message of ours."""
    return json.dumps({"jsonrpc": "2.0", **message}, default=str).encode() + b"\n"


def fault(number: Id | None, error: Fault) -> bytes:
    """The line of an error."""
    data = {} if error.data is None else {"data": error.data}
    return written(id=number, error={"code": error.code, "message": str(error), **data})
