"""``--answer json`` against a real server: one that takes a schema, one that refuses it, and what is said of it."""

import json
from pathlib import Path

import pytest

from tests.models.encode.chat_server import fails, says, serve
from tests.models.encode.test_json_answer import ANSWER, DONE, TEXT, _changed
from tests.snapshots import golden
from vsalang.models.encode import Message, ModelError, OpenAIModel, ResponseFormat, response_schema
from vsalang.tools.cli.main import run

NO_SCHEMA = fails(400, "response_format is not supported")
UNSUPPORTED = "the server does not hold the model to the form of answers"


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_BASE_URL", "OPENAI_MODEL", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_ADMIN_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-0123456789")


def encode(url: str, out: Path, *more: str) -> int:
    options = ["--base-url", url, "--retries", "0", "--timeout", "20", "--no-review", "--answer", "json"]
    return run(["encode", "Book before seven", "--app", "apps.opentable", "-o", str(out), *options, *more])


def test_a_server_holds_the_model_to_the_schema(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with serve(says(json.dumps(ANSWER))) as chat:
        assert encode(chat.url, tmp_path / "early.vsa") == 0
    assert (tmp_path / "early.vsa").read_text(encoding="utf-8").endswith(TEXT)
    sent = chat.requests[0]["response_format"]
    assert sent == {
        "type": "json_schema",
        "json_schema": {"name": "spec", "strict": True, "schema": response_schema()},
    }
    assert UNSUPPORTED not in capsys.readouterr().err


def test_a_server_that_refuses_is_asked_without(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = _changed("rules.0.head.atom.constraints.0.op", "==")
    with serve(NO_SCHEMA, says(wrong), says(json.dumps(ANSWER))) as chat:
        assert encode(chat.url, tmp_path / "early.vsa") == 0
    assert ["response_format" in request for request in chat.requests] == [True, False, False]
    assert chat.requests[0]["messages"] == chat.requests[1]["messages"]
    assert capsys.readouterr().err.count(UNSUPPORTED) == 1


def test_what_is_refused_twice_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with serve(NO_SCHEMA, fails(400, "no such model")) as chat:
        assert encode(chat.url, tmp_path / "early.vsa") == 2
    err = capsys.readouterr().err
    assert "no such model" in err and UNSUPPORTED not in err
    with serve(fails(401, "who?"), says("x")) as chat:
        assert encode(chat.url, tmp_path / "early.vsa") == 2
    assert len(chat.requests) == 1


def test_an_answer_cut_off_shows_the_server_answers() -> None:
    told: list[str] = []
    form = ResponseFormat("spec", {"type": "object"}, told.append)
    with serve(NO_SCHEMA, says("{", finish="length"), says("{}")) as chat:
        model = OpenAIModel("m", base_url=chat.url, retries=0, form=form)
        with pytest.raises(ModelError, match="cut off"):
            model.ask([Message("user", "x")])
        assert model.ask([Message("user", "x")]).text == "{}"
    assert len(told) == 1 and "status 400: response_format is not supported" in told[0]
    assert len(chat.requests) == 3 and "response_format" not in chat.requests[2]


def test_what_the_model_is_told(tmp_path: Path) -> None:
    """The form in the first message, the request, the problems."""
    wrong = json.dumps({**ANSWER, "rules": [DONE]})
    with serve(says(_changed("rules.0.head.atom.constraints.0.attr", "hour")), says(wrong)) as chat:
        assert encode(chat.url, tmp_path / "early.vsa", "--today", "2026-04-01", "--max-rounds", "2") == 1
    system, _, _, feedback = (each["content"] for each in chat.messages(2))
    assert "# Tests" not in system and system.count("```json") == 2
    golden(
        "\n".join([system[system.index("# Your answer") :], "=" * 40, feedback]), "formalize/json_answer.txt"
    )
