"""Leads along a map to a goal, step by step; learns from what came, and finds a new way after a surprise."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final, TypeAlias

from vsalang.agents.maps.beneath import Returns, screens_after
from vsalang.agents.maps.gestures import fits
from vsalang.agents.maps.graph import UTG
from vsalang.agents.maps.moves import Move
from vsalang.agents.maps.policies import EdgeVerdict, Policies
from vsalang.agents.maps.screen_graph import Edge, Screen, is_anywhere
from vsalang.agents.maps.telling import agent_hint, named_gesture, no_way_text, there_text, way_text
from vsalang.agents.maps.ways import Router, Step
from vsalang.base.records import dataclass
from vsalang.guard.say.agent_hints import AgentHint, Aim
from vsalang.program.ir import Atom
from vsalang.program.screen import Cells

MOST_TRIES: Final = 2
"""So often an edge may lead elsewhere from one screen; then it is on no way from there."""

_Try: TypeAlias = tuple[str, object]
"""A screen, and the key of an edge that was taken there."""


@dataclass(frozen=True, slots=True)
class Hint:
    """What to do next, as a map has it. It decides nothing: each step is judged when it is made.

    Attributes:
        aim: what the steps are for.
        steps: from the screen that shows; of `explore` the last is the gesture that was not yet made.
        near: screens that two gestures lead to, with how many it takes; only where no way is known.
        text: one printable line for an agent, a sentence of `vsalang.program.phrases`. What apps wrote is quoted in it
            and cut.
    """

    aim: Aim
    steps: tuple[Step, ...] = ()
    near: tuple[tuple[str, int], ...] = ()
    text: str = ""

    def agent_hint(self, screen: str) -> AgentHint:
        """The hint as adapters show it.

        Args:
            screen: that it was given for.
        """
        return agent_hint(self.aim, self.text, screen, self.steps, self.near)


class Navigator:
    """Leads along one map to one of several goals, for one session.

    Args:
        utg: the map; what is seen corrects a copy of it (`utg`).
        goals: names of screens.
        avoid: edges that these deny are on no way.

    Each edge is tried at most `MOST_TRIES` times from one screen without leading where the map says, refusals
    included, so the hints come to an end, whatever the map claims.
    """

    def __init__(self, utg: UTG, goals: Iterable[str], *, avoid: Policies | None = None) -> None:
        self.utg = utg
        self.goals = tuple(dict.fromkeys(goals))
        self._avoid = avoid
        self._failed: Counter[_Try] = Counter()
        self._made: set[_Try] = set()
        self._held: set[_Try] = set()
        self._placed: dict[str, str] = {}
        self._screens: tuple[str, ...] = ()
        self._returns = Returns(utg)

    def placed(self, screen: Screen) -> Screen:
        """The screen of the map that a look is, or else nearly is (`UTG.nearest`); itself if it is neither.

        What a look was placed as it stays for this session.
        """
        known = self._placed.get(screen.name)
        if known is None:
            known = self._placed[screen.name] = (self.utg.nearest(screen) or screen).name
        return self.utg.screens.get(known, screen)

    def hint(self, screen: str) -> Hint:
        """The next steps from the screen that shows."""
        self._screens = screens_after(self._screens, None, screen)
        if screen in self.goals:
            return Hint("there", text=there_text())
        beneath = self._screens[1:]
        router = Router(self.utg)
        ways = router.route(screen, self.goals, beneath=beneath, avoid=self._judged).ways
        if not ways and any(edge.rare for edge in self.utg.edges):  # better than nothing
            router = Router(self.utg, rare=True)
            ways = router.route(screen, self.goals, beneath=beneath, avoid=self._judged).ways
        if ways:
            return Hint("way", ways[0].steps, text=way_text(self.utg, ways[0].steps))
        near = tuple((name, steps) for name, steps in self.utg.near(screen, 2).items() if steps)
        steps = self._unmade(router, screen)
        aim: Aim = "explore" if steps else "none"
        return Hint(aim, steps, near, no_way_text(self.utg, steps, near))

    def saw(
        self,
        source: Screen | str,
        gesture: Atom,
        target: Screen | str,
        *,
        cells: Cells | None = None,
        predicted: Iterable[str] = (),
    ) -> None:
        """A gesture was made on a screen, and this screen came of it; see `UTG.move` for what is given.

        It is a try of each edge that names it (`Move.by`), also of one that names its widget otherwise.
        """
        move = self.utg.move(source, gesture, target, cells=cells, predicted=predicted)
        here, after = move.source.name, move.target.name
        self._screens = screens_after(self._screens, None, here)
        move = replace(move, beneath=self._beneath(here))
        for edge in self._tries(move):
            if edge.target != after:
                self._failed[here, edge.key] += 1
        self.utg = self.utg.made(move)
        self._returns = Returns(self.utg)
        self._made.update((here, edge.key) for edge in self._tries(move))
        self._screens = screens_after(self._screens, gesture, after)
        self._held.clear()

    def refused(
        self,
        screen: Screen | str,
        gesture: Atom,
        *,
        cells: Cells | None = None,
        predicted: Iterable[str] = (),
    ) -> None:
        """A gesture was not made: the guard did not let it pass. The map stays as it is.

        The edges that name it are on no way from this screen until another gesture was made, for then the guard may
        judge otherwise; it counts as one of their `MOST_TRIES`.
        """
        move = self.utg.move(screen, gesture, screen, cells=cells, predicted=predicted)
        for edge in self._leaving(move.source.name):
            atom = named_gesture(edge)  # what the hint said to do, also if nothing like it is there
            if not move.by(edge) and (atom is None or not fits(atom, gesture.relation, move.cells)):
                continue
            key = move.source.name, edge.key
            self._failed[key] += 1
            self._made.add(key)
            self._held.add(key)

    def _beneath(self, screen: str) -> str:
        """The screen beneath this one; empty: nobody knows."""
        return self._screens[1] if self._screens[:1] == (screen,) and len(self._screens) > 1 else ""

    def _leaving(self, screen: str) -> Iterator[Edge]:
        """The edges that can be taken on a screen: what leads back leads to the screen that is beneath it now."""
        return self._returns.leaving(screen, self._beneath(screen))

    def _tries(self, move: Move) -> list[Edge]:
        return [edge for edge in self._leaving(move.source.name) if move.by(edge)]

    def _judged(self, edge: Edge, screen: Screen | None) -> EdgeVerdict:
        if screen is not None:
            key = screen.name, edge.key
            if key in self._held or self._failed[key] >= MOST_TRIES:
                return EdgeVerdict("deny", "", "it was refused, or led elsewhere before")
        return self._avoid(edge, screen) if self._avoid is not None else EdgeVerdict()

    def _unmade(self, router: Router, screen: str) -> tuple[Step, ...]:
        """The cheapest way to a gesture that was not made on its screen in this session, and that gesture."""
        beneath = self._screens[1:]
        reached = {screen: 0.0, **router.reachable(screen, beneath)}
        for name in sorted(reached, key=lambda name: (reached[name], name)):
            here = self.utg.screens.get(name)
            for edge in self._leaving(name):
                # what starts anywhere does the same there as here
                if (name, edge.key) in self._made or (is_anywhere(edge.source) and name != screen):
                    continue
                judged = self._judged(edge, here)
                if judged.level == "deny":
                    continue
                way = router.route(screen, [name], beneath=beneath, avoid=self._judged).ways
                if way:
                    return (*way[0].steps, Step(name, edge, judged))
        return ()
