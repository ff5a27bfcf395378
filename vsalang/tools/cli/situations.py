"""Programs and states that commands ask about: loaded as the command line names them, and in colours."""

import datetime as dt
from typing import TYPE_CHECKING

import click

from vsalang.tools.cli.common import complain, load_in_force, module_file, similarity_in_force, use_color

if TYPE_CHECKING:
    from vsalang.tools.ask import Place, Situation

_PAINT = {
    "met": {"fg": "green"},
    "unmet": {"fg": "red"},
    "unknown": {"fg": "yellow"},
    "head": {"bold": True},
    "dim": {"dim": True},
}


def load_place(file: str, policies: tuple[str, ...], *, machine: bool = False) -> "Place | None":
    """The program of a file or shipped module; None if it has errors, which were shown (to a `machine` as JSON)."""
    from vsalang.tools.ask import Place

    loaded = load_in_force(module_file(file), policies)
    if loaded.program is not None:
        return Place(loaded, similarity_in_force(file))
    complain(loaded.errors, loaded.sources, machine=machine)
    return None


def situation_of(
    place: "Place", states: tuple[str, ...], test: str, step: int | None, clock: dt.datetime | None
) -> "Situation":
    """The situation that options name.

    Raises:
        AskError: one of them cannot be read.
        Wrong: steps that have mistakes.
    """
    from vsalang.tools.ask import AskError, Situation, read_state

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
        situation = situation.then(read.moves, " then ".join(read.said))
    return situation.at(clock) if clock is not None else situation


def paint(text: str, how: str) -> str:
    """A text in the colour of its kind, if there are colours."""
    return click.style(text, **_PAINT[how]) if use_color() else text  # type: ignore[arg-type]
