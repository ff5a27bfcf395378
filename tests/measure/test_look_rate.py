"""How seldom a recorded step needs a look."""

from pathlib import Path

from benchmarks.measure.look_rate import looks_needed
from tests.thorough import THOROUGH, some
from vsalang.agents.walks import read_walks


def test_right_steps_seldom_need_a_look(shared_data: Path) -> None:
    """After at most 3 % of the recorded steps somebody would be asked (13 of 581)."""
    asked, steps = 0, 0
    for path in sorted((shared_data / "trajectories" / "droidtask").glob("*.jsonl.gz")):
        if THOROUGH or path.name.startswith("messenger"):
            walks = some(read_walks(path), 4)
            found = looks_needed([[w.taken(i, f"com.{w.app}") for i in range(len(w.steps))] for w in walks])
            asked, steps = asked + found.hits, steps + found.of
    assert (asked, steps) == ((13, 581) if THOROUGH else (1, 13))
