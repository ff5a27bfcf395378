"""A model that is asked by files: what is written, what is read, and what happens where nobody answers."""

import json
import os
import stat
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from vsalang.models.client.language_model import seconds
from vsalang.models.encode import FileModel, Message, ModelError, PromptError, UnusableAnswer
from vsalang.tools.cli.main import run

ASKED = [Message("user", "hällo")]
SPEC = "spec t\nimport apps.opentable\nallow Reserve(time < 19:00).\ndone when Reserve earlier.\n"


def model(folder: Path, timeout: float = 0.0) -> FileModel:
    return FileModel(folder, name="m", timeout=timeout)


def test_a_request_is_a_file_and_its_answer_another(tmp_path: Path) -> None:
    (tmp_path / "000001.answer.txt").write_text("yes", encoding="utf-8")
    (tmp_path / "000002.answer.json").write_text(
        json.dumps({"text": "no", "model": "x", "usage": {"total_tokens": 3, "odd": "y"}}), encoding="utf-8"
    )
    asked = model(tmp_path)
    first, second = asked.ask(ASKED), asked.ask(ASKED)
    assert (first.text, first.model) == ("yes", "")
    assert (second.text, second.model, second.usage) == ("no", "x", {"total_tokens": 3})
    request = json.loads((tmp_path / "000001.request.json").read_text(encoding="utf-8"))
    assert request == {"model": "m", "messages": [{"role": "user", "content": "hällo"}]}
    assert stat.S_IMODE((tmp_path / "000001.request.json").stat().st_mode) == 0o600


