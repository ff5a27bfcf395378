"""Where random programs take their choices from: from hypothesis, which shrinks, or from a seed, which is fast."""

import functools
import random
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from hypothesis import strategies as st


class Chance(Protocol):
    """A source of choices."""

    def number(self, low: int, high: int) -> int:
        """A whole number from `low` to `high`, both included."""
        ...

    def pick(self, items: Sequence[Any]) -> Any:
        """One of the items."""
        ...

    def shuffled(self, items: Sequence[Any]) -> list[Any]:
        """The items in some order."""
        ...


_whole = functools.cache(st.integers)  # a program takes hundreds of choices: no new strategy for each


class Drawn:
    """Choices that hypothesis makes, remembers and shrinks."""

    def __init__(self, draw: Callable[[Any], Any]) -> None:
        self.draw = draw

    def number(self, low: int, high: int) -> int:
        """See `Chance`."""
        return int(self.draw(_whole(low, high)))

    def pick(self, items: Sequence[Any]) -> Any:
        """See `Chance`."""
        return items[self.number(0, len(items) - 1) if len(items) > 1 else 0]

    def shuffled(self, items: Sequence[Any]) -> list[Any]:
        """See `Chance`."""
        left = list(items)
        for place in range(len(left) - 1):
            other = self.number(place, len(left) - 1)
            left[place], left[other] = left[other], left[place]
        return left


class Seeded:
    """Choices that follow from a seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def number(self, low: int, high: int) -> int:
        """See `Chance`."""
        return self.random.randint(low, high)

    def pick(self, items: Sequence[Any]) -> Any:
        """See `Chance`."""
        return items[self.random.randrange(len(items))]

    def shuffled(self, items: Sequence[Any]) -> list[Any]:
        """See `Chance`."""
        return self.random.sample(list(items), len(items))
