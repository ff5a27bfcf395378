"""Assigns the engine's inputs for one moment, from world, screen, proposal and history.

The moments are *before* (committed world, last screen, the gesture), *judged* (the world with the gesture's predicted
inputs, the same screen, the gesture and the critical actions) and *after* (the reconciled world, the new screen,
nothing proposed).
"""

import datetime as dt
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field
from typing import Any, Final

from vsalang.base.records import dataclass
from vsalang.engine.api import (
    Answer,
    BudgetExceeded,
    Commit,
    EngineError,
    Evaluator,
    Input,
    Row,
    TimedRow,
)
from vsalang.engine.explain.match import Facts, Kept, in_order
from vsalang.engine.explain.terms import Context
from vsalang.guard.world.beliefs import EMPTY, Entry, Table, World, row_of
from vsalang.guard.world.observed_rows import Observed, maker
from vsalang.guard.world.program_inputs import (
    CHARTER,
    CLOCK,
    GOTO,
    INSTRUCTION,
    LICENSED,
    NO_ROWS,
    OVERRIDDEN,
    TYPED,
    inputs_of,
)
from vsalang.guard.world.rule_book import RuleBook
from vsalang.guard.world.rule_effects import Effects
from vsalang.program.ir import Program
from vsalang.program.screen import Cells, Screen, knows
from vsalang.program.values import Value, row_order, without_unknown
from vsalang.screen.secrets import Lexicon, can_be_given, typed_rows

_NOTHING: Final = (None, None)
_ONE_ROW: Final[frozenset[Row]] = frozenset({()})


@dataclass(slots=True, eq=False)
class Savepoint:
    """The beginning of a tentative moment.

    Attributes:
        wanted: the worlds to assign as they were.
        number: of the evaluator's savepoint; None: nothing was assigned since.
        held: what the inputs held then.
        settled: which worlds were assigned then.
    """

    wanted: "_Worlds"
    number: int | None = None
    held: "dict[str | Input, Any]" = field(default_factory=dict)
    settled: "_Worlds | None" = None


@dataclass(frozen=True, slots=True)
class _Worlds:
    """What is believed now, and what `before` reads."""

    world: World
    before: World


class Answers:
    """Answers questions about the moment that was assigned last; an `Answering`. No answer is about an older moment:
    before each question everything that is believed is assigned.

    Attributes:
        effects: what rules gave when they were last asked; None: that is not kept.
    """

    def __init__(self, moments: "Moments") -> None:
        self._moments = moments
        self._evaluator = moments.evaluator
        self.effects: Effects | None = Effects()
        self._answers_of: Callable[[Sequence[str]], Sequence[frozenset[Answer]]] | None = getattr(
            moments.evaluator, "answers_of", None
        )

    def variables(self, rule: str) -> tuple[str, ...]:
        return self._evaluator.variables(rule)

    def answers(self, rule: str) -> frozenset[Answer]:
        self._moments.settle()
        return self._evaluator.answers(rule)

    def answers_of(self, rules: Sequence[str]) -> Sequence[frozenset[Answer]]:
        """The `answers` of several rules."""
        self._moments.settle()
        asked = self._answers_of
        return list(map(self._evaluator.answers, rules)) if asked is None else asked(rules)

    def extra_answers(self, rule: str) -> frozenset[Answer]:
        self._moments.settle()
        return self._evaluator.extra_answers(rule)

    def expected(self, rule: str, answer: Answer) -> bool:
        self._moments.settle()
        return self._evaluator.expected(rule, answer)

    def witness(self, rule: str, answer: Answer) -> Mapping[str, Value] | None:
        self._moments.settle()
        return self._evaluator.witness(rule, answer)

    def rows(self, relation: str) -> frozenset[Row]:
        self._moments.settle()
        return self._evaluator.rows(relation)


def _last_seen(entries: Iterable[Entry]) -> list[TimedRow]:
    """When each row of a list was last seen; of a row that is there twice the point that makes less known."""
    points: dict[Row, int] = {}
    for entry in entries:
        known, placed = points.get(entry.cells, entry.seen), entry.cells[-1] is not None
        points[entry.cells] = min(known, entry.seen) if placed else max(known, entry.seen)
    return [TimedRow(row, (point,)) for row, point in points.items()]


