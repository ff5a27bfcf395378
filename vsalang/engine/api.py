"""What every evaluator can do: hold the base rows of one moment, answer rules, keep the past, and roll back.

An *input* is a set of rows that the caller assigns (`Input`). Rows are tuples over a relation's attributes in declared
order; ``None`` in a row is unknown. Inputs, as `Input.read` reads them:

=====================  ======================================================================================
``R``                  the rows of relation R now (state, view, list, observed, gesture, action)
``before R``           the rows of a believed relation before the predicted inputs
``complete R``         what is known to be complete: rows over R's attributes in which only the given values are
                       known; an atom is covered when every known cell of such a row is given by it with ``=``
``given S``            ``()`` if screen S is known to show although no rule says so (tests, devices)
``commits A``          the committed instances of action A (see `Commit`), taken back by assigning without them
``timestamps R``           for each row of R the history points at which its cells were last written (see `TimedRow`)
``seen R``             for each row of a list R the history point at which it was last seen, as the one point of a
                       `TimedRow`: a row without position stands where no row was seen with it or after it; one that
                       is not in the input may stand anywhere, and keeps no other away
``spent A``            ``()`` when every licence of action A is used up (what ``all A`` asks)
=====================  ======================================================================================

Assigning an input that the program never reads costs nothing.
"""

import datetime as dt
from collections.abc import Iterable, Mapping
from typing import Final, Literal, NamedTuple, Protocol, TypeAlias

from vsalang.base.records import dataclass
from vsalang.program.ir import Program
from vsalang.program.similarity import Similarity
from vsalang.program.values import Value

Cell: TypeAlias = Value | None
Row: TypeAlias = tuple[Cell, ...]

Reading: TypeAlias = Literal["plain", "certain", "possible"]
"""How a relation or a body is read: what is known; what is true whatever was not seen; what cannot be ruled out."""


class EngineError(Exception):
    """The engine cannot answer: a budget is exhausted or an internal fault. The guard blocks."""


class BudgetExceeded(EngineError):
    """A bound on rows, bindings, derivation steps or time was reached."""


InputKind: TypeAlias = Literal[
    "rows", "before", "complete", "shown", "commits", "timestamps", "last_seen", "exhausted"
]

_WORDS: Final[dict[InputKind, str]] = {
    "before": "before",
    "complete": "complete",
    "shown": "given",
    "commits": "commits",
    "timestamps": "timestamps",
    "last_seen": "seen",
    "exhausted": "spent",
}
_KINDS: Final = {word: kind for kind, word in _WORDS.items()}


class Input(NamedTuple):
    """An input relation: a set of rows that the caller assigns.

    Attributes:
        relation: of the program.
        kind: what the rows say of it: ``rows`` are its rows now; for the others see the table above, in its order.
    """

    relation: str
    kind: InputKind = "rows"

    @classmethod
    def read(cls, text: str) -> "Input":
        """The input of a text: a relation's name, or one of the words of the table above and a relation's name."""
        word, _, relation = text.partition(" ")
        kind = _KINDS.get(word)
        return cls(text) if kind is None or not relation else cls(relation, kind)

    def __str__(self) -> str:
        return self.relation if self.kind == "rows" else f"{_WORDS[self.kind]} {self.relation}"


@dataclass(frozen=True, slots=True)
class Commit:
    """One committed instance of a critical action: a row of the input ``commits A``.

    Attributes:
        number: counts the session's commits from 1.
        point: the history point at which it was committed.
        row: the instance.
    """

    number: int
    point: int
    row: Row


@dataclass(frozen=True, slots=True)
class TimedRow:
    """A row with the history point at which each cell was last written (0 for unknown cells)."""

    row: Row
    points: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Budget:
    """Bounds on one session; what goes beyond raises `BudgetExceeded`.

    Attributes:
        rows: of one relation, base or derived.
        bindings: of one past-time table.
        steps: elementary derivation steps between two assignments.
        seconds: of one call; looked at every few hundred steps, so one long step is not cut short. None: no bound.
    """

    rows: int = 200_000
    bindings: int = 10_000
    steps: int = 5_000_000
    seconds: float | None = 30.0


