"""Constraints as phrases: after a noun (``with date today``) and as clauses (``the date is today``)."""

import re
from collections.abc import Mapping
from typing import Final

from vsalang.language.describe.nouns import Nouns, article, is_plural, truth
from vsalang.language.describe.terms import Homes
from vsalang.language.describe.values import set_words
from vsalang.program.ir import Atom, Const, Constraint, Program, Relation, Term, Type, Var
from vsalang.program.phrases import Sentence
from vsalang.program.phrases.conditions import comparison
from vsalang.program.text import join

_VERBS: Final[Mapping[str, tuple[str, str, str, str, str]]] = {
    "is": ("is", "was", "are", "were", ""),
    "does": ("does", "did", "do", "did", ""),
    "has": ("has", "had", "have", "had", "having"),
    "contains": ("contains", "contained", "contain", "contained", "containing"),
    "includes": ("includes", "included", "include", "included", "including"),
    "matches": ("matches", "matched", "match", "matched", "matching"),
}
"""The verbs of the phrases of operators: one now and before, several now and before, after a noun."""
_FORMS: Final = ("is", "was", "are", "were")

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
                joined_text = self._with(relation, c, constraints)
                if joined_text:
                    parts.append(joined_text)
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
        words = self._comparison(c, type_)
        if words.id.startswith("operator.empty"):
            return f"empty {noun}" if c.op == "=" else f"{noun} not empty"
        return f"{noun} {after_noun(words)}"

    def _comparison(self, c: Constraint, type_: Type | None) -> Sentence:
        return comparison(c.op, c.term, c.hi, type_, self._operand)

    def _operand(self, term: Term, type_: Type | None) -> str:
        if isinstance(term, Const) and isinstance(term.value, frozenset):
            return set_words(term.value, term.type)
        if isinstance(term, Const) and type_ is not None and type_.kind == "set":
            return self.homes.term(term, type_.elem)
        return self.homes.term(term, type_)

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
        if c.op == "=" and isinstance(c.term, Var):
            if self.homes.same(c.term.name, noun):
                home = self.homes.homes[c.term.name]
                return f"{be} {'that of the action' if home.owner == 'action' else 'the same'}"
            return f"{be} the same as {self.homes.term(c.term, type_)}"
        return inflected(self._comparison(c, type_), be)


def inflected(words: Sentence, be: str) -> str:
    """The phrase of an operator with the verb in the form of `be`: ``is``, ``was``, ``are`` or ``were``."""
    verb, blank, rest = words.partition(" ")
    return _VERBS[verb][_FORMS.index(be)] + blank + rest


def after_noun(words: Sentence) -> str:
    """The phrase of an operator after a noun: ``before 7 pm``, ``containing "x"``, ``other than 3``."""
    if words.id == "operator.text.!=":
        return f"other than {words.values['right']}"
    verb, _, rest = words.partition(" ")
    if verb == "does":  # does not contain
        denied, _, rest = rest.removeprefix("not ").partition(" ")
        verb = next(one for one, forms in _VERBS.items() if forms[2] == denied)
        return f"not {_VERBS[verb][4]} {rest}"
    return f"{_VERBS[verb][4]} {rest}".strip()


def are(predicate: str) -> str:
    """The clause in the plural: ``are liked`` for ``is liked``."""
    for one, many in (("is ", "are "), ("was ", "were "), ("has ", "have ")):
        if predicate.startswith(one):
            return many + predicate.removeprefix(one)
    return predicate
