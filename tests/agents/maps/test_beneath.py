"""Gestures that lead back: learnt, found as exhaustive search finds them, followed wherever a dialog came up."""

from collections.abc import Iterator
from heapq import heappop, heappush
from itertools import count, islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.agents.maps.making import BACK, MENU, NOTE, NOTES, edge, screen, tap, walk
from tests.thorough import times
from vsalang.agents.maps import EMPTY, UTG, Edge, Navigator, Router, Screen
from vsalang.agents.maps.beneath import MOST, Returns, screens_after
from vsalang.agents.maps.drawing import dot, text_lines
from vsalang.agents.maps.gestures import atom
from vsalang.agents.maps.jsonform import from_json, to_json
from vsalang.agents.maps.ways import Way
from vsalang.program.ir import Atom
from vsalang.program.show import source

OPEN = atom("open_app", {"package": "app"})


def graph(*edges: Edge, more: str = "") -> UTG:
    names = {end for each in edges for end in (each.source, each.target) if "*" not in end} | set(more)
    return UTG({name: Screen(name, "state", "app") for name in sorted(names)}, edges)


def back(name: str, target: str, tried: int, worked: int, returned: int) -> Edge:
    return Edge(name, Atom("back"), target, (), tried, worked, returned=returned)


def dialog(*more: Edge) -> UTG:
    """D came up over A six times and over B four times; `back` led back nine times, once to C."""
    led = back("D", "A", 10, 6, 6), back("D", "B", 10, 3, 3), back("D", "C", 10, 1, 0)
    return graph(*led, *more, more="XYZ")


def said(way: Way) -> list[str]:
    return [f"{step.screen} {source(step.edge.gesture)} {step.edge.target}" for step in way.steps]


# ---------------------------------------------------------------- what lies beneath


@pytest.mark.parametrize(
    ("shown", "gesture", "target", "after"),
    [
        ("", None, "A", "A"),
        ("BA", Atom("tap"), "C", "CBA"),
        ("CBA", Atom("tap"), "B", "BA"),
        ("CBA", Atom("tap"), "C", "CBA"),
        ("BA", Atom("back"), "C", "CA"),
        ("CBA", OPEN, "B", "BA"),
        ("CBA", None, "A", "A"),
    ],
)
def test_what_lies_beneath(shown, gesture, target, after):
    assert "".join(screens_after(tuple(shown), gesture, target)) == after


def test_only_the_nearest_screens_are_remembered():
    shown = ()
    for number in range(100):
        shown = screens_after(shown, Atom("tap"), f"S{number}")
    assert shown == tuple(f"S{number}" for number in range(99, 99 - MOST, -1))


# ---------------------------------------------------------------- what leads back


def test_what_led_back_to_two_screens_is_a_return():
    assert Returns(dialog())
    assert not Returns(graph(back("D", "A", 9, 9, 9)))
    assert not Returns(graph(back("D", "A", 9, 4, 4), back("D", "B", 9, 5, 1)))


def test_return_leads_to_what_is_beneath():
    router = Router(dialog())
    for beneath in "ABXY":
        (way,) = router.route("D", [beneath], beneath=[beneath]).ways
        (step,) = way.steps
        assert said(way) == [f"D back {beneath}"]
        assert (step.edge.tried, step.edge.worked) == (10, 9)
    assert router.route("D", ["A"], beneath=["B"]).ways == ()


def test_unknown_beneath_leads_where_it_did():
    (way,) = Router(dialog()).route("D", ["A"]).ways
    assert (way.steps[0].edge.tried, way.steps[0].edge.worked) == (10, 6)


def test_several_screens_are_uncovered():
    more = [back("E", name, 4, 2, 2) for name in "XY"]
    (way,) = Router(dialog(*more, edge("A", "Z", "z"))).route("D", ["Z"], beneath=["E", "A"]).ways
    assert said(way) == ["D back E", "E back A", 'A tap(id = "z") Z']


def test_recordings_say_what_was_beneath(tmp_path):
    close = tap(2)
    path = walk(
        tmp_path / "walk.jsonl",
        [
            (NOTES, tap(2)), (MENU, close), (NOTES, tap(1)), (NOTE, tap(1)), (MENU, close), (NOTE, BACK), (NOTES, None)
        ],
    )  # fmt: skip
    utg = UTG.from_log(path)
    closing = [each for each in utg.edges if source(each.gesture) == 'tap(id = "close")']
    assert [(each.tried, each.worked, each.returned) for each in closing] == [(2, 1, 1), (2, 1, 1)]
    assert Returns(utg).get(closing[0]) is not None
    assert from_json(to_json(utg)).edges == utg.edges
    assert [each.returned for each in utg.merge(utg).edges] == [2 * each.returned for each in utg.edges]


def test_older_maps_have_no_returns():
    text = to_json(dialog())
    older = "\n".join(each for each in text.splitlines() if '"returned"' not in each).replace(
        '"rule": "",\n', '"rule": ""\n'
    )
    assert {each.returned for each in from_json(older).edges} == {0}


def test_returns_are_drawn_as_one():
    assert "  back  -> the screen beneath  (worked 9 of 10 times)" in list(text_lines(dialog()))
    assert "  back  -> C  (worked 1 of 10 times)" in list(text_lines(dialog()))
    assert "the screen beneath" in dot(dialog())


# ---------------------------------------------------------------- followed


def test_navigator_goes_back_to_where_it_was():
    known = dialog(edge("X", "D", "info", 5, 5), edge("X", "Y", "y", 5, 5))
    navigator = Navigator(known, ["Y"])
    navigator.saw("X", atom("tap", {"id": "info"}), "D")
    hint = navigator.hint("D")
    assert [f"{step.screen} {step.edge.target}" for step in hint.steps] == ["D X", "X Y"]
    navigator.saw("D", Atom("back"), "X")
    assert [step.edge.target for step in navigator.hint("X").steps] == ["Y"]


