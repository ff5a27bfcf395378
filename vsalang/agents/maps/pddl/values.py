"""Which values a planner takes into account: a finite set for each class of columns that rules compare.

Columns and variables that a rule sets equal are in one class. Its values are the constants that rules compare it with,
those that are believed at the start, and, where rules ask for more than equality, values next to them.
"""

import datetime as dt
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Final, TypeAlias

from vsalang.agents.maps.pddl.notation import Draft, Names
from vsalang.engine.explain.terms import Context, value_of
from vsalang.program.ir import Atom, Choice, Compare, Rule, Term, TextPattern, Type, Var
from vsalang.program.show import short_name
from vsalang.program.values import NONE, Value, same, show, tag
from vsalang.program.walk import atoms, conditions, head_atom, literals
from vsalang.proof.prove.samples import values_of

Node: TypeAlias = tuple[str, str, str]
"""``("column", relation, attribute)``, ``("var", rule, variable)`` or ``("type", name, "")``."""

MAX_VALUES: Final = 60
"""More values of one class are not taken into account."""


def on_day(today: dt.date) -> Context:
    """What terms read on a day: its first minute, and no similarity but the usual one."""
    return Context(today, dt.datetime.combine(today, dt.time()))


def ground(term: Term | None, today: dt.date) -> Value | None:
    """The value of a term without variables; None if it has some, is undefined, or is not a single value."""
    if isinstance(term, Choice | TextPattern):
        return None
    value: Value | None = value_of(term, {}, on_day(today))
    return value


class Values:
    """The classes of the columns of some rules.

    Args:
        types: of each column.
        known: values that are believed, by column.
    """

    def __init__(
        self,
        rules: Iterable[Rule],
        types: Mapping[tuple[str, str], Type],
        known: Mapping[tuple[str, str], Iterable[Value]],
        today: dt.date,
    ) -> None:
        self._up: dict[Node, Node] = {}
        self._types = types
        self._today = today
        self._constants: dict[Node, list[Value]] = {}
        self._compared: set[Node] = set()
        for (relation, attr), type_ in types.items():
            node = ("column", relation, attr)
            if type_.kind in ("Bool", "enum"):
                self._join(node, ("type", str(type_) if not type_.name else type_.name, ""))
            self._constants.setdefault(node, []).extend(known.get((relation, attr), ()))
        for rule in rules:
            self._read(rule)
        self._values = self._all()

    # ------------------------------------------------------------ classes

    def root(self, node: Node) -> Node:
        """The class of a column or variable."""
        while node in self._up:
            node = self._up[node]
        return node

    def column(self, relation: str, attr: str) -> Node:
        """The class of a column."""
        return self.root(("column", relation, attr))

    def title(self, root: Node) -> str:
        """What a class is called: as its enum or type, else as the first of its columns."""
        columns = (column for column in self._types if self.column(*column) == root)
        relation, attr = next(columns, ("", root[2]))
        type_ = self._types.get((relation, attr))
        named = type_.name if type_ is not None and type_.kind == "enum" else ""
        return "bool" if type_ is not None and type_.kind == "Bool" else short_name(named) if named else attr

    def of(self, root: Node) -> Sequence[Value]:
        """The values of a class."""
        return self._values.get(root, ())

    def _join(self, one: Node, other: Node) -> None:
        one, other = self.root(one), self.root(other)
        if one != other:
            self._up[one] = other

    def _read(self, rule: Rule) -> None:
        head = head_atom(rule)
        for atom in (*([head] if head is not None else []), *atoms(conditions(rule))):
            self._read_atom(rule, atom)
        for literal in literals(conditions(rule)):
            if isinstance(literal, Compare):
                self._read_pair(rule, literal.left, literal.op, literal.right, literal.hi)

    def _read_atom(self, rule: Rule, atom: Atom) -> None:
        for each in atom.constraints:
            if (atom.relation, each.attr) in self._types:
                node = ("column", atom.relation, each.attr)
                self._note_values(rule, node, each.op, each.term, each.hi)

    def _read_pair(self, rule: Rule, left: Term, op: str, right: Term | None, hi: Term | None) -> None:
        if isinstance(left, Var):
            self._note_values(rule, ("var", rule.id, left.name), op, right, hi)
        if isinstance(right, Var):
            self._note_values(rule, ("var", rule.id, right.name), op, left, None)

    def _note_values(self, rule: Rule, node: Node, op: str, term: Term | None, hi: Term | None) -> None:
        if op == "=" and isinstance(term, Var):
            self._join(node, ("var", rule.id, term.name))
        terms = [*(term.items if isinstance(term, Choice) else [term]), hi]
        values = [value for value in (ground(each, self._today) for each in terms) if value is not None]
        self._constants.setdefault(node, []).extend(values)
        if op not in ("=", "in", "known", "unknown") or hi is not None:
            self._compared.add(node)

    def _all(self) -> dict[Node, Sequence[Value]]:
        kinds = {self.column(*column): type_ for column, type_ in self._types.items()}
        constants: dict[Node, list[Value]] = {}
        for node, values in self._constants.items():
            constants.setdefault(self.root(node), []).extend(values)
        compared = {self.root(node) for node in self._compared}
        values_by_root: dict[Node, Sequence[Value]] = {}
        for root, type_ in kinds.items():
            named = _apart(constants.get(root, ()))
            absent = [value for value in named if value is NONE]
            plain = [value for value in named if value is not NONE]
            if type_.kind in ("Bool", "enum"):
                plain = values_of(type_, [], self._today)
            elif root in compared or not plain:
                near = _apart(values_of(type_, plain, self._today))
                plain = near if root in compared else near[:1]
            values_by_root[root] = tuple([*absent, *plain][:MAX_VALUES])
        return values_by_root


