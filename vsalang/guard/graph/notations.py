"""A graph of controls in the language of Graphviz and as JSON."""

from collections.abc import Iterable, Iterator
from typing import Any

from vsalang.guard.graph.control_graph import Admission, ControlGraph
from vsalang.language.notations.out.dot import quoted as dot
from vsalang.language.semantics import Loaded
from vsalang.language.semantics.places import place
from vsalang.program.ir import Rule
from vsalang.program.show import short_name


def ids(rules: Iterable[Rule]) -> str:
    """The ids of rules, with blanks between them."""
    return " ".join(rule.id for rule in rules)


def graph_dot(graph: ControlGraph) -> Iterator[str]:
    """The lines of a graph for Graphviz; controls that can be used now are green."""
    now = {unit.key for unit in graph.frontier()}
    yield "digraph controls {"
    yield '  rankdir=LR; node [shape=box, style="rounded,filled", fillcolor=white, fontname="sans-serif"];'
    for unit in graph.units:
        fill = ', fillcolor="#dcfce7"' if unit.key in now else ""
        yield f"  {dot(unit.key)} [label={dot(graph.name(unit.key))}{fill}];"
    for target in dict.fromkeys(edge.target for edge in graph.edges):
        if not any(unit.key == target for unit in graph.units):
            shape = "tab" if target in graph.program.relations and target != "finish" else "octagon"
            yield f'  {dot(target)} [label={dot(short_name(target))}, shape={shape}, fillcolor="#ede9fe"];'
    for edge in graph.edges:
        label = "\n".join([*(cell.short for cell in edge.cells), ids((*edge.writes, *edge.reads))])
        style = ", style=dashed" if edge.kind == "opens" else ""
        yield f"  {dot(edge.source)} -> {dot(edge.target)} [label={dot(label)}{style}];"
    yield "}"


def graph_data(graph: ControlGraph, admission: Admission | None, loaded: Loaded) -> dict[str, Any]:
    """The controls, the edges with the rules that they follow from, and whether a plan keeps them, as JSON values.

    Args:
        graph: the controls.
        admission: whether a plan keeps the order; None: none was given.
        loaded: the program, and where its rules are written.
    """
    now = {unit.key for unit in graph.frontier()}

    def rules(rules: Iterable[Rule]) -> list[dict[str, Any]]:
        return [{"rule": rule.id, "place": place(loaded, rule.span, rule.id)} for rule in rules]

    data: dict[str, Any] = {
        "units": [
            {
                "unit": unit.key,
                "node": unit.node.node,
                "kind": unit.kind,
                "label": unit.label,
                "id": unit.node.id,
                "enabled": unit.enabled,
                "now": unit.key in now,
            }
            for unit in graph.units
        ],
        "edges": [
            {
                "first": edge.source,
                "then": edge.target,
                "kind": edge.kind,
                "cells": [{"relation": cell.relation, "attribute": cell.attr or None} for cell in edge.cells],
                "written_by": rules(edge.writes),
                "read_by": rules(edge.reads),
                "why": graph.why(edge),
            }
            for edge in graph.edges
        ],
        "notes": list(graph.notes),
    }
    if admission is not None:
        missing = [
            {
                "relation": each.cell.relation,
                "attribute": each.cell.attr or None,
                "units": list(each.writers),
                **rules([each.rule])[0],
            }
            for each in admission.missing
        ]
        data["plan"] = {
            "admissible": bool(admission),
            "unit": admission.unit,
            "missing": missing,
            "why": admission.why,
        }
    return data
