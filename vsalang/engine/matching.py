"""What one row says about one atom: alphas (tuples of an atom's variables) and matching under bindings.

Three ways of matching: *plain* (known cells, defined terms, operators true), *possibly* (nothing known refutes it), and
as an alpha, which does of plain matching what needs no bindings.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from vsalang.core.ir import Const, Constraint, Regex, Relation, Var
from vsalang.core.walk import variables
from vsalang.engine.plan import WILD, AlphaShape, Tuple
from vsalang.engine.terms import Ctx, Getter, Test, compile_term, compile_test, is_clocked, possibly

ROW: Final = "#row"
"""The name of the alpha column that holds the whole row."""


@dataclass(frozen=True, slots=True)
class AlphaPlan:
    """How an atom becomes an alpha, and what is left to test once other variables are bound.

    Attributes:
        names: of the alpha's columns: variables, and ``#i`` for the cell of column i that a residual test reads.
        residual: constraints that need bindings or the clock, with the name that holds their cell.
        shape: what `fn` does.
    """

    fn: Callable[[Tuple, Ctx], Tuple | None]
    names: tuple[str, ...]
    residual: tuple[tuple[str, Constraint], ...]
    shape: AlphaShape | None = None


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
    checks: list[Callable[[Tuple, Ctx], bool]] = []
    checked: list[tuple[int, Constraint]] = []
    sources: dict[str, list[tuple[int, str | None, Any]]] = {}
    residual: list[tuple[str, Constraint]] = []
    hidden: dict[int, None] = {}
    for c in constraints:
        column = columns[c.attr]
        if c.op == "=" and isinstance(c.term, Var):
            sources.setdefault(c.term.name, []).append((column, None, None))
        elif c.op == "matches" and isinstance(c.term, Regex) and c.term.groups:
            for name in c.term.groups:
                sources.setdefault(name, []).append((column, name, c.term))
        elif not variables(c) and not is_clocked(c):
            checks.append(_check(column, c))
            checked.append((column, c))
        else:
            hidden[column] = None
            residual.append((f"#{column}", c))
    used = variables(tuple(c for _, c in residual))
    names: list[str] = []
    outs: list[list[tuple[int, str | None, Any]]] = []
    silent: list[list[tuple[int, str | None, Any]]] = []
    for name, where in sources.items():
        if keep(name) or name in used:
            names.append(name)
            outs.append(where)
        else:
            silent.append(where)
    names.extend(f"#{column}" for column in hidden)
    if row:
        names.append(ROW)
    simple = all(len(where) == 1 and where[0][1] is None for where in outs + silent)
    cells = tuple(hidden)
    shape = AlphaShape(
        tuple(checked),
        tuple(tuple(column for column, _, _ in where) for where in outs),
        tuple(tuple(column for column, _, _ in where) for where in silent),
        cells,
        row,
        any(capture is not None for where in outs + silent for _, capture, _ in where),
    )
    if simple:
        out_cells = tuple(where[0][0] for where in outs) + cells
        known = tuple(where[0][0] for where in silent)
        return AlphaPlan(_simple(tuple(checks), known, out_cells, row), tuple(names), tuple(residual), shape)

    def fn(cells_of: Tuple, ctx: Ctx) -> Tuple | None:
        for check in checks:
            if not check(cells_of, ctx):
                return None
        values: list[Any] = []
        for group, out in ((outs, True), (silent, False)):
            for where in group:
                value = None
                for column, capture, regex in where:
                    found = (
                        cells_of[column] if capture is None else ctx.capture(regex, cells_of[column], capture)
                    )
                    if found is None or (value is not None and found != value):
                        return None
                    value = found
                if out:
                    values.append(value)
        for column in cells:
            if cells_of[column] is None:
                return None
            values.append(cells_of[column])
        if row:
            values.append(cells_of)
        return tuple(values)

    return AlphaPlan(fn, tuple(names), tuple(residual), shape)


def _simple(
    checks: tuple[Callable[[Tuple, Ctx], bool], ...], known: tuple[int, ...], outs: tuple[int, ...], row: bool
) -> Callable[[Tuple, Ctx], Tuple | None]:
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
    test = compile_test(lambda cells: cells[column], c.op, c.term, c.hi, _no_variable)
    return test


def _no_variable(name: str) -> Callable[[Any], Any]:
    raise AssertionError(name)  # only called for terms without variables


def _lookup(name: str) -> Callable[[Mapping[str, Any]], Any]:
    return lambda env: env.get(name)


@dataclass(frozen=True, slots=True)
class _Match:
    column: int
    op: str
    name: str | None
    regex: Regex | None
    right: Getter | None
    hi: Getter | None
    constraint: Constraint
    text: str | None = None


class Matcher:
    """Matches rows against constraints under bindings given as a mapping from variables to values.

    A variable that is absent from the mapping is bound by ``attr = ?v`` where it stands, as in an alpha.
    """

    __slots__ = ("binding", "columns", "rest")

    def __init__(self, columns: Mapping[str, int], constraints: Sequence[Constraint]) -> None:
        self.columns = columns
        self.binding: list[_Match] = []
        self.rest: list[_Match] = []
        for c in constraints:
            name = c.term.name if c.op == "=" and isinstance(c.term, Var) else None
            regex = c.term if c.op == "matches" and isinstance(c.term, Regex) and c.term.groups else None
            right = None if c.term is None else compile_term(c.term, _lookup)
            hi = None if c.hi is None else compile_term(c.hi, _lookup)
            plain = isinstance(c.term, Const) and c.op == "=" and c.hi is None and type(c.term.value) is str
            text = c.term.value if plain else None  # type: ignore[union-attr]
            item = _Match(columns[c.attr], c.op, name, regex, right, hi, c, text)  # type: ignore[arg-type]
            (self.binding if name or regex else self.rest).append(item)

    def plain(self, row: Tuple, env: Mapping[str, Any], ctx: Ctx) -> dict[str, Any] | None:
        """The bindings extended by what the row gives, or None where the row does not match."""
        found = dict(env)
        for item in self.binding:
            cell = row[item.column]
            if cell is None or cell is WILD:
                return None
            if item.regex is not None:
                groups = ctx.groups(item.regex, cell)
                if groups is None:
                    return None
            else:
                assert item.name is not None
                groups = {item.name: cell}
            for name, value in groups.items():
                if value is None:
                    return None
                bound = found.get(name)
                if bound is None:
                    found[name] = value
                elif bound is WILD or bound != value:
                    return None
        for item in self.rest:
            if item.text is not None:  # by far the most
                if row[item.column] != item.text:
                    return None
            elif not _holds(item, row, found, ctx):
                return None
        return found

    def possible(self, row: Tuple, env: Mapping[str, Any], ctx: Ctx) -> dict[str, Any] | None:
        """The bindings refined by what the row gives where nothing known refutes that it matches, else None.

        What a row leaves open stays as it is in the bindings: absent, or WILD.
        """
        found = dict(env)
        for item in self.binding:
            cell = row[item.column]
            if cell is None or cell is WILD:
                continue
            if item.regex is not None:
                groups = ctx.groups(item.regex, cell)
                if groups is None:
                    return None
            else:
                assert item.name is not None
                groups = {item.name: cell}
            for name, value in groups.items():
                if value is None:
                    return None
                bound = found.get(name)
                if bound is None or bound is WILD:
                    found[name] = value
                elif bound != value:
                    return None
        for item in self.rest:
            right = item.right(found, ctx) if item.right else None
            hi = item.hi(found, ctx) if item.hi else None
            if not possibly(ctx, item.op, row[item.column], right, hi, has_hi=item.hi is not None):
                return None
        return found

    def given(self, env: Mapping[str, Any], ctx: Ctx) -> dict[int, Any]:
        """The cells that the constraints give with ``=`` under the bindings, by column."""
        cells: dict[int, Any] = {}
        for item in (*self.binding, *self.rest):
            if item.op != "=" or item.right is None:
                continue
            value = item.right(env, ctx)
            if value is not None and value is not WILD:
                cells.setdefault(item.column, value)
        return cells

    def choices(self, env: Mapping[str, Any], ctx: Ctx) -> dict[int, tuple[Any, ...]]:
        """The cells that the constraints give with ``in {..}``, by column (what `every` may rest on)."""
        cells: dict[int, tuple[Any, ...]] = {}
        for item in self.rest:
            if item.op == "in" and item.hi is None and item.right is not None:
                value = item.right(env, ctx)
                if value is not None and value is not WILD:
                    cells.setdefault(item.column, tuple(value))
        return cells


def _holds(item: _Match, row: Tuple, env: Mapping[str, Any], ctx: Ctx) -> bool:
    cell = row[item.column]
    if item.op == "known":
        return cell is not None and cell is not WILD
    if item.op == "unknown":
        return cell is None
    if cell is None or cell is WILD or item.right is None:
        return False
    right = item.right(env, ctx)
    if right is None or right is WILD:
        return False
    hi = None
    if item.hi is not None:
        hi = item.hi(env, ctx)
        if hi is None or hi is WILD:
            return False
    return ctx.holds(item.op, cell, right, hi)


def columns_of(relation: Relation) -> dict[str, int]:
    """The position of each attribute in the relation's rows."""
    return {attr.name: index for index, attr in enumerate(relation.attrs)}


__all__ = ["ROW", "AlphaPlan", "Matcher", "Test", "columns_of", "plan_alpha"]
