"""The data of a description: sections of entries, each a sentence with its details and its place."""

from vsalang.base.records import dataclass
from vsalang.base.source import Span


@dataclass(frozen=True, slots=True)
class Entry:
    """One statement about the module.

    Attributes:
        kind: ``allow``, ``done``, ``deny``, ``confirm``, ``warn``, ``flag``, ``expect``, ``define``, ``screen``,
            ``read``, ``recognize``, ``word`` (the meaning of a word), ``open`` (what is not decided),
            ``blocked``, ``free``, ``note``.
        lead: the beginning of the sentence; all of it if there are no details.
        details: the conditions, each a phrase; all must hold.
        rule: the id of the rule; empty if it is not about a single rule.
        span: the place of the rule; None if `rule` is empty.
        defines: definitions that this is the first entry to use.
    """

    kind: str
    lead: str
    details: tuple[str, ...] = ()
    rule: str = ""
    span: Span | None = None
    defines: "tuple[Entry, ...]" = ()

    @property
    def sentence(self) -> str:
        """The statement as one text that ends with a period, without the definitions."""
        if not self.details:
            return self.lead + "."
        if len(self.details) == 1:
            return f"{self.lead} {self.details[0]}."
        return f"{self.lead}: {'; '.join(self.details[:-1])}; and {self.details[-1]}."


@dataclass(frozen=True, slots=True)
class Section:
    """Entries under one heading."""

    title: str
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Description:
    """The description of a module.

    Attributes:
        module: its name.
        kind: spec, policy, app or module.
        doc: the instruction, or the description in its first line.
        policies: the names of the policies that are also in force.
    """

    module: str
    kind: str
    doc: str
    policies: tuple[str, ...]
    sections: tuple[Section, ...]
