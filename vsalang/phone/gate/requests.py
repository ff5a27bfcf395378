"""Parses HTTP/1.1 requests strictly: a request that two parsers could read differently is refused.

h11 is the parser; what it tolerates (both a length and chunks, the same length twice, folded lines, lone line feeds,
trailers) is refused here.
"""

import re
from typing import Final

import h11

from vsalang.base.records import dataclass
from vsalang.phone.wire import Stream

MOST_HEAD: Final = 32 << 10
MOST_BODY: Final = 4 << 20
_LOCAL: Final = re.compile(rb"(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?")
_ONCE: Final = frozenset({b"content-length", b"transfer-encoding", b"host", b"connection", b"authorization"})


@dataclass(frozen=True, slots=True)
class Request:
    """A request that was read."""

    method: str
    target: str
    headers: tuple[tuple[bytes, bytes], ...]
    body: bytes
    keep: bool


class BadRequest(Exception):
    """A request that is not read. `status`: of the answer."""

    def __init__(self, reason: str, status: int = 400) -> None:
        super().__init__(reason)
        self.status = status


class Reader:
    """Reads requests, one after the other, from one stream."""

    def __init__(self, near: Stream) -> None:
        self._near = near
        self._buffer = b""

    def request(self) -> Request | None:
        """The next request; None at the end of the stream.

        Raises:
            BadRequest: it is none, or two parsers could read it differently.
        """
        head = self._head()
        if head is None:
            return None
        parser = h11.Connection(h11.SERVER, max_incomplete_event_size=MOST_HEAD)
        try:
            parser.receive_data(self._buffer)
            self._buffer = b""
            event = parser.next_event()
            if not isinstance(event, h11.Request):
                raise BadRequest("not a request of HTTP/1.1")
            _check(event, head)
            parts: list[bytes] = []
            size = 0
            while True:
                part = parser.next_event()
                if part is h11.NEED_DATA:
                    data = self._near.read(64 << 10)
                    if not data:
                        return None
                    parser.receive_data(data)
                elif isinstance(part, h11.Data):
                    parts.append(bytes(part.data))
                    size += len(part.data)
                    if size > MOST_BODY:
                        raise BadRequest("the body is too long", 413)
                elif isinstance(part, h11.EndOfMessage):
                    if list(part.headers):
                        raise BadRequest("fields behind the body")
                    break
                else:
                    raise BadRequest("not a request of HTTP/1.1")
        except h11.RemoteProtocolError as error:
            raise BadRequest(f"not a request of HTTP/1.1: {error}") from error
        self._buffer = bytes(parser.trailing_data[0])
        headers = tuple((bytes(name), bytes(value)) for name, value in event.headers)
        close = any(n == b"connection" and b"close" in v.lower() for n, v in headers)
        keep = event.http_version == b"1.1" and not close
        target = event.target.decode("ascii", "replace")
        return Request(event.method.decode("ascii"), target, headers, b"".join(parts), keep)

    def _head(self) -> bytes | None:
        """Wait for the head of the next request, and check that it is not ambiguous."""
        while (end := self._buffer.find(b"\r\n\r\n")) < 0:
            if len(self._buffer) > MOST_HEAD:
                raise BadRequest("the head of the request is too long", 431)
            data = self._near.read(64 << 10)
            if not data:
                if self._buffer.strip(b"\r\n"):
                    raise BadRequest("the request ends in its head")
                return None
            self._buffer += data
        head = self._buffer[: end + 2]
        if end > MOST_HEAD:
            raise BadRequest("the head of the request is too long", 431)
        if re.search(rb"(?<!\r)\n|\r(?!\n)|\x00|\n[ \t]", head) or head.startswith((b"\r\n", b" ")):
            raise BadRequest("lines of the head that readers read in different ways")
        return head


def _check_caller(event: h11.Request) -> None:
    """Refuse requests from a page in a browser, also by DNS rebinding.

    Raises:
        BadRequest: it comes from a page, or names another host.
    """
    fields = {bytes(name): bytes(value).strip().lower() for name, value in event.headers}
    if b"origin" in fields or fields.get(b"sec-fetch-site", b"none") != b"none":
        raise BadRequest("pages of browsers are not served (Origin)", 403)
    host = fields.get(b"host", b"")
    if host and not _LOCAL.fullmatch(host):
        raise BadRequest("this server is not called by that name (Host)", 403)


def _check(event: h11.Request, head: bytes) -> None:
    """Refuse what h11 tolerates. Raises `BadRequest`."""
    # from the head itself: h11 gives equal lengths as one
    names = [line.partition(b":")[0].strip().lower() for line in head.split(b"\r\n")[1:]]
    for name in _ONCE:
        if names.count(name) > 1:
            raise BadRequest(f"`{name.decode()}` is given twice")
    _check_caller(event)
    if b"content-length" in names and b"transfer-encoding" in names:
        raise BadRequest("both a length and chunks")
    if b"expect" in names:
        raise BadRequest("what is expected cannot be answered", 417)
    if event.http_version not in (b"1.0", b"1.1"):
        raise BadRequest("another version of HTTP", 505)
    if not event.target.startswith(b"/"):
        raise BadRequest("the target is not a path")
