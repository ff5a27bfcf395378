"""Nothing that is blocked reaches the device, no matter who scores (`tests.agents.rank.hostile`)."""

from pathlib import Path

import pytest

from benchmarks.rank import hostile
from tests.agents.rank.hostile import Tally, one_run
from tests.thorough import times

SCREENS = times(75, 100_000)


def test_nothing_blocked_reaches_the_device_whoever_scores() -> None:
    total, number = Tally(), 0
    while total.screens < SCREENS:
        total += one_run(1, number)
        number += 1
    assert total.wrong == ()
    assert total.acts > SCREENS // 3 and total.chosen > SCREENS // 10  # else nothing was tried


def test_the_device_notices_what_may_not_arrive() -> None:
    assert any(one_run(1, number, held_back=False).wrong for number in range(40))


def test_a_long_run_goes_on_where_it_stopped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    state = tmp_path / "state.json"
    for screens in ("5", "25"):
        hostile.main(["--screens", screens, "--state", str(state)])
    begun, ended = (line for line in capsys.readouterr().out.splitlines() if line.startswith("nothing"))
    whole = tmp_path / "whole.json"
    hostile.main(["--screens", "25", "--state", str(whole)])
    assert begun != ended == capsys.readouterr().out.splitlines()[-1]
    assert state.read_bytes() == whole.read_bytes()


def test_other_code_begins_a_long_run_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    state = tmp_path / "state.json"
    hostile.main(["--screens", "5", "--state", str(state)])
    monkeypatch.setattr(hostile, "code", lambda: "other")
    with pytest.raises(SystemExit, match="--fresh"):
        hostile.main(["--screens", "5", "--state", str(state)])
    hostile.main(["--screens", "5", "--state", str(state), "--fresh"])


def test_what_came_through_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bad = Tally(1, 10, 1, 1, ("1/0: tap at {'x': 1}",))
    monkeypatch.setattr(hostile, "one_run", lambda seed, number: bad)
    with pytest.raises(SystemExit, match="1/0: tap at"):
        hostile.main(["--screens", "5", "--state", str(tmp_path / "state.json")])
