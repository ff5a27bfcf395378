"""A map of an app as PDDL: one operator `go`, and the edges as facts; never one operator for each edge.

The planning problem is that of Agent+P (arXiv 2510.06042) in a lifted form. Costs are whole numbers in PDDL: those of
edges (`Edge.cost`) are given in thousandths.
"""

from collections.abc import Iterable, Iterator
from typing import Any, Final

from vsalang.agents.maps.beneath import Returns
from vsalang.agents.maps.gestures import cells_of
from vsalang.agents.maps.pddl.notation import Draft, Form, Names, Operator, Pddl, PddlOmission
from vsalang.agents.maps.screen_graph import Edge, Graph, UTGError
from vsalang.program.show import source

UNIT: Final = 1000
"""A cost of 1, in PDDL."""
MAX_EDGES: Final = 200_000
_GO: Final = "go"
_ARRIVE: Final = "arrive"


def of_map(
    utg: Graph,
    start: str,
    goals: Iterable[str],
    *,
    unit: bool = False,
    banned: frozenset[object] = frozenset(),
) -> Pddl:
    """The way from a screen to one of the goals as a planning problem.

    Args:
        start: a screen's name; one that the map does not know is left only by what starts anywhere.
        unit: each edge costs 1, whatever its counts say.
        banned: keys of edges that no way may take.

    Raises:
        UTGError: the map has none of the goals, or more than `MAX_EDGES` edges once those from anywhere are written
            out for each screen.
    """
    known = [goal for goal in dict.fromkeys(goals) if goal in utg.screens]
    if not known:
        raise UTGError("none of the goals is a screen of the map")
    names = Names("at", "edge", "cost", "screen", "gesture", "wanted", "arrived", _GO, _ARRIVE)
    draft = Draft("map", "A map of an app: screens, and the gestures that lead from one to another")
    draft.types = {"screen": "", "gesture": ""}
    between = [("?from", "screen"), ("?by", "gesture"), ("?to", "screen")]
    at = draft.predicate("at", [("?screen", "screen")], "the screen that shows")
    edge_name = draft.predicate("edge", between, "the gesture leads from one screen to the other")
    prices: dict[tuple[str, str, str], int] = {}
    objects: dict[str, Any] = {}

    def place(name: str) -> str:
        place_name = names.of(
            ("screen", name), utg.screens[name].title if name in utg.screens else "unknown screen"
        )
        draft.objects[place_name] = "screen"
        objects[place_name] = name
        return place_name

    number = 0
    dropped: dict[str, PddlOmission] = {}
    returns = Returns(utg)
    draft.fact(at, place(start))
    for name in (*utg.screens, *([start] if start not in utg.screens else [])):
        for edge in utg.leaving(name):
            if edge.target == name or edge.key in banned or edge.rare:
                continue
            if returns.get(edge) is not None:
                text = f"`{edge.gesture.relation}` leads back to the screen beneath: PDDL takes it to lead where it did"
                dropped.setdefault(text, PddlOmission(edge.rule or "an edge", text))
            number += 1
            if number > MAX_EDGES:
                raise UTGError(f"the map has more than {MAX_EDGES} edges", "plan on a smaller map")
            if edge.when:
                text = f"{edge.rule or 'an edge'} leads on only {_when(edge)}: PDDL takes it as if that held"
                dropped.setdefault(text, PddlOmission(edge.rule or "an edge", text))
            by = names.of(("gesture", edge.gesture, edge.when), _title(edge))
            draft.objects[by] = "gesture"
            objects[by] = edge.gesture
            step = (place(name), by, place(edge.target))
            objects["|".join(step)] = edge
            draft.fact(edge_name, *step)
            prices[step] = 1 if unit else round(edge.cost * UNIT)
    cost: Form = str(next(iter(prices.values()), UNIT))
    if len(set(prices.values())) > 1:
        draft.functions["cost"] = tuple(between)
        cost = ("cost", "?from", "?by", "?to")
        draft.start.update(
            dict.fromkeys(("=", ("cost", *step), str(price)) for step, price in prices.items())
        )
    draft.add(
        Operator(
            _GO,
            tuple(between),
            ("and", (at, "?from"), (edge_name, "?from", "?by", "?to")),
            (("not", (at, "?from")), (at, "?to")),
            cost,
            "make a gesture that leads to another screen",
        )
    )
    goal: Form = (at, place(known[0]))
    if len(known) > 1:
        wanted = draft.predicate("wanted", [("?screen", "screen")], "one of the screens to come to")
        goal = (draft.predicate("arrived"),)
        for name in known:
            draft.fact(wanted, place(name))
        here = ("and", (at, "?at"), (wanted, "?at"))
        draft.add(
            Operator(
                _ARRIVE, (("?at", "screen"),), here, (goal,), comment="one of the screens to come to shows"
            )
        )
    return draft.made(goal, objects, dropped.values())


def way_of(pddl: Pddl, steps: Iterable[tuple[str, ...]]) -> Iterator[tuple[str, Edge]]:
    """The edges of a plan for `of_map`, each with the screen on which it is taken."""
    for name, *args in steps:
        if name == _GO:
            yield pddl.objects[args[0]], pddl.objects["|".join(args)]


def _title(edge: Edge) -> str:
    words = " ".join(map(str, cells_of(edge.gesture).values()))
    return f"{edge.gesture.relation.rpartition(':')[2]} {words}"


def _when(edge: Edge) -> str:
    return f"when {', '.join(source(literal) for literal in edge.when)}"
