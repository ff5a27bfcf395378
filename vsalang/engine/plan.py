"""The kernel: what the engine's compiler makes of a program, shared read-only by all sessions of that program.

A *table* is a set of rows: a slot, one version of a derived relation, or what is remembered of the past. An *alpha*
is one atom occurrence with all that can be decided from a single row: it holds the tuples of the atom's variables.
A *node* is what is computed from them: a component of derived relations, or the answers of a rule.
"""

import datetime as dt
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from vsalang.core.ir import Atom, Constraint, Program, Term
from vsalang.core.ir import Literal as BodyLiteral
from vsalang.core.walk import binds, bound_by_row, variables

if TYPE_CHECKING:
    from vsalang.engine.compile.codegen import Code
    from vsalang.engine.compile.deltas import NodeNet
    from vsalang.engine.run.steps import Step

Version: TypeAlias = Literal["plain", "certain", "possible"]


class Wild:
    """Some value that nothing is known of: stands in rows and bindings of the possible reading only."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "WILD"


WILD: Final = Wild()

Tuple: TypeAlias = tuple[Any, ...]
Env: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Ref:
    """The identity of a table: ``slot`` (by slot name), ``derived`` (relation and version), ``past``, ``then``,
    ``window`` (what of a memory is in a window now)."""

    kind: Literal["slot", "derived", "past", "then", "window"]
    name: str
    version: str = ""


@dataclass(frozen=True, slots=True)
class TableLit:
    """A positive literal on a table of the engine's own: its columns are variables (None: not asked for)."""

    ref: Ref
    names: tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class CommitLit:
    """An action atom on the left of `then`: a commit, at the point that is being recorded if `here`."""

    atom: Atom
    number: str
    point: str
    here: bool


@dataclass(frozen=True, slots=True)
class Fresh:
    """The last part of a `then`: what it rests on is younger than the point in the variable `first`."""

    first: str
    literals: tuple[BodyLiteral, ...]
    version: Version


@dataclass(frozen=True, slots=True)
class Window:
    """``within`` and ``for``: compares the time in a variable with the clock."""

    op: Literal["within", "for"]
    time: str
    duration: Term


Item: TypeAlias = BodyLiteral | TableLit | CommitLit | Fresh | Window


