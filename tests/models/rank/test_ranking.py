"""The order of candidates, whatever a scorer says."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.models.rank.screens import button, compose, decision_on, screen_of
from vsalang.models.rank import Decision, LinearScorer, Score, ScorerError, Scores, rank, ranking
from vsalang.models.rank.linear import WEIGHTS, shipped_weights, weights_text
from vsalang.program.action import Action


class Says:
    """A scorer with scores of the test's choice."""

    def __init__(self, *values: float | None, name: str = "says") -> None:
        self.name = name
        self._values = values

    def score(self, decision: Decision) -> Scores:
        return Scores(tuple(Score(value) for value in self._values), self.name)


class Breaks:
    name = "breaks"

    def score(self, decision: Decision) -> Scores:
        raise RuntimeError("no\nidea")


DECISION = decision_on(screen_of())


@given(st.lists(st.one_of(st.none(), st.floats()), min_size=6, max_size=6))
def test_whatever_is_scored_each_candidate_is_ranked_once(values: list[float | None]) -> None:
    order = ranking(DECISION, Scores(tuple(Score(value) for value in values), "hostile"))
    assert sorted(one.candidate.key for one in order.ranked) == sorted(one.key for one in DECISION.candidates)
    known = [one.score.value for one in order.ranked if one.score.value is not None]
    assert known == sorted(known, reverse=True) and all(map(math.isfinite, known))
    assert all(one.score.value is None for one in order.ranked[len(known) :])
    assert 0 <= order.margin <= 1 and -1e-9 <= order.entropy <= 1 + 1e-9


def test_equal_scores_keep_the_order_of_the_screen() -> None:
    order = ranking(DECISION, Scores((Score(1.0),) * 6, "equal"))
    assert [one.candidate for one in order.ranked] == list(DECISION.candidates)
    assert order.margin == 0 and order.entropy == pytest.approx(1)


def test_another_scorer_takes_the_place_of_one_that_fails() -> None:
    order = rank(
        DECISION, [Breaks(), Says(1.0), Says(*[None] * 6, name="mute"), Says(*range(6), name="last")]
    )
    assert order.best.candidate.key == "finish" and order.scores.scorer == "last"
    assert [(one.scorer, one.why) for one in order.scores.fallbacks] == [
        ("breaks", "it failed: no\\nidea"),
        ("says", "says gave 1 scores for 6 candidates"),
        ("mute", "no candidate got a score"),
    ]


def test_without_any_score_it_is_said() -> None:
    with pytest.raises(ScorerError, match="cannot be ranked: breaks: it failed"):
        rank(DECISION, [Breaks()])
    with pytest.raises(ScorerError, match="there is no scorer"):
        rank(DECISION, [])
    with pytest.raises(ScorerError):
        rank(Decision(DECISION.situation, ()), [LinearScorer()])


# ---------------------------------------------------------------- the shipped weights


def test_the_words_of_the_task_decide() -> None:
    order = rank(
        decision_on(screen_of(button("Delete", 0), button("Edit", 100)), "Delete the note"), [LinearScorer()]
    )
    assert order.best.candidate.text == 'press "Delete"'
    assert order.best.score.why and order.scores.scorer == "linear"


def test_the_planners_next_step_counts() -> None:
    plain = {
        one.candidate.key: one.score.value for one in rank(decision_on(compose()), [LinearScorer()]).ranked
    }
    hinted = rank(decision_on(compose(), next_steps=(Action("back"),)), [LinearScorer()])
    (back,) = [one for one in hinted.ranked if one.candidate.kind == "back"]
    before = plain["back"]
    assert before is not None and back.score.value == pytest.approx(before + 2.5)


def test_the_shipped_weights_say_what_they_were_trained_on() -> None:
    text = WEIGHTS.read_text(encoding="utf-8")
    assert '"left_out": [\n  "dialer",\n  "gallery",\n  "music"\n ]' in text
    assert len(shipped_weights()) > 100 and all(map(math.isfinite, shipped_weights().values()))
    assert weights_text({"a": 0.00001, "b": 1.23456}, {"pairs": 1}) == (
        '{\n "version": 1,\n "pairs": 1,\n "weights": {\n  "b": 1.2346\n }\n}\n'
    )
