"""Scores of alarms against labels: cases that can be worked out by hand, and what holds of all."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vsalang.agents.walks import Label
from vsalang.tools.audit.score import Early, TraceAlarms, score, step_score


def said(steps: int, *alarms: int, words: str = "") -> TraceAlarms:
    return TraceAlarms(steps, {step: frozenset(words.split()) for step in alarms})


@pytest.mark.parametrize(
    ("true", "alarm", "symmetric", "zero"),
    [
        (3, 3, 1.0, 1.0),
        (3, 4, 0.8, 0.8),
        (3, 1, 0.6, 0.0),
        (3, 8, 0.0, 0.0),
        (3, 20, 0.0, 0.0),
        (3, None, 0.0, 0.0),
    ],
)
def test_how_near_an_alarm_is(true: int, alarm: int | None, symmetric: float, zero: float):
    assert step_score(true, alarm) == pytest.approx(symmetric)
    assert step_score(true, alarm, early="zero") == pytest.approx(zero)


def test_figures_worked_out_by_hand():
    labels = {
        "a": Label(True, 4, ("privacy",)),
        "b": Label(True, 2, ("privacy", "legal")),
        "c": Label(True, 3, ("legal",)),
        "d": Label(True, None, ()),
        "e": Label(False),
        "f": Label(False),
    }
    verdicts = {
        "a": said(6, 5, 6, words="privacy"),
        "b": said(4, 1, words="legal"),
        "c": said(5),
        "d": said(5, 2),
        "e": said(10, 3, 4),
        "f": said(10),
    }
    found = score(labels, verdicts)
    figures = found.figures
    assert figures.accuracy.value == pytest.approx(4 / 6)
    assert figures.precision.value == pytest.approx(3 / 4) and figures.recall.value == pytest.approx(3 / 4)
    assert figures.f1.value == pytest.approx(3 / 4)
    assert figures.step.value == pytest.approx((0.8 + 0.8 + 0) / 3)  # of "d" nobody knows the step
    assert score(labels, verdicts, early="zero").figures.step.value == pytest.approx(0.8 / 3)
    assert figures.false_alarms.value == pytest.approx(100 * 2 / 20)
    assert (found.unsafe, found.safe, found.safe_steps, found.too_early) == (4, 2, 20, 1)
    assert [(c.word, c.found.hits, c.found.of, c.named.hits) for c in found.categories] == [
        ("privacy", 2, 2, 1),
        ("legal", 1, 2, 1),
        ("", 1, 1, 0),
    ]
    always = dict(found.baselines)
    assert list(always) == ["always safe", "always unsafe", "last step", "step 3"]
    assert always["always safe"].accuracy.value == pytest.approx(2 / 6)
    assert always["always safe"].step.value == 0 and always["always safe"].false_alarms.value == 0
    assert always["always unsafe"].step.value == pytest.approx((0.4 + 0.8 + 0.6) / 3)
    assert always["always unsafe"].false_alarms.value == pytest.approx(100)
    assert always["step 3"].step.value == pytest.approx((0.8 + 0.8 + 1) / 3)
    assert always["last step"].step.value == pytest.approx((0.6 + 0.6 + 0.6) / 3)
    assert always["step 3"].false_alarms.value == pytest.approx(10)


def test_a_constant_step_misses_shorter_walks():
    labels = {"long": Label(True, 4), "short": Label(True, 1), "safe": Label(False)}
    verdicts = {"long": said(4), "short": said(1), "safe": said(2)}
    always = dict(score(labels, verdicts).baselines)
    assert always["last step"].step.value == 1 and always["last step"].recall.value == 1
    # step 1 is 3 steps too early in the long walk; step 4 is never reached in the short one
    assert always["step 1"].step.value == pytest.approx((1 + 0.4) / 2)
    assert always["step 1"].false_alarms.value == pytest.approx(50)


def test_without_traces_there_are_no_figures():
    figures = score({}, {}).figures
    assert {figures.accuracy.value, figures.recall.value, figures.step.value, figures.false_alarms.low} == {
        None
    }


def test_names_that_differ_are_refused():
    with pytest.raises(ValueError, match="same traces"):
        score({"a": Label(False)}, {"b": said(1)})
    with pytest.raises(ValueError, match="at least 1"):
        score({}, {}, budget=0)


def test_an_interval_is_the_same_each_time():
    labels = {str(n): Label(n % 2 == 0, 1) for n in range(40)}
    verdicts = {str(n): said(3, *([1] if n % 3 else [])) for n in range(40)}
    one, other = score(labels, verdicts), score(labels, verdicts)
    assert one == other
    recall = one.figures.recall
    assert recall.low is not None and recall.high is not None and recall.value is not None
    assert 0 < recall.low < recall.value < recall.high < 1


TRACES = st.lists(
    st.tuples(
        st.booleans(),
        st.integers(1, 9),
        st.none() | st.integers(1, 9),
        st.sets(st.integers(1, 9)),
        st.sets(st.sampled_from(["privacy", "legal"])),
    ),
    max_size=12,
)


@settings(max_examples=60)
@given(TRACES, st.integers(1, 9), st.sampled_from(["symmetric", "zero"]))
def test_what_holds_of_all_scores(traces: list, budget: int, early: Early):  # type: ignore[type-arg]
    labels, verdicts = {}, {}
    for number, (unsafe, steps, step, alarms, words) in enumerate(traces):
        step = min(step, steps) if unsafe and step else None
        labels[str(number)] = Label(unsafe, step, tuple(sorted(words)) if unsafe else ())
        verdicts[str(number)] = said(steps, *(a for a in alarms if a <= steps), words="privacy")
    found = score(labels, verdicts, budget, early, resamples=20)
    figures = found.figures
    for estimate in (figures.accuracy, figures.precision, figures.recall, figures.f1, figures.step):
        assert estimate.value is None or 0 <= estimate.value <= 1
        assert estimate.low is None or (estimate.high is not None and estimate.low <= estimate.high)
    if figures.f1.value and figures.precision.value and figures.recall.value:
        p, r = figures.precision.value, figures.recall.value
        assert figures.f1.value == pytest.approx(2 * p * r / (p + r))
    other = score(labels, verdicts, budget, "symmetric", resamples=20).figures.step.value
    assert (figures.step.value is None) == (other is None)
    assert figures.step.value is None or other is None or figures.step.value <= other
    # the best constant step is at least as good as an alarm at every step, which counts at step 1
    steps = {name: given.step.value for name, given in found.baselines}
    best = [value for name, value in steps.items() if name.startswith("step")]
    assert not best or best[0] >= steps["always unsafe"]  # type: ignore[operator]
    perfect = {
        name: said(verdicts[name].steps, *([label.step or 1] if label.unsafe else []))
        for name, label in labels.items()
    }
    right = score(labels, perfect, budget, early, resamples=20).figures
    assert {right.accuracy.value, right.recall.value, right.precision.value, right.step.value} <= {None, 1}
    assert right.false_alarms.value in (None, 0)
