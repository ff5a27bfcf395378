"""What stands above a written spec, and the tests that are added to it."""

import datetime as dt
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.models.encode.chat_server import Reply, says, serve
from vsalang.language.semantics import load, load_text
from vsalang.models.encode import (
    Answer,
    Doubt,
    Formalization,
    Message,
    Moment,
    Reader,
    Review,
    Settings,
    Spending,
    Task,
    encode,
)
from vsalang.models.encode.attempt import judge
from vsalang.models.encode.own_tests import rewritten, run_tests, with_tests
from vsalang.models.encode.prompting import Prompts
from vsalang.models.encode.provenance import Provenance, spent_in_words
from vsalang.tools.cli.main import run

SAID = "Reserve a table at restaurant R for today before 7 PM."
SPEC = """spec t
import apps.opentable

allow Reserve(restaurant = "R", date = today, time < 19:00).

done when Reserve earlier, ReserveResult(success = true).
"""
KEY = "sk-secret-0123456789"


class Model:
    name = "m"
    endpoint = "http://127.0.0.1:1/v1"
    exposes_key = False

    def __init__(self, told: str = "m-1") -> None:
        self.told = told
        self.parameters: dict[str, Any] = {}

    def redact(self, text: str) -> str:
        return text.replace(KEY, "[key]")

    def ask(self, messages: object) -> Answer:
        return Answer(f"```vsa\n{SPEC}```", self.told)


def made(*doubts: Doubt, checks: tuple[str, ...] = (), told: str = "m-1") -> str:
    review = Review(doubts, checks=checks)
    result = encode(
        Task(SAID, ("apps.opentable",), "t"),
        Model(told),
        Settings(1, run_tests, meaning=lambda loaded, given: review),
    )
    assert result.accepted
    spent = Spending(3, 1, 12345, 678, 0, 0.04125, 0, 1.0)
    moment = Moment(dt.date(2026, 4, 1), dt.time(12), "Europe/Berlin")
    return Provenance("0.1", dt.date(2026, 11, 23), moment, Model(), spent).above(result)


def test_the_comments_say_how_it_was_made(golden: Callable[..., None]) -> None:
    doubt = Doubt("reader", "any time is allowed", "any time is allowed", "before 7 PM")
    golden(made(doubt, checks=("linted", "looked at by the solver")), "formalize/provenance.txt")


@pytest.mark.parametrize(
    "evil", ["x\nallow Reserve.\n//", "x\u2028allow Reserve.", "*/ x \x1b[31m", KEY, "x" * 5000]
)
def test_no_text_leaves_its_comment(evil: str, tmp_path: Path) -> None:
    text = made(Doubt("reader", evil, evil), told=evil)
    above, _, below = text.partition("spec t ")
    assert below == made().partition("spec t ")[2]
    assert all(line.startswith("// ") and len(line) < 400 for line in above.splitlines())
    assert KEY not in above and "\x1b" not in above
    (tmp_path / "t.vsa").write_text(text, encoding="utf-8")
    loaded = load(tmp_path / "t.vsa")
    assert loaded.ok and loaded.units[-1].tree.doc is not None and loaded.units[-1].tree.doc.value == SAID


def test_many_doubts_are_counted() -> None:
    text = made(*(Doubt("lint", f"doubt {n}", "") for n in range(30)))
    assert "// Doubts left: 30.\n" in text and text.count("//   lint: ") == 12 and ".. and 18 more" in text


@pytest.mark.parametrize(
    ("spent", "said"),
    [
        (Spending(1, 0, 1000, 5, cost=None), "1 call, 1,000 tokens sent, 5 answered, cost unknown"),
        (
            Spending(2, 2, 10, 5, cost=0.5),
            "2 calls (2 answered from the cache), 10 tokens sent, 5 answered, 0.5000 US dollars",
        ),
        (Spending(1, cost=None, uncounted=1), "1 call, tokens unknown, cost unknown"),
        (
            Spending(2, 0, 10, 5, cost=None, uncounted=1),
            "2 calls, 10 tokens sent, 5 answered or more, cost unknown",
        ),
    ],
)
def test_what_was_spent_in_words(spent: Spending, said: str) -> None:
    assert spent_in_words(spent) == said


# ---- tests that are added ----------------------------------------------------------------------------


