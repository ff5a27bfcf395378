"""Plans of gestures: the guard recognises each as what is meant, forms are filled in, screens are left."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.proof.prove.prove_programs import EXAMPLES, program
from vsalang.guard import run_example
from vsalang.language.semantics import load, load_text
from vsalang.program.ir import Program
from vsalang.proof.prove.bounds import Bounds
from vsalang.proof.prove.plan import plan, violation
from vsalang.proof.prove.runs import Plan, acts
from vsalang.tools.cli.main import run

LIGHT = """app light package "x.light" "A light"
state Light "The light" { on: Bool "whether it shines"  level: Number "how bright" }
screen Room "The room" when Node(id = "room").
screen Cellar "The cellar" when Node(id = "cellar").
view Slider on Room "The slider" { level: Number "where it stands" }
update Slider(level = number(?v)) when input_text(id = "slider", value = ?v).
action Ring "Ring the bell"
action Press(level: Number "how bright") "Press the button"
recognize Press(level = ?l) when tap(id = "button"), screen Room with Slider(level = ?l).
update Light(on = true, level = ?l) when Press(level = ?l).
"""
LIT = """spec lit "Ring, then turn the light on at 5."
import light
allow Ring when Light(on = false).
allow Press(level = 5) when Ring earlier.
done when Light(on = true, level = 5), Press earlier.
test "cellar" { observe screen Cellar. observe Light(on = false). }
"""
NO_BACK = """policy no_back "Nobody goes back"
@id("NO-BACK")
deny "no back" when back.
"""
BUTTON = """policy button "Nobody presses it late"
import apps.opentable
@id("BUTTON")
deny "not by this button" when tap(id = "reserve_button"), Reserve(time >= 12:00).
@id("AFTER")
deny "enough was done" when tap, Reserve earlier.
"""


SEEN = """observe screen Converter.
observe Node(node = 11, id = "spinnerTo", class = "Spinner", clickable = true),
        Node(node = 12, parent = 11, id = "text1", text = "BNB"),
        Node(node = 13, id = "inputValue", class = "EditText", clickable = true, text = "1").
