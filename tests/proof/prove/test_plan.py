"""Plans: shortest runs to the end of a task, and runs that break a policy; each passes as a test."""

import json
from pathlib import Path

import pytest

from tests.proof.prove.prove_programs import EXAMPLES, program
from vsalang.guard import run_example
from vsalang.language.semantics import load, load_text
from vsalang.program.example import Example, Turn
from vsalang.program.ir import Program
from vsalang.proof.prove.bounds import Bounds, CannotStart
from vsalang.proof.prove.plan import plan, violation
from vsalang.proof.prove.runs import Plan
from vsalang.tools.cli.main import run

WRONG = """observe Toggle(page = "Display", name = "Dark theme", on = false),
        Toggle(page = "Notifications", name = "News", on = true)."""
LIGHT = """app lamp package "x.lamp" "A lamp"
state Lamp "The lamp" { on: Bool "whether it shines" }
action Press "Press the button"
recognize Press when tap(id = "button").
"""
NIGHT = """spec night "Turn the lamp off."
import lamp
allow Press when Lamp(on = true).
done when Lamp(on = false).
"""
CLOCKED = """spec late "Wait until six, then answer."
allow answer(text = "now") when Clock(now >= 18:00).
done when answer earlier.
"""
RULES = """policy p "p"
import apps.opentable
@id("EARLY")
deny "too early" when Reserve(time < 12:00).
@id("ASKED")
confirm "really?" when Reserve.
"""
NEVER = """policy never "never"
import apps.opentable
@id("NEVER")
deny "no" when Reserve.
@id("NOTHING")
deny "nothing was done" when finish, not Reserve earlier.
@id("OTHER")
deny "not there" when Reserve(restaurant = "Q").
"""


ACTIONS = Bounds(6, "actions")


def acts(made: Plan) -> list[str]:
    return [part.fact.relation.rpartition(".")[2] for turn in made.steps for part in turn.parts
            if part.kind == "attempt"]  # fmt: skip


def start(name: str, steps: str) -> tuple[Program, tuple[Turn, ...]]:
    """A shipped spec, and steps that lead to a state of it."""
    file = EXAMPLES / f"{name}.vsa"
    text = f'{file.read_text(encoding="utf-8")}\ntest "start" {{\n{steps}\n}}\n'
    loaded = load_text(text, file=file.name, path=file)
    return loaded.checked(), loaded.own[-1].turns


def of(made: Program, *plans: Plan) -> None:
    for one in plans:
        assert run_example(made, one.story).passed


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    written = {"p": RULES, "never": NEVER, "lamp": LIGHT, "night": NIGHT, "late": CLOCKED, "from": WRONG}
    for name, text in written.items():
        (tmp_path / f"{name}.vsa").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("reserve_r", [["finish"], ["Reserve", "finish"]]),
        ("quiet_evening", [["finish"], ["Switch", "finish"]]),
        ("switch_one", [["SaveSwitches", "finish"]]),
        ("dollars_for_five", [["answer", "finish"]]),
    ],
)
def test_shipped_specs_have_plans_that_pass(name: str, expected: list[list[str]]) -> None:
    made = program(name)
    found = plan(made, bounds=ACTIONS)
    assert [acts(one) for one in found.plans] == expected
    assert not found.without
    of(made, *found.plans)


def test_what_was_seen_stays_until_something_changes_it() -> None:
    made, turns = start("quiet_evening", WRONG)
    (only,) = plan(made, start=turns, bounds=ACTIONS).plans
    assert acts(only) == ["Switch", "Switch", "finish"]
    assert only.story.turns[: only.steps_before] == turns
    assert only.story.name == "done after 2 actions"
    of(made, only)


def test_none_is_found_within_too_few_steps() -> None:
    made, turns = start("quiet_evening", WRONG)
    found = plan(made, start=turns, bounds=Bounds(1, "actions"))
    assert not found.plans
    assert (found.without, found.steps) == (("quiet_evening:3",), 1)


