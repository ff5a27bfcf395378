"""Makes alpha memories of atoms: splits constraints into what a single row decides and what is left to test."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

from vsalang.base.records import dataclass
from vsalang.engine.plan import AlphaShape
from vsalang.engine.steps import ROW
from vsalang.engine.terms import Ctx, Tuple, compile_test, is_clocked
from vsalang.program.ir import Const, Constraint, Regex, Var
from vsalang.program.walk import variables

AlphaFunction: TypeAlias = Callable[[Tuple, Ctx], Tuple | None]
_Sources: TypeAlias = list[tuple[int, str | None, Any]]
"""Where the value of a variable stands: a column, and the group of a regular expression there."""


@dataclass(frozen=True, slots=True)
class AlphaPlan:
    """How an atom becomes an alpha, and what is left to test once other variables are bound.

    Attributes:
        names: of the alpha's columns: variables, and ``#i`` for the cell of column i that a residual test reads.
        residual: constraints that need bindings or the clock, with the name that holds their cell.
        key: what the alpha memory depends on: equal keys of one table mean equal tuples, whatever variables are called.
        make: gives the function of the alpha memory, and what it does. Most atoms read as others do, and need none.
    """

    names: tuple[str, ...]
    residual: tuple[tuple[str, Constraint], ...]
    key: tuple[Any, ...]
    make: Callable[[], tuple[AlphaFunction, AlphaShape]]


def plan_alpha(
    columns: Mapping[str, int],
    constraints: Sequence[Constraint],
    keep: Callable[[str], bool],
    *,
    row: bool = False,
) -> AlphaPlan:
    """Split an atom's constraints into what single rows decide and what is left.

    Args:
        columns: the position of each attribute in a row.
        keep: whether a variable that the row binds is asked for elsewhere; others only need a known cell.
        row: add the whole row as a column.
    """
    checked: list[tuple[int, Constraint]] = []
    sources: dict[str, _Sources] = {}
    residual: list[tuple[str, Constraint]] = []
    hidden: dict[int, None] = {}
    for c in constraints:
        column = columns[c.attr]
        if c.op == "=" and isinstance(c.term, Var):
            sources.setdefault(c.term.name, []).append((column, None, None))
        elif c.op == "matches" and isinstance(c.term, Regex) and c.term.groups:
            for name in c.term.groups:
                sources.setdefault(name, []).append((column, name, c.term))
        elif (type(c.term) is Const and c.hi is None) or not (variables(c) or is_clocked(c)):
            checked.append((column, c))
        else:
            hidden[column] = None
            residual.append((f"#{column}", c))
    used = variables(tuple([c for _, c in residual])) if residual else ()
    names: list[str] = []
    outs: list[_Sources] = []
    silent: list[_Sources] = []
    for name, where in sources.items():
        if keep(name) or name in used:
            names.append(name)
            outs.append(where)
        else:
            silent.append(where)
    names.extend(f"#{column}" for column in hidden)
    if row:
        names.append(ROW)
    checks = tuple([(column, c.op, c.term, c.hi) for column, c in checked])
    key = (checks, tuple(map(tuple, outs)), tuple(map(tuple, silent)), tuple(hidden), row)
    make = partial(_made, tuple(checked), outs, silent, tuple(hidden), row)
    return AlphaPlan(tuple(names), tuple(residual), key, make)


def _made(
    checked: tuple[tuple[int, Constraint], ...],
    outs: list[_Sources],
    silent: list[_Sources],
    cells: tuple[int, ...],
    row: bool,
) -> tuple[AlphaFunction, AlphaShape]:
    """See `AlphaPlan.make`; the arguments are those of `AlphaShape`."""
    checks = tuple([_check(column, c) for column, c in checked])
    simple = all(len(where) == 1 and where[0][1] is None for where in outs + silent)
    shape = AlphaShape(
        checked,
        tuple(tuple(column for column, _, _ in where) for where in outs),
        tuple(tuple(column for column, _, _ in where) for where in silent),
        cells,
        row,
        any(capture is not None for where in outs + silent for _, capture, _ in where),
    )
    if simple:
        out_cells = tuple(where[0][0] for where in outs) + cells
        known = tuple(where[0][0] for where in silent)
        return _simple(checks, known, out_cells, row), shape

    def fn(cells_of: Tuple, ctx: Ctx) -> Tuple | None:
        for check in checks:
            if not check(cells_of, ctx):
                return None
        values: list[Any] = []
        for group, out in ((outs, True), (silent, False)):
            for where in group:
                value = None
                for column, capture, regex in where:
                    captures = (
                        cells_of[column] if capture is None else ctx.capture(regex, cells_of[column], capture)
                    )
                    if captures is None or (value is not None and captures != value):
                        return None
                    value = captures
                if out:
                    values.append(value)
        for column in cells:
            if cells_of[column] is None:
                return None
            values.append(cells_of[column])
        if row:
            values.append(cells_of)
        return tuple(values)

    return fn, shape


def _simple(
    checks: tuple[Callable[[Tuple, Ctx], bool], ...], known: tuple[int, ...], outs: tuple[int, ...], row: bool
) -> AlphaFunction:
    def fn(cells: Tuple, ctx: Ctx) -> Tuple | None:
        for check in checks:
            if not check(cells, ctx):
                return None
        for column in known:
            if cells[column] is None:
                return None
        values = tuple([cells[column] for column in outs])
        if None in values:
            return None
        return (*values, cells) if row else values

    return fn


def _check(column: int, c: Constraint) -> Callable[[Tuple, Ctx], bool]:
    if c.op == "known":
        return lambda cells, ctx: cells[column] is not None
    if c.op == "unknown":
        return lambda cells, ctx: cells[column] is None
    if c.op == "=" and c.hi is None and isinstance(c.term, Const) and type(c.term.value) is str:
        value = c.term.value  # by far the most; a text equals no value of another type
        return lambda cells, ctx: cells[column] == value
    return compile_test(lambda cells, ctx: cells[column], c.op, c.term, c.hi, _no_variable)


def _no_variable(name: str) -> Callable[[Any], Any]:
    raise AssertionError(name)  # only called for terms without variables