def test_return_that_fails_twice_is_left():
    navigator = Navigator(dialog(edge("X", "D", "info", 5, 5)), ["X"])
    for _ in range(2):
        navigator.saw("X", atom("tap", {"id": "info"}), "D")
        assert [step.edge.target for step in navigator.hint("D").steps] == ["X"]
        navigator.saw("D", Atom("back"), "D")
    assert [step.edge.target for step in navigator.hint("D").steps] != ["X"]


def test_other_screens_beneath_are_no_surprise():
    navigator = Navigator(dialog(edge("A", "D", "info", 5, 5), edge("B", "D", "info", 5, 5)), ["A"])
    for _ in range(3):
        navigator.saw("B", atom("tap", {"id": "info"}), "D")
        navigator.saw("D", Atom("back"), "B")
    navigator.saw("A", atom("tap", {"id": "info"}), "D")
    assert [step.edge.target for step in navigator.hint("D").steps] == ["A"]


# ---------------------------------------------------------------- against exhaustive search


@st.composite
def machines(draw: st.DrawFn) -> tuple[UTG, tuple[str, ...]]:
    """A map with gestures that lead back, and the screens at the start."""
    names = "ABCDEF"[: draw(st.integers(2, 6))]
    ends = st.sampled_from(names)
    plain = st.builds(edge, ends, ends, st.sampled_from("xyz"), st.just(4), st.integers(1, 4))
    starts = st.builds(lambda target: Edge("*", OPEN, target, (), 4, 3), ends)
    gone = st.builds(lambda one, other: back(one, other, 4, 3, 0), ends, ends)
    found = [*draw(st.lists(plain, max_size=8)), *draw(st.lists(starts, max_size=2))]
    found += draw(st.lists(gone, max_size=2))
    for name in draw(st.lists(ends, max_size=3, unique=True)):
        gesture = draw(st.sampled_from([Atom("back"), atom("tap", {"id": "cancel"})]))
        for target in draw(st.permutations(names))[:2]:
            found.append(Edge(name, gesture, target, (), 8, 3, returned=draw(st.integers(2, 3))))
    shown = tuple(draw(st.permutations(names)))[: draw(st.integers(1, len(names)))]
    return graph(*{each.key: each for each in found}.values(), more=names), shown


def leaving(utg: UTG, shown: tuple[str, ...]) -> Iterator[tuple[float, tuple[str, ...]]]:
    """What can be done where these screens lie one on another: what it costs, and the screens then."""
    returns = Returns(utg)
    beneath = shown[1] if len(shown) > 1 else ""
    for each in utg.leaving(shown[0]):
        return_ = returns.get(each)
        if return_ is not None and beneath:
            if each.target == beneath or each.worked == each.returned:
                continue
            each = Edge(each.source, each.gesture, each.target, (), each.tried, each.worked - each.returned)
        if not each.rare:
            yield each.cost, screens_after(shown, each.gesture, each.target)
    for made in {id(one): one for each in utg.leaving(shown[0]) if (one := returns.get(each))}.values():
        if beneath:
            yield made.to(beneath).cost, screens_after(shown, made.like.gesture, beneath)


def least(utg: UTG, shown: tuple[str, ...], goal: str) -> float | None:
    """The cost of the cheapest way, over all that may lie one on another."""
    number = count()
    heap = [(0.0, next(number), shown)]
    done = set()
    while heap:
        cost, _, here = heappop(heap)
        if here[0] == goal:
            return cost
        if here not in done:
            done.add(here)
            for more, after in leaving(utg, here):
                heappush(heap, (cost + more, next(number), after))
    return None


@pytest.mark.slow
@settings(max_examples=times(60, 3000), deadline=None)
@given(machines())
def test_returns_cost_what_exhaustive_search_finds(case):
    utg, shown = case
    router = Router(utg)
    costs = router.reachable(shown[0], shown[1:])
    for goal in utg.screens:
        want = least(utg, shown, goal)
        found = router.route(shown[0], [goal], beneath=shown[1:]).ways
        assert [way.cost for way in found] == ([] if want is None else pytest.approx([want]))
        assert costs.get(goal) == (None if want is None else pytest.approx(want))


@settings(max_examples=times(40, 2000), deadline=None)
@given(machines(), st.integers(2, 5))
def test_each_of_several_ways_can_be_gone(case, k):
    utg, shown = case
    goal = "B" if shown[0] != "B" else "A"
    found = Router(utg).route(shown[0], [goal], beneath=shown[1:], k=k).ways
    want = least(utg, shown, goal)
    assert [way.cost for way in islice(found, 1)] == ([] if want is None else pytest.approx([want]))
    assert [way.cost for way in found] == sorted(way.cost for way in found)
    for way in found:
        here = shown
        for step in way.steps:
            assert step.screen == here[0]
            after = screens_after(here, step.edge.gesture, step.edge.target)
            assert any(
                cost == pytest.approx(step.edge.cost) and to == after for cost, to in leaving(utg, here)
            )
            here = after
        assert here[0] == goal


def test_maps_without_returns_are_searched_as_before():
    utg = graph(edge("A", "B", "x", 3, 3), back("B", "A", 3, 3, 3))
    assert Router(utg).route("A", ["B"], beneath=["B"]).ways == Router(utg).route("A", ["B"]).ways
    assert EMPTY.observe(screen("A"), Atom("back"), screen("B"), beneath="B").edges[0].returned == 1
