"""The meaning of a proposed action: what it is recognised as, where it leads, what it writes, and the verdict."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from vsalang.engine.explain.match import known_cells
from vsalang.guard.say.verdict import Verdict
from vsalang.guard.world.beliefs import Change
from vsalang.guard.world.session_state import JudgedProposal
from vsalang.program.ir import Relation
from vsalang.program.show import row_text
from vsalang.program.values import Value, without_unknown
from vsalang.tools.ask.asking import Moment
from vsalang.tools.ask.reading import cells_data


@dataclass(frozen=True)
class Meaning:
    """The meaning of a proposal.

    Attributes:
        verdict: the guard's; with what it was recognised as and where it leads.
        predicted: the changes of inputs before the verdict.
        then: the rows that the critical actions write when they are committed: relation and known cells.
        gone: the rows that they delete.
        specced: whether there is a task; without one nothing is permitted or refused.
    """

    verdict: Verdict
    predicted: tuple[Change, ...]
    then: tuple[tuple[str, Mapping[str, Value]], ...]
    gone: tuple[tuple[str, Mapping[str, Value]], ...]
    specced: bool


def meaning_of(moment: Moment, verdict: Verdict) -> Meaning:
    """The meaning of the proposal of a session's newest verdict."""
    program = moment.probes.program
    judged = moment.player.guard.session.judged(verdict) or JudgedProposal(())
    info = program.modules.get(program.main)

    return Meaning(
        verdict,
        judged.changes,
        tuple((write.relation, without_unknown(write.cells.items())) for write in judged.writes),
        tuple((delete.relation, without_unknown(delete.pattern.items())) for delete in judged.deletes),
        info is not None and info.kind == "spec",
    )


def meaning_lines(moment: Moment, meaning: Meaning) -> list[tuple[str, str]]:
    """A meaning for people: pairs of a topic and a text, without the verdict."""
    relations = moment.probes.program.relations
    lines = [
        ("recognised as", row_text(relations[action.name], action.args)) for action in meaning.verdict.actions
    ]
    if meaning.verdict.proposal.gesture is None:
        lines = []  # it was named
    elif not lines:
        lines = [("recognised as", "no critical action of the module")]
    lines += [("leads to", f"screen {relations[name].short}") for name in meaning.verdict.screens]
    lines += [("predicts", _change(relations[change.relation], change)) for change in meaning.predicted]
    for word, items in (("then writes", meaning.then), ("then deletes", meaning.gone)):
        lines += [(word, row_text(relations[name], cells)) for name, cells in items]
    return lines


def meaning_data(moment: Moment, meaning: Meaning) -> dict[str, Any]:
    """A meaning as JSON data."""
    relations = moment.probes.program.relations
    verdict = meaning.verdict

    def rows(items: tuple[tuple[str, Mapping[str, Value]], ...]) -> list[dict[str, Any]]:
        return [{"relation": relations[name].short, "cells": cells_data(cells)} for name, cells in items]

    return {
        "recognised": [
            {"action": a.name.rpartition(".")[2], "args": cells_data(a.args)} for a in verdict.actions
        ],
        "leads_to": [relations[name].short for name in verdict.screens],
        "predicts": [
            {
                "relation": relations[change.relation].short,
                "before": _cells(relations[change.relation], change.old),
                "after": _cells(relations[change.relation], change.new),
            }
            for change in meaning.predicted
        ],
        "then_writes": rows(meaning.then),
        "then_deletes": rows(meaning.gone),
        "verdict": verdict.level,
        "spec": meaning.specced,
        "reasons": [
            {"kind": r.kind, "level": r.level, "message": r.message, "rule": r.rule} for r in verdict.reasons
        ],
    }


def _cells(relation: Relation, entry: Any) -> dict[str, Any] | None:
    return cells_data(known_cells(relation, entry.cells)) if entry is not None else None


def _change(relation: Relation, change: Change) -> str:
    old = known_cells(relation, change.old.cells) if change.old is not None else {}
    if change.new is None:
        return f"{row_text(relation, old)} is gone"
    new = known_cells(relation, change.new.cells)
    named = {n: v for n, v in new.items() if n in relation.identity or n in change.written or old.get(n) != v}
    text = row_text(relation, named)
    before = {n: old[n] for n in old if n in change.written and old[n] != new.get(n)}
    return text + (f", before: {row_text(relation, before)}" if before else "")
