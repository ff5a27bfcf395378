"""Effects that screens do not tell apart: an act that is read as one of them may use the licence of another.

Whether a form that is kept makes a thing or changes one, and whether a thing is sent or shared, is often a matter of
words. None of these is grave. Parameters keep their meaning: those that the other effect does not have are unknown
there, so that a bound of one of them is not met.
"""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final

from vsalang.engine.api import Row
from vsalang.guard.judge.unknown_touch import EFFECTS
from vsalang.program.ir import Program

_TWINS: Final[Mapping[str, Mapping[str, Mapping[str, str]]]] = MappingProxyType(
    {
        "Create": {
            "Edit": {"kind": "kind", "what": "what", "app": "app"},
            "SetSetting": {"name": "what", "app": "app"},
        },
        "Edit": {
            "Create": {"kind": "kind", "what": "what", "app": "app"},
            "SetSetting": {"name": "what", "app": "app"},
        },
        "SetSetting": {"Edit": {"what": "name", "app": "app"}, "Create": {"what": "name", "app": "app"}},
        "Send": {"Share": {"with": "to", "app": "app"}},
        "Share": {"Send": {"to": "with", "app": "app"}},
    }
)
"""Effect -> the effects that may be told of the same act -> for their parameters those of the first."""


_CART: Final = "shopping cart"
_ORDERS: Final = (f"{EFFECTS}.Order", f"{EFFECTS}.Pay")


def to_be_ordered(program: Program, action: str, row: Row) -> tuple[str, ...]:
    """The effects of which a licence also permits this act: what is put into a cart is not ordered yet."""
    if action != f"{EFFECTS}.Edit" or row[program.relation(action).column("kind")] != _CART:
        return ()
    return _ORDERS


def twins(program: Program, action: str, row: Row) -> Iterator[tuple[str, Row]]:
    """The instances of other effects that may be told of the same act."""
    module, _, short = action.rpartition(".")
    if module != EFFECTS:
        return
    own = program.relation(action)
    known = {attr.name: cell for attr, cell in zip(own.attrs, row, strict=True)}
    for other, names in _TWINS.get(short, {}).items():
        relation = program.relations.get(f"{EFFECTS}.{other}")
        if relation is not None:
            cells = (known[names[attr.name]] if attr.name in names else None for attr in relation.attrs)
            yield relation.name, tuple(cells)
