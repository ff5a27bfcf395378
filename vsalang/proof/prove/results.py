"""What the comparison of two programs answers. Data only; needs no solver."""

from typing import Literal, TypeAlias

from vsalang.base.records import dataclass
from vsalang.program.example import Example

Outcome: TypeAlias = Literal["equal", "stricter", "looser", "incomparable", "unknown"]


class NotComparable(ValueError):
    """The two modules are not of one kind, or of a kind that decides nothing."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A difference that guards showed.

    Attributes:
        rule: the id of the clause of the one side that no clause of the other makes up for.
        story: ends with the proposal, and the verdict of the side that has the clause.
        here: that verdict.
        there: the verdict of the other side.
    """

    rule: str
    story: Example
    here: str
    there: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What is known of one clause against the other side.

    Attributes:
        seen: the difference, None if there is none or none was found.
        open: why it is not known whether there is one; empty if it is known.
        bound: rows per relation up to which there is none; None: in every state.
    """

    seen: Seen | None = None
    open: str = ""
    bound: int | None = None


@dataclass(frozen=True, slots=True)
class Difference:
    """A state in which the two sides decide differently.

    Attributes:
        rule: the id of the clause that makes it.
        of_new: whether that is a clause of the new side.
        old: what the old side says of the proposal.
        new: what the new side says.
        story: the state as a test that ends with the proposal; it expects what `old` says.
        about: what is proposed, as it is written.
    """

    rule: str
    of_new: bool
    old: str
    new: str
    story: Example
    about: str


@dataclass(frozen=True, slots=True)
class Open:
    """What could not be decided: of which clause, and why. `rule` is empty where it is about the whole head."""

    rule: str
    why: str


@dataclass(frozen=True, slots=True)
class Head:
    """The result for one head.

    Attributes:
        name: ``allow Reserve``, ``done``, ``deny``, ``expect``.
        outcome: the new side is this, against the old.
        differences: tests that show it.
        bound: rows per relation up to which nothing else differs; None: in every state.
        open: what could not be decided.
    """

    name: str
    outcome: Outcome
    differences: tuple[Difference, ...] = ()
    bound: int | None = None
    open: tuple[Open, ...] = ()


@dataclass(frozen=True, slots=True)
class Diff:
    """The results for all heads."""

    heads: tuple[Head, ...]

    @property
    def outcome(self) -> Outcome:
        """All heads together."""
        found = {head.outcome for head in self.heads} - {"equal"}
        if not found:
            return "equal"
        if "incomparable" in found or {"stricter", "looser"} <= found:
            return "incomparable"
        return "unknown" if len(found) > 1 else next(iter(found))

    @property
    def differences(self) -> tuple[Difference, ...]:
        """The differences of all heads."""
        return tuple(item for head in self.heads for item in head.differences)

    @property
    def bound(self) -> int | None:
        """The least bound of all heads; None: what is said holds in every state."""
        return min((head.bound for head in self.heads if head.bound is not None), default=None)


@dataclass(frozen=True, slots=True)
class Equivalence:
    """Whether two programs decide alike.

    Attributes:
        word: ``equal``, ``stricter`` or ``looser`` (the second against the first), ``differs``, or ``unknown``.
        witness: a difference, if one was found.
        bound: rows per relation up to which the word holds; None: in every state.
    """

    word: Literal["equal", "stricter", "looser", "differs", "unknown"]
    witness: Difference | None = None
    bound: int | None = None
