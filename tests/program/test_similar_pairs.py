"""The labelled pairs: the default calls nothing similar that is not, and the page shows how good it is."""

import runpy
from typing import Any

from vsalang.base.resources import resource_dir
from vsalang.program.similarity import DEFAULT, FoldedEquality, similar


def benchmark() -> dict[str, Any]:
    return runpy.run_path(str(resource_dir("docs").parent / "benchmarks" / "similarity.py"))


def test_the_default_allows_no_wrong_pair() -> None:
    pairs = benchmark()["pairs"]()
    assert len(pairs) >= 300
    assert len({(pair.constant, pair.text) for pair in pairs}) == len(pairs)
    assert [pair for pair in pairs if not pair.similar and similar(DEFAULT, pair.text, pair.constant)] == []


def test_equal_by_folding_goes_both_ways() -> None:
    for pair in benchmark()["pairs"]():
        said = [
            FoldedEquality().similar(*texts)
            for texts in ((pair.text, pair.constant), (pair.constant, pair.text))
        ]
        assert said[0] is said[1], pair


def test_the_page_shows_what_is_measured() -> None:
    made = benchmark()
    page = made["PAGE"].read_text("utf-8")
    assert made["written"](page) == page, "run `python benchmarks/similarity.py --write`"
    assert f"{len(made['pairs']())} pairs were labelled" in page
