"""``vsac screen order SCREEN --spec S``: which controls come before which, and whether a plan keeps that order."""

from collections.abc import Iterable, Iterator
from dataclasses import MISSING
from typing import Final

from vsalang.base.options import argument, flag, option
from vsalang.base.records import dataclass
from vsalang.base.report import Report, Style
from vsalang.base.source.suggest import did_you_mean
from vsalang.guard.graph import FINISH, Admission, ControlGraph, Edge, graph
from vsalang.guard.graph.notations import graph_data, graph_dot, ids
from vsalang.language.semantics import Loaded
from vsalang.language.semantics.places import place
from vsalang.screen.control import Unit
from vsalang.screen.quoting import quoted, short
from vsalang.tools.cli import frame, shared
from vsalang.tools.cli.common import (
    EXIT_FAILED,
    EXIT_FINDINGS,
    EXIT_OK,
    Failure,
    load_in_force,
)
from vsalang.tools.cli.dumps import complain, load_screen, table
from vsalang.tools.cli.frame import Unusable

_UNITS: Final = ("unit", "node", "kind", "label", "use", "after")
_EDGES: Final = ("first", "then", "cells", "written by", "read by")


@dataclass(frozen=True, slots=True)
class GraphOptions:
    """Which screen is read, by which rules."""

    screen: str = argument("SCREEN")
    spec: str = option(
        "--spec",
        required=True,
        default=MISSING,
        metavar="SPEC",
        help="The spec, or an app module, whose rules count.",
    )
    policies: tuple[str, ...] = shared.policies()
    why: bool = flag("--why", help="Say each edge in words, and where its rules are written.")
    plan: str | None = option(
        "--plan",
        metavar="UNIT,..",
        help="Say whether these units may be used in this order: their names, ids that only one has, or finish.",
    )


@frame.as_command("text", "dot", "json")
def command(options: GraphOptions) -> Report | int:
    """Show which controls of a screen come before which: those that write what the rules read of the others.

    SCREEN is a UI dump or accessibility tree. The edges follow from the rules of SPEC and its app
    modules: one control writes cells that an action of the other reads (`recognize .. with`, `allow`, `done`), or
    is an action that must come earlier, or leads to a screen (`goto`). `now` are the controls of which all that they
    read is right already. Nothing of this permits anything.

    Exit status: 0; 1 if --plan is not admissible, or SCREEN is not a UI tree; 2 if something cannot be read, or SPEC
    has errors.
    """
    loaded = load_in_force(options.spec, options.policies)
    if loaded.program is None:
        raise Unusable.of(loaded, EXIT_FAILED)
    screen, failed = load_screen(options.screen)
    if screen is None:
        return failed
    order = graph(screen, loaded.program)
    for note in (*screen.tree.notes, *order.notes):
        complain("note", note)
    admission = order.admissible(_planned(order, options.plan)) if options.plan is not None else None
    return Order(order, admission, loaded, options.why)


@dataclass(frozen=True, slots=True)
class Order(Report):
    """Which controls come before which.

    Attributes:
        graph: the controls, and the edges between them.
        admission: whether a plan keeps the order; None: none was given.
        loaded: the program, and where its rules are written.
        why: whether each edge is said in words.
    """

    graph: ControlGraph
    admission: Admission | None
    loaded: Loaded
    why: bool

    @property
    def status(self) -> int:  # type: ignore[override]
        """1 if the plan is not admissible."""
        return EXIT_OK if self.admission is None or self.admission else EXIT_FINDINGS

    def data(self) -> object:
        """The controls and edges."""
        return graph_data(self.graph, self.admission, self.loaded)

    def lines(self, style: Style) -> Iterator[str]:
        """Two tables, and the answer about the plan."""
        return _lines(self.graph, self.admission, self.loaded if self.why else None, style)

    def document(self, format: str, style: Style) -> str:
        """As a graph of Graphviz."""
        return "\n".join(graph_dot(self.graph)) + "\n"


def _planned(graph: ControlGraph, plan: str) -> list[str]:
    """The keys of the units that a plan names."""
    keys = {unit.key: unit.key for unit in graph.units} | {FINISH: FINISH}
    by_id: dict[str, list[str]] = {}
    for unit in graph.units:
        if unit.node.id:
            by_id.setdefault(unit.node.id, []).append(unit.key)
    names = [name.strip() for name in plan.split(",")]
    result = []
    for name in names:
        mine = [keys[name]] if name in keys else by_id.get(name, [])
        if len(mine) != 1:
            several = f"{len(mine)} units have the id {quoted(name)}" if mine else ""
            hint = did_you_mean(name, [*keys, *by_id]) or "`vsac screen order` lists the units"
            raise Failure(
                several or f"the screen has no unit {quoted(name)}",
                f"name one: {', '.join(mine)}" if mine else hint,
            )
        result += mine
    return result


# ---------------------------------------------------------------- text


def _lines(
    graph: ControlGraph, admission: Admission | None, loaded: Loaded | None, style: Style
) -> Iterator[str]:
    now = {unit.key for unit in graph.frontier()}
    rows = [_unit(graph, unit, now) for unit in graph.units]
    yield table(_UNITS, rows, cut={"label", "after"}, right={"node"}).rstrip("\n") + "\n"
    if not graph.edges:
        yield style("no control of this screen writes what the rules read of another", dim=True)
    elif loaded is None:
        edges = [_edge(graph, edge) for edge in graph.edges]
        yield table(_EDGES, edges, cut={"written by", "read by"}, right=()).rstrip("\n")
    else:
        yield from (graph.why(edge) for edge in graph.edges)
        yield ""
        rules = {rule.id: rule for edge in graph.edges for rule in (*edge.writes, *edge.reads)}
        yield from (f"{name}: {place(loaded, rule.span, name)}" for name, rule in rules.items())
    if admission is not None:
        yield ""
        yield (
            style("admissible", fg="green")
            if admission
            else f"{style('not admissible', fg='red')}: {admission.why}"
        )


def _unit(graph: ControlGraph, unit: Unit, now: Iterable[str]) -> dict[str, str]:
    before = [edge.source for edge in graph.edges if edge.target == unit.key and edge.kind == "cells"]
    label = unit.label if unit.label is not None else unit.node.id
    return {
        "unit": unit.key,
        "node": str(unit.node.node),
        "kind": unit.kind,
        "label": short(label) if label else "",
        "use": "now" if unit.key in now else "disabled" if unit.enabled is False else "later",
        "after": " ".join(before),
    }


def _edge(graph: ControlGraph, edge: Edge) -> dict[str, str]:
    opened = edge.kind == "opens"
    return {
        "first": edge.source,
        "then": f"screen {graph.program.relation(edge.target).short}" if opened else edge.target,
        "cells": " ".join(cell.short for cell in edge.cells),
        "written by": ids(edge.writes),
        "read by": ids(edge.reads),
    }
