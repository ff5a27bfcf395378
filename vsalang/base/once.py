"""Functions of objects that never change, computed once for each object: the rules of an app are those of many specs.

An object is known again by its identity: to compare two rules, or to hash one, takes longer than most such functions.
"""

from collections.abc import Callable
from typing import Final, Generic, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

MOST: Final = 8192
"""So many results are kept of each function; when there are more, all are forgotten."""


def once_each(function: Callable[[Item], Result]) -> Callable[[Item], Result]:
    """A function that is computed once for each object that it is asked of. Safe from any thread.

    Args:
        function: of an object that never changes; nobody changes what it gives.
    """
    known: dict[int, tuple[Item, Result]] = {}

    def asked(item: Item) -> Result:
        key = id(item)
        pair = known.get(key)
        if pair is None:
            if len(known) >= MOST:
                known.clear()
            # it keeps the object, so that no other one gets its identity
            pair = known[key] = (item, function(item))
        return pair[1]

    return asked


class EqualItems(Generic[Item]):
    """Gives for an item an equal one that it was given before under the same name, if that was the last one."""

    def __init__(self) -> None:
        self._known: dict[str, Item] = {}

    def of(self, name: str, item: Item) -> Item:
        """The item, or the equal one. Safe from any thread."""
        known = self._known.get(name)
        if known is item or known == item:
            return known
        if len(self._known) >= MOST:
            self._known.clear()
        self._known[name] = item
        return item
