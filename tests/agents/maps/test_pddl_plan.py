"""`vsac prove plan --planner pddl` and `route`: plans that the guard ran, what PDDL does not say, and files of PDDL."""

import importlib.util
import json
from pathlib import Path

import pytest

from tests.agents.maps.pddl_oracle import needs_planner, oracle
from tests.proof.prove.prove_programs import EXAMPLES
from vsalang.agents.maps import routed
from vsalang.agents.maps.pddl import downward, plan, problems
from vsalang.guard import run_example
from vsalang.language.semantics import load
from vsalang.program.ir import Program
from vsalang.proof.prove.bounds import Bounds
from vsalang.proof.prove.plan import plan as proved
from vsalang.proof.prove.runs import PlanSearchResult
from vsalang.tools.cli.main import run

SHOP = """app shop package "x.shop" "A shop"
screen Home when Node(id = "home").
screen Cart when Node(id = "cart").
screen Help when Node(id = "help").
screen Lost when Node(id = "lost").
goto Cart when screen Home, tap(id = "to_cart").
goto Help when screen Home, tap(id = "to_help").
goto Cart when screen Help, tap(id = "help_cart").
goto Home when back.
state Item key (name) "An item" { name: Text "its name" stored: Bool "whether it is in the cart" }
action Put(name: Text "its name") "Put into the cart"
recognize Put(name = ?n) when tap(id = "put", text = ?n), screen Cart.
update Item(name = ?n, stored = true) when Put(name = ?n).
"""
PUT = """spec buy "Put milk into the cart."
import shop
allow Put(name = "milk").
done when Item(name = "milk", stored = true).
"""
GO = 'spec look "Open the cart."\nimport shop\nallow Put(name = "x").\ndone when screen Cart.\n'
NO_WAY = GO.replace("spec look", "spec lose").replace("screen Cart", "screen Lost")
HOME = """test "home" {
  observe screen Home.
  observe Item(name = "milk", stored = false).
}
"""


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    policy = 'policy {} "p"\n@id("{}")\ndeny "no" when {}.\n'
    written = {
        "shop": SHOP, "buy": PUT, "look": GO, "lose": NO_WAY,
        "detour": policy.format("detour", "DETOUR", 'tap(id = "to_cart")'),
        "never": policy.replace("\n@id", "\nimport shop\n@id").format("never", "NEVER", "Put"),
        "hidden": policy.replace("\n@id", "\nimport shop\n@id").format(
            "hidden", "HIDDEN", 'Put, Node(text = "sold out")'),
    }  # fmt: skip
    for name, text in written.items():
        (tmp_path / f"{name}.vsa").write_text(text, encoding="utf-8")
    for name in ("buy", "look", "lose"):
        with (tmp_path / f"{name}.vsa").open("a", encoding="utf-8") as file:
            file.write(HOME)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def lengths(found: PlanSearchResult) -> list[tuple[str, int]]:
    return sorted((one.rule, one.length) for one in found.plans)


def passing(made: Program, found: PlanSearchResult) -> None:
    assert all(run_example(made, one.story).passed for one in found.plans)


def planned(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, dict[str, object]]:
    status = run(["prove", "plan", *args, "--json"])
    return status, json.loads(capsys.readouterr().out)


def done(data: dict[str, object]) -> list[str]:
    (found,) = data["plans"]  # type: ignore[misc]
    return [step["then"] for step in found["steps"]]


@pytest.mark.slow
@needs_planner
@pytest.mark.parametrize(("name", "level"), [("quiet_evening", "actions"), ("switch_one", "gestures")])
def test_shipped_examples_are_as_short_as_z3s(name: str, level: str) -> None:
    made = load(EXAMPLES / f"{name}.vsa").checked()
    bounds = Bounds(level=level)  # type: ignore[arg-type]
    by_planner = plan(made, bounds=bounds)
    passing(made, by_planner.planned)
    assert lengths(by_planner.planned) == lengths(proved(made, bounds=bounds))
    for _, problem in by_planner.problems:
        oracle(problem.domain, problem.problem)


