"""From a state of the solver's to a story that a guard runs: what is seen and done before, and the proposal."""

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from itertools import count, permutations
from typing import TypeAlias

from vsalang.base.records import dataclass
from vsalang.guard.examples import DEFAULT_CLOCK
from vsalang.program.example import LEVELS, Example, ExpectedVerdict, Fact, Part, Today, Turn, near
from vsalang.program.ir import Program, Relation, Write
from vsalang.program.values import NONE, Value, row_order
from vsalang.program.walk import relations
from vsalang.proof.prove.stories import ActionCall, key_of, texts_in
from vsalang.proof.solver.joint import Joint, holds
from vsalang.proof.solver.query import NoAnswer
from vsalang.proof.solver.results import Commit, Row, UnsupportedConstruct, World
from vsalang.proof.solver.scan import licences_of
from vsalang.proof.solver.sorts import disj

Cell: TypeAlias = Value | Today | None
_BELIEVED = ("state", "view", "list")
_MOST_COMMITS = 4
_NOON = dt.time(12, 0)


@dataclass(eq=False)
class Teller:
    """Makes stories that several programs can run.

    Attributes:
        programs: they must allow what was done before the proposal.
        timeout: milliseconds for each question to the solver.
    """

    programs: Sequence[Program]
    timeout: int = 1000
    rows: int = 2
    _ready: dict[object, World | None] = field(default_factory=dict)

    def story(self, name: str, world: World, asked: ActionCall) -> Example | None:
        """The story that ends with the proposal in that state; None if none was found."""
        done = [
            (action, commit)
            for action, commits in sorted(world.commits.items())
            for commit in commits
        ]  # fmt: skip
        if len(done) > _MOST_COMMITS:
            return None
        world = self._touchable(world, asked)
        for order in _orders(done):
            turns = self._before(world, order)
            if turns is not None:
                last = self._last(world, asked)
                return Example(name, self.programs[0].main, (*turns, *last))
        return None

    # ------------------------------------------------------------ what came before

    def _before(self, world: World, order: Sequence[tuple[str, Commit]]) -> list[Turn] | None:
        """The steps up to the state: what was done, each in a state in which it is allowed."""
        turns = _settings(world, timed=len({commit.age for _, commit in order}) > 1)
        shown_rows: dict[str, dict[Row, Row]] = {}
        done: dict[str, list[Commit]] = {}
        moment = dt.datetime.combine(world.today, _now(world))
        for action, commit in order:
            if len({c.age for _, c in order}) > 1:
                turns.append(Turn("clock", clock=moment - commit.age))
            ready = self._ready_for(action, commit, done, world)
            if ready is None:
                return None
            turns += self.state(ready, shown_rows)
            turns.append(self.proposal(ActionCall(action, commit.row), world))
            done.setdefault(action, []).append(commit)
            for name in self._consequences(action):
                shown_rows.setdefault(name, {})[()] = ()
        if len({c.age for _, c in order}) > 1:
            turns.append(Turn("clock", clock=moment))
        return [*turns, *self.state(world, shown_rows)]

    def _ready_for(
        self, action: str, commit: Commit, done: Mapping[str, Sequence[Commit]], world: World
    ) -> World | None:
        """A state in which every program allows the instance, after what was done."""
        key = (
            action,
            commit.row,
            tuple((n, tuple(c.row for c in cs)) for n, cs in done.items()),
            world.today,
        )
        if key not in self._ready:
            tasks = [p for p in self.programs if p.modules[p.main].kind == "spec"]
            if not tasks:
                return World(world.today)
            try:
                self._ready[key] = self._allowed(tasks, action, commit.row, done, world)
            except (UnsupportedConstruct, NoAnswer):
                self._ready[key] = None
        return self._ready[key]

    def _allowed(
        self,
        tasks: Sequence[Program],
        action: str,
        row: Row,
        done: Mapping[str, Sequence[Commit]],
        world: World,
    ) -> World | None:
        texts = sorted(
            texts_in(row) | {t for commits in done.values() for c in commits for t in texts_in(c.row)}
        )
        asked = [licences_of(program, action) for program in tasks]
        query = Joint(
            tasks[0],
            asked[0],
            self.rows,
            self.timeout,
            others=list(zip(tasks[1:], asked[1:], strict=True)),
            texts=texts,
        )
        formulas = []
        for state in query.states:
            clauses = licences_of(state.program, action)
            formulas.append(disj([holds(state, clause, []) for clause in clauses]))
        rel = query.state.program.relation(action)
        slot = query.state.slots("now", action)[0]
        formulas += [query.row(rel, slot.cells, row), query.on_day(world.today)]
        formulas += [*query.testable(action), *query.history(done)]
        solver = query.solver(formulas)
        if not query.check(solver):
            return None
        return query.example(solver)

    def _consequences(self, action: str) -> list[str]:
        """The relations in which the action leaves rows."""
        return sorted(
            {
                rule.head.atom.relation
                for program in self.programs
                for rule in program.rules
                if isinstance(rule.head, Write) and rule.trigger == "consequence"
                if action in relations(rule.body)
            }
        )

    # ------------------------------------------------------------ one state

    def state(self, world: World, shown_rows: dict[str, dict[Row, Row]]) -> list[Turn]:
        """The turns that bring about what is seen; `shown_rows` has what was seen before, and gets what is seen now."""
        gone: list[Part] = []
        seen: list[Part] = [Part("observe screen", Fact(name)) for name in sorted(world.screens)]
        for name in sorted(world.rows):  # what nothing asks about stays as it is
            rel = self._relation(name)
            if rel is None or rel.sort not in (*_BELIEVED, "observed") or name == "Clock":
                continue
            rows = sorted(world.rows.get(name, ()), key=row_order)
            before = shown_rows.get(name, {})
            if () in before and rel.identity:  # rows that an action wrote: which, the app says
                gone.append(Part("observe no", Fact(name)))
                before = {}
            now = {key_of(rel, row): row for row in rows}
            left = [key for key in before if key not in now]
            gone += [Part("observe no", Fact(name, self._named(rel, key, world))) for key in left]
            for key, row in now.items():
                written = self._cells(
                    rel, row, world, erase=key in before or bool(before and not rel.identity)
                )
                seen.append(Part("observe", Fact(name, written)))
            shown_rows[name] = now
        for name, rows_ in sorted(world.complete.items()):
            rel = self._relation(name)
            if rel is not None:
                if not rel.identity and (world.rows.get(name) or rel.sort == "view"):
                    # what has one row is complete as soon as that was seen; of a view it is seen to be gone
                    seen += [] if world.rows.get(name) else [Part("observe no", Fact(name))]
                    continue
                cells = [self._cells(rel, row, world) for row in sorted(rows_, key=row_order)]
                seen += [Part("observe complete", Fact(name, each)) for each in cells]
        turns = [Turn("turn", tuple(gone))] if gone else []
        return [*turns, Turn("turn", tuple(seen))] if seen else turns

    def _touchable(self, world: World, asked: ActionCall) -> World:
        """The state with a node on the screen for a gesture that says what it touches."""
        rel, node = self._relation(asked.relation), self._relation("Node")
        if rel is None or node is None or asked.kind != "gesture":
            return world
        cells = {attr.name: cell for attr, cell in zip(rel.attrs, asked.row, strict=True) if cell is not None}
        known = world.rows.get("Node", frozenset())
        number = node.column("node")
        taken = [row[number] for row in known]
        if not cells.keys() & {attr.name for attr in node.attrs} or cells.get("node") in (*taken, NONE):
            return world
        free = next(n for n in count(1) if n not in taken)
        row = tuple(cells.get(attr.name, free if attr.name == "node" else None) for attr in node.attrs)
        return replace(world, rows={**world.rows, "Node": known | {row}})

    def _last(self, world: World, asked: ActionCall) -> list[Turn]:
        return [replace(self.proposal(asked, world), expected=ExpectedVerdict(LEVELS))]

    def proposal(self, asked: ActionCall, world: World) -> Turn:
        """The step that proposes it."""
        rel = self._relation(asked.relation)
        cells = self._cells(rel, asked.row, world) if rel is not None else {}
        return Turn("turn", (Part(asked.kind, Fact(asked.relation, cells)),))

    def _relation(self, name: str) -> Relation | None:
        return next((p.relations[name] for p in self.programs if name in p.relations), None)

    def _cells(self, rel: Relation, row: Row, world: World, *, erase: bool = False) -> dict[str, Cell]:
        cells: dict[str, Cell] = {}
        for attr, cell in zip(rel.attrs, row, strict=True):
            if cell is not None:
                cells[attr.name] = near(cell, world.today)
            elif erase and attr.name not in rel.identity:
                cells[attr.name] = None
        return cells

    def _named(self, rel: Relation, key: Row, world: World) -> dict[str, Cell]:
        return {
            name: near(cell, world.today)
            for name, cell in zip(rel.identity, key, strict=False)
            if cell is not None
        }


def _orders(done: Sequence[tuple[str, Commit]]) -> Iterable[Sequence[tuple[str, Commit]]]:
    """The orders in which things may have been done: older ones first, then any."""
    if len({commit.age for _, commit in done}) == len(done) or len(done) <= 1:
        yield sorted(done, key=lambda item: -item[1].age)
        return
    yield from permutations(done)


def _settings(world: World, *, timed: bool) -> list[Turn]:
    turns = []
    clock = next((row for row in world.rows.get("Clock", ()) if any(cell is not None for cell in row)), None)
    if world.today != DEFAULT_CLOCK.date() or timed or clock is not None:
        turns.append(Turn("clock", clock=dt.datetime.combine(world.today, _now(world))))
    turns += [Turn("assume", assumed=pair) for pair in world.similar if pair[0] != pair[1]]
    return turns


def _now(world: World) -> dt.time:
    clock = next(iter(world.rows.get("Clock", ())), None)
    return clock[0] if clock is not None and isinstance(clock[0], dt.time) else _NOON
