"""The state of one session: its tables, what was computed from them, the undo log, and the fuel that computing burns.

Every table and every alpha memory has a version that changes when its contents do, and comes back when they are rolled
back. A computed result remembers the versions that it was computed from. A dirty flag says that these have to be
compared before the result is read.
"""

import datetime as dt
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from time import monotonic
from typing import Any, Final, Protocol, TypeAlias

from vsalang.engine.api import Answer, Budget, BudgetExceeded, EngineError, Input, Row
from vsalang.engine.plan import Plan, StratumSpec
from vsalang.engine.run.code import Readers
from vsalang.engine.run.tables import AlphaMemory, Table
from vsalang.engine.steps import Body
from vsalang.engine.terms import Ctx, Tuple
from vsalang.program.ir import Program

SLICE: Final = 256
"""The budgets are checked each time that so many derivation steps were done."""

NEVER: Final = dt.datetime.max
"""The deadline of a window that nothing will enter or leave."""

Undo: TypeAlias = tuple[Any, ...]
"""One entry of the undo log: its kind, then what is needed to undo it (see `vsalang.engine.run.undo`)."""


class Watcher(Protocol):
    """Somebody who wants to know when a stratum becomes empty or non-empty.

    Attributes:
        stale: some stratum must be checked before it is read.
    """

    stale: bool

    def look(self, stratum: int) -> None:
        """Read a maintained stratum that has changed."""
        ...


class Executor(Protocol):
    """Who runs the plans that no generated code maintains: the engine itself, or pyDatalog."""

    def run(self, state: "State", body: Body, envs: list[Tuple] | None) -> list[Tuple]:
        """The bindings of a body over its layout, each at least once.

        Args:
            state: read.
            body: its plan.
            envs: the bindings to start from; None: one binding without variables.
        """
        ...

    def fixpoint(self, state: "State", spec: StratumSpec) -> None:
        """Compute a recursive component from nothing."""
        ...


def busy() -> EngineError:
    """The error of a thread that finds another one inside its session."""
    return EngineError(
        "two threads use one session at once: give each its own, or hold a lock of your own around its calls"
    )


