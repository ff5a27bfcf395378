"""Maps as PDDL: valid for another parser, as cheap as `route`, and planned by a process that obeys its limits."""

import importlib.util
import os
import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.agents.maps.pddl_oracle import needs_planner, oracle
from tests.thorough import times
from vsalang.agents.maps import EMPTY, UTG, Edge, Screen, UTGError, route
from vsalang.agents.maps.gestures import atom
from vsalang.agents.maps.pddl import NotInstalled, PlannerError, downward, of_map, solve, way_of
from vsalang.program.ir import Atom

DOMAIN = """(define (domain d) (:requirements :strips) (:predicates (p) (q))
(:action a :parameters () :precondition (p) :effect (q)))"""
PROBLEM = "(define (problem x) (:domain d) (:init (p)) (:goal (q)))"


def mapped(edges: list[tuple[int, int, int]], **more: str) -> UTG:
    screens = {f"s{n}": Screen(f"s{n}", "state", "app") for n in range(6)}
    made = {
        edge.key: edge
        for one, gesture, other in edges
        for edge in [
            Edge(
                f"s{one}", atom("tap", {"id": f"g{gesture}"}), f"s{other}", tried=gesture, worked=gesture // 2
            )
        ]
    }
    return UTG(screens, tuple(made.values()))


@needs_planner
@settings(max_examples=times(4, 100), deadline=None)
@given(st.lists(st.tuples(*[st.integers(0, 5)] * 3), max_size=14))
def test_the_planner_and_route_agree(edges: list[tuple[int, int, int]]) -> None:
    utg = mapped(edges)
    ways = route(utg, "s0", ["s4", "s5"]).ways
    made = of_map(utg, "s0", ["s4", "s5"])
    oracle(made.domain, made.problem)
    found = solve(made.domain, made.problem)
    assert (found.steps is None) == (not ways)
    if found.steps is not None:
        assert abs(found.cost - 1000 * ways[0].cost) <= len(edges)  # each is rounded
        way = list(way_of(made, found.steps))
        assert [edge.source for _, edge in way] == ["s0", *(edge.target for _, edge in way)][: len(way)]


@settings(max_examples=times(20, 300), deadline=None)
@given(st.lists(st.text(max_size=12), min_size=2, max_size=5, unique=True), st.text(max_size=30))
def test_untrusted_names_stay_valid(texts: list[str], typed: str) -> None:
    screens = {name: Screen(name, "screen", texts=(typed,)) for name in texts}
    utg = UTG(screens, (Edge(texts[0], atom("tap", {"label": typed}), texts[1]),))
    made = of_map(utg, texts[0], texts[1:])
    assert made.problem.isascii()
    oracle(made.domain, made.problem)


def test_edges_from_anywhere_start_on_each_screen() -> None:
    utg = mapped([(0, 1, 1), (1, 1, 2)]).merge(
        UTG({"s0": Screen("s0", "state", "app")}, (Edge("*", Atom("home"), "s0"),))
    )
    made = of_map(utg, "elsewhere", ["s2"])
    assert (
        made.problem.count("home s0") == 2 * 6
    )  # from each screen but s0, and from the unknown one; and their costs
    assert "(at unknown-screen)" in made.problem


def test_conditions_of_edges_are_listed() -> None:
    from tests.agents.maps.making import program

    utg = UTG.from_program(program())
    made = of_map(utg, "notes:Note", ["notes:Menu"])
    assert [(each.what, each.reason.split(": PDDL")[0]) for each in made.dropped] == [
        ("notes:7", 'notes:7 leads on only when Node(node = ?n, text = "Close", package = "a.b")')
    ]


def test_a_map_without_the_goal_is_refused() -> None:
    with pytest.raises(UTGError, match="none of the goals"):
        of_map(EMPTY, "a", ["b"])


@needs_planner
def test_nothing_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert solve(DOMAIN, PROBLEM).steps == (("a",),)
    assert solve(DOMAIN, PROBLEM.replace("(:init (p))", "(:init)")).steps is None
    with pytest.raises(PlannerError, match="the planner stopped"):
        solve(DOMAIN, "(define")
    assert list(tmp_path.iterdir()) == []


@needs_planner
def test_the_time_is_limited_with_children(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script, pid = tmp_path / "downward", tmp_path / "pid"
    script.write_text(
        f"#!/bin/sh\nsleep 600 & echo $$ >{pid}.new; mv {pid}.new {pid}; sleep 600\n", encoding="ascii"
    )
    script.chmod(0o755)
    monkeypatch.setattr(downward, "_search", lambda: str(script))
    given: list[float] = []

    class Clocked(subprocess.Popen[bytes]):
        """Its time is up once the search has started a child, however long that takes here."""

        def wait(self, timeout: float | None = None) -> int:
            if str(script) not in map(str, self.args) or timeout == downward._GRACE:  # type: ignore[arg-type]
                return super().wait(600)
            assert timeout is not None
            given.append(timeout)
            while not pid.exists():
                time.sleep(0.02)
            raise subprocess.TimeoutExpired(self.args, timeout)

    monkeypatch.setattr(subprocess, "Popen", Clocked)
    with pytest.raises(PlannerError, match="the time was not enough"):
        solve(DOMAIN, PROBLEM, seconds=1000)
    assert 0 < given[0] <= 1000
    group = int(pid.read_text(encoding="ascii"))
    with pytest.raises(ProcessLookupError):
        for _ in range(3000):  # the init process reaps the orphan
            os.killpg(group, 0)
            time.sleep(0.02)


@needs_planner
def test_the_memory_is_limited() -> None:
    with pytest.raises(PlannerError, match=r"the memory was not enough|the planner stopped"):
        solve(DOMAIN, PROBLEM, megabytes=16)


@needs_planner
def test_a_killed_planner_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = tmp_path / "downward"
    script.write_text("#!/bin/sh\nkill -9 $$\n", encoding="ascii")
    script.chmod(0o755)
    monkeypatch.setattr(downward, "_search", lambda: str(script))
    with pytest.raises(PlannerError, match=r"the planner was killed \(signal 9\)"):
        solve(DOMAIN, PROBLEM)


def test_a_missing_planner_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(NotInstalled, match="up-fast-downward"):
        downward.installed()
