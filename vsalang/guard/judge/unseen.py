"""What was predicted of an action and not seen since: for `done` it counts as unknown.

An action of which it is not known whether it came out as expected may have changed nothing: a dialog took the touch.
What it was predicted to write is believed anyway, as every prediction is, but no task ends on it. Each cell is
released when it is seen, whatever it shows; the action's other cells are not.
"""

from collections.abc import Iterable
from dataclasses import replace
from types import MappingProxyType

from vsalang.guard.say.verdict import Reason, Why
from vsalang.guard.world.beliefs import Change, Table, World, covers, without_cells
from vsalang.guard.world.observing import Reconciliation
from vsalang.guard.world.session_state import Prediction
from vsalang.program.ir import Program
from vsalang.program.phrases import joined, say


def predicted(program: Program, changes: Iterable[Change]) -> list[Prediction]:
    """What the changes of an action say of rows that nobody has looked at."""
    predictions = []
    for change in changes:
        if change.new is None:
            if change.old is not None:
                predictions.append(Prediction(change.relation, change.ident, gone=change.old.cells))
            continue
        attrs = change.written - set(program.relation(change.relation).identity)
        predictions.append(Prediction(change.relation, change.ident, attrs, created=change.old is None))
    return predictions


def still_unseen(items: Iterable[Prediction], after: Reconciliation) -> tuple[Prediction, ...]:
    """What of it is not seen yet after an observation."""
    merged: dict[tuple[str, object], Prediction] = {}
    for item in items:
        key = (item.relation, item.ident)
        old = merged.get(key)
        if old is not None and old.gone is None and item.gone is None:
            item = replace(item, attrs=old.attrs | item.attrs, created=old.created or item.created)
        merged[key] = item
    predictions = []
    for item in merged.values():
        seen = after.observed.get(item.relation, {}).get(item.ident)
        if item.gone is not None:
            looked_at = any(
                name == item.relation and covers(pattern, item.gone) for name, pattern in after.completed
            )
            if seen is None and not looked_at:
                predictions.append(item)
        elif item.ident in after.world.table(item.relation).rows:
            item = replace(
                item, attrs=item.attrs - (seen or frozenset()), created=item.created and seen is None
            )
            if item.attrs or item.created:
                predictions.append(item)
    return tuple(predictions)


def without_unseen(program: Program, world: World, items: Iterable[Prediction]) -> World:
    """The world in which what was not seen is unknown: cells, rows that it created, and that a row is gone."""
    for item in items:
        relation, table = program.relation(item.relation), world.table(item.relation)
        entry = table.rows.get(item.ident)
        if item.gone is not None:
            world = world.put(item.relation, _open(table, item.gone))
        elif entry is not None and item.created:
            rows = {ident: row for ident, row in table.rows.items() if ident != item.ident}
            opened = _open(table, entry.cells)
            world = world.put(item.relation, replace(opened, rows=MappingProxyType(rows)))
        elif entry is not None:
            rows = {**table.rows, item.ident: without_cells(relation, entry, item.attrs)}
            world = world.put(item.relation, replace(table, rows=MappingProxyType(rows)))
    return world


def _open(table: Table, row: tuple[object, ...]) -> Table:
    """The table without the completeness of everything that the row may belong to."""
    return replace(
        table,
        complete=frozenset(pattern for pattern in table.complete if not covers(pattern, row)),  # type: ignore[arg-type]
        ends=MappingProxyType({}),
    )


# ---------------------------------------------------------------------- in words


def set_not_seen(why: Why, items: Iterable[Prediction]) -> Why:
    """The condition, marked if it fails because what it asks for was set and not seen since."""
    concerned = [item for item in items if item.relation == why.relation]
    if why.state == "met" or not concerned:
        return why
    if why.attr and not any(why.attr in item.attrs or item.created for item in concerned):
        return why
    return replace(why, state="unknown", seen="", set_unseen=True)


def not_seen_since(reason: Reason, items: Iterable[Prediction]) -> Reason:
    """A reason against the end of the task, with what was set and not seen since."""
    items = tuple(items)
    whys = tuple(set_not_seen(why, items) for why in reason.whys)
    if whys == reason.whys:
        return reason
    sentence = joined("; ", dict.fromkeys(why.text() for why in whys))
    return replace(reason, whys=whys, message=say("because", what=say("reason.not_finished"), why=sentence))
