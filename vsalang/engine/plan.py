"""The query plan: what the compiler makes of a program, shared read-only by all sessions of that program.

A *table* is a set of rows: an input relation, a derived relation in one reading, or what is remembered of the past. An
*alpha memory* (so called in the Rete algorithm) belongs to one atom: it holds the tuples of the atom's variables, with
everything decided that a single row can decide. A *stratum* is what is computed from them together: derived relations
that depend on each other, or the answers of a rule.
"""

import datetime as dt
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from typing import Any, Literal, Protocol, TypeAlias

from vsalang.base.records import dataclass
from vsalang.engine.api import Input
from vsalang.engine.steps import Body, Filter
from vsalang.engine.terms import Tuple
from vsalang.program.ir import Compare, Constraint, Program, Term
from vsalang.program.ops import ASKING

# ---------------------------------------------------------------- tables


@dataclass(frozen=True, slots=True)
class Ref:
    """The identity of a table that is not an input.

    Attributes:
        kind: ``derived`` (a relation in a reading), ``past`` and ``then`` (history relations), ``window`` (the bindings
            of a history that are in a window now).
    """

    kind: Literal["derived", "past", "then", "window"]
    name: str
    reading: str = ""


TableKey: TypeAlias = Input | Ref


@dataclass(frozen=True, slots=True)
class AlphaShape:
    """What the function of an alpha memory does, for the code generator.

    Attributes:
        checks: constraints that the row alone decides, by column.
        outs: for each column of the alpha memory the cells that must be known and equal.
        silent: the same for variables that nothing asks for.
        cells: cells that must be known and are columns as they are.
        row: whether the whole row is the last column.
        captures: whether groups of regular expressions are among `outs` or `silent`.
    """

    checks: tuple[tuple[int, Constraint], ...]
    outs: tuple[tuple[int, ...], ...]
    silent: tuple[tuple[int, ...], ...]
    cells: tuple[int, ...]
    row: bool = False
    captures: bool = False

    @property
    def columns(self) -> frozenset[int]:
        """The columns of the row that are read."""
        columns = {column for column, _ in self.checks} | set(self.cells)
        return frozenset(columns.union(*self.outs, *self.silent))


@dataclass(slots=True)
class AlphaSpec:
    """An alpha memory: `fn(row, ctx)` gives the tuple of its columns, or None where the row does not match.

    Attributes:
        shape: what the function does; None if only the function knows.
        columns: the columns of the row that it reads; None: all. `mask` has a bit for each.
        asks: whether a backend of ``~=`` is asked about the row.
    """

    table: int
    fn: Callable[[Tuple, Any], Tuple | None]
    names: tuple[str, ...]
    shape: AlphaShape | None = None
    columns: frozenset[int] | None = None
    mask: int = -1
    asks: bool = field(init=False)

    def __post_init__(self) -> None:
        self.asks = self.shape is not None and any(c.op in ASKING for _, c in self.shape.checks)


@dataclass(slots=True)
class TableSpec:
    """A table with its alpha memories and the stratum that computes it (None: it is assigned, or filled by points)."""

    key: TableKey
    arity: int
    alphas: list[int] = field(default_factory=list)
    stratum: int | None = None

    @property
    def name(self) -> str:
        """What the generated code calls it."""
        return str(self.key) if isinstance(self.key, Input) else self.key.name


# ---------------------------------------------------------------- strata


@dataclass(slots=True)
class DerivePlan:
    """One rule of a derived relation: `head` gives the row of a binding, or None where a term is undefined.

    Attributes:
        deltas: for each recursive atom its alpha memory, and the body that reads what is new there.
    """

    table: int
    body: Body
    head: Callable[[Tuple, Any], Tuple | None]
    deltas: tuple[tuple[int, Body], ...] = ()


