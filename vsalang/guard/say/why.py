"""Why a rule does not hold, in the guard's words: each condition with its state, the value seen and the one wanted."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from vsalang.engine.api import Row
from vsalang.engine.explain.match import Facts, fitting, match_row
from vsalang.engine.explain.nearest import DEEPEST, SHOWN, Nearest, Way, asks_about_all
from vsalang.engine.explain.terms import Binding
from vsalang.guard.say.verdict import Why
from vsalang.guard.say.why_writer import WhyWriter
from vsalang.program.ir import Compare, First, License, Lit, Literal, Program, Relation, Rule, Var
from vsalang.program.phrases import JoinedText, joined, say
from vsalang.program.walk import needed

Sides: TypeAlias = tuple[tuple[Why, ...], tuple[Why, ...]]
"""The conditions of a rule that are not met, and those that are."""


class Explainer:
    """Explains rules against the facts of one moment."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.program = facts.program
        self.words = WhyWriter(facts)
        self._nearest = Nearest(facts)

    def clause(self, rule: Rule, instance: Row | None, *, guess: bool = False) -> tuple[Why, ...]:
        """Every condition of an `allow` or `done` rule that does not hold for an instance, those of the head first.

        Args:
            rule: the clause.
            instance: the proposed action; None: the head is not looked at.
            guess: it is not known that the rule does not hold: empty if nothing speaks against it.
        """
        return self.sides(rule, instance, guess=guess)[0]

    def sides(self, rule: Rule, instance: Row | None, *, guess: bool = False) -> Sides:
        """The conditions of an `allow` or `done` rule that are not met (`clause`), and those that are."""
        whys, met, binding = self._head(rule, instance)
        ways = self._nearest.ways(rule.body, binding, certain=True)
        unmet = self._sourced(rule.body, self._unmet(rule.body, ways, True, holds=bool(whys) or guess))
        best = ways[0].binding
        for literal in rule.body if instance is not None else ():
            if self._nearest.holds(literal, best, certain=True):
                met += self.words.met(literal, best)
        return tuple(_named_by_parameters(rule, why) for why in (*whys, *unmet)), tuple(met)

    def licensing(self, rule: Rule, instance: Row) -> tuple[Why, ...]:
        """Every condition of an `allow` or `done` rule that holds for an instance, with the values seen."""
        _, met, binding = self._head(rule, instance)
        best = self._under(rule, binding, instance, certain=True)
        for literal in rule.body:
            met += self.words.met(literal, best)
        return tuple(met)

    def _under(self, rule: Rule, binding: Binding, instance: Row, *, certain: bool) -> Binding:
        """A binding under which the body of a rule that holds does hold, as the engine says.

        The engine leaves out variables that stand in one condition only; they are looked up in the rows.
        """
        start = self._witnessed(rule, binding, instance)
        return self._nearest.ways(rule.body, start, certain=certain, depth=DEEPEST)[0].binding

    def _witnessed(self, rule: Rule, binding: Binding, instance: Row) -> Binding:
        witness = self.facts.witness(rule.id, binding, instance)
        return binding if witness is None else {**binding, **witness}

    def _head(self, rule: Rule, instance: Row | None) -> tuple[list[Why], list[Why], Binding]:
        """What the head asks of an instance: what it fails, what it meets, and the variables that it binds."""
        head = rule.head
        assert isinstance(head, License)
        if instance is None:
            return [], [], {}
        relation = self.program.relation(head.atom.relation)
        match = match_row(relation, head.atom, instance, {}, self.facts.context)
        whys = [self.words.failed(relation, failure, instance, match.binding) for failure in match.failures]
        failed = [failure.constraint for failure in match.failures]
        fitting = replace(head.atom, constraints=tuple(c for c in head.atom.constraints if c not in failed))
        return whys, self.words.fitting(relation, fitting, instance, match.binding), match.binding

    def head_fits(self, rule: Rule, instance: Row) -> bool:
        """Whether the head's pattern fits the instance."""
        head = rule.head
        assert isinstance(head, License)
        return bool(fitting(self.facts, head.atom, (instance,), {}))

    def unmet(
        self, body: tuple[Literal, ...], binding: Binding, *, certain: bool, holds: bool = False
    ) -> tuple[Why, ...]:
        """Every condition of a body that is not met, under the binding that comes nearest.

        Args:
            body: the literals.
            binding: variables that are bound from outside.
            certain: it must hold certainly (`allow`, `done`).
            holds: False: the body is known not to hold, so something must be named.
        """
        ways = self._nearest.ways(body, binding, certain=certain)
        return self._sourced(body, self._unmet(body, ways, certain, holds=holds))

    def _sourced(self, body: tuple[Literal, ...], whys: Iterable[Why]) -> tuple[Why, ...]:
        cells = _cells_of(self.program, body)
        return tuple(_sourced(why, cells) for why in whys)

    def _unmet(
        self, body: tuple[Literal, ...], ways: list[Way], certain: bool, *, holds: bool
    ) -> tuple[Why, ...]:
        nearest = [way for way in ways if way.cost == ways[0].cost][:SHOWN]
        best = nearest[0]
        whys = _merged(self.words.why_of(finding) for way in nearest for finding in way.certain_findings)
        if whys or holds:
            return (*whys, *(self.words.why_of(finding.doubtful()) for finding in best.untold))
        if best.untold:
            return tuple(map(self.words.why_of, best.untold))
        if certain:
            # As far as what was seen goes it holds: what was not seen speaks against what asks about all rows.
            asking = [item for item in body if asks_about_all(item)]
            if asking:
                return tuple(self.words.unproven(item, best.binding, incomplete=True) for item in asking)
        return tuple(self.words.unproven(item, best.binding) for item in body)

    def holding(self, rule: Rule, binding: Binding) -> tuple[Why, ...]:
        """The conditions of a judging rule that holds, with the values seen: what its reason shows."""
        best = self._under(rule, binding, (), certain=False)
        return tuple(why for literal in rule.body for why in self.words.witness(literal, best))

    # ------------------------------------------------------------------ for when the moment is gone

    def sides_later(self, rule: Rule, instance: Row, reads: Iterable[str]) -> Callable[[], Sides]:
        """What `sides` says now, made when it is called.

        Args:
            reads: all relations that are read for it (`vsalang.guard.world.explanation_reads`).
        """
        facts = self.facts.kept(reads)
        return lambda: Explainer(facts).sides(rule, instance)

    def holding_later(
        self, rule: Rule, binding: Binding, reads: Iterable[str]
    ) -> Callable[[], tuple[Why, ...]]:
        """What `holding` says now, made when it is called; `reads`: see `sides_later`."""
        start, facts = self._witnessed(rule, binding, ()), self.facts.kept(reads)
        return lambda: Explainer(facts).holding(rule, start)


