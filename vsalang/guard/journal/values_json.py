"""Values, actions, proposals and observations as JSON data, and back: exactly, types and all."""

import contextlib
import datetime as dt
from collections.abc import Iterator, Mapping
from typing import Any, Final

from vsalang.guard import KnownWorld, Proposal
from vsalang.guard.journal.file import JournalError
from vsalang.guard.world.beliefs import CellWrite, RowDelete
from vsalang.guard.world.clock import Times
from vsalang.guard.world.observing import Touched
from vsalang.program.action import Action
from vsalang.program.codec import NoSuchKind, read, value_document
from vsalang.program.example import Fact
from vsalang.program.text import line
from vsalang.program.values import Value, without_unknown

_KINDS: Final = frozenset({"number", "date", "time", "seconds", "microseconds", "set", "none"})
"""The kinds of values that a record shows by their kind; JSON has its own form of the others."""


def value_json(value: Value | None) -> Any:
    """A value: texts, integers and truth values as such, unknown as null, others as ``{type: text}``.

    Raises:
        JournalError: it is not a value of the language.
    """
    if value is None or isinstance(value, bool | str | int):
        return value
    try:
        return value_document(value)
    except ValueError as error:
        raise JournalError(str(error)) from error


def read_value(data: Any) -> Value | None:
    """The value that `value_json` wrote.

    Raises:
        JournalError: it is none.
    """
    if data is None or isinstance(data, bool | str | int):
        return data
    try:
        return read(data, _KINDS)
    except NoSuchKind as error:
        raise JournalError(f"not a value of the language: {str(data)[:80]}") from error
    except (ValueError, ArithmeticError) as error:
        ((kind, inner),) = data.items()
        raise JournalError(f"not a value of the language: {kind} {str(inner)[:80]}") from error


def cells_json(cells: Mapping[str, Any]) -> dict[str, Any]:
    """A row as attribute -> value."""
    return {name: value_json(value) for name, value in cells.items()}


def read_cells(data: Any) -> dict[str, Value | None]:
    """The row that `cells_json` wrote."""
    return {name: read_value(value) for name, value in want(data, dict, "a row").items()}


def action_json(action: Action) -> dict[str, Any]:
    """An action: its name and arguments."""
    return {"action": action.name, "args": cells_json(action.args)}


def read_action(data: Any) -> Action:
    """The action that `action_json` wrote."""
    data = want(data, dict, "an action")
    return Action(
        want(data.get("action"), str, "an action"), without_unknown(read_cells(data.get("args")).items())
    )


def proposal_json(proposal: Proposal) -> dict[str, Any]:
    """A proposal; its empty parts are left out."""
    parts: dict[str, Any] = {
        "attempts": [action_json(action) for action in proposal.attempts],
        "claims": [action_json(action) for action in proposal.claims],
        "writes": [_fact_json(fact) for fact in proposal.writes],
        "deletes": [_fact_json(fact) for fact in proposal.deletes],
    }
    data = {name: items for name, items in parts.items() if items}
    return {"gesture": action_json(proposal.gesture), **data} if proposal.gesture else data


def read_proposal(data: Any) -> Proposal:
    """The proposal that `proposal_json` wrote."""
    data = want(data, dict, "a proposal")
    return Proposal(
        read_action(data["gesture"]) if "gesture" in data else None,
        tuple(map(read_action, want(data.get("attempts", []), list, "actions"))),
        tuple(map(read_action, want(data.get("claims", []), list, "actions"))),
        tuple(map(_read_fact, want(data.get("writes", []), list, "facts"))),
        tuple(map(_read_fact, want(data.get("deletes", []), list, "facts"))),
    )


def _fact_json(fact: Fact) -> dict[str, Any]:
    data = {"relation": fact.relation, "cells": cells_json(fact.cells)}
    return {**data, "keep": True} if fact.keep else data


def _read_fact(data: Any) -> Fact:
    data = want(data, dict, "a fact")
    return Fact(
        want(data.get("relation"), str, "a relation"),
        read_cells(data.get("cells")),
        keep=want(data.get("keep", False), bool, "keep"),
    )


