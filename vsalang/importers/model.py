"""What an import gives: the module's text, and notes on everything a person should confirm."""

from dataclasses import dataclass

from vsalang.diagnostics import Diagnostic


@dataclass(frozen=True, slots=True)
class Note:
    """One decision that the source did not make, or made in other words.

    Attributes:
        kind: ``guess`` (nothing said so), ``renamed``, ``read as`` (another spelling of a type or a key), or
            ``left out``.
        where: what it is about, as a path in the schema such as ``Timer.state``; empty for the whole file.
        text: the decision, for a person.
        line: the line of the schema; 0 for the whole file.
    """

    kind: str
    where: str
    text: str
    line: int = 0


@dataclass(frozen=True, slots=True)
class Imported:
    """A finished import.

    Attributes:
        module: the module's name.
        package: the Android package it declares.
        text: the `.vsa` text.
        relations: how many relations it declares.
        notes: what to confirm, in the order of the schema.
    """

    module: str
    package: str
    text: str
    relations: int
    notes: tuple[Note, ...]


class ImportFailed(Exception):
    """The file cannot be imported; `diagnostics` say where and why, all of one stage at once."""

    def __init__(self, diagnostics: list[Diagnostic]) -> None:
        super().__init__("; ".join(item.message for item in diagnostics))
        self.diagnostics = diagnostics
