"""Rules in a form in which order, the names of variables and the names of definitions make no difference."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from vsalang.program import ir
from vsalang.program.ir import Derive, Program, Rule

_PLACES = ("span", "head_span")
_MARK = "\ue000"
"""Stands before and after the name of a variable; in what constants print it is escaped."""


@dataclass(eq=False)
class Canonical:
    """Forms of the rules of one program."""

    program: Program
    _definitions: dict[str, str] = field(default_factory=dict)

    def rule(self, rule: Rule) -> str:
        """What the rule says: equal for rules that differ only in order and in names of their own."""
        head = self._head(rule.head)
        return _named([head, *self._all(rule.body), "with", *self._all(rule.extra)])

    def condition(self, item: object, names: Mapping[str, str]) -> str:
        """What a condition says, with these names for its variables; the others are numbered."""
        return _named(["", self._item(item)], names)

    def _head(self, head: ir.Head) -> str:
        if isinstance(head, ir.Judge):
            return head.level
        if isinstance(head, ir.License):
            return f"{head.quota.kind} {head.quota.n} {self._item(head.atom)}"
        if isinstance(head, ir.Expect):
            return "expect " + "; ".join(sorted(self._all(head.literals)))
        if isinstance(head, Derive):
            return self._item(head.atom.constraints)
        return self._item(head)

    def _all(self, items: Iterable[object]) -> list[str]:
        return [self._item(item) for item in items]

    def _item(self, item: object) -> str:
        """A part of a rule, with its variables as its name between marks."""
        match item:
            case ir.Var(name):
                return _variable(name)
            case ir.Const(value, type_):
                content = sorted(value) if isinstance(value, frozenset) else value
                return f"{type_.kind}:{content!r}"
            case ir.Atom(relation, constraints, before):
                parts = sorted(self._all(constraints), key=_nameless)
                return f"{'before ' * before}{self._relation(relation)}({', '.join(parts)})"
            case ir.Choice(items):
                return "{" + ", ".join(sorted(self._all(items))) + "}"
            case ir.Regex(source, flags, groups, reading):
                return f"/{source}/{flags} {reading} {' '.join(map(_variable, groups))}"
            case ir.Words(_, forms, whole, reading):
                return f"words {sorted(forms)} {whole} {reading}"
            case ir.Every(atom, has) | ir.First(_, atom, has):
                kind = "every" if isinstance(item, ir.Every) else f"first {item.n}"
                tests = sorted(self._all(has), key=_nameless) if has is not None else "row"
                return f"{kind} {self._item(atom)} has {tests}"
            case ir.Then(parts):
                groups_ = [" & ".join(sorted(self._all(part), key=_nameless)) for part in parts]
                return f"({' then '.join(groups_)})"
            case ir.Spent(relation):
                return f"all {relation}"
            case ir.Aggregate(group=group):
                inner = [self._item(part) for part in (item.lit, item.right, item.hi)]
                return f"{item.fn}({item.attr} of {inner}) {item.op} by {sorted(map(_variable, group), key=_nameless)}"
            case ir.Fn(name, args):
                return f"{name}({', '.join(self._all(args))})"
            case tuple():
                return "; ".join(sorted(self._all(item), key=_nameless))
            case (
                ir.Constraint()
                | ir.Compare()
                | ir.Lit()
                | ir.Past()
                | ir.Recognize()
                | ir.Mark()
                | ir.Write()
            ):
                fields = [
                    name for name in type(item).__dataclass_fields__ if name not in (*_PLACES, "reading")
                ]
                return f"{type(item).__name__} " + " ".join(self._item(getattr(item, n)) for n in fields)
        return repr(item)

    def _relation(self, name: str) -> str:
        """A relation's name; of a definition what it says, so that its own name makes no difference."""
        rel = self.program.relations.get(name)
        if rel is None or rel.sort != "derived":
            return name
        if name not in self._definitions:
            self._definitions[name] = name  # within itself: a recursive definition keeps its name
            rules = [
                self.rule(rule)
                for rule in self.program.rules
                if isinstance(rule.head, Derive) and rule.head.atom.relation == name
            ]
            if rules:
                text = "\n".join(sorted(rules))
                self._definitions[name] = f"define {hashlib.sha256(text.encode()).hexdigest()[:16]}"
        return self._definitions[name]


def _variable(name: str) -> str:
    return f"{_MARK}{name}{_MARK}"


def _nameless(text: str) -> str:
    """A text with its variables made alike, for an order that does not depend on their names."""
    return "?".join(text.split(_MARK)[::2])


def _named(parts: list[str], names: Mapping[str, str] = MappingProxyType({})) -> str:
    """The parts in an order of their own, their variables numbered as they come where they have no name."""
    head, rest = parts[0], sorted(parts[1:], key=_nameless)
    pieces = "\n".join([head, *rest]).split(_MARK)
    numbers: dict[str, int] = {}
    for index in range(1, len(pieces), 2):
        known = names.get(pieces[index])
        pieces[index] = known or str(numbers.setdefault(pieces[index], len(numbers)))
    return "?".join(pieces)
