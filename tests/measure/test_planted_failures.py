"""Planted failures on the simulated phone: each is named, and no contract is met that should not be."""

from pathlib import Path

import pytest

from benchmarks.measure.planted import CASES, FAILURES, Failure, planted


@pytest.mark.parametrize("failure", FAILURES)
def test_planted_failures_are_named(failure: Failure) -> None:
    found = planted([failure])
    assert found and {each.failure for each in found} == {failure}
    assert [(each.control, each.said) for each in found] == [(each.control, each.expected) for each in found]
    assert not any(each.wrongly_met for each in found)
    if failure in ("tap lost", "text cut", "toggle stuck", "wrong row"):
        assert "violated" in {each.said for each in found}
        assert "met" not in {each.said for each in found}


WORDS = {
    "none": "none",
    "tap lost": "the tap is lost",
    "text cut": "the text is cut",
    "toggle stuck": "the switch or choice is stuck",
    "wrong row": "another row is touched",
    "late screen": "the screen comes before two looks agree",
    "too late": "time is up before it comes",
}


def test_the_page_says_what_is_expected() -> None:
    page = Path(__file__).resolve().parents[2] / "docs" / "reference" / "stdlib" / "contracts.md"
    text = page.read_text(encoding="utf-8")
    for failure in FAILURES:
        expected = {case.control: case.expected.get(failure, "") for case in CASES}
        row = " | ".join(
            expected[control] for control in ("toggle", "field", "link", "choice", "back", "scroller")
        )
        assert f"| {WORDS[failure]} | {row} |".replace("|  ", "| ") in text
