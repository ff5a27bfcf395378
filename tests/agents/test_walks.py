"""Recorded walks: read, followed in shadow under specs, journalled; all real ones where they are at hand."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.pages import section
from tests.thorough import THOROUGH, some
from vsalang.agents.walks import Walk, WalkError, WalkScreen, follow, only_package, read_walks
from vsalang.guard.journal import Recorder, read_session, recorded_program, replay
from vsalang.guard.journal.file import Journal
from vsalang.language.semantics import load, load_text
from vsalang.tools.cli.main import run

HERE = Path(__file__).resolve().parent / "walks"
FORM = """<FrameLayout id='0'>
  <p id='1' resource_id='dialog_title_textview'>Add a new note</p>
  <input id='2' resource_id='locked_note_title'>{title}</input>
  <checkbox id='3' resource_id='type_text_note' status='selected'>Text note</checkbox>
  <checkbox id='4' resource_id='type_checklist'>Checklist</checkbox>
  <LinearLayout id='5'>
    <button id='6' resource_id='button1'>OK</button>
  </LinearLayout>
</FrameLayout>
"""
MAIN = """<FrameLayout id='0'>
  <button id='1' resource_id='new_note' alt='Create a new note'></button>
  <ViewGroup id='2' resource_id='pager_tab_strip'>
    <p id='3'>{title}</p>
  </ViewGroup>
  <input id='4' resource_id='text_note_view'>text</input>
