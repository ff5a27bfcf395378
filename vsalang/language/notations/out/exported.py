"""The result of an export: the text, and the rules that the target cannot express."""

from vsalang.base.records import dataclass
from vsalang.base.source import Span


@dataclass(frozen=True, slots=True)
class Omission:
    """A rule that the target cannot express, or only in part; the text has a comment in its place.

    Attributes:
        rule: the rule's id.
        what: the head in short, such as ``allow Reserve``.
        reason: what cannot be expressed.
        span: the rule's place.
    """

    rule: str
    what: str
    reason: str
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class ExportResult:
    """A finished export.

    Attributes:
        text: the document, ending with a line break.
        rules: how many rules it expresses completely.
        omissions: the rules that it does not express completely, in the order of the program.
    """

    text: str
    rules: int
    omissions: tuple[Omission, ...] = ()