@needs_planner
def test_gestures_lead_to_where_actions_are_done(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, data = planned(capsys, "buy.vsa", "--from", "home", "--planner", "pddl")
    assert (status, data["planner"]) == (0, "pddl")
    assert done(data) == ['tap(id = "to_cart")', 'tap(label = "milk")', "finish"]


@needs_planner
def test_what_a_policy_refuses_is_planned_around(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, data = planned(capsys, "buy.vsa", "--from", "home", "--planner", "pddl", "--policy", "detour.vsa")
    assert status == 0
    assert done(data)[:2] == ['tap(id = "to_help")', 'tap(id = "help_cart")']
    assert data["open"] == ["buy:2: the guard refused a plan: the gesture to Cart is refused by DETOUR"]


@needs_planner
def test_an_action_that_is_denied_is_in_no_plan(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, data = planned(capsys, "buy.vsa", "--from", "home", "--planner", "pddl", "--policy", "never.vsa")
    assert (status, data["plans"], data["without"]) == (1, [], ["buy:2"])


def test_what_cannot_be_said_denies_more(files: Path) -> None:
    made = load("buy.vsa", policies=["hidden.vsa"]).checked()
    ((_, problem),) = problems(made)
    (dropped,) = problem.dropped
    assert dropped.what == "HIDDEN"
    assert "the planner denies without asking that" in dropped.reason
    assert "put-by-buy-1" in problem.operators
    assert ("or",) in problem.operators["put-by-buy-1"].condition or problem.operators[
        "put-by-buy-1"
    ].condition == ("or",)


def test_clauses_without_words_permit_nothing(files: Path) -> None:
    (files / "count.vsa").write_text(
        PUT.replace("spec buy", "spec count").replace(
            '"milk").\ndone', '"milk") when count(Put earlier) < 3.\ndone'
        ),
        encoding="utf-8",
    )
    ((_, problem),) = problems(load("count.vsa").checked())
    (dropped,) = problem.dropped
    assert dropped.what == "count:1"
    assert not any("put" in name for name in problem.operators)


def test_the_pddl_is_readable(files: Path, golden: object) -> None:
    ((_, problem),) = problems(load("buy.vsa").checked())
    oracle(problem.domain, problem.problem)
    golden(problem.domain, "maps/buy.domain.pddl")  # type: ignore[operator]
    golden(problem.problem, "maps/buy.problem.pddl")  # type: ignore[operator]


def test_files_of_pddl_are_not_replaced(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["prove", "plan", "look.vsa", "--planner", "route", "--pddl", "out"]) == 0
    said = capsys.readouterr()
    assert "domain.pddl, problem.pddl: look.vsa:4" in said.err
    oracle((files / "out/domain.pddl").read_text("ascii"), (files / "out/problem.pddl").read_text("ascii"))
    assert run(["prove", "plan", "look.vsa", "--planner", "route", "--pddl", "out"]) == 2
    assert "--force" in capsys.readouterr().err
    assert run(["prove", "plan", "look.vsa", "--planner", "route", "--pddl", "out", "--force"]) == 0


def test_route_leads_to_a_screen(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, data = planned(capsys, "look.vsa", "--from", "home", "--planner", "route")
    assert (status, done(data)) == (0, ['tap(id = "to_cart")', "finish"])
    status, data = planned(
        capsys, "look.vsa", "--from", "home", "--planner", "route", "--policy", "detour.vsa"
    )
    assert (status, done(data)) == (0, ['tap(id = "to_help")', 'tap(id = "help_cart")', "finish"])
    loaded = load("look.vsa", policies=["detour.vsa"])
    passing(loaded.checked(), routed.plan(loaded.checked(), start=loaded.own[0].turns))


def test_route_shows_several_runs(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    argv = ["look.vsa", "--from", "home", "--planner", "route", "-k", "3"]
    status, data = planned(capsys, *argv)
    assert status == 0 and data["without"] == data["undecided"] == []
    made = [[step["then"] for step in each["steps"]] for each in data["plans"]]
    assert made == [
        ['tap(id = "to_cart")', "finish"],
        ['tap(id = "to_help")', 'tap(id = "help_cart")', "finish"],
    ]
    status, data = planned(capsys, *argv, "--policy", "detour.vsa")
    assert status == 0 and [each["length"] for each in data["plans"]] == [2]
    status, data = planned(capsys, *argv, "--steps", "1")
    assert status == 0 and [each["length"] for each in data["plans"]] == [1]
    loaded = load("look.vsa")
    passing(loaded.checked(), routed.plan(loaded.checked(), start=loaded.own[0].turns, k=3))


def test_route_says_what_it_does_not_decide(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["prove", "plan", "buy.vsa", "--planner", "route"]) == 1
    assert "plan with z3 or pddl" in capsys.readouterr().out
    assert run(["prove", "plan", "lose.vsa", "--from", "home", "--planner", "route"]) == 1
    assert "no way without critical actions is known from Home to Lost" in capsys.readouterr().out
    assert run(["prove", "plan", "look.vsa", "--from", "home", "--planner", "route", "--steps", "0"]) == 1
    assert "a run of 1 gesture was found, and --steps is 0" in capsys.readouterr().out


def test_options_that_do_not_fit_are_refused(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["prove", "plan", "buy.vsa", "--planner", "pddl", "--violate", "never.vsa"]) == 2
    assert "--violate and --planner pddl exclude each other" in capsys.readouterr().err
    assert run(["prove", "plan", "buy.vsa", "--pddl", "made", "--violate", "never.vsa"]) == 2
    assert "--violate and --pddl exclude each other" in capsys.readouterr().err
    assert run(["prove", "plan", "buy.vsa", "--planner", "route", "--level", "actions"]) == 2
    assert "--planner route and --level actions exclude each other" in capsys.readouterr().err
    assert run(["prove", "plan", "buy.vsa", "-k", "2"]) == 2
    assert "-k needs --planner route" in capsys.readouterr().err


def test_a_missing_planner_is_told(
    files: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    known = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *more: None if "downward" in name else known(name, *more)
    )
    assert run(["prove", "plan", "buy.vsa", "--planner", "pddl"]) == 2
    assert "vsalang[pddl]" in capsys.readouterr().err


@needs_planner
def test_a_translator_that_writes_nothing_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(downward, "_run", lambda *_: 0)
    with pytest.raises(downward.PlannerError, match="wrote no task"):
        downward.solve("(define (domain d))", "(define (problem p))")
