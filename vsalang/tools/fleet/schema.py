"""What a row of the store holds: one record of a journal, and of a proposal all that came of it; with a version."""

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import pyarrow as pa

VERSION: Final = 2
"""The version of the columns. Each change of them raises it; `vsalang.tools.fleet.upgrading` makes the newer ones."""

REASON: Final = {
    "kind": "text",
    "level": "text",
    "rule": "text",
    "module": "text",
    "message": "text",
    "risks": "texts",
    "severity": "text",
    "file": "text",
    "start": "int",
    "end": "int",
}
"""The parts of a reason: `file`, `start` and `end` say where its rule is written."""
CONTRACT: Final = {"rule": "text", "outcome": "text", "message": "text", "actions": "texts"}
"""The parts of a contract: what an `expect` rule came to after the action."""
COLUMNS: Final = {
    # of every record
    "tenant": "text",
    "session": "text",
    "head": "text",
    "device": "text",
    "lines": "int",
    "number": "int",
    "kind": "text",
    "written": "time",
    "hash": "text",
    "line": "long text",
    "cut": "int",
    "sources": "long text",
    # of the first record
    "spec": "text",
    "program": "text",
    "mode": "text",
    "completed": "bool",
    "ended": "bool",
    "redacted": "bool",
    # of a proposal
    "step": "int",
    "level": "text",
    "overridden": "bool",
    "proposal": "text",
    "note": "text",
    "gesture": "text",
    "actions": "texts",
    "package": "text",
    "app_version": "text",
    "module_version": "text",
    "screen": "text",
    "shown": "texts",
    "after": "text",
    "after_shown": "texts",
    "answer": "bool",
    "answered_by": "text",
    "refused": "text",
    "committed": "bool",
    "delivered": "bool",
    "problem": "text",
    "contracts": "contracts",
    # of a proposal, and of an observation: what holds although it is too late to prevent anything
    "reasons": "reasons",
}
"""The columns, in order, and what they hold; docs/reference/fleet.md says what each means."""
SCHEMA_KEY: Final = b"vsalang.fleet"
"""Under which a file of the store says the version of its columns."""


class StoreError(Exception):
    """A store cannot be read or written; the message names the place, `hint` the remedy."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


def schema() -> "pa.Schema":
    """The columns for Arrow, with the version among the metadata."""
    import pyarrow as pa

    def record(parts: dict[str, str]) -> Any:
        return pa.list_(pa.struct([pa.field(name, kinds[kind]) for name, kind in parts.items()]))

    kinds: dict[str, Any] = {
        "text": pa.string(),
        "long text": pa.large_string(),
        "texts": pa.list_(pa.string()),
        "int": pa.int64(),
        "bool": pa.bool_(),
        "time": pa.timestamp("ms", tz="UTC"),
    }
    kinds |= {"reasons": record(REASON), "contracts": record(CONTRACT)}
    fields = [pa.field(name, kinds[kind]) for name, kind in COLUMNS.items()]
    return pa.schema(fields, metadata={SCHEMA_KEY: str(VERSION).encode()})
