"""``vsac map``: makes maps of apps (UI transition graphs), shows and compares them, and says how much they know."""

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, Final

from vsalang.agents.maps import UTG, Coverage, Diff, Edge, Screen
from vsalang.agents.maps.drawing import dot, gesture_text, place_text, svg, text_lines, when_text
from vsalang.agents.maps.jsonform import SUFFIX, to_json
from vsalang.base.diagnostics.display import count
from vsalang.base.options import argument, flag, option
from vsalang.base.records import dataclass
from vsalang.base.report import Report, Result, Style
from vsalang.tools.cli import frame, shared, utg_sources, utg_way
from vsalang.tools.cli.common import EXIT_FINDINGS, EXIT_OK, Failure
from vsalang.tools.cli.frame import Output
from vsalang.tools.cli.output import echo, refuse_to_lose, refuse_to_replace, write_text
from vsalang.tools.cli.utg_sources import made, recording

_FORCE: Final = "Replace the output file if it exists."


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """Of what a map is made, and where it goes."""

    sources: tuple[str, ...] = argument("SOURCE")
    output: str = shared.output("OUT", "The map to write: NAME.utg.json.")
    app: str | None = utg_sources.app()
    force: bool = flag("--force", help=_FORCE)


@frame.as_command("text", "json")
def build(options: BuildOptions) -> Report:
    """Make a map of SOURCEs, joined, and write it.

    Screens that no rule names are known by the set of their usable widgets. Exit status: 0 it is written, 2 a source
    cannot be used.
    """
    if not options.output.endswith(SUFFIX):
        raise Failure(f"{options.output} is not a name of a map", f"maps are called NAME{SUFFIX}")
    refuse_to_lose(options.output, options.sources)
    refuse_to_replace(options.output, options.force)
    utg = made(options.sources, options.app)
    write_text(Path(options.output), to_json(utg))
    return Result(
        lambda: {"version": 1, "file": options.output, **_sizes(utg)},
        lambda style: [f"{options.output} written: {_summary(utg)}"],
    )


@dataclass(frozen=True, slots=True)
class ShowOptions:
    """What is shown of which map, and where it goes."""

    sources: tuple[str, ...] = argument("SOURCE")
    app: str | None = utg_sources.app()
    only: tuple[str, ...] = option(
        "--screen",
        default=(),
        metavar="NAME",
        help="Only what leads away from it; repeatable.",
        needs="--format text",
    )
    output: str | None = option("-o", "--output", metavar="OUT", help="Where to write it.")
    force: bool = flag("--force", help=_FORCE)


@frame.as_command("text", "json", "dot", "svg")
def show(options: ShowOptions, output: Output) -> Report | int:
    """Show a map: as text, as JSON, as a graph for Graphviz (dot) or as a picture (svg).

    Exit status: 0 it is shown, 2 a source cannot be used.
    """
    refuse_to_lose(options.output, options.sources)
    refuse_to_replace(options.output, options.force)
    utg = made(options.sources, options.app)
    view = View(options, utg, tuple(utg_way.named(utg, name) for name in options.only))
    if options.output is None:
        return view
    text = to_json(utg) if output.format == "json" else view.document(output.format, Style())
    write_text(Path(options.output), text)
    echo(f"{options.output} written: {_summary(utg)}", err=True)
    return EXIT_OK


@dataclass(frozen=True, slots=True)
class View(Report):
    """A map, or what leads away from some screens of it.

    Attributes:
        options: what was asked for.
        utg: the map.
        only: the names of the screens; empty: all.
    """

    options: ShowOptions
    utg: UTG
    only: tuple[str, ...]

    def data(self) -> object:
        """The map, as it is written."""
        return json.loads(to_json(self.utg))

    def lines(self, style: Style) -> Iterator[str]:
        """Each screen with what leads away from it."""
        yield from (_summary(self.utg), "", *text_lines(self.utg, self.only))

    def document(self, format: str, style: Style) -> str:
        """As a graph, or as a picture."""
        if format == "dot":
            return dot(self.utg)
        if format == "svg":
            return svg(self.utg, ", ".join(Path(source).name for source in self.options.sources))
        return "\n".join(self.lines(style)) + "\n"


@dataclass(frozen=True, slots=True)
class DiffOptions:
    """Which maps are compared."""

    before: str = argument("A")
    after: str = argument("B")
    app: str | None = utg_sources.app()


@frame.as_command("text", "json")
def diff(options: DiffOptions) -> Report:
    """Say what differs from map A to map B (each a SOURCE).

    Exit status: 0 nothing but counts differs, 1 screens or edges differ, 2 a source cannot be used.
    """
    one, other = (made([source], options.app) for source in (options.before, options.after))
    difference = one.diff(other)
    status = EXIT_OK if difference.same else EXIT_FINDINGS
    return Result(partial(_diff_data, difference), lambda style: _diff_lines(difference, one, other), status)


