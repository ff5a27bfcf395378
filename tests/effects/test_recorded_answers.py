"""Recorded answers about unknown controls stand for a model in the benchmarks."""

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.effects.answers import (
    AnswersError,
    RecordedModel,
    Tally,
    live_answers,
    main,
    names_of,
    read_answers,
    recorded_model,
)
from benchmarks.effects.reading import main as read_touches
from benchmarks.effects.screens import DATA as SCREENS
from benchmarks.tasks.__main__ import outcomes_of
from benchmarks.tasks.labels import HERE, read_effects
from benchmarks.tasks.recordings import DATA, read_tasks
from vsalang.guard import Guard
from vsalang.language.semantics import load_text
from vsalang.models.client.language_model import Message, ModelError
from vsalang.models.effects.answer import Effect
from vsalang.models.effects.asking import number_of
from vsalang.models.effects.prompt import Question, messages
from vsalang.program.action import Action
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import load_dump

_KINDS = {
    "Send": Effect("Send something to somebody", {"to": "to whom"}),
    "Edit": Effect("Change something that stays", {"what": "what"}),
}
_QUESTION = Question("com.app", {"label": "Zap", "kind": "button"}, 'app "com.app"\n"Zap" clickable')
_ASKED = messages(_QUESTION, number_of(_QUESTION), _KINDS)
_ANSWER = {"nonce": number_of(_QUESTION), "means": "leads on", "kind": "", "arguments": []}
_SCREEN = """<hierarchy rotation="0"><node package="com.app" class="android.widget.FrameLayout" text="" content-desc=""
clickable="false" bounds="[0,0][1080,2000]"><node package="com.app" class="android.widget.Button"
resource-id="com.app:id/zap" text="Zap"
content-desc="" long-clickable="false" checkable="false" checked="false" selected="false" password="false"
scrollable="false" focused="false" clickable="true" enabled="true" bounds="[100,100][400,200]"/></node></hierarchy>"""
_SPEC = """spec zap "look at it"
import std.effects
allow answer.
done when answer earlier.
"""


def _written(folder: Path, asked: list[Message], answer: dict[str, Any]) -> Path:
    """A request as `--ask` writes it, and the answer next to it, recorded in a file."""
    requests = folder / "asked"
    with pytest.raises(ModelError, match="no answer"):
        model = recorded_model(None, requests)
        assert model is not None
        model.ask(asked)
    (request,) = requests.glob("*.request.json")
    assert json.loads(request.read_text("utf-8"))["messages"][1]["content"] == asked[1].content
    answered = {"text": json.dumps(answer), "model": "somebody"}
    request.with_name(request.name.replace(".request.", ".answer.")).write_text(json.dumps(answered), "utf-8")
    file = folder / "answers" / "zap.jsonl"
    assert main(["record", str(requests), str(file)]) == 0
    return file


def test_what_was_asked_is_recorded_and_repeated(tmp_path: Path) -> None:
    file = _written(tmp_path, _ASKED, _ANSWER)
    (line,) = file.read_text("utf-8").splitlines()
    assert (json.loads(line)["prompt"], json.loads(line)["question"]) == names_of(_ASKED)
    model = RecordedModel(read_answers(file.parent))
    answer = model.ask(_ASKED)
    assert json.loads(answer.text) == _ANSWER
    assert answer.model == "somebody"
    assert model.tally == Tally(used=frozenset({names_of(_ASKED)[1]}))


def test_answers_that_are_recorded_stay(tmp_path: Path) -> None:
    file = _written(tmp_path, _ASKED, _ANSWER)
    (tmp_path / "none").mkdir()
    assert main(["record", str(tmp_path / "none"), str(file)]) == 0
    assert len(read_answers(file.parent)) == 1


def test_another_screen_has_no_answer(tmp_path: Path) -> None:
    model = RecordedModel(read_answers(_written(tmp_path, _ASKED, _ANSWER).parent))
    other = Question("com.app", {"label": "Zap", "kind": "button"}, 'app "com.app"\n"Zap all" clickable')
    with pytest.raises(ModelError, match="no answer is recorded"):
        model.ask(messages(other, number_of(other), _KINDS))
    assert "1 questions, 0 with a recorded answer, 1 without" in model.tally.said(1)


def test_after_another_prompt_answers_do_not_count(tmp_path: Path) -> None:
    model = RecordedModel(read_answers(_written(tmp_path, _ASKED, _ANSWER).parent))
    with pytest.raises(ModelError, match="the prompt has changed"):
        model.ask(messages(_QUESTION, number_of(_QUESTION), {"Send": Effect("Send something", {})}))
    assert len(model.tally.outdated) == 1
    assert "1 answered after another prompt (not used)" in model.tally.said(1)


@pytest.mark.parametrize("text", ["", "{}\n", "[1]\n", "no JSON\n"])
def test_what_is_not_an_answer_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.jsonl").write_text(text, "utf-8")
    with pytest.raises(AnswersError):
        read_answers(tmp_path)


def test_a_folder_without_answers_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if not SCREENS.is_dir():
        pytest.skip(f"there are no recorded screens in {SCREENS}")
    assert read_touches(["--answers", str(tmp_path)]) == 2
    assert "holds no recorded answers" in capsys.readouterr().err


def test_an_answer_that_leads_on_asks_no_more(tmp_path: Path) -> None:
    program = load_text(_SPEC, file="zap.vsa").checked()
    requests = tmp_path / "asked"

    def kinds(model: RecordedModel) -> set[str]:
        guard = Guard(program)
        guard.consult(live_answers(guard, model))
        guard.observe(TreeScreen(load_dump(_SCREEN.encode()), app=("com.app", None), settled=True))
        return {reason.kind for reason in guard.propose(Action("tap", {"x": 200, "y": 150})).reasons}

    requests.mkdir()
    assert "unknown_touch" in kinds(RecordedModel((), requests))
    (request,) = requests.glob("*.request.json")
    nonce = json.loads(request.read_text("utf-8"))["messages"][1]["content"].split()[1].rstrip(".")
    text = json.dumps({**_ANSWER, "nonce": nonce})
    request.with_name(request.name.replace(".request.", ".answer.")).write_text(
        json.dumps({"text": text}), "utf-8"
    )
    assert main(["record", str(requests), str(tmp_path / "a.jsonl")]) == 0
    assert "unknown_touch" not in kinds(RecordedModel(read_answers(tmp_path)))


@pytest.mark.parametrize("name", ["calendar-11"])
def test_recorded_answers_are_used_in_recorded_tasks(name: str) -> None:
    if not DATA.is_dir():
        pytest.skip(f"there are no recorded tasks in {DATA}")
    tasks = [task for task in read_tasks(DATA) if task.name == name]
    model = RecordedModel(read_answers(HERE / "answers"))
    outcomes_of(tasks[0], tasks, read_effects(), ["right"], model=model)
    assert model.tally.used
    assert not model.tally.outdated