@dataclass(frozen=True, slots=True)
class AlphaShape:
    """What an alpha's function does, as code is made from it.

    Attributes:
        checks: constraints that the row alone decides, by column.
        outs: for each column of the alpha the cells that must be known and equal.
        silent: the same for variables that nothing asks for.
        cells: cells that must be known and are columns of the alpha as they are.
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
        found = {column for column, _ in self.checks} | set(self.cells)
        return frozenset(found.union(*self.outs, *self.silent))


@dataclass(slots=True)
class AlphaSpec:
    """An atom occurrence: `fn(row, ctx)` gives the tuple of its columns, or None where the row does not fit.

    Attributes:
        shape: what the function does; None if only the function knows.
        columns: of the row, that it reads; None: all. `mask` has a bit for each.
    """

    table: int
    fn: Callable[[Tuple, Any], Tuple | None]
    names: tuple[str, ...]
    shape: AlphaShape | None = None
    columns: frozenset[int] | None = None
    mask: int = -1


@dataclass(slots=True)
class TableSpec:
    """A table with its alphas and the node that computes it (None: assigned, or fed by history points)."""

    ref: Ref
    arity: int
    alphas: list[int] = field(default_factory=list)
    node: int | None = None


@dataclass(slots=True)
class Body:
    """A planned body: steps from one empty binding to bindings over `layout`.

    `required` are alphas without a tuple of which there is no binding.
    """

    steps: "list[Step]"
    layout: tuple[str, ...]
    required: tuple[int, ...] = ()


@dataclass(slots=True)
class DerivePlan:
    """One rule of a derived relation: `head` gives the row of a binding, or None where a term is undefined."""

    table: int
    body: Body
    head: Callable[[Tuple, Any], Tuple | None]
    deltas: tuple[tuple[int, Body], ...] = ()


@dataclass(slots=True)
class NodeSpec:
    """Something computed: see the module.

    Attributes:
        alphas, tables, clock: what it reads directly.
        reads: the alphas and tables that are not its own: its results hold as long as their versions do.
        inside: nodes whose rules it evaluates for itself, so that it reads what they read.
        stamped: derived tables of whose rows it asks the age.
        below: the component nodes that it rests on, in an order in which they can be computed.
    """

    kind: Literal["plain", "certain", "possible", "answers", "feed", "stamps"]
    name: str
    alphas: set[int] = field(default_factory=set)
    tables: set[int] = field(default_factory=set)
    stamped: set[int] = field(default_factory=set)
    inside: set[int] = field(default_factory=set)
    clock: bool = False
    below: tuple[int, ...] = ()
    members: tuple[int, ...] = ()
    reads: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())
    recursive: bool = False
    plans: list[Any] = field(default_factory=list)


@dataclass(slots=True)
class PastSpec:
    """A memory of the past: one occurrence of a past literal, or the left side of a `then`.

    Attributes:
        op: ``earlier``, ``within``, ``for``, ``since``, ``then``.
        table: its table; a row is the binding, then the number and the time of a history point.
        feed: the body whose bindings hold at a point.
        other: of ``since``: the body of B; `feed` then keeps those of its bindings with which A holds.
        whole: bindings are whole rows.
        commits: columns that hold the number of a commit, with its action; rows go when it is taken back.
        level: memories of lower levels are brought up to a point first; `cyclic`: those of its level read each other.
        node: reads what the feeds read.
    """

    op: str
    table: int
    feed: Body
    node: int
    other: Body | None = None
    duration: Any = None
    whole: bool = False
    commits: tuple[tuple[int, str], ...] = ()
    level: int = 0
    cyclic: bool = False


@dataclass(frozen=True, slots=True)
class WindowSpec:
    """The bindings of a memory (`source`) not older than `length`; with `lasting`, not younger. See `windows`."""

    table: int
    source: int
    length: dt.timedelta
    lasting: bool


@dataclass(slots=True)
class StampPlan:
    """One rule of a derived relation, to tell how old what its rows rest on is."""

    body: Body
    head: Any
    ask: Any


@dataclass(slots=True)
class StampSpec:
    """How the age of a derived table's rows is found; `node` reads what that needs."""

    node: int
    plans: list[StampPlan] = field(default_factory=list)


@dataclass(slots=True)
class RulePlan:
    """How a rule is answered."""

    variables: tuple[str, ...]
    body: Body
    positions: tuple[int | None, ...]
    row: int | None = None


@dataclass(slots=True)
class ExtraPlan:
    """How what stands after ``with`` is answered.

    Attributes:
        shared: how many variables of each part, the first ones, are bound before ``with``.
        parts: nodes and plans: what all sources ask for, then each source with that.
    """

    shared: int
    parts: tuple[tuple[int, RulePlan], ...]


@dataclass(slots=True)
class ExpectPlan:
    """Literals that must hold, given the values of an answer."""

    body: Body
    given: tuple[str, ...]


