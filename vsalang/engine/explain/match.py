"""Atoms against single rows: full, near and possible matches, for explanations and warnings."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TypeAlias, overload

from vsalang.base.once import once_each
from vsalang.base.records import dataclass
from vsalang.engine.api import Cell, Row
from vsalang.engine.explain.terms import Binding, Context
from vsalang.engine.matching import Matcher, completeness, is_open, matcher_of
from vsalang.program.ir import Atom, Constraint, Program, Relation, TextPattern
from vsalang.program.patterns import is_odd
from vsalang.program.screen_rules import match_relation
from vsalang.program.values import Value, row_order, same
from vsalang.program.vocabulary import ALWAYS_COMPLETE
from vsalang.program.walk import needed


@dataclass(frozen=True, slots=True)
class Facts:
    """What can be asked of one moment.

    Attributes:
        rows: the rows of a base or derived relation. Of rows that are equally near the first are shown, so they come
            in an order (`in_order`), here and in `before`.
        before: the rows of a believed relation before the predicted inputs.
        complete: what is known to be complete of it (`vsalang.guard.world.beliefs.Table.complete`).
        commits: the committed instances of an action.
        spent: whether every licence of an action is used up.
        witness: of a judging rule or a licence (its id, the binding of an answer, the instance) a binding under which
            its body holds, if the evaluator that decided knows one.
        idle: whether a relation certainly has no rows, neither now nor before, and nothing of it was done; most
            gestures and actions are not proposed.
        sent: the instances of an action that were carried out and do not count as done, and what is known of each, in
            words.
    """

    program: Program
    context: Context
    rows: Callable[[str], Iterable[Row]]
    before: Callable[[str], Iterable[Row]]
    complete: Callable[[str], Iterable[Row]]
    commits: Callable[[str], Iterable[Row]]
    spent: Callable[[str], bool]
    witness: Callable[[str, Mapping[str, Value], Row], Mapping[str, Value] | None] = (
        lambda rule, binding, row: None
    )
    sent: Callable[[str], Iterable[tuple[Row, str]]] = lambda action: ()
    idle: Callable[[str], bool] = lambda name: False

    def of(self, atom: Atom) -> Iterable[Row]:
        """The rows that an atom ranges over."""
        return self.before(atom.relation) if atom.before else self.rows(atom.relation)

    def kept(self, relations: Iterable[str]) -> "Facts":
        """The same, for when the moment is gone: of no other relations than these may rows be asked, nor a witness.

        Raises:
            KeyError: when it is asked of another one.
        """
        rows = {name: self.rows(name) for name in relations}
        return Facts(
            self.program,
            self.context,
            rows.__getitem__,
            self.before,
            self.complete,
            self.commits,
            self.spent,
            sent=self.sent,
        )


class RowsInOrder(Sequence[Row]):
    """Rows in an order that is the same in every process; sorted when they are first gone through.

    Args:
        rows: each once. They never change.
    """

    __slots__ = ("_odd_texts", "_sorted", "_texts", "_unknown", "rows")

    def __init__(self, rows: Collection[Row]) -> None:
        self.rows = rows
        self._sorted: list[Row] | None = None
        self._texts: frozenset[str] | None = None
        self._odd_texts: frozenset[str] | None = None
        self._unknown: frozenset[int] | None = None

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self._in_order())

    @overload
    def __getitem__(self, place: int) -> Row: ...
    @overload
    def __getitem__(self, place: slice) -> list[Row]: ...
    def __getitem__(self, place: int | slice) -> Row | list[Row]:
        return self._in_order()[place]

    def _in_order(self) -> list[Row]:
        if self._sorted is None:
            self._sorted = sorted(self.rows, key=row_order) if len(self.rows) > 1 else list(self.rows)
        return self._sorted

    @property
    def texts(self) -> frozenset[str]:
        """The texts in the rows."""
        if self._texts is None:
            self._texts = texts_of(self.rows)
        return self._texts

    @property
    def odd_texts(self) -> frozenset[str]:
        """Of these those that a pattern may match otherwise than plainly."""
        if self._odd_texts is None:
            self._odd_texts = frozenset(filter(is_odd, self.texts))
        return self._odd_texts

    @property
    def unknown_columns(self) -> frozenset[int]:
        """The columns in which some row has an unknown cell."""
        if self._unknown is None:
            columns = [
                place for row in self.rows if None in row for place, cell in enumerate(row) if cell is None
            ]
            self._unknown = frozenset(columns)
        return self._unknown


def texts_of(rows: Iterable[Row]) -> frozenset[str]:
    """The texts in rows."""
    return frozenset([cell for row in rows for cell in row if isinstance(cell, str)])


Kept: TypeAlias = dict[str, tuple[object, RowsInOrder]]
"""The rows of each relation in order as they were last asked for, and what they were made of."""


def in_order(
    rows: Callable[[str], Collection[Row]],
    kept: Kept | None = None,
    source: Callable[[str], object] | None = None,
) -> Callable[[str], RowsInOrder]:
    """The same rows, sorted once for each relation, alike in every process; what is asked once stays as it was.

    Args:
        kept: of earlier moments; what is the same object as then is not sorted again.
        source: what the rows of a relation are made of, if they themselves are made again each time.
    """
    asked_rows: dict[str, RowsInOrder] = {}
    kept = {} if kept is None else kept

    def ordered(name: str) -> RowsInOrder:
        ordered_rows = asked_rows.get(name)
        if ordered_rows is None:
            made_of = rows(name) if source is None else source(name)
            known = kept.get(name)
            if known is None or known[0] is not made_of:
                known = kept[name] = (made_of, RowsInOrder(rows(name) if source is not None else made_of))  # type: ignore[arg-type]
            ordered_rows = asked_rows[name] = known[1]
        return ordered_rows

    return ordered


@dataclass(frozen=True, slots=True)
class Failure:
    """A constraint that a row does not fit; `joined`: it tells rows apart or compares with another condition."""

    constraint: Constraint
    cell: Cell
    joined: bool

    @property
    def cost(self) -> int:
        """How far away it is from holding: less if the cell is unknown or merely has another value."""
        return 4 if self.joined else 2 if self.cell is not None else 1


@dataclass(frozen=True, slots=True)
class Match:
    """One row against one atom: the binding extended by it, and what fails."""

    row: Row
    binding: Mapping[str, Value]
    failures: tuple[Failure, ...]

    @property
    def cost(self) -> int:
        """0 if all constraints hold."""
        return sum(failure.cost for failure in self.failures)


def match_row(relation: Relation, atom: Atom, row: Row, binding: Binding, context: Context) -> Match:
    """A row against an atom. Variables that nothing binds are not constraints."""
    return _match(relation, _matcher(relation, atom), row, binding, context)


def _matcher(relation: Relation, atom: Atom) -> Matcher:
    return matcher_of(relation, atom.constraints)


@once_each
def _joins(constraint: Constraint) -> bool:
    """Whether a constraint compares with what another condition binds."""
    return bool(needed(constraint.term))


def _match(relation: Relation, matcher: Matcher, row: Row, binding: Binding, context: Context) -> Match:
    bound, unbound, failed = matcher.failing(row, binding, context)
    failures = [Failure(constraint, None, False) for constraint in unbound]
    for constraint in failed:
        joined = _joins(constraint) or constraint.attr in relation.identity
        failures.append(Failure(constraint, row[matcher.columns[constraint.attr]], joined))
    return Match(row, bound, tuple(failures))


def matches(
    facts: Facts, atom: Atom, rows: Iterable[Row], binding: Binding, limit: int = 2000
) -> list[Match]:
    """Rows against an atom, the nearest first, at most `limit` of them looked at.

    Of rows that are equally near those come first that meet more of its constraints.
    """
    relation = facts.program.relation(atom.relation)
    matcher = _matcher(relation, atom)
    matches = [_match(relation, matcher, row, binding, facts.context) for row in islice(rows, limit)]
    matches.sort(key=lambda match: (match.cost, len(match.failures)))
    return matches


def fitting(facts: Facts, atom: Atom, rows: Iterable[Row], binding: Binding) -> list[Row]:
    """The rows that an atom matches."""
    matcher = _matcher(facts.program.relation(atom.relation), atom)
    return [row for row in rows if not any(matcher.failing(row, binding, facts.context)[1:])]


def known_cells(relation: Relation, row: Row) -> dict[str, Value]:
    """The known cells of a row by attribute."""
    return {attr.name: cell for attr, cell in zip(relation.attrs, row, strict=True) if cell is not None}


def possible(match: Match) -> bool:
    """Whether the row could match: every constraint that fails does so for an unknown cell (``known`` aside), or for a
    text that hides something, where that is read certainly."""
    return all(
        f.constraint.op not in ("known", "unknown") if f.cell is None else _is_open(f) for f in match.failures
    )


def _is_open(failure: Failure) -> bool:
    pattern = failure.constraint.term
    return isinstance(pattern, TextPattern) and is_open(pattern, failure.cell)


def bound_values(facts: Facts, atom: Atom, binding: Binding) -> dict[str, Value]:
    """The values that an atom gives by ``=``."""
    matcher = _matcher(facts.program.relation(atom.relation), atom)
    cells = matcher.bound_cells(binding, facts.context)
    columns = {c.attr: matcher.columns[c.attr] for c in atom.constraints if c.op == "="}
    return {name: cells[column] for name, column in columns.items() if column in cells}


def of_the_row(facts: Facts, atom: Atom, binding: Binding, matches: list[Match]) -> list[Match]:
    """The matches of the row that an atom means, where it gives all that identifies one; else all of them."""
    relation = facts.program.relation(atom.relation)
    values = bound_values(facts, atom, binding)
    if not relation.identity or any(name not in values for name in relation.identity):
        return matches
    wanted = [(relation.column(name), values[name]) for name in relation.identity]
    return [
        match
        for match in matches
        if all(match.row[column] is None or same(match.row[column], value) for column, value in wanted)
    ]


def read_plainly(relation: Relation) -> bool:
    """Whether a derived relation means the same in every reading: which screen shows is never half known."""
    return relation.sort == "screen" or relation.name in ALWAYS_COMPLETE


def screens_at_once(facts: Facts, module: str) -> list[Relation]:
    """The screens of an app that match at once and are not related by `over`, so that none is known to show.

    Empty where none matches, and where one is left over when those that it covers are left out.
    """
    relations = [
        relation
        for relation in facts.program.relations.values()
        if relation.sort == "screen"
        and relation.module == module
        and match_relation(relation.name) in facts.program.relations
        and any(True for _ in facts.rows(match_relation(relation.name)))
    ]
    covered = {name for relation in relations for name in relation.over}
    left = [relation for relation in relations if relation.name not in covered]
    return left if len(left) > 1 else []


def is_complete(facts: Facts, atom: Atom, binding: Binding) -> bool:
    """Whether no row can be unseen for the values that the atom gives by ``=``."""
    relation = facts.program.relation(atom.relation)
    certainty = completeness(relation)
    if certainty != "asked":
        return certainty == "always"
    values = bound_values(facts, atom, binding)
    return covered(relation, facts.complete(atom.relation), values) or any(
        identified(relation, row, values) for row in facts.of(atom)
    )


def covered(relation: Relation, patterns: Iterable[Row], values: Mapping[str, Value]) -> bool:
    """Whether what is known to be complete of a relation includes all rows with these values."""
    return any(
        all(
            name in values and same(values[name], cell)
            for name, cell in known_cells(relation, pattern).items()
        )
        for pattern in patterns
    )


def identified(relation: Relation, row: Row, values: Mapping[str, Value]) -> bool:
    """Whether a row has the values that tell it apart from all others (of what has no key: whether there is a row)."""
    return any(
        all(name in values and same(row[relation.column(name)], values[name]) for name in identity)
        for identity in relation.identities
    )
