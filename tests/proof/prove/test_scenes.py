"""Scenes: on the nodes that are built for a rule the guard sees the rule hold."""

import datetime as dt
from pathlib import Path

import pytest

from tests.proof.prove.prove_programs import EXAMPLES, program
from vsalang.language.semantics import load
from vsalang.program.example import LEVELS, ExpectedVerdict, Fact, Part, Turn
from vsalang.program.ir import Goto, Program, Recognize, Rule
from vsalang.proof.prove.runs import last_step
from vsalang.proof.prove.scenes import Scene, Scenes

DAY = dt.date(2026, 1, 5)


def scenes(made: Program, rule: Rule) -> list[Scene]:
    return Scenes(DAY, program=made).of(rule, {})


def steps(scene: Scene) -> tuple[Turn, ...]:
    """The scene shows, and the gesture is proposed."""
    screens = [Part("observe screen", Fact(name)) for name in sorted(scene.screens)]
    shown = [Part("observe", Fact("Node", cells)) for cells in scene.nodes]
    shown += [Part("observe", Fact(name, cells)) for name, cells in (*scene.others, *scene.needs)]
    seen = [Turn("turn", (*screens, *shown))] if screens or shown else []
    gesture = Part("gesture", Fact(scene.gesture, scene.args))
    return (*seen, Turn("turn", (gesture,), ExpectedVerdict(LEVELS)))


@pytest.mark.parametrize("name", ["reserve_r", "quiet_evening", "switch_one"])
def test_recognisers_of_shipped_apps_recognise_their_scenes(name: str) -> None:
    made = program(name)
    rules = [rule for rule in made.rules if isinstance(rule.head, Recognize)]
    assert rules
    for rule in rules:
        assert isinstance(rule.head, Recognize)
        (first, *_) = scenes(made, rule)
        step = last_step(made, steps(first))
        assert step is not None and step.verdict is not None, rule.id
        assert rule.head.atom.relation in [action.name for action in step.verdict.actions], rule.id


@pytest.mark.parametrize("name", ["reserve_r", "quiet_evening", "switch_one"])
def test_gestures_lead_where_the_module_says(name: str) -> None:
    made = program(name)
    for rule in made.rules:
        if isinstance(rule.head, Goto):
            for scene in scenes(made, rule)[:1]:
                step = last_step(made, steps(scene))
                assert step is not None and step.verdict is not None
                assert step.verdict.screens == (rule.head.screen,), rule.id


def test_an_edge_by_an_action_has_no_scene() -> None:
    made = program("reserve_r")
    rule = next(r for r in made.rules if isinstance(r.head, Goto) and r.head.screen.endswith("Receipt"))
    assert scenes(made, rule) == []


def test_what_is_wanted_is_read_from_the_screen() -> None:
    made = program("reserve_r")
    rule = next(r for r in made.rules if r.trigger == "input")
    (scene, *_) = Scenes(DAY, program=made).of(rule, {"time": dt.time(18, 30)})
    assert "18:30" in [cells.get("text") for cells in scene.nodes]
    assert (scene.gesture, dict(scene.args)) == ("tap", {"label": "18:30"})


def test_judgements_hold_on_their_scenes() -> None:
    made = load(EXAMPLES / "quiet_evening.vsa", policies=[EXAMPLES / "careful.vsa"]).checked()
    for rule in [rule for rule in made.rules if rule.id.startswith("CARE")]:
        (scene, *_) = scenes(made, rule)
        step = last_step(made, steps(scene))
        assert step is not None and rule.id in [reason.rule for reason in step.reasons]


def test_two_conditions_on_one_gesture(tmp_path: Path) -> None:
    file = tmp_path / "p.vsa"
    file.write_text(
        'policy p "p"\n@id("ONE")\ndeny "x" when tap(label = ?l, label matches /^Pay (?<n>\\d+)$/),'
        ' number(?n) > 7, Node(text contains "euro", parent = ?r, node = ?o), Node(node = ?r, id = "box"),'
        " ?o != 3.\n",
        encoding="utf-8",
    )
    made = load(EXAMPLES / "reserve_r.vsa", policies=[file]).checked()
    rule = next(rule for rule in made.rules if rule.id == "ONE")
    assert any(
        (step := last_step(made, steps(scene))) is not None and step.got == "block"
        for scene in scenes(made, rule)
    )
