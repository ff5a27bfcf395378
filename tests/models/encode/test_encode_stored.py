"""Answers that are kept: what is asked once, what is asked again, and what may not be read."""

import json
import stat
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.models.encode.chat_server import fails, says, serve
from vsalang.models.client.response_format import ResponseFormat
from vsalang.models.client.stored import StoredAnswers
from vsalang.models.encode import Answer, Message, ModelError, OpenAIModel, Trace, TraceError, UnusableAnswer
from vsalang.tools.cli.main import run

ASKED = (Message("user", "hällo"),)
SPEC = "spec t\nimport apps.opentable\nallow Reserve(time < 19:00).\ndone when Reserve earlier.\n"
KEY = "sk-secret-0123456789"


class Backend:
    name = "m"
    endpoint = "here"
    exposes_key = False

    def __init__(self, *answers: str | Exception, parameters: dict[str, object] | None = None) -> None:
        self.answers = list(answers)
        self.parameters = parameters or {}

    def redact(self, text: str) -> str:
        return text.replace("secret", "[key]")

    def ask(self, messages: Sequence[Message]) -> Answer:
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return Answer(answer, "m1", {"total_tokens": 3})


def files(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.json"))


def test_the_same_request_is_asked_once(tmp_path: Path) -> None:
    model = StoredAnswers(Backend("one"), tmp_path / "deep" / "kept")
    first = model.ask(ASKED)
    again = model.ask(ASKED)
    assert (first.text, first.stored, again.text, again.stored) == ("one", False, "one", True)
    assert (again.model, again.usage) == ("m1", {"total_tokens": 3})
    (file,) = files(tmp_path)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "deep" / "kept").stat().st_mode) == 0o700


@pytest.mark.parametrize(
    "other",
    [
        lambda folder: StoredAnswers(Backend("two"), folder, 2),
        lambda folder: StoredAnswers(Backend("two", parameters={"seed": 1}), folder),
        lambda folder: StoredAnswers(Backend("two"), folder / "other"),
    ],
)
def test_another_request_is_asked(other: Callable[[Path], StoredAnswers], tmp_path: Path) -> None:
    assert StoredAnswers(Backend("one"), tmp_path).ask(ASKED).text == "one"
    assert other(tmp_path).ask(ASKED).text == "two"
    assert StoredAnswers(Backend("three"), tmp_path).ask((*ASKED, *ASKED)).text == "three"


@pytest.mark.parametrize(
    "damage", ["", "{", "[]", "{}", "\xff", '{"answer": {"text": "forged", "model": "m"}}']
)
def test_a_damaged_entry_is_asked_again(damage: str, tmp_path: Path) -> None:
    StoredAnswers(Backend("one"), tmp_path).ask(ASKED)
    (file,) = files(tmp_path)
    file.write_text(damage, encoding="latin-1")
    assert StoredAnswers(Backend("two"), tmp_path).ask(ASKED).text == "two"
    assert StoredAnswers(Backend(), tmp_path).ask(ASKED).text == "two"


def test_what_others_may_write_is_not_read(tmp_path: Path) -> None:
    StoredAnswers(Backend("one"), tmp_path).ask(ASKED)
    (file,) = files(tmp_path)
    file.chmod(0o666)
    assert StoredAnswers(Backend("two"), tmp_path).ask(ASKED).text == "two"


def test_an_answer_of_another_request_is_not_taken(tmp_path: Path) -> None:
    model = StoredAnswers(Backend("one"), tmp_path)
    model.ask(ASKED)
    (file,) = files(tmp_path)
    data = json.loads(file.read_text(encoding="utf-8"))
    data["messages"] = [["user", "bye"]]
    file.write_text(json.dumps(data), encoding="utf-8")
    assert StoredAnswers(Backend("two"), tmp_path).ask(ASKED).text == "two"


def test_unusable_answers_are_repeated_only_offline(tmp_path: Path) -> None:
    cut = UnusableAnswer("cut off", "ask more", {"total_tokens": 7})
    with pytest.raises(UnusableAnswer):
        StoredAnswers(Backend(cut), tmp_path).ask(ASKED)
    with pytest.raises(UnusableAnswer, match="cut off") as again:
        StoredAnswers(Backend(), tmp_path, only=True).ask(ASKED)
    assert (again.value.hint, again.value.usage) == ("ask more", {"total_tokens": 7})
    assert StoredAnswers(Backend("one"), tmp_path).ask(ASKED).text == "one"
    assert StoredAnswers(Backend(), tmp_path, only=True).ask(ASKED).text == "one"
    with pytest.raises(ModelError, match="no answer to this request is kept"):
        StoredAnswers(Backend(), tmp_path, only=True).ask((*ASKED, *ASKED))


def test_a_key_is_not_kept(tmp_path: Path) -> None:
    assert StoredAnswers(Backend("the secret"), tmp_path).ask(ASKED).text == "the secret"
    assert files(tmp_path) == []


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(ModelError, match="cannot be kept"):
        StoredAnswers(Backend("one"), tmp_path / "file").ask(ASKED)


@pytest.mark.slow
def test_the_command_repeats_a_run_offline(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    command = [
        "encode",
        "x",
        "--app",
        "apps.opentable",
        "-o",
        str(tmp_path / "t.vsa"),
        "--no-review",
        "--json",
    ]
    command += ["--today", "2026-04-01", "--cache", str(tmp_path / "kept"), "--retries", "0", "--force"]
    with serve(says(f"```vsa\n{SPEC}```"), fails(500)) as chat:
        for _ in range(2):
            assert run([*command, "--base-url", chat.url]) == 0
        assert len(chat.requests) == 1
    capsys.readouterr()
    monkeypatch.delenv("OPENAI_API_KEY")
    monkeypatch.setitem(sys.modules, "openai", None)  # it is not installed
    assert run([*command, "--offline"]) == 0
    spent = json.loads(capsys.readouterr().out)["spent"]
    assert (spent["calls"], spent["stored"], spent["input_tokens"]) == (1, 1, 10)


def test_what_changes_answers_is_a_parameter() -> None:
    model = OpenAIModel(
        "m", base_url="http://127.0.0.1:1/v1", temperature=0.5, seed=7, form=ResponseFormat("spec", {})
    )
    assert model.parameters == {"temperature": 0.5, "seed": 7, "response_format": "spec"}
    assert OpenAIModel("m", base_url="http://127.0.0.1:1/v1").parameters == {}


def test_a_run_that_cannot_begin_leaves_no_trace(tmp_path: Path) -> None:
    for _ in range(2):
        trace = Trace(tmp_path / "t", str)
        trace.close()
    trace.event("error", message="x\u202e")
    trace.close()
    assert (tmp_path / "t" / "run.jsonl").read_text(encoding="utf-8") == (
        '{"event": "error", "message": "x\\u202e"}\n'
    )
    with pytest.raises(TraceError, match="is not empty"):
        Trace(tmp_path / "t", str)
    with pytest.raises(TraceError, match="no trace can be written"):
        Trace(tmp_path / "t" / "run.jsonl" / "x", str)
