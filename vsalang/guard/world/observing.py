"""Brings what is believed into line with a new screen: observation rules, lists, completeness, screens, views."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from types import MappingProxyType
from typing import Literal, TypeAlias

from vsalang.base.records import dataclass
from vsalang.engine.api import Cell, Row
from vsalang.engine.explain.finding import State
from vsalang.engine.explain.open_rows import Unread
from vsalang.engine.explain.supposing import Supposing
from vsalang.engine.explain.terms import Context
from vsalang.guard.say.reasons import conflict_reason
from vsalang.guard.say.verdict import Reason, Why
from vsalang.guard.world.beliefs import (
    CellWrite,
    Change,
    Ident,
    RowDelete,
    SkippedWrite,
    World,
    apply,
    cleared,
    completed,
    covers,
    gap_in,
    row_of,
    without_cells,
    without_rows,
)
from vsalang.guard.world.joining import Motion, WindowState, joined
from vsalang.guard.world.joining import window_state as shown_window
from vsalang.guard.world.kept_readings import Circumstances, KeptReadings, ReadGroup, Reading
from vsalang.guard.world.list_windows import Arrangement, ListWindow, closed, opened, placed, windows
from vsalang.guard.world.moments import Moments
from vsalang.guard.world.rule_book import RuleBook
from vsalang.guard.world.rule_effects import bindings, head_cells, writes
from vsalang.guard.world.unread_rows import (
    Read,
    agreed,
    cautious,
    doubtful_rows,
    erasing,
    identity,
    unread_cells,
    unsure,
)
from vsalang.program.ir import Mark, Program, Relation, Rule, Write
from vsalang.program.phrases import say
from vsalang.program.screen import Screen
from vsalang.program.show import quoted
from vsalang.program.values import Value, same, without_unknown

Touched: TypeAlias = Literal["", "gone", "moved"]
"""What the look after a touch of a place shows of what was judged. ``moved``: it is elsewhere, so that something
else may have taken the touch. ``gone``: it does not show any more. Empty: it is still there, the device itself saw
to it that it took the touch, or this is not known."""


@dataclass(frozen=True, slots=True)
class KnownWorld:
    """What is known of the world in addition to the screen's facts: the `observe` steps of tests.

    Attributes:
        writes: rows that are seen.
        gone: patterns of rows that are seen to be gone.
        complete: what is seen to be complete.
        screens: the screens that are known to show from now on; None: as before.
        rules: whether the observation rules run.
        while_shown: what is said of a view counts only while one of its screens is shown (apps that report their
            state; in tests a step may write a view on any screen).
        touched: what the screen shows of what the touch under way was judged on.
    """

    writes: tuple[CellWrite, ...] = ()
    gone: tuple[RowDelete, ...] = ()
    complete: tuple[tuple[str, Mapping[str, Value]], ...] = ()
    screens: frozenset[str] | None = None
    rules: bool = True
    while_shown: bool = False
    touched: Touched = ""

    def without(self, relations: frozenset[str]) -> "KnownWorld":
        """What is known, without what is said of these relations."""
        return replace(
            self,
            writes=tuple(write for write in self.writes if write.relation not in relations),
            gone=tuple(gone for gone in self.gone if gone.relation not in relations),
            complete=tuple(item for item in self.complete if item[0] not in relations),
        )


@dataclass(frozen=True, slots=True)
class Reconciliation:
    """The world after an observation.

    Attributes:
        observed: the attributes that this very observation gave, by relation and row.
        completed: rows in which only the values are known for which it showed that nothing is unseen.
    """

    world: World
    screens: frozenset[str]
    conflicts: tuple[Reason, ...]
    differences: tuple[Why, ...]
    windows: Mapping[tuple[str, Ident], WindowState]
    observed: Mapping[str, Mapping[Ident, frozenset[str]]] = field(default_factory=dict)
    completed: frozenset[tuple[str, Row]] = frozenset()


class Observing:
    """Reconciles believed worlds with observations. Holds no state of its own but what follows from what it was given:
    results of equal observations."""

    def __init__(self, program: Program, book: RuleBook, moments: Moments) -> None:
        self.program = program
        self.answers = moments.answers
        self.book = book
        self.moments = moments
        self._views = [r for r in program.relations.values() if r.sort == "view" and r.on]
        self.grouped = frozenset(
            rule.head.atom.relation
            for group in book.observations
            for rule in group
            if isinstance(rule.head, Write)
        )
        self.groups = tuple(ReadGroup.of(program, book, group) for group in book.observations)
        self.kept: KeptReadings[Reading] = KeptReadings()

    def reconcile(
        self,
        base: World,
        screen: Screen | None,
        screens_given: frozenset[str],
        seen: KnownWorld,
        point: int,
        context: Context,
        *,
        screens_count: bool,
        predicted: Iterable[Change] = (),
        motion: Motion | None = None,
        windows: Mapping[tuple[str, Ident], WindowState] | None = None,
        proves: bool = True,
    ) -> Reconciliation:
        """The world after the screen was observed. Leaves the moment *after*.

        Args:
            base: what is believed, predictions of the last action included.
            screen: the new screen.
            screens_given: screens that are known to show although no rule says so.
            seen: what is known in addition to the screen.
            point: the number of the history point that this observation makes.
            context: the day and the clock.
            screens_count: whether it is known which screens show.
            predicted: the changes of the last action, to report where they turn out otherwise.
            motion: the scroll that came since the last observation; None: something else.
            windows: the lists' windows as last shown.
            proves: whether what is not on the screen is not there: not so while what was typed may still take effect.
        """
        moments = self.moments
        moments.clock(context.now, context.timeline)
        moments.overridden(False)
        moments.gesture(None, None)
        moments.actions({})
        moments.goto(())
        moments.screen(screen, point)
        moments.given_screens(screens_given, point)
        moments.world(base)
        screens = moments.showing_screens(screens_given)
        step = _Reconciling(
            self, base, screen, seen, point, context=context, motion=motion, last=windows or {}, proves=proves
        )
        step.screens = screens - screens_given
        if screens_count:
            hidden = [r.name for r in self._views if not screens.intersection(r.on)]
            step.world = cleared(base, hidden)
            step.hidden = frozenset(hidden)
            if seen.while_shown:
                step.seen = seen.without(step.hidden)
        step.run()
        moments.world(step.world)
        return Reconciliation(
            step.world,
            screens,
            tuple(step.conflicts),
            tuple(self._differences(predicted, step)),
            step.windows,
            step.written,
            frozenset(step.completed),
        )

    def _differences(self, predicted: Iterable[Change], step: "_Reconciling") -> list[Why]:
        reasons = []
        for change in predicted:
            if change.new is None or change.ident not in step.written.get(change.relation, {}):
                continue
            relation = self.program.relation(change.relation)
            entry = step.world.table(change.relation).rows.get(change.ident)
            cells = entry.cells if entry is not None else (None,) * len(relation.attrs)
            for attr, wanted, cell in zip(relation.attrs, change.new.cells, cells, strict=True):
                if attr.name in change.written and wanted is not None and not same(cell, wanted):
                    text = quoted(cell, attr.type)
                    label = attr.doc or attr.name
                    expected = say("predicted", value=quoted(wanted, attr.type))
                    state: State = "unknown" if cell is None else "unmet"
                    reasons.append(Why(state, relation.name, attr.name, label, text, expected))
        return reasons


class _Reconciling:
    """One observation, while it is taken in."""

    def __init__(
        self,
        room: Observing,
        base: World,
        screen: Screen | None,
        seen: KnownWorld,
        point: int,
        *,
        context: Context,
        motion: Motion | None,
        last: Mapping[tuple[str, Ident], WindowState],
        proves: bool,
    ) -> None:
        self.room = room
        self.program = room.program
        self.world = base
        self.screen = screen
        self.seen = seen
        self.point = point
        self.context = context
        self.motion = motion
        self.last = last
        self.proves = proves
        self.windows: dict[tuple[str, Ident], WindowState] = {}
        self.hidden: frozenset[str] = frozenset()
        self.screens: frozenset[str] = frozenset()
        self.written: dict[str, dict[Ident, frozenset[str]]] = {}
        self.completed: set[tuple[str, Row]] = set()
        self.skipped: list[SkippedWrite] = []
        self.conflicts: list[Reason] = []
        self._supposed: tuple[tuple[object, ...], Supposing] | None = None

    def run(self) -> None:
        """Observation rules in the order of what they read, then completeness."""
        for gone in self.seen.gone:
            self.world = without_rows(self.world, self.program.relation(gone.relation), gone.pattern)
        grouped = self.room.grouped
        self._apply([write for write in self.seen.writes if write.relation not in grouped], [])
        self.room.moments.world(self.world)
        for number, group in enumerate(self.room.book.observations):
            self._kept_group(number, group)
        if self.seen.rules and self.proves:
            for rule in self.room.book.marks:
                if isinstance(rule.head, Mark) and rule.head.kind == "complete":
                    self._kept_complete(rule)
        for gone in self.seen.gone:
            self._gone(gone)
        for name, cells in self.seen.complete:
            self._all(self.program.relation(name), cells)
        for skip in self.skipped:
            self._unread(skip)

    # ------------------------------------------------------------------ what is known from before

    def _kept_group(self, number: int, group: tuple[Rule, ...]) -> None:
        """What a group of rules writes: as it was found before, if all that it depends on is the same."""
        asked = self.room.groups[number]
        names = asked.names
        if not asked.keeps or any(write.relation in names for write in self.seen.writes):
            self._group(group)
            self._not_read(group)
            return
        if not self._settled(asked.rules, ("observation", number)):
            self._group(group)
            self._not_read(group)
            return
        answers = self.room.answers.answers_of(asked.ids)
        tables = list(map(self.world.table, names))
        arrangement: Arrangement | None = None
        last: list[tuple[Ident, WindowState]] = []
        if asked.lists:
            arrangement = self.room.kept.arrangement(self.screen)
            last = [(ident, window) for (name, ident), window in self.last.items() if name in names]
        key = (
            number,
            tuple(map(id, answers)),
            tuple(map(id, tables)),
            id(arrangement),
            Circumstances(
                self.hidden.intersection(names),
                self.screens,
                self.proves,
                (self.context.today, self.context.now.date()),
                self.motion if asked.lists else None,
                tuple(last),
            ),
        )
        known = self.room.kept.get(key)
        if known is None:
            outer = self.written, self.completed, self.windows, self.skipped, self.conflicts
            self.written, self.completed, self.windows, self.skipped, self.conflicts = {}, set(), {}, [], []
            self._group(group)
            self._not_read(group)
            known = Reading(
                answers,
                tables,
                arrangement,
                [(name, self.room.kept.table(name, self.world.table(name))) for name in names],
                self.written,
                frozenset(self.completed),
                self.windows,
                self.skipped,
                self.conflicts,
            )
            self.written, self.completed, self.windows, self.skipped, self.conflicts = outer
            self.room.kept.keep(key, known)
        self._take(known)

    def _kept_complete(self, rule: Rule) -> None:
        """What a `complete` rule makes known: as it was found before, if all that it depends on is the same."""
        assert isinstance(rule.head, Mark)
        name = rule.head.atom.relation
        if name in self.room.book.timed or not self._settled((rule,), ("complete", rule.id)):
            self._complete(rule)
            return
        answers = [self.room.answers.answers(rule.id)]
        table, written = self.world.table(name), self.written.get(name, {})
        days = (self.context.today, self.context.now.date())
        key = (rule.id, id(answers[0]), id(table), id(written), days)
        known = self.room.kept.get(key)
        if known is None:
            outer, self.completed = self.completed, set()
            self._complete(rule)
            after = [(name, self.room.kept.table(name, self.world.table(name)))]
            known = Reading(
                answers, [table], None, after, {name: written}, frozenset(self.completed), {}, (), ()
            )
            self.completed = outer
            if name in self.written:
                self.room.kept.keep(key, known)
        for relation, after_it in known.after:
            self.world = self.world.put(relation, after_it)
        self.completed |= known.completed

    def _settled(self, rules: Sequence[Rule], name: Hashable) -> bool:
        """Whether nothing that nobody read, and no text that hides something, may change what rules say."""
        screen = self.screen
        if not self.seen.rules or (screen is not None and (screen.unread or screen.otherwise is not None)):
            return False
        return not self._supposing(screen).in_doubt(rules, name)

    def _take(self, reading: Reading) -> None:
        """Believe what a group wrote."""
        for name, table in reading.after:
            self.world = self.world.put(name, table)
        self.written |= reading.written
        self.completed |= reading.completed
        self.windows |= reading.windows
        self.skipped += reading.skipped
        self.conflicts += reading.conflicts
        self.room.moments.world(self.world)

    # ------------------------------------------------------------------ groups

    def _group(self, group: tuple[Rule, ...]) -> None:
        names = list(dict.fromkeys(rule.head.atom.relation for rule in group if isinstance(rule.head, Write)))
        changed, deleted, doubtful = self._read(names, group)
        changed += [write for write in self.seen.writes if write.relation in names]
        if not changed and not deleted:
            return
        for name in names:
            relation = self.program.relation(name)
            if relation.sort == "list" and any(
                write.relation == name and write.row is not None for write in changed
            ):
                mine = [write for write in changed if write.relation == name]
                others = [write for write in changed if write.relation != name]
                opened_windows = windows(
                    relation,
                    mine,
                    self.room.kept.arrangement(self.screen),
                    self._marked(name, "top"),
                    self._marked(name, "end"),
                    frozenset(row.node for row in doubtful if row.node is not None),
                )
                opened_windows = [self._join(relation, window, mine) for window in opened_windows]
                self.world = opened(self.world, relation, opened_windows)
                self._apply(
                    placed(relation, mine, opened_windows), [d for d in deleted if d.relation == name]
                )
                if not self.proves:
                    opened_windows = [
                        replace(window, first=None, top=False, end=False) for window in opened_windows
                    ]
                self.world = closed(self.world, relation, opened_windows)
                self._ends_shown(relation, opened_windows)
                changed, deleted = others, [d for d in deleted if d.relation != name]
        self._apply(changed, deleted)
        self.room.moments.world(self.world)

    def _read(self, names: Iterable[str], group: tuple[Rule, ...]) -> Read:
        """What the rules of a group write and delete in each reading of the screen, and what may be there.

        What may be there ends what is known: cells of a row that may say something else, and that nothing is unseen.
        """
        running = [
            r
            for r in group
            if self.seen.rules and isinstance(r.head, Write) and r.head.atom.relation not in self.hidden
        ]
        if not running:
            return [], [], []
        writes = self._read_in(names, running, self.screen)
        with self.room.moments.otherwise() as other:
            if other is not None:
                writes = agreed(self.program, self.world, writes, self._read_in(names, running, other))
        changed, _, doubtful = writes
        for each in doubtful:
            relation = self.program.relation(each.row.relation)
            rows = self.world.table(relation.name).rows
            place = identity(relation, each.row.cells)
            if place in rows or (each.there and place is not None):
                unknown = erasing(relation, each, changed)
                changed += [unknown] if unknown is not None else []
            else:
                self.skipped.append(each.row)
        return writes

    def _read_in(self, names: Iterable[str], running: Sequence[Rule], screen: Screen | None) -> Read:
        """What rules read in the reading of the screen that is assigned; rows that were not read whole are written."""
        book, answers = self.room.book, self.room.answers
        changed, deleted = writes(answers, running, self.context)
        ids = {rule.id for rule in running}
        rows = [each for each in book.rows if each.rule.id in ids]
        for name in names:
            mine = [each for each in rows if each.relation == name]
            changed += unread_cells(answers, mine, self.program.relation(name), changed, self.context)
        asked = self._supposing(screen)
        parted = {each.rule.id for each in rows}
        others = [r for r in running if r.id not in parted and not r.head.delete]  # type: ignore[union-attr]
        doubtful = doubtful_rows(asked, answers, rows, others, self.context)
        return cautious(asked, answers, running, self.world, self.context, (changed, deleted, doubtful))

    def _supposing(self, screen: Screen | None) -> Supposing:
        """Who answers what may hold in the moment that is assigned; the same until that changes."""
        moment = (self.room.moments.changes, self.world, screen)
        known = self._supposed
        if known is not None and all(one is other for one, other in zip(moment, known[0], strict=True)):
            known[1].steps = 0  # each question may compare as many rows
            return known[1]
        facts = self.room.moments.facts(self.context, self.world, self.world, (), frozenset())
        unread = Unread({}) if screen is None else Unread(screen.unread, forest=screen.forest)
        asked = Supposing(facts, unread, self.room.book.definitions)
        self._supposed = (moment, asked)
        return asked

    def _sure(self, rule: Rule, screen: Screen | None) -> list[Mapping[str, Value]]:
        """The ways in which a rule holds in the moment that is assigned, whatever is not known of what was seen."""
        ways = bindings(self.room.answers, rule)
        asked = self._supposing(screen)
        return [way for way in ways if not unsure(asked, rule, way)]

    def _not_read(self, group: tuple[Rule, ...]) -> None:
        """What was read of a view on a screen is not known any more if that shows, and no rule reads it now."""
        if not self.seen.rules:
            return
        for name in dict.fromkeys(rule.head.atom.relation for rule in group if isinstance(rule.head, Write)):
            table = self.world.table(name)
            entry = table.rows.get(())
            if entry is None:
                continue
            now = self.written.get(name, {}).get((), frozenset())
            gone = {attr for attr, screen in entry.read if screen in self.screens} - now
            if gone:
                read = frozenset(pair for pair in entry.read if pair[0] not in gone)
                left = replace(without_cells(self.program.relation(name), entry, gone), read=read)
                self.world = self.world.put(name, replace(table, rows=MappingProxyType({(): left})))
                self.room.moments.world(self.world)

    def _join(self, relation: Relation, window: ListWindow, rows: list[CellWrite]) -> ListWindow:
        """The window joined to the last one of its list where that is certain, and remembered."""
        mine = [
            write
            for write in rows
            if tuple(write.cells.get(name) for name in relation.within) == window.group
        ]
        now = shown_window(relation, window, mine, self.room.kept.arrangement(self.screen))
        window = joined(relation, window, now, self.last, self.motion)
        self.windows[(relation.name, window.group)] = replace(now, first=window.first)
        return window

    def _marked(self, relation: str, kind: str) -> frozenset[Ident]:
        """The lists of which a `top` or `end` rule holds now, in each reading of the screen."""
        rows = self._marked_in(relation, kind, self.screen)
        if rows:
            with self.room.moments.otherwise() as other:
                if other is not None:
                    rows &= self._marked_in(relation, kind, other)
        return rows

    def _marked_in(self, relation: str, kind: str, screen: Screen | None) -> frozenset[Ident]:
        rows = set()
        for rule in self.room.book.marks:
            head = rule.head
            assert isinstance(head, Mark)
            if head.kind != kind or head.atom.relation != relation:
                continue
            for binding in self._sure(rule, screen):
                cells = head_cells(rule, binding, self.context)
                values = [cells.get(name) for name in self.program.relation(relation).within]
                if all(value is not None for value in values):
                    rows.add(tuple(value for value in values if value is not None))
        return frozenset(rows)

    def _apply(self, changed: list[CellWrite], deleted: list[RowDelete]) -> None:
        if not changed and not deleted:
            return
        applied = apply(
            self.program,
            self.world,
            changed,
            deleted,
            self.point,
            observing=True,
            timed=self.room.book.timed,
            screens=self.screens,
        )
        self.world = applied.world
        for change in applied.changes:
            if change.new is not None:
                rows = self.written.setdefault(change.relation, {})
                rows[change.ident] = rows.get(change.ident, frozenset()) | change.written
        for delete in deleted:
            known = without_unknown(delete.pattern.items())
            if len(known) == len(delete.pattern):
                row = row_of(self.program.relation(delete.relation), known)
                self.completed.add((delete.relation, row))
        self.skipped += applied.skipped
        self.conflicts += [conflict_reason(self.program, conflict, "allow") for conflict in applied.conflicts]

    def _complete(self, rule: Rule) -> None:
        """What is shown now, in each reading of the screen, is all there is: other rows with these values are gone."""
        assert isinstance(rule.head, Mark)
        relation = self.program.relation(rule.head.atom.relation)
        patterns = self._patterns(rule, relation, self.screen)
        if patterns:
            with self.room.moments.otherwise() as other:
                there = self._patterns(rule, relation, other) if other is not None else patterns
            patterns = {pattern: known for pattern, known in patterns.items() if pattern in there}
        for pattern, known in patterns.items():
            table = self.world.table(relation.name)
            written_rows = self.written.get(relation.name, {})
            rows = {i: e for i, e in table.rows.items() if i in written_rows or not covers(pattern, e.cells)}
            if len(rows) < len(table.rows):
                self.world = self.world.put(relation.name, replace(table, rows=MappingProxyType(rows)))
            self._all(relation, known)

    def _patterns(self, rule: Rule, relation: Relation, screen: Screen | None) -> dict[Row, dict[str, Value]]:
        """The values for which a `complete` rule holds in the moment that is assigned."""
        patterns: dict[Row, dict[str, Value]] = {}
        for binding in self._sure(rule, screen):
            cells: dict[str, Cell] = head_cells(rule, binding, self.context)
            known = without_unknown(cells.items())
            if len(known) == len(cells):
                patterns[row_of(relation, known)] = known
        return patterns

    def _all(self, relation: Relation, cells: Mapping[str, Value]) -> None:
        """Nothing of the relation is unseen for these values, unless a list has a gap."""
        if gap_in(self.world, relation, cells) is not None:
            return
        self.world = completed(self.world, relation, cells)
        self.completed.add((relation.name, row_of(relation, cells)))

    def _ends_shown(self, relation: Relation, windows: Iterable[ListWindow]) -> None:
        """Take note of the lists that are shown from their first to their last row."""
        complete = self.world.table(relation.name).complete
        for window in windows:
            row = row_of(relation, dict(zip(relation.within, window.group, strict=True)))
            if window.top and window.end and row in complete:
                self.completed.add((relation.name, row))

    def _gone(self, gone: RowDelete) -> None:
        """Rows seen to be gone: where the pattern gives key values and nothing else, no such row is unseen."""
        relation = self.program.relation(gone.relation)
        known = without_unknown(gone.pattern.items())
        if known.keys() <= {*relation.within, *relation.key}:
            self._all(relation, known)
        else:
            self.completed.add((relation.name, row_of(relation, known)))

    def _unread(self, skip: SkippedWrite) -> None:
        """A row that is there but could not be read: nothing is complete that it may belong to."""
        relation = self.program.relation(skip.relation)
        row = row_of(relation, {n: v for n, v in skip.cells.items() if n in relation.identity})
        table = self.world.table(relation.name)
        complete = frozenset(pattern for pattern in table.complete if not covers(pattern, row))
        self.completed = {
            (name, pattern)
            for name, pattern in self.completed
            if name != relation.name or not covers(pattern, row)
        }
        self.world = self.world.put(relation.name, replace(table, complete=complete))
