"""Messages of JSON-RPC 2.0, one a line: what a line of a client says, and the lines that it gets."""

import json
from collections.abc import Mapping
from typing import Any, Final

from vsalang.base.records import dataclass
from vsalang.base.source.strict_json import no_constant, object_once

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
METHOD_NOT_FOUND: Final = -32601
INVALID_PARAMS: Final = -32602
INTERNAL_ERROR: Final = -32603

LONGEST_LINE: Final = 2**20
"""Bytes of a line, with its end; a longer one is answered with an error."""

Id = int | str
"""What names a request."""


class Fault(Exception):
    """A request, or a line, that is answered by an error.

    Attributes:
        code: of JSON-RPC.
        data: more about it, for the client.
        number: what names the request, where the line says so.
    """

    def __init__(self, code: int, message: str, data: Any = None, number: Id | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.data = data
        self.number = number


@dataclass(frozen=True, slots=True)
class Request:
    """What a client wants; without an `id` it only tells something, and gets no answer."""

    id: Id | None
    method: str
    params: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Response:
    """What a client says to a request of ours; `result` is None if that is an error, or malformed."""

    id: Id | None
    result: Mapping[str, Any] | None


def read(line: bytes) -> Request | Response | None:
    """What a line says; None: it is blank.

    Raises:
        Fault: it is not JSON, or not a message.
    """
    if len(line) > LONGEST_LINE:
        raise Fault(PARSE_ERROR, f"the line is longer than {LONGEST_LINE} bytes")
    if not line.strip():
        return None
    try:
        data = json.loads(line.decode(), object_pairs_hook=object_once, parse_constant=no_constant)
    except (ValueError, RecursionError):  # a number of thousands of digits is a ValueError too
        raise Fault(
            PARSE_ERROR, "the line is not JSON in UTF-8, or an object in it has a key twice"
        ) from None
    about = data if isinstance(data, dict) else {}
    number = as_id(about.get("id"))
    right = about.get("jsonrpc") == "2.0"
    if "method" not in about and ("result" in about or "error" in about):
        # a response is never answered; one that is malformed says nothing
        result = about.get("result")
        return Response(
            number, result if right and "error" not in about and isinstance(result, dict) else None
        )
    method, params = about.get("method"), about.get("params")
    named = number is not None or "id" not in about
    if right and named and isinstance(method, str) and isinstance(params, dict | None):
        return Request(number, method, params or {})
    raise Fault(INVALID_REQUEST, "the line is not a message of JSON-RPC 2.0", number=number)


def as_id(value: object) -> Id | None:
    """What names a request; None: it cannot."""
    return value if isinstance(value, int | str) and not isinstance(value, bool) else None


def same_id(value: Id) -> Id:
    """The number that a text writes: some clients send a number back as a text. Anything else is itself."""
    if (
        isinstance(value, str)
        and value.isdecimal()
        and len(value) <= _MOST_DIGITS
        and str(int(value)) == value
    ):
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
