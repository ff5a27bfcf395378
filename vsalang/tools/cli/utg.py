"""``vsac map``: makes maps of apps (UI transition graphs), shows and compares them, and says how much they know."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vsalang.base.diagnostics.display import count
from vsalang.tools.cli import utg_way
from vsalang.tools.cli.common import EXIT_FINDINGS, EXIT_OK, Failure, color_option, format_option
from vsalang.tools.cli.output import echo, json_text, refuse_to_lose, refuse_to_replace, write_text
from vsalang.tools.cli.utg_sources import app_option, made, recording

if TYPE_CHECKING:
    from vsalang.agents.maps import UTG, Coverage, Diff, Edge, Screen

_output = click.option("-o", "--output", metavar="OUT", help="Where to write it.")
_force = click.option("--force", is_flag=True, help="Replace the output file if it exists.")


@click.command(name="build")
@click.argument("sources", metavar="SOURCE...", nargs=-1, required=True)
@app_option
@click.option("-o", "--output", metavar="OUT", required=True, help="The map to write: NAME.utg.json.")
@_force
@format_option("text", "json")
def build(sources: tuple[str, ...], app: str | None, output: str, force: bool, format: str) -> int:
    """Make a map of SOURCEs, joined, and write it.

    Screens that no rule names are known by the set of their usable widgets. Exit status: 0 it is written, 2 a source
    cannot be used.
    """
    from vsalang.agents.maps.jsonform import SUFFIX, to_json

    if not output.endswith(SUFFIX):
        raise Failure(f"{output} is not a name of a map", f"maps are called NAME{SUFFIX}")
    refuse_to_lose(output, sources)
    refuse_to_replace(output, force)
    utg = made(sources, app, machine=format == "json")
    write_text(Path(output), to_json(utg))
    if format == "json":
        click.echo(json_text({"version": 1, "file": output, **_sizes(utg)}, indent=1))
    else:
        echo(f"{output} written: {_summary(utg)}")
    return EXIT_OK


@click.command(name="show")
@click.argument("sources", metavar="SOURCE...", nargs=-1, required=True)
@app_option
@click.option(
    "--screen", "only", multiple=True, metavar="NAME", help="Only what leads away from it; repeatable."
)
@format_option("text", "json", "dot", "svg")
@_output
@_force
@color_option
def show(
    *,
    sources: tuple[str, ...],
    app: str | None,
    only: tuple[str, ...],
    format: str,
    output: str | None,
    force: bool,
) -> int:
    """Show a map: as text, as JSON, as a graph for Graphviz (dot) or as a picture (svg).

    Exit status: 0 it is shown, 2 a source cannot be used.
    """
    from vsalang.agents.maps.drawing import dot, svg, text_lines
    from vsalang.agents.maps.jsonform import to_json

    refuse_to_lose(output, sources)
    refuse_to_replace(output, force)
    utg = made(sources, app, machine=format == "json")
    if only:
        if format != "text":
            raise click.UsageError("--screen goes with --format text")
        only = tuple(utg_way.named(utg, name) for name in only)
    if format == "json":
        text = to_json(utg)
    elif format == "dot":
        text = dot(utg)
    elif format == "svg":
        text = svg(utg, ", ".join(Path(source).name for source in sources))
    else:
        text = "\n".join((_summary(utg), "", *text_lines(utg, only))) + "\n"
    if output is not None:
        write_text(Path(output), text)
        echo(f"{output} written: {_summary(utg)}", err=True)
    else:
        echo(text, nl=False)
    return EXIT_OK


@click.command(name="diff")
@click.argument("before", metavar="A")
@click.argument("after", metavar="B")
@app_option
@format_option("text", "json")
def diff(before: str, after: str, app: str | None, format: str) -> int:
    """Say what differs from map A to map B (each a SOURCE).

    Exit status: 0 nothing but counts differs, 1 screens or edges differ, 2 a source cannot be used.
    """
    machine = format == "json"
    one, other = (made([source], app, machine=machine) for source in (before, after))
    found = one.diff(other)
    if machine:
        click.echo(json_text(_diff_data(found), indent=1))
    else:
        for line in _diff_lines(found, one, other):
            echo(line)
    return EXIT_OK if found.same else EXIT_FINDINGS


@click.command(name="coverage")
@click.argument("source", metavar="SOURCE")
@click.argument("recordings", metavar="RECORDING...", nargs=-1, required=True)
@app_option
@click.option(
    "--least", type=click.FloatRange(0, 100), metavar="PERCENT", help="Exit with 1 if fewer steps are known."
)
@format_option("text", "json")
def coverage(
    source: str, recordings: tuple[str, ...], app: str | None, least: float | None, format: str
) -> int:
    """Say how much of RECORDINGs the map SOURCE knows: of their screens, and of their steps.

    Exit status: 0, or 1 if less than --least is known; 2 a file cannot be used.
    """
    machine = format == "json"
    utg = made([source], app, machine=machine)
    results = []
    for path in recordings:
        found = recording(path, app, machine=machine)
        results.append((path, utg.coverage(found), found))
    moves = sum(each.moves for _, each, _ in results)
    known = sum(each.moves_known for _, each, _ in results)
    share = 100 * known / moves if moves else 100.0
    if machine:
        data = [
            {"recording": path, **_coverage_data(each), "unsettled": log.unsettled, "unclear": log.unclear}
            for path, each, log in results
        ]
        click.echo(json_text({"version": 1, "percent": round(share, 1), "recordings": data}, indent=1))
    else:
        for path, each, log in results:
            echo(path)
            echo(f"  screens known   {each.screens_known} of {each.screens}")
            echo(f"  steps known     {each.moves_known} of {each.moves}")
            echo(f"  surprises       {each.surprises}  (the gesture is known, and leads elsewhere)")
            echo(
                f"  left out        {log.unsettled} ended on a screen that went on changing, {log.unclear} name nothing"
            )
        echo(f"{share:.1f} % of the steps are known")
    return EXIT_FINDINGS if least is not None and share < least else EXIT_OK


# ---------------------------------------------------------------- words


def _sizes(utg: "UTG") -> dict[str, int]:
    return {
        "screens": len(utg.screens),
        "edges": len(utg.edges),
        "tried": sum(1 for edge in utg.edges if edge.tried),
        "refuted": sum(1 for edge in utg.edges if edge.refuted),
    }


def _summary(utg: "UTG") -> str:
    sizes = _sizes(utg)
    never = f", {sizes['refuted']} never worked" if sizes["refuted"] else ""
    return (
        f"{count(sizes['screens'], 'screen')}, {count(sizes['edges'], 'edge')}: {sizes['tried']} tried{never}"
    )


def _diff_lines(found: "Diff", one: "UTG", other: "UTG") -> Iterator[str]:
    for sign, screens in (("+", found.screens_added), ("-", found.screens_removed)):
        for screen in screens:
            yield f"{sign} screen {_screen_text(screen)}"
    for sign, edges, utg in (("+", found.edges_added, other), ("-", found.edges_removed, one)):
        for edge in edges:
            yield f"{sign} {_edge_text(edge, utg)}"
    for name in found.unreachable:
        yield f"! no way leads to {_screen_text(one.screens[name])} any more"
    for before, after in found.recounted:
        counts = f"{before.worked} of {before.tried} -> {after.worked} of {after.tried}"
        yield f"~ {_edge_text(after, other)}: worked {counts}"
    if found.same:
        yield "the same screens and edges"


def _screen_text(screen: "Screen") -> str:
    return screen.title if screen.kind == "screen" else f"{screen.title} ({screen.name})"


def _edge_text(edge: "Edge", utg: "UTG") -> str:
    from vsalang.agents.maps.drawing import gesture_text, place_text, when_text

    when = f" if {when_text(edge)}" if edge.when else ""
    return f"{place_text(utg, edge.source)}: {gesture_text(edge, 80)}{when} -> {place_text(utg, edge.target)}"


def _diff_data(found: "Diff") -> dict[str, Any]:
    return {
        "version": 1,
        "same": found.same,
        "screens_added": [screen.name for screen in found.screens_added],
        "screens_removed": [screen.name for screen in found.screens_removed],
        "edges_added": [_edge_data(edge) for edge in found.edges_added],
        "edges_removed": [_edge_data(edge) for edge in found.edges_removed],
        "unreachable": list(found.unreachable),
        "recounted": [
            {**_edge_data(after), "before": {"tried": before.tried, "worked": before.worked}}
            for before, after in found.recounted
        ],
    }


def _edge_data(edge: "Edge") -> dict[str, Any]:
    from vsalang.agents.maps.drawing import gesture_text, when_text

    return {
        "source": edge.source,
        "gesture": gesture_text(edge, 200),
        "when": when_text(edge, 1000),
        "target": edge.target,
        "tried": edge.tried,
        "worked": edge.worked,
    }


def _coverage_data(found: "Coverage") -> dict[str, int]:
    return {
        "screens": found.screens,
        "screens_known": found.screens_known,
        "moves": found.moves,
        "moves_known": found.moves_known,
        "surprises": found.surprises,
    }
