"""Atoms against single rows: full, near and possible matches, for explanations and warnings."""

from collections.abc import Callable, Iterable, Mapping
from itertools import islice

from vsalang.base.records import dataclass
from vsalang.engine.api import Cell, Row
from vsalang.engine.explain.terms import Binding, Context
from vsalang.engine.matching import Matcher, columns_of, completeness, is_open
from vsalang.program.ir import Atom, Constraint, Program, Relation, TextPattern
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

    def of(self, atom: Atom) -> Iterable[Row]:
        """The rows that an atom ranges over."""
        return self.before(atom.relation) if atom.before else self.rows(atom.relation)


def in_order(rows: Callable[[str], Iterable[Row]]) -> Callable[[str], Iterable[Row]]:
    """The same rows, sorted once for each relation, alike in every process."""
    sorted_rows: dict[str, list[Row]] = {}

    def ordered(name: str) -> list[Row]:
        if name not in sorted_rows:
            sorted_rows[name] = sorted(rows(name), key=row_order)
        return sorted_rows[name]

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
    return Matcher(columns_of(relation), atom.constraints)


def _match(relation: Relation, matcher: Matcher, row: Row, binding: Binding, context: Context) -> Match:
    bound, unbound, failed = matcher.failing(row, binding, context)
    failures = [Failure(constraint, None, False) for constraint in unbound]
    for constraint in failed:
        joined = bool(needed(constraint.term)) or constraint.attr in relation.identity
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
