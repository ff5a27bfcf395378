"""What an answer is made of: rows, proofs of them, and what is missing where there are none."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from vsalang.core.values import Value
from vsalang.explain.finding import State
from vsalang.source import Span


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition of a body under a binding.

    Attributes:
        state: ``unknown``: what was seen neither meets nor refutes it.
        text: as it stands in the program, with the values that are known put in.
        said: what was found, in words: where a fact is from, or why the condition is not met. May be empty.
        fact: the fact that meets it, as it stands in a program; empty if none does.
        span: where it stands.
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
    """A rule's body under the binding by which it holds, or the one that comes nearest to that.

    Attributes:
        rule: its id.
        text: its head.
        holds: whether all conditions are met.
        binding: the variables that have values.
        conditions: in the order in which they are written.
        span: where the rule stands.
    """

    rule: str
    text: str
    holds: bool
    binding: Mapping[str, Value] = field(default_factory=dict, hash=False)
    conditions: tuple[Condition, ...] = ()
    span: Span | None = None
