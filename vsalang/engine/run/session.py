"""The state of one session: tables that change by differences, what was computed from them, and how to undo it.

Every table and alpha has a version that changes when its contents do and comes back when they are rolled back. What
was computed remembers the versions it was computed from, so that it is computed again only when one of them is
another; a flag says of what this has to be checked at all. What is live (`vsalang.engine.run.maintain`) is kept up to
date by every change.
"""

import datetime as dt
from collections.abc import Iterable
from typing import Any

from vsalang.core.ir import Program
from vsalang.core.similarity import Similarity
from vsalang.engine.api import Budget, BudgetExceeded, Commit, EngineError, Row, Stamped
from vsalang.engine.plan import Kernel, Ref, Tuple
from vsalang.engine.run.answers import Asking
from vsalang.engine.run.history import forget_times, quiet, record
from vsalang.engine.run.maintain import activate_wanted, settle, take, write
from vsalang.engine.run.tables import Alpha, Table
from vsalang.engine.run.undo import undo
from vsalang.engine.run.watch import Watch
from vsalang.engine.run.windows import NEVER, follow, time_moved
from vsalang.engine.terms import Ctx


class Session(Asking):
    """One session over a kernel. See `vsalang.engine.api.Evaluator`.

    Attributes:
        live: of each node whether it is kept up to date by differences, and how.
        counts: of live nodes the number of derivations of each row.
        ranks: of the tables of live recursive components the rank of each row.
        sets: of live rules that somebody asked the answers.
        pending: of live nodes what came and went in their positions; `queue` has their ranks.
        watched: of nodes what must be told when they come to hold or cease to.
        alarms: of each window of the past when something may next enter or leave it; `alarm` is the first.
    """

    __slots__ = (
        "alarm",
        "alarms",
        "asking",
        "depth",
        "last_point",
        "memories",
        "pending",
        "program",
        "queue",
        "ranks",
        "recording",
        "users",
        "version",
        "wanted",
        "warmth",
        "watched",
    )

    def __init__(
        self,
        kernel: Kernel,
        *,
        today: dt.date,
        similarity: Similarity | None = None,
        budget: Budget | None = None,
    ) -> None:
        self.kernel = kernel
        self.program: Program = kernel.program
        self.budget = budget or Budget()
        self.ctx = Ctx(today, similarity)
        self.alphas = [Alpha(number, spec, self.ctx) for number, spec in enumerate(kernel.alphas)]
        self.asking = [alpha for alpha in self.alphas if alpha.asked is not None]
        self.tables = [Table(number) for number in range(len(kernel.tables))]
        self.delta = ()
        self.recording = 0
        self.last_point = 0
        self.memories: dict[int, dict[Tuple, Any]] = {}
        self.depth = 0
        self.version = 0
        self.clock_version = 0
        self.alarms = [NEVER] * len(kernel.windows)
        self.alarm = NEVER
        self.dirty = bytearray(b"\x01" * len(kernel.nodes))
        self.live = bytearray(len(kernel.nodes))
        self.inputs = [None] * len(kernel.nodes)
        self.values = [None] * len(kernel.nodes)
        self.log = []
        self.marks = []
        self.epoch = 0
        self.broken = False
        self._stamps = {}
        self.ages = None
        self.unread = {}
        self._frozen = {}
        self.users: Any = None
        self.counts = {}
        self.ranks: dict[int, dict[Tuple, int]] = {}
        self.sets = {}
        self.pending: dict[int, Any] = {}
        self.queue: list[int] = []
        self.warmth: dict[int, int] = {}
        self.wanted: dict[int, None] = {}
        self.watched: dict[int, Any] = {}
        self.begin()

    # ------------------------------------------------------------ assigning

    @property
    def slots(self) -> frozenset[str]:
        """The slots that the program reads; assigning others costs nothing."""
        return frozenset(spec.ref.name for spec in self.kernel.tables if spec.ref.kind == "slot")

    def assign(self, slot: str, rows: "Iterable[Row] | Iterable[Commit] | Iterable[Stamped]") -> None:
        """Replace the rows of a slot. See `vsalang.engine.api.Evaluator`.

        Raises:
            EngineError: a row does not have the relation's width, or the slot belongs to a derived relation.
            BudgetExceeded: too many rows.
        """
        self.check()
        self.begin()
        number = self.kernel.slots.get(slot)
        if number is None:
            self._assign_unused(slot, rows)
            return
        new: dict[Tuple, None] = dict.fromkeys(self._cells(slot, number, rows))
        self.replace(number, new)
        if slot.startswith("commits "):
            self._take_back(slot.removeprefix("commits "), new)

    def update(
        self,
        slot: str,
        added: "Iterable[Row] | Iterable[Commit] | Iterable[Stamped]" = (),
        removed: "Iterable[Row] | Iterable[Commit] | Iterable[Stamped]" = (),
    ) -> None:
        """Change the rows of a slot: what is already there or not there is left as it is; what is in both, stays.

        Raises:
            EngineError: a row does not have the relation's width, or the slot belongs to a derived relation.
            BudgetExceeded: too many rows.
        """
        self.check()
        self.begin()
        number = self.kernel.slots.get(slot)
        if number is None:
            kept = self.unread.get(slot, frozenset())
            if slot in self.program.relations:
                gone: set[Any] = set(removed)
                self._assign_unused(slot, (kept - gone) | set(added))
            return
        rows = self.tables[number].rows
        come = dict.fromkeys(self._cells(slot, number, added))
        went = [
            row
            for row in dict.fromkeys(self._cells(slot, number, removed))
            if row in rows and row not in come
        ]
        came = [row for row in come if row not in rows]
        if len(rows) + len(came) - len(went) > self.budget.rows:
            raise BudgetExceeded(f"slot {slot} has more than {self.budget.rows} rows")
        if came or went:
            self.change(number, came, went)
            if slot.startswith("commits "):
                self._take_back(slot.removeprefix("commits "), self.tables[number].rows)

    def write(self, slot: str, attr: str, value: Any) -> None:
        """Write one cell of the only row of a relation without a key; a row that is not there yet is made.

        Args:
            slot: a relation without key, or its state ``before``.
            attr: the cell.
            value: None: it is unknown.

        Raises:
            EngineError: there is no such relation or cell, or it has several rows.
        """
        place = self.kernel.cells.get((slot, attr))
        if place is not None and not self.broken:
            number, column = place
            rows = self.tables[number].rows
            if len(rows) == 1:
                (old,) = rows
                if old[column] is value:
                    return
                if old[column] != value:
                    self.steps = self.refills = 0
                    self.left = self.slice
                    self.deadline = None
                    write(self, number, column, (*old[:column], value, *old[column + 1 :]), old)
                    return
        self._write(slot, attr, value)

    def _write(self, slot: str, attr: str, value: Any) -> None:
        self.check()
        self.begin()
        relation = self.program.relations.get(slot.removeprefix("before "))
        if relation is None:
            raise EngineError(f"the program has no relation {slot}")
        try:
            column = relation.column(attr)
        except KeyError:
            raise EngineError(f"{slot} has no attribute {attr}") from None
        number = self.kernel.slots.get(slot)
        rows: Any = self.unread.get(slot, ()) if number is None else self.tables[number].rows
        if len(rows) > 1:
            raise EngineError(f"slot {slot} has {len(rows)} rows: which one is written?")
        old = next(iter(rows), None)
        row = old if old is not None else (None,) * len(relation.attrs)
        if old is not None and old[column].__class__ is value.__class__ and old[column] == value:
            return
        new = (*row[:column], value, *row[column + 1 :])
        if number is None:
            self._assign_unused(slot, [new])
        elif old is None:
            self.change(number, [new], [])
        else:  # a value that equals another of another type, such as 1 and true, or a relation with a key
            self.change(number, [], [old])
            self.change(number, [new], [])

    def _cells(self, slot: str, number: int, rows: Iterable[Any]) -> Iterable[Tuple]:
        arity = self.kernel.tables[number].arity
        stamps = slot.startswith(("stamps ", "seen "))
        limit = self.budget.rows
        for count, row in enumerate(rows, 1):
            if isinstance(row, Commit):
                cells: Tuple = (*row.row, row.number, row.point)
            elif isinstance(row, Stamped):
                cells = (row.row, row.points)
            else:
                cells = tuple(row)
            if len(cells) != (2 if stamps else arity):
                raise EngineError(f"slot {slot}: a row has {len(cells)} cells instead of {arity}")
            if count > limit:
                raise BudgetExceeded(f"slot {slot} has more than {limit} rows")
            yield cells

    def _assign_unused(self, slot: str, rows: Any) -> None:
        """Keep what `rows` may be asked for, of a base relation that no rule reads."""
        if slot in self.program.relations:
            if Ref("derived", slot, "plain") in self.kernel.table_ids:
                raise EngineError(f"slot {slot}: the rows of a derived relation are not assigned")
            old = self.unread.get(slot, frozenset())
            if self.marks:
                self.log.append(("unused", slot, old))
            self.unread[slot] = frozenset(tuple(row) for row in rows)

    def restore_rows(self, number: int, rows: dict[Tuple, None]) -> None:
        """Give a table the rows of a snapshot.

        Raises:
            BudgetExceeded: they are too many.
        """
        limit = self.budget.rows if self.kernel.tables[number].ref.kind == "slot" else self.budget.bindings
        if len(rows) > limit:
            raise BudgetExceeded(
                f"the snapshot has {len(rows)} rows of {self.kernel.tables[number].ref.name}"
            )
        self.replace(number, rows)

    def restore_history(self, point: int, forgotten: int, times: dict[int, dt.datetime]) -> None:
        """Set what is known of the history points of a snapshot."""
        self.last_point, self.ctx.forgotten, self.ctx.times = point, forgotten, times
        self._clock_moved()
        time_moved(self, True)

    def now(self, moment: dt.datetime, timeline: dt.datetime | None = None) -> None:
        """Set the device's clock and the timeline. See `vsalang.engine.api.Evaluator`.

        Raises:
            EngineError: the moment has a time zone: the clock is the device's local time.
        """
        time = moment if timeline is None else timeline
        if moment.tzinfo is not None or time.tzinfo is not None:
            raise EngineError("the clock is the device's local time, without a time zone")
        ctx = self.ctx
        if moment == ctx.now and time == ctx.timeline:
            return
        self.begin()
        self.epoch += 1
        if self.marks:
            self.log.append(("clock", ctx.now, ctx.timeline, self.clock_version))
        back = time < ctx.timeline
        ctx.now, ctx.timeline = moment, time
        self._clock_moved()
        if back or time >= self.alarm:
            time_moved(self, back)

    def _clock_moved(self) -> None:
        self.version += 1
        self.clock_version = self.version
        dirty = self.dirty
        for node in self.kernel.clock_readers:
            if not dirty[node]:
                self.touch(node)

    def replace(self, number: int, new: Iterable[Tuple]) -> bool:
        """Give a table new rows; whether anything changed."""
        rows = new if isinstance(new, dict) else dict.fromkeys(new)
        old = self.tables[number].rows
        if rows == old:
            return False
        added = [row for row in rows if row not in old]
        removed = [row for row in old if row not in rows]
        if added or removed:
            self.change(number, added, removed)
            return True
        return False

    def change(self, number: int, added: list[Tuple], removed: list[Tuple]) -> None:
        """Take rows into a table and out of it, with everything that must know."""
        take(self, number, added, removed)
        if self.queue:
            settle(self)

    def take(self, number: int, added: list[Tuple], removed: list[Tuple], done: tuple[int, ...]) -> None:
        """As `change`, where the alphas `done` know already; what is live waits to be settled."""
        take(self, number, added, removed, done)

    def follow(self, number: int, added: list[Tuple], removed: list[Tuple]) -> None:
        """The windows of a memory take in what came to it and went. See `vsalang.engine.run.windows`."""
        follow(self, number, added, removed)

    def touch(self, node: int) -> None:
        """A node, and what rests on it, must be checked before it is read."""
        dirty, users = self.dirty, self.kernel.node_users
        if dirty[node]:
            return
        waiting = [node]
        while waiting:
            each = waiting.pop()
            if not dirty[each]:
                dirty[each] = 1
                waiting.extend(users[each])
                if each in self.watched:
                    for watch in self.watched[each]:
                        watch.stale = True

    def _take_back(self, action: str, commits: Iterable[Tuple]) -> None:
        """What rests on a commit that is no longer there is forgotten."""
        numbers: set[Any] | None = None
        for past in self.kernel.pasts:
            columns = [column for column, name in past.commits if name == action]
            if columns:
                if numbers is None:
                    numbers = {row[-2] for row in commits}
                rows = self.tables[past.table].rows
                gone = [row for row in rows if any(row[column] not in numbers for column in columns)]
                if gone:
                    self.change(past.table, [], gone)
                    self.memories.pop(past.table, None)
                    if self.live[past.node]:
                        if self.marks:
                            self.log.append(("feed", past.node))
                        self.values[past.node] = None

    # ------------------------------------------------------------ undoing

    def mark(self) -> int:
        """Begin a tentative change. See `vsalang.engine.api.Evaluator`."""
        self.check()
        if self.wanted and not self.marks:
            self.begin()
            activate_wanted(self)
        self.marks.append(len(self.log))
        return len(self.marks)

    def rollback(self, mark: int) -> None:
        """Undo everything since the mark. See `vsalang.engine.api.Evaluator`.

        Raises:
            EngineError: there is no such mark.
        """
        if not 1 <= mark <= len(self.marks):
            raise EngineError(f"there is no mark {mark}")
        start = self.marks[mark - 1]
        del self.marks[mark - 1 :]
        log = self.log[start:]
        del self.log[start:]
        self.check()
        self.broken = True
        for entry in reversed(log):
            undo(self, entry)
        self.broken = False
        self.epoch += 1
        self.begin()
        if self.asking and not self.marks:
            self._ask_again()

    def release(self, mark: int) -> None:
        """Keep what was done since the mark: it can still be undone by an earlier one."""
        if not 1 <= mark <= len(self.marks):
            raise EngineError(f"there is no mark {mark}")
        del self.marks[mark - 1 :]
        if not self.marks:
            self.log.clear()
            if self.asking:
                self._ask_again()

    def _ask_again(self) -> None:
        """Forget what a backend said of rows that are gone for good."""
        for alpha in self.asking:
            rows = self.tables[alpha.spec.table].rows
            if alpha.asked:
                alpha.asked = {row: out for row, out in alpha.asked.items() if row in rows}

    # ------------------------------------------------------------ watching

    def watched_changed(self, node: int) -> None:
        """Tell those who watch a live node that it may have come to hold or ceased to."""
        for watch in self.watched[node]:
            watch.look(node)

    def watch(self, names: Iterable[str]) -> Watch:
        """What of rules (by id) and derived relations holds, kept up to date: see `Watch`."""
        self.check()
        return Watch(self, names)

    # ------------------------------------------------------------ the past

    def set_time(self, point: int) -> None:
        """Note that a history point is now."""
        if self.marks:
            self.log.append(("time", point, self.last_point, self.clock_version))
        self.ctx.times[point] = self.ctx.timeline
        self.last_point = point
        self._clock_moved()
        self.epoch += 1

    def point(self, number: int) -> None:
        """Make now a history point. See `vsalang.engine.api.Evaluator`.

        Raises:
            EngineError: the number is not greater than those before.
            BudgetExceeded: more would have to be remembered than is allowed; nothing of the point is.
        """
        if number <= self.last_point:
            raise EngineError(f"history point {number} after {self.last_point}: points only grow")
        if quiet(self) and not self.broken:
            self.set_time(number)
            forget_times(self)
            if self.asking and not self.marks:
                self._ask_again()
            return
        mark = self.mark()
        self.begin()
        try:
            record(self, number)
        except BaseException:
            self.rollback(mark)
            raise
        finally:
            self.recording = 0
            self.epoch += 1
        self._clock_moved()  # what is proposed was of this point while it was recorded, and is after it from now on
        self.release(mark)
        forget_times(self)
