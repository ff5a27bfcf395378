"""What the definitions of a program ask for, and how their patterns are read: made once, and used in each moment."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from typing import Final

from vsalang.base.once import once_each
from vsalang.base.records import dataclass
from vsalang.engine.explain.open_rows import can_be_open, can_have_texts, with_texts_of
from vsalang.program.graph import reachable
from vsalang.program.ir import (
    Aggregate,
    Atom,
    Derive,
    Every,
    First,
    Literal,
    Names,
    Program,
    Recognize,
    Rule,
    TextPattern,
)
from vsalang.program.matchers import compiled
from vsalang.program.reading import adding_duty
from vsalang.program.walk import parts, relations, sources

_MOST_GROUPS: Final = 512
_MOST: Final = 20_000
"""Of so many patterns and texts is remembered how they are read."""


@dataclass(frozen=True, slots=True)
class Requirements:
    """What conditions ask, through definitions, too.

    Attributes:
        openable: the relations that are not derived and of which a cell can be open, each with the attributes that are
            asked for; an empty one: whether there is a row.
        with_texts: those whose rows can have texts; ``Node`` for others that give the same ones.
        patterns: of the definitions, in both ways to read them.
        names: those of them that ask whom a text names.
        added: for texts whether the `patterns` (False), or the `names` (True), read one of them otherwise where they
            add duty: remembered by `vsalang.engine.explain.supposing`.
    """

    openable: tuple[tuple[str, frozenset[str]], ...]
    with_texts: tuple[str, ...]
    patterns: tuple[TextPattern, ...]
    names: tuple[Names, ...]
    added: dict[tuple[bool, frozenset[str]], bool] = field(default_factory=dict, compare=False, repr=False)


class Definitions:
    """The definitions of a program: made once, and used in each of its moments.

    Attributes:
        rules: of each derived relation, with their patterns as what demands duty reads them.
        denied: the same, where it demands duty that the relation does not hold.
        own: the patterns of each of these rules, in both ways to read them, by its id.
        recursive: the derived relations that follow from themselves.
        in_doubt: what `vsalang.engine.explain.supposing` remembers of rules.
        sources: of each rule that recognises, by its id, its conditions with those of each source of parameters.
    """

    def __init__(self, program: Program) -> None:
        self.rules: dict[str, list[Rule]] = {}
        self.denied: dict[str, list[Rule]] = {}
        self.own: dict[str, tuple[TextPattern, ...]] = {}
        self._reads: dict[str, set[str]] = {}
        defining: list[Rule] = []
        for rule in program.rules:
            if isinstance(rule.head, Derive):
                name, read = rule.head.atom.relation, _read(rule)
                self.rules.setdefault(name, []).append(read.adding)
                self.denied.setdefault(name, []).append(read.denied)
                self.own[rule.id] = read.patterns
                self._reads.setdefault(name, set()).update(read.relations)
                defining += (read.adding, read.denied)
        self.recursive = frozenset(
            name for name, read in self._reads.items() if name in reachable(read, self._reads)
        )
        self.sources = {
            rule.id: _bodies_of(rule)
            for rule in program.rules
            if isinstance(rule.head, Recognize) and rule.extra
        }
        bodies = [rule.body for rule in (*program.rules, *defining)]
        bodies += [body for each in self.sources.values() for body in each]
        self._bodies = {id(body): body for body in bodies}
        self._asked: dict[int, Requirements] = {}
        self._relations = program.relations
        self._groups: dict[Hashable, Requirements] = {}
        self.in_doubt: dict[Hashable, tuple[Rule, ...]] = {}
        self._adds: dict[tuple[int, str], tuple[TextPattern, bool]] = {}
        self._below: dict[str, tuple[Mapping[str, frozenset[str]], tuple[TextPattern, ...]]] = {}

    def asked(self, body: Sequence[Literal]) -> Requirements:
        """What conditions ask of relations that are not derived; of the body of a rule it is found out once."""
        key = id(body)
        requirements = self._asked.get(key)
        if requirements is None:
            requirements = self._asked_by(tuple(body))
            if self._bodies.get(key) is body:
                self._asked[key] = requirements
        return requirements

    def _asked_by(self, body: tuple[Literal, ...]) -> Requirements:
        own = _asked_of(body) if id(body) in self._bodies else _Body.of(body)
        attributes = {name: set(attrs) for name, attrs in own.attributes.items()}
        patterns: dict[TextPattern, None] = {}
        for name in sorted(own.relations & self.rules.keys()):
            below, read = self._asked_below(name)
            for relation, attrs in below.items():
                attributes.setdefault(relation, set()).update(attrs)
            patterns.update(dict.fromkeys(read))
        names = tuple(name for name in sorted(attributes) if name not in self.rules)
        return Requirements(
            tuple((name, frozenset(attributes[name])) for name in names if self._can_be_open(name)),
            self._with_texts(names),
            tuple(patterns),
            tuple(pattern for pattern in patterns if isinstance(pattern, Names)),
        )

    def asked_by(self, rules: Sequence[Rule], name: Hashable) -> Requirements:
        """What some rules ask, all together; found out once for each name of such rules."""
        known = self._groups.get(name)
        if known is None:
            if len(self._groups) >= _MOST_GROUPS:
                self._groups.clear()
            bodies = [body for rule in rules for body in (rule.body, *self.sources.get(rule.id, ()))]
            each = [self.asked(body) for body in bodies]
            openable: dict[str, frozenset[str]] = {}
            for asked in each:
                for relation, attrs in asked.openable:
                    openable[relation] = openable.get(relation, frozenset()) | attrs
            known = self._groups[name] = Requirements(
                tuple(openable.items()),
                tuple(dict.fromkeys(relation for asked in each for relation in asked.with_texts)),
                tuple(dict.fromkeys(pattern for asked in each for pattern in asked.patterns)),
                tuple(pattern for asked in each for pattern in asked.names),
            )
        return known

    def _can_be_open(self, name: str) -> bool:
        relation = self._relations.get(name)
        return relation is not None and can_be_open(relation)

    def _with_texts(self, names: Iterable[str]) -> tuple[str, ...]:
        sources = dict.fromkeys(map(with_texts_of, names))
        relations = self._relations
        return tuple(name for name in sources if name in relations and can_have_texts(relations[name]))

    def adds(self, pattern: TextPattern, text: str) -> bool:
        """Whether a pattern matches a text, or does not, only because it adds duty: found out once."""
        key = (id(pattern), text)
        known = self._adds.get(key)
        if known is None:
            if len(self._adds) >= _MOST:
                self._adds.clear()
            # it keeps the pattern, so that no other one gets its identity
            known = self._adds[key] = (pattern, adds(pattern, text))
        return known[1]

    def _asked_below(self, name: str) -> tuple[Mapping[str, frozenset[str]], tuple[TextPattern, ...]]:
        """What a derived relation asks, through other definitions, too: attributes by relation, and patterns."""
        known = self._below.get(name)
        if known is None:
            below = sorted(reachable({name}, self._reads) & self.rules.keys())
            rules = [rule for each in below for rule in self.rules[each]]
            attributes = _merged(rule.body for rule in rules)
            patterns = dict.fromkeys(pattern for rule in rules for pattern in self.own[rule.id])
            known = self._below[name] = (
                {relation: frozenset(attrs) for relation, attrs in attributes.items()},
                tuple(patterns),
            )
        return known


def adds(term: object, text: object) -> bool:
    """Whether a pattern matches a text, or does not, only because it adds duty."""
    return isinstance(term, TextPattern) and compiled(term).adds(text)


@dataclass(frozen=True, slots=True)
class _Body:
    """What a body asks.

    Attributes:
        attributes: by relation those that it asks for; an empty one: whether there is a row.
        relations: that its atoms name.
    """

    attributes: Mapping[str, frozenset[str]]
    relations: frozenset[str]

    @classmethod
    def of(cls, body: tuple[Literal, ...]) -> "_Body":
        """What these conditions ask."""
        attributes = {name: frozenset(attrs) for name, attrs in _attributes(body).items()}
        return cls(attributes, relations(body))


_asked_of = once_each(_Body.of)


@dataclass(frozen=True, slots=True)
class _Definition:
    """A rule that defines a relation.

    Attributes:
        adding: with its patterns as what demands duty reads them.
        denied: the same, where it demands duty that the relation does not hold.
        patterns: in both ways to read them.
        relations: that its conditions name.
    """

    adding: Rule
    denied: Rule
    patterns: tuple[TextPattern, ...]
    relations: frozenset[str]


@once_each
def _read(rule: Rule) -> _Definition:
    adding, denied = _adding_duty(rule, holding=True), _adding_duty(rule, holding=False)
    return _Definition(adding, denied, (*_regexes(adding), *_regexes(denied)), relations(adding.body))


@once_each
def _bodies_of(rule: Rule) -> tuple[tuple[Literal, ...], ...]:
    """The conditions of a rule that recognises, with those of each source of parameters."""
    parts_of = sources(rule)
    return tuple((*rule.body, *parts_of.of_all, *source) for source in parts_of.each)


def _merged(bodies: Iterable[tuple[Literal, ...]]) -> dict[str, set[str]]:
    """The attributes that bodies ask for, by relation."""
    merged: dict[str, set[str]] = {}
    for body in bodies:
        for name, attrs in _asked_of(body).attributes.items():
            merged.setdefault(name, set()).update(attrs)
    return merged


def _attributes(bodies: tuple[object, ...]) -> dict[str, set[str]]:
    """The attributes that conditions ask for, by relation; an empty one: whether there is a row."""
    attributes: dict[str, set[str]] = {}
    for part in parts(bodies):
        match part:
            case Atom():
                asked = {each.attr for each in part.constraints if each.op != "unknown"}
                attributes.setdefault(part.relation, {""}).update(asked)
            case Aggregate():
                attributes.setdefault(part.lit.atom.relation, {""}).add(part.attr)
            case Every() | First():
                attributes.setdefault(part.atom.relation, {""}).update(each.attr for each in part.has or ())
    return attributes


def _regexes(rule: Rule) -> list[TextPattern]:
    return [part for part in parts(rule.body) if isinstance(part, TextPattern)]


def _adding_duty(rule: Rule, *, holding: bool) -> Rule:
    body = tuple(adding_duty(literal, holding=holding) for literal in rule.body)
    return rule if body == rule.body else replace(rule, body=body)
