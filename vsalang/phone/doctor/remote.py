"""Runs short commands on a phone through an adb server, with a limit on time and size."""

import re
import secrets
import shlex
import time
from typing import Final

from vsalang.base.installing import adb_word
from vsalang.phone.errors import DeviceError, DeviceTimeout
from vsalang.phone.wire.services import ServiceRefused
from vsalang.phone.wire.upstream import Upstream, UpstreamStream

SECONDS: Final = 15.0
BYTES: Final = 2 << 20


class Remote:
    """The shell of one phone."""

    def __init__(self, upstream: Upstream, *, seconds: float = SECONDS) -> None:
        self.upstream = upstream
        self._seconds = seconds

    @property
    def adb(self) -> str:
        """The adb command of the user for this phone."""
        server = self.upstream
        host = "" if server.host in ("127.0.0.1", "localhost") else f" -H {shlex.quote(server.host)}"
        port = "" if server.port == 5037 else f" -P {server.port}"
        return f"{adb_word()}{host}{port} -s {shlex.quote(server.serial)}"

    def run(self, command: str) -> tuple[str, int | None]:
        """What a command printed, and its exit status; None if it did not end in time, or printed too much.

        Raises:
            DeviceError: the phone cannot be reached.
        """
        mark = f"--{secrets.token_hex(8)}--"
        try:
            with self.upstream.open(f"shell:{command}; echo {mark}$?") as stream:
                text = _read(stream, self._seconds)
        except ServiceRefused as error:
            raise DeviceError(f"the phone refuses a shell: {error}") from error
        match = re.search(rf"{mark}(\d+)\s*$", text)
        if match is None:
            return text.split(mark)[0], None
        return text[: match.start()], int(match[1])

    def answers_http(self, port: int) -> bool:
        """Whether something on the phone answers ``GET /ping`` on a port with ``pong``.

        Raises:
            DeviceError: the phone cannot be reached.
        """
        try:
            with self.upstream.open(f"tcp:{port}") as stream:
                stream.write(b"GET /ping HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                return "pong" in _read(stream, 5.0, until="pong")
        except (ServiceRefused, DeviceTimeout):
            return False


def _read(stream: UpstreamStream, seconds: float, until: str = "") -> str:
    end = time.monotonic() + seconds
    data = b""
    while (left := end - time.monotonic()) > 0 and len(data) < BYTES:
        stream.set_timeout(left)
        try:
            piece = stream.read(1 << 16)
        except DeviceTimeout:
            break
        data += piece
        if not piece or (until and until.encode() in data):
            break
    return data.decode("utf-8", "replace").replace("\r\n", "\n")
