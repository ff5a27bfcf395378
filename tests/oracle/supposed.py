"""The supposed reading by its definition: some filling of the cells that nobody read makes a rule hold plainly.

Nothing is shared with `vsalang.engine.explain.supposing`, which looks for what refutes a rule instead: here every cell
is filled with every value that can make a difference, and the reference reads what comes out.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from decimal import Decimal
from itertools import product

from tests.oracle import ReferenceEvaluator
from vsalang.engine.api import Row
from vsalang.program.ir import Program, Type
from vsalang.program.values import NONE, Value
from vsalang.program.walk import constants
from vsalang.proof.solver import World
from vsalang.proof.worlds import interpreter

_SEEN = frozenset({"state", "view", "list", "action"})
_FRESH = "a text that nobody wrote"


def holds_if_supposed(program: Program, world: World, rule: str) -> bool:
    """Whether a rule holds plainly in a world in which the unknown cells of rows that are there have some values."""
    replay = interpreter(program, ReferenceEvaluator)
    return any(replay(filled, (rule,)) for filled in fillings(program, world))


def fillings(program: Program, world: World) -> Iterator[World]:
    """The worlds in which each unknown cell of a believed row, or of an action, has a value."""
    values = _Values(program, world)
    names = [name for name in world.rows if program.relation(name).sort in _SEEN]
    ways = [list(_filled(program, name, world.rows[name], values)) for name in names]
    for rows in product(*ways):
        yield replace(world, rows={**world.rows, **dict(zip(names, rows, strict=True))})


def _filled(program: Program, name: str, rows: Iterable[Row], values: "_Values") -> Iterator[frozenset[Row]]:
    attrs = program.relation(name).attrs
    each = [
        list(
            product(
                *(
                    values.of(attr.type) if cell is None else [cell]
                    for attr, cell in zip(attrs, row, strict=True)
                )
            )
        )
        for row in rows
    ]
    yield from (frozenset(found) for found in product(*each))


class _Values:
    """What a cell may hold that can make a difference: what is named or seen, something between, and something else."""

    def __init__(self, program: Program, world: World) -> None:
        seen = [cell for rows in world.rows.values() for row in rows for cell in row if cell is not None]
        seen += [part.value for rule in program.rules for part in constants(rule)]
        numbers = sorted({cell for cell in seen if isinstance(cell, int) and not isinstance(cell, bool)})
        texts = sorted({cell for cell in seen if isinstance(cell, str)})
        self._of: Mapping[str, list[Value]] = {
            "Number": [
                *numbers,
                *(number + Decimal("0.5") for number in numbers),
                numbers[0] - 1 if numbers else 0,
            ],
            "Bool": [True, False],
            "Text": [*texts, _FRESH],
        }

    def of(self, kind: Type) -> list[Value]:
        """The values of a type."""
        return [*self._of[kind.kind], NONE]
