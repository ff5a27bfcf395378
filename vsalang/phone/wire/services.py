"""The interfaces of adb's services: services are opened by name, and are streams of bytes.

Besides `read`, `read_exactly` and `write`, a `Stream` has `close`, which another thread may call to end it.
"""

from collections.abc import Callable
from typing import Protocol


class ServiceRefused(Exception):
    """The device does not open this service; the message is what the client shows."""


class EndOfStream(Exception):
    """The peer has closed the stream, or is gone."""


class Stream(Protocol):
    """A two-way stream of bytes. One thread may read it while another one writes to it."""

    def read(self, most: int) -> bytes:
        """At least one byte, at most `most`; b"" when the peer has finished sending or is gone."""
        ...

    def read_exactly(self, count: int) -> bytes:
        """Exactly `count` bytes.

        Raises:
            EndOfStream: the peer has finished before.
        """
        ...

    def write(self, data: bytes) -> None:
        """Send all of `data`; waits while the peer is slow.

        Raises:
            EndOfStream: the peer is gone.
        """
        ...

    def close(self) -> None:
        """End the stream in both directions, from any thread; a reader gets b"". May be called again."""
        ...


def read_whole(read: Callable[[int], bytes], count: int) -> bytes:
    """Exactly `count` bytes, by a function like `Stream.read`.

    Raises:
        EndOfStream: the peer has finished before.
    """
    parts: list[bytes] = []
    while count:
        data = read(min(count, 1 << 20))
        if not data:
            raise EndOfStream
        parts.append(data)
        count -= len(data)
    return b"".join(parts)


Handler = Callable[[Stream], None]
"""Serves one stream, in a thread of its own; the stream ends when it returns."""


class Services(Protocol):
    """The device side of adb."""

    def open(self, name: str) -> Handler:
        """The handler of the service `name`. Called in the thread of the stream, so it may block.

        Raises:
            Refused: it is not offered.
        """
        ...
