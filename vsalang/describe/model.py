"""What a description consists of: sections of entries, each a sentence with its details and its place."""

from dataclasses import dataclass

from vsalang.source import Span


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing said.

    Attributes:
        kind: ``allow``, ``done``, ``deny``, ``confirm``, ``warn``, ``flag``, ``expect``, ``define``, ``screen``,
            ``read``, ``recognize``, ``word`` (what a word means), ``open`` (what is left open),
            ``blocked``, ``free``, ``note``.
        lead: how the sentence begins; the whole of it if there are no details.
        details: the conditions, each a phrase; all must hold.
        rule: the id of the rule it says; empty for what no single rule says.
        span: where the rule stands; None with `rule` empty.
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
        """All of it, definitions excepted, as one text that ends in a period."""
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
    """What was understood of a module.

    Attributes:
        module: its name.
        kind: spec, policy, app or module.
        doc: the instruction, or the description in its first line.
        policies: the names of the policies in force beside it.
    """

    module: str
    kind: str
    doc: str
    policies: tuple[str, ...]
    sections: tuple[Section, ...]
