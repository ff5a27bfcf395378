"""Recorded walks as decisions, and pairs of them, by the command."""

import json
import re
from pathlib import Path

import pytest

from vsalang.agents.rank.recorded import recorded_decisions
from vsalang.agents.walks import read_walks
from vsalang.language.semantics import load

WALKS = Path(__file__).resolve().parent / "walks"
RANK_PAGE = WALKS.parents[2] / "docs" / "reference" / "rank.md"
"""Of the specs; the walk is written here in their format."""

SCREENS = (
    "<button id='1' resource_id='contact'>Bob</button><button id='2' resource_id='other'>Ann</button>",
    "<p id='1' resource_id='contact_name'>Bob</p><button id='2' resource_id='delete' alt='Delete'></button>",
    "<p id='2' resource_id='message'>Proceed with the deletion?</p>"
    "<button id='3' resource_id='button1'>Yes</button><button id='4' resource_id='button2'>No</button>",
    "<button id='1' resource_id='other'>Ann</button>",
)
DONE = (1, 2, 3, None)


def walk_file(folder: Path) -> Path:
    """A walk in the format of DroidTask that deletes a contact."""
    records = [
        {
            "State": state,
            "Choice": 0 if at is not None else -1,
            "ActionDetails": {"action_type": "click", "id": at} if at is not None else None,
            "tag": "2023-07-01_120000",
        }
        for state, at in zip(SCREENS, DONE, strict=True)
    ]
    file = folder / "contacts.jsonl"
    line = {"app": "contacts", "task_name": "Delete contact Bob", "records": records}
    file.write_text(json.dumps(line) + "\n", encoding="utf-8")
    return file


def test_each_step_knows_what_was_done(tmp_path: Path) -> None:
    (walk,) = read_walks(walk_file(tmp_path))
    steps = list(recorded_decisions(walk, package="com.example.contacts"))
    did = [[step.decision.candidates[nth].text for nth in step.gold] for step in steps]
    assert did == [['press "Bob"'], ['press "Delete"'], ['press "Yes"'], ["finish: the task is done"]]
    assert [len(step.decision.situation.history) for step in steps] == [0, 1, 2, 3]
    assert [one.effect for one in steps[3].decision.situation.history] == [
        "NewPage",
        "NewPage",
        "NewPage",
    ]


def test_a_tap_counts_as_what_includes_it(tmp_path: Path) -> None:
    field = "<input id='1' resource_id='name'>Ann</input>"
    records = [
        {"State": field, "Choice": 0, "ActionDetails": {"action_type": "click", "id": 1}, "tag": "1"},
        {"State": field, "Choice": -1, "ActionDetails": None, "tag": "2"},
    ]
    file = tmp_path / "contacts.jsonl"
    file.write_text(
        json.dumps({"app": "a", "task_name": "Rename Ann", "records": records}) + "\n", encoding="utf-8"
    )
    (walk,) = read_walks(file)
    tapped, ended = recorded_decisions(walk, package="a.b")
    (gold,) = (tapped.decision.candidates[nth] for nth in tapped.gold)
    assert gold.kind == "type" and tapped.run.did == gold.key
    assert [one.kind for one in ended.decision.situation.history] == ["tap"]


def test_a_guard_proves_the_end_and_blocks_the_rest(tmp_path: Path) -> None:
    (walk,) = read_walks(walk_file(tmp_path))
    program = load(str(WALKS / "delete_bob.vsa")).checked()
    steps = list(recorded_decisions(walk, package="com.example.contacts", program=program))
    assert [bool(step.proof) for step in steps] == [False, False, False, True]
    ends = [any(one.kind == "finish" for one in step.decision.candidates) for step in steps]
    assert ends == [False, False, False, True]


def test_pairs_by_the_command(vsac, tmp_path: Path) -> None:
    walk, out = walk_file(tmp_path), tmp_path / "pairs.jsonl"
    proved = vsac("rank", "pairs", walk, "--spec", WALKS / "delete_bob.vsa", "-o", out)
    assert proved.returncode == 0, proved.stderr
    assert "4 steps labelled: 4 by proof" in proved.stdout
    rows = [json.loads(text) for text in out.read_text(encoding="utf-8").splitlines()]
    assert {row["label"] for row in rows} == {"proof", "blocked"} and {row["step"] for row in rows} == {
        0,
        1,
        2,
        3,
    }
    assert all(row["app"] == "com.example.contacts" and row["task"] == "Delete contact Bob" for row in rows)
    told = json.loads(vsac("rank", "pairs", walk, "--right", "-o", out, "--json").stdout)
    assert told["labelled"] == {"gold": 4} and told["open"] == [] and told["pairs"] > 0


def test_steps_for_a_person_are_listed(vsac, tmp_path: Path) -> None:
    result = vsac("rank", "pairs", walk_file(tmp_path), "-o", "pairs.jsonl", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    head, labelled, people, *steps = result.stdout.splitlines()
    assert head.startswith("0 pairs of 1 walk") and labelled == "0 steps labelled" and len(steps) == 4
    margins = [float(text.rpartition(" ")[2]) for text in steps]
    assert people.startswith("4 steps for a person") and margins == sorted(margins)


def test_a_journal_is_read_with_its_spec(vsac, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    walk = walk_file(tmp_path)
    folder = tmp_path / "journals"
    recorded = vsac("record", WALKS / "delete_bob.vsa", "--walk", walk, "-o", folder)
    assert recorded.returncode == 0, recorded.stderr
    (journal,) = folder.glob("*.jsonl")
    told = vsac("rank", "pairs", journal, "-o", tmp_path / "pairs.jsonl", "--json")
    assert told.returncode == 0, told.stderr
    assert json.loads(told.stdout)["labelled"] == {"proof": 4}
    by_command = (tmp_path / "pairs.jsonl").read_text(encoding="utf-8")
    # the same in Python, as docs/reference/rank.md shows it
    blocks = re.findall(r"^```python\n(.*?)^```$", RANK_PAGE.read_text(encoding="utf-8"), re.M | re.S)
    (code,) = (block for block in blocks if "read_run" in block)
    journal.rename(tmp_path / "journal.jsonl")
    monkeypatch.chdir(tmp_path)
    exec(code, {})
    assert (tmp_path / "pairs.jsonl").read_text(encoding="utf-8") == by_command


def test_what_cannot_be_read_is_said(vsac, tmp_path: Path) -> None:
    bad = tmp_path / "bad.jsonl"
    bad.write_text('{"records": [{}]}\n', encoding="utf-8")
    assert vsac("rank", "pairs", bad, "--right", "-o", tmp_path / "out").returncode == 2
    nowhere = vsac("rank", "pairs", walk_file(tmp_path), "--right", "-o", tmp_path / "none" / "out")
    assert nowhere.returncode == 2 and "cannot write" in nowhere.stderr
    (tmp_path / "said.jsonl").write_text("yes\n", encoding="utf-8")
    said = vsac(
        "rank", "pairs", walk_file(tmp_path), "--answers", tmp_path / "said.jsonl", "-o", tmp_path / "out"
    )
    assert said.returncode == 2 and "said.jsonl, line 1: not an answer" in said.stderr
