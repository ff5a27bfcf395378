"""Conditions as they stand in a program, and as `Why` data: with the values that are known put in."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from vsalang.core.ir import (
    Atom,
    Lit,
    Literal,
    Relation,
    Spent,
    Var,
)
from vsalang.core.show import Notation
from vsalang.core.text import first_sentence
from vsalang.core.values import Value
from vsalang.core.walk import uses
from vsalang.guard.match import Facts, Failure, Match, matches, screens_at_once
from vsalang.guard.store import Row, known_cells
from vsalang.guard.terms import Binding, notation, quoted, wanted_text
from vsalang.guard.texts import joined, say
from vsalang.guard.verdict import State, Why
from vsalang.source import Span


class Words:
    """Prints the conditions of one moment."""

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
        row: Mapping[str, Value],
        span: Span | None,
    ) -> Why:
        """A condition about a relation or one of its attributes, with its description as label."""
        label = (
            (relation.attr(attr).doc or attr)
            if attr and attr in {a.name for a in relation.attrs}
            else relation.doc
        )
        return Why(state, relation.name, attr, label, seen, wanted, row=row, span=span)

    def failed(
        self,
        relation: Relation,
        failure: Failure,
        row: Row,
        binding: Binding,
        past: bool,
        literal: Lit | None = None,
    ) -> Why:
        """A constraint that a row does not fit; `past`: the row was committed; `literal`: what it belongs to."""
        constraint = failure.constraint
        type_ = relation.attr(constraint.attr).type
        negated = literal is not None and literal.neg
        wanted = wanted_text(constraint, binding, self.context, type_)
        if constraint.op == "=" and isinstance(constraint.term, Var) and constraint.term.name not in binding:
            wanted = say("known_value")
        why = self.why(
            relation,
            constraint.attr,
            "unknown" if failure.cell is None else "unmet",
            say("done_earlier", value=quoted(failure.cell, type_)) if past else quoted(failure.cell, type_),
            say("known_not", wanted=wanted) if negated else wanted,
            known_cells(relation, row),
            constraint.span or (literal.span if literal else None),
        )
        return replace(why, literal=self.literal_text(literal, binding) if literal else "")

    def screen_why(self, relation: Relation, literal: Lit) -> Why:
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
        why = self.why(relation, "", "unmet", seen, named, {}, literal.span)
        # `screen S` is Screen(name = "S")
        names = frozenset({"Screen", "Screen.name", "name"})
        return replace(why, label=named, literal=f"screen {relation.short}", names=names)

    def row_why(self, relation: Relation, literal: Lit, binding: Binding, state: State, seen: str) -> Why:
        """A condition about whole rows; `seen` is a phrase."""
        wanted = self.literal_text(literal, binding)
        why = self.why(relation, "", state, seen, wanted, {}, literal.span or literal.atom.span)
        return replace(why, literal=wanted)

    def against(self, relation: Relation, literal: Lit, match: Match, binding: Binding) -> Why:
        """A row that a negated condition excludes."""
        cells = known_cells(relation, match.row)
        shown = ", ".join(
            f"{name} = {quoted(value, relation.attr(name).type)}" for name, value in cells.items()
        )
        why = self.row_why(
            relation, literal, binding, "unmet", say("there_is", row=f"{relation.short}({shown})")
        )
        attrs = {c.attr for c in literal.atom.constraints}
        names = attrs | {f"{relation.short}.{attr}" for attr in attrs}
        return replace(why, row=cells, names=frozenset(names))

    def unproven(self, literal: Literal, binding: Binding) -> Why:
        """A condition that was not shown to hold, when nothing more can be said."""
        text = self.literal_text(literal, binding)
        return Why(
            "unknown",
            literal=text,
            seen=say("seen.not_shown"),
            wanted=text,
            span=literal.span,
            names=frozenset(self.names(literal)),
        )

    def witness(self, literal: Literal, binding: Binding) -> list[Why]:
        """A condition that holds, with the values seen, one for each constraint."""
        if not isinstance(literal, Lit) or literal.neg or literal.past is not None:
            text = self.literal_text(literal, binding)
            return [
                Why("met", literal=text, wanted=text, span=literal.span, names=frozenset(self.names(literal)))
            ]
        relation = self.program.relation(literal.atom.relation)
        found = matches(self.facts, literal.atom, self.facts.of(literal.atom), binding)
        row: Mapping[str, Value] = (
            known_cells(relation, found[0].row) if found and not found[0].failures else {}
        )
        whys = self._fitting(relation, literal.atom, row, binding)
        if not whys:
            seen = say("seen.proposed") if relation.sort in ("action", "gesture") else say("so")
            text = self.atom_text(literal.atom, binding)
            whys.append(self.why(relation, "", "met", seen, text, row, literal.span))
        return whys

    def fitting(self, relation: Relation, atom: Atom, row: Row, binding: Binding) -> list[Why]:
        """The constraints of an atom that a row fits, with the values seen; those that only bind say nothing."""
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
            whys.append(self.why(relation, constraint.attr, "met", seen, wanted, row, constraint.span))
        return whys

    def names(self, literal: Literal) -> list[str]:
        """Relations and attributes that a literal speaks of."""
        if isinstance(literal, Spent):
            return [literal.relation.rpartition(".")[2], literal.relation]
        found: list[str] = []
        for use in uses((literal,)):
            if not use.after_since:
                short = use.atom.relation.rpartition(".")[2]
                attrs = [*(c.attr for c in use.atom.constraints), *use.asked]
                found += [short, use.atom.relation, *attrs, *(f"{short}.{attr}" for attr in attrs)]
        return found

    def unread(self, relation: Relation, rows: Sequence[Match]) -> tuple[str, frozenset[str]]:
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
        """An atom as it stands in a program."""
        return self.notation(binding).atom(atom)

    def literal_text(self, literal: Literal, binding: Binding) -> str:
        """A condition as it stands in a program."""
        return self.notation(binding).condition(literal)
