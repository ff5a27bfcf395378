"""Verdicts that `~=` decided: they name the backend and the score, block when it fails, and are judged again alike."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.models.encode.chat_server import fails, serve
from tests.models.similarity.test_embeddings import vectors
from vsalang.base.resources import resource_dir
from vsalang.guard import Guard
from vsalang.guard.journal import Journal, Recorder, read_session, replay, resume
from vsalang.guard.journal.enact import RecordedSimilarity
from vsalang.guard.say.verdict_document import document
from vsalang.guard.world.fact_screen import FactScreen
from vsalang.language.semantics import Loaded, load_text
from vsalang.models.similarity import embeddings
from vsalang.program.action import Action
from vsalang.program.similarity import FoldedEquality, Similarity
from vsalang.program.vocabulary import VOCABULARY

ALLOWS = 'allow shell(command ~= "a cheap place to eat").'
DENIES = 'allow shell.\n@id("NO") deny "not there" when shell(command ~= "a cheap place to eat").'
PAGE = FactScreen().seen(VOCABULARY["App"], {"package": "com.shop"})


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-key-123456")


@pytest.fixture
def task(tmp_path: Path) -> Callable[[str], Loaded]:
    (tmp_path / "shop.vsa").write_text('app shop package "com.shop" "A shop"\n')

    def load(rules: str) -> Loaded:
        text = f'spec s "x"\nimport shop\n{rules}\ndone when shell earlier.\n'
        loaded = load_text(text, file="s.vsa", path=tmp_path / "s.vsa")
        assert loaded.program is not None, loaded.diagnostics
        return loaded

    return load


def guard_of(loaded: Loaded, backend: Similarity | None, journal: Journal | None = None) -> Guard:
    recorder = Recorder(journal, sources=loaded.sources, spec=loaded.file) if journal else None
    guard = Guard(loaded.checked(), similarity=backend, recorder=recorder)
    guard.observe(PAGE)
    return guard


def say(guard: Guard, command: str) -> Any:
    return guard.propose(Action("shell", {"command": command}))


def compared(verdict: Any) -> list[dict[str, Any]]:
    """Who compared, in the conditions of a verdict as JSON, which fits the schema."""
    data = document(verdict)
    schema = resource_dir("docs") / "reference" / "verdict.schema.json"
    jsonschema.validate(data, json.loads(schema.read_text("utf-8")))
    conditions = [item for reason in data["reasons"] for item in (*reason["whys"], *reason["met"])]
    return [item["similarity"] for item in conditions if "similarity" in item]


def test_a_verdict_names_backend_and_score(task: Callable[[str], Loaded]) -> None:
    with serve(vectors) as chat:
        backend = embeddings("m1", endpoint=chat.url)
        guard = guard_of(task(ALLOWS), backend)
        assert say(guard, "Budget restaurant").allowed
        verdict = say(guard, "Car wash")
    assert compared(verdict) == [{"backend": backend.name, "score": 0.0, "threshold": 0.7}]
    assert f"(compared by {backend.name}: 0.00, similar from 0.7)" in guard.feedback(verdict)


def test_the_default_and_the_limits_are_named(task: Callable[[str], Loaded]) -> None:
    guard = guard_of(task(ALLOWS), None)
    verdict = say(guard, "Car wash")
    assert compared(verdict) == [{"backend": "words"}]
    assert "(compared by words)" in guard.feedback(verdict)
    assert compared(say(guard, "not a cheap place to eat")) == [{"backend": "limits"}]


@pytest.mark.parametrize("rules", [ALLOWS, DENIES])
def test_a_backend_that_is_down_blocks(task: Callable[[str], Loaded], rules: str) -> None:
    with serve(fails(503)) as chat:
        backend = embeddings("m1", endpoint=chat.url)
        guard = guard_of(task(rules), backend)
        verdict = say(guard, "Budget restaurant")
        assert verdict.level == "block" and verdict.because("unanswered")
        told = verdict.reasons[0].message
        assert backend.name in told and "status 503" in told and "sk-secret" not in told
        assert document(verdict)["reasons"][0]["kind"] == "unanswered"
        compared(verdict)
        later = say(guard, "another thing, 7")
        assert later.level == "block", "what was asked before may have been a reason against this"


def test_a_deny_that_held_names_the_score(task: Callable[[str], Loaded]) -> None:
    with serve(vectors) as chat:
        verdict = say(guard_of(task(DENIES), embeddings("m1", endpoint=chat.url)), "Budget restaurant")
    assert verdict.because("NO") and compared(verdict)[0]["score"] > 0.9


@pytest.mark.parametrize("down", [False, True])
def test_judged_again_without_a_network(task: Callable[[str], Loaded], tmp_path: Path, down: bool) -> None:
    path, loaded = tmp_path / "j.jsonl", task(ALLOWS)
    with serve(fails(503) if down else vectors) as chat, Journal(path) as journal:
        guard = guard_of(loaded, embeddings("m1", endpoint=chat.url), journal)
        verdicts = [say(guard, command) for command in ("Car wash", "Budget restaurant")]
        asked = len(chat.requests)
    session = read_session(path)
    assert session.header["similarity"] == f"embeddings of m1 at {chat.url}"
    told = session.similar["Car wash", "a cheap place to eat"]
    assert told.answer is (None if down else False) and bool(told.behind.problem) is down
    assert "sk-secret" not in path.read_text("utf-8")
    found = replay(session, loaded.checked()).judgements
    assert [(one.flipped, one.moved) for one in found] == [(False, False)] * 2
    with resume(path, program=loaded.checked()) as resumed:
        resumed.guard.observe(PAGE)
        again = say(resumed.guard, "Budget restaurant")
    assert again.level == verdicts[1].level and len(chat.requests) == asked
    assert compared(again) == compared(verdicts[1])


def test_nobody_answers_what_was_not_asked(task: Callable[[str], Loaded], tmp_path: Path) -> None:
    path, loaded = tmp_path / "j.jsonl", task(DENIES)
    with serve(vectors) as chat, Journal(path) as journal:
        guard = guard_of(loaded, embeddings("m1", endpoint=chat.url), journal)
        assert say(guard, "Car wash").allowed
    with resume(path, program=loaded.checked()) as resumed:
        resumed.guard.observe(PAGE)
        assert say(resumed.guard, "Car wash").allowed
        verdict = say(resumed.guard, "Bike wash")
    assert (
        verdict.because("unanswered")
        and "not asked this in the recorded session" in verdict.reasons[0].message
    )


RING = 'allow shell(command !~= "my wedding ring").'


def test_a_text_that_is_too_long_is_not_dissimilar(task: Callable[[str], Loaded]) -> None:
    guard = guard_of(task(RING), None)
    assert say(guard, "a golden watch").allowed
    verdict = say(guard, "The wedding ring" + "." * 20_000)
    assert verdict.level == "block" and compared(verdict)[0]["backend"] == "limits"
    assert "compared by limits: no answer: " in guard.feedback(verdict)


@pytest.mark.parametrize("text", ["wedding riнg", "ring \u202egniddew"])
def test_a_text_that_hides_something_is_not_dissimilar(task: Callable[[str], Loaded], text: str) -> None:
    """As a parameter it is unknown: it is not even compared."""
    guard = guard_of(task(RING), None)
    verdict = say(guard, text)
    assert verdict.level == "block" and [reason.change for reason in verdict.reasons] == ["texts"]


def test_a_doubtful_text_is_asked_about(task: Callable[[str], Loaded]) -> None:
    """A rule against the action may be silent because the text cannot be compared."""
    guard = guard_of(task('allow shell.\ndeny "no" when shell(command ~= "the lottery ticket").'), None)
    assert say(guard, "Milk").allowed
    assert say(guard, "lottery ticket").level == "block"
    verdict = say(guard, "lottery ticket" + "." * 20_000)
    assert verdict.level == "confirm" and verdict.because("doubtful")
    compared(verdict)
    assert "cannot compare the text" in guard.feedback(verdict)
    for text in ("lоttery ticket", "\u202etekcit yrettol"):
        assert say(guard, text).level == "block"  # nobody knows what it says, so the rule may hold


def test_padding_is_asked_about_with_embeddings(task: Callable[[str], Loaded]) -> None:
    with serve(vectors) as chat:
        backend = embeddings("m1", endpoint=chat.url)
        guard = guard_of(task(DENIES), backend)
        verdict = say(guard, "a cheap place to eat " + "x " * 1000)
        assert verdict.level == "confirm" and verdict.because("doubtful")
        assert "more than 2,000 characters" in guard.feedback(verdict)
        assert say(guard, "Car wash").allowed, "the session goes on"


def test_a_computing_backend_computes_when_resumed(task: Callable[[str], Loaded], tmp_path: Path) -> None:
    """`folded` is not `words`: the default calls more texts similar."""
    path, loaded = tmp_path / "j.jsonl", task('allow shell(command ~= "the milk").')
    with Journal(path) as journal:
        assert not say(guard_of(loaded, FoldedEquality(), journal), "milk").allowed
    with resume(path, program=loaded.checked()) as resumed:
        resumed.guard.observe(PAGE)
        verdict = say(resumed.guard, "Milk")
        assert verdict.level == "block" and not verdict.because("unanswered")
        assert compared(verdict) == [{"backend": "folded"}]
        assert say(resumed.guard, "The milk!").allowed
    recalled = RecordedSimilarity(read_session(path))
    assert recalled.similar("MILK", "the milk") is False and recalled.problem == ""
