"""The training of the linear scorer, and its figures, on steps that are made here."""

from dataclasses import replace

import pytest

from benchmarks.rank.figures import app_left_out, area, flagged_half, share, trained
from benchmarks.rank.recorded import RecordedStep
from benchmarks.rank.training import names_of, pairs_of, train
from tests.models.rank.screens import button, decision_on, screen_of
from vsalang.models.rank import RunStep

DECISION = decision_on(screen_of(button("Save", 0), button("Delete", 100)))


def step(number: int, app: str, gold: int) -> RecordedStep:
    """A step in which `good` alone says what is right, and `seen` is the same for all."""
    rows = tuple(
        {"good": 1.0 if nth == gold else 0.0, "seen": 1.0, f"only {app}": float(nth)}
        for nth in range(len(DECISION.candidates))
    )
    run = RunStep(DECISION, DECISION.candidates[gold].key)
    return RecordedStep(f"{app}-1", app, number, DECISION, (gold,), rows, False, 8, "", run, frozenset())


STEPS = [step(nth, app, nth % 3) for app in ("one", "two") for nth in range(6)]


def test_the_pairwise_loss_finds_what_is_right() -> None:
    names = names_of(STEPS, 2)
    data = pairs_of(STEPS, names)
    assert data.weights.sum() == pytest.approx(len(STEPS))  # each step weighs the same
    weights = dict(zip(names, train(data), strict=True))
    assert weights["good"] > 1 and weights["seen"] == 0
    assert (train(data) == train(data)).all()


def test_at_most_so_many_pairs_are_used() -> None:
    assert len(pairs_of(STEPS, ("good",), most=10).differences) == 10
    assert trained(STEPS, most=10).pairs == 10


def test_an_app_is_ranked_by_the_others() -> None:
    outcomes = list(app_left_out(STEPS))
    assert share(outcomes, 1) == 1.0 and len(outcomes) == len(STEPS)
    wrong = [replace(one, rows=tuple({"good": -each["good"]} for each in one.rows)) for one in STEPS[:6]]
    mixed = list(app_left_out([*wrong, *STEPS[6:]]))
    assert {one.rank == 0 for one in mixed if one.step.app == "two"} == {False}


def test_a_step_whose_action_is_no_candidate_is_missed() -> None:
    lost = replace(STEPS[0], gold=())
    outcome = trained(STEPS).outcome(lost)
    assert outcome.rank > len(lost.rows) and not len(pairs_of([lost], ("good",)).differences)


def test_the_margin_tells_the_wrong_ones() -> None:
    right = list(app_left_out(STEPS))
    wrong = [replace(one, rank=1, margin=0.0) for one in right[:4]]
    outcomes = [*wrong, *right[4:]]
    assert area(outcomes) == 1.0
    assert flagged_half(outcomes) == (1.0, 1.0)
