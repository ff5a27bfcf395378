"""What lies behind every front end of adb: services that are opened by name, and streams of bytes."""

from collections.abc import Callable
from typing import Protocol


class Refused(Exception):
    """The device does not open this service; the message is what the client shows."""


class EndOfStream(Exception):
    """The peer has closed the stream, or is gone."""


class Stream(Protocol):
    """A two-way stream of bytes. Methods raise `EndOfStream` when the peer is gone."""

    def read(self, most: int) -> bytes:
        """At least one byte, at most `most`; b"" when the peer has finished sending."""
        ...

    def read_exactly(self, count: int) -> bytes:
        """Just `count` bytes."""
        ...

    def write(self, data: bytes) -> None:
        """Send all of `data`."""
        ...


Handler = Callable[[Stream], None]


class Services(Protocol):
    """The device side of adb."""

    def open(self, name: str) -> Handler:
        """What serves the service `name`.

        Raises:
            Refused: it is not offered.
        """
        ...
