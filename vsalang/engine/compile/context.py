"""What the steps of the compiler share: the plan so far, and the numbers and names that it gives.

Derived relations are compiled when something asks for them: their numbers are given at once, and their rules wait in
`Context.pending`. So no step calls itself on data.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from vsalang.base.once import once_each
from vsalang.engine.api import EngineError, Input, InputKind, Reading
from vsalang.engine.compile.atoms import AlphaPlan, plan_alpha
from vsalang.engine.compile.items import Item, RowCount
from vsalang.engine.compile.strata import components_of
from vsalang.engine.matching import columns_of
from vsalang.engine.plan import (
    AlphaSpec,
    Delta,
    Plan,
    Ref,
    StratumSpec,
    TableKey,
    TableSpec,
    TimestampSpec,
)
from vsalang.engine.steps import Body
from vsalang.program.ir import Atom, Compare, Constraint, Derive, Lit, Program, Relation, Rule, Spent
from vsalang.program.reading import read_certainly
from vsalang.program.walk import Use, uses

Occurrence: TypeAlias = tuple[int, tuple[str, ...], tuple[tuple[str, Constraint], ...]]
"""Of a past literal: its table, the variables of the columns, and the constraints that are left to test."""


class BodyPlanner(Protocol):
    """Plans one body (`vsalang.engine.compile.bodies.Planner`).

    Attributes:
        spec: the stratum that reads what the body reads.
        delta_alpha: the alpha memory of the literal that reads only what is new.
        repeats: whether two literals of the body read alike.
    """

    spec: StratumSpec
    delta_alpha: int
    repeats: bool

    def plan(
        self,
        literals: Sequence[Item],
        needed: Iterable[str],
        *,
        license_head: Atom | None = None,
        row: bool = False,
    ) -> Body:
        """The steps of a body."""
        ...

    def witness(self, bound: tuple[str, ...]) -> Body:
        """The body that was planned last, begun with some variables; it keeps all that conditions share."""
        ...

    def deltas(self) -> Iterator[tuple[Lit | RowCount, int, Body]]:
        """Each atom of the body that was planned last, its alpha memory, and the plan that begins with its changes."""
        ...


@dataclass(slots=True)
class PlannedBody:
    """A planned body with its planner: the plans by position are made of the same parts.

    Attributes:
        deltas: the plans by position, once `tried` says that they were asked for; None if there are none.
    """

    planner: BodyPlanner
    body: Body
    deltas: tuple[Delta, ...] | None = None
    tried: bool = False


@once_each
def _uses(rule: Rule) -> tuple[Use, ...]:
    """How the body of a rule uses atoms."""
    return tuple(uses(rule.body))


class Context:
    """The plan of one program, while it is made.

    Args:
        program: what is compiled.
        planner: makes the planner of a body: from the context, the stratum that reads it, its reading, and options.
        base: the context of a part of the program: what was made there is not made again, and it stays as it is.

    Attributes:
        derive_rules: the rules of each derived relation.
        uses: the atoms in the bodies of these rules, by the id of the rule.
        columns: the places of each relation's attributes in its rows.
        reads_certainly: the derived relations whose certain reading differs from the plain one.
        pending, pending_timestamps: what was given a number and waits to be compiled.
        past_ids: what was made of past literals, by what they say.
        compiled: the ids of the rules of the base.
        plains: what was planned of rules that derive rows, read plainly, by their ids: their answers and their
            relations share it.
    """

    def __init__(
        self, program: Program, planner: Callable[..., BodyPlanner], base: "Context | None" = None
    ) -> None:
        self.program = program
        self._planner = planner
        self.plan: Plan = Plan(program) if base is None else base.plan.copy(program)
        self.derive_rules: dict[str, list[Rule]] = {}
        for rule in program.rules:
            if isinstance(rule.head, Derive):
                self.derive_rules.setdefault(rule.head.atom.relation, []).append(rule)
        self.uses = {rule.id: _uses(rule) for rules in self.derive_rules.values() for rule in rules}
        self._certain_rules = {
            rule.id: read_certainly(rule) for rules in self.derive_rules.values() for rule in rules
        }
        self.columns = {name: columns_of(relation) for name, relation in program.relations.items()}
        self.components = components_of(self._graph())
        self._check_stratified()
        self.reads_certainly = self._differing()
        self.pending: deque[tuple[str, Reading]] = deque()
        self.component_strata: dict[tuple[int, str], int] = {}
        self.past_ids: dict[tuple[Any, ...], Occurrence] = {}
        self.pending_timestamps: deque[tuple[int, str, Reading]] = deque()
        self.counter = 0
        self._alpha_ids: dict[tuple[int, tuple[Any, ...]], int] = {}
        self.compiled: frozenset[str] = frozenset()
        self.plains: dict[str, PlannedBody] = {}
        if base is not None:
            self.component_strata = {
                (self.components[self.plan.strata[stratum].name][0], reading): stratum
                for (_, reading), stratum in base.component_strata.items()
            }
            self.past_ids = dict(base.past_ids)
            self.counter = base.counter
            self._alpha_ids = dict(base._alpha_ids)
            self.compiled = frozenset(rule.id for rule in base.program.rules)

    # ------------------------------------------------------------ relations

    def relation(self, name: str) -> Relation:
        """The relation of that name.

        Raises:
            EngineError: there is none.
        """
        try:
            return self.program.relations[name]
        except KeyError:
            raise EngineError(f"the program has no relation {name}") from None

    def is_derived(self, name: str) -> bool:
        """Whether rows of the relation are derived by rules."""
        return self.relation(name).sort == "screen" or name in self.derive_rules

    def reading(self, name: str, reading: Reading) -> Reading:
        """The reading to compile: screens are always read plainly, and some relations read alike in all."""
        if self.relation(name).sort == "screen":
            return "plain"
        if reading == "certain" and name not in self.reads_certainly:
            return "plain"
        return reading

    def defining(self, name: str, reading: Reading) -> list[Rule]:
        """The rules of a derived relation, with their patterns as that reading has them."""
        rules = self.derive_rules.get(name, [])
        return rules if reading == "plain" else [self._certain_rules[rule.id] for rule in rules]

    def input(self, relation: str, kind: InputKind, arity: int) -> int:
        """The table of an input."""
        return self.table(Input(relation, kind), arity)

    def table(self, key: TableKey, arity: int) -> int:
        """The number of a table, made if it is new."""
        plan = self.plan
        number = plan.table_ids.get(key)
        if number is None:
            number = plan.table_ids[key] = len(plan.tables)
            plan.tables.append(TableSpec(key, arity))
            if isinstance(key, Input):
                plan.inputs[key] = number
                plan.names[str(key)] = key
            elif key.kind == "derived" and key.reading == "plain":
                plan.derived[key.name] = number
        return number

    def base(self, atom: Atom) -> int:
        """The table of a base relation, now or before."""
        relation = self.relation(atom.relation)
        if atom.before and self.is_derived(atom.relation):
            raise EngineError(f"before {relation.short}: only the app's own relations have a state before")
        return self.input(relation.name, "before" if atom.before else "rows", len(relation.attrs))

    def commits(self, name: str) -> int:
        """The table of an action's commits: its rows with the commit's number and point."""
        return self.input(name, "commits", len(self.relation(name).attrs) + 2)

    def derived(self, name: str, reading: Reading) -> int:
        """The table of a derived relation in a reading (`reading` decides which)."""
        reading = self.reading(name, reading)
        ref = Ref("derived", name, reading)
        number = self.plan.table_ids.get(ref)
        if number is None:
            number = self.table(ref, len(self.relation(name).attrs))
            key = (self.components[name][0], reading)
            stratum = self.component_strata.get(key)
            if stratum is None:
                stratum = self.component_strata[key] = len(self.plan.strata)
                members = self.components[name][1]
                self.plan.strata.append(StratumSpec(reading, name))
                self.pending.append((name, reading))
                for member in members:
                    if self.reading(member, reading) == reading:
                        self.derived(member, reading)
            self.plan.tables[number].stratum = stratum
        return number

    def source(self, atom: Atom, reading: Reading) -> int:
        """The table that a positive atom of that reading ranges over."""
        if self.is_derived(atom.relation):
            if atom.before:
                raise EngineError(f"before {atom.relation}: only the app's own relations have a state before")
            return self.derived(atom.relation, reading)
        return self.base(atom)

    def same_component(self, one: str, other: str) -> bool:
        """Whether two derived relations depend on each other."""
        return one in self.components and self.components.get(other, (None,))[0] == self.components[one][0]

    def fresh(self, prefix: str) -> str:
        """A name that no variable of a program has."""
        self.counter += 1
        return f"#{prefix}{self.counter}"

    # ------------------------------------------------------------ strata

    def _graph(self) -> dict[str, set[str]]:
        graph: dict[str, set[str]] = {name: set() for name in self.derive_rules}
        for name, relation in self.program.relations.items():
            if relation.sort == "screen":
                graph.setdefault(name, set())
        for name, rules in self.derive_rules.items():
            for rule in rules:
                graph[name].update(
                    [use.atom.relation for use in self.uses[rule.id] if use.atom.relation in graph]
                )
        return graph

    def _check_stratified(self) -> None:
        for name, rules in self.derive_rules.items():
            for rule in rules:
                for use in self.uses[rule.id]:
                    if not use.monotone and self.same_component(name, use.atom.relation):
                        raise EngineError(
                            f"the program is not stratified: {name} depends on a negation or an aggregate of itself "
                            f"(rule {rule.id})"
                        )

    def _differing(self) -> set[str]:
        """The derived relations whose certain reading differs from the plain one."""
        columns: set[str] = set()
        users: dict[str, set[str]] = {}
        for name, rules in self.derive_rules.items():
            for rule in rules:
                if self._certain_rules[rule.id] is not rule:
                    columns.add(name)
                for literal in rule.body:
                    plain = isinstance(literal, Lit) and not literal.neg
                    if not plain and not isinstance(literal, Compare | Spent):
                        columns.add(name)
                for use in self.uses[rule.id]:
                    users.setdefault(use.atom.relation, set()).add(name)
        waiting = list(columns)
        while waiting:
            for user in users.get(waiting.pop(), ()):
                if user not in columns:
                    columns.add(user)
                    waiting.append(user)
        return columns

    # ------------------------------------------------------------ alpha memories and strata

    def alpha(self, table: int, plan: AlphaPlan, key: tuple[Any, ...]) -> int:
        """The number of an alpha memory, shared by atoms that read alike."""
        number = self._alpha_ids.setdefault((table, key), len(self.plan.alphas))
        if number == len(self.plan.alphas):
            fn, shape = plan.make()
            columns = None if shape.row else shape.columns
            mask = -1 if columns is None else sum(1 << column for column in columns)
            self.plan.alphas.append(AlphaSpec(table, fn, plan.names, shape, columns, mask))
            self.plan.tables[table].alphas.append(number)
        return number

    def given_alpha(self, screen: str) -> int:
        """The alpha memory of the input that says that a screen shows."""
        plan = plan_alpha({}, (), lambda name: False)
        return self.alpha(self.input(screen, "shown", 0), plan, plan.key)

    def stratum(self, kind: Any, name: str) -> int:
        """A new stratum."""
        self.plan.strata.append(StratumSpec(kind, name))
        return len(self.plan.strata) - 1

    def planner(self, stratum: int, reading: Reading | None, **options: Any) -> BodyPlanner:
        """A planner of one body for a stratum; `reading` None: each literal has its own."""
        return self._planner(self, self.plan.strata[stratum], reading, **options)

    def loose_planner(self, spec: StratumSpec, reading: Reading | None, **options: Any) -> BodyPlanner:
        """As `planner`, for a stratum that is not of the plan."""
        return self._planner(self, spec, reading, **options)

    def timestamped(self, table: int, spec: StratumSpec, name: str, reading: Reading) -> None:
        """Note that a stratum asks for the timestamps of a derived table's rows."""
        spec.timestamped.add(table)
        if table not in self.plan.timestamps:
            self.plan.timestamps[table] = TimestampSpec(self.stratum("timestamps", name))
            self.pending_timestamps.append((table, name, self.reading(name, reading)))
