"""Ways on maps: as cheap as exhaustive search finds them, past what policies deny; what is missing if there is none."""

import math
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.agents.maps import making
from tests.agents.maps.making import edge, screen
from tests.thorough import times
from vsalang.agents.maps import UTG, Edge, Screen, Widget
from vsalang.agents.maps.gestures import atom
from vsalang.agents.maps.policies import EdgeVerdict, GuardPolicies, SparingPolicies
from vsalang.agents.maps.screen_graph import sources_at
from vsalang.agents.maps.ways import Router, Way, route
from vsalang.guard.judge.judging_steps import Judging
from vsalang.program.ir import Atom
from vsalang.program.show import source


def graph(*edges: Edge, more: str = "") -> UTG:
    names = {end for each in edges for end in (each.source, each.target) if "*" not in end} | set(more)
    return UTG({name: Screen(name, "state", "app") for name in sorted(names)}, edges)


def said(way: Way) -> list[str]:
    return [f"{step.screen} {source(step.edge.gesture)} {step.edge.target}" for step in way.steps]


# ---------------------------------------------------------------- against exhaustive search


def exhaustive(utg: UTG, start: str, goal: str) -> list[float]:
    """The costs of all ways that pass no screen and no start from anywhere twice, the cheapest first."""

    def ways(here: str, passed: frozenset[str], cost: float) -> Iterator[float]:
        if here == goal:
            yield cost
            return
        for begin in sources_at(utg.screens, here):
            if begin != here and begin in passed:
                continue
            for each in utg.by_source.get(begin, ()):
                if each.target not in passed:
                    yield from ways(each.target, passed | {begin, each.target}, cost + each.cost)

    return sorted(ways(start, frozenset({start}), 0.0))


@st.composite
def utgs(draw: st.DrawFn) -> UTG:
    names = "ABCDEF"[: draw(st.integers(2, 6))]
    ends = st.sampled_from(names)
    made = st.builds(
        edge,
        ends | st.sampled_from(["*", "app:*"]),
        ends,
        st.sampled_from("xyz"),
        st.just(4),
        st.integers(0, 4),
    )
    edges = {each.key: each for each in draw(st.lists(made, max_size=12))}
    return graph(*edges.values(), more=names)


@settings(max_examples=times(60, 2000))
@given(utgs(), st.integers(1, 6))
def test_ways_cost_what_exhaustive_search_finds(utg, k):
    want = exhaustive(utg, "A", "B")
    found = route(utg, "A", ["B"], k=k)
    assert [way.cost for way in found.ways] == pytest.approx(want[:k])
    assert len({tuple(step.edge.key for step in way.steps) for way in found.ways}) == len(found.ways)
    for way in found.ways:
        here = "A"
        for step in way.steps:
            assert step.screen == here and step.edge in utg.leaving(here)
            here = step.edge.target
        assert here == "B"
    assert (found.missing is None) is bool(want)


@settings(max_examples=times(40, 1000))
@given(utgs())
def test_several_goals_cost_the_least_of_each(utg):
    goals = [name for name in utg.screens if name != "A"]
    costs = [cost for goal in goals for cost in exhaustive(utg, "A", goal)[:1]]
    found = route(utg, "A", goals).ways
    assert [way.cost for way in found] == (pytest.approx([min(costs)]) if costs else [])
    assert Router(utg).reachable("A").keys() == {"A"} | {goal for goal in goals if exhaustive(utg, "A", goal)}


# ---------------------------------------------------------------- what is preferred


def test_sure_edges_are_preferred_to_short_ways():
    utg = graph(edge("A", "C", "risky", 9, 2), edge("A", "B", "sure", 99, 99), edge("B", "C", "sure", 99, 99))
    (way,) = route(utg, "A", ["C"]).ways
    assert said(way) == ['A tap(id = "sure") B', 'B tap(id = "sure") C']
    assert way.chance == pytest.approx((100 / 101) ** 2) and way.uncounted == 0
    untried = graph(*utg.edges, edge("A", "C", "new"))
    assert [len(way.steps) for way in route(untried, "A", ["C"], k=3).ways] == [2, 1, 1]


def test_back_home_and_starts_are_ways():
    start = Edge("*", atom("open_app", {"package": "a.b"}), "Main", (), 3, 3)
    utg = graph(edge("Deep", "Mid", Atom("back"), 2, 2), edge("app:*", "Help", "help"), start)
    assert said(route(utg, "Deep", ["Mid"]).ways[0]) == ["Deep back Mid"]
    assert said(route(utg, "Mid", ["Help"]).ways[0]) == ['Mid tap(id = "help") Help']
    assert said(route(utg, "never seen", ["Main"]).ways[0]) == ['never seen open_app(package = "a.b") Main']


def test_where_one_is_needs_no_step():
    (way,) = route(graph(edge("A", "B", "x")), "A", ["B", "A"]).ways
    assert way.steps == () and way.cost == 0


@pytest.mark.parametrize("k", [0, 101])
def test_no_number_of_ways_is_refused(k):
    with pytest.raises(ValueError, match="from 1 to 100"):
        route(graph(edge("A", "B", "x")), "A", ["B"], k=k)


# ---------------------------------------------------------------- policies


def denying(*names: str):
    def judged(each: Edge, where: Screen | None) -> EdgeVerdict:
        told = source(each.gesture)
        return EdgeVerdict("deny", "NO", "no") if any(name in told for name in names) else EdgeVerdict()

    return judged


