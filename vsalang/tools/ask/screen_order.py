"""The order of the screen of rows whose positions are not known."""

from collections.abc import Iterable, Mapping, Sequence

from vsalang.engine.explain.finding import head_binding
from vsalang.engine.explain.match import bound_values, fitting
from vsalang.engine.explain.terms import Binding
from vsalang.guard.world.beliefs import CellWrite, Ident
from vsalang.guard.world.rule_effects import bindings, effect
from vsalang.program.ir import Derive, Literal, Relation, Rule, Write
from vsalang.program.walk import present, variables
from vsalang.screen.tree import Tree
from vsalang.tools.ask.asking import Moment

_DEEPEST = 8

Place = tuple[int, ...]
"""Where a row shows: the places of its nodes in document order; of the row's own node where a rule names it."""


class ScreenOrder:
    """Where the rows of a relation show on the screen of a moment.

    Args:
        moment: in which the screen was observed.
        tree: of the screen.
    """

    def __init__(self, moment: Moment, tree: Tree) -> None:
        self._moment = moment
        self._places = {node.node: node.place for node in tree.nodes}
        self._definitions: dict[str, list[Rule]] = {}
        for rule in moment.probes.program.rules:
            if isinstance(rule.head, Derive):
                self._definitions.setdefault(rule.head.atom.relation, []).append(rule)

    def of(self, relation: Relation) -> Mapping[Ident, Place]:
        """The place of each row that a rule reads on this screen, by what identifies it."""
        places: dict[Ident, Place] = {}
        for rule in self._moment.probes.program.rules:
            if rule.trigger != "observation" or not isinstance(rule.head, Write) or rule.head.delete:
                continue
            if rule.head.atom.relation != relation.name:
                continue
            for binding in bindings(self._moment.evaluator, rule):
                write = effect(rule, binding, self._moment.facts.context)
                assert isinstance(write, CellWrite)
                ident = _identity(relation, write)
                place = self._place(rule, write, binding)
                if ident is not None and place:
                    places[ident] = min(place, places.get(ident, place))
        return places

    def _place(self, rule: Rule, write: CellWrite, binding: Binding) -> Place:
        if write.row is not None:
            return (self._places[write.row],) if write.row in self._places else ()
        return tuple(sorted(self._nodes(rule.body, binding, 0)))

    def _nodes(self, body: Sequence[Literal], binding: Binding, depth: int) -> Iterable[int]:
        """Of each condition with a value of the row the place of the first node that meets it."""
        facts = self._moment.facts
        for literal in present(body):
            atom = literal.atom
            relation = facts.program.relation(atom.relation)
            if not variables(atom) & binding.keys():
                continue
            if relation.sort == "observed":
                if any(attr.name == "node" for attr in relation.attrs):
                    column = relation.column("node")
                    rows = fitting(facts, atom, facts.of(atom), binding)
                    places = [
                        self._places[node]
                        for row in rows
                        if isinstance(node := row[column], int) and node in self._places
                    ]
                    yield from sorted(places)[:1]
            elif relation.sort == "derived" and depth < _DEEPEST:
                wanted = bound_values(facts, atom, binding)
                for rule in self._definitions.get(relation.name, ()):
                    inner, clashes = head_binding(rule, wanted, facts.context)
                    if not clashes:
                        yield from self._nodes(rule.body, inner, depth + 1)


def _identity(relation: Relation, write: CellWrite) -> Ident | None:
    """What identifies the row of a write, as in the table of what is believed."""
    values = [write.cells.get(name) for name in relation.identity]
    known = tuple(value for value in values if value is not None)
    if len(known) == len(values):
        return known
    if relation.sort != "list" or relation.key or write.row is None:
        return None
    within = tuple(value for name in relation.within if (value := write.cells.get(name)) is not None)
    return (*within, f"row {write.row}") if len(within) == len(relation.within) else None
