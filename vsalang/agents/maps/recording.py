"""Reads the steps of recorded walks as moves from screen to screen. Steps after which the screen goes on changing by
itself are not moves: their results are not known."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from vsalang.agents.maps.beneath import screens_after
from vsalang.agents.maps.gestures import gesture_on
from vsalang.agents.maps.moves import Move, Recording, Told
from vsalang.agents.maps.programs import Reader
from vsalang.agents.maps.screen_graph import Screen, UTGError
from vsalang.agents.walks import Walk, WalkError, WalkStep
from vsalang.base.records import dataclass
from vsalang.program.action import GESTURES, Action
from vsalang.program.ir import Atom
from vsalang.program.screen import Cells

LOOKING_ON: Final = frozenset({"wait", "finish", "give_up", "answer"})
"""Actions after which one only looks on."""
_GESTURES: Final = GESTURES | {"shell"}


def recorded(walks: Iterable[Walk], reader: Reader | None = None, tell: Told | None = None) -> Recording:
    """The moves of walks.

    Raises:
        UTGError: a step is not understood.
    """
    reader = reader or Reader()
    package = reader.packages[0] if len(reader.packages) == 1 else ""
    parts = []
    for walk in walks:
        parts.append(record(_steps(walk, package, tell), reader, walk.name))
    return Recording(
        tuple(screen for part in parts for screen in part.screens),
        tuple(move for part in parts for move in part.moves),
        sum(part.unsettled for part in parts),
        sum(part.unclear for part in parts),
    )


def _steps(walk: Walk, package: str, tell: Told | None) -> Iterator[WalkStep]:
    total = len(walk.steps)
    for index in range(total):
        if tell is not None:
            tell(f"{walk.name}: step {index + 1} of {total}")
        try:
            yield walk.taken(index, package)
        except WalkError as error:
            raise UTGError(str(error)) from error


@dataclass(frozen=True, slots=True)
class _Open:
    """A step whose result is not yet known.

    Attributes:
        gesture: with all that is known of it; None: it cannot be named.
        ended: the name of the screen that was seen right after it; empty: none was.
        beneath: the name of the screen beneath the source; empty: nobody knows.
    """

    source: Screen
    gesture: tuple[Atom, Cells] | None
    predicted: frozenset[str]
    ended: str
    beneath: str


def record(steps: Iterable[WalkStep], reader: Reader, name: str = "") -> Recording:
    """The moves of the steps of one session.

    A step is a move if it is one gesture, and the screen that came of it is the one on which the next step began: where
    a log says both, they are compared; where a look was followed by another without a gesture, these are.
    """
    reader.begin()
    screens: dict[str, Screen] = {}
    moves: list[Move] = []
    unsettled = unclear = 0
    open_: _Open | None = None
    last_screens: tuple[str, ...] = ()
    for number, step in enumerate(steps, 1):
        if step.screen is None:
            unclear += open_ is not None
            open_ = None
            continue
        here = reader.screen(step.screen, f"{name}#{number}" if name else "")
        screens[here.name] = screens[here.name].joined(here) if here.name in screens else here
        actions = [action for action in step.actions if action.name not in LOOKING_ON]
        last_screens = screens_after(
            last_screens, open_.gesture[0] if open_ is not None and open_.gesture else None, here.name
        )
        if open_ is not None:
            if open_.ended and open_.ended != here.name:
                unsettled += 1
                open_ = None
            elif actions:
                moves += _moved(open_, here)
                unclear += open_.gesture is None
            else:
                open_ = replace(open_, ended=here.name)
        if actions:
            open_ = _begun(step, actions, here, reader, last_screens[1] if len(last_screens) > 1 else "")
    if open_ is not None and open_.ended in screens:
        moves += _moved(open_, screens[open_.ended])
        unclear += open_.gesture is None
    return Recording(tuple(screens.values()), tuple(moves), unsettled, unclear)


def _begun(step: WalkStep, actions: Sequence[Action], here: Screen, reader: Reader, beneath: str) -> _Open:
    gestures = [action for action in actions if action.name in _GESTURES]
    only = gestures[0] if len(gestures) == 1 else None
    named = gesture_on(only, step.screen) if only is not None else None
    predicted = reader.predicted(actions) if named is not None else frozenset()
    ended = reader.screen(step.ended, "").name if step.ended is not None else ""
    return _Open(here, named, predicted, ended, beneath)


def _moved(open_: _Open, target: Screen) -> list[Move]:
    if open_.gesture is None:
        return []
    return [Move(open_.source, open_.gesture[0], target, open_.gesture[1], open_.predicted, open_.beneath)]