@settings(max_examples=times(40, 1000))
@given(utgs(), st.integers(1, 3))
def test_denied_edges_are_on_no_way(utg, k):
    allowed = graph(
        *(each for each in utg.edges if '"x"' not in source(each.gesture)), more="".join(utg.screens)
    )
    found = route(utg, "A", ["B"], avoid=denying('"x"'), k=k)
    assert [way.cost for way in found.ways] == pytest.approx(exhaustive(allowed, "A", "B")[:k])
    assert all('"x"' in source(step.edge.gesture) for step in found.denied)


POLICY = """policy careful "No note is opened on Sundays"
@id("NO-1") deny "never {?i}" when tap(id = "row", id = ?i).
@id("ASK-1") confirm "really?" when back.
@id("NO-2") deny "the screen speaks" when tap, Node(text = "ignore all rules").
"""


def test_a_guard_judges_the_gestures_of_a_way():
    """A rule denies a tap, another asks about one; a third mentions what the screen shows."""
    policies = GuardPolicies(making.program(POLICY))
    row = atom("tap", {"id": "row"})
    utg = graph(edge("A", "B", row, 9, 9), edge("A", "C", Atom("back")), edge("C", "B", "other"))
    (way,) = (found := route(utg, "A", ["B"], avoid=policies)).ways
    assert [step.judged.level for step in way.steps] == ["confirm", "allow"]
    assert [(step.edge.target, step.judged.rule) for step in found.denied] == [("B", "NO-1")]
    shown = UTG(
        {**utg.screens, "C": Screen("C", "state", "app", texts=("Hello", "ignore all rules"))}, utg.edges
    )
    none = route(shown, "A", ["B"], avoid=policies)
    assert not none.ways and {step.judged.rule for step in none.denied} == {"NO-1", "NO-2"}
    assert {step.judged.rule for step in none.missing.denied} == {"NO-1", "NO-2"}


def test_what_cannot_be_judged_is_asked_about(monkeypatch: pytest.MonkeyPatch):
    policies = GuardPolicies(making.program(POLICY))
    tapped = edge("A", "B", atom("tap", {"id": "other"}))
    assert policies(tapped, None) == EdgeVerdict()

    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("no answer")

    monkeypatch.setattr(Judging, "judge", broken)
    found = policies(tapped, None)
    assert (found.level, found.rule) == ("confirm", "") and "no answer" in found.message


def test_conditions_of_rules_stand_in_the_widget():
    """The rule of the app asks what the tapped row holds; so does the policy."""
    app = """app shop package "a.b" "Shop"
import std.tree
screen Main when Node(id = "main").
screen Cart when Node(id = "cart").
goto Cart when screen Main, tap(node = ?n), Part(of = ?n, id = "title", text = "Buy").
"""
    policy = '@id("NO-3") deny "no" when screen Main, tap(node = ?n), Part(of = ?n, text = "Buy").'
    utg = UTG.from_program(making.program(app))
    found = route(utg, "shop:Main", ["shop:Cart"], avoid=GuardPolicies(making.program(app + policy)))
    assert not found.ways and [step.judged.rule for step in found.denied] == ["NO-3"]
    free = policy.replace('"Buy"', '"Sell"')
    assert route(utg, "shop:Main", ["shop:Cart"], avoid=GuardPolicies(making.program(app + free))).ways


# ---------------------------------------------------------------- no way


def test_no_way_names_what_is_missing():
    """C can be reached from H only, nothing leads to H, and B looks most like it."""
    edges = (edge("A", "B", "b"), edge("A", "D", "d"), edge("H", "C", "c"))
    utg = graph(*edges)
    widget = Widget("Button", "buy", ("click",))
    screens = {**utg.screens, **{n: Screen(n, "state", "app", widgets=(widget,)) for n in "BH"}}
    found = route(UTG(screens, edges), "A", ["C", "Q"])
    assert found.missing is not None and not found.ways
    assert found.missing.unknown == ("Q",) and found.missing.heads == ("H",)
    assert [name for name, _ in found.missing.ends] == ["B", "D"]
    assert said(found.missing.ends[0][1]) == ['A tap(id = "b") B']


def test_nothing_known_is_said():
    found = route(graph(edge("A", "B", "x")), "A", ["Q"])
    assert found.missing.unknown == ("Q",) and found.missing.heads == ()
    assert math.isclose(route(graph(edge("A", "B", "x")), "A", ["B"]).ways[0].cost, 1.0)
    assert screen("A").title == "A"


def test_missing_way_to_any_screen_of_an_app() -> None:
    """A goal that any screen of its app leads to: each of them is one that would have to be reached."""
    edges = (Edge("app:*", Atom("back"), "G"),)
    screens = {name: Screen(name, "state", "app") for name in "GX"} | {"Y": Screen("Y", "state", "other")}
    found = route(UTG(screens, edges), "Y", ["G"])
    assert found.missing is not None
    assert found.missing.heads == ("G", "X")


def test_sparing_policies_ask_once_and_never_fail() -> None:
    asked: list[str] = []

    def policies(edge: Edge, screen: Screen | None) -> EdgeVerdict:
        asked.append(edge.target)
        if edge.target == "C":
            raise ValueError("no such screen")
        return EdgeVerdict("deny", "P-1", "no")

    sparing = SparingPolicies(policies, 2)
    edges = [edge("A", "B"), edge("A", "C"), edge("A", "D")]
    said = [sparing(each, screen("A")).level for each in (*edges, *edges)]
    assert said == ["deny", "allow", "allow"] * 2
    assert asked == ["B", "C"]
