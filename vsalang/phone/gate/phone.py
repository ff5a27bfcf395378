"""The interface of the phone for the gate's services."""

import contextlib
import threading
import weakref
from typing import Final, Protocol

from vsalang.phone.wire import Stream

SILENCE: Final = 600.0
"""How many seconds to wait for output of a command; other actions wait as long."""


class FarStream(Stream, Protocol):
    """A service that is open on the phone."""

    def set_timeout(self, seconds: float | None) -> None:
        """How long `read` and `write` wait; None: for ever."""
        ...


class Phone(Protocol):
    """Opens services on the phone (`vsalang.phone.wire.Upstream` does)."""

    def open(self, service: str) -> FarStream:
        """Open a service. Raises `Refused` or `DeviceError`."""
        ...


class EndablePhone:
    """A `Phone` whose open services can all be ended at once.

    Args:
        phone: opens them.
    """

    def __init__(self, phone: Phone) -> None:
        self._phone = phone
        self._open: weakref.WeakSet[FarStream] = weakref.WeakSet()
        self._lock = threading.Lock()

    def open(self, service: str) -> FarStream:
        stream = self._phone.open(service)
        with self._lock:
            self._open.add(stream)
        return stream

    def end(self) -> None:
        """End the services that are open; new ones can be opened."""
        with self._lock:
            streams = list(self._open)
        for stream in streams:
            with contextlib.suppress(Exception):
                stream.close()
