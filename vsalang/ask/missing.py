"""Why a row is not there: the rules that could derive it under the binding that comes nearest, each condition's state.

The nearest binding is found as the guard's explanations find it (`vsalang.guard.why`); what held in the past is asked
of the engine.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from vsalang.ask.model import Clause, Condition, State
from vsalang.ask.probes import Probes
from vsalang.ask.proof import Prover, written
from vsalang.ask.wording import Wording, place_of
from vsalang.core.ir import Aggregate, Compare, Derive, Every, First, Lit, Literal, Relation, Rule, Then, Var
from vsalang.core.values import Value, same
from vsalang.core.walk import variables
from vsalang.engine.api import Evaluator
from vsalang.guard.match import Facts, given
from vsalang.guard.terms import Binding, quoted, value_of
from vsalang.guard.texts import Said
from vsalang.guard.verdict import Why
from vsalang.guard.why import Explainer, _Trace

_BEAM = 24
_CLOSED = 1000
_DEEPEST = 12
_NEVER = 8


@dataclass(frozen=True, slots=True)
class _Way:
    """A way through a body: what was found of each condition so far."""

    trace: _Trace
    found: tuple[tuple[Literal, tuple[Why, ...]], ...] = ()


class Missing:
    """Explains what is absent in one moment."""

    def __init__(self, probes: Probes, evaluator: Evaluator, facts: Facts, prover: Prover) -> None:
        self.probes = probes
        self.evaluator = evaluator
        self.facts = facts
        self.prover = prover
        self.words = Wording(facts)
        self._explainer = Explainer(facts)

    def clause(self, rule: Rule, wanted: Mapping[str, Value], path: tuple[str, ...] = ()) -> Clause:
        """A rule that does not hold, under the binding that comes nearest.

        Args:
            rule: the rule.
            wanted: cells of its head that the row is to have.
            path: the relations whose rules were opened on the way to it.
        """
        assert isinstance(rule.head, Derive)
        relation = self.facts.program.relations.get(rule.head.atom.relation)
        binding: dict[str, Value] = {}
        clashes: list[Condition] = []
        for constraint in rule.head.atom.constraints:
            value = wanted.get(constraint.attr)
            if value is None:
                continue
            if isinstance(constraint.term, Var):
                before = binding.setdefault(constraint.term.name, value)
                own: Value | None = before
            elif constraint.term is not None and not variables(constraint.term):
                own = value_of(constraint.term, {}, self.facts.context)
            else:
                continue
            if not same(own, value):
                type_ = relation.attr(constraint.attr).type if relation is not None else None
                clashes.append(
                    Condition(
                        "unmet",
                        f"{constraint.attr} = {quoted(value, type_)}",
                        f"this rule gives {quoted(own, type_)}",
                        span=constraint.span or rule.head_span,
                    )
                )
        way = self._nearest(rule.body, binding)
        conditions = [*clashes, *self._conditions(way, path)]
        text = self.words.head(rule, way.trace.binding)
        return Clause(rule.id, text, False, dict(way.trace.binding), tuple(conditions), rule.span)

    def rules(
        self, relation: str, wanted: Mapping[str, Value], path: tuple[str, ...] = ()
    ) -> tuple[Clause, ...]:
        """All rules that could derive a row with these cells and do not, the nearest first."""
        if relation.startswith("match ") or self.facts.program.relation(relation).sort != "screen":
            found = [
                self.clause(rule, wanted, (*path, relation)) for rule in self.probes.rules.get(relation, ())
            ]
        else:
            # a screen's own rules say it, beside one that every screen has
            found = [
                self.clause(rule, wanted, (*path, relation))
                for shown in self.probes.rules.get(relation, ())
                for rule in self._screen_rules(shown)
            ]
        open_ = [sum(c.state != "met" for c in clause.conditions) for clause in found]
        order = sorted(range(len(found)), key=lambda i: (open_[i], i))
        return tuple(found[i] for i in order)

    def _screen_rules(self, shown: Rule) -> list[Rule]:
        """The rules of a screen; where one of them holds, the rule that other screens stand against."""
        match = f"match {shown.head.atom.relation}" if isinstance(shown.head, Derive) else ""
        own = list(self.probes.rules.get(match, ()))
        matched = bool(own) and any(True for _ in self.facts.rows(match))
        return [shown] if matched or not own else own

    # ------------------------------------------------------------------ ways

    def _nearest(self, body: tuple[Literal, ...], binding: Binding) -> _Way:
        ways = [_Way(_Trace(0, dict(binding)))]
        for literal in body:
            found: list[_Way] = []
            for way in ways:
                for trace in self._literal(way.trace, literal):
                    whys = trace.whys[len(way.trace.whys) :] + trace.opaque[len(way.trace.opaque) :]
                    found.append(_Way(trace, (*way.found, (literal, whys))))
            found.sort(key=lambda item: item.trace.cost)
            ways = found[:_BEAM]
        return ways[0]

    def _literal(self, trace: _Trace, literal: Literal) -> list[_Trace]:
        past = self.probes.past.get(literal)
        committed = (
            isinstance(literal, Lit)
            and literal.past is not None
            and literal.past.op == "earlier"
            and self.facts.program.relation(literal.atom.relation).sort == "action"
        )
        if past is None or committed:
            return self._explainer._literal(trace, literal, certain=False, depth=_CLOSED)
        name, names = past
        met = [
            {**trace.binding, **cells}
            for row in sorted(self.evaluator.rows(name), key=repr)
            for cells in [{n: c for n, c in zip(names, row, strict=True) if c is not None}]
            if all(same(trace.binding[n], cells[n]) for n in names if n in trace.binding and n in cells)
        ]
        negated = isinstance(literal, Lit) and literal.neg
        if bool(met) != negated:
            return [trace.add(0, (), binding) for binding in met[:_BEAM]] or [trace]
        text = self.words.literal(literal, trace.binding)
        seen = (
            "it was so" if negated else "not in this order" if isinstance(literal, Then) else "it was not so"
        )
        return [trace.add(_NEVER, (Why("unmet", literal=text, seen=seen, span=literal.span),))]

    # ------------------------------------------------------------------ conditions

    def _conditions(self, way: _Way, path: tuple[str, ...]) -> list[Condition]:
        whys = {id(literal): found for literal, found in way.found}
        bodies = tuple(literal for literal, _ in way.found)
        binding = way.trace.binding
        return [self._condition(item, whys[id(item)], binding, path) for item in written(bodies)]

    def _condition(
        self, literal: Literal, whys: tuple[Why, ...], binding: Binding, path: tuple[str, ...]
    ) -> Condition:
        text = self.words.literal(literal, binding)
        span = place_of(literal)
        if not whys:
            positive = isinstance(literal, Lit | First) and not getattr(literal, "neg", False)
            needed = literal.group if isinstance(literal, Aggregate) else variables(literal)
            open_ = sorted(set(needed) - binding.keys())
            if open_ and (isinstance(literal, Compare | Aggregate) or getattr(literal, "neg", False)):
                names = " and ".join(f"?{name}" for name in open_)
                return Condition(
                    "unknown", text, f"{names} {'has' if len(open_) == 1 else 'have'} no value", "", span
                )
            if positive:
                return self._met(literal, text, binding)
            return Condition("met", text, self.words.found(literal, binding), "", span)
        state: State = "unknown" if all(why.state == "unknown" for why in whys) else "unmet"
        parts: tuple[Clause, ...] = ()
        fact = ""
        if isinstance(literal, Lit) and literal.past is None:
            relation = self.facts.program.relation(literal.atom.relation)
            if relation.name in self.probes.rules:
                if literal.neg:
                    rows = [
                        str(why.seen.values["row"])
                        for why in whys
                        if isinstance(why.seen, Said) and why.seen.id == "there_is"
                    ]
                    said = f"there is {' and '.join(rows)}" if rows else "it holds"
                    return Condition(state, text, said, "", span)
                # what a recursive relation lacks is said once
                if relation.name not in path and len(path) < _DEEPEST:
                    parts = self.rules(relation.name, given(self.facts, literal.atom, binding), path)
            fact = self._nearest_fact(relation, literal, whys)
        said = "; ".join(dict.fromkeys(_said(why) for why in whys))
        if isinstance(literal, Every | First):
            said = "; ".join(dict.fromkeys(self._of_row(literal, why) for why in whys))
        if isinstance(literal, Lit) and literal.past is None and not literal.neg:
            sort = self.facts.program.relation(literal.atom.relation).sort
            said = "nothing is proposed" if sort in ("gesture", "action") and not fact else said
        if self._unlike(literal, whys):
            # a node without an id is no near miss of one with another id
            state, said, fact = "unmet", "there is none on the screen", ""
        if parts and all(isinstance(why.seen, Said) and why.seen.id == "seen.not_holding" for why in whys):
            said = ""  # its rules say why
        return Condition(state, text, said, fact, span, parts)

    def _unlike(self, literal: Literal, whys: tuple[Why, ...]) -> bool:
        """Whether nothing that is observed comes near: what the nearest row lacks is not given by it at all."""
        if not isinstance(literal, Lit) or literal.neg or literal.past is not None:
            return False
        if self.facts.program.relation(literal.atom.relation).sort != "observed":
            return False
        return all(why.state == "unknown" for why in whys)

    def _of_row(self, literal: Every | First, why: Why) -> str:
        """What is wrong with a row, and which row it is."""
        relation = self.facts.program.relation(literal.atom.relation)
        if not why.row or not why.attr:
            return _said(why)
        row = tuple(why.row.get(attr.name) for attr in relation.attrs)
        return f"{_said(why)}: {self.words.fact(relation, row, literal.atom)}"

    def _nearest_fact(self, relation: Relation, literal: Lit, whys: tuple[Why, ...]) -> str:
        """The row that comes nearest to meeting an atom."""
        rows = [why.row for why in whys if why.row and why.attr]
        if literal.neg or not rows:
            return ""
        row = tuple(rows[0].get(attr.name) for attr in relation.attrs)
        return self.words.fact(relation, row, literal.atom)

    def _met(self, literal: Literal, text: str, binding: Binding) -> Condition:
        """A condition that holds, with the fact that meets it but not why that is there."""
        condition = self.prover.shallow(literal, binding)
        return replace(condition, text=text)


def _said(why: Why) -> str:
    if why.attr and why.relation:
        return f"{why.attr} is {why.seen}" + (f", wanted {why.wanted}" if why.wanted else "")
    if why.seen and why.label and why.wanted and not why.relation:
        return why.literal or f"{why.label} is {why.seen}"
    return why.seen or why.wanted