@dataclass(frozen=True, slots=True)
class CoverageOptions:
    """Which map and which recordings are compared."""

    source: str = argument("SOURCE")
    recordings: tuple[str, ...] = argument("RECORDING")
    app: str | None = utg_sources.app()
    least: float | None = option(
        "--least", least=0, most=100, metavar="PERCENT", help="Exit with 1 if fewer steps are known."
    )


@frame.as_command("text", "json")
def coverage(options: CoverageOptions) -> Report:
    """Say how much of RECORDINGs the map SOURCE knows: of their screens, and of their steps.

    Exit status: 0, or 1 if less than --least is known; 2 a file cannot be used.
    """
    utg = made([options.source], options.app)
    logs = [(path, recording(path, options.app)) for path in options.recordings]
    results = [(path, utg.coverage(log), log) for path, log in logs]
    moves = sum(each.moves for _, each, _ in results)
    known = sum(each.moves_known for _, each, _ in results)
    share = 100 * known / moves if moves else 100.0

    def values() -> dict[str, Any]:
        data = [
            {"recording": path, **_coverage_data(each), "unsettled": log.unsettled, "unclear": log.unclear}
            for path, each, log in results
        ]
        return {"version": 1, "percent": round(share, 1), "recordings": data}

    def text(style: Style) -> Iterator[str]:
        for path, each, log in results:
            yield path
            yield f"  screens known   {each.screens_known} of {each.screens}"
            yield f"  steps known     {each.moves_known} of {each.moves}"
            yield f"  surprises       {each.surprises}  (the gesture is known, and leads elsewhere)"
            left = f"{log.unsettled} ended on a screen that went on changing, {log.unclear} name nothing"
            yield f"  left out        {left}"
        yield f"{share:.1f} % of the steps are known"

    less = options.least is not None and share < options.least
    return Result(values, text, EXIT_FINDINGS if less else EXIT_OK)


# ---------------------------------------------------------------- words


def _sizes(utg: UTG) -> dict[str, int]:
    return {
        "screens": len(utg.screens),
        "edges": len(utg.edges),
        "tried": sum(1 for edge in utg.edges if edge.tried),
        "refuted": sum(1 for edge in utg.edges if edge.refuted),
    }


def _summary(utg: UTG) -> str:
    sizes = _sizes(utg)
    never = f", {sizes['refuted']} never worked" if sizes["refuted"] else ""
    return (
        f"{count(sizes['screens'], 'screen')}, {count(sizes['edges'], 'edge')}: {sizes['tried']} tried{never}"
    )


def _diff_lines(diff: Diff, one: UTG, other: UTG) -> Iterator[str]:
    for sign, screens in (("+", diff.screens_added), ("-", diff.screens_removed)):
        for screen in screens:
            yield f"{sign} screen {_screen_text(screen)}"
    for sign, edges, utg in (("+", diff.edges_added, other), ("-", diff.edges_removed, one)):
        for edge in edges:
            yield f"{sign} {_edge_text(edge, utg)}"
    for name in diff.unreachable:
        yield f"! no way leads to {_screen_text(one.screens[name])} any more"
    for before, after in diff.recounted:
        counts = f"{before.worked} of {before.tried} -> {after.worked} of {after.tried}"
        yield f"~ {_edge_text(after, other)}: worked {counts}"
    if diff.same:
        yield "the same screens and edges"


def _screen_text(screen: Screen) -> str:
    return screen.title if screen.kind == "screen" else f"{screen.title} ({screen.name})"


def _edge_text(edge: Edge, utg: UTG) -> str:
    when = f" if {when_text(edge)}" if edge.when else ""
    return f"{place_text(utg, edge.source)}: {gesture_text(edge, 80)}{when} -> {place_text(utg, edge.target)}"


def _diff_data(diff: Diff) -> dict[str, Any]:
    return {
        "version": 1,
        "same": diff.same,
        "screens_added": [screen.name for screen in diff.screens_added],
        "screens_removed": [screen.name for screen in diff.screens_removed],
        "edges_added": [_edge_data(edge) for edge in diff.edges_added],
        "edges_removed": [_edge_data(edge) for edge in diff.edges_removed],
        "unreachable": list(diff.unreachable),
        "recounted": [
            {**_edge_data(after), "before": {"tried": before.tried, "worked": before.worked}}
            for before, after in diff.recounted
        ],
    }


def _edge_data(edge: Edge) -> dict[str, Any]:
    return {
        "source": edge.source,
        "gesture": gesture_text(edge, 200),
        "when": when_text(edge, 1000),
        "target": edge.target,
        "tried": edge.tried,
        "worked": edge.worked,
    }


def _coverage_data(coverage: Coverage) -> dict[str, int]:
    return {
        "screens": coverage.screens,
        "screens_known": coverage.screens_known,
        "moves": coverage.moves,
        "moves_known": coverage.moves_known,
        "surprises": coverage.surprises,
    }