@dataclass(slots=True)
class Kernel:
    """The compiled program; read-only once made, but for `code`, which is made when a session first needs it.

    Attributes:
        windowed: of memories the places of their windows in `windows`.
        levels: the memories of the past in the order in which a point brings them up; whether they read each other.
        slots: the tables of slots by name.
        keys: of the tables of keyed relations the columns that tell rows apart.
        cells: of relations without a key: table and column of a slot's cell.
        alpha_readers, table_readers, clock_readers: the nodes that read it directly.
        node_users: the nodes that read a node's tables directly.
        rank: of each node its place in an order of evaluation; `by_rank` is the inverse.
        flags: of each node whether it is one relation without attributes whose derivations can be counted.
        nets: how nodes are kept up to date by differences, for those that can be.
    """

    program: Program
    tables: list[TableSpec] = field(default_factory=list)
    alphas: list[AlphaSpec] = field(default_factory=list)
    nodes: list[NodeSpec] = field(default_factory=list)
    table_ids: dict[Ref, int] = field(default_factory=dict)
    slots: dict[str, int] = field(default_factory=dict)
    cells: dict[tuple[str, str], tuple[int, int]] = field(default_factory=dict)
    keys: dict[int, tuple[int, ...]] = field(default_factory=dict)
    pasts: list[PastSpec] = field(default_factory=list)
    windows: list[WindowSpec] = field(default_factory=list)
    windowed: dict[int, tuple[int, ...]] = field(default_factory=dict)
    levels: list[tuple[tuple[PastSpec, ...], bool]] = field(default_factory=list)
    answers: dict[str, tuple[int, RulePlan]] = field(default_factory=dict)
    extras: dict[str, ExtraPlan] = field(default_factory=dict)
    expects: dict[str, tuple[int, ExpectPlan]] = field(default_factory=dict)
    variables: dict[str, tuple[str, ...]] = field(default_factory=dict)
    alpha_readers: list[tuple[int, ...]] = field(default_factory=list)
    table_readers: list[tuple[int, ...]] = field(default_factory=list)
    clock_readers: tuple[int, ...] = ()
    node_users: list[tuple[int, ...]] = field(default_factory=list)
    rank: list[int] = field(default_factory=list)
    by_rank: list[int] = field(default_factory=list)
    flags: bytearray = field(default_factory=bytearray)
    nets: dict[int, "NodeNet"] = field(default_factory=dict)
    code: "Code | None" = None
    stamps: dict[int, StampSpec] = field(default_factory=dict)

    def copy(self, program: Program) -> "Kernel":
        """What was made of rules so far, for a program that has more of them: adding to it leaves this as it is.

        What `finish` and `code_of` make is not there yet. Plans are shared: nothing changes them once they are made.
        """
        return Kernel(
            program,
            tables=[replace(table, alphas=list(table.alphas)) for table in self.tables],
            alphas=list(self.alphas),
            nodes=[_copy_node(node) for node in self.nodes],
            table_ids=dict(self.table_ids),
            slots=dict(self.slots),
            pasts=[replace(past) for past in self.pasts],
            windows=list(self.windows),
            windowed=dict(self.windowed),
            answers=dict(self.answers),
            extras=dict(self.extras),
            expects=dict(self.expects),
            variables=dict(self.variables),
            nets=dict(self.nets),
            stamps={table: replace(stamp, plans=list(stamp.plans)) for table, stamp in self.stamps.items()},
        )


def _copy_node(node: NodeSpec) -> NodeSpec:
    return replace(
        node,
        alphas=set(node.alphas),
        tables=set(node.tables),
        stamped=set(node.stamped),
        inside=set(node.inside),
        plans=list(node.plans),
    )


# ---------------------------------------------------------------- variables of items


def item_vars(item: Item) -> set[str]:
    """Every variable that occurs in an item of a body."""
    if isinstance(item, TableLit):
        return {name for name in item.names if name is not None}
    if isinstance(item, CommitLit):
        return {*variables(item.atom), item.number, item.point}
    if isinstance(item, Fresh):
        return {item.first, *variables(item.literals)}
    if isinstance(item, Window):
        return {item.time, *variables(item.duration)}
    return set(variables(item))


def item_binds(item: Item) -> set[str]:
    """The variables that an item can give values to."""
    if isinstance(item, TableLit):
        return item_vars(item)
    if isinstance(item, CommitLit):
        return {*bound_by_row(item.atom.constraints), item.number, item.point}
    if isinstance(item, Fresh | Window):
        return set()
    return set(binds(item))
