"""What possibly holds of what was seen: rows as they were seen, an unknown cell read as anything that it could be.

This is the reading of what demands duty (`semantics.md#readings`, *supposed*). Rows that nobody saw are not
supposed. It is decided from the facts of one moment, not by an engine, so that every engine gives the same answer. Each
way in which conditions hold says which cells it supposes: a way without any holds plainly.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from vsalang.base.records import dataclass
from vsalang.engine.api import BudgetExceeded, Row
from vsalang.engine.explain.definitions import Definitions, Requirements, adds
from vsalang.engine.explain.finding import Finding
from vsalang.engine.explain.match import Facts, Failure
from vsalang.engine.explain.nearest import folded, inner_binding
from vsalang.engine.explain.open_rows import OpenRows, Unread, may_be_no_row, refuted
from vsalang.engine.matching import matcher_of
from vsalang.engine.run.possible import PossibleCompare
from vsalang.engine.terms import ANYTHING, Ctx, compile_term, possibly
from vsalang.program.ir import (
    Aggregate,
    Atom,
    Choice,
    Compare,
    Constraint,
    Derive,
    Every,
    First,
    Lit,
    Literal,
    Names,
    Program,
    Regex,
    Relation,
    Rule,
    Spent,
    TextPattern,
    Then,
    Var,
)
from vsalang.program.reading import certainly
from vsalang.program.values import Value
from vsalang.program.walk import bound_by_row, needed, parts

MOST_STEPS: Final = 400_000
"""So many rows are compared for one question; more is an error, which blocks."""
DEEPEST: Final = 24
"""How many definitions are opened, one within the other."""

_Env = dict[str, Any]

_NO_TEXTS: Final[frozenset[str]] = frozenset()
_MOST_TEXTS: Final = 64
"""Of so many groups of texts is remembered whether patterns read them otherwise."""


@dataclass(frozen=True, slots=True)
class Supposition:
    """A way in which conditions hold: the variables with known values, and the cells that it supposes something of."""

    binding: Mapping[str, Value]
    doubts: tuple[Finding, ...] = ()


class Supposing:
    """Asks what possibly holds, and what certainly does, of the rows of one moment.

    Args:
        facts: of the moment.
        unread: what was not read of its screen and gesture.
        definitions: of the program.

    Attributes:
        definitions: of the program.
        steps: so many rows were compared.
    """

    def __init__(self, facts: Facts, unread: Unread, definitions: Definitions) -> None:
        self.facts = facts
        self.definitions = definitions
        self._rows = OpenRows(facts, unread)
        self.program: Program = facts.program
        self.unread = unread
        self._ctx = Ctx(facts.context.today, facts.context.similarity)
        self._ctx.now = facts.context.now
        self._ctx.timeline = facts.context.timeline or facts.context.now
        self.steps = 0
        self._within: list[tuple[object, ...]] = []
        self._follows: dict[tuple[object, ...], list[tuple[Row, tuple[Finding, ...]]]] = {}
        self._sure: dict[tuple[object, ...], bool] = {}

    # -------------------------------------------------------------- what is asked

    def ways(self, body: Sequence[Literal], binding: Mapping[str, Value] | None = None) -> list[Supposition]:
        """The ways in which conditions hold only if something is supposed of cells that nobody read.

        Raises:
            BudgetExceeded: too many rows would have to be compared.
        """
        if not self._doubtful(body):
            return []
        ways = self._body([Supposition(dict(binding or {}))], body)
        return [Supposition(_known_bindings(way.binding), way.doubts) for way in ways if way.doubts]

    def may_fail(self, body: Sequence[Literal], binding: Mapping[str, Value]) -> bool:
        """Whether a condition that asks for absence, or about all rows, may be false though it holds of what is known.

        Args:
            binding: the values of some variables; others may be anything.

        Raises:
            BudgetExceeded: too many rows would have to be compared.
        """
        return self._doubtful(body) and any(
            self._may_fail(literal, binding)
            for literal in body
            if isinstance(literal, Every | Aggregate) or (isinstance(literal, Lit) and literal.neg)
            if self._doubtful((literal,))
        )

    def certain(self, body: Sequence[Literal], binding: Mapping[str, Value]) -> bool:
        """Whether conditions that hold of what is known hold whatever nobody read, and whatever a text hides.

        Args:
            binding: the values of some variables; others may be anything.

        Raises:
            BudgetExceeded: too many rows would have to be compared.
        """
        patterns = [part for part in parts(tuple(body)) if isinstance(part, TextPattern)]
        return not self._doubtful(body, patterns) or self._certain(
            [dict(binding)], tuple(certainly(literal) for literal in body)
        )

    def _may_fail(self, literal: Literal, binding: Mapping[str, Value]) -> bool:
        match literal:
            case Lit() if literal.past is None:
                return any(doubts for _, _, doubts in self._matching(literal, literal.atom, binding))
            case Aggregate() if literal.lit.past is None:
                held = list(self._aggregate(Supposition(binding), literal))
                return not held or any(way.doubts for way in held)
            case Every():
                return True
        return False

    def _doubtful(self, body: Sequence[Literal], patterns: Sequence[TextPattern] = ()) -> bool:
        """Whether some cell that the conditions ask about is open: most rules are settled by that alone.

        So is one with a text that patterns of definitions, or further `patterns`, read otherwise where they add duty.
        """
        of_body = self.definitions.asked(body)
        attrs = self._rows.attrs
        for name, asked in of_body.openable:
            if not asked.isdisjoint(attrs(name)):
                return True
        return self._hides(of_body, patterns)

    def in_doubt(self, rules: Sequence[Rule], name: Hashable) -> Sequence[Rule]:
        """Those of some rules that may hold only if something is supposed (`ways`); the others do not.

        Args:
            name: names the rules: it is found out once for the same cells that are open, and the same odd texts.
        """
        definitions = self.definitions
        if not rules:
            return ()
        asked = definitions.asked_by(rules, name)
        if asked.names:  # then any text may decide
            return rules
        attrs, odd_texts = self._rows.attrs, self._rows.odd_texts
        open_cells = tuple(
            [attributes.intersection(attrs(relation)) for relation, attributes in asked.openable]
        )
        odd = tuple([odd_texts(relation) for relation in asked.with_texts]) if asked.patterns else ()
        if not any(open_cells) and not any(odd):
            return ()
        key = (name, open_cells, odd)
        rules_in_doubt = definitions.in_doubt.get(key)
        if rules_in_doubt is None:
            if len(definitions.in_doubt) >= _MOST_TEXTS:
                definitions.in_doubt.clear()
            rules_in_doubt = definitions.in_doubt[key] = tuple(
                rule
                for rule in rules
                if self._doubtful(rule.body) or any(map(self._doubtful, definitions.sources.get(rule.id, ())))
            )
        return rules_in_doubt

    def _rule_doubtful(self, rule: Rule) -> bool:
        """The same for a rule that defines a relation, and for what its own patterns make of texts."""
        return self._doubtful(rule.body, self.definitions.own[rule.id])

    def _hides(self, asked: Requirements, patterns: Sequence[TextPattern]) -> bool:
        """Whether some pattern of definitions, or a further one, matches a text otherwise where it adds duty."""
        if not asked.patterns and not patterns:
            return False
        odd = _NO_TEXTS
        for name in asked.with_texts:
            if more := self._rows.odd_texts(name):
                odd = odd | more if odd else more
        if odd and (self._known(asked, asked.patterns, odd) or self._any(patterns, odd)):
            return True
        # whom a text names may be undecided of any
        further = tuple(pattern for pattern in patterns if isinstance(pattern, Names))
        if not asked.names and not further:
            return False
        return any(
            self._known(asked, asked.names, texts) or self._any(further, texts)
            for name in asked.with_texts
            if (texts := self._rows.texts(name))
        )

    def _known(self, asked: Requirements, patterns: tuple[TextPattern, ...], texts: frozenset[str]) -> bool:
        """`_any` of patterns of these requirements: found out once for the same texts, in whatever moment."""
        key = (patterns is asked.names, texts)
        known = asked.added.get(key)
        if known is None:
            if len(asked.added) >= _MOST_TEXTS:
                asked.added.clear()
            known = asked.added[key] = self._any(patterns, texts)
        return known

    def _any(self, patterns: Sequence[TextPattern], texts: frozenset[str]) -> bool:
        return any(self.definitions.adds(pattern, text) for text in texts for pattern in patterns)

    # -------------------------------------------------------------- rows

    def _spend(self) -> None:
        self.steps += 1
        if self.steps > MOST_STEPS:
            raise BudgetExceeded(f"more than {MOST_STEPS} rows to compare with what was not read")

    def _matching(
        self, literal: Literal, atom: Atom, env: Mapping[str, Any], *, commits: bool = False
    ) -> Iterator[tuple[Row, _Env, tuple[Finding, ...]]]:
        """Each row that possibly matches an atom, with what it gives, and what is supposed of it."""
        relation = self.program.relation(atom.relation)
        if relation.sort in ("derived", "screen") and not commits:
            yield from self._derived(literal, relation, atom, env)
            return
        matcher = matcher_of(relation, atom.constraints)
        rows = (
            self._rows.done(relation)
            if commits
            else self._rows.fitting(relation, atom, matcher, env, self._ctx)
        )
        for row, names in rows:
            self._spend()
            if refuted(relation, atom, row, names):
                continue
            bindings = matcher.possible(row, env, self._ctx)
            if bindings is not None:
                yield (
                    row,
                    _bound(bindings, atom.constraints),
                    self._doubts(literal, atom, row, names, bindings),
                )

    def _doubts(
        self, literal: Literal, atom: Atom, row: Row, names: frozenset[str], env: Mapping[str, Any]
    ) -> tuple[Finding, ...]:
        if not names and not any(isinstance(constraint.term, TextPattern) for constraint in atom.constraints):
            return ()
        relation = self.program.relation(atom.relation)
        column = relation.column
        lit, binding = _as_lit(literal, atom), _known_bindings(env)
        findings = tuple(
            Finding("cell", "unknown", lit, binding, row, Failure(constraint, cell, False))
            for constraint in atom.constraints
            if (
                (cell := row[column(constraint.attr)]) is None
                and (constraint.attr in names and constraint.op != "unknown")
            )
            or adds(constraint.term, cell)
        )
        if not findings and may_be_no_row(relation, names):
            return self._guess(literal, atom, row)
        return findings

    def _derived(
        self, literal: Literal, relation: Relation, atom: Atom, env: Mapping[str, Any]
    ) -> Iterator[tuple[Row, _Env, tuple[Finding, ...]]]:
        """The rows that the definitions of a relation possibly derive, each once."""
        matcher = matcher_of(relation, atom.constraints)
        values = {
            name: value
            for name, value in ((c.attr, self._value(c.term, env)) for c in atom.constraints if c.op == "=")
            if value is not None and value is not ANYTHING
        }
        seen: set[Row] = set()
        for row in self.facts.rows(relation.name):
            self._spend()
            bindings = matcher.possible(row, env, self._ctx)
            if bindings is not None:
                seen.add(row)
                sure = self._certainly_derived(relation, row)
                known = _bound(bindings, atom.constraints)
                yield row, known, () if sure else self._guess(literal, atom, row)
        key = (relation.name, frozenset(values.items()))
        if key in self._within:
            return  # a recursive rule: what it reads of itself is what is known
        if len(self._within) >= DEEPEST:
            raise BudgetExceeded(f"more than {DEEPEST} definitions, one in the other")
        derived = self._follows.get(key)
        if derived is None:
            self._within.append(key)
            try:
                derived = [
                    pair
                    for rule in self.definitions.rules.get(relation.name, ())
                    for pair in self._by(rule, relation, values)
                ]
            finally:
                self._within.pop()
            if relation.name not in self.definitions.recursive:  # else it depends on who asks
                self._follows[key] = derived
        for row, doubts in derived:
            if row not in seen and (bindings := matcher.possible(row, env, self._ctx)) is not None:
                seen.add(row)
                yield row, _bound(bindings, atom.constraints), doubts

    def _by(
        self, rule: Rule, relation: Relation, values: Mapping[str, Any]
    ) -> Iterator[tuple[Row, tuple[Finding, ...]]]:
        """The rows that a rule possibly derives, as far as something is supposed for them."""
        assert isinstance(rule.head, Derive)
        terms = {c.attr: c.term for c in rule.head.atom.constraints}
        env = {
            term.name: values[attr]
            for attr, term in terms.items()
            if isinstance(term, Var) and attr in values
        }
        if not self._rule_doubtful(rule):
            return
        for way in self._body([Supposition(env)], rule.body):
            if way.doubts:
                cells = (self._known_value(terms.get(attr.name), way.binding) for attr in relation.attrs)
                yield tuple(cells), way.doubts

    def _guess(self, literal: Literal, atom: Atom, row: Row) -> tuple[Finding, ...]:
        return (Finding("underived", "unknown", _as_lit(literal, atom), {}, row, seen="not_holding"),)

    def _certainly_derived(self, relation: Relation, row: Row) -> bool:
        """Whether a row that is derived plainly is so whatever the open cells hold."""
        rules = self.definitions.denied.get(relation.name, ())
        if not any(map(self._rule_doubtful, rules)):
            return True
        key = ("certain", relation.name, row)
        if key in self._within or len(self._within) >= DEEPEST:
            return False
        if (known := self._sure.get(key)) is not None:
            return known
        sure = self._certainly(relation, row, rules, key)
        if relation.name not in self.definitions.recursive:
            self._sure[key] = sure
        return sure

    def _certainly(
        self, relation: Relation, row: Row, rules: Sequence[Rule], key: tuple[object, ...]
    ) -> bool:
        self._within.append(key)
        try:
            cells = {attr.name: cell for attr, cell in zip(relation.attrs, row, strict=True)}
            for rule in rules:
                assert isinstance(rule.head, Derive)
                env = {
                    c.term.name: cells[c.attr]
                    for c in rule.head.atom.constraints
                    if isinstance(c.term, Var) and cells.get(c.attr) is not None
                }
                if self._certain([env], rule.body):
                    return True
            return False
        finally:
            self._within.pop()

    def _value(self, term: Any, env: Mapping[str, Any]) -> Any:
        return None if term is None else compile_term(term, _lookup)(env, self._ctx)

    def _known_value(self, term: Any, env: Mapping[str, Any]) -> Any:
        value = self._value(term, env)
        return None if value is ANYTHING else value

    # -------------------------------------------------------------- possibly

    def _body(self, ways: list[Supposition], body: Sequence[Literal]) -> list[Supposition]:
        for literal in body:
            suppositions: dict[tuple[Any, ...], Supposition] = {}
            for way in ways:
                for more in self._literal(way, literal):
                    key = tuple(sorted(more.binding.items(), key=lambda item: item[0]))
                    known = suppositions.get(key)
                    if known is None or len(more.doubts) < len(known.doubts):
                        suppositions[key] = more
            ways = list(suppositions.values())
            if not ways:
                break
        # what was compared before another condition gave it a value
        tests = [PossibleCompare(literal) for literal in body if isinstance(literal, Compare)]
        return [way for way in ways if all(test.refine(dict(way.binding), self) for test in tests)]  # type: ignore[arg-type]

    def _literal(self, way: Supposition, literal: Literal) -> Iterable[Supposition]:
        env = way.binding
        match literal:
            case Lit():
                return self._lit(way, literal)
            case Compare():
                refined = PossibleCompare(literal).refine(dict(env), self)  # type: ignore[arg-type]
                doubts = way.doubts
                if refined and adds(literal.right, value := self._value(literal.left, env)):
                    doubts += (Finding("comparison", "unknown", literal, _known_bindings(env), value=value),)
                return [Supposition(_with(each, _given_by(literal)), doubts) for each in refined]
            case Aggregate():
                return self._aggregate(way, literal)
            case First():
                return self._quantified(way, literal, binds=literal.picks)
            case Every():
                if any(
                    not self._possibly_fits(_has(literal), row, bindings)
                    for row, bindings in self._certain_rows(literal.atom, env)
                ):
                    return []
                return self._quantified(way, literal, binds=False)
            case Then():
                return self._body([way], literal.parts[-1])
            case Spent():
                return [way] if self.facts.spent(literal.relation) else []

    @property
    def ctx(self) -> Ctx:
        """What comparisons read besides a binding."""
        return self._ctx

    def _lit(self, way: Supposition, literal: Lit) -> Iterator[Supposition]:
        relation = self.program.relation(literal.atom.relation)
        past = literal.past is not None
        if past and not (
            literal.past is not None and literal.past.op == "earlier" and relation.sort == "action"
        ):
            yield way  # the facts of one moment do not say what was
            return
        if not literal.neg:
            for _, bindings, doubts in self._matching(literal, literal.atom, way.binding, commits=past):
                yield Supposition(bindings, (*way.doubts, *doubts))
            return
        if any(True for _ in self._certain_rows(literal.atom, way.binding, commits=past)):
            return
        open_ = next(self._matching(literal, literal.atom, way.binding, commits=past), None)
        yield Supposition(way.binding, way.doubts if open_ is None else (*way.doubts, *open_[2]))

    def _quantified(self, way: Supposition, literal: Every | First, *, binds: bool) -> Iterator[Supposition]:
        """A row possibly matches and fits; which rows are the first ones is not asked.

        Where each row has to fit, all that is not known of them is supposed: whether they match, and whether they fit.
        """
        has = _has(literal)
        fits, all_doubts = False, list(way.doubts)
        for row, bindings, doubts in self._matching(literal, literal.atom, way.binding):
            if self._possibly_fits(has, row, bindings):
                fits = True
                if binds:
                    yield Supposition(bindings, (*way.doubts, *doubts))
            names = self._rows.open(self.program.relation(has.relation), row)[1]
            all_doubts += (*doubts, *self._doubts(literal, has, row, names, bindings))
        if fits and not binds:
            yield Supposition(way.binding, tuple(all_doubts))

    def _possibly_fits(self, has: Atom, row: Row, env: Mapping[str, Any]) -> bool:
        relation = self.program.relation(has.relation)
        if refuted(relation, has, row, self._rows.open(relation, row)[1]):
            return False
        return matcher_of(relation, has.constraints).possible(row, env, self._ctx) is not None

    def _aggregate(
        self, way: Supposition, literal: Aggregate, *, certainly: bool = False
    ) -> Iterator[Supposition]:
        """An aggregate of each group of rows that possibly match; certainly: whatever the open cells hold."""
        past = literal.lit.past is not None
        if past and self.program.relation(literal.lit.atom.relation).sort != "action":
            yield way
            return
        unbound = [name for name in literal.group if name not in way.binding]
        groups: dict[tuple[Any, ...], _Env] = {}
        if unbound:
            env = inner_binding(literal, way.binding)
            for _, bindings, _ in self._matching(literal.lit, literal.lit.atom, env, commits=past):
                group = {name: bindings[name] for name in unbound}
                groups.setdefault(tuple(group.values()), group)
        for group in groups.values() if unbound else [{}]:
            of_it = Supposition({**way.binding, **group}, way.doubts)
            yield from self._of_group(of_it, literal, certainly=certainly)

    def _of_group(self, way: Supposition, literal: Aggregate, *, certainly: bool) -> Iterator[Supposition]:
        relation, atom = self.program.relation(literal.lit.atom.relation), literal.lit.atom
        env, past = inner_binding(literal, way.binding), literal.lit.past is not None
        sure = [row for row, _ in self._certain_rows(atom, env, commits=past)]
        maybe = [
            (row, doubts)
            for row, _, doubts in self._matching(literal.lit, atom, env, commits=past)
            if row not in sure
        ]
        right, hi = self._value(literal.right, way.binding), self._value(literal.hi, way.binding)
        doubts = maybe[0][1] if maybe else ()
        column = relation.column(literal.attr) if literal.attr else -1
        open_ = bool(maybe) or any(column >= 0 and row[column] is None for row in sure)
        if literal.fn == "count" and literal.op in ("<", "<=", ">", ">="):
            fewest = (literal.op in ("<", "<=")) is not certainly
            count = len(sure) if fewest else len(sure) + len(maybe)
            if possibly(self._ctx, literal.op, count, right, hi, has_hi=literal.hi is not None):
                yield way if certainly else Supposition(way.binding, (*way.doubts, *doubts))
            return
        bound = literal.right.name if literal.op == "=" and isinstance(literal.right, Var) else None
        if open_:
            if not certainly:
                binding = way.binding if bound is None else _with(way.binding, {bound})
                yield Supposition(binding, (*way.doubts, *(doubts or self._guess(literal.lit, atom, ()))))
            return
        value = folded(relation, literal, sure)
        if value is None:
            return
        if bound is not None and way.binding.get(bound, ANYTHING) is ANYTHING:
            yield Supposition({**way.binding, bound: value}, way.doubts)
        elif possibly(self._ctx, literal.op, value, right, hi, has_hi=literal.hi is not None):
            yield way

    # -------------------------------------------------------------- certainly

    def _certain_rows(
        self, atom: Atom, env: Mapping[str, Any], *, commits: bool = False
    ) -> Iterator[tuple[Row, _Env]]:
        """The rows that match an atom whatever the open cells hold."""
        relation = self.program.relation(atom.relation)
        own = bound_by_row(atom.constraints)
        if needed(atom.constraints) - env.keys() - own:
            return
        matcher = matcher_of(relation, atom.constraints)
        derived = relation.sort in ("derived", "screen") and not commits
        if derived:
            rows: Iterable[Row] = self.facts.rows(relation.name)
        elif commits:
            rows = [row for row, _ in self._rows.done(relation)]
        else:
            opened = self._rows.fitting(relation, atom, matcher, env, self._ctx)
            rows = [row for row, names in opened if not may_be_no_row(relation, names)]
        for row in rows:
            self._spend()
            bindings = matcher.plain(row, env, self._ctx)
            if bindings is not None and (not derived or self._certainly_derived(relation, row)):
                yield row, bindings

    def _certain(self, envs: list[_Env], body: Sequence[Literal]) -> bool:
        """Whether a body holds whatever the open cells hold."""
        for literal in body:
            envs = [more for env in envs for more in self._certain_literal(env, literal)]
            if not envs:
                return False
        return True

    def _certain_literal(self, env: _Env, literal: Literal) -> Iterable[_Env]:
        match literal:
            case Lit() if literal.past is None and literal.neg:
                return [] if any(True for _ in self._matching(literal, literal.atom, env)) else [env]
            case Lit() if literal.past is None:
                return [bindings for _, bindings in self._certain_rows(literal.atom, env)]
            case Compare() if not needed(literal) - env.keys() - _given_by(literal):
                return PossibleCompare(literal).refine(env, self)  # type: ignore[arg-type]
            case Aggregate() if literal.lit.past is None:
                return [
                    dict(way.binding) for way in self._aggregate(Supposition(env), literal, certainly=True)
                ]
            case Every():
                return [env] if self._certainly_each(env, literal) else []
            case Spent():
                return [env] if self.facts.spent(literal.relation) else []
        return []

    def _certainly_each(self, env: _Env, literal: Every) -> bool:
        """Whether a row certainly matches, and each that possibly does certainly fits."""
        has = _has(literal)
        fits = matcher_of(self.program.relation(has.relation), has.constraints)
        return any(True for _ in self._certain_rows(literal.atom, env)) and all(
            fits.plain(row, bindings, self._ctx) is not None
            for row, bindings, _ in self._matching(literal, literal.atom, env)
        )


def _has(literal: Every | First) -> Atom:
    """What is asked of the rows that match."""
    return Atom(literal.atom.relation, literal.has or ())


def _given_by(literal: Compare) -> frozenset[str]:
    """The variables that a comparison gives values to."""
    if literal.op == "=" or (literal.op == "in" and isinstance(literal.right, Choice)):
        return frozenset(side.name for side in (literal.left, literal.right) if isinstance(side, Var))
    return frozenset(literal.right.groups) if isinstance(literal.right, Regex) else frozenset()


def _bound(env: Mapping[str, Any], constraints: Iterable[Constraint]) -> _Env:
    """The binding after a row: what it gives a value to and does not tell may be anything, which is not nothing.

    A row that is known fits it possibly, and never certainly.
    """
    return _with(env, bound_by_row(constraints))


def _with(env: Mapping[str, Any], names: Iterable[str]) -> _Env:
    return {**dict.fromkeys(names, ANYTHING), **env}


def _known_bindings(env: Mapping[str, Any]) -> _Env:
    return {name: value for name, value in env.items() if value is not None and value is not ANYTHING}


def _lookup(name: str) -> Callable[[Mapping[str, Any]], Any]:
    return lambda env: env.get(name, ANYTHING)


def _as_lit(literal: Literal, atom: Atom) -> Lit:
    return literal if isinstance(literal, Lit) else Lit(atom, span=getattr(literal, "span", None))
