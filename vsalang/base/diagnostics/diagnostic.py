"""The data of a finding: code, severity, place, message, and how to fix it. Renderers are separate."""

from collections.abc import Iterable
from enum import Enum
from typing import TypedDict, Unpack

from vsalang.base.records import dataclass
from vsalang.base.source import Span


class Severity(Enum):
    """The severity of a finding; only errors change an exit status."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


@dataclass(frozen=True, slots=True)
class Label:
    """A further place of a finding, with a text about it."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace the text of `span` by `text`."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """A change that fixes the finding; only offered if it is certain."""

    title: str
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding.

    Attributes:
        code: stable, e.g. ``E0201``; the registry (`vsalang.base.diagnostics.codes`) explains it.
        severity: error, warning or info.
        span: the text that is underlined; ``None`` if the finding has no place (an unreadable file).
        message: one sentence without a period: what is wrong, with names in backquotes.
        label: a few words under the underlined text; may be empty.
        labels: further places.
        help: what to do about it; may be empty.
        fixes: machine-applicable changes.
        file: the file, if there is no span.
    """

    code: str
    severity: Severity
    span: Span | None
    message: str
    label: str = ""
    labels: tuple[Label, ...] = ()
    help: str = ""
    fixes: tuple[Fix, ...] = ()
    file: str = ""

    @property
    def where(self) -> str:
        """The file of the finding."""
        return self.span.file if self.span else self.file


class Details(TypedDict, total=False):
    """The attributes of a `Diagnostic` that not every finding has."""

    label: str
    help: str
    labels: Iterable[Label]
    fixes: Iterable[Fix]
    file: str


def error(code: str, span: Span | None, message: str, **details: Unpack[Details]) -> Diagnostic:
    """A finding that makes a program invalid."""
    return _finding(Severity.ERROR, code, span, message, details)


def warning(code: str, span: Span | None, message: str, **details: Unpack[Details]) -> Diagnostic:
    """A finding that leaves a program valid."""
    return _finding(Severity.WARNING, code, span, message, details)


def info(code: str, span: Span | None, message: str, **details: Unpack[Details]) -> Diagnostic:
    """A finding that tells something to know, and not a mistake."""
    return _finding(Severity.INFO, code, span, message, details)


def _finding(severity: Severity, code: str, span: Span | None, message: str, details: Details) -> Diagnostic:
    return Diagnostic(
        code,
        severity,
        span,
        message,
        details.get("label", ""),
        tuple(details.get("labels", ())),
        details.get("help", ""),
        tuple(details.get("fixes", ())),
        details.get("file", ""),
    )


def has_errors(diagnostics: Iterable[Diagnostic]) -> bool:
    """Whether any of them is an error."""
    return any(item.severity is Severity.ERROR for item in diagnostics)


def in_order(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Sorted by file and place, duplicates dropped."""
    unique = dict.fromkeys(diagnostics)
    return sorted(unique, key=lambda d: (d.where, d.span.start if d.span else -1, d.severity.value, d.code))
