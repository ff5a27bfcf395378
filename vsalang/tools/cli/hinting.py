"""Next steps on a map, for the commands that tell an agent: which map, to which screens, and how it is corrected."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from vsalang.agents.maps import (
    UTG,
    GuardPolicies,
    Navigator,
    Screen,
    SparingPolicies,
    exact,
    ranked,
    select,
)
from vsalang.agents.maps.jsonform import to_json
from vsalang.agents.maps.screen_graph import MAX_TEXT
from vsalang.agents.session.step_hints import Hints
from vsalang.program.ir import Const, Program
from vsalang.program.text import line
from vsalang.program.walk import rewrite
from vsalang.tools.cli.common import Failure
from vsalang.tools.cli.output import (
    echo,
    redactor_in_force,
    write_new,
    write_text,
)
from vsalang.tools.cli.utg_sources import made
from vsalang.tools.cli.utg_way import named

MOST_EDGES: Final = 50_000
"""Edges of a map for hints: on more it takes seconds to find out that nothing leads there."""
_NEAREST: Final = 3


def hints_on(sources: Sequence[str], goals: Sequence[str], program: Program) -> Hints:
    """The hints of a session of a program, on these maps.

    Args:
        goals: the screens to come to; none: those that the program is about.

    Raises:
        Failure: the map cannot be used, or it is not sure which screen is meant.
    """
    for source in sources:
        if Path(source).exists() and not source.endswith((".vsa", ".json")):
            raise Failure(
                f"{line(source, 200)} is not a map",
                f"`vsac map build {line(source, 200)} -o NAME.utg.json` makes one",
            )
    utg = made(sources, None)
    if len(utg.edges) > MOST_EDGES:
        raise Failure(
            f"the map has {len(utg.edges)} edges, and hints are given on at most {MOST_EDGES}",
            "make a map of the apps of this task",
        )
    wanted = _named(utg, goals) if goals else _goals(program, utg)
    navigator = Navigator(utg, wanted, avoid=SparingPolicies(GuardPolicies(program)))
    return Hints(navigator, warn=lambda why: echo(f"warning: there are no more hints: {why}", err=True))


def write_corrected(hints: Hints, output: str, *, replaces: bool) -> None:
    """Write the corrected map. Raises `Failure` if it cannot be."""
    utg = without_secrets(hints.corrected())
    write = write_text if replaces else write_new
    write(Path(output), to_json(utg))
    echo(f"{output} written: {len(utg.screens)} screens, {len(utg.edges)} edges", err=True)


def hints_of_program(program: Program) -> Hints | None:
    """Hints on the map that a program's own app modules make, to the screens that its task is about; None: they say
    too little for it."""
    utg = UTG.from_program(program)
    goals = tuple(each.screen for each in exact(program) if each.screen in utg.screens)
    if not goals or not utg.edges or len(utg.edges) > MOST_EDGES:
        return None
    return Hints(Navigator(utg, goals, avoid=SparingPolicies(GuardPolicies(program))))


def without_secrets(utg: UTG) -> UTG:
    """The map without the secrets that were read or typed, where this command replaces them."""
    redactor = redactor_in_force()
    if redactor is None:
        return utg

    def hidden(part: Any) -> Any:
        known = isinstance(part, Const) and isinstance(part.value, str)
        return replace(part, value=redactor.text(part.value)) if known else part

    def texts(screen: Screen) -> tuple[str, ...]:
        return tuple(line(text, MAX_TEXT) for text in redactor.texts(list(screen.texts)))

    return replace(
        utg,
        screens={name: replace(screen, texts=texts(screen)) for name, screen in utg.screens.items()},
        edges=tuple(
            replace(edge, gesture=rewrite(edge.gesture, hidden), when=rewrite(edge.when, hidden))
            for edge in utg.edges
        ),
    )


def _named(utg: UTG, goals: Sequence[str]) -> tuple[str, ...]:
    return tuple(named(utg, goal) for goal in goals)


def _goals(program: Program, utg: UTG) -> tuple[str, ...]:
    """The screens that the task is about.

    Raises:
        Failure: nobody can tell, or the map has none of them.
    """
    instruction = program.modules[program.main].doc
    # by words only the first is meant: the others are those that follow it
    names = [each.screen for each in exact(program) or select(instruction, utg, program, 1)]
    known = tuple(name for name in names if name in utg.screens)
    if known:
        return known
    if names:
        raise Failure(
            f"the map has no screen {line(names[0], 200)}, which the task is about",
            "add the task's app module to the map (--plan MODULE), or name a screen of the map (--goal)",
        )
    near = [each.screen for each in ranked(instruction, utg, program)[:_NEAREST]]
    nearest = f"; the nearest are {', '.join(line(name, 100) for name in near)}" if near else ""
    raise Failure(
        f"it is not sure which screen of the map the task is about{nearest}", "name it with --goal SCREEN"
    )
