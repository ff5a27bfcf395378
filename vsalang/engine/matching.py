"""Matches rows with an atom's constraints under bindings: plainly, as far as nothing refutes it, or to say why not."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Literal

from vsalang.base.records import dataclass
from vsalang.engine.terms import ANYTHING, Ctx, Getter, Surroundings, Tuple, compile_term, possibly
from vsalang.program.ir import Const, Constraint, Regex, Relation, TextPattern, Var
from vsalang.program.matchers import compiled
from vsalang.program.ops import OPERATORS
from vsalang.program.vocabulary import ALWAYS_COMPLETE
from vsalang.program.walk import needed


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
    needs: frozenset[str]
    text: str | None = None


class Matcher:
    """Matches rows against constraints under bindings given as a mapping from variables to values.

    A variable that is absent from the mapping is bound by its ``attr = ?v``, as in an alpha memory.
    """

    __slots__ = ("asked", "binding", "columns", "items", "rest", "simple", "texts")

    def __init__(self, columns: Mapping[str, int], constraints: Sequence[Constraint]) -> None:
        self.columns = columns
        self.binding: list[_Match] = []
        self.rest: list[_Match] = []
        self.items: list[_Match] = []
        for c in constraints:
            name = c.term.name if c.op == "=" and isinstance(c.term, Var) else None
            regex = c.term if c.op == "matches" and isinstance(c.term, Regex) and c.term.groups else None
            right = None if c.term is None else compile_term(c.term, _lookup)
            hi = None if c.hi is None else compile_term(c.hi, _lookup)
            plain = isinstance(c.term, Const) and c.op == "=" and c.hi is None and type(c.term.value) is str
            text = c.term.value if plain else None  # type: ignore[union-attr]
            needs = needed((c.term, c.hi))
            item = _Match(columns[c.attr], c.op, name, regex, right, hi, c, needs, text)  # type: ignore[arg-type]
            self.items.append(item)
            (self.binding if name or regex else self.rest).append(item)
        # by far the most constraints compare with a text, which needs no bindings
        self.texts = [(item.column, item.text) for item in self.rest if item.text is not None]
        self.asked = [item for item in self.rest if item.text is None]
        names = [item.name for item in self.binding]
        self.simple = not self.asked and None not in names and len(set(names)) == len(names)

    def plain(self, row: Tuple, env: Mapping[str, Any], ctx: Ctx) -> dict[str, Any] | None:
        """The bindings extended by what the row gives, or None where the row does not match."""
        for column, text in self.texts:
            if row[column] != text:
                return None
        bindings = dict(env)
        for item in self.binding:
            cell = row[item.column]
            if cell is None or cell is ANYTHING:
                return None
            if item.regex is not None:
                groups = ctx.groups(item.regex, cell)
                if groups is None:
                    return None
            else:
                assert item.name is not None
                groups = {item.name: cell}
            for name, value in groups.items():
                bound = bindings.get(name)
                if bound is None:
                    bindings[name] = value
                elif bound is ANYTHING or bound != value:
                    return None
        for item in self.asked:
            if not _holds(item, row, bindings, ctx):
                return None
        return bindings

    def matches(self, row: Tuple, env: Mapping[str, Any], ctx: Ctx) -> bool:
        """Whether the row matches: whether `plain` gives bindings."""
        if not self.simple:
            return self.plain(row, env, ctx) is not None
        for column, text in self.texts:
            if row[column] != text:
                return False
        for item in self.binding:
            cell = row[item.column]
            if cell is None or cell is ANYTHING:
                return False
            bound = env.get(item.name)  # type: ignore[arg-type]
            if bound is not None and (bound is ANYTHING or bound != cell):
                return False
        return True

    def possible(self, row: Tuple, env: Mapping[str, Any], ctx: Ctx) -> dict[str, Any] | None:
        """The bindings refined by what the row gives where nothing known refutes that it matches, else None.

        What a row leaves open stays as it is in the bindings: absent, or ANYTHING.
        """
        bindings = dict(env)
        for item in self.binding:
            cell = row[item.column]
            if cell is None or cell is ANYTHING:
                continue
            if item.regex is not None:
                groups = ctx.groups(item.regex, cell)
                if groups is None:
                    if is_open(item.regex, cell):
                        for name in item.regex.groups:
                            bindings.setdefault(name, ANYTHING)
                        continue
                    return None
            else:
                assert item.name is not None
                groups = {item.name: cell}
            for name, value in groups.items():
                bound = bindings.get(name)
                if bound is None or bound is ANYTHING:
                    bindings[name] = value
                elif bound != value:
                    return None
        for item in self.rest:
            right = item.right(bindings, ctx) if item.right else None
            hi = item.hi(bindings, ctx) if item.hi else None
            if not possibly(ctx, item.op, row[item.column], right, hi, has_hi=item.hi is not None):
                return None
        return bindings

    def failing(
        self, row: Tuple, env: Mapping[str, Any], ctx: Surroundings
    ) -> tuple[dict[str, Any], list[Constraint], list[Constraint]]:
        """The bindings extended by what the row gives, and the constraints that it does not fit, none if it matches.

        Those whose cell would bind a variable, and is unknown, come by themselves, before the others. Variables that
        nothing binds are not constraints.
        """
        bindings = dict(env)
        unbound: list[Constraint] = []
        failed: list[Constraint] = []
        rest: list[_Match] = []
        for item in self.items:
            if item.name is None or item.name in bindings:
                rest.append(item)
            elif row[item.column] is None:
                unbound.append(item.constraint)
            else:
                bindings[item.name] = row[item.column]
        for item in rest:
            if item.regex is not None:
                groups = captures(item.regex, row[item.column], bindings)
                if groups is not None:
                    bindings.update(groups)
                    continue
            elif not item.needs <= bindings.keys() or _holds(item, row, bindings, ctx):
                continue
            failed.append(item.constraint)
        return bindings, unbound, failed

    def bound_cells(self, env: Mapping[str, Any], ctx: Surroundings) -> dict[int, Any]:
        """The cells that the constraints give with ``=`` under the bindings, by column."""
        cells: dict[int, Any] = {}
        for item in (*self.binding, *self.rest):
            if item.op != "=" or item.right is None:
                continue
            value = item.right(env, ctx)
            if value is not None and value is not ANYTHING:
                cells.setdefault(item.column, value)
        return cells

    def choices(self, env: Mapping[str, Any], ctx: Ctx) -> dict[int, tuple[Any, ...]]:
        """The cells that the constraints give with ``in {..}``, by column (what `every` may use)."""
        cells: dict[int, tuple[Any, ...]] = {}
        for item in self.rest:
            if item.op == "in" and item.hi is None and item.right is not None:
                value = item.right(env, ctx)
                if value is not None and value is not ANYTHING:
                    cells.setdefault(item.column, tuple(value))
        return cells


_KEPT: dict[tuple[int, int], tuple[Relation, Sequence[Constraint], Matcher]] = {}
_MOST: Final = 4096


def matcher_of(relation: Relation, constraints: Sequence[Constraint]) -> Matcher:
    """The matcher of constraints on rows of a relation; made once for the same objects. Safe from any thread."""
    key = id(relation), id(constraints)
    kept = _KEPT.get(key)
    if kept is None:
        if len(_KEPT) >= _MOST:
            _KEPT.clear()
        # it keeps the objects, so that no others get their identities
        kept = _KEPT[key] = (relation, constraints, Matcher(columns_of(relation), constraints))
    return kept[2]


def is_open(pattern: TextPattern, text: Any) -> bool:
    """Whether it is unknown what a pattern matches in a text (`vsalang.program.patterns.Matcher.is_open`)."""
    return compiled(pattern).is_open(text)


def captures(regex: Regex, text: Any, env: Mapping[str, Any]) -> dict[str, str] | None:
    """What ``text matches regex`` binds; None where it does not hold, or a bound variable has another value."""
    groups = compiled(regex).captures(text)
    if groups is None or any(env.get(name, value) != value for name, value in groups.items()):
        return None
    return groups


def _holds(item: _Match, row: Tuple, env: Mapping[str, Any], ctx: Surroundings) -> bool:
    cell = row[item.column]
    if item.op == "known":
        return cell is not None and cell is not ANYTHING
    if item.op == "unknown":
        return cell is None
    if cell is None or cell is ANYTHING or item.right is None:
        return False
    right = item.right(env, ctx)
    if right is None or right is ANYTHING:
        return False
    hi = None
    if item.hi is not None:
        hi = item.hi(env, ctx)
        if hi is None or hi is ANYTHING:
            return False
    return OPERATORS[item.op].test(cell, right, hi, ctx.similarity) is True


def completeness(relation: Relation) -> Literal["always", "never", "asked"]:
    """Whether all rows of a relation are known: always, never, or as its complete rows and its identity say."""
    if relation.sort in ("gesture", "action", "screen", "derived") or relation.name in ALWAYS_COMPLETE:
        return "always"
    return "never" if relation.sort == "observed" else "asked"


def columns_of(relation: Relation) -> dict[str, int]:
    """The position of each attribute in the relation's rows."""
    return {attr.name: index for index, attr in enumerate(relation.attrs)}