"""


def done(made: Plan) -> list[str]:
    """The gestures and actions of a plan, as a test writes them."""
    return [
        f"{part.fact.relation}({', '.join(f'{k}={v}' for k, v in part.fact.cells.items())})"
        for part in acts(made.steps)
    ]


def meant(made: Plan) -> list[str]:
    """The critical actions that the guard recognised, one after the other."""
    verdicts = [result.verdict for result in made.results if result.verdict is not None]
    return [action.name.rpartition(".")[2] for verdict in verdicts for action in verdict.actions]


def from_test(name: str, test: str, steps: int) -> tuple[Program, Plan]:
    loaded = load(EXAMPLES / f"{name}.vsa")
    story = next(example for example in loaded.own if example.name == test)
    found = plan(loaded.checked(), start=story.turns[:steps])
    (only,) = found.plans
    assert run_example(loaded.checked(), only.story).passed
    return loaded.checked(), only


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    written = {"light": LIGHT, "lit": LIT, "no_back": NO_BACK, "button": BUTTON, "seen": SEEN}
    for name, text in {**written, "other": SEEN.replace("BNB", "TWT")}.items():
        (tmp_path / f"{name}.vsa").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_time_is_chosen_before_it_is_booked() -> None:
    made = program("reserve_r")
    booked = next(one for one in plan(made).plans if one.acts)
    assert [step.partition("(")[0] for step in done(booked)] == ["tap", "tap"]
    assert meant(booked) == ["Reserve", "finish"]
    assert done(booked)[1] == "tap(id=reserve_button)"
    assert not booked.notes
    assert run_example(made, booked.story).passed


def test_gestures_lead_from_page_to_page() -> None:
    _, only = from_test("quiet_evening", "two switches, each once", 4)
    assert [name for name in meant(only) if name == "Switch"] == ["Switch"] * 2  # one was done before
    shown = [
        part.fact.relation for turn in only.steps for part in turn.parts if part.kind == "observe screen"
    ]
    assert [name.rpartition(":")[2] for name in shown] == ["Display", "Main", "Notifications"]
    assert "back()" in done(only)


def test_what_a_form_needs_is_typed() -> None:
    (only,) = plan(program("dollars_for_five")).plans
    assert done(only)[0] == "input_text(id=inputValue, value=5)"
    assert done(only)[1].startswith("answer(")
    assert only.story.name == "done after 2 steps"


@pytest.mark.slow
def test_a_switch_that_stands_wrong_is_turned() -> None:
    _, only = from_test("switch_one", "log in, switch, save, once", 10)
    assert done(only) == ["tap(id=switch1)", "tap(id=saveButton)"]
    assert meant(only)[-2:] == ["SaveSwitches", "finish"]


def test_tabs_lead_to_the_page_of_a_form() -> None:
    _, only = from_test("switch_one", "log in, switch, save, once", 2)
    assert done(only) == ["tap(label=Switches)", "tap(id=saveButton)"]


def test_gestures_are_made_on_nodes_seen(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spec = str(EXAMPLES / "dollars_for_five.vsa")
    assert run(["prove", "plan", spec, "--from", "seen.vsa", "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["plans"]
    assert found["steps"][0]["then"] == 'input_text(id = "inputValue", value = "5")'
    assert found["steps"][0]["if"] == []  # the field was seen, and no other is supposed
    assert found["supposed"] == []


@pytest.mark.slow
def test_what_was_seen_is_not_supposed_otherwise(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spec = str(EXAMPLES / "dollars_for_five.vsa")
    out = files / "plan.svg"
    assert (
        run(["prove", "plan", spec, "--from", "other.vsa", "--steps", "3", "--format", "svg", "-o", str(out)])
        == 1
    )
    assert (
        "not decided" in capsys.readouterr().err
    )  # the asset is another one, and the module names no choice
    assert not out.exists()


def test_what_the_module_does_not_say_is_noted(files: Path) -> None:
    loaded = load("lit.vsa")
    (only,) = plan(loaded.checked(), start=loaded.own[0].turns).plans
    assert [step.partition("(")[0] for step in done(only)] == ["light.Ring", "input_text", "tap"]
    assert only.notes == (
        "Ring is done somehow: it has no `recognize`",
        "Room shows after Cellar: no gesture was found that leads there",
    )


@pytest.mark.slow
def test_a_way_that_a_policy_refuses_is_noted(files: Path) -> None:
    made = load(EXAMPLES / "quiet_evening.vsa", policies=["no_back.vsa"]).checked()
    for one in plan(made).plans:
        assert "back()" not in done(one)
        assert any("(NO-BACK refused one)" in note for note in one.notes)
        assert run_example(made, one.story).passed


@pytest.mark.slow
def test_a_policy_on_gestures_forces_another_instance(files: Path) -> None:
    made = load(EXAMPLES / "reserve_r.vsa", policies=["button.vsa"]).checked()
    booked = next(one for one in plan(made).plans if one.acts)
    (reserved,) = [
        action
        for result in booked.results
        if result.verdict is not None
        for action in result.verdict.actions
        if action.name.endswith("Reserve")
    ]
    assert str(reserved.args["time"]) < "12:00"


@pytest.mark.slow
def test_no_permitted_gesture_is_no_plan(files: Path) -> None:
    (files / "never.vsa").write_text(
        'policy never "never"\n@id("NEVER")\ndeny "no" when tap(id = "reserve_button").\n', encoding="utf-8"
    )
    made = load(EXAMPLES / "reserve_r.vsa", policies=["never.vsa"]).checked()
    found = plan(made, bounds=Bounds(steps=2))
    assert not any(one.acts for one in found.plans)
    assert found.undecided == ("reserve_r:2",)  # never "there is none": other states are left
    assert any("gestures were refused by NEVER" in why for why in found.open)


@pytest.mark.slow
def test_runs_longer_than_asked_are_said() -> None:
    found = plan(program("dollars_for_five"), bounds=Bounds(steps=1))
    assert not found.plans
    assert not found.without
    assert found.undecided == ("dollars_for_five:2",)
    assert "a run of 2 gestures was found, and --steps is 1" in found.open[0]


def test_rules_about_gestures_are_broken() -> None:
    """Where a spec imports `apps.permissions`, its closed dialogs permit nothing, policy or not: so another one."""
    spec = EXAMPLES / "reserve_r.vsa"
    guarded = load(spec, policies=[EXAMPLES / "careful.vsa"]).checked()
    found = violation(load(spec).checked(), guarded)
    assert [one.rule for one in found.plans] == ["CARE-2", "CARE-3"]
    assert not found.open
    for one in found.plans:
        assert one.story.turns[-1].parts[0].kind == "gesture"
        assert run_example(guarded, one.story).passed


@pytest.mark.slow
def test_rules_about_a_gesture_and_its_action(files: Path) -> None:
    spec = EXAMPLES / "reserve_r.vsa"
    alone, guarded = load(spec).checked(), load(spec, policies=["button.vsa"]).checked()
    found = violation(alone, guarded)
    by_rule = {one.rule: one for one in found.plans}
    assert set(by_rule) == {"BUTTON", "AFTER"}
    assert done(by_rule["BUTTON"])[-1] == "tap(id=reserve_button)"
    assert meant(by_rule["AFTER"]) == ["Reserve"]
    for one in found.plans:
        assert run_example(guarded, one.story).passed
        assert not run_example(alone, one.story).passed  # there it is allowed


# ---------------------------------------------------------------- the command


def test_the_table_names_gestures_and_meaning(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["prove", "plan", str(EXAMPLES / "switch_one.vsa")]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("done after 1 gesture (")
    assert lines[1].split() == ["if", "the", "app", "shows", "do", "meaning", "verdict"]
    assert any('tap(id = "saveButton")' in line and "SaveSwitches(" in line for line in lines)
    assert max(map(len, lines)) <= 150


@pytest.mark.slow
def test_the_picture_is_svg(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "plan.svg"
    spec = str(EXAMPLES / "quiet_evening.vsa")
    assert run(["prove", "plan", spec, "--format", "svg", "-o", str(out)]) == 0
    assert capsys.readouterr().out == ""
    picture = ElementTree.fromstring(out.read_text(encoding="utf-8"))
    space = "{http://www.w3.org/2000/svg}"
    texts = [text.text or "" for text in picture.iter(f"{space}text")]
    assert '1. tap(label = "Dark theme")' in texts
    width, height = float(picture.get("width", 0)), float(picture.get("height", 0))
    for box in picture.iter(f"{space}rect"):
        assert float(box.get("x", 0)) + float(box.get("width", 0)) <= width
        assert float(box.get("y", 0)) + float(box.get("height", 0)) <= height
    assert run(["prove", "plan", spec, "--format", "svg", "-o", str(out)]) == 2
    assert "--force" in capsys.readouterr().err


def test_printed_gestures_pass_as_a_test(capsys: pytest.CaptureFixture[str]) -> None:
    path = EXAMPLES / "reserve_r.vsa"
    assert run(["prove", "plan", str(path), "--format", "test"]) == 0
    text = path.read_text(encoding="utf-8") + "\n" + capsys.readouterr().out
    loaded = load_text(text, file=path.name, path=path)
    assert loaded.own[-1].name == "done after 2 gestures"
    assert run_example(loaded.checked(), loaded.own[-1]).passed


def test_actions_alone_are_planned_if_asked(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["prove", "plan", str(EXAMPLES / "reserve_r.vsa"), "--level", "actions", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["level"] == "actions"
    assert data["plans"][1]["steps"][0]["then"].startswith("Reserve(")
