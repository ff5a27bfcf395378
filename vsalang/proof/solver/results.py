"""What the analyses answer: findings with witness states, and what was not analysed. Data only; needs no solver."""

import datetime as dt
from collections.abc import Callable, Mapping
from dataclasses import field
from typing import TypeAlias

from vsalang.base.records import dataclass
from vsalang.base.source import Span
from vsalang.program.values import Value

Row: TypeAlias = tuple[Value | None, ...]
"""Cells in the order of the relation's attributes; None is unknown."""


class UnsupportedConstruct(Exception):
    """The encoding has no exact form for a construct; the message names it. The rule is reported as not analysed."""


class Disagreement(Exception):
    """A model of the solver does not hold in the interpreter: one of the two is wrong.

    Attributes:
        world: the model.
        rules: the rules of which they disagree.
    """

    def __init__(self, message: str, world: "World", rules: tuple[str, ...]) -> None:
        super().__init__(message)
        self.world = world
        self.rules = rules


@dataclass(frozen=True, slots=True)
class Commit:
    """A committed instance of an action: its parameters, and how long ago it was."""

    row: Row
    age: dt.timedelta = dt.timedelta(0)


@dataclass(frozen=True, slots=True)
class World:
    """A state: what a model of the solver says, in values of the language.

    Attributes:
        today: the day of the instruction.
        rows: by relation (states, views, lists, observed relations, the proposal).
        before: rows of believed relations before the predicted inputs.
        complete: by relation; a row covers every atom that gives its known cells by ``=``.
        commits: by action.
        spent: actions of which every licence is used up.
        screens: the screens that show (qualified).
        similar: pairs of texts (a text, a constant) with whether they are similar.
        assumed: what the model supposes of things that the solver does not look into (the past, what readers read);
            such a model may be unreachable.
    """

    today: dt.date
    rows: Mapping[str, frozenset[Row]] = field(default_factory=dict)
    before: Mapping[str, frozenset[Row]] = field(default_factory=dict)
    complete: Mapping[str, frozenset[Row]] = field(default_factory=dict)
    commits: Mapping[str, tuple[Commit, ...]] = field(default_factory=dict)
    spent: frozenset[str] = frozenset()
    screens: frozenset[str] = frozenset()
    similar: tuple[tuple[str, str, bool], ...] = ()
    assumed: tuple[str, ...] = ()


Replay: TypeAlias = Callable[[World, tuple[str, ...]], frozenset[str]]
"""Which of the rules hold in the world, by the interpreter: rule ids in, the ids of those that hold out."""


@dataclass(frozen=True, slots=True)
class Clash:
    """A condition that takes part in a contradiction.

    Attributes:
        text: the condition as it is written, or a sentence about it.
        noun: what a sentence about it is called within another sentence; empty where `text` is not a sentence.
    """

    text: str
    span: Span | None = None
    noun: str = ""

    @property
    def display(self) -> str:
        """The condition in backquotes, or the sentence."""
        return self.text if self.noun else f"`{self.text}`"


@dataclass(frozen=True, slots=True)
class Dead:
    """No state makes the rule's body hold.

    Attributes:
        rule: its id.
        clashes: conditions that cannot hold together; leaving out any of them makes the rest possible.
        bound: None if that is so in every state, else: in all states with up to this many rows per relation.
    """

    rule: str
    clashes: tuple[Clash, ...]
    bound: int | None = None


@dataclass(frozen=True, slots=True)
class ForbiddenClause:
    """All that a clause allows is forbidden.

    Attributes:
        rule: the id of the clause.
        denies: the ids of the `deny` rules that do it together; without any of them something would be left.
        bound: None if that is so in every state, else: in all states with up to this many rows per relation.
    """

    rule: str
    denies: tuple[str, ...]
    bound: int | None = None


@dataclass(frozen=True, slots=True)
class ContestedClause:
    """In some states a policy forbids what a clause permits.

    Attributes:
        rule: the id of the clause.
        deny: the id of the policy's rule.
        world: such a state, with the proposal.
    """

    rule: str
    deny: str
    world: World


@dataclass(frozen=True, slots=True)
class CoveredClause:
    """Whatever a clause permits, others permit as well.

    Attributes:
        rule: the id of the clause.
        by: the ids of the others; without any of them the clause would add something.
        bound: None if that is so in every state, else: in all states with up to this many rows per relation.
    """

    rule: str
    by: tuple[str, ...]
    bound: int | None = None


@dataclass(frozen=True, slots=True)
class Early:
    """The task may be finished though nothing was done, and something may still be done.

    Attributes:
        rule: the id of the `done` clause.
        clause: the id of the `allow` that still applies.
        world: such a state, with the proposals of both.
    """

    rule: str
    clause: str
    world: World


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two effects of one step may write two values to one cell; the guard blocks such a step.

    Attributes:
        rule: the id of the first effect.
        other: the id of the second; the same where one effect does it with two bindings.
        attr: the attribute of the cell.
        world: such a state, with the gesture or action.
    """

    rule: str
    other: str
    attr: str
    world: World


@dataclass(frozen=True, slots=True)
class Vacuous:
    """What a contract expects says nothing: it can never be met, or is always met.

    Attributes:
        rule: the id of the contract.
        always: whether it is always met; else never.
        clashes: of what is never met, the conditions that cannot hold together.
        bound: None if that is so in every state, else: in all states with up to this many rows per relation.
    """

    rule: str
    always: bool
    clashes: tuple[Clash, ...] = ()
    bound: int | None = None


@dataclass(frozen=True, slots=True)
class Alive:
    """Some state makes the rule's body hold: `world`, None where the solver's state has no form as values."""

    rule: str
    world: World | None


@dataclass(frozen=True, slots=True)
class BlockedClause:
    """Why a clause cannot apply in a state: a short reason, and where it stands."""

    rule: str
    reason: str
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Missing:
    """A state in which no clause of the spec can apply, whatever the agent does.

    Attributes:
        done: the actions that were committed (qualified names); empty: nothing was done yet.
        world: the state; replayed.
        blocked: for each clause why it cannot apply.
        favourable: relations of which everything was taken to be as the agent needs it.
        bound: rows per relation that were tried.
    """

    done: tuple[str, ...]
    world: World
    blocked: tuple[BlockedClause, ...]
    favourable: tuple[str, ...]
    bound: int


@dataclass(frozen=True, slots=True)
class OpenPoint:
    """No answer. `rule` is a rule id, or empty for the question of missing branches.

    Attributes:
        what: the question.
        reason: ``time``, ``memory`` or ``incomplete`` (the solver gave up), ``unsupported``, or ``assumed``
            (the answer depends on what the solver does not look into).
        detail: which construct, which limit, or the solver's words.
    """

    rule: str
    what: str
    reason: str
    detail: str


Result: TypeAlias = (
    Dead
    | Alive
    | ForbiddenClause
    | ContestedClause
    | Missing
    | CoveredClause
    | Early
    | Conflict
    | Vacuous
    | OpenPoint
)
