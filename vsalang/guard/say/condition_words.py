"""Conditions in plain words: what feedback says of a literal, with the operators' words."""

from collections.abc import Mapping
from dataclasses import replace

from vsalang.engine.explain.terms import Context, term_text
from vsalang.program.ir import (
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
    Program,
    Quantified,
    Quota,
    Relation,
    Rule,
    Spent,
    Term,
    Then,
    Type,
    Var,
)
from vsalang.program.phrases import FIRST, catalogue, joined, say
from vsalang.program.phrases.conditions import comparison, past
from vsalang.program.show import short_name
from vsalang.program.text import line


class ConditionWords:
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
        constraints = tuple(c for c in atom.constraints if not _binds(c))
        return self.atom(replace(atom, constraints=constraints))

    def condition(self, rule: Rule, literal: Literal) -> str:
        """A condition of a licence rule; values of the proposed action are named by it instead of by a variable."""
        assert isinstance(rule.head, License)
        short = short_name(rule.head.atom.relation)
        names = {
            c.term.name: say("words.that_of", action=short)
            for c in rule.head.atom.constraints
            if c.op == "=" and isinstance(c.term, Var)
        }
        return ConditionWords(self.program, self.context, names).literal(literal)

    def quota(self, quota: Quota) -> str:
        """How often, in words."""
        if quota.kind == "count":
            return say("quota.one") if quota.n == 1 else say("quota.count", count=quota.n)
        return say(f"quota.{quota.kind}")

    def literal(self, literal: Literal) -> str:
        """A condition as a phrase."""
        match literal:
            case Lit():
                return self._lit(literal)
            case Compare():
                left = term_text(literal.left, {}, self.context)
                right = self._right(literal.op, literal.right, literal.hi, None)
                return say("words.comparison", left=left, right=right)
            case Aggregate():
                inner = self._lit(literal.lit)
                if literal.fn == "count" and literal.hi is None and f"count.{literal.op}" in catalogue(FIRST):
                    count = say(f"count.{literal.op}", count=self._term(literal.right, None))
                    return say("words.counted", count=count, what=inner)
                right = self._right(literal.op, literal.right, literal.hi, None)
                if literal.fn == "count":
                    return say("words.count", what=inner, right=right)
                return say(
                    "words.fold", fold=say(f"fold.{literal.fn}", attr=literal.attr), what=inner, right=right
                )
            case Every():
                has = self.constraints(self.program.relation(literal.atom.relation), literal.has)
                return say("words.every", what=self.atom(literal.atom), has=has)
            case First():
                what = self.atom(literal.atom)
                if literal.has is None:
                    return say("words.first", count=literal.n, what=what)
                has = self.constraints(self.program.relation(literal.atom.relation), literal.has)
                return say("words.first_each", count=literal.n, what=what, has=has)
            case Quantified():
                has = self.constraints(self.program.relation(literal.atom.relation), literal.has or ())
                return say("words.quantified", words=literal.words, what=self.atom(literal.atom), has=has)
            case Then():
                steps = [joined(say("and"), map(self.literal, part)) for part in literal.parts]
                return joined(say("words.then"), steps)
            case Spent():
                return say("words.spent", action=short_name(literal.relation))

    def _lit(self, literal: Lit) -> str:
        if literal.past is None:
            text = self.atom(literal.atom, negated=literal.neg)
            return say("words.before", what=text) if literal.atom.before else text
        past_ = literal.past
        action = self._is_action(literal.atom)
        return past(
            past_.op,
            literal.neg,
            done=self.atom(literal.atom) if action else "",
            held="" if action else self._was(literal.atom),
            time=term_text(past_.duration, {}, self.context) if past_.duration is not None else "",
            other=self._was(past_.other) if past_.other is not None else "",
        )

    def _is_action(self, atom: Atom) -> bool:
        relation = self.program.relations.get(atom.relation)
        return relation is not None and relation.sort in ("action", "gesture")

    def _was(self, atom: Atom) -> str:
        """An atom as a clause in the past."""
        relation = self.program.relations.get(atom.relation)
        if relation is not None and relation.sort == "screen":
            return say("words.screen_was", screen=short_name(atom.relation))
        return say("past.did" if self._is_action(atom) else "past.was", what=self.atom(atom))

    def atom(self, atom: Atom, *, negated: bool = False) -> str:
        """An atom: its name, and its constraints in words."""
        relation = self.program.relations.get(atom.relation)
        if relation is not None and relation.sort == "screen":
            return say("words.no_screen" if negated else "words.screen", screen=short_name(atom.relation))
        if relation is not None and relation.name == "Goto" and atom.constraints:
            term = atom.constraints[0].term
            target = str(term.value) if isinstance(term, Const) else ""
            return say("words.no_leads" if negated else "words.leads", screen=target.rpartition(":")[2])
        inner = self.constraints(relation, atom.constraints) if relation is not None else ""
        name = relation.short if relation is not None else atom.relation
        text = say("why.place", subject=name, place=inner) if inner else name
        return say("words.no", what=text) if negated else text

    def constraints(self, relation: Relation, constraints: tuple[Constraint, ...]) -> str:
        """Constraints on the attributes of a relation, joined by commas."""
        return joined(say("words.list"), [self._constraint(relation, c) for c in constraints])

    def _constraint(self, relation: Relation, c: Constraint) -> str:
        try:
            type_: Type | None = relation.attr(c.attr).type
        except KeyError:
            type_ = None
        right = self._right(c.op, c.term, c.hi, type_)
        return say("words.comparison", left=c.attr, right=right)

    def _right(self, op: str, term: Term | None, hi: Term | None, type_: Type | None) -> str:
        return comparison(op, term, hi, type_, self._term)

    def _term(self, term: Term, type_: Type | None) -> str:
        named = self._names.get(term.name) if isinstance(term, Var) else None
        return named or term_text(term, {}, self.context, type_)

    def describe(self, relation: str) -> str:
        """A relation's description, quoted for messages; empty if it has none."""
        declared_relation = self.program.relations.get(relation)
        return line(declared_relation.doc) if declared_relation is not None and declared_relation.doc else ""


def _binds(constraint: Constraint) -> bool:
    return constraint.op == "=" and isinstance(constraint.term, Var)
