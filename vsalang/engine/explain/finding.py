"""What keeps conditions from holding, as data. Who tells it finds the words: the guard for agents, `ask` for people."""

from collections.abc import Mapping
from dataclasses import field, replace
from typing import Literal as OneOf
from typing import TypeAlias

from vsalang.base.records import dataclass
from vsalang.engine.api import Row
from vsalang.engine.explain.match import Failure, Match
from vsalang.engine.explain.terms import Binding, Context, value_of
from vsalang.program.ir import Constraint, Derive, Literal, Rule, Var
from vsalang.program.values import Value, same
from vsalang.program.walk import needed

State: TypeAlias = OneOf["met", "unmet", "unknown"]

Kind: TypeAlias = OneOf[
    "cell",  # a cell of the nearest row does not fit
    "screen",  # the screen does not show
    "absent",  # there is no such row; `seen` says how that is known
    "underived",  # no rule derives such a row
    "present",  # a row is there that must not be
    "rows",  # rows that a condition on all rows asks about are missing or were not seen
    "place",  # the row is below the first ones of a list
    "gap",  # it is not known which rows are the first ones of a list
    "head",  # a rule derives another value
    "comparison",
    "aggregate",
    "often",  # an action was not done as often as it is allowed
    "past",  # the past, of which the facts of one moment say nothing
    "order",  # the order of conditions in time, likewise
    "never",  # the engine was asked about the past: it was not so (under `not`: it was so)
    "unproven",  # nothing more can be said
]

Seen: TypeAlias = OneOf[
    "", "no_row", "not_seen", "not_done", "not_all", "somewhere", "gap", "no_position", "not_holding"
]
"""What was seen of the rows."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that keeps a condition from holding.

    Attributes:
        state: ``unknown``: what was seen neither meets nor refutes the condition.
        literal: the condition; of a `head` None.
        binding: the variables that had values there.
        row: the row that was looked at.
        failure: of a `cell`: the constraint that it does not fit.
        seen: what was seen of the rows.
        place: the position in a list that a `place` or `gap` is about.
        value: of a `head`, a `comparison` (its left side) or an `aggregate`: the value found.
        other: of a `head` or `comparison`: the value that it is compared with.
        unread: of an `aggregate`: rows of which not all cells that matter were read.
        constraint: of a `head`: the constraint that gives the value.
        rule: of a `head`: the rule.
        incomplete: it fails only for rows that may exist unseen.
        known: of an `absent` action that was carried out and does not count as done: what is known of it, in words.
    """

    kind: Kind
    state: State
    literal: Literal | None = None
    binding: Binding = field(default_factory=dict)
    row: Row | None = None
    failure: Failure | None = None
    seen: Seen = ""
    place: int = 0
    value: Value | None = None
    other: Value | None = None
    unread: tuple[Match, ...] = ()
    constraint: Constraint | None = None
    rule: Rule | None = None
    incomplete: bool = False
    known: str = ""

    @property
    def untold(self) -> bool:
        """Whether the facts of one moment cannot tell whether the condition holds."""
        return self.kind in ("past", "order")

    def doubtful(self) -> "Finding":
        """The same, neither met nor refuted."""
        return replace(self, state="unknown")


def cells(literal: Literal, match: Match) -> tuple[Finding, ...]:
    """What a row lacks."""
    return tuple(
        Finding(
            "cell",
            "unknown" if failure.cell is None else "unmet",
            literal,
            match.binding,
            match.row,
            failure,
        )
        for failure in match.failures
    )


def head_binding(
    rule: Rule, wanted: Mapping[str, Value], context: Context
) -> tuple[dict[str, Value], tuple[Finding, ...]]:
    """The variables that get values where a rule is to derive a row with these cells, and the cells that it cannot."""
    assert isinstance(rule.head, Derive)
    binding: dict[str, Value] = {}
    clashes: list[Finding] = []
    for constraint in rule.head.atom.constraints:
        value = wanted.get(constraint.attr)
        if value is None or constraint.term is None:
            continue
        if isinstance(constraint.term, Var):
            own: Value | None = binding.setdefault(constraint.term.name, value)
        elif not needed(constraint.term):
            own = value_of(constraint.term, {}, context)
        else:
            continue
        if not same(own, value):
            clashes.append(Finding("head", "unmet", value=own, other=value, constraint=constraint, rule=rule))
    return binding, tuple(clashes)
