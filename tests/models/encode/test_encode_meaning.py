"""The meaning of a spec that checks: who doubts, what the writer hears, and what is left for a person."""

import datetime as dt
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.models.encode.chat_server import Reply, says, serve
from vsalang.language.lint import lint
from vsalang.language.semantics import Loaded, load_text
from vsalang.models.encode import (
    Answer,
    Doubt,
    Formalization,
    Message,
    ModelError,
    Moment,
    Reader,
    Review,
    Settings,
    Spending,
    Task,
    UnusableAnswer,
    encode,
)
from vsalang.models.encode.prompting import Prompts
from vsalang.models.encode.report import as_text
from vsalang.models.encode.review import Reviewing
from vsalang.program.ir import Program
from vsalang.tools.cli.main import run

SAID = "Reserve a table at restaurant R for today before 7 PM."
LOOSE = 'spec a\nimport apps.opentable\nallow Reserve(restaurant = "R", date = today).\ndone when Reserve earlier.\n'
TIGHT = LOOSE.replace("date = today", "date = today, time < 19:00")
DOUBT = Doubt(
    "reader", "any time is allowed", 'any time is allowed. The instruction says: "before 7 PM"', "before 7 PM"
)


class Script:
    """A model that gives these answers one after the other; an error is raised."""

    name = "script"

    def __init__(self, *answers: str | Exception) -> None:
        self.answers = list(answers)
        self.seen: list[Sequence[Message]] = []

    def ask(self, messages: Sequence[Message]) -> Answer:
        self.seen.append(messages)
        answer = self.answers[min(len(self.seen), len(self.answers)) - 1]
        if isinstance(answer, Exception):
            raise answer
        return Answer(answer)


def read(*answers: str | Exception, questions: Sequence[str] = ()) -> tuple[Review, Script]:
    model = Script(*answers)
    reader = Reader(model, Moment(dt.date(2026, 4, 1)), Prompts())
    return reader.read(SAID, "- The agent may reserve once.", questions), model


def found(*findings: Any, answers: Sequence[Any] = ()) -> str:
    return json.dumps({"findings": findings, "answers": answers})


YES = {"number": 1, "meant": "yes", "quote": ""}


# ---- the reader --------------------------------------------------------------------------------------


def test_the_reader_sees_the_description_alone() -> None:
    review, model = read(found(answers=[YES]), questions=["7 PM is allowed?"])
    assert review.doubts == ()
    (message,) = model.seen[0]
    for part in (SAID, "- The agent may reserve once.", "1. 7 PM is allowed?", "Wednesday, 2026-04-01"):
        assert part in message.content
    assert "allow Reserve" not in message.content


def test_only_what_quotes_the_instruction_counts() -> None:
    review, _ = read(
        "Here:\n```json\n"
        + found(
            {"quote": "Before  7 pm", "problem": "any time is allowed"},
            {"quote": "after 7 PM", "problem": "invented"},
            {"quote": "", "problem": "no quote"},
            {"problem": "no quote"},
            {"quote": "today", "problem": ""},
            7,
            answers=[
                {"number": 1, "meant": "no", "quote": "before 7 PM"},
                {"number": 1, "meant": "open", "quote": "before 7 PM"},
                {"number": 1, "meant": "no", "quote": "elsewhere"},
                {"number": 2, "meant": "no", "quote": "today"},
                {"number": True, "meant": "no", "quote": "today"},
                "no",
            ],
        )
        + "\n```",
        questions=["7 PM is allowed?"],
    )
    assert [(doubt.kind, doubt.message, doubt.quote) for doubt in review.doubts] == [
        ("reader", "any time is allowed", "Before 7 pm"),
        ("probe", "not meant by the instruction: 7 PM is allowed?", "before 7 PM"),
    ]


def test_a_readers_thoughts_are_not_its_answer() -> None:
    review, model = read("<think>perhaps {this}</think>" + found({"quote": "today", "problem": "any day"}))
    assert [doubt.message for doubt in review.doubts] == ["any day"]
    assert len(model.seen) == 1


def test_a_readers_words_can_be_written_to_files() -> None:
    review, _ = read(found({"quote": "today", "problem": "half a \ud800 pair"}))
    (doubt,) = review.doubts
    assert doubt.message == "half a ? pair" and doubt.text.encode("utf-8")


