"""Keeps what was made last, so that the same is not made again."""

import threading
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

T = TypeVar("T")


class RecentItems(Generic[T]):
    """The last things that were made, by what they were made from. May be used from several threads.

    Args:
        most: how many are kept; then the one that was asked for longest ago is dropped.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._things: dict[Hashable, T] = {}
        self._lock = threading.Lock()

    def made(self, parts: Hashable, make: Callable[[], T]) -> T:
        """What is made from these parts; others get the same, so nobody may change it."""
        with self._lock:
            thing = self._things.pop(parts, None)
        if thing is None:
            thing = make()
        with self._lock:
            self._things[parts] = thing
            if len(self._things) > self._most:
                del self._things[next(iter(self._things))]
        return thing
