"""Which edges a policy denies: each gesture is shown to a guard, on a screen made of what the map knows of it.

The guard judges, nothing else does. What a policy asks of states that a map does not know is not met here, and judged
when the step is made.
"""

from collections.abc import Iterator
from typing import Protocol

from vsalang.agents.maps.gestures import cells_of
from vsalang.agents.maps.screen_graph import Edge, Screen
from vsalang.base.records import dataclass
from vsalang.guard.examples import Story
from vsalang.program.action import POINTING, Action
from vsalang.program.example import Example, Fact, Part, Turn
from vsalang.program.ir import Atom, Const, Lit, Program
from vsalang.program.values import Value
from vsalang.program.walk import parts

_NODES = frozenset({"Node", "Part"})
_OTHER = frozenset({"value", "direction", "duration", "x", "y", "x2", "y2", "leaf", "covered", "node", "of"})
_WIDE = 100


@dataclass(frozen=True, slots=True)
class EdgeVerdict:
    """What policies say of an edge.

    Attributes:
        level: ``deny``: a rule forbids it; ``confirm``: a person is asked, or it could not be judged; ``allow``: none
            of these.
        rule: the id of that rule; empty: there is none.
        message: what it says. It may quote what strangers wrote.
    """

    level: str = "allow"
    rule: str = ""
    message: str = ""


class Policies(Protocol):
    """Says what policies say of an edge that is taken on a screen (None: nobody knows on which)."""

    def __call__(self, edge: Edge, screen: Screen | None) -> EdgeVerdict: ...


class SparingPolicies:
    """Policies that are asked about each edge once, and about so many at most, for hints.

    A map may name thousands of edges that are denied. What is not said of an edge here the guard says when the step is
    made; so it does no harm either if an edge is none that the policies could be asked about.

    Args:
        policies: are asked.
        most: about so many edges at most; of others they say nothing.
    """

    def __init__(self, policies: Policies, most: int = 200) -> None:
        self._policies = policies
        self._most = most
        self._verdicts: dict[tuple[object, str], EdgeVerdict] = {}

    def __call__(self, edge: Edge, screen: Screen | None) -> EdgeVerdict:
        key = (edge.key, screen.name if screen is not None else "")
        if key not in self._verdicts:
            if len(self._verdicts) >= self._most:
                return EdgeVerdict()
            try:
                self._verdicts[key] = self._policies(edge, screen)
            except Exception:
                self._verdicts[key] = EdgeVerdict()
        return self._verdicts[key]


class GuardPolicies:
    """The policies of a program, as its guard judges.

    Args:
        program: an app module, policy or spec with the policies in force. Only rules that `deny` or `confirm` count:
            what a task permits is not a matter of a map.
    """

    def __init__(self, program: Program) -> None:
        self._program = program

    def __call__(self, edge: Edge, screen: Screen | None) -> EdgeVerdict:
        """See `Policies`.

        Raises:
            StoryError: the screen cannot be made.
        """
        story = Story.begin(self._program, Example("", self._program.main, ()))
        turn = Turn("turn", tuple(self._screen_parts(edge, screen)))
        if turn.parts:
            story.step(turn)
        name = edge.gesture.relation
        cells: dict[str, Value] = {} if name in POINTING else cells_of(edge.gesture)
        if name in POINTING:
            cells = {key: value for key, value in cells_of(edge.gesture).items() if key == "direction"}
            cells["node"] = 1
        verdict = story.guard.propose(Action(name, cells))
        for level in ("deny", "confirm"):
            for reason in verdict.reasons:
                if reason.kind == level:
                    return EdgeVerdict(level, reason.rule, reason.message)
        failed = next((reason.message for reason in verdict.reasons if reason.kind == "error"), None)
        return EdgeVerdict() if failed is None else EdgeVerdict("confirm", message=failed)

    def _screen_parts(self, edge: Edge, screen: Screen | None) -> Iterator[Part]:
        """What the screen shows: the widget, what its rule says stands in it, and the texts that were read."""
        package = self._package(screen)
        if package:
            yield Part("observe", Fact("App", {"package": package}))
        if screen is not None and screen.name in self._program.relations:
            yield Part("observe screen", Fact(screen.name))
        if edge.gesture.relation in POINTING:
            own = {key: value for key, value in cells_of(edge.gesture).items() if key not in _OTHER}
            yield self._node(1, package, {"clickable": True, "enabled": True, **own})
            inner = [cells for literal in edge.when for cells in _node_cells(literal)]
            for number, cells in enumerate(inner, 2):
                yield self._node(number, package, {**cells, "parent": 1})
        else:
            inner = []
        for number, text in enumerate(screen.texts if screen is not None else (), len(inner) + 2):
            yield self._node(number, package, {"text": text})

    def _node(self, number: int, package: str, cells: dict[str, Value]) -> Part:
        place = {"left": 0, "right": _WIDE, "top": number * _WIDE, "bottom": (number + 1) * _WIDE}
        known = {"package": package} if package else {}
        return Part("observe", Fact("Node", {"node": number, **place, **known, **cells}))

    def _package(self, screen: Screen | None) -> str:
        """The package of a screen: the app is a package, or a module with one package."""
        if screen is None:
            return ""
        module = self._program.modules.get(screen.app)
        if module is None:
            return "" if screen.kind == "screen" else screen.app
        return module.packages[0] if len(module.packages) == 1 else ""


def _node_cells(literal: object) -> Iterator[dict[str, Value]]:
    """What a condition says of nodes by constants."""
    if isinstance(literal, Lit) and not literal.neg and not literal.past:
        for part in parts(literal):
            if isinstance(part, Atom) and part.relation in _NODES:
                cells = {
                    each.attr: each.term.value
                    for each in part.constraints
                    if each.op == "=" and isinstance(each.term, Const) and each.attr not in _OTHER
                }
                if cells:
                    yield cells
