"""What a body may hold besides the literals of a program: what the compiler puts in the place of past literals."""

from typing import Literal, TypeAlias

from vsalang.base.records import dataclass
from vsalang.engine.api import Reading
from vsalang.engine.plan import Ref
from vsalang.program.ir import Atom, Term
from vsalang.program.ir import Literal as BodyLiteral
from vsalang.program.walk import binds, bound_by_row, variables


@dataclass(frozen=True, slots=True)
class TableLit:
    """A positive literal on a history relation: its columns are variables (None: not asked for)."""

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
    """The last part of a `then`: its evidence is younger than the point in the variable `first`."""

    first: str
    literals: tuple[BodyLiteral, ...]
    reading: Reading


@dataclass(frozen=True, slots=True)
class WindowTest:
    """``within`` and ``for``: compares the time in a variable with the timeline."""

    op: Literal["within", "for"]
    time: str
    duration: Term


@dataclass(frozen=True, slots=True)
class RowCount:
    """How many rows match an atom is the number `name`; `group` are the variables by which they are counted."""

    atom: Atom
    group: tuple[str, ...]
    name: str


Item: TypeAlias = BodyLiteral | TableLit | CommitLit | Fresh | WindowTest | RowCount


def item_vars(item: Item) -> set[str]:
    """Every variable that occurs in an item of a body."""
    if isinstance(item, TableLit):
        return {name for name in item.names if name is not None}
    if isinstance(item, CommitLit):
        return {*variables(item.atom), item.number, item.point}
    if isinstance(item, Fresh):
        return {item.first, *variables(item.literals)}
    if isinstance(item, WindowTest):
        return {item.time, *variables(item.duration)}
    if isinstance(item, RowCount):
        return {*item.group, item.name}
    return set(variables(item))


def item_binds(item: Item) -> set[str]:
    """The variables that an item can give values to."""
    if isinstance(item, TableLit):
        return item_vars(item)
    if isinstance(item, CommitLit):
        return {*bound_by_row(item.atom.constraints), item.number, item.point}
    if isinstance(item, Fresh | WindowTest):
        return set()
    if isinstance(item, RowCount):
        return {item.name}
    return set(binds(item))
