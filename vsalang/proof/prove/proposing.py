"""What the solver proposes at a point of a run: what the app could show next so that rules hold, and the proposal."""

from collections.abc import Iterator, Sequence
from dataclasses import field, replace
from typing import Any

from vsalang.base.records import dataclass
from vsalang.guard.examples import DEFAULT_CLOCK
from vsalang.program.example import LEVELS, ExpectedVerdict, Turn
from vsalang.program.ir import Program, Rule
from vsalang.proof.prove.bounds import INSTANCES
from vsalang.proof.prove.pinned import Belief, says
from vsalang.proof.prove.runs import Goal, Turns, asks, denies
from vsalang.proof.prove.stories import ActionCall, texts_in
from vsalang.proof.prove.teller import Teller
from vsalang.proof.prove.time import Time
from vsalang.proof.solver.joint import Joint, holds
from vsalang.proof.solver.query import NoAnswer
from vsalang.proof.solver.results import Row, UnsupportedConstruct, World
from vsalang.proof.solver.scan import size
from vsalang.proof.solver.sorts import Cell, conj, neg

ENDS = 12
"""How many are tried at each point for the last step. Where the guard decides otherwise in all, that is said."""
_MOST_ROWS = 12


@dataclass(frozen=True, slots=True)
class Point:
    """Where a run has come to."""

    turns: Turns
    belief: Belief
    moved: bool = False


@dataclass(eq=False)
class Proposer:
    """Asks the solver.

    Attributes:
        program: decides what may be done.
        broken: the ids of the rules of the policy that is to be broken.
        free: relations that gestures write: what was seen of them need not stay so.
        rows: so many rows of a relation were supposed at most.
        open: what was not looked into, and why.
        hints: instances that are tried first, by action.
    """

    program: Program
    time: Time
    broken: frozenset[str] = frozenset()
    free: frozenset[str] = frozenset()
    rows: int = 0
    open: dict[str, None] = field(default_factory=dict)
    hints: dict[str, list[Row]] = field(default_factory=dict)

    @property
    def judges(self) -> list[Rule]:
        """The rules that deny or ask."""
        return [rule for rule in self.program.rules if denies(rule) or asks(rule)]

    def tries(
        self, point: Point, rules: tuple[Rule, ...], proposed: str, *, once: bool = False
    ) -> Iterator[Turns]:
        """Runs that go on from a point by what the app shows, and a proposal by which all rules hold."""
        try:
            for world, row in self._worlds(point, rules, proposed, once=once):
                yield (*point.turns, *self._screen_turns(point, world), self._proposal(proposed, row, world))
        except UnsupportedConstruct as error:
            self.open[f"the solver does not look into {error}"] = None
        except NoAnswer as error:
            self.open[f"a question has no answer: {error.sentence}"] = None

    def _worlds(
        self, point: Point, rules: tuple[Rule, ...], proposed: str, *, once: bool
    ) -> Iterator[tuple[World, Row]]:
        query = self._query(point.belief, rules)
        state = query.states[0]
        rel = self.program.relation(proposed)
        base = [holds(state, rule, []) for rule in rules]
        breaking = self.broken if any(map(denies, rules)) else frozenset()
        undenied = self._unmet(query, [r for r in self.judges if denies(r) and r.id not in breaking])
        unasked = self._unmet(query, [r for r in self.judges if asks(r) and r.id not in breaking])
        base += [*query.testable(proposed), *point.belief.keeps(query, moved=point.moved, free=self.free)]
        base.append(state.slots("now", proposed)[0].present)
        cells = state.slots("now", proposed)[0].cells
        hints = [] if once else self.hints.get(proposed, [])
        wanted = [[says(query, rel, cells, row)] for row in hints]
        count, most = 0, ENDS if once else INSTANCES
        for wish in (*wanted, *([[]] * most)):
            for without in (unasked, []) if unasked else ([],):
                query.timeout = self.time.next()
                solver = query.solver([*base, *undenied, *without, *wish])
                if query.check(solver):
                    break
            else:
                continue
            world = query.example(solver)
            row = next(iter(world.rows.get(proposed, ())), (None,) * len(rel.attrs))
            yield world, row
            count += 1
            if count == most or (not rel.attrs and not once):
                return
            base.append(_otherwise(query, cells) if rel.attrs else _other(query))

    def _query(self, belief: Belief, rules: tuple[Rule, ...]) -> Joint:
        rows = min(sum(size(self.program, rule).rows for rule in rules) + belief.most(), _MOST_ROWS)
        self.rows = max(self.rows, rows)
        asked = [*rules, *(rule for rule in self.judges if rule not in rules)]
        hints = {text for known in self.hints.values() for row in known for text in texts_in(row)}
        texts = sorted(hints | belief.texts())
        return Joint(self.program, asked, rows, self.time.next(), texts=texts)

    def _unmet(self, query: Joint, rules: Sequence[Rule]) -> list[Any]:
        """That none of these rules holds, as far as the solver looks into them; the guard has the last word."""
        formulas = []
        for rule in rules:
            try:
                formulas.append(neg(holds(query.states[0], rule, [])))
            except UnsupportedConstruct:
                continue
        return formulas

    def look_back(self, goals: Sequence[Goal]) -> None:
        """Notes which instances the ends of the task ask for: they are tried first."""
        for goal in goals:
            if goal.proposed != "finish" or goal.without is not None:
                continue
            try:
                query = Joint(
                    self.program, goal.rules, size(self.program, goal.rules[0]).rows, self.time.next()
                )
                formulas = [holds(query.states[0], rule, []) for rule in goal.rules]
                solver = query.solver([*formulas, *query.allowed_history(), *query.testable("finish")])
                if query.check(solver):
                    for action, commits in query.example(solver).commits.items():
                        self.hints.setdefault(action, []).extend(commit.row for commit in commits)
            except (UnsupportedConstruct, NoAnswer):
                continue  # hints only save time

    # ------------------------------------------------------------ as steps

    def _screen_turns(self, point: Point, world: World) -> list[Turn]:
        """What the app shows so that the state is as the solver proposes."""
        turns = [Turn("assume", assumed=pair) for pair in world.similar if pair[0] != pair[1]]
        turns = [turn for turn in turns if turn not in point.turns]
        clock = next((row[0] for row in world.rows.get("Clock", ()) if row[0] is not None), None)
        if clock is not None and clock != point.belief.now:
            turns.append(Turn("clock", clock=DEFAULT_CLOCK.combine(world.today, clock)))  # type: ignore[arg-type]
        teller = Teller([self.program])
        return [*turns, *teller.state(world, point.belief.rows_shown(self.program))]

    def _proposal(self, proposed: str, row: Row, world: World) -> Turn:
        turn = Teller([self.program]).proposal(ActionCall(proposed, row), world)
        return replace(turn, expected=ExpectedVerdict(LEVELS))


def _otherwise(query: Joint, cells: Sequence[Cell]) -> Any:
    """That cells do not all hold what they held in the last model."""
    parts: list[Any] = []
    for cell in cells:
        parts += [cell.known, cell.none, *(cell.value if isinstance(cell.value, tuple) else [cell.value])]
    return neg(conj([part == query.model.eval(part, model_completion=True) for part in parts]))


def _other(query: Joint) -> Any:
    """That which rows there are, or which screens show, is not as in the last model."""
    flags = [slot.present for slots in query.state.made.values() for slot in slots]
    flags += query.state.screens.values()
    return neg(conj([flag == query.model.eval(flag, model_completion=True) for flag in flags]))
