"""A screen made of facts: what `observe Node(..)` steps of tests show. Immutable; each step makes the next one."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType

from vsalang.program.ir import Relation
from vsalang.program.nested import Forest
from vsalang.program.screen import Cells, UnresolvedTarget
from vsalang.program.values import Value, same, show, without_unknown
from vsalang.program.vocabulary import ANSWERS, OPINIONS, SINCE

_ONE = frozenset({"App", "Clock", "Settled", "Transition"})
_POINTS = frozenset({"x", "y"})
_NATIVE = frozenset({"Part", "Inside", "TextIn", "Next", "Fits", "Whole"})
_DEEPEST = 200
_NO_TARGET = frozenset({"value", "direction", "duration", "x2", "y2"})


@dataclass(frozen=True)
class FactScreen:
    """Rows of observed relations, given one by one.

    ``Part``, ``Inside``, ``TextIn``, ``Next``, ``Fits`` and ``Whole`` follow from the nodes' parents and numbers (their
    order), next to what is given of them; what needs edges (``Caption``, ``Band``, rows that are cut off) is as given.
    A node's label is its description, else its text, else the labels inside it that belong to nodes without a touch of
    their own, else its hint, where none is given. A touch is taken by the nearest node upwards that is clickable, or by
    the node itself if none is said to be. A control and what it consists of are one target.
    """

    facts: Mapping[str, tuple[Cells, ...]] = field(default_factory=lambda: MappingProxyType({}))
    unread: Mapping[int, frozenset[str]] = field(default_factory=lambda: MappingProxyType({}))
    """See `vsalang.program.screen.Screen.unread`: what facts say is ``unknown``. What they do not name is not there."""

    @cached_property
    def fingerprint(self) -> str:
        """A hash of all facts but those that a judge or kept answers told: they show nothing."""
        lines = sorted(
            f"{name}({', '.join(f'{key} = {show(value)}' for key, value in sorted(row.items()))})"
            for name, rows in self.facts.items()
            if name not in OPINIONS | ANSWERS
            for row in rows
        )
        return hashlib.sha256("\n".join(lines).encode("utf-8", "surrogatepass")).hexdigest()

    @cached_property
    def content(self) -> str | None:
        """Equal for screens of the same facts, given in the same order; None: changes are told one by one."""
        if not (SINCE | {"FileChanged"}).isdisjoint(self.facts):
            return None
        facts = {name: [dict(row) for row in rows] for name, rows in self.facts.items()}
        return repr((facts, {number: sorted(names) for number, names in self.unread.items()}))

    def relations(self) -> frozenset[str]:
        """What rows can be given of."""
        return frozenset(self.facts) | (_NATIVE if "Node" in self.facts else set())

    def rows(self, relation: str) -> Iterable[Cells]:
        """The rows given, and those that follow from the nodes."""
        rows = self._rows.get(relation)
        if rows is None:
            rows = self._rows[relation] = tuple(self._made(relation))
        return rows

    @cached_property
    def _rows(self) -> dict[str, tuple[Cells, ...]]:
        return {}

    def _made(self, relation: str) -> Iterable[Cells]:
        rows = self.facts.get(relation, ())
        if relation == "Node":
            return [*self._nodes.values(), *(row for row in rows if not isinstance(row.get("node"), int))]
        if relation == "TextIn":
            return [*rows, *(row for outer in self._nodes for row in self._texts(outer))]
        if relation == "Next":
            return [*rows, *({"node": one, "next": other} for one, other in self._siblings())]
        if relation == "Part":
            return [
                *rows,
                *({**self._nodes[n], "of": outer} for n in self._nodes for outer in self._above(n)),
            ]
        if relation == "Inside":
            return [*rows, *({"node": n, "of": outer} for n in self._nodes for outer in self._above(n))]
        if relation in ("Fits", "Whole"):
            return [*rows, *({"node": n} for n in self._nodes if self._fits(n))]
        return rows

    @cached_property
    def forest(self) -> Forest | None:
        """The parent of each node, unless rows of ``Inside`` or ``Part`` are given or the parents are not a forest."""
        if self.facts.get("Inside") or self.facts.get("Part"):
            return None
        parents: dict[int, int | None] = {}
        for number, row in self._nodes.items():
            parent = row.get("parent")
            if isinstance(number, bool) or isinstance(parent, bool):
                return None
            parents[number] = parent if isinstance(parent, int) and parent in self._nodes else None
        try:
            return Forest(parents)
        except ValueError:  # facts may hang in each other
            return None

    @cached_property
    def _nodes(self) -> dict[int, Cells]:
        nodes = {n: row for row in self.facts.get("Node", ()) if isinstance(n := row.get("node"), int)}
        inside: dict[int, list[int]] = {}
        for number in sorted(nodes):
            parent = nodes[number].get("parent")
            if isinstance(parent, int) and parent != number:
                inside.setdefault(parent, []).append(number)
        return {n: _labelled(nodes, inside, n) for n in sorted(nodes)}

    def _texts(self, outer: int) -> list[Cells]:
        inside = [
            n for n in self._nodes if outer in self._above(n) and isinstance(self._nodes[n].get("text"), str)
        ]
        return [
            {"of": outer, "nth": nth, "text": self._nodes[n]["text"], "node": n}
            for nth, n in enumerate((n for n in inside if self._nodes[n]["text"] != ""), 1)
        ]

    def _siblings(self) -> Iterable[tuple[int, int]]:
        last: dict[Value, int] = {}
        for node, row in self._nodes.items():
            parent = row.get("parent")
            if isinstance(parent, int):
                if parent in last:
                    yield last[parent], node
                last[parent] = node

    def _above(self, node: int) -> list[int]:
        """The node and those it hangs in, from the inside out."""
        numbers: list[int] = []
        while node in self._nodes and node not in numbers:
            numbers.append(node)
            parent = self._nodes[node].get("parent")
            if not isinstance(parent, int):
                break
            node = parent
        return numbers

    def _fits(self, node: int) -> bool:
        above = [self._nodes[outer] for outer in self._above(node)]
        return all(row.get("scrollable") is False for row in above) and above[0].get("enabled") is True

    def since(self, acted_on: object, *, scrolled: bool = False) -> "FactScreen":
        """Itself without what was given of earlier changes: what changed since is as given after that."""
        if not isinstance(acted_on, FactScreen):
            return self
        earlier = (SINCE | {"FileChanged"}) & acted_on.facts.keys()
        if not earlier:
            return self
        facts = dict(self.facts)
        for name in earlier:
            old = {id(row) for row in acted_on.facts[name]}
            facts[name] = tuple(row for row in facts.get(name, ()) if id(row) not in old)
            if not facts[name]:
                del facts[name]
        return replace(self, facts=MappingProxyType(facts))

    def with_rows(self, rows: Mapping[str, Iterable[Cells]]) -> "FactScreen":
        """This screen with rows that somebody else tells; see `vsalang.program.screen.Screen.told`."""
        relations = {name: tuple(cells) for name, cells in rows.items()}
        return replace(self, facts=MappingProxyType({**self.facts, **relations}))

    @property
    def otherwise(self) -> None:
        """Facts are read in one way."""
        return None

    @property
    def counting(self) -> frozenset[int]:
        """Nothing counts what facts do not name."""
        return frozenset()

    def perhaps(self, kind: str, cells: Cells) -> Sequence[Cells]:
        """Facts are read in one way."""
        return ()

    def target(self, kind: str, args: Mapping[str, Value]) -> Cells:
        """The node that takes the touch; see `vsalang.program.screen.Screen.target`."""
        asked = {name: value for name, value in args.items() if name not in _POINTS | _NO_TARGET}
        point = {name: value for name, value in args.items() if name in _POINTS}
        if asked:
            numbers = [
                number
                for number, row in self._nodes.items()
                if all(same(row.get(name), value) for name, value in asked.items())
            ]
        else:
            numbers = [
                number for number, row in self._nodes.items() if _holds(row, args.get("x"), args.get("y"))
            ][-1:]
        words = ", ".join(f"{name} = {show(value)}" for name, value in args.items())
        if not numbers:
            raise UnresolvedTarget(f"no node of the screen has {words}")
        takers = {self._taker(number) for number in numbers}
        if len(numbers) > 1 and not (len(takers) == 1 and takers <= set(numbers)):
            raise UnresolvedTarget(f"{len(numbers)} nodes of the screen have {words}")
        leaf = numbers[-1]
        taker = self._taker(leaf)
        return {**self._nodes[taker], **point, "leaf": leaf, "covered": False}

    def _taker(self, leaf: int) -> int:
        return next((n for n in self._above(leaf) if self._nodes[n].get("clickable") is True), leaf)

    # ------------------------------------------------------------------ the next screen

    def seen(self, relation: Relation, cells: Mapping[str, Value | None]) -> "FactScreen":
        """With a row that is seen: the same one again if its identity says so, else another."""
        known = without_unknown(cells.items())
        rows = list(self.facts.get(relation.name, ()))
        if relation.name in _ONE:
            rows = []
        elif relation.name == "Node":
            known.setdefault("node", max(self._nodes, default=0) + 1)
            return self._reading(known["node"], cells)._seen(relation, rows, known, cells)
        return self._seen(relation, rows, known, cells)

    def _reading(self, node: Value, cells: Mapping[str, Value | None]) -> "FactScreen":
        """With what the cells of a node say of which attributes were not read."""
        unknown = {name for name, value in cells.items() if value is None}
        if not isinstance(node, int) or not (unknown or node in self.unread):
            return self
        if unknown & {"text", "desc"} and "label" not in cells:
            unknown.add("label")
        left = (self.unread.get(node, frozenset()) - cells.keys()) | unknown
        return replace(self, unread=MappingProxyType({**self.unread, node: frozenset(left)}))

    def _seen(
        self,
        relation: Relation,
        rows: list[Cells],
        known: Mapping[str, Value],
        cells: Mapping[str, Value | None],
    ) -> "FactScreen":
        if relation.key and all(name in known for name in relation.key):
            for index, row in enumerate(rows):
                if all(same(row.get(name), known[name]) for name in relation.key):
                    kept = {name: value for name, value in row.items() if name not in cells}
                    rows[index] = {**kept, **known}
                    return self._with(relation.name, rows)
        return self._with(relation.name, [*rows, known])

    def gone(self, relation: str, pattern: Mapping[str, Value | None]) -> "FactScreen":
        """Without the rows that match."""
        rows = [
            row
            for row in self.facts.get(relation, ())
            if not all(value is not None and same(row.get(name), value) for name, value in pattern.items())
        ]
        return self._with(relation, rows)

    def _with(self, relation: str, rows: Sequence[Cells]) -> "FactScreen":
        return replace(self, facts=MappingProxyType({**self.facts, relation: tuple(rows)}))


def _labelled(rows: Mapping[int, Cells], inside: Mapping[int, list[int]], node: int) -> Cells:
    row = rows[node]
    label = _label(rows, inside, node, frozenset())
    return {**row, "label": label} if label else row


def _label(
    rows: Mapping[int, Cells], inside: Mapping[int, list[int]], node: int, above: frozenset[int]
) -> Value | None:
    row = rows[node]
    own = row.get("label") or row.get("desc") or row.get("text")
    if own or node in above or len(above) >= _DEEPEST:  # facts may hang in each other
        return own
    above |= {node}
    parts = (
        _label(rows, inside, child, above)
        for child in inside.get(node, ())
        if rows[child].get("clickable") is not True and rows[child].get("long_clickable") is not True
    )
    return ", ".join(part for part in parts if isinstance(part, str) and part) or row.get("hint")


def _holds(row: Cells, x: Value | None, y: Value | None) -> bool:
    edges = [row.get(name) for name in ("left", "right", "top", "bottom")]
    if not all(isinstance(value, int) for value in (x, y, *edges)):
        return False
    left, right, top, bottom = edges
    return left <= x < right and top <= y < bottom  # type: ignore[operator]