def test_what_was_seen_completely_gets_no_rows() -> None:
    seen = 'observe complete Slot(restaurant = "R", date = today).'
    made, turns = start("reserve_r", seen)
    found = plan(made, start=turns, bounds=ACTIONS)
    assert [acts(one) for one in found.plans] == [["finish"]]
    assert found.without == ("reserve_r:2",)


def test_a_start_must_pass_and_go_on() -> None:
    made, turns = start("reserve_r", 'attempt Reserve(restaurant = "Q", date = today, time = 18:30).')
    with pytest.raises(CannotStart, match="do not pass"):
        plan(made, start=turns, bounds=ACTIONS)
    made, turns = start("reserve_r", 'observe complete Slot(restaurant = "R", date = today). finish.')
    with pytest.raises(CannotStart, match="over"):
        plan(made, start=turns, bounds=ACTIONS)


def test_without_declared_effects_the_app_may_change(files: Path) -> None:
    loaded = load_text(f'{NIGHT}\ntest "on" {{ observe Lamp(on = true). }}\n', path=files / "night.vsa")
    made = loaded.checked()
    (only,) = plan(made, start=loaded.own[-1].turns, bounds=ACTIONS).plans
    assert acts(only) == ["Press", "finish"]
    of(made, only)


def test_the_clock_may_go_on(files: Path) -> None:
    made = load("late.vsa").checked()
    (only,) = plan(made, bounds=ACTIONS).plans
    assert [turn.kind for turn in only.steps] == ["clock", "turn", "turn"]
    of(made, only)


def test_a_policy_forces_another_way(files: Path) -> None:
    made = load(EXAMPLES / "reserve_r.vsa", policies=["p.vsa"]).checked()
    booked = next(one for one in plan(made, bounds=ACTIONS).plans if one.acts)
    assert any(turn.kind == "approve" for turn in booked.steps)
    of(made, booked)
    free = next(one for one in plan(program("reserve_r"), bounds=ACTIONS).plans if one.acts)
    assert not run_example(made, free.story).passed


def test_a_policy_leaves_no_way(files: Path) -> None:
    made = load(EXAMPLES / "reserve_r.vsa", policies=["never.vsa"]).checked()
    found = plan(made, bounds=Bounds(3, "actions"))
    assert not found.plans
    assert found.without == ("reserve_r:2", "reserve_r:3")


def test_runs_that_break_a_policy(files: Path) -> None:
    alone = load(EXAMPLES / "reserve_r.vsa").checked()
    guarded = load(EXAMPLES / "reserve_r.vsa", policies=["never.vsa"]).checked()
    found = violation(alone, guarded, bounds=Bounds(2, "actions"))
    rules = [one.rule for one in found.plans]
    assert "NEVER" in rules  # which states are tried for the other one is up to the solver
    assert {*rules, *found.without, *found.undecided} == {"NEVER", "NOTHING", "OTHER"}
    assert "OTHER" in found.without
    for one in found.plans:
        assert run_example(guarded, one.story).passed
        assert not run_example(alone, one.story).passed  # there it is allowed
        assert one.story.turns[-1].expected.because == (one.rule,)


def test_actions_do_not_decide_rules_about_gestures() -> None:
    spec = EXAMPLES / "reserve_r.vsa"
    guarded = load(spec, policies=[EXAMPLES / "careful.vsa"]).checked()
    found = violation(load(spec).checked(), guarded, bounds=ACTIONS)
    assert not found.plans
    assert (found.without, found.undecided) == ((), ("CARE-2", "CARE-3"))
    assert [why.partition(" judges")[0] for why in found.open] == ["CARE-2", "CARE-3"]


