"""Shells of adb on the wire: packets of the second protocol, plain streams of the first."""

import contextlib
import struct
from collections.abc import Iterator
from typing import Final, Protocol

from vsalang.phone.errors import DeviceError
from vsalang.phone.wire import EndOfStream, Stream

STDIN: Final = 0
STDOUT: Final = 1
STDERR: Final = 2
EXIT: Final = 3
CLOSE_STDIN: Final = 4
HEAD: Final = struct.Struct("<BI")
MOST: Final = 1 << 20
_PIECE: Final = 64 << 10


class TooLong(DeviceError, ValueError):
    """A packet is longer than any that adb sends, so the next one cannot be found."""


class Terminal(Protocol):
    """The agent's end of a shell."""

    def out(self, data: bytes) -> None:
        """Send to standard output."""
        ...

    def err(self, data: bytes) -> None:
        """Send to standard error."""
        ...

    def exit(self, status: int) -> None:
        """Send the exit status at the end."""
        ...

    def typed(self) -> Iterator[bytes]:
        """The data of standard input, in parts, until it is closed."""
        ...


class Plain:
    """The first protocol (``shell:``, ``exec:``): all output on one stream, no exit status."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream

    def out(self, data: bytes) -> None:
        if data:
            self._stream.write(data)

    err = out

    def exit(self, status: int) -> None:
        """Do nothing: the protocol has no exit status."""

    def typed(self) -> Iterator[bytes]:
        while data := self._stream.read(_PIECE):
            yield data


class Packets:
    """The second protocol (``shell,v2:``)."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream

    def out(self, data: bytes) -> None:
        self._send(STDOUT, data)

    def err(self, data: bytes) -> None:
        self._send(STDERR, data)

    def exit(self, status: int) -> None:
        self._stream.write(packet(EXIT, bytes([status & 0xFF])))

    def _send(self, kind: int, data: bytes) -> None:
        for start in range(0, len(data), _PIECE):
            self._stream.write(packet(kind, data[start : start + _PIECE]))

    def typed(self) -> Iterator[bytes]:
        with contextlib.suppress(TooLong):
            for kind, data in packets(self._stream):
                if kind == CLOSE_STDIN:
                    return
                if kind == STDIN and data:
                    yield data


def packet(kind: int, data: bytes) -> bytes:
    """A packet of this kind: the header and the data."""
    return HEAD.pack(kind, len(data)) + data


def packets(stream: Stream) -> Iterator[tuple[int, bytes]]:
    """The packets of a stream, until it ends.

    Raises:
        TooLong: one is longer than any that adb sends.
    """
    while True:
        try:
            kind, length = HEAD.unpack(stream.read_exactly(HEAD.size))
            if length > MOST:
                raise TooLong(f"a packet of {length} bytes")
            data = stream.read_exactly(length) if length else b""
        except EndOfStream:
            return
        yield kind, data