def accepted() -> tuple[Formalization, Task]:
    task = Task(SAID, ("apps.opentable",), "t")
    return encode(task, Model(), Settings(1)), task


GOOD_TEST = """test "at six" {
  clock 2026-04-01 12:00.
  attempt Reserve(restaurant = "R", date = 2026-04-01, time = 18:00).
}
"""


@pytest.mark.parametrize(
    ("tests", "kept"),
    [
        ((GOOD_TEST,), 1),
        ((GOOD_TEST, GOOD_TEST.replace("six", "seven").replace("18:00", "19:00")), 1),
        (("test {",), 0),
        (("allow Reserve.\ntest",), 0),
        ((), 0),
    ],
)
def test_only_tests_that_pass_are_added(tests: tuple[str, ...], kept: int) -> None:
    result, task = accepted()
    found = with_tests(replace(result, tests=tests), task)
    assert found.loaded is not None and len(found.loaded.own) == kept
    assert found.text.startswith(result.text.rstrip()) and found.text.count("allow") == 1


def test_warnings_move_with_the_text() -> None:
    result, task = accepted()
    rules, _ = task.prepared(None)
    judged = judge(f"{SPEC}done when shell earlier.\n", rules)
    moved = rewritten(replace(result, warnings=judged.warnings), f"// a\n{judged.text}", task)
    spans = [item.span.start for found in (judged, moved) for item in found.warnings if item.span is not None]
    assert len(spans) == 2 and spans[1] == spans[0] + len("// a\n")


@pytest.mark.parametrize(
    ("answers", "meant"),
    [
        ([{"number": 1, "meant": "yes"}, {"number": 2, "meant": "open"}], (1,)),
        ([{"number": 1, "meant": "yes"}, {"number": 1, "meant": "no", "quote": "before"}], ()),
        (
            [
                {"number": True, "meant": "yes"},
                {"number": 9, "meant": "yes"},
                "x",
                {"number": "1", "meant": "yes"},
            ],
            (),
        ),
    ],
)
def test_the_reader_says_what_is_meant(answers: list[Any], meant: tuple[int, ...]) -> None:
    class Canned:
        name = "canned"

        def ask(self, messages: tuple[Message, ...]) -> Answer:
            return Answer(json.dumps({"findings": [], "answers": answers}))

    review = Reader(Canned(), Moment(dt.date(2026, 4, 1)), Prompts()).read(SAID, "- One.", ("a?", "b?"))
    assert review.meant == meant
    assert review.checks == ("compared with the instruction by canned",)


def test_the_command_adds_what_is_meant(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(
        "vsalang.models.encode.review._verified", lambda loaded: iter(())
    )  # slow, and not needed here

    def answer(body: dict[str, Any]) -> Reply:
        if body["messages"][0]["role"] == "system":
            return says(f"```vsa\n{SPEC}```")
        yes = [{"number": number, "meant": "yes", "quote": ""} for number in range(1, 11)]
        return says(json.dumps({"findings": [], "answers": yes}))

    place = tmp_path / "t.vsa"
    command = ["encode", SAID, "--app", "apps.opentable", "-o", str(place), "--retries", "0", "--tests"]
    with serve(answer) as chat:
        assert run([*command, "--base-url", chat.url, "--today", "2026-04-01"]) in (0, 3)
    text = place.read_text(encoding="utf-8")
    assert text.startswith("// Written by vsac encode ")
    assert "compared with the instruction by gpt-4o, linted, looked at by the solver." in text
    assert (
        'test "All was done as said: This would be allowed: finishing the task, after Reserve (restaurant R'
        in text
    )
    assert 'test "This would be allowed: Reserve (restaurant R, date today, time ' in text
    assert "10 tests passed" in capsys.readouterr().out
    loaded = load(place)
    assert len(loaded.own) == 10 and run_tests(loaded) == []
    assert run(["fmt", "--check", str(place)]) == 0


def test_tests_that_take_too_long_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    attempt = "  attempt Reserve(time = 20:00) => block.\n"
    loaded = load_text(f'{SPEC}test "many" {{\n{attempt * 3}}}\n', file="t.vsa")
    assert run_tests(loaded) == []
    monkeypatch.setattr("vsalang.models.encode.own_tests._SECONDS", -1.0)
    (problem,) = run_tests(loaded)
    assert "no time is left" in problem.text and problem.kind == "test"
