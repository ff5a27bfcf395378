"""Computes nodes anew: the plans of bodies run step by step, recursive components semi-naively from nothing."""

from collections.abc import Iterable, Sequence
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

from vsalang.engine.api import Budget, BudgetExceeded, EngineError
from vsalang.engine.plan import Body, DerivePlan, Kernel, NodeSpec, Tuple
from vsalang.engine.run.maintain import activate, wants
from vsalang.engine.run.possible import PossibleRule
from vsalang.engine.run.tables import Alpha, Table
from vsalang.engine.terms import Ctx

if TYPE_CHECKING:
    from collections.abc import Callable

SLICE: Final = 256
"""After so many steps the budgets are looked at."""


class Computing:
    """The state that is computed from, what computes from it, and how much that may cost.

    Attributes:
        left: steps until the budgets are looked at again; generated code counts it down.
        maintains: whether nodes may become live.
    """

    __slots__ = (
        "alphas",
        "broken",
        "budget",
        "clock_version",
        "ctx",
        "deadline",
        "delta",
        "dirty",
        "inputs",
        "kernel",
        "left",
        "live",
        "log",
        "marks",
        "refills",
        "slice",
        "steps",
        "tables",
        "values",
    )
    maintains = False
    kernel: Kernel
    budget: Budget
    ctx: Ctx
    alphas: list[Alpha]
    tables: list[Table]
    delta: Sequence[Tuple]
    dirty: bytearray
    live: bytearray
    inputs: list[Tuple | None]
    values: list[Any]
    log: list[tuple[Any, ...]]
    marks: list[int]
    broken: bool
    clock_version: int
    left: int
    slice: int
    steps: int
    refills: int
    deadline: float | None
    touch: "Callable[[int], None]"
    replace: "Callable[[int, Iterable[Tuple]], bool]"
    change: "Callable[[int, list[Tuple], list[Tuple]], None]"

    # ------------------------------------------------------------ budgets

    def begin(self) -> None:
        """A new event: its steps are counted from nothing."""
        self.steps = self.refills = 0
        self.left = self.slice = min(SLICE, self.budget.steps)
        self.deadline = None

    def refill(self) -> None:
        """What could not be kept up to date has used up the steps: what is asked for may still be computed anew."""
        if self.refills < 2:
            self.refills += 1
            self.steps = 0
            self.left = self.slice = min(SLICE, self.budget.steps)

    def spend(self, steps: int) -> None:
        """Count derivation steps.

        Raises:
            BudgetExceeded: more than the budget since the last change, or too much time in this call.
        """
        self.left -= steps
        if self.left < 0:
            self.more(self.left)

    def more(self, left: int) -> int:
        """The steps that may be done until the next look at the budgets, now that `left` are left.

        Raises:
            BudgetExceeded: there are none, or the time of this event is over.
        """
        self.steps += self.slice - left
        self.slice = 0
        self.left = 0
        budget = self.budget
        if self.steps > budget.steps:
            raise BudgetExceeded(f"more than {budget.steps} derivation steps")
        if budget.seconds is not None:
            now = monotonic()
            if self.deadline is None:
                self.deadline = now + budget.seconds
            elif now > self.deadline:
                raise BudgetExceeded(f"more than {budget.seconds} seconds")
        self.left = self.slice = min(SLICE, budget.steps - self.steps)
        return self.left

    # ------------------------------------------------------------ computing

    def run(self, body: Body, envs: list[Tuple] | None = None) -> list[Tuple]:
        """The bindings of a body, over its layout; each at least once."""
        found: list[Tuple] = [()] if envs is None else envs
        for step in body.steps:
            if not found:
                return []
            found = step.run(self, found)  # type: ignore[arg-type]
        return found

    def check(self) -> None:
        """Refuse to go on after a fault.

        Raises:
            EngineError: an earlier fault left the session halfway.
        """
        if self.broken:
            raise EngineError(
                "an earlier fault left this session without a state that can be trusted: begin a new one"
            )

    def ensure(self, node: int) -> None:
        """Bring the derived relations that a node rests on up to date."""
        self.check()
        if not self.dirty[node]:
            return
        for other in self.kernel.nodes[node].below:
            if self.dirty[other]:
                self._component(other)

    def read_versions(self, spec: NodeSpec) -> Tuple:
        """The versions of what a node reads."""
        alphas, tables = self.alphas, self.tables
        found = [alphas[i].version for i in spec.reads[0]]
        found.extend([tables[i].version for i in spec.reads[1]])
        if spec.clock:
            found.append(self.clock_version)
        return tuple(found)

    def _component(self, node: int) -> None:
        spec = self.kernel.nodes[node]
        if self.live[node]:  # what it rests on was brought up to date, and told it
            self.dirty[node] = 0
            return
        versions = self.read_versions(spec)
        if self.inputs[node] == versions:
            self.dirty[node] = 0
            return
        if wants(self, node) and activate(self, node):  # type: ignore[arg-type]
            return
        if self.marks:
            self.log.append(("node", node, self.inputs[node], None))
        self.inputs[node] = None
        if spec.kind == "possible":
            self._possible(spec)
        elif spec.recursive:
            self._fixpoint(spec)
        else:
            self._once(spec)
        self.inputs[node] = versions
        self.dirty[node] = 0

    def _once(self, spec: NodeSpec) -> None:
        """A component of one relation that does not depend on itself (or of several, in no order)."""
        rows: dict[int, dict[Tuple, None]] = {table: {} for table in spec.members}
        for plan in spec.plans:
            self._heads(plan, self.run(plan.body), rows[plan.table])
        for table, found in rows.items():
            self.replace(table, found)

    def _heads(self, plan: DerivePlan, envs: list[Tuple], into: dict[Tuple, None]) -> None:
        head, ctx, limit = plan.head, self.ctx, self.budget.rows
        self.spend(len(envs))
        for env in envs:
            row = head(env, ctx)
            if row is not None:
                into[row] = None
        if len(into) > limit:
            raise BudgetExceeded(f"a derived relation has more than {limit} rows")

    def _fixpoint(self, spec: NodeSpec) -> None:
        """Semi-naive evaluation of a recursive component from nothing."""
        for table in spec.members:
            self.replace(table, {})
        fresh: dict[int, dict[Tuple, None]] = {table: {} for table in spec.members}
        for plan in spec.plans:
            self._heads(plan, self.run(plan.body), fresh[plan.table])
        while any(fresh.values()):
            for table, rows in fresh.items():
                if rows:
                    self.change(table, list(rows), [])
                if len(self.tables[table].rows) > self.budget.rows:
                    raise BudgetExceeded(f"a derived relation has more than {self.budget.rows} rows")
            more: dict[int, dict[Tuple, None]] = {table: {} for table in spec.members}
            for plan in spec.plans:
                for alpha, body in plan.deltas:
                    source = self.kernel.alphas[alpha]
                    fn = source.fn if self.alphas[alpha].asked is None else self.alphas[alpha].ask
                    self.delta = self._through(fn, fresh.get(source.table, {}))
                    if self.delta:
                        self._heads(plan, self.run(body), more[plan.table])
            fresh = {
                table: {row: None for row in rows if row not in self.tables[table].rows}
                for table, rows in more.items()
            }
        self.delta = ()

    def _through(self, fn: Any, rows: Iterable[Tuple]) -> list[Tuple]:
        found = (fn(row, self.ctx) for row in rows)
        return list(dict.fromkeys(out for out in found if out is not None))

    def _possible(self, spec: NodeSpec) -> None:
        """The possible version of a component; a recursive one semi-naively from nothing."""
        plans: list[PossibleRule] = spec.plans
        fresh: dict[int, dict[Tuple, None]] = {table: {} for table in spec.members}
        if spec.recursive:
            for table in spec.members:
                self.replace(table, {})
        for plan in plans:
            fresh[plan.table].update(dict.fromkeys(plan.rows(self)))  # type: ignore[arg-type]
        if not spec.recursive:
            for table, rows in fresh.items():
                if len(rows) > self.budget.rows:
                    raise BudgetExceeded(f"a derived relation has more than {self.budget.rows} possible rows")
                self.replace(table, rows)
            return
        while any(fresh.values()):
            for table, rows in fresh.items():
                if rows:
                    self.change(table, list(rows), [])
                if len(self.tables[table].rows) > self.budget.rows:
                    raise BudgetExceeded(f"a derived relation has more than {self.budget.rows} possible rows")
            more: dict[int, dict[Tuple, None]] = {table: {} for table in spec.members}
            for plan in plans:
                for position, table in plan.recursive:
                    if fresh.get(table):
                        more[plan.table].update(
                            dict.fromkeys(plan.rows(self, (position, list(fresh[table]))))  # type: ignore[arg-type]
                        )
            fresh = {
                table: {row: None for row in rows if row not in self.tables[table].rows}
                for table, rows in more.items()
            }