@pytest.mark.parametrize("bad", ["", "no idea", "{", "[1]", '{"findings": 7, "answers": []}', "{" * 100_000])
def test_an_unreadable_answer_is_asked_again(bad: str) -> None:
    review, model = read(bad, found({"quote": "today", "problem": "any day"}))
    assert [doubt.message for doubt in review.doubts] == ["any day"]
    assert len(model.seen) == len(review.exchanges) == 2
    review, model = read(bad)
    assert len(model.seen) == 2
    (doubt,) = review.doubts
    assert doubt.message.startswith(
        "nobody compared the spec with the instruction: its answer is not the JSON"
    )


def test_a_reader_that_cannot_be_asked_is_a_doubt() -> None:
    review, _ = read(ModelError("cannot reach it"))
    assert [doubt.message for doubt in review.doubts] == [
        "nobody compared the spec with the instruction: cannot reach it"
    ]
    review, model = read(UnusableAnswer("the model refused"))
    assert len(model.seen) == 2
    assert "the model refused" in review.doubts[0].message


# ---- the conversation --------------------------------------------------------------------------------


def talk(*answers: str | Exception, rounds: int = 4) -> tuple[Formalization, Script, list[str]]:
    """A conversation in which a spec without a time is doubted."""
    model, looked = Script(*answers), []

    def meaning(loaded: Loaded, given: Program) -> Review:
        text = loaded.sources[loaded.file].text
        looked.append(text)
        return Review(() if "19:00" in text else (DOUBT,))

    result = encode(Task(SAID, ("apps.opentable",)), model, Settings(rounds, meaning=meaning))
    return result, model, looked


def test_a_doubt_is_mended() -> None:
    result, model, looked = talk(LOOSE, f"1: mended\n```vsa\n{TIGHT}```")
    assert result.accepted and result.doubts == () and "19:00" in result.text
    assert result.reply == "1: mended"
    assert len(looked) == 2
    assert 'any time is allowed. The instruction says: "before 7 PM"' in model.seen[1][3].content


def test_a_doubt_that_is_left_needs_a_look() -> None:
    result, model, looked = talk(LOOSE, f"1: no, because it is meant so.\n```vsa\n{LOOSE}```")
    assert result.accepted and result.doubts == (DOUBT,)
    assert result.reply == "1: no, because it is meant so."
    assert len(model.seen) == 2 and len(looked) == 1  # the same spec is not looked at again


def test_a_worse_attempt_does_not_replace_an_accepted_one() -> None:
    broken = LOOSE.replace("Reserve(", "Order(")
    result, model, _ = talk(LOOSE, broken, rounds=3)
    assert result.accepted and result.doubts == (DOUBT,) and "Order(" not in result.text
    assert len(model.seen) == 3


@pytest.mark.parametrize("error", [UnusableAnswer("cut off"), ModelError("gone")])
def test_an_accepted_spec_is_kept_when_the_model_fails(error: ModelError) -> None:
    result, _, _ = talk(LOOSE, error, rounds=2)
    assert result.accepted and result.doubts == (DOUBT,)


def test_without_a_round_left_the_doubt_stays() -> None:
    result, model, _ = talk(LOOSE, rounds=1)
    assert result.accepted and result.doubts == (DOUBT,) and len(model.seen) == 1


def test_a_spec_with_more_doubts_replaces_none() -> None:
    left = [(DOUBT,), (DOUBT, DOUBT)]
    model = Script(TIGHT, LOOSE)
    result = encode(
        Task(SAID, ("apps.opentable",)), model, Settings(3, meaning=lambda loaded, given: Review(left.pop(0)))
    )
    assert "19:00" in result.text and result.doubts == (DOUBT,)


# ---- the command -------------------------------------------------------------------------------------


def server(*specs: str, review: str) -> Callable[[dict[str, Any]], Reply]:
    """Answers requests for specs one after the other, and each request for a review with the same."""
    left = list(specs)

    def answer(body: dict[str, Any]) -> Reply:
        said = body["messages"][0]["content"]
        if "Find where the two differ" in said:
            numbers = re.findall(r"(?m)^(\d+)\. .* Is that meant\?$", said)
            open_ = [{"number": int(number), "meant": "open", "quote": ""} for number in numbers]
            return says(json.dumps({**json.loads(review), "answers": open_}))
        return says(f"```vsa\n{left.pop(0)}```")

    return answer


@pytest.fixture(name="encode")
def command(tmp_path: Path) -> Callable[..., int]:
    def call(url: str, *more: str) -> int:
        options = ["--base-url", url, "--retries", "0", "--timeout", "20", "--today", "2026-04-01", *more]
        return run(["encode", SAID, "--app", "apps.opentable", "-o", str(tmp_path / "r.vsa"), *options])

    return call


