"""Scenes that are being built: what their variables stand for, and the comparisons that must hold of them."""

import datetime as dt
from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from typing import Any, TypeAlias

from vsalang.base.records import dataclass
from vsalang.engine.explain.terms import Context, value_of
from vsalang.program import ops
from vsalang.program.ir import NUMBER, TEXT, Const, Fn, Term, TextPattern, Type, Var
from vsalang.program.matchers import compiled
from vsalang.program.values import Value, same
from vsalang.program.walk import needed, terms
from vsalang.proof.prove.samples import fitting, named_values, read_as, values_of

Terms: TypeAlias = Mapping[str, Term]
Test: TypeAlias = tuple[Term, str, Term | None, Term | None]


@dataclass(frozen=True, slots=True)
class Draft:
    """A scene while it is built.

    Attributes:
        env: what variables stand for: a value, or another variable.
        nodes: what is asked of the node that a variable stands for.
        tests: comparisons that are still to be made.
        kinds: the types of variables.
        target: the variable of the node that the gesture touches.
    """

    env: Mapping[str, Any] = field(default_factory=dict)
    nodes: Mapping[str, Terms] = field(default_factory=dict)
    others: tuple[tuple[str, Terms], ...] = ()
    needs: tuple[tuple[str, Terms], ...] = ()
    tests: tuple[Test, ...] = ()
    kinds: Mapping[str, Type] = field(default_factory=dict)
    screens: frozenset[str] = frozenset()
    gesture: str = ""
    args: Terms = field(default_factory=dict)
    target: str = ""

    def walk(self, term: Term) -> Any:
        """The value of a term, else the variable or function that it is."""
        while isinstance(term, Var) and term.name in self.env:
            term = self.env[term.name]
        return term.value if isinstance(term, Const) else term

    def root(self, name: str) -> str:
        """The variable that stands for a variable and those equal to it; itself if it has a value."""
        term = self.walk(Var(name))
        return term.name if isinstance(term, Var) else name