class PossiblePlan(Protocol):
    """One rule of a derived relation in the possible reading."""

    @property
    def table(self) -> int:
        """The table of its head."""
        ...

    @property
    def recursive(self) -> tuple[tuple[int, int], ...]:
        """The positions of the atoms of the rule's own component, with their tables."""
        ...

    def rows(
        self,
        state: Any,
        delta: tuple[int, Sequence[Tuple]] | None = None,
        key_values: Mapping[int, Any] | None = None,
    ) -> Iterable[Tuple]:
        """The rows that the rule possibly derives.

        Args:
            state: of the session.
            delta: a recursive atom, and the rows that it reads instead of all.
            key_values: cells of the row that are asked for; rows with other values may be left out.
        """
        ...


@dataclass(slots=True)
class StratumSpec:
    """Something that is computed.

    Attributes:
        alphas, tables, clock: what it reads directly.
        reads: the alpha memories and tables that are not its own: its result holds as long as their versions do.
        inside: strata whose rules it evaluates for itself, so that it reads what they read.
        timestamped: derived tables of whose rows it asks the timestamps.
        below: the component strata that it depends on, in an order in which they can be computed.
        members: of a component: the tables of its relations.
        plans: of its rules.
    """

    kind: Literal["plain", "certain", "possible", "answers", "history", "timestamps"]
    name: str
    alphas: set[int] = field(default_factory=set)
    tables: set[int] = field(default_factory=set)
    timestamped: set[int] = field(default_factory=set)
    inside: set[int] = field(default_factory=set)
    clock: bool = False
    below: tuple[int, ...] = ()
    members: tuple[int, ...] = ()
    reads: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())
    recursive: bool = False
    plans: list[Any] = field(default_factory=list)

    def copy(self) -> "StratumSpec":
        """One that can be added to without changing this."""
        return replace(
            self,
            alphas=set(self.alphas),
            tables=set(self.tables),
            timestamped=set(self.timestamped),
            inside=set(self.inside),
            plans=list(self.plans),
        )


@dataclass(slots=True)
class RulePlan:
    """How a rule is answered: where its variables (and the row of a licence) stand in the layout of its body."""

    variables: tuple[str, ...]
    body: Body
    positions: tuple[int | None, ...]
    row: int | None = None


@dataclass(frozen=True, slots=True)
class WitnessPlan:
    """The body of a rule, begun with values of its answer, that keeps all variables which conditions share.

    Attributes:
        bound: the variables that it begins with, in the order of its first layout.
    """

    bound: tuple[str, ...]
    body: Body


@dataclass(slots=True)
class ExtraPlan:
    """How the conditions after ``with`` are answered.

    Attributes:
        shared: how many variables of each part, the first ones, are bound before ``with``.
        parts: strata and plans: the conditions of all sources, then each source with them.
    """

    shared: int
    parts: tuple[tuple[int, RulePlan], ...]


@dataclass(slots=True)
class ExpectPlan:
    """The literals that must hold, given the values of an answer."""

    body: Body
    bound: tuple[str, ...]


# ---------------------------------------------------------------- the past


@dataclass(slots=True)
class HistorySpec:
    """A history relation: what is remembered for one past literal, or for the left side of a `then`.

    Attributes:
        op: ``earlier``, ``within``, ``for``, ``since``, ``then``.
        table: its table; a row is the binding, then the number and the time of a history point.
        source: the body whose bindings hold at a point.
        other: of ``since``: the body of B; `source` then keeps those of its bindings with which A holds.
        whole: bindings are whole rows.
        commits: columns that hold the number of a commit, with its action; rows are deleted when it is taken back.
        level: histories of lower levels are brought up to a point first; `cyclic`: those of its level read each other.
        stratum: reads what the bodies read.
    """

    op: str
    table: int
    source: Body
    stratum: int
    other: Body | None = None
    duration: Any = None
    whole: bool = False
    commits: tuple[tuple[int, str], ...] = ()
    level: int = 0
    cyclic: bool = False


