"""The agent that chooses: what it does on simulated phones, whom it asks, what it takes back, and what stops it."""

import json
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.agents.rank.form import APP, PHONE, SPEC, form, program
from vsalang.agents.rank import RankAgent, RankOptions, RankStep
from vsalang.agents.rank.choosing import Choice
from vsalang.agents.rank.completing import Question
from vsalang.agents.session import SessionOptions, open_guarded
from vsalang.guard import Guard
from vsalang.guard.memory.certificate import Certificate
from vsalang.models.client.language_model import ModelError
from vsalang.models.rank import Decision, Score, Scores
from vsalang.phone.open import open_device
from vsalang.phone.open.simulated import SimulatedDevice
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import load_tree


class Fixed:
    """A scorer that prefers what a function says."""

    name = "fixed"

    def __init__(self, worth: Callable[[str], float]) -> None:
        self.worth = worth

    def score(self, decision: Decision) -> Scores:
        return Scores(tuple(Score(self.worth(one.text)) for one in decision.candidates), self.name)


def run(**options: Any) -> tuple[list[RankStep], RankAgent, dict[str, Any]]:
    """Run the task of the form."""
    with form() as found:
        guard = Guard(program(), found.device)
        agent = RankAgent(guard, found.device, options=RankOptions(**options))
        steps = list(agent.run())
        return steps, agent, found.state


def did(steps: list[RankStep]) -> list[str]:
    return [step.step.proposed.action.name for step in steps]


def test_typed_values_come_from_the_clauses() -> None:
    steps, agent, state = run()
    assert agent.guard.done and not agent.stopped
    typed = [s.choice.best.completed for s in steps if s.choice and s.choice.best and s.choice.best.completed]
    assert [(one.value, one.source, one.by) for one in typed] == [
        ("Bob", "clause", "send:1"),
        ("Rome", "clause", "send:1"),
    ]
    assert state["name"] == "Bob" and state["city"] == "Rome" and state["sent"] == 1
    assert did(steps)[-1] == "finish"


def test_each_choice_says_why() -> None:
    steps, _, _ = run()
    for step in steps:
        assert step.choice is not None and step.choice.best is not None
        told = step.choice.to_json()
        assert json.loads(json.dumps(told))["chosen"]["key"] == step.choice.best.candidate.key
        assert step.step.proposed.note == step.choice.note
    first = steps[0].choice
    assert first is not None and first.runner_up is not None
    words = "\n".join(first.lines())
    assert "by linear" in words and "next best" in words and "left out by rules" in words
    assert "it prepares what send:1 asks" in words


def test_memory_is_one_line_a_step_and_only_grows() -> None:
    lines: list[tuple[str, ...]] = []
    with form() as found:
        agent = RankAgent(Guard(program(), found.device), found.device)
        for step in agent.run():
            assert step.remembered
            lines.append(agent.memory.lines)
    for before, after in pairwise(lines):
        assert after[: len(before)] == before and len(after) == len(before) + 1
    assert lines[-1][0].startswith('1. input_text "Your name" (field), value "Bob": executed')


def test_a_models_note_is_added() -> None:
    def notes(task: str, certificate: Certificate) -> str:
        if certificate.action.name == "finish":
            raise ModelError("away")
        return f"did {certificate.action.name}\nfor {task[:4]}"

    _, agent, _ = run(notes=notes)
    assert agent.memory.lines[0].endswith("Note: did input_text for Send")
    assert "Note" not in agent.memory.lines[-1] and agent.memory.steps[-1].problem == "no note: away"


def test_a_dead_end_is_taken_back() -> None:
    steps, agent, _ = run(scorers=(Fixed(lambda text: 50.0 if "Help" in text else 0.0),), most=4)
    assert steps[0].choice is not None and "Help" in steps[0].choice.best.text  # type: ignore[union-attr]
    undone = steps[1].undo
    assert undone is not None and undone[0].way == "back" and "nothing on this screen" in undone[1]
    assert agent.history[0].undone
    third = steps[2].choice
    assert third is not None and all("Help" not in one.text for one in third.options)
    assert any(one.rule == "tried" and "taken back" in one.why for one in third.dropped)


def test_without_undo_it_finds_its_own_way() -> None:
    steps, _, _ = run(scorers=(Fixed(lambda text: 50.0 if "Help" in text else 0.0),), most=3, undoes=False)
    assert all(step.undo is None for step in steps)


def test_the_user_is_asked_where_it_is_not_sure() -> None:
    asked: list[Choice] = []

    def picks(choice: Choice) -> int | None:
        asked.append(choice)
        return next(n for n, one in enumerate(choice.options) if "Trees" in one.text)

    flat = Fixed(lambda text: 0.0)
    steps, _, _ = run(scorers=(flat,), picks=picks, ask_below=1.0, most=1)
    assert len(asked) == 1 and steps[0].choice is not None and steps[0].choice.by_user
    assert "Trees" in steps[0].choice.best.text  # type: ignore[union-attr]
    assert "the user picked it" in steps[0].step.proposed.note
    asked.clear()
    run(scorers=(Fixed(lambda text: 90.0 if "Trees" in text else 0.0),), picks=picks, ask_below=0.2, most=1)
    assert asked == []  # it is sure