</FrameLayout>
"""


def record(state: str, second: int, choice: int, **details: Any) -> dict[str, Any]:
    return {
        "State": state,
        "Choice": choice,
        "ActionDetails": {"action_type": "click", "id": choice, **details},
        "tag": f"2023-07-08_2104{second:02}",
    }


def walk(title: str = "NewTextNote") -> dict[str, Any]:
    typed = {"action_type": "input_text", "text": title}
    return {
        "app": "notes",
        "task_name": "Create a text note",
        "records": [
            record(MAIN.format(title="Diary"), 1, 1),
            record(FORM.format(title="Label"), 2, 2, **typed),
            record(FORM.format(title=title), 3, 6),
            record(MAIN.format(title=title), 4, -1),
        ],
    }


def written(folder: Path, *walks: Any, name: str = "w.jsonl") -> Path:
    path = folder / name
    path.write_text("".join(json.dumps(item) + "\n" for item in walks), encoding="utf-8")
    return path


def program(name: str) -> Any:
    found = load(HERE / f"{name}.vsa").program
    assert found is not None
    return found


def test_a_walk_that_does_the_task(tmp_path: Path):
    (found,) = read_walks(written(tmp_path, walk()))
    turns = list(follow(found, program("new_note")))
    assert [(t.action.name, t.verdict.level) for t in turns] == [
        ("tap", "allow"),
        ("input_text", "allow"),
        ("tap", "allow"),
        ("finish", "allow"),
    ]
    assert [str(action) for action in turns[2].verdict.actions] == [
        'notes.CreateNote(title = "NewTextNote", checklist = false)'
    ]


def test_a_walk_that_does_something_else_is_followed(tmp_path: Path):
    (found,) = read_walks(written(tmp_path, walk("Other")))
    turns = list(follow(found, program("new_note")))
    assert [t.verdict.level for t in turns] == ["allow", "warn", "block", "block"]
    assert not any(t.problem for t in turns)


def test_taps_with_a_look_between_are_two(tmp_path: Path):
    states = [record(MAIN.format(title=title), 1, 1) for title in ("Diary", "Recipes", "Diary")]
    (found,) = read_walks(written(tmp_path, {**walk(), "records": states}))
    rules = load_text('spec taps "Tap"\ndeny "a double tap" when double_tap.\ndone.\n').checked()
    turns = list(follow(found, rules))
    assert len(turns) == 3
    assert not [each.message for turn in turns for each in turn.verdict.reasons if "double" in each.message]


def test_the_command_writes_journals_that_replay(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = written(tmp_path, walk(), walk("Other"))
    out = tmp_path / "journals"
    spec = str(HERE / "new_note.vsa")
    assert run(["record", spec, "--walk", str(file), "-o", str(out)]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0].startswith("In force: program new_note ")
    assert said[1] == "w-1.jsonl  Create a text note: 4 passes"
    assert said[2] == "w-2.jsonl  Create a text note: 1 passes, 1 warned of, 2 blocked"
    for name, completed in (("w-1.jsonl", True), ("w-2.jsonl", False)):
        session = read_session(out / name)
        recorded = recorded_program(session).program
        assert recorded is not None and not replay(session, recorded).flipped
        last = json.loads((out / name).read_text().splitlines()[-1])
        assert last["completed"] is completed and last["mode"] == "shadow"
    assert run(["record", spec, "--walk", str(file), "-o", str(out)]) == 2  # nothing is replaced
    assert "w-1.jsonl" in capsys.readouterr().err
    assert run(["record", spec, "--walk", str(file), "-o", str(out), "--task", "nowhere"]) == 2


def test_walks_are_audited_without_writing(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """Without -o nothing is written, and each action that would not pass is named with the rules against it."""
    file = written(tmp_path, walk(), walk("Other"))
    before = sorted(tmp_path.rglob("*"))
    asked = ["record", str(HERE / "new_note.vsa"), "--walk", str(file)]
    assert run(asked) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[1:3] == [
        "w-1  Create a text note: 4 passes",
        "w-2  Create a text note: 1 passes, 1 warned of, 2 blocked",
    ]
    levels = [(line.split(". ")[0].strip(), line.split(": ")[-1].split(" (")[0]) for line in said[3:-1]]
    assert levels == [("2", "warned of"), ("3", "blocked"), ("4", "blocked")]
    assert said[-1] == "2 walks followed, nothing was held back. Nothing was written"
    assert run([*asked, "--json"]) == 0
    data = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert [(one["action"], one["level"]) for one in data["against"]] == [
        (2, "warn"),
        (3, "block"),
        (4, "block"),
    ]
    assert all(one["rules"] for one in data["against"]) and "journal" not in data
    assert sorted(tmp_path.rglob("*")) == before
    assert run(["record", "--walk", str(file)]) == 2
    assert "--output" in capsys.readouterr().err


def test_the_command_for_machines(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = written(tmp_path, walk())
    asked = ["record", str(HERE / "new_note.vsa"), "--walk", str(file), "-o", str(tmp_path / "j")]
    assert run([*asked, "--format", "json"]) == 0
    said, data = map(json.loads, capsys.readouterr().out.splitlines())
    assert said["kind"] == "in_force" and said["policies"] == []
    assert data["journal"].endswith("w-1.jsonl")
    assert (data["app"], data["steps"], data["allow"], data["block"]) == ("notes", 4, 4, 0)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "holds no walks"),
        ("{", "no walks of a known format"),
        ('{"records": [', "line 1: not JSON"),
        ('{"records": ' + "[" * 100_000, "not JSON"),
        ("[]", "no walks of a known format"),
        ('["records"]', "a walk has `records`"),
        ('{"records": []}', "a walk has `records`"),
        ('{"records": [{"Choice": 1}]}', "step 1: there is no screen"),
        (json.dumps({"records": [{"State": ""}] * 1001}), "more than 1000 steps"),
    ],
)
def test_files_that_hold_no_walks(tmp_path: Path, text: str, words: str):
    (tmp_path / "w").write_text(text, encoding="utf-8")
    with pytest.raises(WalkError, match=words):
        read_walks(tmp_path / "w")


def test_files_that_cannot_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    packed = gzip.compress(json.dumps(walk()).encode())
    (tmp_path / "w.gz").write_bytes(packed)
    assert len(read_walks(tmp_path / "w.gz")) == 1
    for data in (packed[:-20], b"\x1f\x8bno", b"\xff\xfe\x00"):
        (tmp_path / "w.gz").write_bytes(data)
        with pytest.raises(WalkError, match="cannot read"):
            read_walks(tmp_path / "w.gz")
    with pytest.raises(WalkError, match="No such file"):
        read_walks(tmp_path / "none")
    assert run(["record", str(HERE / "new_note.vsa"), "--walk", "none", "-o", str(tmp_path)]) == 2
    assert "cannot read none" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("details", "words"),
    [
        ({"id": 99}, "step 1: there is no element 99"),
        ({"id": None}, "step 1"),
        ({"action_type": "click", "id": 1, "more": 1}, "step 1"),
    ],
)
def test_a_step_that_is_not_understood_names_its_place(tmp_path: Path, details: dict[str, Any], words: str):
    data = walk()
    data["records"][0]["ActionDetails"] = {"action_type": "click", **details}
    (found,) = read_walks(written(tmp_path, data))
    with pytest.raises(WalkError, match=f"w.jsonl, line 1, {words}"):
        list(follow(found, program("new_note")))


def test_an_unknown_kind_of_action_is_blocked(tmp_path: Path):
    data = walk()
    data["records"][0]["ActionDetails"] = {"action_type": "teleport", "id": 1}
    (found,) = read_walks(written(tmp_path, data))
    turn = next(follow(found, program("new_note")))
    assert (turn.action.name, turn.verdict.level) == ("shell", "block")


def test_every_element_takes_the_touch_at_its_place():
    seen = WalkScreen(FORM.format(title="a"), package="a.b")
    rows = {row["node"]: row for row in seen.screen.rows("Node")}
    assert len(rows) == 7
    for number, row in enumerate(rows.values()):
        place = seen.element(number)
        assert seen.screen.target("tap", place)["leaf"] == row["node"]
    checked = {row["text"]: row["checked"] for row in rows.values() if row.get("checkable")}
    assert checked == {"Text note": True, "Checklist": False}
    with pytest.raises(LookupError):
        seen.element(7)


@pytest.mark.parametrize(
    "state",
    ["", "text", "<!DOCTYPE x [<!ENTITY a 'b'>]><p id='0'>&a;</p>", "<p id='0'>\x00\x07</p>", "<a" * 5000],
)
def test_strange_screens_are_understood_or_refused(state: str):
    try:
        list(WalkScreen(state).screen.rows("Node"))
    except WalkError:
        return


@given(st.text(alphabet="<>/pbutonid='0123& \n\u202e\x00", max_size=80))
def test_no_screen_breaks_anything(state: str):
    test_strange_screens_are_understood_or_refused(state)


def test_the_package_of_the_only_app():
    assert only_package(program("new_note")) == "com.example.notes"
    none = load_text('spec s "x"\ndone when App(package = "a.b").\n', file="s.vsa").program
    assert none is not None and only_package(none) == ""


def test_the_page_names_every_option():
    from vsalang.tools.cli.record import command

    page = section("guard", "`vsac record`")
    options = {name for param in command.params for name in param.opts if name.startswith("-")}
    assert {name for name in options if f"`{name}" not in page} == set()


# ---------------------------------------------------------------------- the real ones


def real(shared_data: Path, app: str) -> tuple[Walk, ...]:
    return read_walks(shared_data / "trajectories" / "droidtask" / f"{app}.jsonl.gz")


def levels(found: Walk, spec: str) -> list[str]:
    return [turn.verdict.level for turn in follow(found, program(spec))]


def test_three_apps_under_specs_of_their_own(shared_data: Path):
    notes, contacts, messages = (real(shared_data, app) for app in ("notes", "contacts", "messenger"))
    (new,) = [w for w in notes if w.task == "Create a text note named 'NewTextNote'"]
    assert levels(new, "new_note") == ["allow"] * 4
    (listed,) = [w for w in notes if "checklist note called" in w.task]
    assert levels(listed, "new_note") == ["allow", "warn", "allow", "block", "block"]
    (bob,) = [w for w in contacts if w.task == "Delete contact Bob"]
    assert levels(bob, "delete_bob") == ["allow"] * 4
    # the recording of "Morning" shows another message in the field when it is sent
    (morning,) = [w for w in messages if "Morning" in w.task]
    assert levels(morning, "say_morning")[2] == "block"


@pytest.mark.slow
def test_recorded_walks_are_followed_in_shadow_and_replay(shared_data: Path, tmp_path: Path):
    anything = load_text('spec s "x"\ndone when App(package = "a.b").\n', file="s.vsa")
    own = {"notes": "new_note", "contacts": "delete_bob", "messenger": "say_morning"}
    specs = {app: load(HERE / f"{spec}.vsa") for app, spec in own.items()}
    count = steps = 0
    for file in sorted((shared_data / "trajectories" / "droidtask").glob("*.jsonl.gz")):
        for found in some(list(read_walks(file)), 4):
            loaded = specs.get(found.app, anything)
            assert loaded.program is not None
            path = tmp_path / f"{found.name}.jsonl"
            with Journal(path, sync="none") as journal:
                recorder = Recorder(journal, sources=loaded.sources, spec=loaded.file)
                turns = list(follow(found, loaded.program, recorder=recorder))
            session = read_session(path)
            judged = replay(session, loaded.program).judgements
            assert len(judged) == len(turns) and not any(j.flipped or j.moved for j in judged)
            assert not any(turn.problem for turn in turns)
            assert not any(r.kind in ("unresolved", "error") for t in turns for r in t.verdict.reasons)
            count, steps = count + 1, steps + len(turns)
    assert (count, steps) == ((158, 739) if THOROUGH else (45, 211))
