"""How conditions and their patterns are read, by the rule that they serve (`language.md#operators`)."""

from dataclasses import replace
from typing import Any, TypeVar

from vsalang.base.once import once_each
from vsalang.program import ir
from vsalang.program.walk import rewrite

_Certain = TypeVar("_Certain", ir.Literal, ir.Atom)


def certainly(literal: _Certain) -> _Certain:
    """The literal, or the pattern of a licence, as `allow` and `done` read it."""

    def change(part: Any) -> Any:
        return replace(part, reading="certain") if hasattr(part, "reading") else part

    return rewrite(literal, change)


@once_each
def read_certainly(rule: ir.Rule) -> ir.Rule:
    """A rule that defines a relation, with its patterns as `allow` and `done` read them.

    What a text that hides something matches is not known then. It is the same object if the rule has no patterns.
    """
    body = rewrite(
        rule.body,
        lambda part: (
            replace(part, reading="certain") if isinstance(part, ir.Regex | ir.Words | ir.Names) else part
        ),
    )
    return rule if body is rule.body else replace(rule, body=body)


def adding_duty(literal: ir.Literal, *, holding: bool = True) -> ir.Literal:
    """The literal with its patterns as `deny`, `confirm`, `warn` and `recognize` read them.

    What a pattern adds to or takes away from an aggregate, or from which rows `every` and `first` take theirs, is open:
    there texts are matched as they are.

    Args:
        holding: it adds duty that the literal holds; else that it does not, as of a definition under `not`.
    """
    match literal:
        case ir.Lit():
            return replace(literal, atom=_matching(literal.atom, possible=literal.neg is not holding))
        case ir.Compare():
            return _matching(literal, possible=holding)
        case ir.Then(parts):
            return replace(
                literal,
                parts=tuple(tuple(adding_duty(each, holding=holding) for each in part) for part in parts),
            )
        case _:
            return literal


_Item = TypeVar("_Item", ir.Atom, ir.Compare)


def _matching(item: _Item, *, possible: bool) -> _Item:
    """An item with the reading of its patterns: `possible`, or the other way round where a match is denied."""

    def read(part: Any) -> Any:
        if isinstance(part, ir.Constraint) and isinstance(part.term, ir.Regex | ir.Words | ir.Names):
            return replace(part, term=_read(part.term, part.op, possible))
        if isinstance(part, ir.Compare) and isinstance(part.right, ir.Regex | ir.Words | ir.Names):
            return replace(part, right=_read(part.right, part.op, possible))
        return part

    return rewrite(item, read)


def _read(pattern: ir.Regex | ir.Words | ir.Names, op: str, possible: bool) -> ir.Regex | ir.Words | ir.Names:
    return replace(pattern, reading="possible" if (op in ("matches", "names")) is possible else "narrow")