@dataclass(eq=False)
class Equations:
    """Finds values for what is open in a draft.

    Attributes:
        today: the day of the instruction.
        left: how many steps may still be taken.
    """

    today: dt.date
    left: int = 0

    def equal(self, draft: Draft, left: Term, right: Term) -> Iterator[Draft]:
        """The ways in which two terms are equal."""
        one, other = self._plain(draft, left), self._plain(draft, right)
        if one is None or other is None:
            return
        if isinstance(other, Var) and not isinstance(one, Var):
            one, other = other, one
        if isinstance(one, Var):
            if isinstance(other, Var):
                yield from self._joined(draft, one.name, other.name)
            elif isinstance(other, Fn):
                yield replace(draft, tests=(*draft.tests, (one, "=", other, None)))
            elif one.name not in draft.nodes:  # which number a node has is not chosen
                yield replace(draft, env={**draft.env, one.name: const(other)})
        elif isinstance(one, Fn) and isinstance(other, Fn):
            yield replace(draft, tests=(*draft.tests, (one, "=", other, None)))
        elif isinstance(one, Fn) or isinstance(other, Fn):
            fn, value = (one, other) if isinstance(one, Fn) else (other, one)
            for argument in read_as(fn, value) if fn.args else ():
                bare = replace(fn, args=(const(argument), *fn.args[1:]))
                if same(self.value(draft, bare), value):
                    yield from self.equal(draft, fn.args[0], const(argument))
        elif ops.holds("=", one, other):
            yield draft

    def _plain(self, draft: Draft, term: Term) -> Any:
        """A value, a variable that has none, or a function of one; None: a function that is undefined."""
        walked_term = draft.walk(term)
        if isinstance(walked_term, Fn) and not any(
            isinstance(draft.walk(Var(n)), Var | Fn) for n in needed(walked_term)
        ):
            return self.value(draft, walked_term)
        return walked_term

    def _joined(self, draft: Draft, one: str, other: str) -> Iterator[Draft]:
        if one == other:
            yield draft
            return
        if one in draft.nodes and other not in draft.nodes:
            one, other = other, one
        nodes = dict(draft.nodes)
        mine = nodes.pop(one, {})
        kinds = {**draft.kinds}
        if one in kinds:
            kinds.setdefault(other, kinds[one])
        drafts = [replace(draft, env={**draft.env, one: Var(other)}, nodes=nodes, kinds=kinds)]
        for attr, term in mine.items():
            next_drafts: list[Draft] = []
            for now in drafts:
                name = now.root(other)
                if attr in now.nodes[name]:
                    next_drafts += self.equal(now, now.nodes[name][attr], term)
                else:
                    next_drafts.append(with_cell(now, name, attr, term))
            drafts = next_drafts
        for now in drafts:
            name = now.root(other)
            if name not in now.nodes or name not in above(now, name)[1:]:
                yield now

    def value(self, draft: Draft, term: Term | None, also: Mapping[str, Value] | None = None) -> Any:
        """The value of a term; None where it is undefined or something is open in it."""
        names = [part.name for part in terms(term) if isinstance(part, Var)] if term is not None else []
        binding = {name: draft.walk(Var(name)) for name in names}
        known = {n: v for n, v in binding.items() if not isinstance(v, Var | Fn)}
        context = Context(self.today, dt.datetime.combine(self.today, dt.time(12)))
        return value_of(term, {**known, **(also or {})}, context)

    # ------------------------------------------------------------ comparisons

    def settled(self, draft: Draft) -> Iterator[Draft]:
        """With all comparisons made; what is open in them gets a value."""
        self.left -= 1
        if self.left < 0:
            return
        if not draft.tests:
            yield draft
            return
        for index, test in enumerate(draft.tests):
            rest = replace(draft, tests=draft.tests[:index] + draft.tests[index + 1 :])
            after = self._made(rest, test)
            if after is not None:
                for now in after:
                    yield from self.settled(now)
                return
        left, _, right, hi = draft.tests[0]
        names = [
            name for name in (*needed((left,)), *needed((right, hi))) if draft.root(name) not in draft.nodes
        ]
        open_ = sorted({draft.root(n) for n in names if isinstance(draft.walk(Var(n)), Var)})
        if not open_:  # numbers of nodes are compared by the guard
            yield from self.settled(replace(draft, tests=draft.tests[1:]))
            return
        near = named_values([term for test in draft.tests for term in (test[0], test[2], test[3])])
        for value in values_of(draft.kinds.get(open_[0], NUMBER), near, self.today):
            for now in self.equal(draft, Var(open_[0]), const(value)):
                yield from self.settled(now)

    def _made(self, draft: Draft, test: Test) -> list[Draft] | None:
        """What follows from a comparison; None where too much is open in it."""
        left, op, right, hi = test
        value = self._plain(draft, left)
        if op == "matches" and isinstance(right, TextPattern):
            return list(self._matched(draft, left, value, right))
        if op == "=" and right is not None:
            other = self._plain(draft, right)
            both = [side for side in (value, other) if isinstance(side, Var | Fn)]
            if len(both) == 2 and any(isinstance(side, Fn) for side in both):
                return None
            return list(self.equal(draft, left, right))
        if op == "in" and isinstance(value, Var) and right is not None and not hi:
            return [now for item in getattr(right, "items", ()) for now in self.equal(draft, left, item)]
        open_ = [n for n in needed((left, right, hi)) if isinstance(draft.walk(Var(n)), Var | Fn)]
        if open_ or isinstance(value, Var | Fn):
            return None
        fits = ops.holds(op, value, self.value(draft, right), self.value(draft, hi))
        return [draft] if fits else []

    def _matched(self, draft: Draft, left: Term, value: Any, regex: TextPattern) -> Iterator[Draft]:
        pattern = compiled(regex)
        names = dict(zip(pattern.groups, regex.groups, strict=True))
        wanted = {group: draft.walk(Var(name)) for group, name in names.items()}
        captured = {group: text for group, text in wanted.items() if isinstance(text, str)}
        texts = fitting(regex, captured) if isinstance(value, Var) else [value]
        for text in texts:
            groups = pattern.search(text) if isinstance(text, str) else None
            if groups is None:
                continue
            drafts = list(self.equal(draft, left, const(text)))
            for group, name in names.items():
                got = groups[group]
                if got is not None:
                    drafts = [now for one in drafts for now in self.equal(one, Var(name), const(got))]
            yield from drafts


def const(value: Any) -> Const:
    """A value as a term; its type is not looked at."""
    return Const(value, TEXT)


def with_node(draft: Draft, name: str) -> Draft:
    """The draft with a node for a variable."""
    return draft if name in draft.nodes else replace(draft, nodes={**draft.nodes, name: {}})


def with_cell(draft: Draft, name: str, attr: str, term: Term) -> Draft:
    """The draft with a cell of a node."""
    return replace(draft, nodes={**draft.nodes, name: {**draft.nodes[name], attr: term}})


def above(draft: Draft, name: str) -> list[str]:
    """The node and those in which it hangs."""
    names: list[str] = []
    while name in draft.nodes:
        if name in names:
            return [*names, name]
        names.append(name)
        parent = draft.nodes[name].get("parent")
        outer = draft.walk(parent) if parent is not None else None
        if not isinstance(outer, Var):
            break
        name = outer.name
    return names
