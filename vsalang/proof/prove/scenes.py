"""Screens on which the conditions of a rule hold: nodes that its conditions ask for, and its gesture.

A screen is built backwards from the rule, as a proof is: each condition adds a node, or something else that is seen, or
asks for a row that is believed. What a condition leaves open gets an ordinary value. Negated conditions, counts and the
past are left to the caller that plays the scene: a guard decides whether the rule holds on it.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from itertools import islice
from types import MappingProxyType
from typing import Any, TypeAlias

from vsalang.guard.world.fact_screen import FactScreen
from vsalang.program.action import POINTING
from vsalang.program.ir import (
    BOOL,
    Atom,
    Compare,
    Const,
    Constraint,
    Derive,
    Fn,
    Lit,
    Program,
    Regex,
    Rule,
    Term,
    TextPattern,
    Type,
    Var,
)
from vsalang.program.ir import Literal as Condition
from vsalang.program.screen import UnresolvedTarget
from vsalang.program.values import Value
from vsalang.program.vocabulary import ANDROID
from vsalang.program.walk import head_atom, rewrite
from vsalang.proof.prove.drafts import Draft, Equations, Terms, above, const, with_cell, with_node
from vsalang.proof.prove.samples import values_of

Cells: TypeAlias = Mapping[str, Value]

_NODE_ATTRIBUTES = {attr.name: attr.type for attr in ANDROID["Node"].attrs}
_BELIEVED = ("state", "view", "list")
_MOVES = ("scroll", "swipe")
_SEEN = "seen#"
_MOST_STEPS = 3000
_MOST_DEEP = 12


@dataclass(frozen=True, slots=True)
class Scene:
    """What shows so that a rule holds, and the gesture.

    Attributes:
        nodes: rows of `Node`; outer ones first.
        others: other rows of the screen, by relation.
        needs: rows that are believed, by relation: what is known of them.
        screens: the screens that must show (qualified names).
        gesture: its name; empty where the rule has none.
        args: of the gesture.
        seen: whether the nodes that were seen are among the nodes.
    """

    nodes: tuple[Cells, ...] = ()
    others: tuple[tuple[str, Cells], ...] = ()
    needs: tuple[tuple[str, Cells], ...] = ()
    screens: frozenset[str] = frozenset()
    gesture: str = ""
    args: Cells = field(default_factory=dict)
    seen: bool = False


@dataclass(eq=False)
class Scenes(Equations):
    """Builds scenes for the rules of a program, on one day."""

    _: KW_ONLY
    program: Program
    _fresh: int = 0

    def of(
        self,
        rule: Rule,
        wanted: Cells,
        *,
        also: Sequence[Rule] = (),
        actions: Mapping[str, Cells] | None = None,
        seen: Sequence[Cells] = (),
        most: int = 6,
    ) -> list[Scene]:
        """Scenes on which a rule holds.

        Args:
            wanted: cells that its head is to give.
            also: rules that are to hold, too, of the same gesture.
            actions: the critical actions that the gesture makes.
            seen: nodes that show already, and stay as they are; others may show in addition.
            most: so many are built at most.
        """
        self.left = _MOST_STEPS
        fresh = self._renamed(rule)
        begun = _with_seen(seen)
        drafts: Iterable[Draft] = [begun]
        head = head_atom(fresh)
        for constraint in head.constraints if head is not None else ():
            if constraint.attr in wanted and constraint.term is not None:
                term, value = constraint.term, wanted[constraint.attr]
                drafts = [new for draft in drafts for new in self.equal(draft, term, const(value))]
        bodies: list[Condition] = [*fresh.body, *fresh.extra]
        for other in also:
            again = self._renamed(other)
            bodies += [*again.body, *again.extra]
        made = (
            self._scene(settled, begun)
            for draft in drafts
            for built in self._all(draft, bodies, actions or {}, 0)
            for settled in self.settled(built)
        )
        scenes: list[Scene] = []
        for scene in islice((one for one in made if one is not None), most * 4):
            if scene not in scenes:
                scenes.append(scene)
        return scenes[:most]

    def _renamed(self, rule: Rule) -> Rule:
        self._fresh += 1
        tail = f"#{self._fresh}"

        def new(part: Any) -> Any:
            if isinstance(part, Var):
                return Var(part.name + tail)
            if isinstance(part, Regex):
                return replace(part, groups=tuple(name + tail for name in part.groups))
            return part

        return rewrite(rule, new)

    def _var(self, type_: Type) -> tuple[Var, Mapping[str, Type]]:
        self._fresh += 1
        var = Var(f"cell#{self._fresh}")
        return var, {var.name: type_}

    # ------------------------------------------------------------ conditions

    def _all(
        self, draft: Draft, goals: Sequence[Condition], actions: Mapping[str, Cells], deep: int
    ) -> Iterator[Draft]:
        if not goals:
            yield draft
            return
        self.left -= 1
        if self.left < 0:
            return
        for after in self._one(draft, goals[0], actions, deep):
            yield from self._all(after, goals[1:], actions, deep)

    def _one(self, draft: Draft, goal: Condition, actions: Mapping[str, Cells], deep: int) -> Iterator[Draft]:
        if isinstance(goal, Compare):
            yield from self._compared(draft, goal.left, goal.op, goal.right, goal.hi)
            return
        if not isinstance(goal, Lit) or goal.neg or goal.past is not None:
            yield draft  # left to the guard
            return
        atom = goal.atom
        rel = self.program.relation(atom.relation)
        if rel.sort == "gesture":
            yield from self._gesture(draft, atom)
        elif rel.sort == "screen":
            yield replace(draft, screens=draft.screens | {rel.name})
        elif rel.sort == "action":
            if rel.name in actions:
                cells: Terms = {name: const(value) for name, value in actions[rel.name].items()}
                yield from self._fitted(draft, atom, cells)
        elif rel.sort == "derived":
            if deep < _MOST_DEEP and rel.name != "Screen":
                yield from self._defined(draft, atom, actions, deep)
        elif rel.name in ("Node", "Part", "Inside", "TextIn"):
            yield from self._node(draft, atom)
        elif rel.sort in _BELIEVED:
            for after, cells in self._row(draft, atom):
                yield replace(after, needs=(*after.needs, (rel.name, cells)))
        elif rel.sort == "observed":
            for after, cells in self._row(draft, atom):
                yield replace(after, others=(*after.others, (rel.name, cells)))

    def _defined(self, draft: Draft, atom: Atom, actions: Mapping[str, Cells], deep: int) -> Iterator[Draft]:
        for rule in self.program.rules:
            if not isinstance(rule.head, Derive) or rule.head.atom.relation != atom.relation:
                continue
            fresh = self._renamed(rule)
            assert isinstance(fresh.head, Derive)
            cells = {c.attr: c.term for c in fresh.head.atom.constraints if c.term is not None}
            for begun in self._fitted(draft, atom, cells):
                yield from self._all(begun, fresh.body, actions, deep + 1)

    def _row(self, draft: Draft, atom: Atom) -> Iterator[tuple[Draft, Terms]]:
        """A new row that fits an atom."""
        rel = self.program.relation(atom.relation)
        cells: dict[str, Term] = {}
        kinds = dict(draft.kinds)
        for constraint in atom.constraints:
            if constraint.attr not in cells and constraint.op != "unknown":
                type_ = rel.attr(constraint.attr).type
                cells[constraint.attr], kind = self._var(type_)
                kinds.update(kind)
        for after in self._fitted(replace(draft, kinds=kinds), atom, cells):
            yield after, cells

    def _fitted(self, draft: Draft, atom: Atom, cells: Terms) -> Iterator[Draft]:
        """The ways in which a row fits the constraints of an atom."""
        drafts: list[Draft] = [draft]
        for constraint in atom.constraints:
            drafts = [new for one in drafts for new in self._constrained(one, constraint, cells)]
        yield from drafts

    def _constrained(self, draft: Draft, constraint: Constraint, cells: Terms) -> Iterator[Draft]:
        cell = cells.get(constraint.attr)
        if constraint.op == "unknown":
            if cell is None:
                yield draft
        elif cell is None:
            return
        elif constraint.op == "known":
            yield draft
        else:
            yield from self._compared(draft, cell, constraint.op, constraint.term, constraint.hi)

    def _compared(
        self, draft: Draft, left: Term, op: str, right: Term | None, hi: Term | None
    ) -> Iterator[Draft]:
        if op == "=" and right is not None and not isinstance(right, TextPattern):
            yield from self.equal(draft, left, right)
        else:
            yield replace(draft, tests=(*draft.tests, (left, op, right, hi)))

    # ------------------------------------------------------------ nodes

    def _gesture(self, draft: Draft, atom: Atom) -> Iterator[Draft]:
        """The gesture of the scene, which is one."""
        if draft.gesture and draft.gesture != atom.relation:
            return
        if draft.gesture or atom.relation not in POINTING:
            targets = [draft.target]
        else:
            self._fresh += 1
            targets = [*filter(_was_seen, draft.nodes), f"node#{self._fresh}"]
        for target in targets:
            begun = replace(draft, gesture=atom.relation, target=target)
            yield from self._touching(with_node(begun, target) if target else begun, atom, target)

    def _touching(self, draft: Draft, atom: Atom, target: str) -> Iterator[Draft]:
        """The gesture on one node."""
        rel = self.program.relation(atom.relation)
        node = tuple(c for c in atom.constraints if target and c.attr in _NODE_ATTRIBUTES)
        args = dict(draft.args)
        kinds = dict(draft.kinds)
        for constraint in atom.constraints:
            if constraint in node or constraint.attr in args:
                continue
            if constraint.attr == "leaf":
                args["leaf"] = Var(target)
            else:
                args[constraint.attr], kind = self._var(rel.attr(constraint.attr).type)
                kinds.update(kind)
        rest = replace(atom, constraints=tuple(c for c in atom.constraints if c not in node))
        for after in self._fitted(replace(draft, args=args, kinds=kinds), rest, args):
            yield from self._asked(after, target, node) if target else [after]

    def _node(self, draft: Draft, atom: Atom) -> Iterator[Draft]:
        """A node that is there already, or a new one."""
        of = next((c.term for c in atom.constraints if c.attr == "of" and c.op == "="), None)
        itself = next((c.term for c in atom.constraints if c.attr == "node" and c.op == "="), None)
        asked = tuple(c for c in atom.constraints if c.attr not in ("of", "nth"))
        outer = draft.walk(of) if of is not None else None
        if of is not None and not isinstance(outer, Var):
            return
        if outer is not None:
            draft = with_node(draft, outer.name)
            outer = Var(draft.root(outer.name))
        mine = draft.walk(itself) if itself is not None else None
        if isinstance(mine, Var) and mine.name in draft.nodes:
            chosen = [mine.name]
        else:
            ids = {c.term.value for c in asked if c.attr == "id" and isinstance(c.term, Const)}
            alike = [
                name for name, cells in draft.nodes.items() if draft.walk(cells.get("id", const(""))) in ids
            ]
            rest = [name for name in draft.nodes if name not in alike]
            names = [name for name in rest if _was_seen(name)]
            chosen = [*alike, *names, "", *(name for name in rest if name not in names)]
        for name in chosen:
            started = draft
            if not name:
                self._fresh += 1
                name = f"node#{self._fresh}"
                started = with_node(draft, name)
            for placed in self._inside(started, name, outer, atom.relation) if outer else [started]:
                yield from self._asked(placed, name, asked)

    def _inside(self, draft: Draft, name: str, outer: Var, relation: str) -> Iterator[Draft]:
        """The node is the outer one itself, or lies in it."""
        name = draft.root(name)
        if outer.name in above(draft, name):
            yield draft
            return
        if name in above(draft, outer.name):
            return
        cells = draft.nodes[name]
        hangs = [] if "parent" in cells else [with_cell(draft, name, "parent", outer)]
        merged = list(self.equal(draft, Var(name), outer))
        yield from [*merged, *hangs] if relation == "Inside" else [*hangs, *merged]

    def _asked(self, draft: Draft, name: str, constraints: Sequence[Constraint]) -> Iterator[Draft]:
        """What is asked of a node."""
        drafts = [draft]
        for constraint in constraints:
            drafts = [new for one in drafts for new in self._asked_one(one, name, constraint)]
        yield from drafts

    def _asked_one(self, draft: Draft, name: str, constraint: Constraint) -> Iterator[Draft]:
        name = draft.root(name)
        attr = constraint.attr
        if attr == "node":
            yield from self._compared(draft, Var(name), constraint.op, constraint.term, constraint.hi)
            return
        if constraint.op == "unknown":
            if attr not in draft.nodes[name]:
                yield draft
            return
        if attr not in draft.nodes[name]:
            var, kind = self._var(_NODE_ATTRIBUTES[attr])
            draft = with_cell(replace(draft, kinds={**draft.kinds, **kind}), name, attr, var)
        yield from self._constrained(draft, constraint, draft.nodes[name])

    # ------------------------------------------------------------ the scene

    def _scene(self, draft: Draft, begun: Draft) -> Scene | None:
        """The scene of a draft; None if a node would not be as it was seen."""
        numbers = {draft.root(name): int(name.removeprefix(_SEEN)) for name in begun.nodes}
        if len(numbers) < len(begun.nodes) or not all(map(_unchanged(draft, begun), begun.nodes)):
            return None
        for cells in list(draft.nodes.values()):
            parent = draft.walk(cells["parent"]) if "parent" in cells else None
            if isinstance(parent, Var):
                draft = with_node(draft, parent.name)

        def count(name: str) -> None:
            if name not in numbers:
                parent = draft.nodes[name].get("parent")
                if parent is not None and isinstance(outer := draft.walk(parent), Var):
                    count(outer.name)
                numbers[name] = max(numbers.values(), default=0) + 1

        for name in draft.nodes:
            count(name)

        open_: dict[str, Value] = {}

        def cells_of(row: Terms) -> dict[str, Value]:
            cells = {}
            for attr, term in row.items():
                value = draft.walk(term)
                if isinstance(value, Var):
                    value = numbers.get(value.name) or open_.setdefault(
                        value.name, self._ordinary(draft, value.name)
                    )
                cells[attr] = self.value(draft, value, open_) if isinstance(value, Fn) else value
            return {attr: value for attr, value in cells.items() if value is not None}

        target = draft.root(draft.target) if draft.target else ""
        nodes: list[Cells] = []
        for name in sorted(draft.nodes, key=numbers.__getitem__):
            row: dict[str, Value] = {"node": numbers[name], **cells_of(draft.nodes[name])}
            if name == target and name not in map(draft.root, begun.nodes) and draft.gesture not in _MOVES:
                row.setdefault("clickable", True)
            nodes.append(row)
        args = {n: v for n, v in cells_of(draft.args).items() if n != "leaf"}
        if draft.gesture == "input_text":
            args.setdefault("value", "text")
        if target:
            args = {**self._pointing(draft.gesture, nodes, numbers[target]), **args}
        return Scene(
            tuple(nodes),
            tuple((name, cells_of(row)) for name, row in draft.others),
            tuple((name, cells_of(row)) for name, row in draft.needs),
            draft.screens,
            draft.gesture,
            args,
            bool(begun.nodes),
        )

    def _pointing(self, kind: str, nodes: Sequence[Cells], number: int) -> Cells:
        """How a gesture names a node: as people would, where no other one is meant by it."""
        screen = FactScreen(MappingProxyType({"Node": tuple(nodes)}))
        mine = next(row for row in screen.rows("Node") if row["node"] == number)
        names = ("label", "text", "desc", "id")
        for attr in (
            reversed(names) if kind.endswith("_text") else names
        ):  # a text that is replaced names no field
            if attr in mine:
                try:
                    if screen.target(kind, {attr: mine[attr]})["node"] == number:
                        return {attr: mine[attr]}
                except UnresolvedTarget:
                    continue
        return {"node": number}

    def _ordinary(self, draft: Draft, name: str) -> Value:
        type_ = draft.kinds.get(name, BOOL)
        return values_of(type_, [], self.today)[0]


def _was_seen(name: str) -> bool:
    return name.startswith(_SEEN)


def _with_seen(rows: Sequence[Cells]) -> Draft:
    """A draft with nodes that were seen."""
    numbers = {row["node"] for row in rows}
    nodes: dict[str, Terms] = {}
    for row in rows:
        nodes[f"{_SEEN}{row['node']}"] = {
            attr: Var(f"{_SEEN}{value}") if attr == "parent" and value in numbers else const(value)
            for attr, value in row.items()
            if attr != "node"
        }
    return Draft(nodes=nodes)


def _unchanged(draft: Draft, begun: Draft) -> Callable[[str], bool]:
    """Whether nothing more is said of a node than what was seen."""
    return lambda name: draft.nodes[draft.root(name)].keys() == begun.nodes[name].keys()
