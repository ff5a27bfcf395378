"""The state of one session: tables that change by differences, what was computed from them, and how to undo it.

Every table and alpha has a version that changes when its contents do and comes back when they are rolled back. What
was computed remembers the versions it was computed from, so that it is computed again only when one of them is
another; a flag says of what this has to be checked at all.
"""

import datetime as dt
from collections.abc import Iterable, Sequence
from typing import Any

from vsalang.core.ir import Program
from vsalang.core.similarity import Similarity
from vsalang.engine.ages import derived_ages
from vsalang.engine.api import Answer, Budget, BudgetExceeded, Commit, EngineError, Row, Stamped
from vsalang.engine.history import record
from vsalang.engine.kernel import Body, DerivePlan, Kernel, NodeSpec, Ref, RulePlan, Tuple
from vsalang.engine.possible import PossibleRule
from vsalang.engine.tables import Alpha, Table
from vsalang.engine.terms import Ctx


class Session:
    """One session over a kernel. See `vsalang.engine.api.Evaluator`."""

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
        self.alphas = [Alpha(number, spec.fn, self.ctx) for number, spec in enumerate(kernel.alphas)]
        self.tables = [
            Table(number, [self.alphas[alpha] for alpha in spec.alphas])
            for number, spec in enumerate(kernel.tables)
        ]
        self.delta: Sequence[Tuple] = ()
        self.recording = 0
        self.depth = 0
        self._steps = 0
        self._version = 0
        self._clock_version = 0
        self._dirty = bytearray(b"\x01" * len(kernel.nodes))
        self._inputs: list[Tuple | None] = [None] * len(kernel.nodes)
        self._values: list[Any] = [None] * len(kernel.nodes)
        self._log: list[tuple[Any, ...]] = []
        self._marks: list[int] = []
        self._epoch = 0
        self._broken = False
        self._stamps: dict[int, tuple[int, dict[Tuple, Any]]] = {}
        self.ages: dict[int, dict[Tuple, Any]] | None = None
        self._unused: dict[str, frozenset[Row]] = {}

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
        self._check()
        self._steps = 0
        number = self.kernel.table_ids.get(Ref("slot", slot))
        if number is None:
            self._assign_unused(slot, rows)
            return
        arity = self.kernel.tables[number].arity
        stamps = slot.startswith("stamps ")
        new: dict[Tuple, None] = {}
        for row in rows:
            if isinstance(row, Commit):
                cells: Tuple = (*row.row, row.number, row.point)
            elif isinstance(row, Stamped):
                cells = (row.row, row.points)
            else:
                cells = tuple(row)
            if len(cells) != (2 if stamps else arity):
                raise EngineError(f"slot {slot}: a row has {len(cells)} cells instead of {arity}")
            new[cells] = None
            if len(new) > self.budget.rows:
                raise BudgetExceeded(f"slot {slot} has more than {self.budget.rows} rows")
        self.replace(number, new)
        if slot.startswith("commits "):
            self._take_back(slot.removeprefix("commits "), new)

    def _assign_unused(self, slot: str, rows: Any) -> None:
        """Keep what `rows` may be asked for, of a base relation that no rule reads."""
        if slot in self.program.relations:
            if Ref("derived", slot, "plain") in self.kernel.table_ids:
                raise EngineError(f"slot {slot}: the rows of a derived relation are not assigned")
            old = self._unused.get(slot, frozenset())
            if self._marks:
                self._log.append(("unused", slot, old))
            self._unused[slot] = frozenset(tuple(row) for row in rows)

    def now(self, moment: dt.datetime) -> None:
        """Set the device's clock. See `vsalang.engine.api.Evaluator`."""
        if moment == self.ctx.now:
            return
        self._steps = 0
        self._epoch += 1
        if self._marks:
            self._log.append(("clock", self.ctx.now, self._clock_version))
        self.ctx.now = moment
        self._clock_version = self._next_version()
        self._touch(self.kernel.clock_users)

    def replace(self, number: int, new: Iterable[Tuple]) -> bool:
        """Give a table new rows; whether anything changed."""
        table = self.tables[number]
        rows = new if isinstance(new, dict) else dict.fromkeys(new)
        old = table.rows
        added = [row for row in rows if row not in old]
        removed = [row for row in old if row not in rows]
        if added or removed:
            self.change(number, added, removed)
            return True
        return False

    def change(self, number: int, added: list[Tuple], removed: list[Tuple]) -> None:
        """Take rows into a table and out of it, with everything that must know."""
        table = self.tables[number]
        if self._marks:
            versions = (table.version, [alpha.version for alpha in table.alphas])
            self._log.append(("rows", number, added, removed, versions))
        table.version = self._next_version()
        self._touch(self.kernel.table_users[number])
        self._epoch += 1
        self._broken = True  # until everything that rests on the rows has taken them in
        changed = table.apply(added, removed)
        self._broken = False
        for alpha in changed:
            alpha.version = self._next_version()
            self._touch(self.kernel.alpha_users[alpha.id])

    def _check(self) -> None:
        if self._broken:
            raise EngineError(
                "an earlier fault left this session without a state that can be trusted: begin a new one"
            )

    def _touch(self, nodes: Iterable[int]) -> None:
        dirty = self._dirty
        for node in nodes:
            dirty[node] = 1

    def _next_version(self) -> int:
        self._version += 1
        return self._version

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

    # ------------------------------------------------------------ undoing

    def mark(self) -> int:
        """Begin a tentative change. See `vsalang.engine.api.Evaluator`."""
        self._check()
        self._marks.append(len(self._log))
        return len(self._marks)

    def rollback(self, mark: int) -> None:
        """Undo everything since the mark. See `vsalang.engine.api.Evaluator`.

        Raises:
            EngineError: there is no such mark.
        """
        if not 1 <= mark <= len(self._marks):
            raise EngineError(f"there is no mark {mark}")
        start = self._marks[mark - 1]
        del self._marks[mark - 1 :]
        log, self._log = self._log[start:], self._log[:start]
        self._check()
        self._broken = True
        for entry in reversed(log):
            self._undo(entry)
        self._broken = False
        self._epoch += 1
        self._steps = 0

    def release(self, mark: int) -> None:
        """Keep what was done since the mark: it can still be undone by an earlier one."""
        if not 1 <= mark <= len(self._marks):
            raise EngineError(f"there is no mark {mark}")
        del self._marks[mark - 1 :]
        if not self._marks:
            self._log.clear()

    def _undo(self, entry: tuple[Any, ...]) -> None:
        kind = entry[0]
        if kind == "rows":
            _, number, added, removed, (version, versions) = entry
            table = self.tables[number]
            present = table.rows
            table.apply(
                [row for row in removed if row not in present], [row for row in added if row in present]
            )
            table.version = version
            self._touch(self.kernel.table_users[number])
            for alpha, before in zip(table.alphas, versions, strict=True):
                if alpha.version != before:
                    alpha.version = before
                    self._touch(self.kernel.alpha_users[alpha.id])
        elif kind == "node":
            _, node, inputs, value = entry
            self._inputs[node], self._values[node] = inputs, value
            self._dirty[node] = 1
        elif kind == "clock":
            _, moment, version = entry
            self.ctx.now, self._clock_version = moment, version
            self._touch(self.kernel.clock_users)
        elif kind == "time":
            _, point, moment, version = entry
            self._clock_version = version
            self._touch(self.kernel.clock_users)
            if moment is None:
                self.ctx.times.pop(point, None)
            else:
                self.ctx.times[point] = moment
        else:
            _, slot, rows = entry
            self._unused[slot] = rows

    # ------------------------------------------------------------ computing

    def spend(self, steps: int) -> None:
        """Count derivation steps.

        Raises:
            BudgetExceeded: more than the budget since the last assignment.
        """
        self._steps += steps
        if self._steps > self.budget.steps:
            raise BudgetExceeded(f"more than {self.budget.steps} derivation steps")

    def run(self, body: Body, envs: list[Tuple] | None = None) -> list[Tuple]:
        """The bindings of a body, over its layout; each at least once."""
        found: list[Tuple] = [()] if envs is None else envs
        for step in body.steps:
            if not found:
                return []
            found = step.run(self, found)
        return found

    def ensure(self, node: int) -> None:
        """Bring the derived relations that a node rests on up to date."""
        self._check()
        if not self._dirty[node]:
            return
        for other in self.kernel.nodes[node].below:
            if self._dirty[other]:
                self._component(other)

    def _read_versions(self, spec: NodeSpec) -> Tuple:
        alphas, tables = self.alphas, self.tables
        found = [alphas[i].version for i in spec.reads[0]]
        found.extend([tables[i].version for i in spec.reads[1]])
        if spec.clock:
            found.append(self._clock_version)
        return tuple(found)

    def _component(self, node: int) -> None:
        spec = self.kernel.nodes[node]
        versions = self._read_versions(spec)
        if self._inputs[node] == versions:
            self._dirty[node] = 0
            return
        if self._marks:
            self._log.append(("node", node, self._inputs[node], None))
        self._inputs[node] = None
        if spec.kind == "possible":
            self._possible(spec)
        elif spec.recursive:
            self._fixpoint(spec)
        else:
            self._once(spec)
        self._inputs[node] = versions
        self._dirty[node] = 0

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
                    self.delta = self._through(source.fn, fresh.get(source.table, {}))
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
            fresh[plan.table].update(dict.fromkeys(plan.rows(self)))
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
                            dict.fromkeys(plan.rows(self, (position, list(fresh[table]))))
                        )
            fresh = {
                table: {row: None for row in rows if row not in self.tables[table].rows}
                for table, rows in more.items()
            }

    # ------------------------------------------------------------ asking

    def variables(self, rule: str) -> tuple[str, ...]:
        """The names of a rule's answer variables. See `vsalang.engine.api.Evaluator`."""
        try:
            return self.kernel.variables[rule]
        except KeyError:
            raise EngineError(f"the program has no rule {rule}") from None

    def answers(self, rule: str) -> frozenset[Answer]:
        """Every way in which a rule's body holds. See `vsalang.engine.api.Evaluator`."""
        self.variables(rule)
        return self._answer(*self.kernel.answers[rule])

    def extra_answers(self, rule: str) -> frozenset[Answer]:
        """Of `recognize`, with what stands after ``with``. See `vsalang.engine.api.Evaluator`."""
        self.variables(rule)
        if rule not in self.kernel.extras:
            raise EngineError(f"the rule {rule} recognizes no action")
        return self._answer(*self.kernel.extras[rule])

    def _answer(self, node: int, plan: RulePlan) -> frozenset[Answer]:
        self._check()
        if not self._dirty[node]:
            found: frozenset[Answer] = self._values[node]
            return found
        self.ensure(node)
        spec = self.kernel.nodes[node]
        versions = self._read_versions(spec)
        if self._inputs[node] != versions:
            envs = self.run(plan.body)
            positions, row = plan.positions, plan.row
            value = frozenset(
                [
                    Answer(
                        tuple([None if i is None else env[i] for i in positions]),
                        () if row is None else env[row],
                    )
                    for env in envs
                ]
            )
            if self._marks:
                self._log.append(("node", node, self._inputs[node], self._values[node]))
            self._inputs[node], self._values[node] = versions, value
        self._dirty[node] = 0
        result: frozenset[Answer] = self._values[node]
        return result

    def expected(self, rule: str, answer: Answer) -> bool:
        """Whether an expectation holds now. See `vsalang.engine.api.Evaluator`."""
        names = self.variables(rule)
        if rule not in self.kernel.expects:
            raise EngineError(f"the rule {rule} expects nothing")
        node, plan = self.kernel.expects[rule]
        self._steps = 0
        self.ensure(node)
        values = dict(zip(names, answer.values, strict=True))
        given = tuple([values[name] for name in plan.given])
        if None in given:
            raise EngineError(f"an answer of {rule} lacks a value")
        return bool(self.run(plan.body, [given]))

    def rows(self, relation: str) -> frozenset[Row]:
        """The rows of a relation, plainly read. See `vsalang.engine.api.Evaluator`."""
        if relation not in self.program.relations:
            raise EngineError(f"the program has no relation {relation}")
        number = self.kernel.table_ids.get(Ref("derived", relation, "plain"))
        if number is None:
            number = self.kernel.table_ids.get(Ref("slot", relation))
            if number is None:
                return self._unused.get(relation, frozenset())
            return frozenset(self.tables[number].rows)
        node = self.kernel.tables[number].node
        assert node is not None
        self.ensure(node)
        if self._dirty[node]:
            self._component(node)
        return frozenset(self.tables[number].rows)

    def stamps(self, number: int) -> dict[Tuple, Any]:
        """How old rows are: for a slot of stamps the points of the cells by row, for a derived table the age by row."""
        if self.ages is not None and number in self.ages:
            return self.ages[number]
        cached = self._stamps.get(number)
        if cached is not None and cached[0] == self._epoch:
            return cached[1]
        found: dict[Tuple, Any] = {}
        if number in self.kernel.stamps:
            found = derived_ages(self, number)
        else:
            for row, points in self.tables[number].rows:
                known = found.get(row)
                found[row] = points if known is None else tuple(map(max, known, points))
        self._stamps[number] = (self._epoch, found)
        return found

    # ------------------------------------------------------------ the past

    @property
    def last_point(self) -> int:
        """The number of the latest history point, 0 if there is none."""
        return max(self.ctx.times, default=0)

    def set_time(self, point: int) -> None:
        """Note that a history point is now."""
        if self._marks:
            self._log.append(("time", point, self.ctx.times.get(point), self._clock_version))
        self.ctx.times[point] = self.ctx.now
        self._clock_version = self._next_version()
        self._epoch += 1
        self._touch(self.kernel.clock_users)

    def point(self, number: int) -> None:
        """Make now a history point. See `vsalang.engine.api.Evaluator`."""
        if number <= self.last_point:
            raise EngineError(f"history point {number} after {self.last_point}: points only grow")
        mark = self.mark()
        self._steps = 0
        try:
            record(self, number)
        except BaseException:
            self.rollback(mark)
            raise
        finally:
            self.recording = 0
            self._epoch += 1
        self.release(mark)
