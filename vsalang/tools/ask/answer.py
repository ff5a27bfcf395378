"""The data of an answer: conditions and clauses of proofs, and of what is missing."""

from collections.abc import Mapping
from dataclasses import field

from vsalang.base.records import dataclass
from vsalang.base.source import Span
from vsalang.engine.explain.finding import State
from vsalang.program.values import Value


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition of a body under a binding.

    Attributes:
        state: ``unknown``: what was seen neither meets nor refutes it.
        text: its source text, with known values put in.
        said: the source of the fact, or why the condition is not met, as text; may be empty.
        fact: the fact that meets it, as source text; empty if there is none.
        span: its place.
        parts: the rules by which a derived fact holds (met: one), or all that could derive it and do not.
    """

    state: State
    text: str
    said: str = ""
    fact: str = ""
    span: Span | None = None
    parts: "tuple[Clause, ...]" = ()


@dataclass(frozen=True, slots=True)
class Clause:
    """A rule's body under the binding by which it holds, or the nearest one.

    Attributes:
        rule: its id.
        text: its head.
        holds: whether all conditions are met.
        binding: the variables that have values.
        conditions: in the order in which they are written.
        span: the place of the rule.
    """

    rule: str
    text: str
    holds: bool
    binding: Mapping[str, Value] = field(default_factory=dict, hash=False)
    conditions: tuple[Condition, ...] = ()
    span: Span | None = None
