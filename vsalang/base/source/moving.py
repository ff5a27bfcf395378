"""Moves what was read of a text, a tree or what was made of one, to another place of the text.

>>> moved((Span("a", 1, 2), "x"), 3)
(Span(file='a', start=4, end=5), 'x')
"""

import dataclasses
import operator
from collections.abc import Callable
from typing import Any, Final

from vsalang.base.source.files import Span

_PLACES: Final = (Span, Span | None)
_VALUES: Final = (str, bool, int, tuple[str, ...], tuple[int, ...])
"""The types of fields that hold no places."""
_MOVERS: Final[dict[type, Callable[[Any, int], Any]]] = {}


def moved(node: Any, by: int) -> Any:
    """A frozen dataclass with all that it holds in fields and tuples, its spans so many characters further on.

    What holds no span stays the same object.
    """
    if not by:
        return node
    kind = node.__class__
    if kind is tuple:
        parts = [moved(item, by) for item in node]
        return node if all(map(operator.is_, parts, node)) else tuple(parts)
    move = _MOVERS.get(kind)
    if move is None:
        move = _MOVERS[kind] = _mover(kind)
    return move(node, by)


def _mover(kind: type) -> Callable[[Any, int], Any]:
    """A function that moves objects of one class: made of its fields, as it is called for each after a change."""
    if kind is Span:
        return lambda span, by: Span(span.file, span.start + by, span.end + by)
    if not dataclasses.is_dataclass(kind) or all(each.type in _VALUES for each in dataclasses.fields(kind)):
        return lambda value, by: value
    fields = dataclasses.fields(kind)
    if not any(field.type in _PLACES for field in fields):
        return _without_span(kind, [field.name for field in fields])
    parts: list[str] = []
    for field in fields:
        value = f"node.{field.name}"
        if field.type in _PLACES:
            value = f"span(part.file, part.start + by, part.end + by) if (part := {value}) else None"
        elif field.type not in _VALUES:
            value = f"move(part, by) if (part := {value}) else part"
        parts.append(value)
    text = f"lambda node, by: kind({', '.join(parts)})"
    made: Callable[[Any, int], Any] = eval(text, {"kind": kind, "move": moved, "span": Span})
    return made


def _without_span(kind: Any, names: list[str]) -> Callable[[Any, int], Any]:
    """As `_mover`, for a class whose objects hold no place themselves, and maybe none in their parts."""

    def move(node: Any, by: int) -> Any:
        parts = [getattr(node, name) for name in names]
        others = [moved(part, by) for part in parts]
        return node if all(map(operator.is_, parts, others)) else kind(*others)

    return move
