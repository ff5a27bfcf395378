"""The steps of a planned body: each makes a list of bindings (tuples over a layout) into another.

They are data: `vsalang.engine.run.steps` runs them, the code generator writes code for them, and the pyDatalog back end
makes clauses of them. Plans are shared by sessions.
"""

from collections.abc import Callable, Iterable
from typing import Any, Final, Protocol, TypeAlias

from vsalang.base.records import dataclass
from vsalang.engine.terms import Getter, Test, Tuple
from vsalang.program.ir import Compare, Constraint, Term

ROW: Final = "#row"
"""The name of the column of an alpha memory that holds the whole row."""


@dataclass(frozen=True, slots=True)
class Join:
    """Extends bindings by the tuples of an alpha memory that agree with them.

    Attributes:
        key: positions in the binding that must equal the columns `columns` of the tuple.
        new: columns of the tuple that are appended.
        delta: read the tuples that are new in this round of a fixpoint instead of the alpha memory.
        names: the variables that its columns hold.
    """

    alpha: int
    key: tuple[int, ...] = ()
    columns: tuple[int, ...] = ()
    new: tuple[int, ...] = ()
    delta: bool = False
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Anti:
    """Keeps the bindings with which no tuple of an alpha memory agrees (plain negation).

    Attributes:
        key, columns, names: as in `Join`.
        tests: of the binding with the tuple appended; all must be true for the tuple to count.
    """

    alpha: int
    key: tuple[int, ...]
    columns: tuple[int, ...]
    tests: tuple[Test, ...] = ()
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Filter:
    """Keeps the bindings that pass a test.

    Attributes:
        source: what is tested, for the code generator: a comparison, or the name of a cell and its constraint; None
            for tests of windows.
    """

    test: Test
    source: Compare | tuple[str, Constraint] | None = None


@dataclass(frozen=True, slots=True)
class Bind:
    """Appends the value of a term, and drops the binding where it is undefined. `source`: the name and the term."""

    get: Getter
    source: tuple[str, Term]


@dataclass(frozen=True, slots=True)
class Enumerate:
    """Appends each of the values of a choice. `source`: the name and the choice."""

    get: Getter
    source: tuple[str, Term]


@dataclass(frozen=True, slots=True)
class Captures:
    """Appends what the groups of ``?x matches /../`` captured."""

    groups: Callable[[Tuple, Any], dict[str, Any] | None]
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Project:
    """Keeps some positions of the bindings, each result once."""

    keep: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class AtPoint:
    """Keeps the bindings whose commit, at position `index`, is of a recorded history point.

    Attributes:
        here: of the point that is being recorded.
    """

    index: int
    here: bool


@dataclass(frozen=True, slots=True)
class Tally:
    """Appends how many rows of a table match an atom whose other variables are bound. Generated code only.

    Attributes:
        table: its rows are looked up by the cell of the first variable.
        shape: what a row must fulfil, and the cells of the variables (`vsalang.engine.plan.AlphaShape`).
        names: the variables.
        name: of the number.
        delta: begin with the rows that were inserted and deleted: for each binding of the variables the number of
            before and that of now.
    """

    table: int
    shape: Any
    names: tuple[str, ...]
    name: str
    delta: bool = False


class Goal(Protocol):
    """What is asked once for each binding: an aggregate, ``every``, ``first``, a certain negation, ..."""

    def __call__(self, state: Any, env: dict[str, Any]) -> Iterable[Tuple]:
        """The values of the goal's new variables, for each way in which it holds under the bindings `env`."""
        ...


@dataclass(frozen=True, slots=True)
class Ask:
    """Asks a goal and appends the values of its new variables.

    Attributes:
        names: the variables that are passed to it, with their positions in the binding.
        width: how many new variables it has.
    """

    names: tuple[tuple[str, int], ...]
    goal: Goal
    width: int


Step: TypeAlias = Join | Anti | Filter | Bind | Enumerate | Captures | Project | AtPoint | Tally | Ask


@dataclass(slots=True)
class Body:
    """A planned body: steps from one empty binding to bindings over `layout`.

    `required` are the alpha memories without a tuple of which there is no binding.
    """

    steps: list[Step]
    layout: tuple[str, ...]
    required: tuple[int, ...] = ()
