"""Ends a request whose response does not begin in time: a socket's own time-out begins again with every byte."""

import socket
import threading
from collections.abc import Mapping
from contextlib import suppress
from typing import Any


class Deadline:
    """Shuts the connection of one request down, unless it is called off.

    Args:
        seconds: how long the response may take to begin.
    """

    def __init__(self, seconds: float) -> None:
        self.passed = False
        self._socket: socket.socket | None = None
        self._timer = threading.Timer(seconds, self._end)
        self._timer.daemon = True

    def watch(self, request: Any) -> None:
        """Begin, for a request of httpx; it tells by the extension ``trace`` which connection it uses."""
        request.extensions["trace"] = self.connected
        self._timer.start()

    def follow(self, before: "Deadline | None") -> None:
        """Know the connection of the request before: it may be used again."""
        if before is not None:
            before.call_off()
            self._socket = before._socket

    def connected(self, event: str, info: Mapping[str, Any]) -> None:
        """Take note of the connection that was made."""
        made: Any = info.get("return_value")
        if event.endswith(".complete") and hasattr(made, "get_extra_info"):
            sock = made.get_extra_info("socket")
            self._socket = sock if isinstance(sock, socket.socket) else self._socket

    def call_off(self) -> None:
        """End nothing: the response has begun, or there is none."""
        self._timer.cancel()

    def _end(self) -> None:
        self.passed = True
        if self._socket is not None:
            with suppress(OSError):  # it is closed already
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)
