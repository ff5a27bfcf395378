"""What adbd offers on the phone, by service name: the seam between front ends and the phone.

A front end (the smart-socket server now; a fake adbd over the same layer when it comes) calls
`Services.open(name)` and runs the handler it gets on its own stream.
"""

import struct
import threading
from collections.abc import Callable
from typing import Protocol

from vsalang.device.sim import http, sync
from vsalang.device.sim.files import Files
from vsalang.device.sim.phone import Phone
from vsalang.device.sim.rpc import Automator
from vsalang.device.sim.shell import Shell
from vsalang.device.wire.services import EndOfStream, Handler, Refused, Stream

FEATURES = ("shell_v2", "cmd", "fixed_push_mkdir")
"""What the device says it can do; ``stat_v2`` and the like are left out so that clients use version 1."""


class PhoneServices:
    """The services of one simulated phone: ``shell:``, ``shell,v2:``, ``exec:``, ``sync:``, ``tcp:PORT``."""

    def __init__(self, phone: Phone) -> None:
        self.phone = phone
        self.files = Files()
        self.shell = Shell(phone, self.files, self.start_server)
        self._servers: dict[int, Automator] = {}
        self._lock = threading.Lock()

    def start_server(self, port: int) -> Callable[[], None] | None:
        """Start the uiautomator2 server on a port; how to stop it. None if one runs: Android allows only one."""
        with self._lock:
            if self._servers or not 1 <= port <= 65535:
                return None
            server = self._servers[port] = Automator(self.phone)

        def stop() -> None:
            with self._lock:
                if self._servers.get(port) is server:
                    del self._servers[port]

        return stop

    def open(self, name: str) -> Handler:
        """See `Services.open`."""
        kind, _, rest = name.partition(":")
        options = kind.split(",")
        if options[0] == "shell" and "v2" in options[1:]:
            return lambda stream: self._shell_v2(stream, rest)
        if options[0] in ("shell", "exec"):
            return lambda stream: self._shell(stream, rest)
        if kind == "sync":
            return lambda stream: sync.serve(stream, self.files)
        if kind == "tcp" and rest.isascii() and rest.isdigit() and len(rest) <= 5:
            server = self._servers.get(int(rest))
            if server is not None:
                return lambda stream: http.serve(stream, server)
        raise Refused("closed")

    def _shell(self, stream: Stream, line: str) -> None:
        terminal = _Raw(stream)
        if line.strip():
            self.shell.run(line, terminal)
            return
        for typed in _lines(stream):
            self.shell.run(typed, terminal)

    def _shell_v2(self, stream: Stream, line: str) -> None:
        terminal = _Packets(stream)
        status = 0
        if line.strip():
            status = self.shell.run(line, terminal)
        else:
            for typed in _lines(terminal):
                status = self.shell.run(typed, terminal)
        terminal.exit(status)


class _Reader(Protocol):
    def read(self, most: int) -> bytes: ...


def _lines(stream: _Reader) -> list[str]:
    """All that is typed into a shell without a command, until the peer ends it."""
    data = b""
    while chunk := stream.read(4096):
        data += chunk
        if len(data) > 1 << 20 or b"\nexit\n" in b"\n" + data:
            break
    return [line for line in data.decode("utf-8", "replace").splitlines() if line.strip() not in ("", "exit")]


class _Raw:
    """Output of ``shell:``: both descriptors on one stream, no exit status."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream

    def out(self, data: bytes) -> None:
        self._stream.write(data)

    err = out

    def wait_closed(self) -> None:
        while self._stream.read(4096):
            pass


class _Packets:
    """The packets of ``shell,v2``: an id byte, a length, data."""

    STDIN, STDOUT, STDERR, EXIT, CLOSE_STDIN = range(5)

    def __init__(self, stream: Stream) -> None:
        self._stream = stream

    def _send(self, kind: int, data: bytes) -> None:
        for start in range(0, max(1, len(data)), 1 << 16):
            piece = data[start : start + (1 << 16)]
            self._stream.write(struct.pack("<BI", kind, len(piece)) + piece)

    def out(self, data: bytes) -> None:
        self._send(self.STDOUT, data)

    def err(self, data: bytes) -> None:
        self._send(self.STDERR, data)

    def exit(self, status: int) -> None:
        self._send(self.EXIT, bytes([status & 0xFF]))

    def read(self, most: int) -> bytes:
        """What was typed; b"" when standard input was closed."""
        while True:
            try:
                kind, length = struct.unpack("<BI", self._stream.read_exactly(5))
                if length > 1 << 20:
                    return b""
                data = self._stream.read_exactly(length)
            except EndOfStream:
                return b""
            if kind == self.CLOSE_STDIN:
                return b""
            if kind == self.STDIN and data:
                return data

    def wait_closed(self) -> None:
        while self._stream.read(4096):
            pass