class Moments:
    """Assigns the inputs of one evaluator. Relations that the program never reads are not computed.

    What each input holds is remembered by identity (worlds, tables and screens are values that never change), so that
    a moment costs what differs from the one before. Worlds are assigned when something is asked (`answers`):
    often nothing is. Nobody else may assign the evaluator's inputs; tentative moments begin with `savepoint` and end
    with `rollback`.

    Attributes:
        answers: what is to be asked, in place of the evaluator.
        changes: another object whenever something was assigned: while it is the same, so is the moment.

    Args:
        lexicon: the user's words that count as secrets.
        fresh: nothing was assigned to the evaluator yet.
    """

    def __init__(
        self,
        program: Program,
        evaluator: Evaluator,
        book: RuleBook,
        lexicon: Lexicon | None = None,
        *,
        fresh: bool = False,
    ) -> None:
        self.program = program
        self.evaluator = evaluator
        self._inputs = inputs = inputs_of(program, book, getattr(evaluator, "inputs", None))
        self._held: dict[str | Input, Any] = dict(inputs.empty) if fresh else {}
        self._seen: list[tuple[Screen, dict[str, Observed]]] = []
        self._lexicon = lexicon or Lexicon()
        self._made = {
            relation.name: maker(relation, program.relations, self._lexicon)
            for relation, _ in inputs.observed
        }
        self._update: Callable[..., None] | None = getattr(evaluator, "update", None)
        # the matcher of `~=` is asked when a text is believed, whether a rule needs it then or not
        self._asks = book.asks
        self._savepoints: list[Savepoint] = []
        # what is sorted for explanations stays sorted while it is the same
        self._rows_in_order: Kept = {}
        self._rows_before: Kept = {}
        self._wanted = _Worlds(World(), World())
        self._settled: _Worlds | None = None
        self.changes = object()
        self.answers = Answers(self)

    def savepoint(self) -> Savepoint:
        savepoint = Savepoint(self._wanted)
        self._savepoints.append(savepoint)
        return savepoint

    def rollback(self, savepoint: Savepoint) -> None:
        """Back to the moment of the savepoint."""
        begun = self._savepoints.index(savepoint)
        self.changes = object()
        self._wanted = savepoint.wanted
        if savepoint.number is not None:
            self._forget()
            self.evaluator.rollback(
                savepoint.number
            )  # if this fails nothing is known of any input: see `restart`
            self._held, self._settled = savepoint.held, savepoint.settled
        del self._savepoints[begun:]

    def restart(self) -> None:
        """Begin again after an error: the next assignments assign everything.

        A rollback that failed is tried once more. If that raises, nothing that the evaluator says can be trusted.
        """
        number = next(
            (savepoint.number for savepoint in self._savepoints if savepoint.number is not None), None
        )
        if number is not None:
            self.evaluator.rollback(number)
        self._savepoints.clear()
        self.changes = object()
        self._forget()

    def _forget(self) -> None:
        self._held = {}
        self._settled = None

    def _begin(self) -> None:
        """Before something is assigned: make a savepoint of the engine for each tentative moment that has none."""
        self.changes = object()
        for savepoint in self._savepoints:
            if savepoint.number is None:
                savepoint.held, savepoint.settled = dict(self._held), self._settled
                savepoint.number = self.evaluator.savepoint()

    def _assign(self, name: Input | str, rows: Iterable[Any]) -> None:
        self._begin()
        self.evaluator.assign(name, rows)

    def clock(self, now: dt.datetime, timeline: dt.datetime | None = None) -> None:
        """Set the device's clock and the relation `Clock`, and the timeline (None: as the clock says)."""
        held = self._held
        times = (now, now if timeline is None else timeline)
        if held.get("now") == times:
            return
        self._begin()
        held.pop("now", None)
        self.evaluator.now(*times)
        clock = self._inputs.clock
        if clock is not None:
            cells: dict[str, Value | None] = {"now": now.time().replace(microsecond=0), "today": now.date()}
            row = row_of(clock, cells)
            if held.get("Clock") != row:
                held.pop("Clock", None)
                self._assign(CLOCK, [row])
                held["Clock"] = row
        held["now"] = times

    def world(self, world: World, before: World | None = None) -> None:
        """Believe this world, and let `before` read the other one: the same if none is given."""
        before = before or world
        if self._wanted.world is not world or self._wanted.before is not before:
            self._wanted = _Worlds(world, before)
            self.changes = object()
            if self._asks:
                self.settle()

    def settle(self) -> None:
        """Assign what is believed, where the evaluator holds something else."""
        wanted = self._wanted
        if wanted is self._settled:
            return
        self._settled = None
        held = self._held
        tables, others = wanted.world.tables, wanted.before.tables
        for name, inputs in self._inputs.believed.items():
            table, earlier = tables.get(name, EMPTY), others.get(name, EMPTY)
            was = held.get(name, _NOTHING)
            if was[0] is not table or (was[1] is not earlier and inputs[1]):
                self._believe(name, table, earlier)
        self._settled = wanted

    def _believe(self, name: str, table: Table, earlier: Table) -> None:
        """Assign the tables of one believed relation."""
        held, assign = self._held, self._assign
        rows_now, past, complete, timestamps, seen = self._inputs.believed[name]
        self._begin()
        was = held.pop(name, _NOTHING)
        if was[0] is not table:
            rows = table.rows
            if was[0] is None or was[0].rows is not rows:
                assign(rows_now, [entry.cells for entry in rows.values()])
                if timestamps:
                    assign(timestamps, [TimedRow(entry.cells, entry.points) for entry in rows.values()])
            if complete and (was[0] is None or was[0].complete is not table.complete):
                assign(complete, table.complete)
        if past and was[1] is not earlier:
            assign(past, [entry.cells for entry in earlier.rows.values()])
        if seen:
            both = (*table.rows.values(), *(earlier.rows.values() if past else ()))
            assign(seen, _last_seen(both))
        held[name] = (table, earlier)

    def point(self, number: int) -> None:
        """Make the moment the history point of that number."""
        self.settle()
        self.changes = object()
        self.evaluator.point(number)

    def rewind(self, number: int) -> None:
        """Go back to the history point of that number, for another session of the same program.

        Raises:
            EngineError: the evaluator cannot, or the program keeps a history.
        """
        rewind: Callable[[int], None] | None = getattr(self.evaluator, "rewind", None)
        if rewind is None:
            raise EngineError("this evaluator serves one session")
        self.changes = object()
        rewind(number)

    def screen(self, screen: Screen | None, point: int) -> None:
        """Assign the observed relations of a screen that was taken at a history point."""
        held = self._held
        last, at = held.get("a screen", (_NOTHING, 0))
        if last is not screen or at != point:
            all_rows = self._rows(screen)
            self._begin()
            held.pop("a screen", None)
            for relation, timestamps in self._inputs.observed:
                rows = all_rows.get(relation.name, NO_ROWS)
                if last is not screen:
                    self._differing(Input(relation.name), rows)
                if timestamps:
                    self._assign(
                        timestamps,
                        [TimedRow(row, tuple(0 if cell is None else point for cell in row)) for row in rows],
                    )
            held["a screen"] = (screen, point)

    @contextmanager
    def otherwise(self) -> Iterator[Screen | None]:
        """Assign the other reading of the screen that is assigned, for as long as this lasts; None: it has none."""
        screen, point = self._held.get("a screen", (None, 0))
        other = None if screen is None else screen.otherwise
        if other is None:
            yield None
            return
        savepoint = self.savepoint()
        try:
            self.screen(other, point)
            yield other
        finally:
            self.rollback(savepoint)

    def _rows(self, screen: Screen | None) -> dict[str, Observed]:
        """The rows of the observed relations on a screen: made once, and kept while it is one of the last two."""
        if screen is None:
            return {}
        for known, rows in self._seen:
            if known is screen:
                return rows
        rows = {
            relation.name: self._made[relation.name].of(screen)
            for relation, _ in self._inputs.observed
            if knows(screen, relation.name) or can_be_given(relation.name, screen)
        }
        self._seen = [*self._seen[-1:], (screen, rows)]
        return rows

    def _differing(self, name: Input, rows: Observed) -> None:
        """Assign the rows of an input unless it has them; only the difference if the evaluator takes that."""
        held = self._held
        last: Observed | None = held.get(name)
        if last is rows or last == rows:
            return
        self._begin()
        held.pop(name, None)
        if self._update is None or not isinstance(last, frozenset) or not isinstance(rows, frozenset):
            self._assign(name, rows)
        else:
            self._update(name, rows - last, last - rows)
        held[name] = rows

    def given_screens(self, names: Iterable[str], point: int) -> None:
        """Assign the screens that are known at a history point to show although no rule says so."""
        names = frozenset(names)
        held = self._held
        was, at = held.get("given screens", (None, 0))
        if was == names and (not names or at == point):
            return
        self._begin()
        held.pop("given screens", None)
        for name, (input_, timestamps) in self._inputs.showing.items():
            is_given = name in names
            if was is not None and not is_given and name not in was:
                continue
            if input_:
                self._assign(input_, [()] if is_given else [])
            if timestamps:  # a screen has no cells: the one point says when it was last known to show
                self._assign(timestamps, [TimedRow((), (point,))] if is_given else [])
        apps = {self.program.relation(name).module for name in names}
        for relation, app in self._inputs.test_inputs.items():
            self._assign(relation, [()] if app in apps else [])
        held["given screens"] = (names, point)

    def gesture(self, name: str | None, cells: Cells | None) -> None:
        """Assign the proposed gesture, or none."""
        self._type("gesture", () if name is None else ((name, cells or {}),))
        held = self._held
        was = held.get("gesture", _NOTHING)
        relation = self._inputs.gestures.get(name) if name is not None else None
        if was is None and relation is None:
            return
        self._begin()
        held.pop("gesture", None)
        if was is _NOTHING:
            for each in self._inputs.gestures:
                self._assign(each, [])
        elif was is not None and was != name:
            self._assign(was, [])
        if relation is not None:
            self._assign(relation.name, [row_of(relation, cells or {})])
        held["gesture"] = relation.name if relation is not None else None

    def actions(self, instances: Mapping[str, Iterable[Row]]) -> None:
        """Assign the critical actions that are proposed."""
        if self._inputs.typing is not None:
            relation = self.program.relation
            self._type(
                "actions",
                tuple(
                    (
                        name,
                        without_unknown(zip((attr.name for attr in relation(name).attrs), row, strict=True)),
                    )
                    for name in sorted(instances)
                    for row in sorted(instances[name], key=row_order)
                ),
            )
        held = self._held
        was = held.get("actions")
        now = [name for name in instances if name in self._inputs.actions]
        if not now and was is not None and not was:
            return
        self._begin()
        held.pop("actions", None)
        for name in self._inputs.actions if was is None else was:
            if name not in now:
                self._assign(name, [])
        for name in now:
            self._assign(name, list(instances[name]))
        held["actions"] = now

    def _type(self, part: str, proposed: "tuple[tuple[str, Cells], ...]") -> None:
        """Assign the secrets in the texts of the proposal, of which a part is this now."""
        relation, held = self._inputs.typing, self._held
        if relation is None:
            return
        parts: dict[str, tuple[tuple[str, Cells], ...]] = held.get("typing", {})
        if parts.get(part) == proposed:
            return
        parts = {**parts, part: proposed}
        both = (*parts.get("gesture", ()), *parts.get("actions", ()))
        rows = frozenset(
            row_of(relation, row) for row in typed_rows(both, self._inputs.written, self._lexicon)
        )
        self._begin()
        held.pop("typing", None)
        self._differing(TYPED, rows)
        held["typing"] = parts

    def goto(self, screens: Collection[str]) -> None:
        """Assign the screens to which the proposal leads."""
        relation = self._inputs.goto
        if relation is not None:
            rows = frozenset([row_of(relation, {"name": name}) for name in screens]) if screens else NO_ROWS
            self._differing(GOTO, rows)

    def overridden(self, repeated: bool) -> None:
        """Assign whether the proposal repeats a warned one."""
        if self._inputs.overridden:
            self._differing(OVERRIDDEN, _ONE_ROW if repeated else NO_ROWS)

    def instruction(self, text: str | None) -> None:
        """Assign what the user asked for; None: nobody said."""
        relation = self._inputs.instruction
        if relation is not None:
            rows = [row_of(relation, {"text": text})] if text is not None else []
            self._differing(INSTRUCTION, frozenset(rows))

    def charter(self, bounds: Collection[Cells]) -> None:
        """Assign what the task permits of effects, and with which bounds."""
        relation = self._inputs.charter
        if relation is not None:
            self._differing(CHARTER, frozenset(row_of(relation, bound) for bound in bounds))

    def licensed(self, actions: Collection[tuple[str, str]]) -> None:
        """Assign the critical actions of the proposal, by their short names, if all of them are allowed.

        With each stands a number of it that is bounded by just its value, or the empty text.
        """
        relation = self._inputs.licensed
        if relation is not None:
            rows = (
                frozenset([row_of(relation, {"action": name, "exactly": bound}) for name, bound in actions])
                if actions
                else NO_ROWS
            )
            self._differing(LICENSED, rows)

    def commits(self, commits: Sequence[tuple[str, Commit]], spent: Iterable[str]) -> None:
        """Assign the committed critical actions, and the actions of which every licence is used up."""
        spent = frozenset(spent)
        by_name: dict[str, list[Commit]] = {}
        for name, commit in commits:
            by_name.setdefault(name, []).append(commit)
        held = self._held
        for name, (done, used_up) in self._inputs.actions.items():
            if done:
                rows = tuple(by_name.get(name, ()))
                if held.get(done) != rows:
                    self._begin()
                    held.pop(done, None)
                    self._assign(done, rows)
                    held[done] = rows
            if used_up:
                self._differing(used_up, _ONE_ROW if name in spent else NO_ROWS)

    def showing_screens(self, screens: frozenset[str]) -> frozenset[str]:
        """The screens that show now: those whose rules hold, without those that another covers.

        Of an app of which a screen is given, only the given ones. Two of one app that are left over tell nothing:
        neither is taken as shown.
        """
        rows = self.answers.rows
        screen_modules = {relation.module for relation in self._inputs.screens if relation.name in screens}
        names = [
            relation
            for relation in self._inputs.screens
            if (relation.name in screens if relation.module in screen_modules else rows(relation.name))
        ]
        covered = {name for relation in names for name in relation.over}
        top = [relation for relation in names if relation.name not in covered]
        modules = [relation.module for relation in top]
        return frozenset(relation.name for relation in top if modules.count(relation.module) == 1)

    def facts(
        self,
        context: Context,
        world: World,
        before: World,
        commits: Sequence[tuple[str, Commit]],
        spent: frozenset[str],
        sent: Callable[[str], Iterable[tuple[Row, str]]] = lambda action: (),
    ) -> Facts:
        """What can be asked of the moment that is assigned; `sent`: see `Facts`."""
        return Facts(
            self.program,
            context,
            in_order(self._rows_now, self._rows_in_order),
            in_order(before.rows, self._rows_before, lambda name: before.table(name).rows),
            lambda name: world.table(name).complete,
            lambda name: [commit.row for relation, commit in commits if relation == name],
            lambda name: name in spent,
            self._witness,
            sent,
            self._idle_beside({name for name, _ in commits}),
        )

    def _rows_now(self, name: str) -> frozenset[Row]:
        """The rows of a relation; the evaluator is not asked about gestures and actions that are not proposed."""
        return NO_ROWS if self._not_proposed(name) else self.answers.rows(name)

    def _not_proposed(self, name: str) -> bool:
        """Whether a relation is a gesture or an action that is not proposed in the moment that is assigned."""
        held = self._held
        if name in self._inputs.gestures:
            return bool(held.get("gesture", name) != name)
        return name in self._inputs.actions and name not in held.get("actions", self._inputs.actions)

    def _idle_beside(self, done: Collection[str]) -> Callable[[str], bool]:
        """See `Facts.idle`, where these actions were done."""
        return lambda name: name not in done and self._not_proposed(name)

    def _witness(self, rule: str, binding: Mapping[str, Value], instance: Row) -> Mapping[str, Value] | None:
        """A binding under which a rule holds, of those that agree with an answer; None: none is found in time."""
        values = tuple(binding.get(name) for name in self.answers.variables(rule))
        try:
            return self.answers.witness(rule, Answer(values, instance))
        except BudgetExceeded:
            return None
