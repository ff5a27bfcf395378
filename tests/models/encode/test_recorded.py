"""Answers of an earlier run: each request gets its own, and one that was not asked then is an error."""

import json
from pathlib import Path

import pytest

from vsalang.models.client.file_model import FileModel
from vsalang.models.client.language_model import UnusableAnswer
from vsalang.models.client.recorded import LINES, Recording
from vsalang.models.encode import Answer, Ledger, Message, ModelError, Trace


def asked(text: str, system: str = "s") -> list[Message]:
    return [Message("system", system), Message("user", text)]


def write(folder: Path, number: int, text: str, answer: str, **more: object) -> None:
    messages = [{"role": m.role, "content": m.content} for m in asked(text)]
    request = {"model": "m", "messages": messages, **more}
    (folder / f"{number:06}.request.json").write_text(json.dumps(request), encoding="utf-8")
    (folder / f"{number:06}.answer.txt").write_text(answer, encoding="utf-8")


def test_each_request_has_its_answer(tmp_path: Path) -> None:
    write(tmp_path, 1, "a", "A")
    (tmp_path / "below").mkdir()
    write(tmp_path / "below", 1, "b", "B")
    recording = Recording.read(tmp_path)
    model = recording.model()
    assert [model.ask(asked(text)).text for text in ("b", "a", "b")] == ["B", "A", "B"]
    assert (recording.name, model.name, model.stale) == ("m", "m", 0)


def test_requests_and_answers_may_stand_in_one_file(tmp_path: Path) -> None:
    write(tmp_path, 1, "a", "A")
    lines = [{"messages": [{"role": "user", "content": text}], "answer": text.upper()} for text in "bc"]
    (tmp_path / LINES).write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    model = Recording.read(tmp_path).model()
    assert [model.ask(asked(text)).text for text in "cab"] == ["C", "A", "B"]


@pytest.mark.parametrize("line", ["", "{}", '{"messages": []}', '{"messages": [], "answer": 7}'])
def test_a_line_is_read_strictly(line: str, tmp_path: Path) -> None:
    (tmp_path / LINES).write_text('{"messages": [], "answer": "A"}\n' + line + "\n", encoding="utf-8")
    with pytest.raises(ModelError, match=r"answers\.jsonl:2"):
        Recording.read(tmp_path)


def test_what_was_not_asked_is_an_error(tmp_path: Path) -> None:
    write(tmp_path, 1, "a", "A")
    with pytest.raises(ModelError, match=r"no answer to this request is recorded in .*: what\? \.\.$"):
        Recording.read(tmp_path).model().ask(asked("what?"))


def test_samples_and_repetitions_are_told_apart(tmp_path: Path) -> None:
    write(tmp_path, 1, "a", "first")
    write(tmp_path, 2, "a", "second")
    write(tmp_path, 3, "a", "of another sample", sample=2)
    recording = Recording.read(tmp_path)
    for _ in range(2):
        model = recording.model()
        assert [model.ask(asked("a")).text for _ in range(3)] == ["first", "second", "second"]
    assert recording.model(2).ask(asked("a")).text == "of another sample"
    with pytest.raises(ModelError):
        recording.model(3).ask(asked("a"))


def test_another_system_message_is_counted(tmp_path: Path) -> None:
    write(tmp_path, 1, "a", "A")
    model = Recording.read(tmp_path).model()
    assert model.ask(asked("a", "another")).text == "A"
    assert model.stale == 1


def test_a_trace_can_be_replayed(tmp_path: Path) -> None:
    class Said:
        name = "said"

        def ask(self, messages: object) -> Answer:
            return Answer("yes", "said-1", {"prompt_tokens": 7})

    trace = Trace(tmp_path / "trace", lambda text: text)
    Ledger(trace=trace).watch(Said(), "writer").ask(asked("a"))
    trace.close()
    found = Recording.read(tmp_path / "trace").model().ask(asked("a"))
    assert (found.text, found.model, found.usage) == ("yes", "said-1", {"prompt_tokens": 7})


def test_an_answer_that_could_not_be_used_is_repeated(tmp_path: Path) -> None:
    class Refuses:
        name = "refuses"

        def ask(self, messages: object) -> Answer:
            raise UnusableAnswer("cut off", "more room", {"prompt_tokens": 7})

    trace = Trace(tmp_path, lambda text: text)
    model = Ledger(trace=trace).watch(Refuses(), "writer")
    with pytest.raises(UnusableAnswer):
        model.ask(asked("a"))
    trace.close()
    write(tmp_path, 2, "b", " ")
    by_files = FileModel(tmp_path, name="refuses", timeout=0.1)
    for again in (Recording.read(tmp_path).model(), by_files):
        with pytest.raises(UnusableAnswer, match="cut off") as caught:
            again.ask(asked("a"))
        assert (caught.value.hint, caught.value.usage) == ("more room", {"prompt_tokens": 7})
    with pytest.raises(UnusableAnswer, match="is empty"):
        Recording.read(tmp_path).model().ask(asked("b"))


def test_requests_without_answers_are_left_out(tmp_path: Path) -> None:
    write(tmp_path, 1, "a", "A")
    write(tmp_path, 2, "b", "B")
    (tmp_path / "000002.answer.txt").unlink()
    with pytest.raises(ModelError, match="no answer to this request"):
        Recording.read(tmp_path).model().ask(asked("b"))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"messages": [7]}',
        '{"messages": [{"role": "x"}]}',
        '{"messages": [], "sample": [1]}',
        "[" * 100_000,
    ],
)
def test_a_request_is_read_strictly(text: str, tmp_path: Path) -> None:
    (tmp_path / "000001.request.json").write_text(text, encoding="utf-8")
    with pytest.raises(ModelError, match=r"000001\.request\.json"):
        Recording.read(tmp_path)


def test_a_folder_without_answers_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="no answer is recorded"):
        Recording.read(tmp_path)
    with pytest.raises(ModelError, match="is not a folder"):
        Recording.read(tmp_path / "none")