class State:
    """Everything that one session holds. Functions of `vsalang.engine.run` change it; nothing else does.

    Args:
        plan: shared read-only with other sessions of the program.
        executor: runs bodies and fixpoints.
        ctx: what evaluation reads besides rows.
        budget: bounds; default: `Budget()`.
        maintains: whether strata may be maintained by generated code.

    Attributes:
        alphas, tables: by the numbers that the plan gives them.
        delta: the tuples that are new in this round of a fixpoint.
        dirty: of each stratum whether the versions it was computed from must be compared before it is read.
        maintained: of each stratum whether, and how, every change is propagated to it (see `maintain`).
        computed_from: of each stratum the versions that its result was computed from; `values` has the result.
        counts: of maintained strata the number of derivations of each row.
        levels: of the tables of maintained recursive components the derivation level of each row.
        sets: of maintained rules whose answers were asked for: the answers.
        pending: of maintained strata the changes that were not propagated yet; `queue` has their ranks.
        notified: of each alpha memory the generated functions that its changes are passed to; None: none yet.
        hits: of strata how often they were computed from nothing.
        wanted: strata to maintain from the next time that there is no savepoint.
        watchers: of strata those to tell when the stratum becomes empty or non-empty.
        undo_log: how to undo each change since the first savepoint; `savepoints` are positions in it.
        histories: of history relations their contents as a mapping.
        alarms: of each window of a history when something may next enter or leave it; `alarm` is the earliest.
        recording: the history point that is being recorded; 0: none.
        unread: the rows of base relations that no rule reads.
        frozen, timestamps: what `rows` and `timestamps_of` gave last time, with the version or epoch of that time.
        newest: while timestamps of derived rows are computed: what is known of them so far.
        depth: how many relations deep given values have been passed into possible rules.
        epoch: counts changes of any kind; `version` counts the versions of tables and alpha memories.
        broken: a fault left the state halfway.
        fuel: derivation steps until the budgets are checked; generated code burns it too.
    """

    __slots__ = (
        "alarm",
        "alarms",
        "alphas",
        "asking",
        "broken",
        "budget",
        "clock_version",
        "computed_from",
        "counts",
        "ctx",
        "deadline",
        "delta",
        "depth",
        "dirty",
        "epoch",
        "executor",
        "frozen",
        "fuel",
        "histories",
        "hits",
        "last_point",
        "levels",
        "lock",
        "maintained",
        "maintains",
        "newest",
        "notified",
        "pending",
        "plan",
        "portion",
        "program",
        "queue",
        "recording",
        "refills",
        "savepoints",
        "sets",
        "steps",
        "tables",
        "timestamps",
        "undo_log",
        "unread",
        "values",
        "version",
        "wanted",
        "watchers",
    )

    def __init__(
        self, plan: Plan, executor: Executor, ctx: Ctx, *, budget: Budget | None, maintains: bool
    ) -> None:
        self.plan = plan
        self.program: Program = plan.program
        self.executor = executor
        self.budget = budget or Budget()
        self.ctx = ctx
        self.maintains = maintains
        self.lock = threading.RLock()
        self.alphas = [AlphaMemory(number, spec, ctx) for number, spec in enumerate(plan.alphas)]
        self.asking = [alpha for alpha in self.alphas if alpha.asked is not None]
        self.tables = [Table(number) for number in range(len(plan.tables))]
        self.delta: Sequence[Tuple] = ()
        self.dirty = bytearray(b"\x01" * len(plan.strata))
        self.maintained = bytearray(len(plan.strata))
        self.computed_from: list[Tuple | None] = [None] * len(plan.strata)
        self.values: list[Any] = [None] * len(plan.strata)
        self.counts: dict[int, dict[Tuple, int]] = {}
        self.levels: dict[int, dict[Tuple, int]] = {}
        self.sets: dict[int, set[Answer]] = {}
        self.pending: dict[int, Any] = {}
        self.queue: list[int] = []
        self.notified: Sequence[Readers] | None = None
        self.hits: dict[int, int] = {}
        self.wanted: dict[int, None] = {}
        self.watchers: dict[int, tuple[Watcher, ...]] = {}
        self.undo_log: list[Undo] = []
        self.savepoints: list[int] = []
        self.histories: dict[int, dict[Tuple, Any]] = {}
        self.alarms = [NEVER] * len(plan.windows)
        self.alarm = NEVER
        self.recording = 0
        self.last_point = 0
        self.unread: dict[Input, frozenset[Row]] = {}
        self.frozen: dict[int, tuple[int, frozenset[Row]]] = {}
        self.timestamps: dict[int, tuple[int, dict[Tuple, Any]]] = {}
        self.newest: dict[int, dict[Tuple, Any]] | None = None
        self.depth = 0
        self.version = 0
        self.clock_version = 0
        self.epoch = 0
        self.broken = False
        self.steps = self.refills = 0
        self.fuel = self.portion = 0
        self.deadline: float | None = None
        self.begin()

    # ------------------------------------------------------------ fuel

    def begin(self) -> None:
        """Fill the fuel for a new call that changes something."""
        self.steps = self.refills = 0
        self.fuel = self.portion = min(SLICE, self.budget.steps)
        self.deadline = None

    def refill(self) -> None:
        """Fill the fuel again after a stratum could not be maintained: it may still be computed from nothing."""
        if self.refills < 2:
            self.refills += 1
            self.steps = 0
            self.fuel = self.portion = min(SLICE, self.budget.steps)

    def spend(self, steps: int) -> None:
        """Count derivation steps.

        Raises:
            BudgetExceeded: more than the budget since the last change, or too much time in this call.
        """
        self.fuel -= steps
        if self.fuel < 0:
            self.refuel(self.fuel)

    def refuel(self, fuel: int) -> int:
        """Check the budgets, now that the fuel is below zero; how many steps may be done until the next check.

        Raises:
            BudgetExceeded: no steps are left, or the time of this call is over.
        """
        self.steps += self.portion - fuel
        self.portion = 0
        self.fuel = 0
        budget = self.budget
        if self.steps > budget.steps:
            raise BudgetExceeded(f"more than {budget.steps} derivation steps")
        if budget.seconds is not None:
            now = monotonic()
            if self.deadline is None:
                self.deadline = now + budget.seconds
            elif now > self.deadline:
                raise BudgetExceeded(f"more than {budget.seconds} seconds")
        self.fuel = self.portion = min(SLICE, budget.steps - self.steps)
        return self.fuel

    # ------------------------------------------------------------ threads

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Inside, no other thread may use the session.

        Raises:
            EngineError: another thread is inside already.
        """
        if not self.lock.acquire(False):
            raise busy()
        try:
            yield
        finally:
            self.lock.release()

    # ------------------------------------------------------------ what is up to date

    def check(self) -> None:
        """Refuse to go on after a fault.

        Raises:
            EngineError: an earlier fault left the session halfway.
        """
        if self.broken:
            raise EngineError(
                "an earlier fault left this session without a state that can be trusted: begin a new one"
            )

    def invalidate(self, stratum: int) -> None:
        """Mark a stratum and all that depends on it: they must be checked before they are read."""
        dirty, users = self.dirty, self.plan.stratum_users
        if dirty[stratum]:
            return
        waiting = [stratum]
        while waiting:
            each = waiting.pop()
            if not dirty[each]:
                dirty[each] = 1
                waiting.extend(users[each])
                if each in self.watchers:
                    for watcher in self.watchers[each]:
                        watcher.stale = True

    def invalidate_all(self, strata: Iterable[int]) -> None:
        """Mark strata that read something which changed."""
        dirty = self.dirty
        for stratum in strata:
            if not dirty[stratum]:
                self.invalidate(stratum)

    def clock_moved(self) -> None:
        """Give the clock a new version: what reads it must be checked."""
        self.version += 1
        self.clock_version = self.version
        self.invalidate_all(self.plan.clock_readers)

    def read_versions(self, spec: StratumSpec) -> Tuple:
        """The versions of what a stratum reads."""
        alphas, tables = self.alphas, self.tables
        versions = [alphas[i].version for i in spec.reads[0]]
        versions.extend([tables[i].version for i in spec.reads[1]])
        if spec.clock:
            versions.append(self.clock_version)
        return tuple(versions)

    def tell_watchers(self, stratum: int) -> None:
        """Tell those who watch a maintained stratum that it may have become empty or non-empty."""
        for watcher in self.watchers[stratum]:
            watcher.look(stratum)
