"""Commitments in a guarded session on the simulated phone, as the page shows it."""

import re
from pathlib import Path

import pytest

from vsalang import Action, SessionOptions, open_guarded
from vsalang.guard.graph import CommitmentResult, commit_all
from vsalang.guard.journal import read_session

ROOT = Path(__file__).resolve().parents[3]
SPEC = ROOT / "app_specs" / "examples" / "reserve_r.vsa"
PAGE = ROOT / "docs" / "reference" / "graph.md"


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def test_the_plan_on_the_page_books_a_table() -> None:
    (example,) = re.findall(
        r"```python\n(from vsalang import Action, .*?)```", PAGE.read_text("utf-8"), re.DOTALL
    )
    names: dict[str, object] = {}
    exec(example.replace('"reserve_r.vsa"', repr(str(SPEC))), names)
    outcome = names["outcome"]
    assert isinstance(outcome, CommitmentResult) and outcome
    assert [str(each.action.name) for each in outcome.done] == ["tap", "tap", "finish"]


def test_a_late_table_stops_the_plan() -> None:
    plan = [Action("tap", {"text": word}) for word in ("R", "20:00")] + [
        Action("tap", {"id": "reserve_button"})
    ]
    chosen = SessionOptions(app="com.opentable", journal="j.jsonl")
    with open_guarded(SPEC, "sim:restaurant", chosen) as session:
        outcome = commit_all(session.guard, plan)
        touched = [each.target for each in session.device.phone.inputs if each.kind == "tap"]  # type: ignore[attr-defined]
    assert outcome.stopped is not None and outcome.stopped.kind == "refused"
    assert outcome.stopped.acted is not None and outcome.stopped.acted.verdict.level == "warn"
    assert touched == ["result_card"] and len(outcome.remains) == 2
    assert len(read_session("j.jsonl").steps) == 2