@pytest.mark.parametrize("ending", ["answer.txt", "answer.json", "error.json"])
def test_an_answer_is_no_link(ending: str, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text('{"text": "secret"}', encoding="utf-8")
    (tmp_path / f"000001.{ending}").symlink_to(tmp_path / "secret")
    with pytest.raises(ModelError, match="it is a link"):
        model(tmp_path).ask(ASKED)


@pytest.mark.parametrize("option", ["--model", "--reviewer"])
def test_a_name_that_no_model_has_is_refused(
    option: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "t.vsa"
    asks = ["--endpoint-dir", str(tmp_path), "--no-memory", option, "g\udcffx"]
    assert run(["encode", "Book.", "--app", "apps.opentable", "-o", str(output), *asks]) == 2
    assert r"'g\udcffx' is not a name of a model" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_later_samples_have_requests_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "000001.answer.txt").write_text("one", encoding="utf-8")
    (tmp_path / "000002.answer.txt").write_text("two", encoding="utf-8")
    asked = [FileModel(tmp_path, name="m", timeout=0.0, sample=number) for number in (1, 2)]
    assert [each.ask(ASKED).text for each in asked] == ["one", "two"]
    assert json.loads((tmp_path / "000002.request.json").read_text(encoding="utf-8"))["sample"] == 2


def test_an_answer_may_come_later(tmp_path: Path) -> None:
    def answer() -> None:
        (tmp_path / "draft").write_text("late", encoding="utf-8")
        (tmp_path / "draft").rename(tmp_path / "000001.answer.txt")

    timer = threading.Timer(0.2, answer)
    timer.start()
    assert model(tmp_path, timeout=60).ask(ASKED).text == "late"
    timer.join()


def test_a_repeated_run_finds_its_answers(tmp_path: Path) -> None:
    (tmp_path / "000001.answer.txt").write_text("one", encoding="utf-8")
    (tmp_path / "000002.answer.txt").write_text("two", encoding="utf-8")
    for _ in range(2):
        asked = model(tmp_path)
        assert [asked.ask(ASKED).text, asked.ask([Message("user", "other")]).text] == ["one", "two"]
    assert sorted(path.name for path in tmp_path.glob("*.request.json")) == [
        "000001.request.json",
        "000002.request.json",
    ]


def test_requests_of_others_stay(tmp_path: Path) -> None:
    (tmp_path / "000001.request.json").write_text("theirs", encoding="utf-8")
    (tmp_path / "000002.answer.txt").write_text("mine", encoding="utf-8")
    assert model(tmp_path).ask(ASKED).text == "mine"
    assert (tmp_path / "000001.request.json").read_text(encoding="utf-8") == "theirs"


def test_nobody_answers(tmp_path: Path) -> None:
    with pytest.raises(
        ModelError, match=r"nobody answered .*000001\.request\.json within 0 seconds"
    ) as failed:
        model(tmp_path).ask(ASKED)
    assert "000001.answer.txt" in failed.value.hint
    assert (seconds(0.5), seconds(1), seconds(20)) == ("0.5 seconds", "1 second", "20 seconds")


@pytest.mark.parametrize("text", ["", "[1]", "{", '{"text": 7}', "[" * 100_000])
def test_answers_in_json_are_read_strictly(text: str, tmp_path: Path) -> None:
    (tmp_path / "000001.answer.json").write_text(text, encoding="utf-8")
    with pytest.raises(ModelError):
        model(tmp_path).ask(ASKED)


def test_what_is_no_text_is_refused(tmp_path: Path) -> None:
    place = tmp_path / "000001.answer.txt"
    place.write_bytes(b"\xff")
    with pytest.raises(ModelError, match="cannot be read"):
        model(tmp_path).ask(ASKED)
    place.unlink()
    os.mkfifo(place)
    with pytest.raises(ModelError, match="named pipe"):
        model(tmp_path).ask(ASKED)
    place.unlink()
    place.write_text(" \n", encoding="utf-8")
    with pytest.raises(UnusableAnswer, match="is empty"):
        model(tmp_path).ask(ASKED)
    with pytest.raises(ModelError, match="is not a folder"):
        model(tmp_path / "none")


@pytest.fixture
def encode(tmp_path: Path) -> Callable[..., int]:
    def call(*more: str) -> int:
        (tmp_path / "asked").mkdir(exist_ok=True)
        options = ["--endpoint-dir", str(tmp_path / "asked"), "--timeout", "0.3", "--no-review"]
        options += ["--today", "2026-04-01", *more]
        return run(["encode", "x", "--app", "apps.opentable", "-o", str(tmp_path / "t.vsa"), *options])

    return call


def test_the_command_asks_by_files(encode: Callable[..., int], tmp_path: Path) -> None:
    assert encode() == 2
    (tmp_path / "asked" / "000001.answer.txt").write_text(f"```vsa\n{SPEC}```", encoding="utf-8")
    assert encode() == 0
    assert "time < 19:00" in (tmp_path / "t.vsa").read_text(encoding="utf-8")


def test_servers_options_do_not_go_with_files(
    encode: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    assert encode("--seed", "1") == 2
    assert "--endpoint-dir and --seed exclude each other." in capsys.readouterr().err


def test_samples_by_files_are_asked_apart(encode: Callable[..., int], tmp_path: Path) -> None:
    (tmp_path / "asked").mkdir()
    for number, time in enumerate(("< 19:00", "<= 19:00"), 1):
        text = SPEC.replace("< 19:00", time)
        (tmp_path / "asked" / f"{number:06}.answer.txt").write_text(f"```vsa\n{text}```", encoding="utf-8")
    assert encode("--samples", "2") == 3  # they disagree


def test_half_a_surrogate_pair_stops_nothing(encode: Callable[..., int], tmp_path: Path) -> None:
    (tmp_path / "asked").mkdir()
    odd = {"text": f"```vsa\n{SPEC}```", "model": "\ud800", "usage": {"\udfff": 1}}
    (tmp_path / "asked" / "000001.answer.json").write_text(json.dumps(odd), encoding="utf-8")
    assert encode("--trace", str(tmp_path / "t")) == 0
    assert '"model": "?"' in (tmp_path / "t" / "000001.answer.json").read_text(encoding="utf-8")


@pytest.mark.parametrize(("stop", "status"), [(KeyboardInterrupt(), 130), (PromptError("no"), 2)])
def test_an_accepted_spec_survives_a_stop(
    encode: Callable[..., int],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    stop: BaseException,
    status: int,
) -> None:
    def read(*asked: object) -> None:
        raise stop

    monkeypatch.setattr("vsalang.models.encode.Reader.read", read)
    (tmp_path / "asked").mkdir()
    (tmp_path / "asked" / "000001.answer.txt").write_text(f"```vsa\n{SPEC}```", encoding="utf-8")
    assert encode("--review", "--keep") == status
    assert "time < 19:00" in (tmp_path / "t.rejected.vsa").read_text(encoding="utf-8")


def test_an_attempt_is_kept_after_an_empty_answer(encode: Callable[..., int], tmp_path: Path) -> None:
    (tmp_path / "asked").mkdir()
    broken = SPEC.replace("Reserve(", "Order(")
    (tmp_path / "asked" / "000001.answer.txt").write_text(f"```vsa\n{broken}```", encoding="utf-8")
    (tmp_path / "asked" / "000002.answer.txt").write_text("no idea", encoding="utf-8")
    assert encode("--keep", "--max-rounds", "2") == 1
    assert "Order(time < 19:00)" in (tmp_path / "t.rejected.vsa").read_text(encoding="utf-8")
