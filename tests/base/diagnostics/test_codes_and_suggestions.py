"""The registry of codes, and which names are near which."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import vsalang
from vsalang.base.diagnostics import Severity
from vsalang.base.diagnostics.codes import CODES
from vsalang.base.source.suggest import did_you_mean, edit_distance, nearest
from vsalang.language.lint import CODES as LINT

_SEVERITIES = {
    "E": {Severity.ERROR},
    "W": {Severity.WARNING, Severity.INFO},
    "L": set(Severity),
    "V": set(Severity),
}


@pytest.mark.parametrize("code", CODES)
def test_every_code_is_explained(code: str) -> None:
    entry = CODES[code]
    assert entry.code == code
    assert re.fullmatch(r"[EWV]\d{4}", code)
    assert entry.severity in _SEVERITIES[code[0]]
    assert entry.title and not entry.title.endswith(".")
    assert entry.explanation.endswith((".", "?", "`"))
    assert bool(entry.example_good) <= bool(entry.example_bad)


def test_every_code_in_use_is_registered() -> None:
    root = Path(vsalang.__file__).parent
    used: dict[str, str] = {}
    for file in root.rglob("*.py"):
        if file.parent.name != "diagnostics":
            for code in re.findall(r'"([EWLV]\d{4})"', file.read_text(encoding="utf-8")):
                used[code] = str(file.relative_to(root))
    known = {**CODES, **LINT}
    assert {code: file for code, file in used.items() if code not in known} == {}
    assert used


def test_nearest_names() -> None:
    names = ["Slot", "Slots", "Booking", "RestaurantInfo", "time", "date"]
    assert nearest("Slto", names) == ["Slot"]
    assert nearest("Slot_", names) == ["Slot", "Slots"]
    assert nearest("slot", names)[0] == "Slot"
    assert nearest("RestaurantInof", names) == ["RestaurantInfo"]
    assert nearest("Reserve", names) == []
    assert nearest("tmie", names) == ["time"]
    assert nearest("", names) == []
    assert nearest("x" * 10_000, names) == []


def test_names_that_share_nothing_are_never_near() -> None:
    assert nearest("a", ["b"]) == []
    assert nearest("ab", ["cd", "b"]) == ["b"]


def test_sentences() -> None:
    assert did_you_mean("Slto", ["Slot"]) == "did you mean `Slot`?"
    assert did_you_mean("Slott", ["Slots", "Slot"]) == "did you mean `Slot` or `Slots`?"
    assert (
        did_you_mean("aaaaaa", ["aaaaab", "aaaaac", "aaaaad"])
        == "did you mean `aaaaab`, `aaaaac` or `aaaaad`?"
    )
    assert did_you_mean("Reserve", ["Slot"]) == ""


@pytest.mark.slow
@given(st.text("abc", max_size=7), st.text("abc", max_size=7))
def test_distance_agrees_with_its_definition(left: str, right: str) -> None:
    assert edit_distance(left, right, 20) == _slow(left, right)
    limited = edit_distance(left, right, 2)
    assert limited == min(3, _slow(left, right))


def _slow(left: str, right: str) -> int:
    if not left or not right:
        return len(left) + len(right)
    costs = [
        _slow(left[1:], right) + 1,
        _slow(left, right[1:]) + 1,
        _slow(left[1:], right[1:]) + (left[0] != right[0]),
    ]
    if left[:2] == right[1::-1] and len(left) > 1 and len(right) > 1:
        costs.append(_slow(left[2:], right[2:]) + 1)
    return min(costs)