# ---------------------------------------------------------------------- names and equal conditions


def _named_by_parameters(rule: Rule, why: Why) -> Why:
    """A condition on a variable that a parameter of the action binds may be named by that parameter too."""
    assert isinstance(rule.head, License)
    if why.span is None:
        return why
    short = rule.head.atom.relation.rpartition(".")[2]
    parameters = {
        c.term.name: c.attr for c in rule.head.atom.constraints if c.op == "=" and isinstance(c.term, Var)
    }
    used: set[str] = set()
    for literal in rule.body:
        if isinstance(literal, Compare) and literal.span == why.span:
            used |= needed(literal)
        elif isinstance(literal, Lit):
            for c in literal.atom.constraints:
                if c.span == why.span:
                    used |= needed(c)
    names = {
        name for var in used if var in parameters for name in (parameters[var], f"{short}.{parameters[var]}")
    }
    return replace(why, names=why.names | names) if names else why


def _merged(whys: Iterable[Why]) -> tuple[Why, ...]:
    """The conditions, those that differ only in what was seen made one: rows that are equally near."""
    reasons: dict[tuple[object, ...], Why] = {}
    for why in whys:
        key = (why.state, why.relation, why.attr, why.wanted, why.literal, why.incomplete, why.span)
        old = reasons.get(key)
        if old is None:
            reasons[key] = why
        else:
            seen = old.seen.parts if isinstance(old.seen, JoinedText) else (old.seen,)
            if why.seen not in seen:
                reasons[key] = replace(old, seen=joined(say("or"), [*seen, why.seen]))
    return tuple(reasons.values())


Cells: TypeAlias = Mapping[str, Sequence[tuple[Relation, str]]]
"""For variables the attributes whose cells bind them."""


def _cells_of(program: Program, body: Iterable[Literal]) -> Cells:
    """The attributes that bind the variables of a body: a variable is the cell that binds it."""
    cells: dict[str, list[tuple[Relation, str]]] = {}
    for literal in body:
        if isinstance(literal, First) or (isinstance(literal, Lit) and not literal.neg):
            relation = program.relation(literal.atom.relation)
            for c in literal.atom.constraints:
                if c.op == "=" and isinstance(c.term, Var):
                    cells.setdefault(c.term.name, []).append((relation, c.attr))
    return cells


def _sourced(why: Why, cells: Cells) -> Why:
    """A comparison of variables, named by the cells that bind them."""
    if why.relation or not why.names & cells.keys():
        return why
    names = set(why.names)
    for name in why.names & cells.keys():
        for relation, attr in cells[name]:
            names |= {
                attr,
                relation.short,
                relation.name,
                f"{relation.short}.{attr}",
                f"{relation.name}.{attr}",
            }
    return replace(why, names=frozenset(names))