def test_a_spec_without_doubt_is_written(
    encode: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tight = TIGHT.replace(
        "done when Reserve earlier", "done when Reserve earlier, ReserveResult(success = true)"
    )
    with serve(server(tight, review=found())) as chat:
        assert encode(chat.url, "--reviewer", "other") == 0
    assert [request["model"] for request in chat.requests] == ["gpt-4o", "other"]
    shown = chat.requests[1]["messages"][0]["content"]
    assert "the time is before 7 pm (19:00)" in shown and "allow Reserve" not in shown
    assert "Is that meant?" in shown or "1. " in shown
    out, err = capsys.readouterr()
    assert "needs a look" not in out and "reviewed: no doubt" in err


def test_a_spec_with_a_doubt_needs_a_look(
    encode: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    review = found({"quote": "before 7 PM", "problem": "any time is allowed"})
    with serve(server(LOOSE, LOOSE, review=review)) as chat:
        assert encode(chat.url, "--trace", str(tmp_path / "t")) == 3
    out = capsys.readouterr().out
    assert '  reader: any time is allowed\n    the instruction: "before 7 PM"\n' in out
    assert "It needs a look: " in out
    lines = (tmp_path / "t" / "run.jsonl").read_text(encoding="utf-8").splitlines()
    events = [json.loads(line) for line in lines]
    assert [(item["event"], item["sample"]) for item in events] == [
        ("answer", 1),
        ("review", 1),
        ("answer", 1),
    ]
    assert events[1]["doubts"][0]["quote"] == "before 7 PM"
    calls = sorted((tmp_path / "t").glob("*.request.json"))
    roles = [json.loads(path.read_text(encoding="utf-8"))["role"] for path in calls]
    assert roles == ["writer", "reader", "writer"]
    assert (tmp_path / "r.vsa").is_file()


def test_the_review_says_what_it_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vsalang.models.encode.review._verified", lambda loaded: iter(()))
    monkeypatch.setattr(
        "vsalang.proof.prove.probes.probes", lambda program, progress, **more: progress("a:3") or []
    )
    told: list[str] = []
    reader = Reader(Script(found()), Moment(dt.date(2026, 4, 1)), Prompts())
    review = Reviewing(SAID, reader, told.append)(
        load_text(TIGHT, file="a.vsa"), load_text(TIGHT, file="a.vsa").checked()
    )
    assert [line.partition(" looks ")[0] for line in told[:2]] == ["the linter", "the solver"]
    assert told[2:] == [
        "the solver looks for questions about the end of the task ..",
        "the solver looks for questions about a:3 ..",
        "script compares the spec with the instruction ..",
        "",  # nothing is left on the screen
    ]
    assert review.checks == ("compared with the instruction by script", "linted", "looked at by the solver")


def test_a_long_list_of_doubts_is_cut(capsys: pytest.CaptureFixture[str]) -> None:
    doubts = tuple(replace(DOUBT, message=f"doubt {number}") for number in range(30))
    meant = Settings(1, meaning=lambda loaded, given: Review(doubts))
    result = encode(Task(SAID, ("apps.opentable",)), Script(TIGHT), meant)
    text = as_text(result, Path("a.vsa"), None, Spending())
    assert "30 doubts" in text and text.count("  reader: ") == 12
    assert "  .. and 18 more: --json shows all\n" in text


def test_a_bad_answer_is_not_repeated_whole() -> None:
    _, model = read("not JSON " * 10_000, found())
    assert len(model.seen[1][1].content) < 1_000


def test_what_the_prompt_teaches_is_no_doubt() -> None:
    """The convention about the end of a task, as the linter sees it."""
    system = Prompts().render(
        "system",
        {
            "examples": (),
            "charter": False,
            "harms": (),
            "device": "",
            "operators": (),
            "functions": (),
            "form": "vsa",
            "fields": (),
        },
    )
    ends = re.findall(r"`(done when Reserve earlier[^`]*)`", system)
    assert ends
    for end in ends:
        text = TIGHT.replace("done when Reserve earlier", end.removesuffix("."))
        assert "L0017" not in {item.code for item in lint(load_text(text, file="a.vsa"))}
    assert "L0017" in {item.code for item in lint(load_text(TIGHT, file="a.vsa"))}


def test_doubts_for_programs(encode: Callable[..., int], capsys: pytest.CaptureFixture[str]) -> None:
    review = found({"quote": "before 7 PM", "problem": "any time is allowed"})
    with serve(server(LOOSE, LOOSE, review=review)) as chat:
        assert encode(chat.url, "--json") == 3
    data = json.loads(capsys.readouterr().out)
    assert data["needs_a_look"] and data["accepted"]
    assert data["doubts"][0] == {"kind": "reader", "message": "any time is allowed", "quote": "before 7 PM"}
