"""What an export gives: the text, and what of the program the target has no counterpart for."""

from dataclasses import dataclass

from vsalang.source import Span


@dataclass(frozen=True, slots=True)
class Omission:
    """A rule that the target cannot say, wholly or in part; the text says so in a comment at its place.

    Attributes:
        rule: the rule's id.
        what: the head as people write it, such as ``allow Reserve``.
        reason: what has no counterpart.
        span: the rule's place.
    """

    rule: str
    what: str
    reason: str
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Exported:
    """A finished export.

    Attributes:
        text: the document, ending with a line break.
        rules: how many rules it says in full.
        omissions: the rules that it does not say, or not in full, in the order of the program.
    """

    text: str
    rules: int
    omissions: tuple[Omission, ...] = ()
