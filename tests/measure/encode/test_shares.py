"""The statistics of an evaluation, against numbers that others computed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.measure.encode import Confusion, majority
from vsalang.program.shares import Share


@pytest.mark.parametrize(
    ("hits", "of", "low", "high"),
    [
        # Newcombe, Statistics in Medicine 17 (1998), table I, method 3 (the score method without continuity correction)
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_intervals_are_newcombes(hits: int, of: int, low: float, high: float) -> None:
    share = Share(hits, of)
    assert (round(share.low, 4), round(share.high, 4)) == (low, high)
    assert share.value == hits / of


@given(st.integers(0, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_an_interval_holds_its_share(numbers: tuple[int, int]) -> None:
    share = Share(*numbers)
    assert 0.0 <= share.low <= share.high <= 1.0
    if share.value is not None:
        assert share.low <= share.value <= share.high
    other = Share(numbers[1] - numbers[0], numbers[1])
    assert other.low == pytest.approx(1 - share.high, abs=1e-12)


def test_a_confusion_table_by_hand() -> None:
    table = Confusion(tp=8, fp=2, tn=7, fn=3)
    assert (table.accuracy, table.precision) == (Share(15, 20), Share(8, 10))
    assert (table.recall, table.accepted) == (Share(8, 11), Share(7, 9))
    assert table.f1 == pytest.approx(2 * 0.8 * (8 / 11) / (0.8 + 8 / 11))


def test_nothing_has_no_share() -> None:
    empty = Confusion()
    assert (empty.accuracy.value, empty.f1) == (None, None)
    assert (empty.accuracy.low, empty.accuracy.high) == (0.0, 1.0)
    assert Confusion(tn=3).precision.value is None


def test_half_is_no_majority() -> None:
    assert [majority([True] * n + [False] * (4 - n)) for n in range(5)] == [False, False, False, True, True]
    assert majority([True, False, True])
