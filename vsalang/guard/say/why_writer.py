"""Conditions, and what was found of them, as `Why` data: the guard's words for what `vsalang.engine.explain` finds."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from vsalang.base.source import Span
from vsalang.engine.api import Row
from vsalang.engine.explain.finding import Finding, State
from vsalang.engine.explain.match import Facts, Failure, Match, known_cells, matches, screens_at_once
from vsalang.engine.explain.nearest import folded, inner_binding
from vsalang.engine.explain.terms import Binding, notation, term_text, value_of, wanted_text
from vsalang.guard.say.verdict import Why
from vsalang.program import ops
from vsalang.program.ir import (
    Aggregate,
    Atom,
    Compare,
    Constraint,
    Derive,
    First,
    Lit,
    Literal,
    Names,
    Relation,
    Spent,
    Term,
    Then,
    Var,
)
from vsalang.program.matchers import word_in
from vsalang.program.naming import names
from vsalang.program.phrases import joined, say
from vsalang.program.show import Notation, quoted, row_text
from vsalang.program.similarity import Behind, behind
from vsalang.program.text import first_sentence
from vsalang.program.values import Value
from vsalang.program.walk import needed, uses


def _with_word(seen: str, term: Term | None, value: object) -> str:
    """What was seen, with the word of a list that is in it, if a list was asked; of a name, that it is unclear."""
    if isinstance(term, Names) and isinstance(value, str) and names(value, term.name) is None:
        return say("unclear_name", value=seen, name=quoted(term.name))
    word = word_in(term, value)
    return seen if word is None else say("has_word", value=seen, word=quoted(word))


class WhyWriter:
    """Puts conditions of one moment, and what was found of them, into words."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.program = facts.program
        self.context = facts.context

    def why(
        self,
        relation: Relation,
        attr: str,
        state: State,
        seen: str,
        wanted: str,
        span: Span | None,
        *,
        row: Mapping[str, Value] | None = None,
    ) -> Why:
        """A condition about a relation or one of its attributes, with its description as label."""
        label = (
            (relation.attr(attr).doc or attr)
            if attr and attr in {a.name for a in relation.attrs}
            else relation.doc
        )
        return Why(state, relation.name, attr, label, seen, wanted, row=row or {}, span=span)

    def why_of(self, finding: Finding) -> Why:
        """What keeps a condition from holding, in words."""
        return replace(self._why_of(finding), state=finding.state)

    def _why_of(self, finding: Finding) -> Why:
        literal, binding = finding.literal, finding.binding
        match finding.kind:
            case "head":
                return self._head(finding)
            case "comparison":
                return self._comparison(finding)
            case "aggregate":
                return self._aggregate(finding)
            case "past" | "never":
                return self._past(finding)
            case "order":
                return self._order(finding)
            case "unproven":
                assert literal is not None
                return self.unproven(literal, binding)
        if isinstance(literal, Spent):
            relation = self.program.relation(literal.relation)
            seen, wanted = say("seen.not_yet"), say("wanted.often")
            why = self.why(relation, "", "unmet", seen, wanted, literal.span)
            return replace(why, literal=f"all {relation.short}")
        assert isinstance(literal, Lit | First)
        relation = self.program.relation(literal.atom.relation)
        lit = literal if isinstance(literal, Lit) else Lit(literal.atom, span=literal.span)
        match finding.kind:
            case "cell":
                assert finding.failure is not None and finding.row is not None
                return self.failed(relation, finding.failure, finding.row, binding, lit)
            case "screen":
                return self._screen(relation, lit)
            case "present":
                assert finding.row is not None
                return self._against(relation, lit, finding.row, binding)
            case "place":
                assert isinstance(literal, First)
                wanted = say("wanted.among_first", count=literal.n)
                why = self.why(relation, "at", "unmet", str(finding.place), wanted, literal.span)
                return replace(why, names=frozenset({"at", f"{relation.short}.at"}))
        if finding.known:
            why = replace(self._row(relation, lit, binding, finding.known), wanted="")
            return replace(why, names=frozenset(self.names(lit)))
        position = {"position": finding.place} if finding.seen == "gap" else {}
        why = self._row(relation, lit, binding, say(f"seen.{finding.seen}", **position))
        why = replace(why, incomplete=finding.incomplete)
        if finding.kind == "absent":
            return replace(why, names=frozenset(self.names(lit)))
        if finding.kind == "gap":
            assert isinstance(literal, First)
            wanted = say("wanted.first_seen", count=literal.n)
            return replace(why, wanted=wanted, names=frozenset({"at"}))
        return replace(why, wanted=say("wanted.all_none")) if lit.neg else why

    def failed(
        self, relation: Relation, failure: Failure, row: Row, binding: Binding, literal: Lit | None = None
    ) -> Why:
        """A constraint that a row does not fit; `literal`: what it belongs to."""
        constraint = failure.constraint
        type_ = relation.attr(constraint.attr).type
        wanted = wanted_text(constraint, binding, self.context, type_)
        if constraint.op == "=" and isinstance(constraint.term, Var) and constraint.term.name not in binding:
            wanted = say("known_value")
        seen = _with_word(quoted(failure.cell, type_), constraint.term, failure.cell)
        why = self.why(
            relation,
            constraint.attr,
            "unknown" if failure.cell is None else "unmet",
            say("done_earlier", value=seen) if literal is not None and literal.past is not None else seen,
            say("known_not", wanted=wanted) if literal is not None and literal.neg else wanted,
            constraint.span or (literal.span if literal else None),
            row=known_cells(relation, row),
        )
        compared = self._compared(constraint, failure.cell, binding)
        return replace(
            why, literal=self.literal_text(literal, binding) if literal else "", similarity=compared
        )

    def _compared(self, constraint: Constraint, value: object, binding: Binding) -> Behind | None:
        """Who compared a text with the constant of a constraint, if ``~=`` decides it."""
        if constraint.op not in ops.ASKING or not isinstance(value, str):
            return None
        wanted = value_of(constraint.term, binding, self.context)
        return behind(self.context.similarity, value, wanted) if wanted not in (None, value) else None

    def _screen(self, relation: Relation, literal: Lit) -> Why:
        """A screen that does not show, with what shows instead."""
        others = [
            f"{other.short} ({first_sentence(other.doc)})" if other.doc else other.short
            for name, other in self.program.relations.items()
            if other.sort == "screen" and self.facts.of(Atom(name))
        ]
        clash = [] if others else [other.short for other in screens_at_once(self.facts, relation.module)]
        if others:
            seen = say("seen.screens", screens=joined(say("and"), others))
        elif clash:
            seen = say("seen.screens_at_once", screens=joined(say("and"), clash))
        else:
            seen = say("seen.no_screen")
        named = say("wanted.screen", screen=relation.short)
        why = self.why(relation, "", "unmet", seen, named, literal.span)
        # `screen S` is Screen(name = "S")
        names = frozenset({"Screen", "Screen.name", "name"})
        return replace(why, label=named, literal=f"screen {relation.short}", names=names)

    def _row(self, relation: Relation, literal: Lit, binding: Binding, seen: str) -> Why:
        """A condition about whole rows; `seen` is a phrase."""
        wanted = self.literal_text(literal, binding)
        why = self.why(relation, "", "unmet", seen, wanted, literal.span or literal.atom.span)
        return replace(why, literal=wanted)

    def _against(self, relation: Relation, literal: Lit, row: Row, binding: Binding) -> Why:
        """A row that a negated condition excludes."""
        why = self._row(
            relation, literal, binding, say("there_is", row=row_text(relation, known_cells(relation, row)))
        )
        attrs = {c.attr for c in literal.atom.constraints}
        names = attrs | {f"{relation.short}.{attr}" for attr in attrs}
        return replace(why, row=known_cells(relation, row), names=frozenset(names))

    def _past(self, finding: Finding) -> Why:
        """A condition on the past."""
        literal = finding.literal
        if isinstance(literal, Then):
            return self._order(finding)
        assert isinstance(literal, Lit) and literal.past is not None
        relation = self.program.relation(literal.atom.relation)
        words = say(f"opaque.{literal.past.op}")
        why = self._row(relation, literal, finding.binding, say("so" if literal.neg else "not_so"))
        names = frozenset(self.names(literal))
        return replace(why, wanted=say("not", what=words) if literal.neg else words, names=names)

    def _order(self, finding: Finding) -> Why:
        literal = finding.literal
        assert literal is not None
        text = self.literal_text(literal, finding.binding)
        return Why(
            "unmet",
            label=say("wanted.order"),
            seen=say("seen.order"),
            wanted=text,
            literal=text,
            span=literal.span,
            names=frozenset(self.names(literal)),
        )

    def _head(self, finding: Finding) -> Why:
        """A rule that derives another value."""
        rule, constraint = finding.rule, finding.constraint
        assert rule is not None and isinstance(rule.head, Derive) and constraint is not None
        relation = self.program.relation(rule.head.atom.relation)
        wanted = f"= {quoted(finding.other)}"
        return self.why(relation, constraint.attr, "unmet", quoted(finding.value), wanted, rule.span)

    def _comparison(self, finding: Finding) -> Why:
        literal, value = finding.literal, finding.value
        assert isinstance(literal, Compare)
        constraint = Constraint("", literal.op, literal.right, literal.hi)
        text = term_text(literal.left, {}, self.context)
        return Why(
            "unmet",
            label=text,
            seen=_with_word(quoted(value), literal.right, value),
            wanted=wanted_text(constraint, finding.binding, self.context),
            literal=f"{text} {wanted_text(constraint, {}, self.context)}",
            span=literal.span,
            names=needed((literal.left, literal.right)),
            similarity=self._compared(constraint, value, finding.binding),
        )

    def _aggregate(self, finding: Finding) -> Why:
        literal = finding.literal
        assert isinstance(literal, Aggregate)
        relation = self.program.relation(literal.lit.atom.relation)
        constraint = Constraint("", literal.op, literal.right, literal.hi)
        wanted = wanted_text(constraint, finding.binding, self.context)
        asked = f"{literal.attr} of " if literal.attr else ""
        inner = inner_binding(literal, finding.binding)
        text = f"{literal.fn}({asked}{self.atom_text(literal.lit.atom, inner)})"
        seen: str = quoted(finding.value)
        why = self.why(relation, literal.attr, "unmet", seen, wanted, literal.span)
        why = replace(why, label=text, literal=f"{text} {wanted}", incomplete=finding.incomplete)
        if not literal.attr:
            seen = say("of_them", value=seen)
        if finding.unread:
            unread, names = self._unread(relation, finding.unread)
            seen = say("with_unread", value=seen, unread=unread) if finding.value is not None else unread
            why = replace(why, names=why.names | names)
        if finding.seen:
            seen = say(f"seen.{finding.seen}")
        if finding.seen in ("no_row", "not_seen"):
            why = replace(why, attr="", names=frozenset({literal.attr}))
        return replace(why, seen=seen)

    def unproven(self, literal: Literal, binding: Binding, *, incomplete: bool = False) -> Why:
        """A condition that was not shown to hold, when nothing more can be said."""
        text = self.literal_text(literal, binding)
        return Why(
            "unknown",
            literal=text,
            seen=say("seen.not_shown"),
            wanted=text,
            span=literal.span,
            names=frozenset(self.names(literal)),
            incomplete=incomplete,
        )

    def met(self, literal: Literal, binding: Binding) -> list[Why]:
        """A condition that is met, with the values seen wherever it has any."""
        if isinstance(literal, Compare):
            value = value_of(literal.left, binding, self.context)
            why = self._comparison(Finding("comparison", "met", literal, binding, value=value))
            seen = "" if value is None else why.seen
            return [replace(why, state="met", seen=seen, names=frozenset())]
        if isinstance(literal, Aggregate) and literal.lit.past is None:
            atom = literal.lit.atom
            relation = self.program.relation(atom.relation)
            inner = inner_binding(literal, binding)
            candidates = matches(self.facts, atom, self.facts.of(atom), inner)
            value = folded(relation, literal, [match.row for match in candidates if not match.failures])
            wanted = wanted_text(Constraint("", literal.op, literal.right, literal.hi), binding, self.context)
            why = self.why(relation, literal.attr, "met", quoted(value), wanted, literal.span)
            return [replace(why, literal=self.literal_text(literal, inner))]
        text = self.literal_text(literal, binding)
        return [replace(why, literal=text) for why in self.witness(literal, binding)]

    def witness(self, literal: Literal, binding: Binding) -> list[Why]:
        """A condition that holds, with the values seen, one for each constraint."""
        if not isinstance(literal, Lit) or literal.neg or literal.past is not None:
            text = self.literal_text(literal, binding)
            return [
                Why("met", literal=text, wanted=text, span=literal.span, names=frozenset(self.names(literal)))
            ]
        relation = self.program.relation(literal.atom.relation)
        rows_tried = matches(self.facts, literal.atom, self.facts.of(literal.atom), binding)
        row: Mapping[str, Value] = (
            known_cells(relation, rows_tried[0].row) if rows_tried and not rows_tried[0].failures else {}
        )
        whys = self._fitting(relation, literal.atom, row, binding)
        if not whys:
            seen = say("seen.proposed") if relation.sort in ("action", "gesture") else say("so")
            text = self.atom_text(literal.atom, binding)
            whys.append(self.why(relation, "", "met", seen, text, literal.span, row=row))
        return whys

    def fitting(self, relation: Relation, atom: Atom, row: Row, binding: Binding) -> list[Why]:
        """The constraints of an atom that a row fits, with the values seen; those that only bind are left out."""
        constraints = tuple(c for c in atom.constraints if not (c.op == "=" and isinstance(c.term, Var)))
        return self._fitting(
            relation, replace(atom, constraints=constraints), known_cells(relation, row), binding
        )

    def _fitting(
        self, relation: Relation, atom: Atom, row: Mapping[str, Value], binding: Binding
    ) -> list[Why]:
        whys = []
        for constraint in atom.constraints:
            type_ = relation.attr(constraint.attr).type
            seen = quoted(row.get(constraint.attr), type_)
            wanted = wanted_text(constraint, binding, self.context, type_)
            why = self.why(relation, constraint.attr, "met", seen, wanted, constraint.span, row=row)
            compared = self._compared(constraint, row.get(constraint.attr), binding)
            whys.append(replace(why, similarity=compared))
        return whys

    def names(self, literal: Literal) -> list[str]:
        """Relations and attributes that a literal mentions."""
        if isinstance(literal, Spent):
            return [literal.relation.rpartition(".")[2], literal.relation]
        names: list[str] = []
        for use in uses((literal,)):
            if not use.after_since:
                short = use.atom.relation.rpartition(".")[2]
                attrs = [*(c.attr for c in use.atom.constraints), *use.asked]
                names += [short, use.atom.relation, *attrs, *(f"{short}.{attr}" for attr in attrs)]
        return names

    def _unread(self, relation: Relation, rows: Sequence[Match]) -> tuple[str, frozenset[str]]:
        """In words which rows were not wholly read, and the attributes that were not, as `because` may name them."""
        attrs = sorted({failure.constraint.attr for match in rows for failure in match.failures})
        listed = joined(say("and"), [f"`{attr}`" for attr in attrs])
        words = (
            say("seen.unread_one", attrs=listed)
            if len(rows) == 1
            else say("seen.unread_more", count=len(rows), attrs=listed)
        )
        return words, frozenset(name for attr in attrs for name in (attr, f"{relation.short}.{attr}"))

    def notation(self, binding: Binding) -> Notation:
        """How conditions print under a binding."""
        return notation(binding, self.context, lambda name, attr: self.program.relation(name).attr(attr).type)

    def atom_text(self, atom: Atom, binding: Binding) -> str:
        """An atom as source text."""
        return self.notation(binding).atom(atom)

    def literal_text(self, literal: Literal, binding: Binding) -> str:
        """A condition as source text."""
        return self.notation(binding).condition(literal)
