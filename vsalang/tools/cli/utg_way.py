"""``vsac map way``: the cheapest ways on a map from a screen to a screen, or what is missing."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from vsalang.agents.maps import ANY, UTG, Missing, Step, Way, Ways, route
from vsalang.agents.maps.drawing import counts_text, gesture_text, place_text, when_text
from vsalang.agents.maps.screen_graph import is_anywhere
from vsalang.agents.maps.telling import named_gesture
from vsalang.base.diagnostics.display import count
from vsalang.base.options import argument, option
from vsalang.base.records import dataclass
from vsalang.base.report import Report, Result
from vsalang.base.source.suggest import did_you_mean
from vsalang.guard.examples import StoryError
from vsalang.program.text import line
from vsalang.tools.cli import frame, utg_sources
from vsalang.tools.cli.common import EXIT_FINDINGS, EXIT_OK, Failure
from vsalang.tools.cli.utg_sources import made, policies_of

ANYWHERE = "anywhere"


@dataclass(frozen=True, slots=True)
class WayOptions:
    """Between which screens of which map a way is looked for."""

    source: str = argument("SOURCE")
    start: str = argument("START")
    goals: tuple[str, ...] = argument("GOAL")
    app: str | None = utg_sources.app()
    policies: tuple[str, ...] = option(
        "--policy",
        default=(),
        metavar="FILE",
        help="Gestures that this policy denies are on no way; repeatable.",
    )
    number: int = option(
        "-k", least=1, most=100, default=1, metavar="N", help="How many ways to show, the cheapest first."
    )


@frame.as_command("text", "json")
def way(options: WayOptions) -> Report:
    """Show the cheapest way on the map SOURCE from screen START to a GOAL, by what worked before.

    START is a screen, or `anywhere`. Without a way: the nearest screens that can be reached, and what is missing. A way
    is a hint: each step of it is judged when it is made.

    Exit status: 0 a way was found, 1 none is known, 2 SOURCE cannot be used or has no screen START.
    """
    utg = made([options.source], options.app)
    begin = ANY if options.start == ANYWHERE else named(utg, options.start)
    ends = tuple(_goal(utg, goal) for goal in options.goals)
    try:
        ways = route(
            utg,
            begin,
            ends,
            avoid=policies_of(options.source, options.app, options.policies),
            k=options.number,
        )
    except StoryError as error:
        raise Failure(f"a gesture cannot be judged: {error}") from error
    status = EXIT_OK if ways.ways else EXIT_FINDINGS
    return Result(partial(data, ways), lambda style: lines(utg, begin, ways), status)


def named(utg: UTG, name: str) -> str:
    """The screen that a name means: whole, without its module, or what pictures call it.

    Raises:
        Failure: none, or several.
    """
    if name in utg.screens or name in utg.by_source:
        return name
    titles: dict[str, list[str]] = {}
    for screen in utg.screens.values():
        titles.setdefault(screen.title, []).append(screen.name)
    names = titles.get(name, [])
    if len(names) == 1:
        return names[0]
    if names:
        raise Failure(f"{name} may be each of {', '.join(names)}", "give the whole name")
    meant = did_you_mean(name, [*titles, *utg.screens])
    raise Failure(f"the map has no screen {name}", meant or "`vsac map show` names the screens of a map")


def _goal(utg: UTG, name: str) -> str:
    """The goal as the map names it. One that the map does not know stays: what is known nearby is shown."""
    titles = [screen.title for screen in utg.screens.values()]
    return named(utg, name) if name in utg.screens or name in titles else name


# ---------------------------------------------------------------- words


def lines(utg: UTG, start: str, ways: Ways) -> Iterator[str]:
    """Ways, or what is missing, for people."""
    for way in ways.ways:
        yield from _way_lines(utg, start, way)
    for step in ways.denied if ways.ways else ():
        yield f"denied, and on no way: {_step_text(utg, step)}: {_why(step)}"
    if ways.missing is not None:
        yield from _missing_lines(utg, ways.missing)


def _way_lines(utg: UTG, start: str, way: Way) -> Iterator[str]:
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
        text = f"{gesture_text(edge, 80)}{when}  -> {place_text(utg, edge.target)}"
        yield f"  {number}. {text}  ({counts_text(edge)}{asked})"


def _missing_lines(utg: UTG, missing: Missing) -> Iterator[str]:
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


def _place(utg: UTG, name: str) -> str:
    return place_text(utg, name) if name in utg.screens or is_anywhere(name) else line(name, 60)


def _step_text(utg: UTG, step: Step) -> str:
    return f"{_short(step)} on {_place(utg, step.screen)} -> {place_text(utg, step.edge.target)}"


def _short(step: Step) -> str:
    """What is done; where conditions alone say to what, with the text that they want there."""
    return gesture_text(replace(step.edge, gesture=named_gesture(step.edge) or step.edge.gesture), 60)


def _why(step: Step) -> str:
    assert step.judged is not None
    return f"{step.judged.rule}: {line(step.judged.message, 200)}"


def data(ways: Ways) -> dict[str, Any]:
    """Ways, or what is missing, for programs."""
    missing = ways.missing
    return {
        "version": 1,
        "ways": [_way_data(way) for way in ways.ways],
        "denied": [_step_data(step) for step in ways.denied],
        "missing": None
        if missing is None
        else {
            "unknown": list(missing.unknown),
            "heads": list(missing.heads),
            "near": [{"screen": name, "way": _way_data(way)} for name, way in missing.ends],
        },
    }


def _way_data(way: Way) -> dict[str, Any]:
    return {
        "cost": round(way.cost, 6),
        "chance": round(way.chance, 6),
        "uncounted": way.uncounted,
        "steps": [_step_data(step) for step in way.steps],
    }


def _step_data(step: Step) -> dict[str, Any]:
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
