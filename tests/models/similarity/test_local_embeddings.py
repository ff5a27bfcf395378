"""Embeddings that this machine computes."""

import re
import sys
from pathlib import Path

import pytest

from benchmarks.similarity import pairs
from vsalang.base.config import Similarity
from vsalang.models.similarity import Embeddings, SimilarityError, backend_of
from vsalang.program.similarity import behind, similar

PAGE = Path(__file__).resolve().parents[3] / "docs" / "reference" / "similarity.md"
LOCAL = Similarity(backend="embeddings", endpoint="local")


@pytest.fixture(scope="module")
def backend() -> Embeddings:
    pytest.importorskip("wordllama")
    made = backend_of(LOCAL)
    assert isinstance(made, Embeddings)
    return made


def test_verdicts_name_it_and_its_score(backend: Embeddings) -> None:
    assert similar(backend, "Call insurance", "call the insurance company") is True
    assert similar(backend, "Car wash", "call the insurance company") is False
    why = behind(backend, "Call insurance", "call the insurance company")
    assert str(why).startswith("embeddings of WordLlama on this machine: 0.8") and why.threshold == 0.7
    assert backend.problem == ""


def test_what_is_never_similar_stays_so(backend: Embeddings) -> None:
    assert similar(backend, "Pay 500 dollars", "Pay 50 dollars") is False
    assert similar(backend, "Turn off the light", "Turn on the light") is False


@pytest.mark.parametrize("text", ["", "\0", "\u202e", "👩\u200d👩", "a" * 1999, "\ud800"])
def test_any_text_has_an_answer(backend: Embeddings, text: str) -> None:
    assert similar(backend, text, "call the insurance company") is False
    assert backend.problem == ""


def test_the_figures_of_the_page_are_measured(backend: Embeddings) -> None:
    page = " ".join(PAGE.read_text(encoding="utf-8").split())
    wanted = re.search(
        r"with `threshold = 0\.7`, it finds (\d+) of the (\d+) similar ones \(`words` finds \d+\), "
        r"and calls (\d+) of the (\d+) others similar",
        page,
    )
    assert wanted is not None
    labels = {one: [pair for pair in pairs() if pair.similar is one] for one in (True, False)}
    found = {
        one: sum(similar(backend, pair.text, pair.constant) is True for pair in labels[one]) for one in labels
    }
    assert tuple(map(int, wanted.groups())) == (
        found[True],
        len(labels[True]),
        found[False],
        len(labels[False]),
    )


def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "wordllama", None)
    with pytest.raises(SimilarityError, match="wordllama is missing") as failed:
        backend_of(LOCAL)
    assert "vsalang[similarity]" in failed.value.hint


def test_it_has_one_model() -> None:
    with pytest.raises(SimilarityError, match="have one model, not `m1`"):
        backend_of(Similarity(backend="embeddings", endpoint="local", model="m1"))
