"""Leads along a map to a goal, step by step; learns from what came, and finds a new way after a surprise."""

from collections import Counter
from collections.abc import Iterable
from typing import Final, Literal, TypeAlias

from vsalang.core.ir import Atom
from vsalang.planning.drawing import counts_text, gesture_text, place_text, when_text
from vsalang.planning.graph import UTG
from vsalang.planning.model import Edge, Graph, Screen, is_anywhere
from vsalang.planning.policies import Judged, Policies
from vsalang.planning.ways import Router, Step
from vsalang.records import dataclass

MOST_TRIES: Final = 2
"""So often an edge may lead elsewhere from one screen; then it is on no way from there."""
_SHOWN: Final = 5
"""Steps, or screens nearby, that a text names."""

Aim: TypeAlias = Literal["there", "way", "explore", "none"]
"""``there``: one is at a goal; ``way``: steps to a goal; ``explore``: no way is known, steps to a gesture that was not
yet made; ``none``: nothing is left to try."""


@dataclass(frozen=True, slots=True)
class Hint:
    """What to do next, as a map has it. It decides nothing: each step is judged when it is made.

    Attributes:
        aim: what the steps are for.
        steps: from the screen that shows; of `explore` the last is the gesture that was not yet made.
        near: screens that two gestures lead to, with how many it takes; only where no way is known.
        text: one printable line for an agent. What apps wrote is quoted in it and cut.
    """

    aim: Aim
    steps: tuple[Step, ...] = ()
    near: tuple[tuple[str, int], ...] = ()
    text: str = ""


class Navigator:
    """Leads along one map to one of several goals, for one session.

    Args:
        utg: the map; what is seen corrects a copy of it (`utg`).
        goals: names of screens.
        avoid: edges that these deny are on no way.

    Each edge is tried at most `MOST_TRIES` times from one screen without leading where the map says, so the hints come
    to an end, whatever the map claims.
    """

    def __init__(self, utg: UTG, goals: Iterable[str], *, avoid: Policies | None = None) -> None:
        self.utg = utg
        self.goals = tuple(dict.fromkeys(goals))
        self._avoid = avoid
        self._failed: Counter[tuple[str, Atom, str]] = Counter()
        self._made: set[tuple[str, Atom]] = set()

    def hint(self, screen: str) -> Hint:
        """The next steps from the screen that shows."""
        if screen in self.goals:
            return Hint("there", text="this is the screen to come to")
        router = Router(self.utg)
        found = router.route(screen, self.goals, avoid=self._judged).found
        if found:
            return Hint("way", found[0].steps, text=_way_text(self.utg, found[0].steps))
        near = tuple((name, steps) for name, steps in self.utg.near(screen, 2).items() if steps)
        steps = self._unmade(router, screen)
        aim: Aim = "explore" if steps else "none"
        return Hint(aim, steps, near, _no_way_text(self.utg, steps, near))

    def saw(self, source: Screen | str, gesture: Atom, target: Screen | str) -> None:
        """A gesture was made on a screen, and this screen came of it."""
        here, came = (end.name if isinstance(end, Screen) else end for end in (source, target))
        for edge in self.utg.leaving(here):
            if edge.gesture == gesture and edge.target != came:
                self._failed[here, gesture, edge.target] += 1
        self._made.add((here, gesture))
        self.utg = self.utg.observe(source, gesture, target)

    def _judged(self, edge: Edge, screen: Screen | None) -> Judged:
        if screen is not None and self._failed[screen.name, edge.gesture, edge.target] >= MOST_TRIES:
            return Judged("deny", "", "it led elsewhere before")
        return self._avoid(edge, screen) if self._avoid is not None else Judged()

    def _unmade(self, router: Router, screen: str) -> tuple[Step, ...]:
        """The cheapest way to a gesture that was not made on its screen in this session, and that gesture."""
        reached = {screen: 0.0, **router.reachable(screen)}
        for name in sorted(reached, key=lambda name: (reached[name], name)):
            here = self.utg.screens.get(name)
            for edge in self.utg.leaving(name):
                # what starts anywhere does the same there as here
                if (name, edge.gesture) in self._made or (is_anywhere(edge.source) and name != screen):
                    continue
                judged = self._judged(edge, here)
                if judged.level == "deny":
                    continue
                way = router.route(screen, [name], avoid=self._judged).found
                if way:
                    return (*way[0].steps, Step(name, edge, judged))
        return ()


def _way_text(utg: Graph, steps: tuple[Step, ...]) -> str:
    tried = [step.edge for step in steps if step.edge.tried]
    rare = min(tried, key=lambda edge: edge.worked / edge.tried, default=None)
    counted = (
        f"; of its steps the least sure {counts_text(rare)}" if rare is not None else "; not counted yet"
    )
    number = "1 step" if len(steps) == 1 else f"{len(steps)} steps"
    return f"{number} left: {_steps_text(steps)}, to {place_text(utg, steps[-1].edge.target)}{counted}"


def _no_way_text(utg: Graph, steps: tuple[Step, ...], near: tuple[tuple[str, int], ...]) -> str:
    said = ["no way is known"]
    if steps:
        said.append(f"not tried yet: {_steps_text(steps)}")
    if near:
        places = ", ".join(f"{place_text(utg, name)} ({number})" for name, number in near[:_SHOWN])
        said.append(f"screens nearby, by how many gestures: {places}")
    return "; ".join(said)


def _steps_text(steps: tuple[Step, ...]) -> str:
    shown = [
        f"{gesture_text(step.edge, 60)}{f' if {when_text(step.edge, 80)}' if step.edge.when else ''}"
        for step in steps[:_SHOWN]
    ]
    return ", ".join([*shown, ".."] if len(steps) > _SHOWN else shown)