@pytest.mark.parametrize(
    "nonsense",
    [
        lambda decision: (_ for _ in ()).throw(OSError("no route")),
        lambda decision: Scores((), "nonsense"),
        lambda decision: None,
        lambda decision: Scores(tuple(Score(float("nan")) for _ in decision.candidates), "nonsense"),
    ],
)
def test_nonsense_is_told_and_the_shipped_weights_score(nonsense: Any) -> None:
    class Nonsense:
        name = "nonsense"
        score = staticmethod(nonsense)

    steps, agent, _ = run(scorers=(Nonsense(),))
    assert agent.guard.done
    first = steps[0]
    assert first.choice is not None and first.choice.scorer == "linear"
    assert [one.scorer for one in first.choice.fallbacks] == ["nonsense"]
    assert first.step.proposed.note.startswith("nonsense gave no scores")


def test_fallbacks_are_in_the_journal(tmp_path: Path) -> None:
    class Away:
        name = "away"

        def score(self, decision: Decision) -> Scores:
            raise ModelError("the model is away")

    path = tmp_path / "j.jsonl"
    with open_guarded(SPEC, PHONE, SessionOptions(app=APP, journal=path)) as session:
        agent = RankAgent(session.guard, session.device, options=RankOptions(scorers=(Away(),), most=1))
        assert len(list(agent.run())) == 1
    notes = [json.loads(line).get("note", "") for line in path.read_text("utf-8").splitlines()]
    assert any("away gave no scores: it failed: the model is away" in note for note in notes if note)


# ---------------------------------------------------------------- values that no clause names


def test_a_model_says_what_no_clause_names() -> None:
    asked: list[Question] = []

    def says(question: Question) -> str | None:
        asked.append(question)
        return "a few words"

    only_note = Fixed(lambda text: 60.0 if "A note" in text or "hello" in text else -60.0)
    steps, _, state = run(scorers=(only_note,), model=("small", says), most=1)
    assert state["note"] == "a few words" and "type into" in asked[0].text
    best = steps[0].choice.best  # type: ignore[union-attr]
    assert best is not None and best.completed is not None
    assert (best.completed.source, best.completed.by) == ("model", "small")


def test_an_empty_text_of_a_model_clears() -> None:
    says = iter(("hello", ""))
    only_note = Fixed(lambda text: 60.0 if "A note" in text or "hello" in text else -60.0)
    steps, _, state = run(scorers=(only_note,), model=("small", lambda question: next(says)), most=2)
    assert did(steps)[:2] == ["input_text", "clear_text"] and state["note"] == ""


def test_what_a_model_says_is_judged_again() -> None:
    """A value that leads off the task's way is not typed, and the field is left alone here."""
    wrong = Fixed(lambda text: 60.0 if "Ann" in text and "Bob" not in text else -60.0)

    def says(question: Question) -> str | None:
        return "Mallory"

    _, agent, state = run(scorers=(wrong,), model=("small", says))
    assert state["name"] in ("Ann", "Bob") and agent.guard.snapshot.screen is not None


def test_the_user_follows_a_model_that_is_away() -> None:
    def away(question: Question) -> str | None:
        raise ModelError("no route")

    only_note = Fixed(lambda text: 60.0 if "A note" in text or "hello" in text else -60.0)
    steps, _, state = run(
        scorers=(only_note,), model=("small", away), user=lambda question: "by hand", most=1
    )
    assert state["note"] == "by hand"
    choice = steps[0].choice
    assert choice is not None and "small gave no value: no route" in choice.problem


def test_without_anybody_to_ask_fields_are_left_out() -> None:
    steps, _, state = run(most=1)
    dropped = steps[0].choice.dropped  # type: ignore[union-attr]
    assert any(one.rule == "open" and "A note" in one.text for one in dropped)
    assert state["note"] == "hello"


# ---------------------------------------------------------------- screens without anything


class Blank:
    """A device that shows one screen, whatever is done."""

    def __init__(self, xml: str) -> None:
        with open_device(PHONE) as device:
            assert isinstance(device, SimulatedDevice)
            self.info = device.info
        self.screen = TreeScreen(
            load_tree(xml, name="blank"), app=("org.example.form", ".Main"), settled=True
        )
        self.inputs: list[str] = []

    def observe(self) -> TreeScreen:
        return self.screen

    def perform(self, action: Any, target: Any) -> None:
        self.inputs.append(action.name)

    def screenshot(self) -> bytes:
        return b""

    def close(self) -> None:
        return None


def test_a_screen_without_a_control_ends_with_words() -> None:
    device = Blank(
        '<hierarchy><node class="a.B" package="org.example.form" bounds="[0,0][9,9]" text="x"/></hierarchy>'
    )
    guard = Guard(program())
    agent = RankAgent(guard, device)  # type: ignore[arg-type]
    steps = list(agent.run())
    assert agent.stopped and not guard.done and not guard.failed
    assert len(steps) < 30 and "tap" not in device.inputs


def test_an_agent_ends_after_its_last_action() -> None:
    _, agent, _ = run(most=1)
    assert agent.stopped == "it proposes at most 1 action"
