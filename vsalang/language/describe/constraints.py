"""Constraints as phrases: after a noun (``with date today``) and as clauses (``the date is today``)."""

import re
from typing import Final

from vsalang.language.describe.nouns import Nouns, article, is_plural, truth
from vsalang.language.describe.terms import Homes
from vsalang.language.describe.values import join, set_words
from vsalang.program.ir import Atom, Choice, Const, Constraint, Fn, Program, Relation, Type, Var
from vsalang.program.values import NONE

_WITH = {
    "!=": "other than", "<": "less than", "<=": "at most", ">": "more than", ">=": "at least",
    "contains": "containing", "not contains": "not containing", "matches": "matching", "not matches": "not matching",
    "~=": "similar in meaning to", "!~=": "not similar in meaning to",
}  # fmt: skip
_SETS_WITH = {
    "contains": "including", "not contains": "without",
    "subset": "with nothing but", "not subset": "with something other than",
}  # fmt: skip
_TIMES = {"<": "before", ">": "after"}

INDIRECT: Final = re.compile(r"it (?:is|was)(?: not)? (?:true|so) that ")
"""Clauses that cannot follow ``that``, or whose ``it`` cannot be replaced."""


class Constraints:
    """Describes the constraints of one rule.

    Args:
        program: its descriptions give the words.
        nouns: of its relations and attributes.
        homes: of the variables of the rule.
    """

    def __init__(self, program: Program, nouns: Nouns, homes: Homes) -> None:
        self.program = program
        self.nouns = nouns
        self.homes = homes

    def _details(self, relation: Relation, atom: Atom) -> str:
        return self.row(relation, atom.constraints, "")

    def row(
        self,
        relation: Relation,
        constraints: tuple[Constraint, ...],
        named: str,
        *,
        was: bool = False,
        many: bool = False,
        labelled: bool = True,
    ) -> str:
        """The phrase that follows a noun: `` with date today and the same time, where a table is free``."""
        parts: list[str] = []
        that: list[str] = []
        where: list[str] = []
        for c in constraints:
            bool_ = self._truth(relation, c, was)
            if bool_ is None:
                said = self._with(relation, c, constraints)
                if said:
                    parts.append(said)
            elif (
                bool_.startswith("it ")
                and not INDIRECT.match(bool_)
                and labelled
                and relation.sort not in ("action", "gesture")
            ):
                that.append(are(bool_[3:]) if many else bool_[3:])
            else:
                where.append(bool_)
        lead = " with " if labelled else " "
        text = named + (lead + join(parts) if parts else "")
        if that:
            text += (" that " if not parts else ", which ") + join(that)
        if where:
            text += (" where " if not labelled or not parts else ", where ") + join(where)
        return text

    def _truth(self, relation: Relation, c: Constraint, was: bool) -> str | None:
        if c.op not in ("=", "!=") or not isinstance(c.term, Const) or not isinstance(c.term.value, bool):
            return None
        try:
            words = truth(relation.attr(c.attr))
        except KeyError:
            return None
        return None if words is None else words.say(c.term.value == (c.op == "="), was)

    def type_of(self, relation: Relation, attr: str) -> Type | None:
        """The type of an attribute; None if there is none of that name (``row`` of a list)."""
        try:
            return relation.attr(attr).type
        except KeyError:
            return None

    def _with(self, relation: Relation, c: Constraint, others: tuple[Constraint, ...]) -> str:
        noun = self.nouns.attr(relation, c.attr)
        if isinstance(c.term, Var) and c.op == "=":
            if self.homes.is_home(c):
                if any(o.attr == c.attr and o is not c for o in others):
                    return ""
                return self._introduced(noun, c.term.name)
            if self.homes.same(c.term.name, noun) or self.homes.elements.touched(c.term.name, noun):
                return f"the same {noun}"
            return f"{noun} equal to {self.homes.term(c.term)}"
        return self._with_noun(noun, c, self.type_of(relation, c.attr))

    def _introduced(self, noun: str, variable: str) -> str:
        if self.homes.uses[variable] <= 1:
            return f"a known {noun}"
        return (noun if is_plural(noun) else article(noun)) + self.homes.called(variable)

    def _with_noun(self, noun: str, c: Constraint, type_: Type | None) -> str:
        if c.op == "known":
            return f"a known {noun}"
        if c.op == "unknown":
            return f"an unknown {noun}"
        value = c.term.value if isinstance(c.term, Const) else None
        if value is NONE and c.op in ("=", "!="):
            return f"{noun} absent (none)" if c.op == "=" else f"{noun} present (not none)"
        if value in ("", frozenset()) and c.op == "=":
            return f"empty {noun}"
        if c.op == "=":
            return f"{noun} {self._operand(c, type_)}"
        return f"{noun} {self._compared(c, type_)}"

    def _compared(self, c: Constraint, type_: Type | None) -> str:
        """Operator and right side without a verb: ``before 7 pm (19:00)``; ``=`` has its verb outside."""
        kind = _kind(type_, c)
        right = self._operand(c, type_)
        if c.op == "in":
            return f"from {right} to {self.homes.term(c.hi, type_)}" if c.hi is not None else right
        if c.op == "not in":
            if c.hi is not None:
                return f"outside {right} to {self.homes.term(c.hi, type_)}"
            assert isinstance(c.term, Choice | Var) or c.term is not None
            items = c.term.items if isinstance(c.term, Choice) else ()
            if len(items) > 1:
                said = [self.homes.term(item, type_) for item in items]
                return f"neither {' nor '.join(said)}" if len(said) == 2 else f"none of {join(said)}"
            return f"other than {right}"
        if kind in ("Date", "Time"):
            if c.op in _TIMES and isinstance(c.term, Fn) and c.term.args:
                return f"{'earlier' if c.op == '<' else 'later'} than {right}"
            if c.op in _TIMES:
                return f"{_TIMES[c.op]} {right}"
            if c.op in ("<=", ">="):
                return f"{right} or {'earlier' if c.op == '<=' else 'later'}"
        if kind == "set" and c.op in _SETS_WITH:
            return f"{_SETS_WITH[c.op]} {right}"
        if c.op in _WITH:
            return f"{_WITH[c.op]} {right}"
        return right if c.op == "=" else f"{c.op} {right}"

    def _operand(self, c: Constraint, type_: Type | None) -> str:
        if isinstance(c.term, Const) and isinstance(c.term.value, frozenset):
            return set_words(c.term.value, c.term.type)
        if isinstance(c.term, Const) and type_ is not None and type_.kind == "set":
            return self.homes.term(c.term, type_.elem)
        return self.homes.term(c.term, type_)

    def clause(
        self,
        relation: Relation,
        c: Constraint,
        *,
        was: bool = False,
        others: tuple[Constraint, ...] = (),
        owner: str = "the",
    ) -> str:
        """A constraint as a clause: ``the time is before 7 pm (19:00)``; empty if it only names a value."""
        bool_ = self._truth(relation, c, was)
        if bool_ is not None:
            return bool_
        noun = self.nouns.attr(relation, c.attr)
        if isinstance(c.term, Var) and c.op == "=" and self.homes.is_home(c):
            if self.homes.uses[c.term.name] > 1 and not any(o.attr == c.attr and o is not c for o in others):
                return f"{owner} {noun} {'was' if was else 'is'} known{self.homes.called(c.term.name)}"
            return ""
        type_ = self.type_of(relation, c.attr)
        plural_ = is_plural(noun)
        be = ("were" if plural_ else "was") if was else ("are" if plural_ else "is")
        return f"{owner} {noun} {self.predicate(noun, c, type_, be)}"

    def asks_a_value(self, relation: Relation, c: Constraint) -> bool:
        """Whether a constraint asks only that the cell is known, and its clause gives the value no name."""
        if self._truth(relation, c, False) is not None:
            return False
        if isinstance(c.term, Var) and c.op == "=" and self.homes.is_home(c):
            return not self.homes.called(c.term.name)
        return c.op == "known"

    def predicate(self, noun: str, c: Constraint, type_: Type | None, be: str) -> str:
        """Verb, operator and right side: ``is before 7 pm (19:00)``."""
        if c.op in ("known", "unknown"):
            return f"{be} {c.op}"
        value = c.term.value if isinstance(c.term, Const) else None
        if value is NONE and c.op in ("=", "!="):
            return f"{be} {'absent (none)' if c.op == '=' else 'present (not none)'}"
        if value == "" and c.op in ("=", "!="):
            return f"{be}{'' if c.op == '=' else ' not'} empty"
        kind = _kind(type_, c)
        right = self._operand(c, type_)
        if c.op == "=":
            if isinstance(value, frozenset):
                return f"{be} exactly {right}" if value else f"{be} empty"
            if isinstance(c.term, Var) and self.homes.same(c.term.name, noun):
                home = self.homes.found[c.term.name]
                return f"{be} {'that of the action' if home.owner == 'action' else 'the same'}"
            return f"{be} {'the same as ' if isinstance(c.term, Var) else ''}{right}"
        if c.op == "!=":
            return f"{be} not {right}"
        past = be in ("was", "were")
        verbs = {
            "contains": ("contains", "contained"), "not contains": ("does not contain", "did not contain"),
            "matches": ("matches", "matched"), "not matches": ("does not match", "did not match"),
        }  # fmt: skip
        if kind == "set":
            have = "had" if past else "have" if be == "are" else "has"
            said = {
                "contains": f"{'included' if past else 'include' if be == 'are' else 'includes'} {right}",
                "not contains": f"{'did' if past else 'do' if be == 'are' else 'does'} not include {right}",
                "subset": f"{have} nothing but {right}",
                "not subset": f"{have} something other than {right}",
            }
            if c.op in said:
                return said[c.op]
        if c.op in verbs:
            return f"{verbs[c.op][past]} {right}"
        return f"{be} {self._compared(c, type_)}"


def are(predicate: str) -> str:
    """The clause in the plural: ``are liked`` for ``is liked``."""
    for one, many in (("is ", "are "), ("was ", "were "), ("has ", "have ")):
        if predicate.startswith(one):
            return many + predicate.removeprefix(one)
    return predicate


def _kind(type_: Type | None, c: Constraint) -> str:
    if type_ is not None:
        return type_.kind
    for term in (c.term, c.hi):
        found = getattr(term, "type", None)
        if isinstance(found, Type):
            return found.kind
    if isinstance(c.term, Choice) and c.term.items:
        return getattr(getattr(c.term.items[0], "type", None), "kind", "")
    return ""