def test_a_later_step_breaks_a_policy(tmp_path: Path) -> None:
    rule = tmp_path / "twice.vsa"
    rule.write_text(
        'policy twice "One switch only"\nimport apps.settings\n@id("ONE")\n'
        'deny "one was set" when Switch(page = "Notifications"), Switch(page = "Display") earlier.\n',
        encoding="utf-8",
    )
    spec = EXAMPLES / "quiet_evening.vsa"
    guarded = load(spec, policies=[rule]).checked()
    (only,) = violation(load(spec).checked(), guarded, bounds=ACTIONS).plans
    assert acts(only) == ["Switch", "Switch"]
    of(guarded, only)


# ---------------------------------------------------------------- the command


@pytest.mark.slow
def test_the_command_prints_tests_that_pass(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spec = str(EXAMPLES / "quiet_evening.vsa")
    assert run(["prove", "plan", spec, "--from", "from.vsa", "--format", "test", "--level", "actions"]) == 0
    text = capsys.readouterr().out
    path = EXAMPLES / "quiet_evening.vsa"
    loaded = load_text(path.read_text(encoding="utf-8") + "\n" + text, file=path.name, path=path)
    last: Example = loaded.own[-1]
    assert last.name == "done after 2 actions"
    assert run_example(loaded.checked(), last).passed


def test_the_command_names_its_bound(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spec = str(EXAMPLES / "quiet_evening.vsa")
    assert run(["prove", "plan", spec, "--from", "from.vsa", "--steps", "1", "--level", "actions"]) == 1
    out = capsys.readouterr().out
    assert "no run was found with up to 1 action" in out
    assert "there may be one beyond it" in out


def test_the_command_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["prove", "plan", str(EXAMPLES / "reserve_r.vsa"), "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert set(data) == {
        "version", "spec", "level", "planner", "plans", "without", "undecided", "bound", "open",
    }  # fmt: skip
    booked = data["plans"][1]
    assert set(booked) == {"rule", "length", "steps", "supposed", "test"}
    assert (booked["rule"], booked["length"], booked["supposed"]) == ("reserve_r:2", 2, [])
    assert [step["then"].split("(")[0] for step in booked["steps"]] == ["tap", "tap", "finish"]
    assert [(step["means"] or "").split("(")[0] for step in booked["steps"]] == ["sets Choice", "Reserve", ""]
    assert booked["steps"][2]["if"] == ["the screen Receipt", "ReserveResult(success = true)"]
    assert data["bound"]["instances"] == 3


def test_the_graph_is_text(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["prove", "plan", str(EXAMPLES / "reserve_r.vsa"), "--format", "dot"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert (lines[0], lines[-1]) == ('digraph "reserve_r" {', "}")
    assert sum("peripheries=2" in line for line in lines) == 2
    assert any(line.startswith('  "start" -> "2.1"') for line in lines)


@pytest.mark.slow
def test_the_start_may_be_steps_of_a_test(capsys: pytest.CaptureFixture[str]) -> None:
    spec = str(EXAMPLES / "quiet_evening.vsa")
    assert run(["prove", "plan", spec, "--from", "two switches", "--step", "6"]) == 0
    assert capsys.readouterr().out.startswith("done after 3 gestures ")
    assert run(["prove", "plan", spec, "--from", "two switches"]) == 2
    assert "over" in capsys.readouterr().err


def test_what_cannot_be_planned_is_refused(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["prove", "plan", "never.vsa"]) == 2
    assert "is not a spec" in capsys.readouterr().err
    spec = str(EXAMPLES / "reserve_r.vsa")
    assert run(["prove", "plan", spec, "--policy", "never.vsa", "--violate", "never.vsa"]) == 2
    assert "no `deny`" in capsys.readouterr().err
    assert run(["prove", "plan", spec, "--step", "1"]) == 2
    assert run(["prove", "plan", spec, "--from", "no such test"]) == 2


def test_a_broken_policy_is_shown(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        run(["prove", "plan", str(EXAMPLES / "reserve_r.vsa"), "--violate", "never.vsa", "--steps", "2"]) == 0
    )
    out = capsys.readouterr().out
    assert "blocked by NEVER" in out
    assert "OTHER: no run was found" in out
