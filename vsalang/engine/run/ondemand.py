"""Gives input relations rows on demand, and takes them back: what was derived from them changes with them."""

from typing import Final

from vsalang.engine.run.maintain import change, notify, propagate, restart
from vsalang.engine.run.state import State
from vsalang.engine.run.tables import AlphaMemory
from vsalang.engine.terms import Tuple
from vsalang.program.nested import Changes, NestedRows

MANY: Final = 1000
"""If more rows than this differ, those who read them are computed from nothing: the rows would have to be made else."""


def assign_nested(state: State, number: int, rows: NestedRows | None) -> None:
    """Give a table rows on demand in place of those that it has; None: none, and again rows that are inserted."""
    table = state.tables[number]
    if table.on_demand is None and table.rows:
        change(state, number, [], list(table.rows))
    old = table.on_demand
    changes = _changes(rows, old)
    if changes is None:
        return
    mine = [state.alphas[index] for index in state.plan.tables[number].alphas]
    if state.savepoints:
        versions = (table.version, [alpha.version for alpha in mine])
        state.undo_log.append(("on demand", number, old, versions))
    state.version += 1
    table.version = state.version
    state.invalidate_all(state.plan.table_readers[number])
    state.epoch += 1
    state.broken = True  # until every reader of the rows has the change
    table.show(rows)
    code = state.plan.code
    for stratum, _ in code.tallies.get(number, ()) if code is not None else ():
        if state.maintained[stratum]:  # the rows that it counts would have to be made
            restart(state, stratum)
    for alpha in mine:
        _assign_alpha(state, alpha, rows, changes)
    state.broken = False
    if state.queue:
        propagate(state)


def _changes(rows: NestedRows | None, old: NestedRows | None) -> Changes | None:
    """What differs, where None means no rows."""
    if rows is None:
        return None if old is None else Changes([], list(old.groups()), len(old))
    if old is None:
        return Changes(list(rows.groups()), [], len(rows))
    return rows.changed(old)


def _assign_alpha(state: State, alpha: AlphaMemory, rows: NestedRows | None, changes: Changes) -> None:
    if not alpha.answers_lookups:
        inserted, deleted = alpha.apply(*_rows(changes))
        if inserted or deleted:
            notify(state, alpha.id, inserted, deleted)
        return
    before = alpha.on_demand
    alpha.show(rows)
    now = alpha.on_demand
    if changes.size > MANY:
        for stratum, *_ in state.notified[alpha.id] if state.notified is not None else ():
            if state.maintained[stratum]:
                restart(state, stratum)
        notify(state, alpha.id, (), ())
        return
    come = dict.fromkeys(now.of(changes.added)) if now is not None else {}
    gone = dict.fromkeys(before.of(changes.removed)) if before is not None else {}
    either = before if now is None else now
    if either is None:
        return
    # a tuple that names its node comes from the rows of that node only, and all of them are among the changes
    was, stays = (gone, come) if either.names_nodes else (before, now)
    inserted = [out for out in come if was is None or out not in was]
    deleted = [out for out in gone if stays is None or out not in stays]
    if inserted or deleted:
        notify(state, alpha.id, inserted, deleted)


def _rows(changes: Changes) -> tuple[list[Tuple], list[Tuple]]:
    """The rows of changes, one by one."""
    return (
        [row for group in changes.added for row in group.rows()],
        [row for group in changes.removed for row in group.rows()],
    )


def undo_nested(state: State, number: int, old: NestedRows | None, versions: tuple[int, list[int]]) -> None:
    """Undo what `assign_nested` did to a table; what was derived from it is undone from the undo log."""
    table = state.tables[number]
    changes = _changes(old, table.on_demand)
    table.show(old)
    table.version, before = versions
    state.invalidate_all(state.plan.table_readers[number])
    for index, version in zip(state.plan.tables[number].alphas, before, strict=True):
        alpha = state.alphas[index]
        if alpha.answers_lookups:
            alpha.show(old)
        elif changes is not None:
            alpha.apply(*_rows(changes))
        if alpha.version != version:
            alpha.version = version
            state.invalidate_all(
                stratum for stratum in state.plan.alpha_readers[index] if not state.maintained[stratum]
            )
