"""How good mined contracts are, on recorded apps."""

from pathlib import Path

from benchmarks.measure.mined_figures import figures
from tests.guard.graph.recordings import recordings
from tests.thorough import THOROUGH
from vsalang.agents.maps.mining import Least


def test_mined_early_right_later(shared_data: Path) -> None:
    """Mined from first halves, later taps: at least 95 % right, and at most 15 % of random screens would do."""
    found = figures(recordings(shared_data).values(), Least())
    assert found.right.of > 400 and found.right.value is not None and found.right.value >= 0.95
    assert found.random is not None and found.random <= 0.15
    assert not THOROUGH or (found.right.of >= 1000 and found.covered.hits >= 0.35 * found.covered.of)
