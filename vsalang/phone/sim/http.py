"""The small HTTP server that uiautomator2 starts on the phone: ``/ping``, ``/jsonrpc/0``, ``/screenshot/0``."""

from typing import TYPE_CHECKING

from vsalang.phone.errors import DeviceError
from vsalang.phone.sim.faults import ServerDied
from vsalang.phone.sim.rpc import Automator

if TYPE_CHECKING:
    from vsalang.phone.wire.services import Stream

MOST_HEAD = 64 << 10
MOST_BODY = 16 << 20


class _Bad(Exception):
    """The request cannot be answered; the status line says why, then the connection is closed."""


def serve(stream: "Stream", server: Automator) -> None:
    """Answer requests until the peer closes the stream or sends something that is not HTTP."""
    buffer = b""
    while True:
        try:
            head, buffer = _head(stream, buffer)
            if head is None:
                return
            method, path, length, keep = _parse(head)
            while len(buffer) < length:
                chunk = stream.read(1 << 16)
                if not chunk:
                    return
                buffer += chunk
            body, buffer = buffer[:length], buffer[length:]
            status, kind, content = _answer(server, method, path, body)
        except ServerDied:
            server.die()
            return
        except _Bad as error:
            _send(stream, str(error), "text/plain", str(error).encode(), keep=False)
            return
        _send(stream, status, kind, content, keep=keep)
        if not keep:
            return


def _head(stream: "Stream", buffer: bytes) -> tuple[bytes | None, bytes]:
    while b"\r\n\r\n" not in buffer:
        if len(buffer) > MOST_HEAD:
            raise _Bad("431 Request Header Fields Too Large")
        chunk = stream.read(1 << 16)
        if not chunk:
            return None, b""
        buffer += chunk
    head, _, rest = buffer.partition(b"\r\n\r\n")
    return head, rest


def _parse(head: bytes) -> tuple[str, str, int, bool]:
    """Method, path, length of the body, whether the connection stays open."""
    first, *lines = head.decode("latin-1").split("\r\n")
    parts = first.split(" ")
    if len(parts) != 3 or not parts[2].startswith("HTTP/1."):
        raise _Bad("400 Bad Request")
    headers = {}
    for line in lines:
        name, colon, value = line.partition(":")
        if not colon:
            raise _Bad("400 Bad Request")
        headers[name.strip().lower()] = value.strip()
    if "transfer-encoding" in headers:
        raise _Bad("411 Length Required")
    length = headers.get("content-length", "0")
    if not (length.isascii() and length.isdigit()):
        raise _Bad("400 Bad Request")
    if len(length) > 9 or int(length) > MOST_BODY:
        raise _Bad("413 Payload Too Large")
    keep = headers.get("connection", "keep-alive").lower() != "close" and parts[2] == "HTTP/1.1"
    return parts[0], parts[1], int(length), keep


def _answer(server: Automator, method: str, path: str, body: bytes) -> tuple[str, str, bytes]:
    path = path.partition("?")[0]
    if path == "/ping" and method == "GET":
        return "200 OK", "text/plain", b"pong"
    if path == "/jsonrpc/0" and method == "POST":
        return "200 OK", "application/json", server.answer(body)
    if path == "/screenshot/0" and method == "GET":
        from vsalang.phone.sim.paint import jpeg

        try:
            return "200 OK", "image/jpeg", jpeg(server.phone, 1.0, 80)
        except DeviceError as error:
            return "500 Internal Error", "text/plain", str(error).encode()
    return "404 Not Found", "text/plain", b"Not Found"


def _send(stream: "Stream", status: str, kind: str, content: bytes, *, keep: bool) -> None:
    head = (
        f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(content)}\r\n"
        f"Connection: {'keep-alive' if keep else 'close'}\r\n\r\n"
    )
    stream.write(head.encode() + content)
