"""Which bindings make a body hold, in one of three readings: every literal tried on every row."""

from collections.abc import Iterable, Iterator
from itertools import product

from tests.oracle import past, ranges
from tests.oracle.moment import Moment, Solution
from tests.oracle.rows import accepted, bind_groups, matches
from tests.oracle.terms import Anything, Bound, Env
from vsalang.engine.api import EngineError, Reading, Row
from vsalang.program.ir import (
    Aggregate,
    Choice,
    Compare,
    Derive,
    Lit,
    Literal,
    Quantified,
    Regex,
    Relation,
    Rule,
    Spent,
    Term,
    TextPattern,
    Then,
    Type,
    Var,
)

_DUAL: dict[Reading, Reading] = {"plain": "plain", "certain": "possible", "possible": "certain"}


class Solver:
    """Reads bodies at one moment in one reading.

    Args:
        moment: where everything is read.
        reading: plain; certain (true whatever was not seen); possible (not certainly false).
        ledger: on the left of `then`, the later moment that asks: its commits count, so that one that was taken back
            does not, and an action atom means a commit at `moment`.
    """

    def __init__(self, moment: Moment, reading: Reading, ledger: Moment | None = None) -> None:
        self.moment = moment
        self.reading: Reading = reading
        self.ledger = ledger

    def dual(self) -> "Solver":
        """The reading that a negation needs: certainly not A is not possibly A."""
        return self.in_reading(_DUAL[self.reading])

    def in_reading(self, reading: Reading) -> "Solver":
        """The same in another reading."""
        return Solver(self.moment, reading, self.ledger)

    def at(self, point: Moment) -> "Solver":
        """The left side of a `then` read at an earlier point: the commits are those of the later moment."""
        return Solver(point, self.reading, self.ledger or self.moment)

    def body(self, literals: Iterable[Literal], env: Env | None = None) -> Iterator[Solution]:
        """Every way in which all literals hold together, extending `env`.

        Raises:
            EngineError: no order of the literals is safe.
        """
        env = env or {}
        yield from self._run(self.moment.setting.orders.of(literals, frozenset(env)), env, 0)

    def _run(self, ordered: tuple[Literal, ...], env: Env, timestamp: int) -> Iterator[Solution]:
        self.moment.setting.meter.step()
        if not ordered:
            yield env, timestamp
            return
        for found, newer in self.literal(ordered[0], env):
            yield from self._run(ordered[1:], found, max(timestamp, newer))

    def literal(self, literal: Literal, env: Env) -> Iterator[Solution]:
        """Every way in which one literal holds."""
        if isinstance(literal, Lit):
            if not literal.neg:
                yield from self.positive(literal, env)
            elif next(self.dual().positive(literal, env), None) is None:
                yield env, 0
        elif isinstance(literal, Compare):
            yield from ((found, 0) for found in self.compare(literal, env))
        elif isinstance(literal, Aggregate):
            yield from ranges.aggregate(self, literal, env)
        elif isinstance(literal, Quantified):
            yield from ranges.QUANTIFIED[type(literal)](self, literal, env)
        elif isinstance(literal, Then):
            yield from past.then(self, literal, env)
        elif isinstance(literal, Spent):
            if self.moment.base(literal.relation, "exhausted"):
                yield env, 0
        else:
            raise EngineError(f"{type(literal).__name__} is not a literal")

    def positive(self, lit: Lit, env: Env) -> Iterator[Solution]:
        """Every way in which the atom of the literal holds, now or in its past; `neg` is not looked at."""
        if lit.past is not None:
            yield from past.past(self, lit.atom, lit.past, env)
            return
        if self.ledger is not None and self.relation(lit.atom.relation).sort == "action":
            yield from past.committed_here(self, lit.atom, env)
            return
        for match in matches(self.moment, lit.atom, env, self.reading):
            yield match.env, match.timestamp

    def relation(self, name: str) -> Relation:
        """The relation of that name."""
        return self.moment.setting.program.relation(name)

    # ------------------------------------------------------------ comparisons

    def value(self, term: Term | None, env: Env) -> Bound | Anything | None:
        """The value of a term here; None where it is undefined."""
        return self.moment.setting.clock.value(term, env, self.moment.now)

    def compare(self, literal: Compare, env: Env) -> Iterator[Env]:
        """A comparison of terms; what is undefined makes it false in every reading."""
        left, right = literal.left, literal.right
        if isinstance(left, Var) and left.name not in env:
            yield from self._bind(left.name, literal, env)
            return
        value = self.value(left, env)
        if value is None:
            return
        if literal.op == "matches" and isinstance(right, Regex) and right.groups:
            yield from bind_groups(self.moment, value, right, env, self.reading)
            return
        if not isinstance(right, Choice | TextPattern) and (
            self.value(right, env) is None or (literal.hi is not None and self.value(literal.hi, env) is None)
        ):
            return
        if self.holds(value, literal.op, right, literal.hi, env):
            yield env

    def holds(
        self, left: Bound | Anything | None, op: str, right: Term | None, hi: Term | None, env: Env
    ) -> bool:
        """Whether ``left op right`` counts under this reading."""
        return accepted(
            self.moment.setting.clock.compare(left, op, right, hi, env, self.moment), self.reading
        )

    def _bind(self, name: str, literal: Compare, env: Env) -> Iterator[Env]:
        right = literal.right
        if literal.op == "in" and isinstance(right, Choice):
            terms = right.items
        elif literal.op == "=" and right is not None:
            terms = (right,)
        else:
            raise EngineError(f"?{name} is used before it is bound")
        for value in {bound for term in terms for bound in self.bindable(term, env)}:
            yield {**env, name: value}

    def bindable(self, term: Term, env: Env) -> list[Bound]:
        """The values that a variable equal to the term may have: none if it is undefined."""
        value = self.value(term, env)
        if isinstance(value, Anything):
            return self.moment.domain.candidates(_type(term))
        return [] if value is None else [value]

    # ------------------------------------------------------------ heads

    def head_rows(self, rule: Rule, rel: Relation, env: Env) -> Iterator[Row]:
        """The rows that a rule of a derived relation derives; none if a term of the head is undefined."""
        if not isinstance(rule.head, Derive):
            raise EngineError(f"rule {rule.id} derives no row")
        terms = {constraint.attr: constraint.term for constraint in rule.head.atom.constraints}
        cells: list[list[Bound]] = []
        for attr in rel.attrs:
            term = terms.get(attr.name)
            if term is None:
                raise EngineError(f"the head of rule {rule.id} gives no value for {rel.name}.{attr.name}")
            cells.append(self.bindable(term, env))
        yield from product(*cells)  # Fresh occurs in possible rows only, which stay inside


def _type(term: Term) -> Type:
    kind = getattr(term, "type", None)
    if not isinstance(kind, Type):
        raise EngineError(f"{type(term).__name__} has no type")
    return kind
