"""What questions to the solver answer. Data only; needs no solver."""

from dataclasses import replace
from typing import Literal, TypeAlias

from vsalang.base.records import dataclass
from vsalang.program.example import Example, ExpectedVerdict
from vsalang.program.example import Level as Verdict
from vsalang.proof.prove.edits import Edit

Outcome: TypeAlias = Literal["equal", "stricter", "looser", "incomparable", "unknown"]


class NotComparable(ValueError):
    """The two modules are not of one kind, or of a kind that decides nothing."""


@dataclass(frozen=True, slots=True)
class ShownDifference:
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

    seen: ShownDifference | None = None
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
        outcomes = {head.outcome for head in self.heads} - {"equal"}
        if not outcomes:
            return "equal"
        if "incomparable" in outcomes or {"stricter", "looser"} <= outcomes:
            return "incomparable"
        return "unknown" if len(outcomes) > 1 else next(iter(outcomes))

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


How: TypeAlias = Literal["always", "sometimes"]


@dataclass(frozen=True, slots=True)
class Conflict:
    """A policy speaks against what a clause permits.

    Attributes:
        clause: the id of the clause of the task.
        rule: the id of the policy's rule.
        level: ``deny``, ``confirm`` or ``warn``.
        how: in every state in which the clause permits something, or in some.
        story: such a state as a test, which was run with the policies in force.
        bound: of ``always``: rows per relation up to which it is so; None: in every state.
    """

    clause: str
    rule: str
    level: str
    how: How
    story: Example
    bound: int | None = None


@dataclass(frozen=True, slots=True)
class Idle:
    """A policy's rule that can never apply while this task is done, and why."""

    rule: str
    why: str


@dataclass(frozen=True, slots=True)
class SkippedRule:
    """A policy's rule that was compared with no clause, and why."""

    rule: str
    why: str


@dataclass(frozen=True, slots=True)
class LoweredLevel:
    """A policy's rule by which the user is asked about what nothing licenses, or the agent warned, instead of a block.

    Attributes:
        action: the qualified name of the action.
        asked: the instances of it, as the rule names them.
        near_actions: of which actions the task must allow one; if not empty, the agent is warned.
    """

    rule: str
    action: str
    asked: str
    near_actions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OpenConflict:
    """What is not known: whether the policy's rule speaks against what the clause permits."""

    clause: str
    rule: str
    why: str


@dataclass(frozen=True, slots=True)
class Probe:
    """A question about one state.

    Attributes:
        sentence: what would happen there, as a question.
        story: the state as a test, which passes.
        rule: the id of the clause that it is about.
        edit: what the clause would have to be like for another answer, in words.
    """

    sentence: str
    story: Example
    rule: str
    edit: str

    @property
    def level(self) -> str:
        """The verdict of the spec as it is."""
        (level,) = self.story.turns[-1].expected.levels
        return level

    def answered(self, yes: bool) -> Example:
        """The test that the answer means: what is so, or that it must not be so (it fails as long as it is)."""
        if yes:
            return self.story
        refused: tuple[Verdict, ...] = ("warn", "confirm", "block")
        allowed: tuple[Verdict, ...] = ("allow",)
        wanted = refused if self.level == "allow" else allowed
        last = replace(self.story.turns[-1], expected=ExpectedVerdict(wanted))
        name = f"not meant: {self.story.name}"
        return replace(self.story, name=name, turns=(*self.story.turns[:-1], last))


@dataclass(frozen=True, slots=True)
class EditTest:
    """A test for an edit."""

    edit: Edit
    story: Example


@dataclass(frozen=True, slots=True)
class UntestedEdit:
    """An edit for which there is no test.

    Attributes:
        open: why it is not known whether there is one; empty: the edit changes nothing that is decided.
        bound: rows per relation up to which it changes nothing; None: in every state.
    """

    edit: Edit
    open: str = ""
    bound: int | None = None
