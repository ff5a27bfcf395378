"""Connections that have not yet said whose they are: few, for a short time, and never in the way of those that have."""

import asyncio
import contextlib
from collections import Counter
from collections.abc import Hashable, Iterator

from vsalang.agents.reporting.errors import MessageRefused


class Strangers:
    """Open connections whose peers have not given a token.

    Where there are too many, a new one is not turned away: the oldest one of the address that has the most is closed.
    A peer that gives its token at once has done so long before it is the oldest one, so that peers that say nothing,
    or half of it, keep nobody out.

    Args:
        most: so many at a time.
        seconds: so long a peer may take to give its token.
    """

    def __init__(self, most: int, seconds: float) -> None:
        self._most, self._seconds = most, seconds
        self._open: dict[Hashable, tuple[asyncio.WriteTransport, asyncio.TimerHandle]] = {}

    def __len__(self) -> int:
        return len(self._open)

    def add(self, key: Hashable, transport: asyncio.WriteTransport) -> None:
        """A peer has connected."""
        while len(self._open) >= self._most:
            self._close(self._to_go())
        timer = asyncio.get_running_loop().call_later(self._seconds, self._close, key)
        self._open[key] = transport, timer

    def remove(self, key: Hashable) -> None:
        """A peer has given its token, or has gone."""
        if key in self._open:
            self._open.pop(key)[1].cancel()

    def _to_go(self) -> Hashable:
        addresses = {key: _address(transport) for key, (transport, _) in self._open.items()}
        ((most, _),) = Counter(addresses.values()).most_common(1)
        return next(key for key, address in addresses.items() if address == most)

    def _close(self, key: Hashable) -> None:
        if key in self._open:
            transport, timer = self._open.pop(key)
            timer.cancel()
            transport.abort()


class Places:
    """How many connections of each app are open: none takes the place of another app.

    Args:
        most: so many for each app.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._taken: Counter[str] = Counter()

    @contextlib.contextmanager
    def take(self, package: str) -> Iterator[None]:
        """One more place of an app.

        Raises:
            Refused: it has no more.
        """
        if self._taken[package] >= self._most:
            raise MessageRefused("too_many", f"more than {self._most} connections of one app at a time")
        self._taken[package] += 1
        try:
            yield
        finally:
            self._taken[package] -= 1


def _address(transport: asyncio.WriteTransport) -> object:
    name = transport.get_extra_info("peername")
    return name[0] if isinstance(name, tuple) else name
