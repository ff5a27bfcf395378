"""Derives the control graph of a screen: the guard says what each gesture on each control would do by the rules."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from vsalang.engine.api import Row
from vsalang.engine.explain.match import match_row
from vsalang.engine.explain.terms import Context, constant, fits
from vsalang.guard import Guard, Settings
from vsalang.guard.frontier.expanding import opened
from vsalang.guard.graph.control_graph import FINISH, ControlGraph, Edge
from vsalang.guard.graph.wants import Cell, Want, Wants, of_parts
from vsalang.guard.judge.foreseeing import Effects, RuleFit, foresee
from vsalang.guard.session import Session
from vsalang.guard.world.beliefs import row_of
from vsalang.program.action import Action
from vsalang.program.ir import (
    BOOL,
    DATE,
    DURATION,
    NUMBER,
    TEXT,
    TIME,
    Const,
    Literal,
    Program,
    Recognize,
    Rule,
    Var,
    Write,
)
from vsalang.program.screen import UnresolvedTarget
from vsalang.program.values import Value, tag
from vsalang.program.walk import rewrite
from vsalang.screen.control import Unit, controls
from vsalang.screen.screen import TreeScreen

_TYPES = {"number": NUMBER, "bool": BOOL, "date": DATE, "time": TIME, "duration": DURATION}


def graph(screen: TreeScreen, program: Program) -> ControlGraph:
    """The control graph of a screen, by a program: a spec with its app modules, or app modules alone.

    Args:
        screen: as it is now; nothing else is known.
        program: whose rules are asked.

    Raises:
        Exception: what the engine raises.
    """
    spec = program.modules[program.main].kind == "spec"
    guard = Guard(program, settings=Settings(task=spec))
    guard.observe(screen)
    return graph_of(guard)


def graph_of(guard: Guard) -> ControlGraph:
    """The control graph of the screen that a guard has observed last, with what it knows by now.

    Raises:
        ValueError: it has observed none, or one that has no UI tree.
        Exception: what the engine raises.
    """
    session = guard.session
    with session.lock:
        screen = session.state.screen
        if not isinstance(screen, TreeScreen):
            raise ValueError("a control graph is made of a UI tree: let the guard observe one first")
        return _Deriving(session, controls(screen.tree)).graph()


def gestures(unit: Unit) -> Iterator[Action]:
    """What may be done to a control. What would be typed is left open."""
    taker, node = unit.taker, unit.node
    if taker.clickable is not False or unit.kind not in ("field", "scroller"):
        yield Action("tap", {"node": taker.node})
        yield Action("double_tap", {"node": taker.node})
    if taker.long_clickable is True:
        yield Action("long_press", {"node": taker.node})
    if node.editable:
        yield Action("input_text", {"node": node.node})
        yield Action("clear_text", {"node": node.node})
    if node.scrollable:
        for direction in ("up", "down", "left", "right"):
            yield Action("scroll", {"node": node.node, "direction": direction})


class _Deriving:
    def __init__(self, session: Session, units: tuple[Unit, ...]) -> None:
        self.session = session
        self.program = session.program
        self.units = units
        self.context: Context = session.context()
        self.notes: dict[str, None] = {}
        self._clauses: dict[str, list[tuple[Rule, Wants]]] = defaultdict(list)
        needs = session.parts.frontier.needs
        for clause in needs.clauses:
            head = clause.rule.head
            parts = None if clause.too_many else clause.alternatives
            if parts == ():
                continue  # what it asks contradicts itself
            wants = of_parts(clause.rule, parts, self.program)
            self._clauses[head.atom.relation].append((clause.rule, wants))  # type: ignore[union-attr]
        answers = session.parts.moments.answers
        self.over = frozenset(name for name in needs.past if answers.rows(name))

    def graph(self) -> ControlGraph:
        effects = {unit.key: tuple(self._effects(unit)) for unit in self.units}
        wants = {key: self._wants(unit_effects) for key, unit_effects in effects.items()}
        ends = [each for _, each in self._clauses.get(FINISH, ())]
        if ends:
            wants[FINISH] = Wants(choices=(tuple(ends),))
        writers = self._writers(effects, wants)
        return ControlGraph(
            self.program,
            self.units,
            tuple(self._edges(effects, wants, writers)),
            effects,
            wants,
            {place: cells for place, (cells, _) in writers.items()},
            self.session.state,
            self.context,
            self.over,
            tuple(self.notes),
        )

    def _effects(self, unit: Unit) -> Iterator[Effects]:
        for gesture in gestures(unit):
            try:
                effects = foresee(self.session, gesture)
            except UnresolvedTarget as error:
                self.notes[f"{unit.kind} {unit.key}: {error}"] = None
                continue
            if effects:
                yield effects

    # ------------------------------------------------------------------ what a unit reads

    def _wants(self, effects: Iterable[Effects]) -> Wants:
        recognized = [one for each in effects for one in each.recognized]
        own: list[Wants] = []
        bodies = [_with(one) for one in recognized]
        for one, parts in zip(recognized, opened(self.program, bodies), strict=True):
            own.append(of_parts(one.rule, parts, self.program))
        by_action: dict[str, list[Wants]] = {}
        for one in recognized:
            head = one.rule.head
            assert isinstance(head, Recognize)
            name = head.atom.relation
            row = row_of(self.program.relation(name), one.cells)
            allowing = [wants for rule, wants in self._clauses.get(name, ()) if self._may_allow(rule, row)]
            by_action.setdefault(name, []).extend(each for each in allowing if each not in by_action[name])
        choices = tuple(tuple(alternatives) for alternatives in by_action.values() if alternatives)
        return Wants(choices=(*((each,) for each in own), *choices))

    def _may_allow(self, rule: Rule, row: Row) -> bool:
        """Whether a clause may be about an instance of which not all parameters are known yet."""
        atom = rule.head.atom  # type: ignore[union-attr]
        match = match_row(self.program.relation(atom.relation), atom, row, {}, self.context)
        return all(failure.cell is None for failure in match.failures)

    # ------------------------------------------------------------------ what it writes

    def _writers(
        self, effects: Mapping[str, Sequence[Effects]], wants: Mapping[str, Wants]
    ) -> dict[tuple[str, Want], tuple[dict[Cell, frozenset[str]], dict[str, list[tuple[Rule, Cell]]]]]:
        """Of each want of each unit: who writes each of its cells, and of each of these by which rules."""
        by_relation: dict[str, list[tuple[str, RuleFit]]] = defaultdict(list)
        for key, unit_effects in effects.items():
            for each in unit_effects:
                for one in (*each.inputs, *each.recognized, *each.consequences):
                    head = one.rule.head
                    assert isinstance(head, Write | Recognize)
                    by_relation[head.atom.relation].append((key, one))
        made = {}
        for target, tree in wants.items():
            for want in tree.all():
                who: dict[Cell, set[str]] = {cell: set() for cell in want.cells}
                rules: dict[str, list[tuple[Rule, Cell]]] = {}
                for key, one in by_relation.get(want.atom.relation, ()):
                    if key == target:
                        continue
                    for cell in self._written(one, want):
                        who[cell].add(key)
                        rules.setdefault(key, []).append((one.rule, cell))
                made[target, want] = {cell: frozenset(keys) for cell, keys in who.items()}, rules
        return made

    def _written(self, one: RuleFit, want: Want) -> Iterator[Cell]:
        """The cells of a want that a rule writes. What makes a cell unknown makes nothing right."""
        head = one.rule.head
        relation = self.program.relation(want.atom.relation)
        fixed = relation.attrs if want.kind == "done" else [relation.attr(name) for name in relation.identity]
        names = {attr.name for attr in fixed}
        for constraint in want.atom.constraints:
            cell = one.cells.get(constraint.attr)
            is_written = constraint.attr in names and cell is not None and constant(constraint)
            if is_written and not fits(constraint, cell, {}, self.context):
                return
        if isinstance(head, Recognize):
            yield from want.cells if want.kind == "done" else ()
        elif want.kind != "done":
            gone = isinstance(head, Write) and head.delete
            if gone and want.kind in ("no row", "asked"):
                yield from want.cells
            elif not gone:
                known = {name for name, cell in one.cells.items() if cell is not None} | one.open
                yield from (cell for cell in want.cells if cell.attr in known)

    # ------------------------------------------------------------------ edges

    def _edges(
        self,
        effects: Mapping[str, Sequence[Effects]],
        wants: Mapping[str, Wants],
        writers: Mapping[tuple[str, Want], tuple[object, dict[str, list[tuple[Rule, Cell]]]]],
    ) -> Iterator[Edge]:
        for unit in self.units:
            for target, tree in wants.items():
                cells: dict[Cell, None] = {}
                writing: dict[str, Rule] = {}
                reading: dict[str, Rule] = {}
                for want in tree.all():
                    for rule, cell in writers[target, want][1].get(unit.key, ()):
                        cells[cell] = None
                        writing[rule.id] = rule
                        reading[want.rule.id] = want.rule
                if cells:
                    rules = tuple(writing.values()), tuple(reading.values())
                    yield Edge(unit.key, target, "cells", tuple(sorted(cells)), *rules)
            yield from self._opens(unit, effects[unit.key])

    def _opens(self, unit: Unit, effects: Iterable[Effects]) -> Iterator[Edge]:
        screens: dict[str, dict[str, Rule]] = {}
        for each in effects:
            for rule in each.leads:
                screens.setdefault(rule.head.screen, {})[rule.id] = rule  # type: ignore[union-attr]
        for screen, rules in screens.items():
            yield Edge(unit.key, screen, "opens", (), tuple(rules.values()), ())


def _with(one: RuleFit) -> tuple[Literal, ...]:
    """What follows ``with``, the values put in that the gesture gives."""
    return rewrite(one.rule.extra, lambda part: _value(one.binding[part.name]) if _bound(part, one) else part)


def _bound(part: object, one: RuleFit) -> bool:
    return isinstance(part, Var) and part.name in one.binding


def _value(value: Value) -> Const:
    return Const(value, _TYPES.get(tag(value), TEXT))
