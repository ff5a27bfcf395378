"""Orders the literals of one body and makes its steps: tests as early as they can be, joins on bound columns first."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from vsalang.engine.api import EngineError, Reading
from vsalang.engine.compile.atoms import AlphaPlan, plan_alpha
from vsalang.engine.compile.context import Context
from vsalang.engine.compile.entries import CompareEntry, Entry, pick, window_test
from vsalang.engine.compile.goals import aggregate_entry, goal_entry, quantified_entry
from vsalang.engine.compile.items import (
    CommitLit,
    Fresh,
    Item,
    RowCount,
    TableLit,
    WindowTest,
    item_binds,
    item_vars,
)
from vsalang.engine.compile.newest import fresh_goal
from vsalang.engine.compile.past import left_side, occurrence, window_of
from vsalang.engine.compile.ranges import Ranges
from vsalang.engine.plan import StratumSpec
from vsalang.engine.run.goals import AllExhausted, CertainNot
from vsalang.engine.steps import ROW, Anti, AtPoint, Body, Filter, Join, Project, Step, Tally
from vsalang.engine.terms import compile_test, in_layout, is_clocked
from vsalang.program.ir import (
    Aggregate,
    Atom,
    Compare,
    Const,
    Constraint,
    Lit,
    Quantified,
    Spent,
    Then,
    Var,
)
from vsalang.program.walk import variables


class Planner:
    """Plans one body.

    Args:
        context: gives tables and alpha memories their numbers.
        spec: the stratum that reads them.
        reading: how all literals are read; None: each as it is marked.
        bound: variables that are bound from the beginning, in the order of the first layout.
        delta: the index of the literal that reads only what is new in a round of a fixpoint.
        here: actions on the left of `then` are commits of the point being recorded.
        inside: relations of the stratum's own component: their atoms have alpha memories of their own.
        counted: plan for derivation counts: no two literals of the body share an alpha memory.
    """

    def __init__(
        self,
        context: Context,
        spec: StratumSpec,
        reading: Reading | None,
        *,
        bound: tuple[str, ...] = (),
        delta: int | None = None,
        here: bool = False,
        inside: frozenset[str] = frozenset(),
        counted: bool = False,
    ) -> None:
        self.context = context
        self.spec = spec
        self.ranges = Ranges(context, spec)
        self.reading = reading
        self.bound = bound
        self.delta = delta
        self.delta_alpha = -1
        self._keep: Callable[[str], bool] = lambda name: True
        self.here = here
        self.inside = inside
        self.counted = counted
        self._taken: Counter[int] = Counter()
        self.repeats = False
        self._last: tuple[Sequence[Item], list[list[Entry]], set[str]] = ((), [], set())
        self._index = 0  # of the item that gets its entries
        self._joins: dict[int, tuple[int, list[str]]] = {}
        self._numbers: set[str] = set()  # that are counted

    # ------------------------------------------------------------ ordering

    def plan(
        self,
        literals: Sequence[Item],
        needed: Iterable[str],
        *,
        license_head: Atom | None = None,
        row: bool = False,
    ) -> Body:
        """The steps of a body.

        Args:
            literals: in any order.
            needed: the variables that are asked for; those that nothing binds are left out of the layout.
            license_head: a pattern over the proposed action, matched plainly; its row is in the layout.
            row: add the row of the first literal to the layout.

        Raises:
            EngineError: no order binds every variable before it is used.
        """
        placed, first, wanted = self._placed(literals, needed, license_head, row)
        self._last = (literals, placed, wanted)
        return self._order([entry for entries in placed for entry in entries], first, wanted)

    def deltas(self) -> Iterator[tuple[Lit | RowCount, int, Body]]:
        """Each atom of the body that was planned last, its alpha memory, and the plan that begins with its changes.

        Of rows that are counted it is their table.

        The entries of the literals are those of that plan: only their order differs.

        Raises:
            EngineError: as `plan`.
        """
        literals, placed, wanted = self._last
        for index, literal in enumerate(literals):
            if isinstance(literal, Lit):
                alpha, names = self._joins[index]
                first = self._join(alpha, names, True)
                own = [first] if literal.neg else [first, *placed[index][1:]]
                all_entries = [*placed[:index], own, *placed[index + 1 :]]
                body = self._order([e for entries in all_entries for e in entries], first, wanted)
                yield literal, alpha, body
            elif isinstance(literal, RowCount):
                step, first = self._tally(literal, delta=True)
                all_entries = [*placed[:index], [first], *placed[index + 1 :]]
                body = self._order([e for entries in all_entries for e in entries], first, wanted)
                yield literal, step.table, body

    def witness(self, bound: tuple[str, ...]) -> Body:
        """The body that was planned last, begun with some variables; it keeps all that conditions share.

        The entries of the literals are those of that plan: only their order differs.
        """
        _, placed, wanted = self._last
        entries = [entry for each in placed for entry in each]
        before, self.bound = self.bound, bound
        body = self._order(entries, None, wanted.union(bound, *(entry.binds for entry in entries)))
        self.bound = before
        return body

    def _placed(
        self, literals: Sequence[Item], needed: Iterable[str], license_head: Atom | None, row: bool
    ) -> tuple[list[list[Entry]], Entry | None, set[str]]:
        """The entries of each literal, that of what changed if there is one, and the variables that are asked for."""
        items: list[tuple[Item, Reading, bool, bool]] = []
        for index, literal in enumerate(literals):
            for item, reading in self._expand(literal):
                items.append((item, reading, index == self.delta, row and index == 0))
        if license_head is not None:
            items.insert(0, (Lit(license_head), "plain", False, True))
        wanted = set(needed)
        if license_head is not None or row:
            wanted.add(ROW)
        occurring = [(item, item_vars(item)) for item, *_ in items]
        if self.here:  # a history keeps which commits it depends on: they may be taken back
            names = {
                name for item, own in occurring if isinstance(item, TableLit | CommitLit) for name in own
            }
            wanted |= {name for name in names if name.startswith("#c") and "@" in name}
        usage = Counter(wanted.union(self.bound))
        for item, own in occurring:
            # a row of the component itself is identified by its tuple: all its variables are columns
            whole = (
                self.counted and isinstance(item, Lit) and not item.neg and item.atom.relation in self.inside
            )
            for name in own:
                usage[name] += 2 if whole or isinstance(item, TableLit) else 1
        self._keep = lambda name: usage[name] > 1
        self._numbers = {item.name for item, *_ in items if isinstance(item, RowCount)}
        placed: list[list[Entry]] = []
        first: Entry | None = None
        for index, (item, reading, is_delta, with_row) in enumerate(items):
            self._index = index
            placed.append(self._entries(item, reading, is_delta, with_row))
            if is_delta:
                first = placed[-1][0]
        return placed, first, wanted

    def _order(self, entries: list[Entry], first: Entry | None, wanted: set[str]) -> Body:
        layout = list(self.bound)
        steps: list[Step] = []
        waiting = list(entries)
        while waiting:
            entry = first or self._next(waiting, set(layout))
            first = None
            waiting.remove(entry)
            step, names = entry.make(layout)
            steps.append(step)
            layout.extend(names)
            live = wanted.union(*[other.uses for other in waiting])
            if not live.issuperset(layout):
                keep = [index for index, name in enumerate(layout) if name in live]
                steps.append(Project(tuple(keep)))
                layout = [layout[index] for index in keep]
        names = sorted(layout)
        if names != layout:
            steps.append(Project(tuple([layout.index(name) for name in names])))
        required = dict.fromkeys([step.alpha for step in steps if isinstance(step, Join) and not step.delta])
        return Body(steps, tuple(names), tuple(required))

    def _next(self, waiting: list[Entry], bound: set[str]) -> Entry:
        best: tuple[int, ...] | None = None
        chosen: Entry | None = None
        for index, entry in enumerate(waiting):
            if isinstance(entry, CompareEntry):
                if entry.missing(bound):
                    continue
                score: tuple[int, ...] = (0 if entry.uses <= bound else 1, 0, 0, 0, index)
                if best is None or score < best:
                    best, chosen = score, entry
                continue
            if not entry.needs <= bound:
                missing = entry.needs - bound
                if entry.late or any(missing & other.strong for other in waiting if other is not entry):
                    continue
            score = (*(entry.join_score(bound) if entry.key is not None else (entry.rank, 0, 0, 0)), index)
            if best is None or score < best:
                best, chosen = score, entry
        if chosen is None:
            loose = sorted(
                {n for entry in waiting for n in (entry.needs or entry.uses) - bound if n[0] != "#"}
            )
            raise EngineError(
                "the body has no safe order: nothing binds " + ", ".join("?" + n for n in loose)
            )
        return chosen

    # ------------------------------------------------------------ then

    def _expand(self, literal: Item) -> list[tuple[Item, Reading]]:
        if isinstance(literal, Then):
            reading = self.reading or literal.reading
            return self._then(literal.parts, reading)
        if isinstance(literal, Lit | Aggregate | Quantified):
            return [(literal, self.reading or literal.reading)]
        return [(literal, self.reading or "plain")]

    def _then(self, parts: Sequence[Sequence[Item]], reading: Reading) -> list[tuple[Item, Reading]]:
        """The literals that a `then` comes to: its remembered left side, what must still hold of it, the last part."""
        first, items = left_side(self.context, parts[:-1], reading)
        out: list[tuple[Item, Reading]] = list(items)
        last: list[Item] = []
        for literal in parts[-1]:
            marked: Reading = getattr(literal, "reading", reading)
            own = self.reading or marked
            if self.here and self._is_proposal(literal):
                assert isinstance(literal, Lit)
                point = self.context.fresh("p")
                number = f"#c{len(parts)}.{len(last)}@{literal.atom.relation}"
                commit = CommitLit(literal.atom, number, point, here=True)
                out.append((commit, own))
                last.append(commit)
            else:
                out.append((literal, own))
                last.append(literal)
        out.append((Fresh(first, tuple(last), reading), reading))  # type: ignore[arg-type]
        return out

    def _is_proposal(self, literal: Item) -> bool:
        if not isinstance(literal, Lit) or literal.neg or literal.past is not None:
            return False
        return self.context.relation(literal.atom.relation).sort == "action"

    # ------------------------------------------------------------ entries

    def _entries(self, item: Item, reading: Reading, is_delta: bool, with_row: bool) -> list[Entry]:
        if isinstance(item, Lit):
            return self._lit(item, reading, is_delta, with_row)
        if isinstance(item, Compare):
            return [self._compare(item)]
        if isinstance(item, TableLit):
            return [self._table(item)]
        if isinstance(item, CommitLit):
            return self._commit(item)
        if isinstance(item, RowCount):
            return [self._tally(item)[1]]
        if isinstance(item, WindowTest):
            return [self._window(item)]
        if isinstance(item, Spent):
            table = self.context.input(item.relation, "exhausted", 0)
            self.spec.tables.add(table)
            return [goal_entry(item, set(), lambda bound: (AllExhausted(table), []))]
        if isinstance(item, Quantified):
            return [quantified_entry(self.ranges, item, reading)]
        if isinstance(item, Aggregate):
            return [aggregate_entry(self.ranges, item, reading, self._keep)]
        assert isinstance(item, Fresh)
        fresh = fresh_goal(self.context, self.spec, item)
        needs = {item.first} | {name for literal in item.literals for name in item_binds(literal)}
        return [goal_entry(item, needs, lambda bound: (fresh, []), rank=7)]

    def _alpha(self, table: int, plan: AlphaPlan, inside: bool = False) -> int:
        key = (*plan.key, "inside") if inside else plan.key
        number = self.context.alpha(table, plan, key)
        self._taken[number] += 1
        if self._taken[number] > 1:
            self.repeats = True
            if self.counted:  # a change reaches each occurrence at a time of its own
                number = self.context.alpha(table, plan, (*key, "again", self._taken[number]))
        self.spec.alphas.add(number)
        return number

    def _atom_alpha(
        self,
        atom: Atom,
        table: int,
        with_row: bool,
        keep: Callable[[str], bool],
        more: tuple[Constraint, ...] = (),
    ) -> tuple[int, AlphaPlan]:
        columns = self.context.columns[atom.relation]
        for c in atom.constraints:
            if c.attr not in columns:
                raise EngineError(f"{atom.relation} has no attribute {c.attr}")
        if more:
            columns = columns | {"#number": len(columns), "#point": len(columns) + 1}
        constraints = atom.constraints + more
        plan = plan_alpha(columns, constraints, keep, row=with_row)
        return self._alpha(table, plan, atom.relation in self.inside), plan

    def _lit(self, lit: Lit, reading: Reading, is_delta: bool, with_row: bool) -> list[Entry]:
        context, atom = self.context, lit.atom
        if lit.neg and reading == "certain":
            possible = self.ranges.possible(atom, lit.past, reading)
            return [goal_entry(lit, item_vars(lit), lambda bound: (CertainNot(possible), []))]
        windows: list[WindowTest] = []
        rename: dict[str, str] = {}
        prefix = context.fresh("c")
        if lit.past is None:
            table = context.source(atom, reading)
            alpha, plan = self._atom_alpha(atom, table, with_row, self._keep)
            names = [f"{prefix}{n}" if n[0] == "#" and n != ROW else n for n in plan.names]
            residual = [(f"{prefix}{name}", c) for name, c in plan.residual]
        elif self.ranges.is_commit(atom, lit.past):
            table = context.commits(atom.relation)
            point = f"{prefix}point"
            timed = lit.past.op == "within"
            more = (Constraint("#point", "=", Var(point)),) if timed else ()
            alpha, plan = self._atom_alpha(atom, table, False, lambda n: n == point or self._keep(n), more)
            names = [f"{prefix}{n}" if n[0] == "#" and n != point else n for n in plan.names]
            residual = [(f"{prefix}{name}", c) for name, c in plan.residual]
            if timed:
                assert lit.past.duration is not None
                windows.append(WindowTest("within", point, lit.past.duration))
        else:
            table, columns, outer = occurrence(context, atom, lit.past, reading)
            rename = {n: f"{prefix}{n}" for n in columns if n.startswith("?")}
            picked = [index for index, name in enumerate(columns) if not name.startswith("#")]
            names = [rename.get(columns[index], columns[index]) for index in picked]
            window = None
            if lit.past.op in ("within", "for"):
                window = window_of(context, table, lit.past, len(columns))
            if window is not None:
                table = window
            elif lit.past.op in ("within", "for"):
                assert lit.past.duration is not None
                names.append(f"{prefix}#time")
                picked.append(len(columns) + 1)
                windows.append(WindowTest(lit.past.op, f"{prefix}#time", lit.past.duration))
            alpha = self._alpha(table, pick(tuple(picked)))
            residual = [(rename[name], c) for name, c in outer]
        self._joins[self._index] = (alpha, names)
        if lit.neg and is_delta:
            self.delta_alpha = alpha
            return [self._join(alpha, names, is_delta)]
        if lit.neg:
            return [self._anti(lit, alpha, names, residual, windows)]
        join = self._join(alpha, names, is_delta)
        if lit.past is None:
            join.size, join.unique = self._size(atom)
        entries = [join]
        if is_delta:
            self.delta_alpha = alpha
        entries += [self._residual(name, c) for name, c in residual]
        entries += [self._window(window) for window in windows]
        return entries

    def _size(self, atom: Atom) -> tuple[int, frozenset[str] | None]:
        """A guess at how many rows match an atom, and the variables that identify one: see `Entry`."""
        relation = self.context.relation(atom.relation)
        equal = {c.attr: c.term for c in atom.constraints if c.op == "="}
        constant = {attr for attr, term in equal.items() if isinstance(term, Const)}
        bound = {attr: term.name for attr, term in equal.items() if isinstance(term, Var)}
        unique = None
        identity = relation.identity
        if identity and set(identity) <= constant | bound.keys():
            unique = frozenset(bound[attr] for attr in identity if attr in bound)
        if relation.sort in ("gesture", "action") or not relation.attrs:
            return 0, unique
        if (relation.sort in ("state", "view") and not relation.key) or unique == frozenset():
            return 0, unique
        if constant:
            return 1, unique
        tested = any(c.op != "=" and not variables(c) for c in atom.constraints)
        return (2 if tested else 3), unique

    def _join(self, alpha: int, columns: list[str], is_delta: bool = False) -> Entry:
        names, own = tuple(columns), set(columns)

        def make(layout: list[str]) -> tuple[Step, list[str]]:
            known = [column for column, name in enumerate(names) if name in layout]
            new = [column for column, name in enumerate(names) if name not in layout]
            key = tuple([layout.index(names[column]) for column in known])
            step = Join(alpha, key, tuple(known), tuple(new), delta=is_delta, names=names)
            return step, [names[column] for column in new]

        return Entry(own, own, set(), 4, make, names, strong=own)

    def _anti(
        self,
        lit: Lit,
        alpha: int,
        columns: list[str],
        residual: list[tuple[str, Constraint]],
        windows: list[WindowTest],
    ) -> Entry:
        if windows or any(is_clocked(c) for _, c in residual):
            self.spec.clock = True
        names = tuple(columns)

        def make(layout: list[str]) -> tuple[Step, list[str]]:
            where = {name: index for index, name in enumerate(layout)}
            key = [(where[name], column) for column, name in enumerate(names) if name in where]
            for column, name in enumerate(names):
                where.setdefault(name, len(layout) + column)
            tests = [_cell_test(where, name, c) for name, c in residual]
            tests += [window_test(where, window) for window in windows]
            step = Anti(
                alpha,
                tuple([position for position, _ in key]),
                tuple([column for _, column in key]),
                tuple(tests),
                names,
            )
            return step, []

        uses = item_vars(lit)
        return Entry(uses, set(), uses, 1, make)

    def _residual(self, name: str, c: Constraint) -> Entry:
        uses = {name} | variables(c)
        if is_clocked(c):
            self.spec.clock = True

        def make(layout: list[str]) -> tuple[Step, list[str]]:
            test = _cell_test({n: i for i, n in enumerate(layout)}, name, c)
            return Filter(test, (name, c)), []

        return Entry(uses, set(), uses, 0, make, late=True)

    def _window(self, item: WindowTest) -> Entry:
        self.spec.clock = True
        uses = item_vars(item)

        def make(layout: list[str]) -> tuple[Step, list[str]]:
            return Filter(window_test({n: i for i, n in enumerate(layout)}, item)), []

        return Entry(uses, set(), uses, 0, make, late=True)

    def _table(self, item: TableLit) -> Entry:
        table = self.context.plan.table_ids[item.ref]
        picked = tuple(index for index, name in enumerate(item.names) if name is not None)
        alpha = self._alpha(table, pick(picked))
        return self._join(alpha, [name for name in item.names if name is not None])

    def _tally(self, item: RowCount, *, delta: bool = False) -> tuple[Tally, Entry]:
        columns = self.context.columns[item.atom.relation]
        plan = plan_alpha(columns, item.atom.constraints, lambda name: name in item.group)
        table = self.context.source(item.atom, "plain")
        step = Tally(table, plan.make()[1], plan.names, item.name, delta=delta)
        names = [*plan.names, item.name] if delta else [item.name]
        needs = set() if delta else set(plan.names)
        binds = set(names)
        uses = binds | needs
        return step, Entry(uses, binds, needs, 6, lambda layout: (step, names), late=True, strong=binds)

    def _commit(self, item: CommitLit) -> list[Entry]:
        table = self.context.commits(item.atom.relation)
        more = (Constraint("#number", "=", Var(item.number)), Constraint("#point", "=", Var(item.point)))
        everything = {item.number, item.point}
        alpha, plan = self._atom_alpha(
            item.atom, table, False, lambda n: n in everything or self._keep(n), more
        )
        prefix = self.context.fresh("c")
        rename = {n: f"{prefix}{n}" for n, _ in plan.residual}
        entries = [self._join(alpha, [rename.get(n, n) for n in plan.names])]
        entries += [self._residual(rename[name], c) for name, c in plan.residual]
        self.spec.clock = True  # which points are recorded goes with the clock

        def make(layout: list[str]) -> tuple[Step, list[str]]:
            return AtPoint(layout.index(item.point), here=item.here), []

        entries.append(Entry({item.point}, set(), {item.point}, 0, make, late=True))
        return entries

    # ------------------------------------------------------------ comparisons

    def _compare(self, item: Compare) -> Entry:
        uses, binds = item_vars(item), item_binds(item)
        if is_clocked(item):
            self.spec.clock = True
        return CompareEntry(item, uses, binds, self._numbers)


def _cell_test(where: dict[str, int], name: str, c: Constraint) -> Any:
    """The test of a constraint on the cell that the name `name` holds."""
    index = where[name]
    return compile_test(lambda env, ctx: env[index], c.op, c.term, c.hi, in_layout(where))


def reorder(body: Body, layout: tuple[str, ...]) -> Body:
    """The same body with its results in another order of the same names.

    Raises:
        EngineError: they are not the same names.
    """
    if set(layout) != set(body.layout):
        raise EngineError("two plans of one body differ in what they bind")
    keep = tuple([body.layout.index(name) for name in layout])
    return Body([*body.steps, Project(keep)], layout, body.required)
