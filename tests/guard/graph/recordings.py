"""Steps of recorded apps, from which contracts are mined."""

from pathlib import Path

from tests.thorough import THOROUGH
from vsalang.agents.maps.mining import Passage
from vsalang.agents.maps.passed import passed
from vsalang.agents.walks import read_walks


def recordings(shared_data: Path) -> dict[str, list[Passage]]:
    """Recordings of DroidBot: some, or all of them."""
    some = ("ch.abertschi.adfree", "org.ligi.ajsha")
    runs = [path.parent for path in sorted((shared_data / "utg").glob("*/events.jsonl.gz"))]
    chosen = runs if THOROUGH else [run for run in runs if run.name in some]
    return {run.name: [step for walk in read_walks(run) for step in passed(walk)] for run in chosen}
