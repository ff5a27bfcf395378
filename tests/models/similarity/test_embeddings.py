"""Embeddings: an endpoint on this machine is asked over HTTP; whatever it does wrong, there is no answer."""

import json
import math
import sqlite3
import stat
import threading
from array import array
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.models.encode.chat_server import Chat, Reply, fails, serve
from vsalang.base.config import Similarity
from vsalang.models.similarity import Embeddings, SimilarityError, backend_of, embeddings
from vsalang.models.similarity import embeddings as made
from vsalang.models.similarity.vectors import Vectors
from vsalang.program.similarity import behind, problem_of, similar

NEAR = {
    "Budget restaurant": [1.0, 0.1],
    "budget restaurant": [1.0, 0.1],
    "a cheap place to eat": [1.0, 0.0],
    "Car wash": [0.0, 1.0],
}
KEY = "sk-secret-key-123456"


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


def gives(data: Any) -> Reply:
    return Reply(json.dumps(data).encode())


def vectors(body: dict[str, Any]) -> Reply:
    """What an endpoint answers that knows `NEAR`, the last text first."""
    items = [{"index": n, "embedding": NEAR[text]} for n, text in enumerate(body["input"])]
    return gives({"object": "list", "data": items[::-1], "model": body["model"]})


@pytest.fixture
def server() -> Iterator[Chat]:
    with serve(vectors) as chat:
        yield chat


@pytest.mark.parametrize("text", ["", " - ", "\ud800", "👍"])
def test_a_text_that_says_nothing_ends_no_session(server: Chat, text: str) -> None:
    """Servers refuse such texts; a node of the screen may well be empty."""
    backend = embeddings("m1", endpoint=server.url)
    assert similar(backend, text, "a cheap place to eat") is False
    assert server.requests == [] and backend.problem == ""


def test_what_is_near_is_similar(server: Chat) -> None:
    backend = embeddings("m1", endpoint=server.url)
    assert similar(backend, "Budget restaurant", "a cheap place to eat") is True
    assert similar(backend, "Car wash", "a cheap place to eat") is False
    assert server.paths[0].endswith("/embeddings") and server.requests[0]["model"] == "m1"
    assert server.requests[1]["input"] == ["Car wash"], "the constant's vector is known"
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"
    why = behind(backend, "Budget restaurant", "a cheap place to eat")
    assert why.score == pytest.approx(1 / math.sqrt(1.01), abs=1e-6) and why.threshold == 0.7
    assert str(why) == f"embeddings of m1 at {server.url}: 1.00, similar from 0.7"
    assert problem_of(backend) == ""


def test_limits_come_before_any_request(server: Chat) -> None:
    backend = embeddings("m1", endpoint=server.url)
    assert similar(backend, "The Louvre", "the louvre") is True
    assert similar(backend, "tea without milk", "tea with milk") is False
    assert similar(backend, "3 adults", "2 adults") is False
    assert similar(backend, "x" * 3000, "a place") is None
    assert behind(backend, "3 adults", "2 adults").backend == "limits"
    assert "2000 characters" in behind(backend, "x" * 3000, "a place").backend
    assert server.requests == [] and problem_of(backend) == ""


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (fails(500, f"no, {KEY}"), "status 500"),
        (fails(401), "not accepted"),
        (fails(429, **{"Retry-After": "60"}), "asked too often"),
        (Reply(b"<html>"), "did not answer with JSON"),
        (Reply(b""), "did not answer with JSON"),
        (Reply(b"[" * 100_000), "JSON"),
        (gives({"data": []}), "not one vector for each text"),
        (gives([1]), "not one vector for each text"),
        (gives({"data": [{"embedding": [1]}, {"embedding": "AAAA"}]}), "not a vector"),
        (gives({"data": [{"embedding": [1]}, {"embedding": [1], "index": 0}]}), "not one vector"),
        (gives({"data": [{"embedding": [1]}, {"embedding": []}]}), "vector of 0 numbers"),
        (gives({"data": [{"embedding": [1]}, {"embedding": [0] * 20_000}]}), "20000 numbers"),
        (gives({"data": [{"embedding": [1]}, {"embedding": [None]}]}), "not a number"),
        (gives({"data": [{"embedding": [1]}, {"embedding": [True]}]}), "not a number"),
        (Reply(b'{"data": [{"embedding": [1]}, {"embedding": [NaN]}]}'), "not a number"),
        (Reply(b'{"data": [{"embedding": [1]}, {"embedding": [1e400]}]}'), "not a number"),
        (gives({"data": [{"embedding": [1]}, {"embedding": [0]}]}), "nothing but zeros"),
        (gives({"data": [{"embedding": [1]}, {"embedding": [1, 2]}]}), "different lengths"),
        (Reply(b" " * (9 * 1024 * 1024)), "larger than 8 MiB"),
    ],
)
def test_what_is_no_vector_is_no_answer(reply: Reply, said: str) -> None:
    with serve(reply) as chat:
        backend = embeddings("m1", endpoint=chat.url)
        assert similar(backend, "a car", "a place to eat") is None
    assert said in problem_of(backend) and chat.url in problem_of(backend)
    assert KEY not in problem_of(backend)
    assert behind(backend, "a car", "a place to eat").problem in problem_of(backend)