@dataclass(frozen=True, slots=True)
class Answer:
    """One way in which a rule's body holds.

    Attributes:
        values: of the rule's answer variables (`Evaluator.variables`), in that order.
        instance: of a License rule, the row of the action its head pattern matched; else ``()``.
    """

    values: Row
    instance: Row = ()


class Answering(Protocol):
    """What can be asked of the moment that an evaluator holds."""

    def variables(self, rule: str) -> tuple[str, ...]:
        """The names of the rule's answer variables: those of its head, of its message, and of an expectation's
        literals, sorted."""
        ...

    def answers(self, rule: str) -> frozenset[Answer]:
        """Every way in which the body of the rule of that id holds now (head pattern included for License).

        Of `recognize`: the body before ``with``, see `extra_answers`.
        """
        ...

    def extra_answers(self, rule: str) -> frozenset[Answer]:
        """Of `recognize`: every way in which the body holds together with the conditions after ``with``.

        Conditions there that share variables which the body does not bind are one source of parameters. Each source is
        read for itself: one that does not hold leaves the variables that it binds without a value (None) and the others
        as they are. Conditions that give no parameter a value must hold for all of them.
        """
        ...

    def expected(self, rule: str, answer: Answer) -> bool:
        """Of `expect`: whether the expected literals hold now under an earlier answer of its body."""
        ...

    def witness(self, rule: str, answer: Answer) -> Mapping[str, Value] | None:
        """Of a judging rule or a licence: one way in which its body holds now, as a binding of its variables.

        Variables that stand in one condition only may be missing.

        Args:
            rule: its id.
            answer: of the rule; the binding agrees with it.

        Returns:
            None: the body does not hold so.
        """
        ...

    def rows(self, relation: str) -> frozenset[Row]:
        """The rows of a base or derived relation now, plainly read."""
        ...


class Evaluator(Answering, Protocol):
    """One session's engine. Not safe for use from several threads at once; sessions share nothing but the program.

    Rules are read as `guard.md#moments` says; the caller brings about the moment by assigning inputs. The rows
    and answers are those of the program's least model for the assigned inputs.
    """

    program: Program

    def assign(
        self, relation: Input | str, rows: "Iterable[Row] | Iterable[Commit] | Iterable[TimedRow]"
    ) -> None:
        """Replace the rows of an input (a text is read by `Input.read`). Raises `BudgetExceeded`."""
        ...

    def now(self, moment: dt.datetime, timeline: dt.datetime | None = None) -> None:
        """Set the time.

        Args:
            moment: the device's clock (naive local time), which readers of dates use. It jumps when it is set, or with
                the time zone. The relation ``Clock`` is an input like others and assigned by the caller.
            timeline: the time as durations measure it: ``within`` and ``for`` read it, and nothing else does
                (naive; only differences count). None: the device's clock is taken for it too.
        """
        ...

    def point(self, number: int) -> None:
        """Make the moment that is now assigned the history point of that number (points count from 1).

        Updates every past-time table from the current inputs and clock; a point includes itself.
        """
        ...

    def savepoint(self) -> int:
        """Begin a tentative change. Savepoints nest."""
        ...

    def rollback(self, savepoint: int) -> None:
        """Undo every assignment since the savepoint (the clock too)."""
        ...


class Opens(Protocol):
    """A function that opens a session of an evaluator; see `vsalang.engine.open_session`."""

    def __call__(
        self, program: Program, /, *, today: dt.date, similarity: Similarity | None, budget: Budget
    ) -> Evaluator:
        """A new session.

        Raises:
            EngineError: the program cannot be evaluated.
        """
        ...
