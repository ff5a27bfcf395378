"""Problems of an attempt, in a form for both models and people."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal as OneOf

from vsalang.base.diagnostics import Diagnostic, terminal
from vsalang.base.records import dataclass
from vsalang.base.source import Source

Kind = OneOf["answer", "authority", "checker", "test"]


class Unusable(Exception):
    """Files or texts cannot be used.

    Attributes:
        hint: what may help; may be empty.
        diagnostics: findings in them, if they are the reason.
        sources: the texts of the findings.
    """

    def __init__(
        self,
        message: str,
        hint: str = "",
        diagnostics: Sequence[Diagnostic] = (),
        sources: Mapping[str, Source] | None = None,
    ) -> None:
        super().__init__(message)
        self.hint = hint
        self.diagnostics = tuple(diagnostics)
        self.sources = sources or {}


@dataclass(frozen=True, slots=True)
class Problem:
    """One reason why an attempt is not accepted.

    Attributes:
        kind: ``answer`` (no usable text in it), ``authority`` (it is not a spec, or imports what was not given),
            ``checker`` (a finding of ``vsac check``), ``test`` (a test of its own fails).
        code: the finding's code; empty for other kinds.
        message: one sentence.
        text: the complete text, with the excerpt and the remedy; may have several lines, no colours.
        line: the line of the attempt, from 1; None if it is not about a line.
    """

    kind: Kind
    code: str
    message: str
    text: str
    line: int | None = None

    @classmethod
    def of(cls, kind: Kind, message: str, help: str = "") -> "Problem":
        """A problem without a place in the text."""
        return cls(kind, "", message, f"error: {message}" + (f"\n  = help: {help}" if help else ""))


def from_diagnostics(diagnostics: Iterable[Diagnostic], sources: Mapping[str, Source]) -> tuple[Problem, ...]:
    """Findings of the checker as problems, each rendered as for people."""
    return tuple(_from_diagnostic(item, sources) for item in diagnostics)


def _from_diagnostic(item: Diagnostic, sources: Mapping[str, Source]) -> Problem:
    # without the line that counts the findings, since each is rendered alone
    text = terminal.render([item], sources, color=False, counted=False).rstrip()
    source = sources.get(item.span.file) if item.span else None
    line = source.position(item.span.start).line if source and item.span else None
    return Problem("checker", item.code, item.message, text, line)