def seen_json(seen: KnownWorld | None) -> dict[str, Any] | None:
    """What was known in addition to the screen."""
    if seen is None:
        return None
    return {
        "writes": [
            {
                "relation": w.relation,
                "cells": cells_json(w.cells),
                "keep": w.keep,
                "row": w.row,
                "rule": w.rule,
            }
            for w in seen.writes
        ],
        "gone": [{"relation": d.relation, "cells": cells_json(d.pattern), "rule": d.rule} for d in seen.gone],
        "complete": [{"relation": name, "cells": cells_json(cells)} for name, cells in seen.complete],
        "screens": None if seen.screens is None else sorted(seen.screens),
        "rules": seen.rules,
        **({"while_shown": True} if seen.while_shown else {}),
        **({"touched": seen.touched} if seen.touched else {}),
    }


def _read_touched(data: Any) -> Touched:
    if data not in ("", "gone", "moved"):
        raise JournalError("a record does not say what the look after a touch showed")
    return data  # type: ignore[no-any-return]


def read_seen(data: Any) -> KnownWorld | None:
    """What `seen_json` wrote."""
    if data is None:
        return None
    data = want(data, dict, "an observation")
    try:
        return KnownWorld(
            tuple(
                CellWrite(
                    w["relation"], read_cells(w["cells"]), want(w["keep"], bool, "keep"), w["row"], w["rule"]
                )
                for w in data["writes"]
            ),
            tuple(RowDelete(d["relation"], read_cells(d["cells"]), d["rule"]) for d in data["gone"]),
            tuple((c["relation"], without_unknown(read_cells(c["cells"]).items())) for c in data["complete"]),
            None if data["screens"] is None else frozenset(data["screens"]),
            want(data["rules"], bool, "rules"),
            want(data.get("while_shown", False), bool, "while_shown"),
            _read_touched(data.get("touched", "")),
        )
    except MISSHAPEN as error:
        raise JournalError("an invalid observation") from error


MISSHAPEN: Final = (
    ArithmeticError,
    AttributeError,
    IndexError,
    KeyError,
    RecursionError,
    TypeError,
    ValueError,
)
"""What reading raises where a record is not shaped as the recorder shapes it: the chain does not say who wrote it."""


@contextlib.contextmanager
def understood(path: str) -> Iterator[None]:
    """Read records of a journal, whose chain may be right and whose contents may be anything.

    Raises:
        JournalError: they are not what the recorder writes.
    """
    try:
        yield
    except JournalError:
        raise
    except MISSHAPEN as error:
        raise JournalError(
            f"{path}: a record holds what vsac never writes ({type(error).__name__}: {line(str(error), 100)})"
        ) from error


def want(data: Any, kind: type, what: str) -> Any:
    """The data, if it is of that kind.

    Raises:
        JournalError: it is not.
    """
    if not isinstance(data, kind) or (kind is int and isinstance(data, bool)):
        raise JournalError(f"{what} is not of type {kind.__name__}")
    return data


def read_delivered(data: Mapping[str, Any]) -> bool | None:
    """What a record says of a delivery; None: not known. Raises `JournalError` where it says something else."""
    delivered = data["delivered"]
    if delivered is not None and not isinstance(delivered, bool):
        raise JournalError("delivered is neither true nor false nor null")
    return delivered


def times_json(times: Times) -> dict[str, str]:
    """What the clocks of a session say, as a record has it: a clock that equals the one before it is left out."""
    data = {"clock": times.clock.isoformat()}
    if times.timeline != times.clock:
        data["timeline"] = times.timeline.isoformat()
    if times.steady != times.timeline:
        data["steady"] = times.steady.isoformat()
    return data


def read_times(data: Mapping[str, Any]) -> Times:
    """What `times_json` put into a record. Raises `JournalError` where that is not a time."""
    clock = moment(data.get("clock"))
    timeline = moment(data["timeline"], "a timeline") if "timeline" in data else clock
    steady = moment(data["steady"], "a steady clock") if "steady" in data else timeline
    if len({each.tzinfo is None for each in (clock, timeline, steady)}) > 1:
        raise JournalError("of the clocks of a record some have a time zone, and some have none")
    return Times(clock, timeline, steady)


def moment(data: Any, what: str = "a clock") -> dt.datetime:
    """A time as `datetime.isoformat` writes it.

    Raises:
        JournalError: it is none.
    """
    try:
        return dt.datetime.fromisoformat(want(data, str, what))
    except ValueError as error:
        raise JournalError(f"{what} is not a time: {data[:80]}") from error