@dataclass(frozen=True, slots=True)
class WindowSpec:
    """The bindings of a history (`source`) that are at most `length` old; with `lasting`, at least."""

    table: int
    source: int
    length: dt.timedelta
    lasting: bool


@dataclass(slots=True)
class TimestampPlan:
    """One rule of a derived relation, to tell the newest evidence of its rows."""

    body: Body
    head: Any
    ask: Any


@dataclass(slots=True)
class TimestampSpec:
    """How the timestamps of a derived table's rows are found; `stratum` reads what that needs."""

    stratum: int
    plans: list[TimestampPlan] = field(default_factory=list)


# ---------------------------------------------------------------- maintenance by differences


@dataclass(frozen=True, slots=True)
class Delta:
    """The plan for tuples that are inserted into `alpha` or deleted; `sign` is -1 where the literal is negated.

    If `alpha` is negative, for the rows of `table`, which are counted.
    """

    alpha: int
    sign: int
    body: Body
    table: int = -1


@dataclass(frozen=True, slots=True)
class RuleNet:
    """How one rule is maintained by differences.

    Attributes:
        rule: its id.
        table: the table of its head; -1 if it is answered.
        head: the terms of the row, or of the answer's values (None: nothing binds it).
        row: of a licence: the answer has the row of the action.
        body: the plan from nothing.
        deltas: the plans by position.
        support: in a recursive component: the plan that looks for a derivation of a given row.
        rows: of the alpha memories of the component's own atoms: the terms of the whole row.
    """

    rule: str
    table: int
    head: tuple[Term | None, ...]
    row: bool
    body: Body
    deltas: tuple[Delta, ...]
    support: Body | None = None
    rows: tuple[tuple[int, int, tuple[Term, ...]], ...] = ()


@dataclass(slots=True)
class StratumNet:
    """How a stratum is maintained by differences: answers, a derived relation, or a recursive component.

    `asks` if a rule compares by ``~=`` outside of its atoms.
    """

    stratum: int
    kind: Literal["answers", "derived", "recursive"]
    rules: tuple[RuleNet, ...]
    asks: bool = False

    def __post_init__(self) -> None:
        self.asks = any(
            isinstance(step, Filter) and step.source is not None and _operator(step.source) in ASKING
            for rule in self.rules
            for step in rule.body.steps
        )


def _operator(source: Compare | tuple[str, Constraint]) -> str:
    return source.op if isinstance(source, Compare) else source[1].op


@dataclass(frozen=True, slots=True)
class CodePart:
    """Which alpha memories, cells (table and column) and strata code is written for; `name` tells parts apart."""

    alphas: Sequence[int] = ()
    cells: Sequence[tuple[int, int]] = ()
    strata: Sequence[int] = ()
    name: str = ""


@dataclass(frozen=True, slots=True)
class CodeText:
    """The Python code of a program or a part of it, and what its functions are for. Functions are given by name.

    Attributes:
        text: the source; `filename` is what tracebacks call it.
        constants: by the names that the code uses.
        alphas: the functions of alpha memories.
        writers: for tables of at most one row, by table and column: tells the atoms that read the cell of a write.
        deltas: for each alpha memory: stratum, sign, function, the alpha memories that it joins.
        tallies: for tables whose rows are counted: table, stratum, function.
        full: stratum and function that finds every derivation, for each rule.
        support: table and function that looks for a derivation from rows of lower levels.
    """

    text: str
    filename: str
    constants: Mapping[str, Any]
    alphas: Mapping[int, str]
    writers: Mapping[tuple[int, int], str]
    deltas: Sequence[tuple[int, int, int, str, tuple[int, ...]]]
    tallies: Sequence[tuple[int, int, str]]
    full: Sequence[tuple[int, str]]
    support: Sequence[tuple[int, str]]


# ---------------------------------------------------------------- the whole


