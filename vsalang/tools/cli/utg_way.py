"""``vsac map way``: the cheapest ways on a map from a screen to a screen, or what is missing."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from vsalang.base.diagnostics.display import count
from vsalang.program.text import line
from vsalang.tools.cli import options
from vsalang.tools.cli.common import EXIT_FINDINGS, EXIT_OK, Failure, format_option
from vsalang.tools.cli.output import echo, json_text
from vsalang.tools.cli.utg_sources import app_option, made, policies_of

if TYPE_CHECKING:
    from vsalang.agents.maps import UTG, Missing, Step, Way, Ways

ANYWHERE = "anywhere"


@click.command(name="way")
@click.argument("source", metavar="SOURCE")
@click.argument("start", metavar="START")
@click.argument("goals", metavar="GOAL...", nargs=-1, required=True)
@app_option
@options.policy_option("Gestures that this policy denies are on no way")
@click.option(
    "-k",
    "number",
    type=click.IntRange(1, 100),
    default=1,
    show_default=True,
    metavar="N",
    help="How many ways to show, the cheapest first.",
)
@format_option("text", "json")
def way(
    *,
    source: str,
    start: str,
    goals: tuple[str, ...],
    app: str | None,
    policies: tuple[str, ...],
    number: int,
    format: str,
) -> int:
    """Show the cheapest way on the map SOURCE from screen START to a GOAL, by what worked before.

    START is a screen, or `anywhere`. Without a way: the nearest screens that can be reached, and what is missing. A way
    is a hint: each step of it is judged when it is made.

    Exit status: 0 a way was found, 1 none is known, 2 SOURCE cannot be used or has no screen START.
    """
    from vsalang.agents.maps import ANY, route
    from vsalang.guard.examples import StoryError

    utg = made([source], app, machine=format == "json")
    begin = ANY if start == ANYWHERE else named(utg, start)
    ends = tuple(_goal(utg, goal) for goal in goals)
    try:
        found = route(utg, begin, ends, avoid=policies_of(source, app, policies), k=number)
    except StoryError as error:
        raise Failure(f"a gesture cannot be judged: {error}") from error
    if format == "json":
        click.echo(json_text(data(found), indent=1))
    else:
        for text in lines(utg, begin, found):
            echo(text)
    return EXIT_OK if found.found else EXIT_FINDINGS


def named(utg: "UTG", name: str) -> str:
    """The screen that a name means: whole, without its module, or what pictures call it.

    Raises:
        Failure: none, or several.
    """
    from vsalang.base.source.suggest import did_you_mean

    if name in utg.screens or name in utg.by_source:
        return name
    titles: dict[str, list[str]] = {}
    for screen in utg.screens.values():
        titles.setdefault(screen.title, []).append(screen.name)
    found = titles.get(name, [])
    if len(found) == 1:
        return found[0]
    if found:
        raise Failure(f"{name} may be each of {', '.join(found)}", "give the whole name")
    meant = did_you_mean(name, [*titles, *utg.screens])
    raise Failure(f"the map has no screen {name}", meant or "`vsac map show` names the screens of a map")


def _goal(utg: "UTG", name: str) -> str:
    """A goal that the map does not know is not a failure: what is known nearby is shown."""
    titles = [screen.title for screen in utg.screens.values()]
    return named(utg, name) if name in utg.screens or name in titles else name


# ---------------------------------------------------------------- words


def lines(utg: "UTG", start: str, found: "Ways") -> Iterator[str]:
    """Ways, or what is missing, for people."""
    for way in found.found:
        yield from _way_lines(utg, start, way)
    for step in found.denied if found.found else ():
        yield f"denied, and on no way: {_step_text(utg, step)}: {_why(step)}"
    if found.missing is not None:
        yield from _missing_lines(utg, found.missing)


def _way_lines(utg: "UTG", start: str, way: "Way") -> Iterator[str]:
    from vsalang.agents.maps.drawing import counts_text, gesture_text, place_text, when_text

    if not way.steps:
        yield f"{_place(utg, start)} is where one is to come"
        return
    end = place_text(utg, way.steps[-1].edge.target)
    steps, all_of_it = count(len(way.steps), "step"), way.uncounted == len(way.steps)
    sure = "" if all_of_it else f", {way.chance:.0%} likely to work"
    sure += f", {way.uncounted} not counted" if way.uncounted else ""
    yield f"{_place(utg, start)} to {end}: {steps}{sure}"
    for number, step in enumerate(way.steps, 1):
        edge = step.edge
        when = f" if {when_text(edge)}" if edge.when else ""
        asked = ""
        if step.judged is not None and step.judged.level == "confirm":
            asked = f"; a person is asked: {_why(step)}"
        told = f"{gesture_text(edge, 80)}{when}  -> {place_text(utg, edge.target)}"
        yield f"  {number}. {told}  ({counts_text(edge)}{asked})"


def _missing_lines(utg: "UTG", missing: "Missing") -> Iterator[str]:
    yield "no way is known"
    for goal in missing.unknown:
        yield f"  the map has no screen {line(goal, 100)}"
    for step in missing.denied:
        yield f"  denied: {_step_text(utg, step)}: {_why(step)}"
    if missing.heads:
        heads = ", ".join(_place(utg, name) for name in missing.heads)
        yield f"  missing: a gesture that leads to {heads}"
    for name, way in missing.ends:
        steps = ", ".join(_short(step) for step in way.steps)
        yield f"  near: {_place(utg, name)}, by {steps}"


def _place(utg: "UTG", name: str) -> str:
    from vsalang.agents.maps.drawing import place_text
    from vsalang.agents.maps.screen_graph import is_anywhere

    return place_text(utg, name) if name in utg.screens or is_anywhere(name) else line(name, 60)


def _step_text(utg: "UTG", step: "Step") -> str:
    from vsalang.agents.maps.drawing import place_text

    return f"{_short(step)} on {_place(utg, step.screen)} -> {place_text(utg, step.edge.target)}"


def _short(step: "Step") -> str:
    """What is done; where conditions alone say to what, with the text that they want there."""
    from dataclasses import replace

    from vsalang.agents.maps.drawing import gesture_text
    from vsalang.agents.maps.telling import named_gesture

    return gesture_text(replace(step.edge, gesture=named_gesture(step.edge) or step.edge.gesture), 60)


def _why(step: "Step") -> str:
    assert step.judged is not None
    return f"{step.judged.rule}: {line(step.judged.message, 200)}"


def data(found: "Ways") -> dict[str, Any]:
    """Ways, or what is missing, for programs."""
    missing = found.missing
    return {
        "version": 1,
        "ways": [_way_data(way) for way in found.found],
        "denied": [_step_data(step) for step in found.denied],
        "missing": None
        if missing is None
        else {
            "unknown": list(missing.unknown),
            "heads": list(missing.heads),
            "near": [{"screen": name, "way": _way_data(way)} for name, way in missing.ends],
        },
    }


def _way_data(way: "Way") -> dict[str, Any]:
    return {
        "cost": round(way.cost, 6),
        "chance": round(way.chance, 6),
        "uncounted": way.uncounted,
        "steps": [_step_data(step) for step in way.steps],
    }


def _step_data(step: "Step") -> dict[str, Any]:
    from vsalang.agents.maps.drawing import gesture_text, when_text

    judged = step.judged
    return {
        "screen": step.screen,
        "gesture": gesture_text(step.edge, 400),
        "when": when_text(step.edge, 1000),
        "target": step.edge.target,
        "tried": step.edge.tried,
        "worked": step.edge.worked,
        "judged": None
        if judged is None
        else {"level": judged.level, "rule": judged.rule, "message": judged.message},
    }
