"""``vsac screen order SCREEN --spec S``: which controls come before which, and whether a plan keeps that order."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final

import click

from vsalang.tools.cli import options
from vsalang.tools.cli.common import (
    EXIT_FAILED,
    EXIT_FINDINGS,
    EXIT_OK,
    Failure,
    color_option,
    format_option,
    load_in_force,
)
from vsalang.tools.cli.dumps import complain, load_screen, quoted, short, styled, table
from vsalang.tools.cli.output import json_text
from vsalang.tools.cli.solving import place, show_errors

if TYPE_CHECKING:
    from vsalang.guard.graph import Admission, ControlGraph, Edge
    from vsalang.language.semantics import Loaded
    from vsalang.program.ir import Rule
    from vsalang.screen.control import Unit

_UNITS: Final = ("unit", "node", "kind", "label", "use", "after")
_EDGES: Final = ("first", "then", "cells", "written by", "read by")


@click.command(name="graph")
@click.argument("screen", metavar="SCREEN")
@click.option("--spec", required=True, metavar="SPEC", help="The spec, or an app module, whose rules count.")
@options.policy
@click.option("--why", is_flag=True, help="Say each edge in words, and where its rules are written.")
@click.option(
    "--plan",
    metavar="UNIT,..",
    help="Say whether these units may be used in this order: their names, ids that only one has, or finish.",
)
@format_option("text", "dot", "json")
@color_option
@click.pass_context
def command(
    ctx: click.Context,
    *,
    screen: str,
    spec: str,
    policies: tuple[str, ...],
    why: bool,
    plan: str | None,
    format: str,
) -> None:
    """Show which controls of a screen come before which: those that write what the rules read of the others.

    SCREEN is a UI dump or accessibility tree. The edges follow from the rules of SPEC and its app
    modules: one control writes cells that an action of the other reads (`recognize .. with`, `allow`, `done`), or
    is an action that must come earlier, or leads to a screen (`goto`). `now` are the controls of which all that they
    read is right already. Nothing of this permits anything.

    Exit status: 0; 1 if --plan is not admissible, or SCREEN is not a UI tree; 2 if something cannot be read, or SPEC
    has errors.
    """
    from vsalang.guard.graph import graph

    loaded = load_in_force(spec, policies)
    if loaded.program is None:
        show_errors(loaded, "json" if format == "json" else "text")
        ctx.exit(EXIT_FAILED)
    shown, failed = load_screen(screen)
    if shown is None:
        ctx.exit(failed)
    found = graph(shown, loaded.checked())
    for note in (*shown.tree.notes, *found.notes):
        complain("note", note)
    admission = found.admissible(_planned(found, plan)) if plan is not None else None
    if format == "json":
        click.echo(json_text(_data(found, admission, loaded), indent=1))
    elif format == "dot":
        click.echo("\n".join(_dot(found)), color=False)
    else:
        for line in _lines(found, admission, loaded if why else None):
            click.echo(line, color=True)
    ctx.exit(EXIT_OK if admission is None or admission else EXIT_FINDINGS)


def _planned(found: "ControlGraph", plan: str) -> list[str]:
    """The keys of the units that a plan names."""
    from vsalang.guard.graph import FINISH

    keys = {unit.key: unit.key for unit in found.units} | {FINISH: FINISH}
    by_id: dict[str, list[str]] = {}
    for unit in found.units:
        if unit.node.id:
            by_id.setdefault(unit.node.id, []).append(unit.key)
    names = [name.strip() for name in plan.split(",")]
    result = []
    for name in names:
        mine = [keys[name]] if name in keys else by_id.get(name, [])
        if len(mine) != 1:
            from vsalang.base.source.suggest import did_you_mean

            several = f"{len(mine)} units have the id {quoted(name)}" if mine else ""
            hint = did_you_mean(name, [*keys, *by_id]) or "`vsac screen order` lists the units"
            raise Failure(
                several or f"the screen has no unit {quoted(name)}",
                f"name one: {', '.join(mine)}" if mine else hint,
            )
        result += mine
    return result


# ---------------------------------------------------------------- text


def _lines(found: "ControlGraph", admission: "Admission | None", loaded: "Loaded | None") -> Iterator[str]:
    now = {unit.key for unit in found.frontier()}
    rows = [_unit(found, unit, now) for unit in found.units]
    yield table(_UNITS, rows, cut={"label", "after"}, right={"node"})
    if not found.edges:
        yield styled("no control of this screen writes what the rules read of another", dim=True)
    elif loaded is None:
        edges = [_edge(found, edge) for edge in found.edges]
        yield table(_EDGES, edges, cut={"written by", "read by"}, right=()).rstrip("\n")
    else:
        yield from (found.why(edge) for edge in found.edges)
        yield ""
        rules = {rule.id: rule for edge in found.edges for rule in (*edge.writes, *edge.reads)}
        yield from (f"{name}: {place(loaded, rule.span, name)}" for name, rule in rules.items())
    if admission is not None:
        yield ""
        yield (
            styled("admissible", fg="green")
            if admission
            else f"{styled('not admissible', fg='red')}: {admission.why}"
        )


def _unit(found: "ControlGraph", unit: "Unit", now: Iterable[str]) -> dict[str, str]:
    before = [edge.source for edge in found.edges if edge.target == unit.key and edge.kind == "cells"]
    said = unit.label if unit.label is not None else unit.node.id
    return {
        "unit": unit.key,
        "node": str(unit.node.node),
        "kind": unit.kind,
        "label": short(said) if said else "",
        "use": "now" if unit.key in now else "disabled" if unit.enabled is False else "later",
        "after": " ".join(before),
    }


def _edge(found: "ControlGraph", edge: "Edge") -> dict[str, str]:
    opened = edge.kind == "opens"
    return {
        "first": edge.source,
        "then": f"screen {found.program.relation(edge.target).short}" if opened else edge.target,
        "cells": " ".join(cell.short for cell in edge.cells),
        "written by": _ids(edge.writes),
        "read by": _ids(edge.reads),
    }


def _ids(rules: "Iterable[Rule]") -> str:
    return " ".join(rule.id for rule in rules)


# ---------------------------------------------------------------- for programs


def _dot(found: "ControlGraph") -> Iterator[str]:
    from vsalang.language.notations.out.dot import quoted as dot
    from vsalang.program.show import short_name

    now = {unit.key for unit in found.frontier()}
    yield "digraph controls {"
    yield '  rankdir=LR; node [shape=box, style="rounded,filled", fillcolor=white, fontname="sans-serif"];'
    for unit in found.units:
        fill = ', fillcolor="#dcfce7"' if unit.key in now else ""
        yield f"  {dot(unit.key)} [label={dot(found.name(unit.key))}{fill}];"
    for target in dict.fromkeys(edge.target for edge in found.edges):
        if not any(unit.key == target for unit in found.units):
            shape = "tab" if target in found.program.relations and target != "finish" else "octagon"
            yield f'  {dot(target)} [label={dot(short_name(target))}, shape={shape}, fillcolor="#ede9fe"];'
    for edge in found.edges:
        label = "\n".join([*(cell.short for cell in edge.cells), _ids((*edge.writes, *edge.reads))])
        style = ", style=dashed" if edge.kind == "opens" else ""
        yield f"  {dot(edge.source)} -> {dot(edge.target)} [label={dot(label)}{style}];"
    yield "}"


def _data(found: "ControlGraph", admission: "Admission | None", loaded: "Loaded") -> dict[str, Any]:
    now = {unit.key for unit in found.frontier()}

    def rules(given: "Iterable[Rule]") -> list[dict[str, Any]]:
        return [{"rule": rule.id, "place": place(loaded, rule.span, rule.id)} for rule in given]

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
            for unit in found.units
        ],
        "edges": [
            {
                "first": edge.source,
                "then": edge.target,
                "kind": edge.kind,
                "cells": [{"relation": cell.relation, "attribute": cell.attr or None} for cell in edge.cells],
                "written_by": rules(edge.writes),
                "read_by": rules(edge.reads),
                "why": found.why(edge),
            }
            for edge in found.edges
        ],
        "notes": list(found.notes),
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