@dataclass(slots=True)
class Plan:
    """The compiled program; read-only once made, but for `code`, which grows as sessions need it.

    Attributes:
        inputs: the tables of input relations; `names` has the inputs by their text.
        derived: the tables of derived relations, plainly read.
        windowed: of history tables the places of their windows in `windows`.
        levels: the histories in the order in which a point brings them up to date; whether they read each other.
        keys: of the tables of keyed relations the columns that tell rows apart.
        cells: of relations without a key: by the name of the input and of the attribute, table and column of the cell.
        alpha_readers, table_readers, clock_readers: the strata that read it directly.
        stratum_users: the strata that read a stratum's tables directly.
        rank: of each stratum its place in an order of evaluation; `by_rank` is the inverse.
        flags: of each stratum whether it is one relation without attributes whose derivations can be counted, and
            whose row nobody reads.
        nets: how strata are maintained by differences, for those that can be.
        generate: writes its code; None: it was not compiled to the end.
        code: the functions of its code (`vsalang.engine.run.code`).
    """

    program: Program
    tables: list[TableSpec] = field(default_factory=list)
    alphas: list[AlphaSpec] = field(default_factory=list)
    strata: list[StratumSpec] = field(default_factory=list)
    table_ids: dict[TableKey, int] = field(default_factory=dict)
    inputs: dict[Input, int] = field(default_factory=dict)
    names: dict[str, Input] = field(default_factory=dict)
    derived: dict[str, int] = field(default_factory=dict)
    cells: dict[tuple[str, str], tuple[int, int]] = field(default_factory=dict)
    keys: dict[int, tuple[int, ...]] = field(default_factory=dict)
    histories: list[HistorySpec] = field(default_factory=list)
    windows: list[WindowSpec] = field(default_factory=list)
    windowed: dict[int, tuple[int, ...]] = field(default_factory=dict)
    levels: list[tuple[tuple[HistorySpec, ...], bool]] = field(default_factory=list)
    answers: dict[str, tuple[int, RulePlan]] = field(default_factory=dict)
    witnesses: dict[str, WitnessPlan] = field(default_factory=dict)
    extras: dict[str, ExtraPlan] = field(default_factory=dict)
    expects: dict[str, tuple[int, ExpectPlan]] = field(default_factory=dict)
    variables: dict[str, tuple[str, ...]] = field(default_factory=dict)
    alpha_readers: list[tuple[int, ...]] = field(default_factory=list)
    table_readers: list[tuple[int, ...]] = field(default_factory=list)
    clock_readers: tuple[int, ...] = ()
    stratum_users: list[tuple[int, ...]] = field(default_factory=list)
    rank: list[int] = field(default_factory=list)
    by_rank: list[int] = field(default_factory=list)
    flags: bytearray = field(default_factory=bytearray)
    nets: dict[int, StratumNet] = field(default_factory=dict)
    timestamps: dict[int, TimestampSpec] = field(default_factory=dict)
    generate: "Callable[[Plan, CodePart], CodeText] | None" = None
    code: Any = None

    def copy(self, program: Program) -> "Plan":
        """The plan of the rules so far, for a program that has more of them: adding to it leaves this as it is.

        What the last steps of the compiler make is not in it. Plans of rules are shared: nothing changes them.
        """
        return Plan(
            program,
            tables=[replace(table, alphas=list(table.alphas)) for table in self.tables],
            alphas=list(self.alphas),
            strata=[stratum.copy() for stratum in self.strata],
            table_ids=dict(self.table_ids),
            inputs=dict(self.inputs),
            names=dict(self.names),
            derived=dict(self.derived),
            histories=[replace(history) for history in self.histories],
            windows=list(self.windows),
            windowed=dict(self.windowed),
            answers=dict(self.answers),
            witnesses=dict(self.witnesses),
            extras=dict(self.extras),
            expects=dict(self.expects),
            variables=dict(self.variables),
            nets=dict(self.nets),
            timestamps={
                table: replace(timestamp, plans=list(timestamp.plans))
                for table, timestamp in self.timestamps.items()
            },
        )
