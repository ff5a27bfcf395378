"""What a screen offers: for people and as JSON."""

from typing import Any

from vsalang.base.diagnostics.display import count
from vsalang.screen.control.unit import Entry, ReducedTree, Unit
from vsalang.screen.quoting import quoted, short


def summary(reduced: ReducedTree) -> str:
    """How many nodes are kept, in one line."""
    units = sum(1 for entry in reduced.entries if entry.unit is not None)
    kept = len(reduced.entries)
    return (
        f"{kept} of {reduced.total} nodes ({reduced.saved:.0%} fewer): {count(units, 'control')}"
        f" and {count(kept - units, 'other node' if reduced.level != 'units' else 'text')}"
    )


def row(entry: Entry) -> dict[str, str]:
    """An entry as the cells of a table, by the names of the columns."""
    unit = entry.unit
    row = {"unit": entry.key, "node": str(entry.node.node)}
    if unit is None:
        row["label"] = short(entry.text) if entry.text else ""
        row["kind"] = "text" if entry.text else quoted(entry.node.cls or "")[1:-1]
        return row
    row["kind"] = unit.kind
    row["label"] = _label(unit)
    row["value"] = "" if unit.value is None else short(unit.value)
    row["section"] = "" if unit.section is None else short(unit.section)
    row["state"] = "disabled" if unit.enabled is False else ""
    row["why"] = "; ".join(quoted(fact)[1:-1].replace('\\"', '"') for fact in unit.why)
    return row


def _label(unit: Unit) -> str:
    """The label; of a control without one its id, so that a reader can tell which it is."""
    if unit.label is not None:
        return short(unit.label)
    return f"({short(unit.node.id)[1:-1]})" if unit.node.id else ""


def reduced_data(reduced: ReducedTree) -> dict[str, Any]:
    """What is kept as JSON values."""
    return {
        "level": reduced.level,
        "nodes": reduced.total,
        "kept": len(reduced.entries),
        "entries": [_entry(entry) for entry in reduced.entries],
    }


def _entry(entry: Entry) -> dict[str, Any]:
    node, unit = entry.node, entry.unit
    data: dict[str, Any] = {"unit": entry.key, "parent": entry.parent, "node": node.node}
    data["bounds"] = [node.left, node.top, node.right, node.bottom]
    if unit is None:
        return {**data, "kind": None, "text": entry.text or None}
    return {
        **data,
        "kind": unit.kind,
        "why": list(unit.why),
        "label": unit.label,
        "value": unit.value,
        "section": unit.section,
        "id": node.id,
        "enabled": unit.enabled,
        "taker": unit.taker.node,
        "certain": unit.certain,
        "parts": [{"role": part.role, "node": part.node.node} for part in unit.parts],
    }
