"""Notices that a phone is gone for good, while nothing is asked of it.

An agent that asks a phone that is gone gets errors, and many try again for ever. So the adb server is asked now and
then whether it still has the phone.
"""

import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Final, Protocol, Self

from vsalang.phone.errors import DeviceError
from vsalang.phone.wire import ServiceRefused

GONE: Final = 60.0
"""Seconds after which a phone that is gone is given up: a restart of its adb server, or a loose cable, takes less."""
EVERY: Final = 2.0


class StateServer(Protocol):
    """An adb server that is asked for the state of one phone (`vsalang.phone.wire.Upstream`)."""

    def ask(self, request: str) -> str:
        """The answer to a request. Raises `DeviceError` or `ServiceRefused`."""
        ...


class PhoneWatch:
    """Calls a function once, if a phone is gone for some time. A context manager.

    Args:
        phone: the phone.
        gone: is called, with why, from another thread.
        limit: seconds.
        every: seconds between two questions.
    """

    def __init__(
        self, phone: StateServer, gone: Callable[[str], None], *, limit: float = GONE, every: float = EVERY
    ) -> None:
        self._phone = phone
        self._gone = gone
        self._limit = limit
        self._every = every
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="gate-phone-watch", daemon=True)

    def _watch(self) -> None:
        since: float | None = None
        while not self._ended.wait(self._every):
            problem = self._problem()
            if not problem:
                since = None
                continue
            since = time.monotonic() if since is None else since
            if time.monotonic() - since >= self._limit:
                self._gone(f"it is gone for {self._limit:g} seconds: {problem}")
                return

    def _problem(self) -> str:
        """Why the phone cannot be used now; empty: it can."""
        try:
            state = self._phone.ask("get-state")
        except (DeviceError, ServiceRefused) as error:
            return str(error)
        return "" if state == "device" else f"its state is {state[:40]!r}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._thread.join(timeout=1)