def test_a_slow_endpoint_is_left_alone() -> None:
    come = threading.Event()
    with serve(Reply(b"{}", hold=come)) as chat:
        backend = embeddings("m1", endpoint=chat.url, timeout=0.1)
        assert similar(backend, "a car", "a place to eat") is None
        assert similar(backend, "a bus", "a place to eat") is None, "it is not asked again at once"
        come.set()
    assert "did not answer within 0.1 seconds" in problem_of(backend)
    assert len(chat.requests) == 2, "twice for the first pair"


def test_nobody_there_is_no_answer() -> None:
    with serve(vectors) as chat:
        pass
    backend = embeddings("m1", endpoint=chat.url)
    assert similar(backend, "a car", "a place to eat") is None
    assert "cannot reach" in problem_of(backend)


def counted(ask: Callable[[Sequence[str]], Any], clock: Callable[[], float] = lambda: 0.0) -> Embeddings:
    return Embeddings(ask, name="e", clock=clock)


def test_a_lost_connection_is_tried_again() -> None:
    asked = []

    def ask(texts: Sequence[str]) -> Any:
        asked.append(texts)
        if len(asked) == 1:
            raise OSError("reset")
        return {"data": [{"embedding": [1.0]} for _ in texts]}

    assert counted(ask).similar("a car", "a place") is True
    assert len(asked) == 2


def test_many_questions_take_bounded_time() -> None:
    now = [0.0]

    def ask(texts: Sequence[str]) -> Any:
        now[0] += 3.0
        return {"data": [{"embedding": [1.0, float(len(text))]} for text in texts]}

    backend = counted(ask, lambda: now[0])
    answers = [
        backend.similar(f"a {word}", "a place") for word in "car bus bike train ship b c d e f".split()
    ]
    assert answers == [True] * 7 + [None] * 3, "after 20 seconds nobody is asked"
    assert "too much was asked" in backend.problem


def test_thresholds_are_scores() -> None:
    for wrong in (0.0, -1.0, 1.1):
        with pytest.raises(ValueError, match="at most 1"):
            Embeddings(lambda texts: None, name="e", threshold=wrong)


# ---- what is kept --------------------------------------------------------------------------------


def test_vectors_are_kept_for_the_user_alone(server: Chat, tmp_path: Path) -> None:
    place = tmp_path / "cache" / "vectors.sqlite"
    for _ in range(2):
        backend = made("m1", endpoint=server.url, keep=place)
        assert similar(backend, "Budget restaurant", "a cheap place to eat") is True
    assert len(server.requests) == 1
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    assert b"restaurant" not in place.read_bytes()
    assert similar(made("m2", endpoint=server.url, keep=place), "Budget restaurant", "a cheap place to eat")
    assert len(server.requests) == 2, "another model has other vectors"


def test_damaged_vectors_are_asked_for_again(server: Chat, tmp_path: Path) -> None:
    place = tmp_path / "v.sqlite"
    kept = Vectors(place, "m")
    kept.put({"a": array("f", [1.0]), "b": array("f", [float("nan")])})
    assert kept.get("a") == array("f", [1.0]) and kept.get("c") is None
    with sqlite3.connect(place) as database:
        database.execute("UPDATE vectors SET vector = x'010203'")
    assert kept.get("a") is None
    kept.close()
    assert kept.get("a") is None
    kept.put({"a": array("f", [1.0])})
    backend = Embeddings(
        lambda texts: {"data": [{"embedding": [1.0]} for _ in texts]},
        name="e",
        kept=Kept({"a car": array("f", [float("inf")])}),
    )
    assert backend.similar("a car", "a place") is True


class Kept:
    def __init__(self, known: dict[str, Any]) -> None:
        self.known = known

    def get(self, text: str) -> Any:
        return self.known.get(text)

    def put(self, vectors: dict[str, Any]) -> None:
        self.known |= vectors


def test_files_of_others_are_refused(tmp_path: Path) -> None:
    other = tmp_path / "other.sqlite"
    with sqlite3.connect(other) as database:
        database.execute("CREATE TABLE notes (text)")
    (tmp_path / "text").write_text("no database, but a text of some length, so that it is none" * 20)
    (tmp_path / "link").symlink_to(other)
    for name in ("other.sqlite", "text", "link", "text/below"):
        with pytest.raises(SimilarityError, match=name.split("/")[0]):
            Vectors(tmp_path / name, "m")


# ---- by the configuration ------------------------------------------------------------------------


def test_a_configuration_says_the_backend(server: Chat, home: Path) -> None:
    said = Similarity("embeddings", 1, 0.8, server.url, "m1", 2.0)
    backend = backend_of(said)
    assert backend is not None
    assert similar(backend, "Team Calendar", "the team calender") is True, "spelling needs nobody"
    assert similar(backend, "Budget restaurant", "a cheap place to eat") is True
    assert behind(backend, "Budget restaurant", "a cheap place to eat").threshold == 0.8
    assert (home / "vsalang" / "embeddings.sqlite").exists()


def test_what_cannot_be_asked_is_said_at_once(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(SimilarityError, match="no API key") as caught:
        backend_of(Similarity("embeddings"))
    assert "`endpoint` of [similarity]" in caught.value.hint


def test_no_key_goes_unencrypted_to_another_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SimilarityError, match="unencrypted") as caught:
        embeddings("m", endpoint="http://models.example/v1")
    assert KEY not in f"{caught.value} {caught.value.hint}"
    monkeypatch.delenv("OPENAI_API_KEY")
    assert embeddings("m", endpoint="http://models.example/v1").problem == ""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache"
