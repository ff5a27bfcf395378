"""Where random programs take their choices from: from hypothesis, which shrinks, or from a seed, which is fast."""

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


class Drawn:
    """Choices that hypothesis makes, remembers and shrinks."""

    def __init__(self, draw: Callable[[Any], Any]) -> None:
        self.draw = draw

    def number(self, low: int, high: int) -> int:
        """See `Chance`."""
        return int(self.draw(st.integers(low, high)))

    def pick(self, items: Sequence[Any]) -> Any:
        """See `Chance`."""
        return self.draw(st.sampled_from(list(items)))

    def shuffled(self, items: Sequence[Any]) -> list[Any]:
        """See `Chance`."""
        return list(self.draw(st.permutations(list(items))))


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
