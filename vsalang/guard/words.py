"""Conditions in plain words: what feedback says of a literal, with the operators' words."""

from collections.abc import Mapping
from dataclasses import replace

from vsalang.core.ir import (
    Aggregate,
    Atom,
    Compare,
    Const,
    Constraint,
    Every,
    First,
    License,
    Lit,
    Literal,
    Past,
    Program,
    Quota,
    Relation,
    Rule,
    Spent,
    Then,
    Type,
    Var,
)
from vsalang.core.ops import OPERATORS
from vsalang.core.text import line
from vsalang.guard.terms import Context, term_text

_TIMES = {"Date": "date", "Time": "time"}


class Words:
    """Says literals of one program.

    Args:
        program: whose descriptions are used.
        context: the day of the instruction, so that ``today`` reads as a date.
        names: what to say instead of a variable.
    """

    def __init__(self, program: Program, context: Context, names: Mapping[str, str] | None = None) -> None:
        self.program = program
        self.context = context
        self._names = names or {}

    def head(self, rule: Rule) -> str:
        """What a licence rule permits: ``Reserve: restaurant is "R", time is before 19:00``."""
        assert isinstance(rule.head, License)
        atom = rule.head.atom
        shown = tuple(c for c in atom.constraints if not _binds(c))
        return self.atom(replace(atom, constraints=shown))

    def condition(self, rule: Rule, literal: Literal) -> str:
        """A condition of a licence rule; values of the proposed action are named by it instead of by a variable."""
        assert isinstance(rule.head, License)
        short = self._name(rule.head.atom.relation)
        names = {
            c.term.name: f"that of {short}"
            for c in rule.head.atom.constraints
            if c.op == "=" and isinstance(c.term, Var)
        }
        return Words(self.program, self.context, names).literal(literal)

    def quota(self, quota: Quota) -> str:
        """How often, in words."""
        return {
            "one": "once",
            "either": "once, together with the other `either` rules",
            "each": "any number of times",
            "count": "once" if quota.n == 1 else f"up to {quota.n} times",
        }[quota.kind]

    def literal(self, literal: Literal) -> str:
        """A condition as a phrase."""
        match literal:
            case Lit():
                return self._lit(literal)
            case Compare():
                left = term_text(literal.left, {}, self.context)
                return f"{left} {self._right(literal.op, literal.right, literal.hi, None)}"
            case Aggregate():
                of = f"{literal.attr} of " if literal.attr else ""
                inner = self._lit(literal.lit)
                return f"{literal.fn} of {of}({inner}) {self._right(literal.op, literal.right, literal.hi, None)}"
            case Every():
                has = self.constraints(self.program.relation(literal.atom.relation), literal.has)
                return f"every {self.atom(literal.atom)} has {has}"
            case First():
                text = f"one of the first {literal.n} {self.atom(literal.atom)}"
                if literal.has is not None:
                    has = self.constraints(self.program.relation(literal.atom.relation), literal.has)
                    text = f"each of the first {literal.n} {self.atom(literal.atom)} has {has}"
                return text
            case Then():
                parts = [" and ".join(self.literal(item) for item in part) for part in literal.parts]
                return ", then ".join(parts)
            case Spent():
                return f"every permitted {self._name(literal.relation)} was done"

    def _lit(self, literal: Lit) -> str:
        text = self.atom(literal.atom)
        relation = self.program.relations.get(literal.atom.relation)
        if literal.atom.before:
            text = f"before the action, {text}"
        if literal.past is not None:
            text = self._past(text, literal.past, relation)
        return f"no {text}" if literal.neg else text

    def _past(self, text: str, past: Past, relation: Relation | None) -> str:
        done = "done" if relation is not None and relation.sort in ("action", "gesture") else "held"
        if past.op == "earlier":
            return f"{text} was {done}" if done == "done" else f"{text} {done} earlier"
        duration = term_text(past.duration, {}, self.context)
        if past.op == "within":
            return f"{text} {done} within the last {duration}"
        if past.op == "for":
            return f"{text} {done} for {duration}"
        assert past.other is not None
        return f"{text} {done} since {self.atom(past.other)}"

    def atom(self, atom: Atom) -> str:
        """An atom: its name, and its constraints in words."""
        relation = self.program.relations.get(atom.relation)
        if relation is None:
            return atom.relation
        if relation.sort == "screen":
            return f"the screen {self._name(atom.relation)} shows"
        if relation.name == "Goto" and atom.constraints:
            term = atom.constraints[0].term
            target = term.value if isinstance(term, Const) else ""
            return f"it leads to the screen {str(target).rpartition(':')[2]}"
        text = self.constraints(relation, atom.constraints)
        return f"{relation.short} ({text})" if text else relation.short

    def _name(self, relation: str) -> str:
        return relation.replace(":", ".").rpartition(".")[2]

    def constraints(self, relation: Relation, constraints: tuple[Constraint, ...]) -> str:
        """Constraints on the attributes of a relation, joined by commas."""
        return ", ".join(self._constraint(relation, c) for c in constraints)

    def _constraint(self, relation: Relation, c: Constraint) -> str:
        try:
            type_: Type | None = relation.attr(c.attr).type
        except KeyError:
            type_ = None
        return f"{c.attr} {self._right(c.op, c.term, c.hi, type_)}"

    def _right(self, op: str, term: object, hi: object, type_: Type | None) -> str:
        kind = type_.kind if type_ is not None else getattr(getattr(term, "type", None), "kind", "")
        words = OPERATORS[op].say(_TIMES.get(kind, "text"))
        if term is None:
            return words
        if isinstance(term, Var) and term.name in self._names:
            return f"{words} {self._names[term.name]}"
        right = term_text(term, {}, self.context, type_)  # type: ignore[arg-type]
        if hi is not None:
            right += " to " + term_text(hi, {}, self.context, type_)  # type: ignore[arg-type]
        return f"{words} {right}"

    def describe(self, relation: str) -> str:
        """A relation's description, quoted for messages; empty if it has none."""
        found = self.program.relations.get(relation)
        return line(found.doc) if found is not None and found.doc else ""


def _binds(constraint: Constraint) -> bool:
    return constraint.op == "=" and isinstance(constraint.term, Var)
