"""The options by which a command tells an agent its next steps on a map, and writes the corrected map."""

from collections.abc import Sequence
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

import click

from vsalang.base.records import dataclass
from vsalang.program.text import line
from vsalang.tools.cli.common import F, Failure
from vsalang.tools.cli.output import (
    echo,
    redactor_in_force,
    refuse_to_lose,
    refuse_to_replace,
    write_new,
    write_text,
)

if TYPE_CHECKING:
    from vsalang.agents.maps import UTG, Screen
    from vsalang.agents.session.step_hints import Hints
    from vsalang.program.ir import Program

MOST_EDGES: Final = 50_000
"""Edges of a map for hints: on more it takes seconds to find out that there is no way."""
_NEAREST: Final = 3


@dataclass(frozen=True, slots=True)
class HintOptions:
    """What was given of ``--plan``, ``--goal``, ``--plan-out`` and ``--force``."""

    sources: tuple[str, ...]
    goals: tuple[str, ...]
    output: str | None
    force: bool

    def check(self) -> None:
        """See that the options agree, and that the map can be written.

        Raises:
            UsageError, Failure: it is not so.
        """
        from vsalang.agents.maps.jsonform import SUFFIX

        if not self.sources:
            for name, given in (("--goal", self.goals), ("--plan-out", self.output), ("--force", self.force)):
                if given:
                    raise click.UsageError(f"{name} needs --plan.")
            return
        if self.force and self.output is None:
            raise click.UsageError("--force needs --plan-out.")
        if self.output is not None:
            if not self.output.endswith(SUFFIX):
                raise Failure(f"{self.output} is not a name of a map", f"maps are called NAME{SUFFIX}")
            refuse_to_replace(self.output, self.force)
            refuse_to_lose(self.output, ())  # the map itself may be replaced by the corrected one

    def hints(self, program: "Program", *, machine: bool) -> "Hints | None":
        """The hints of a session of a program; None: none are wanted.

        Raises:
            Failure: the map cannot be used, or it is not sure which screen is meant.
        """
        if not self.sources:
            return None
        from vsalang.agents.maps import GuardPolicies, Navigator, SparingPolicies
        from vsalang.agents.session.step_hints import Hints
        from vsalang.tools.cli.utg_sources import made

        for source in self.sources:
            if Path(source).exists() and not source.endswith((".vsa", ".json")):
                raise Failure(
                    f"{line(source, 200)} is not a map",
                    f"`vsac map build {line(source, 200)} -o NAME.utg.json` makes one",
                )
        utg = made(self.sources, None, machine=machine)
        if len(utg.edges) > MOST_EDGES:
            raise Failure(
                f"the map has {len(utg.edges)} edges, and hints are given on at most {MOST_EDGES}",
                "make a map of the apps of this task",
            )
        goals = _named(utg, self.goals) if self.goals else _goals(program, utg)
        navigator = Navigator(utg, goals, avoid=SparingPolicies(GuardPolicies(program)))
        return Hints(navigator, warn=lambda why: echo(f"warning: there are no more hints: {why}", err=True))

    def write(self, hints: "Hints | None") -> None:
        """Write the corrected map, if that is wanted. Raises `Failure` if it cannot be."""
        if hints is None or self.output is None:
            return
        from vsalang.agents.maps.jsonform import to_json

        utg = without_secrets(hints.corrected())
        write = write_text if self.force else write_new
        write(Path(self.output), to_json(utg))
        echo(f"{self.output} written: {len(utg.screens)} screens, {len(utg.edges)} edges", err=True)


def without_secrets(utg: "UTG") -> "UTG":
    """The map without the secrets that were read or typed, where this command replaces them."""
    redactor = redactor_in_force()
    if redactor is None:
        return utg
    from vsalang.agents.maps.screen_graph import MAX_TEXT
    from vsalang.program.ir import Const
    from vsalang.program.walk import rewrite

    def hidden(part: Any) -> Any:
        known = isinstance(part, Const) and isinstance(part.value, str)
        return replace(part, value=redactor.text(part.value)) if known else part

    def texts(screen: "Screen") -> tuple[str, ...]:
        return tuple(line(text, MAX_TEXT) for text in redactor.texts(list(screen.texts)))

    return replace(
        utg,
        screens={name: replace(screen, texts=texts(screen)) for name, screen in utg.screens.items()},
        edges=tuple(
            replace(edge, gesture=rewrite(edge.gesture, hidden), when=rewrite(edge.when, hidden))
            for edge in utg.edges
        ),
    )


def _named(utg: "UTG", goals: Sequence[str]) -> tuple[str, ...]:
    from vsalang.tools.cli.utg_way import named

    return tuple(named(utg, goal) for goal in goals)


def _goals(program: "Program", utg: "UTG") -> tuple[str, ...]:
    """The screens that the task is about.

    Raises:
        Failure: nobody can tell, or the map has none of them.
    """
    from vsalang.agents.maps import exact, ranked, select

    instruction = program.modules[program.main].doc
    # by words only the first is meant: the others are those that follow it
    found = [each.screen for each in exact(program) or select(instruction, utg, program, 1)]
    known = tuple(name for name in found if name in utg.screens)
    if known:
        return known
    if found:
        raise Failure(
            f"the map has no screen {line(found[0], 200)}, which the task is about",
            "add the task's app module to the map (--plan MODULE), or name a screen of the map (--goal)",
        )
    near = [each.screen for each in ranked(instruction, utg, program)[:_NEAREST]]
    nearest = f"; the nearest are {', '.join(line(name, 100) for name in near)}" if near else ""
    raise Failure(
        f"it is not sure which screen of the map the task is about{nearest}", "name it with --goal SCREEN"
    )


_OPTIONS: Final = (
    click.option(
        "--plan",
        "plan_sources",
        multiple=True,
        metavar="MAP",
        help="Tell the agent its next steps on this map (.utg.json, or an app module); repeatable. It permits nothing.",
    ),
    click.option(
        "--goal",
        "plan_goals",
        multiple=True,
        metavar="SCREEN",
        help="With --plan: the screen to come to; repeatable. [default: those that SPEC is about]",
    ),
    click.option(
        "--plan-out",
        "plan_output",
        metavar="FILE",
        help="With --plan: at the end write the map, corrected by what was seen.",
    ),
    click.option("--force", "plan_force", is_flag=True, help="Replace the file of --plan-out if it exists."),
)


def hint_options(function: F) -> F:
    """The options of hints (parameter `hinting`)."""

    @wraps(function)
    def call(
        *args: Any,
        plan_sources: tuple[str, ...],
        plan_goals: tuple[str, ...],
        plan_output: str | None,
        plan_force: bool,
        **more: Any,
    ) -> Any:
        given = HintOptions(plan_sources, plan_goals, plan_output, plan_force)
        given.check()
        return function(*args, hinting=given, **more)

    decorated: Any = call
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return cast(F, decorated)