class Objects:
    """The objects of a problem that stand for values.

    Attributes:
        draft: gets a type for each class, a wider one with the object for unknown, and the objects.
        values: what the objects stand for, by name; unknown: None.
        rules: the `goto` rules that objects for gestures stand for.
    """

    def __init__(self, values: Values, draft: Draft, names: Names) -> None:
        self.classes = values
        self.draft = draft
        self.names = names
        self.values: dict[str, Value | None] = {}
        self.rules: dict[str, Rule] = {}
        self._typed: dict[Node, str] = {}
        self._by_root: dict[Node, list[tuple[Value, str]]] = {}

    def type_of(self, root: Node) -> str:
        """The PDDL type of the values of a class."""
        if root not in self._typed:
            kind = self.names.of(("type", root), self.classes.title(root))
            self._typed[root] = kind
            self.draft.types[kind] = wide = self.names.of(("wide", root), f"any-{kind}")
            self.draft.types[wide] = ""
            unknown = self.names.of(("unknown", root), f"unknown-{kind}")
            self.draft.objects[unknown] = wide
            self.values[unknown] = None
            for value in self.classes.of(root):
                text = show(value, bare=True)
                name = self.names.of(("value", root, _key(value)), text or "empty")
                self.draft.objects[name] = kind
                self.values[name] = value
                self._by_root.setdefault(root, []).append((value, name))
        return self._typed[root]

    def wide(self, root: Node) -> str:
        """The type that has the object for unknown, too."""
        return self.draft.types[self.type_of(root)]

    def unknown(self, root: Node) -> str:
        """The object for unknown."""
        self.type_of(root)
        return self.names.of(("unknown", root), "")

    def all(self, root: Node) -> list[str]:
        """The objects for the values of a class."""
        self.type_of(root)
        return [name for _, name in self._by_root.get(root, [])]

    def of(self, root: Node, value: Value) -> str | None:
        """The object for a value; None if the planner does not take it into account."""
        self.type_of(root)
        return next((name for known, name in self._by_root.get(root, []) if same(known, value)), None)


def _apart(values: Iterable[Value]) -> list[Value]:
    first_of: dict[Hashable, Value] = {}
    for value in values:
        first_of.setdefault(_key(value), value)
    return list(first_of.values())


def _key(value: Value) -> Hashable:
    return tag(value), value
