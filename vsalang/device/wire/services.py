"""What lies behind every front end of adb: services that are opened by name, and streams of bytes.

Besides `read`, `read_exactly` and `write`, a `Stream` has `close`, which another thread may call to end it.
"""

from collections.abc import Callable
from typing import Protocol


class Refused(Exception):
    """The device does not open this service; the message is what the client shows."""


class EndOfStream(Exception):
    """The peer has closed the stream, or is gone."""


class Stream(Protocol):
    """A two-way stream of bytes. One thread may read it while another one writes to it."""

    def read(self, most: int) -> bytes:
        """At least one byte, at most `most`; b"" when the peer has finished sending or is gone."""
        ...

    def read_exactly(self, count: int) -> bytes:
        """Just `count` bytes.

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
        """End the stream both ways, from any thread: the peer is told, who reads here gets b"". May be repeated."""
        ...


Handler = Callable[[Stream], None]
"""Serves one stream, in a thread of its own; the stream ends when it returns."""


class Services(Protocol):
    """The device side of adb."""

    def open(self, name: str) -> Handler:
        """What serves the service `name`. Called in the thread of the stream, so it may take its time.

        Raises:
            Refused: it is not offered.
        """
        ...
