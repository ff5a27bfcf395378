"""Explains missing rows: the rules that could derive them under the nearest binding, with each condition's state.

`vsalang.engine.explain` finds the nearest binding and what is missing; the engine tells what held in the past.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from vsalang.base.source.suggest import Work, nearest
from vsalang.engine.api import Evaluator
from vsalang.engine.explain.finding import Finding, State, head_binding
from vsalang.engine.explain.match import Facts, bound_values, known_cells
from vsalang.engine.explain.nearest import DEEPEST, Nearest, Way
from vsalang.engine.explain.proof import Probes, place_of, written
from vsalang.engine.explain.terms import Binding
from vsalang.program.ir import (
    Aggregate,
    Compare,
    Const,
    Derive,
    First,
    Lit,
    Literal,
    Quantified,
    Relation,
    Rule,
)
from vsalang.program.screen_rules import is_match, match_relation
from vsalang.program.show import quoted, row_text
from vsalang.program.values import Value, row_order, same, without_unknown
from vsalang.program.walk import variables
from vsalang.tools.ask.answer import Clause, Condition
from vsalang.tools.ask.proof import ProofWriter
from vsalang.tools.ask.wording import Wording

_DEEPEST = 12


class Missing:
    """Explains missing rows in one moment."""

    def __init__(self, probes: Probes, evaluator: Evaluator, facts: Facts, prover: ProofWriter) -> None:
        self.probes = probes
        self.evaluator = evaluator
        self.facts = facts
        self.prover = prover
        self.words = Wording(facts)
        self._nearest = Nearest(facts, self._held)

    def clause(self, rule: Rule, wanted: Mapping[str, Value], path: tuple[str, ...] = ()) -> Clause:
        """A rule that does not hold, under the nearest binding.

        Args:
            rule: the rule.
            wanted: the cells of its head that the row must have.
            path: the relations whose rules were expanded on the way to it.
        """
        assert isinstance(rule.head, Derive)
        relation = self.facts.program.relations.get(rule.head.atom.relation)
        binding, clashes = head_binding(rule, wanted, self.facts.context)
        way = self._nearest.ways(rule.body, binding, certain=False, depth=DEEPEST)[0]
        conditions = [
            *(self._clash(finding, relation) for finding in clashes),
            *self._conditions(rule.body, way, path),
        ]
        text = self.words.head(rule, way.binding)
        return Clause(rule.id, text, False, dict(way.binding), tuple(conditions), rule.span)

    def _clash(self, finding: Finding, relation: Relation | None) -> Condition:
        """A cell for which a rule gives another value."""
        rule, constraint = finding.rule, finding.constraint
        assert rule is not None and constraint is not None
        type_ = relation.attr(constraint.attr).type if relation is not None else None
        return Condition(
            "unmet",
            f"{constraint.attr} = {quoted(finding.other, type_)}",
            f"this rule gives {quoted(finding.value, type_)}",
            span=constraint.span or rule.head_span,
        )

    def rules(
        self, relation: str, wanted: Mapping[str, Value], path: tuple[str, ...] = ()
    ) -> tuple[Clause, ...]:
        """All rules that could derive a row with these cells and do not, the nearest first."""
        if is_match(relation) or self.facts.program.relation(relation).sort != "screen":
            clauses = [
                self.clause(rule, wanted, (*path, relation)) for rule in self.probes.rules.get(relation, ())
            ]
        else:
            # the screen's own rules, not the one that every screen has
            clauses = [
                self.clause(rule, wanted, (*path, relation))
                for defining_rule in self.probes.rules.get(relation, ())
                for rule in self._screen_rules(defining_rule)
            ]
        open_ = [sum(c.state != "met" for c in clause.conditions) for clause in clauses]
        order = sorted(range(len(clauses)), key=lambda i: (open_[i], i))
        return tuple(clauses[i] for i in order)

    def _screen_rules(self, rule: Rule) -> list[Rule]:
        """The rules of a screen; if one of them holds, the rule that excludes other screens."""
        match = match_relation(rule.head.atom.relation) if isinstance(rule.head, Derive) else ""
        own = list(self.probes.rules.get(match, ()))
        matched = bool(own) and any(True for _ in self.facts.rows(match))
        return [rule] if matched or not own else own

    def _held(self, literal: Literal, binding: Binding) -> Sequence[Binding] | None:
        """The bindings under which a condition on the past holds, as the engine says; None for other conditions."""
        probe = self.probes.past.get(literal)
        if isinstance(literal, Lit) and literal.past is not None and literal.past.op == "earlier":
            relation = self.facts.program.relation(literal.atom.relation)
            probe = None if relation.sort == "action" else probe  # the facts tell what was committed
        if probe is None:
            return None
        name, names = probe
        return [
            {**binding, **cells}
            for row in sorted(self.evaluator.rows(name), key=row_order)
            for cells in [without_unknown(zip(names, row, strict=True))]
            if all(same(binding[n], cells[n]) for n in names if n in binding and n in cells)
        ]

    # ------------------------------------------------------------------ conditions

    def _conditions(self, body: Sequence[Literal], way: Way, path: tuple[str, ...]) -> list[Condition]:
        by_literal = {id(literal): findings for literal, findings in zip(body, way.of_each(), strict=True)}
        return [
            self._condition(item, by_literal[id(item)], way.binding, path) for item in written(tuple(body))
        ]

    def _condition(
        self, literal: Literal, findings: tuple[Finding, ...], binding: Binding, path: tuple[str, ...]
    ) -> Condition:
        text = self.words.literal(literal, binding)
        span = place_of(literal)
        if not findings:
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
            return Condition("met", text, self.words.note(literal, binding), "", span)
        state: State = "unknown" if all(item.state == "unknown" for item in findings) else "unmet"
        parts: tuple[Clause, ...] = ()
        fact = ""
        if isinstance(literal, Lit) and literal.past is None:
            relation = self.facts.program.relation(literal.atom.relation)
            if relation.name in self.probes.rules:
                if literal.neg:
                    rows = [
                        row_text(relation, known_cells(relation, item.row or ()))
                        for item in findings
                        if item.kind == "present"
                    ]
                    why = f"there is {' and '.join(rows)}" if rows else "it holds"
                    return Condition(state, text, why, "", span)
                # a recursive relation is explained once
                if relation.name not in path and len(path) < _DEEPEST:
                    parts = self.rules(relation.name, bound_values(self.facts, literal.atom, binding), path)
            fact = self._nearest_fact(relation, literal, findings)
        why = "; ".join(dict.fromkeys(map(self.words.reason, findings)))
        if isinstance(literal, Quantified):
            why = "; ".join(dict.fromkeys(self._of_row(literal, item) for item in findings))
        if isinstance(literal, Lit) and literal.past is None and not literal.neg:
            sort = self.facts.program.relation(literal.atom.relation).sort
            why = "nothing is proposed" if sort in ("gesture", "action") and not fact else why
        if self._unlike(literal, findings):
            # a node without an id is not similar to one with another id
            state, why, fact = "unmet", f"there is none on the screen{self._near_ids(literal)}", ""
        if parts and all(item.kind == "underived" for item in findings):
            why = ""  # its rules explain it
        return Condition(state, text, why, fact, span, parts)

    def _unlike(self, literal: Literal, findings: tuple[Finding, ...]) -> bool:
        """Whether no observed row is near: the nearest one does not have the attribute at all."""
        if not isinstance(literal, Lit) or literal.neg or literal.past is not None:
            return False
        if self.facts.program.relation(literal.atom.relation).sort != "observed":
            return False
        if not all(item.state == "unknown" for item in findings):
            return False
        # a dump that does not say of which app its nodes are may have the node all the same
        return any(item.failure is None or item.failure.constraint.attr != "package" for item in findings)

    def _near_ids(self, literal: Literal) -> str:
        """The ids on the screen that are spelt like the one that an atom asks for, as the rest of a sentence."""
        assert isinstance(literal, Lit)
        relation = self.facts.program.relation(literal.atom.relation)
        wanted = [
            c.term.value
            for c in literal.atom.constraints
            if c.attr == "id" and c.op == "=" and isinstance(c.term, Const) and isinstance(c.term.value, str)
        ]
        if not wanted:
            return ""
        column = relation.column("id")
        ids = [cell for row in self.facts.of(literal.atom) if isinstance(cell := row[column], str)]
        near = [quoted(name) for name in nearest(wanted[0], ids, work=Work())]
        return f"; there is id = {' and id = '.join(near)}" if near else ""

    def _of_row(self, literal: Quantified, finding: Finding) -> str:
        """The difference of a row, and the row."""
        text = self.words.reason(finding)
        if finding.kind != "cell" or finding.row is None:
            return text
        relation = self.facts.program.relation(literal.atom.relation)
        return f"{text}: {self.words.fact(relation, finding.row, literal.atom)}"

    def _nearest_fact(self, relation: Relation, literal: Lit, findings: tuple[Finding, ...]) -> str:
        """The row that is nearest to meeting an atom."""
        rows = [item.row for item in findings if item.kind == "cell" and item.row is not None]
        return self.words.fact(relation, rows[0], literal.atom) if rows and not literal.neg else ""

    def _met(self, literal: Literal, text: str, binding: Binding) -> Condition:
        """A condition that holds, with the fact that meets it, without the reasons of the fact."""
        condition = self.prover.shallow(literal, binding)
        return replace(condition, text=text)
