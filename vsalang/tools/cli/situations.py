"""Programs and states that commands ask about: loaded as the command line names them, and in colours."""

import datetime as dt

import click

from vsalang.tools.ask import AskError, Place, Situation, read_state
from vsalang.tools.cli.common import load_in_force, module_file, similarity_in_force, use_color
from vsalang.tools.cli.frame import Unusable

_PAINT = {
    "met": {"fg": "green"},
    "unmet": {"fg": "red"},
    "unknown": {"fg": "yellow"},
    "head": {"bold": True},
    "dim": {"dim": True},
}


def load_place(file: str, policies: tuple[str, ...]) -> Place:
    """The program of a file or shipped module.

    Raises:
        Unusable: it has errors.
    """
    loaded = load_in_force(module_file(file), policies)
    if loaded.program is None:
        raise Unusable(loaded.errors, loaded.sources)
    return Place(loaded, similarity_in_force(file))


def situation_of(
    place: Place, states: tuple[str, ...], test: str, step: int | None, clock: dt.datetime | None
) -> Situation:
    """The situation that options name.

    Raises:
        AskError: one of them cannot be read.
        Wrong: steps that have mistakes.
    """
    situation = Situation()
    if not states and test:
        states = (f"{place.loaded.file}::{test}",)
        test = ""
    if step is not None and not states:
        raise AskError("--step needs a test or a journal: --test NAME or --state FILE")
    for number, name in enumerate(states):
        # the options about a test apply to the first state
        first = number == 0
        read = read_state(place, name, test=test if first else "", step=step if first else None)
        situation = situation.then(read.moves, " then ".join(read.sources))
    return situation.at(clock) if clock is not None else situation


def paint(text: str, how: str) -> str:
    """A text in the colour of its kind, if there are colours."""
    return click.style(text, **_PAINT[how]) if use_color() else text  # type: ignore[arg-type]
