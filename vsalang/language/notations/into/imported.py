"""The result of an import: the module's text, and notes on everything that a person should confirm."""

from collections.abc import Mapping

from vsalang.base.diagnostics import Diagnostic
from vsalang.base.records import dataclass
from vsalang.base.source import Source
from vsalang.language.notations.into.printer import Relation


@dataclass(frozen=True, slots=True)
class Note:
    """One decision of the import that a person should confirm.

    Attributes:
        kind: ``guess`` (the source does not say it), ``renamed``, ``read as`` (another spelling of a type or a key), or
            ``left out``; for clauses also ``open`` (what they do not restrict, and warnings of the checker).
        where: the subject, as a path in the schema such as ``Timer.state``; empty for the whole file.
        text: the decision, for a person.
        line: the line of the schema; 0 for the whole file.
    """

    kind: str
    where: str
    text: str
    line: int = 0


@dataclass(frozen=True, slots=True)
class ImportResult:
    """A finished import.

    Attributes:
        module: the module's name.
        package: the Android package it declares.
        text: the `.vsa` text; it declares no actions (see `vsalang.language.notations.into.actions`).
        declared: the relations that it declares.
        notes: what to confirm, in the order of the schema.
    """

    module: str
    package: str
    text: str
    declared: tuple[Relation, ...]
    notes: tuple[Note, ...]

    @property
    def relations(self) -> int:
        """How many relations it declares."""
        return len(self.declared)


@dataclass(frozen=True, slots=True)
class ImportedSpec:
    """A finished import of clauses.

    Attributes:
        spec: the spec's name.
        instruction: the instruction it states.
        text: the `.vsa` text, which passes the checker.
        clauses: how many clauses it contains.
        left: how many are left out; they are comments, and `diagnostics` say why.
        notes: what to confirm.
        diagnostics: one error for each clause that is not translated.
    """

    spec: str
    instruction: str
    text: str
    clauses: int
    left: int
    notes: tuple[Note, ...]
    diagnostics: tuple[Diagnostic, ...]


class ImportFailed(Exception):
    """The file cannot be imported; `diagnostics` say where and why, all of one stage at once.

    `sources` are their texts, apart from the imported one.
    """

    def __init__(self, diagnostics: list[Diagnostic], sources: Mapping[str, Source] | None = None) -> None:
        super().__init__("; ".join(item.message for item in diagnostics))
        self.diagnostics = diagnostics
        self.sources = dict(sources or {})
