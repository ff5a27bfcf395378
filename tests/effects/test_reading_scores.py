"""How readings are scored, and that single touches of the closed part are never printed."""

import pytest

from benchmarks.effects.labels import Label
from benchmarks.effects.reading import GRAVE, Judged, Reading, agreed, json_of, main, parts, scores, text_of
from benchmarks.effects.touches import Touch


def _touch(number: int, kind: str = "button", language: str = "en") -> Touch:
    return Touch(number, "open", "com.app", language, "0" * 16, 1, 1, "Button", "-", "-", kind, "-")


def _label(number: int, label: str, kind: str = "") -> Label:
    return Label(number, label, kind, "", "")


def _reading(*kinds: str, possible: tuple[str, ...] = (), unclear: bool = False) -> Reading:
    return Reading(frozenset(kinds), frozenset(possible), unclear)


JUDGED = [
    Judged(_touch(1), _label(1, "acts", "Send"), _reading("Send")),
    Judged(_touch(2), _label(2, "acts", "Delete"), _reading(unclear=True)),
    Judged(_touch(3), _label(3, "acts", "Edit"), _reading("Create")),
    Judged(_touch(4), _label(4, "leads-on"), _reading()),
    Judged(_touch(5), _label(5, "leads-on"), _reading("Send")),
    Judged(_touch(6, "field", "ko"), _label(6, "leads-on"), _reading("Edit")),
    Judged(_touch(7), _label(7, "leads-on"), _reading(possible=("Pay",))),
]


def test_scores() -> None:
    found = {name: (share.hits, share.of) for name, share in scores(JUDGED).items()}
    assert found["effects read with the right kind"] == (1, 3)
    assert found["effects read as some effect"] == (2, 3)
    assert found["effects asked about"] == (1, 3)
    assert found["other touches read as effects"] == (2, 4)
    assert found["openers read as effects"] == (1, 3)
    assert found["all touches asked about"] == (2, 7)


def test_what_may_act_is_asked_about() -> None:
    assert _reading(possible=("Pay",)).label == "unclear"
    assert _reading("Pay", unclear=True).said == "acts Pay"
    assert _reading().label == "leads-on"


def test_two_kinds_are_not_the_right_one() -> None:
    one = Judged(_touch(1), _label(1, "acts", "Send"), _reading("Send", "Post"))
    assert scores([one])["effects read with the right kind"].hits == 0


def test_parts_are_told_apart() -> None:
    found = parts(JUDGED)
    assert list(found)[:3] == ["all", "grave effects", "minor effects"]
    assert [one.label.kind for one in found["grave effects"]] == ["Send", "Delete"]
    assert {"Send", "Delete"} <= GRAVE
    assert len(found["language ko"]) == 1
    assert "effects read with the right kind: 1 of 3, 33.3 % [" in text_of("both readers", JUDGED)
    assert json_of(JUDGED)["all"]["effects read with the right kind"]["of"] == 3


def test_only_what_both_readers_say_counts_as_agreed() -> None:
    ones = {1: _label(1, "acts", "Send"), 2: _label(2, "leads-on"), 3: _label(3, "leads-on")}
    others = {1: _label(1, "acts", "Post"), 2: _label(2, "leads-on")}
    assert list(agreed([ones, others], [_touch(1), _touch(2), _touch(3)])) == [2]


def test_single_touches_of_the_closed_part_are_not_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--split", "closed", "--numbers", "1"]) == 2
    assert "are not printed" in capsys.readouterr().err
