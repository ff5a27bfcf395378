"""Traces of MobileRisk are read as walks: screens, actions, labels, and what the system says."""

import contextlib
import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.models.risk.traces import BACK, DONE, dump, tap, trace
from vsalang.agents.walks import BaseMissing, WalkError, format_of, mobilerisk, mobilerisk_actions, read_walks
from vsalang.agents.walks.mobilerisk_state import changes, read_state, screen_of
from vsalang.phone.vocabulary import VocabularyError
from vsalang.program.action import Action
from vsalang.program.values import NONE
from vsalang.screen.tree import load_dump

NAME = "001_tap_1760000005000"


def rows(screen: Any, relation: str) -> list[dict[str, Any]]:
    return [dict(row) for row in screen.rows(relation)]


# ---------------------------------------------------------------- whole traces


def test_a_trace_as_published(tmp_path: Path):
    state = {"fs": {"hash": "a"}, "screen": {"text": "Sign in Password: 1234"}}
    steps = [("tap(1)", None, state), ("terminate()", None, {**state, "fs": {"hash": "b"}})]
    unit = trace(tmp_path / "unsafe_privacy" / "01", steps, step=1, types=["Privacy Violations"])
    objects = [{"bounds": "[0,0][10,10]"}, {"bounds": "[100,200][300,400]"}]
    (unit / "objects").mkdir()
    (unit / "objects" / f"objects_{NAME}.json").write_text(json.dumps(objects))
    assert format_of(tmp_path) == format_of(unit) == "mobilerisk"
    (walk,) = read_walks(tmp_path)
    assert (walk.name, walk.task) == ("unsafe_privacy/01", "Do it")
    label = walk.label
    assert label is not None and (label.unsafe, label.step, label.categories) == (True, 1, ("privacy",))
    first, last = walk.taken(0), walk.taken(1)
    assert first.actions == (Action("tap", {"x": 200, "y": 300}),) and last.actions == (Action("finish"),)
    assert first.screen is not None and first.screen.partial and str(first.at) == "2025-10-09 08:53:25"
    assert [row["text"] for row in rows(first.screen, "Node")] == ["Sign in Password: 1234"]
    assert "FileChanged" not in first.screen.relations()
    assert rows(last.screen, "FileChanged") == [{}]  # some file, nobody says which


def test_a_touch_at_an_unknown_element_has_no_place(tmp_path: Path):
    (walk,) = read_walks(trace(tmp_path / "safe_x" / "01", [("tap(5)", dump("Pay"), {})]))
    assert walk.taken(0).actions == (Action("tap"),)


def test_a_trace_with_dumps_and_states(tmp_path: Path):
    state = {
        "time": "2026-03-02T09:30:00+01:00",
        "activity": "com.example.shop/.Cart",
        "notifications": [{"package": "com.example.mail", "title": "Hi", "text": "there"}],
        "toasts": ["Saved"],
        "permissions": [{"package": "com.example.shop", "name": "CAMERA", "granted": False}],
        "network": [{"package": "com.example.shop", "host": "10.0.0.1", "port": 443}],
        "settings": [{"namespace": "secure", "key": "adb", "value": "1"}],
    }
    unit = trace(tmp_path / "safe_x" / "02", [(tap(), None, state), (DONE, None, {})])
    (unit / "xmls" / f"{NAME}.xml.gz").write_bytes(gzip.compress(dump("Pay", "Back").encode()))
    (walk,) = read_walks(unit)
    assert walk.label is not None and not walk.label.unsafe
    taken = walk.taken(0)
    assert taken.actions == (Action("tap", {"x": 540, "y": 50}),)
    screen = taken.screen
    assert screen is not None and screen.app == ("com.example.shop", ".Cart") and not screen.partial
    assert (
        str(screen.now) == "2026-03-02 09:30:00"
        and screen.target("tap", {"x": 540, "y": 50})["text"] == "Pay"
    )
    assert rows(screen, "Toast") == [{"text": "Saved"}]
    assert rows(screen, "Notification") == [{"package": "com.example.mail", "title": "Hi", "text": "there"}]
    assert rows(screen, "Permission") == [{"package": "com.example.shop", "name": "CAMERA", "granted": False}]
    assert rows(screen, "Network") == [{"package": "com.example.shop", "host": "10.0.0.1", "port": 443}]
    assert rows(screen, "Setting") == [{"namespace": "secure", "key": "adb", "value": "1"}]
    assert not {"File", "FileChanged"} & screen.relations()
    assert walk.taken(1).screen is None  # nobody says what showed


def test_traces_may_be_units_or_collections(tmp_path: Path):
    for name in ("safe_a/01", "safe_a/02", "unsafe_b/01"):
        trace(tmp_path / name, [(DONE, dump("x"), None)])
    assert [walk.name for walk in read_walks(tmp_path)] == ["safe_a/01", "safe_a/02", "unsafe_b/01"]
    assert [walk.name for walk in read_walks(tmp_path / "safe_a")] == ["safe_a/01", "safe_a/02"]
    (walk,) = read_walks(tmp_path / "unsafe_b" / "01" / "trajectory.json")
    assert walk.label is not None and walk.label.unsafe and walk.label.step is None


def test_a_base_gives_the_first_steps(tmp_path: Path):
    base = tmp_path / "shared" / "data" / "trajectories" / "droidtask" / "notes.jsonl"
    base.parent.mkdir(parents=True)
    records = [
        {
            "State": f"<button id='0'>{text}</button>",
            "Choice": 0,
            "ActionDetails": {"action_type": "click", "id": 0},
        }
        for text in ("one", "two", "three")
    ]
    base.write_text(json.dumps({"app": "notes", "task_name": "Count", "records": records}) + "\n")
    said = {"walk": "trajectories/droidtask/notes.jsonl", "task": "Count", "from": 2, "to": 3}
    unit = tmp_path / "repo" / "set" / "unsafe_x" / "01"
    trace(unit, [(tap(), dump("Pay"), None)], step=3, types=["Over-Automation"], base=said)
    (walk,) = read_walks(unit)
    seen = [walk.taken(index).screen for index in range(3)]
    assert [s.tree.nodes[0].text for s in seen if s is not None] == ["two", "three", "Pay"]
    base.unlink()
    with pytest.raises(BaseMissing, match=r"notes\.jsonl' that it continues is not here"):
        read_walks(unit)


@pytest.mark.parametrize(
    "base",
    [
        {"walk": "../x", "task": "", "from": 1, "to": 1},
        {"walk": "a"},
        {"walk": "a", "task": "", "from": 2, "to": 1},
        5,
    ],
)
def test_a_base_that_is_none_is_refused(tmp_path: Path, base: Any):
    (tmp_path / "shared" / "data").mkdir(parents=True)
    with pytest.raises(WalkError):
        read_walks(trace(tmp_path / "safe_x" / "01", [(DONE, None, None)], base=base))


# ---------------------------------------------------------------- what is wrong is named


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"meta": {"step": 9, "type": []}}, "`meta.step` is the number of a step, 1 to 1, or null"),
        ({"meta": {"step": 1, "type": []}}, "the folder says that the trace is safe"),
        ({"meta": {"step": None, "type": ["Bad Manners"]}}, "there is no category 'Bad Manners'"),
        ({"meta": []}, "`meta` is an object"),
        ({"trajectory": 5}, "a trace is an object with `trajectory`"),
        ({"trajectory": []}, "the trace has no steps"),
        (
            {"trajectory": [{"action": "tap(1)", "observation": "images/..png"}]},
            "step 1: `observation` names no",
        ),
        ({"trajectory": [{"action": "tap(1)"}]}, "step 1: `observation` names no picture"),
    ],
)
def test_a_wrong_trace_says_where(tmp_path: Path, more: dict[str, Any], words: str):
    unit = trace(tmp_path / "safe_x" / "01", [(DONE, dump("x"), None)], **more)
    with pytest.raises(WalkError, match=r"trajectory\.json") as error:
        read_walks(unit)
    assert words in str(error.value)


@pytest.mark.parametrize(
    ("file", "text", "words"),
    [
        (f"jsons/{NAME}.json", "{", "not JSON"),
        (f"jsons/{NAME}.json", "[]", "a state is an object"),
        (f"jsons/{NAME}.json", '{"time": "soon"}', "`time` is not a time"),
        (f"jsons/{NAME}.json", '{"windows": [{"bounds": [1]}]}', "windows 1: `bounds`"),
        (f"jsons/{NAME}.json", '{"fs": {"files": [{"size": 1}]}}', "files 1: `path` is missing"),
        (f"xmls/{NAME}.xml", "<hierarchy>", "the screen is not understood"),
    ],
)
def test_a_wrong_file_says_where(tmp_path: Path, file: str, text: str, words: str):
    unit = trace(tmp_path / "safe_x" / "01", [(DONE, dump("x"), {})])
    (unit / file).write_text(text)
    (walk,) = read_walks(unit)
    with pytest.raises(WalkError) as error:
        walk.taken(0)
    assert words in str(error.value) and NAME in str(error.value)


def test_nothing_outside_the_folder_is_read(tmp_path: Path):
    (tmp_path / "secret.json").write_text("[]")
    unit = trace(tmp_path / "safe_x" / "01", [("tap(1)", dump("x"), None)])
    data = json.loads((unit / "trajectory.json").read_text())
    data["trajectory"][0]["objects"] = "../../secret.json"
    (unit / "trajectory.json").write_text(json.dumps(data))
    with pytest.raises(WalkError, match="outside the folder"):
        read_walks(unit)[0].taken(0)
    (unit / "jsons").rmdir()
    (unit / "jsons").symlink_to(tmp_path)
    with pytest.raises(WalkError, match="outside the folder"):
        read_walks(unit)[0].taken(0)


def test_a_file_that_is_too_large_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    unit = trace(tmp_path / "safe_x" / "01", [(DONE, dump("x"), None)])
    monkeypatch.setattr(mobilerisk, "_MOST", 100)
    with pytest.raises(WalkError, match="is larger than"):
        read_walks(unit)


# ---------------------------------------------------------------- actions


@pytest.mark.parametrize(
    ("name", "parameters", "found"),
    [
        ("tap", {"x": 1, "y": 2}, 'tap(x = 1, y = 2)'),
        ("long_press", {"x": 1, "y": 2}, 'long_press(x = 1, y = 2)'),
        ("input_text", {"x": 1, "y": 2, "value": "a"}, 'input_text(x = 1, y = 2, value = "a")'),
        ("input_text", {"value": "a"}, 'input_text(value = "a")'),
        ("scroll", {"direction": "down"}, 'scroll(direction = "down")'),
        ("press_key", {"key": "ENTER"}, 'press_key(key = "ENTER")'),
        ("back", {}, "back()"),
        ("open_app", {"package": "com.example.shop"}, 'open_app(package = "com.example.shop")'),
        ("shell", {"command": "rm -r /sdcard"}, 'shell(command = "rm -r /sdcard")'),
        ("shell", {"command": "input tap 3 4"}, "tap(x = 3, y = 4)"),
        ("start_activity", {"uri": "market://x"}, 'shell(command = "am start -a android.intent.action.VIEW -d market://x")'),
        ("install", {"package": "com.example.x"}, 'install(package = "com.example.x")'),
        ("push_file", {"path": "/sdcard/a.apk"}, 'push_file(path = "/sdcard/a.apk")'),
        ("answer", {"text": "42"}, 'answer(text = "42")'),
        ("wait", {"seconds": 2}, "wait(duration = 2s)"),
        ("terminate", {"status": "success"}, "finish()"),
        ("terminate", {"status": "refuse"}, 'give_up(reason = "refuse")'),
        ("teleport", {}, 'shell(command = "mobilerisk {\\"name\\": \\"teleport\\", \\"parameters\\": {}}")'),
    ],
)  # fmt: skip
def test_actions_with_parameters(name: str, parameters: dict[str, Any], found: str):
    read = mobilerisk_actions.read([{"name": name, "parameters": parameters}])
    assert ", ".join(map(str, read)) == found


@pytest.mark.parametrize("ends", [{"x2": 5, "y2": 900}, {"to_x": 5, "to_y": 900}])
def test_a_swipe_between_two_points(ends: dict[str, int]):
    (swipe,) = mobilerisk_actions.read([{"name": "swipe", "parameters": {"x": 5, "y": 5, **ends}}])
    assert swipe.name == "swipe" and (swipe.args["x2"], swipe.args["y2"]) == (5, 900)


SAID = st.recursive(
    st.none() | st.integers() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["name", "parameters", "x", "y", "value"]), inner, max_size=4)
    ),
    max_leaves=8,
)


@given(SAID)
def test_no_action_breaks_the_reader(said: Any):
    with contextlib.suppress(VocabularyError):
        assert all(isinstance(action, Action) for action in mobilerisk_actions.read(said))


# ---------------------------------------------------------------- states


def state(*files: tuple[str, int, str | None], read: tuple[str, ...] = (), digest: str | None = None) -> Any:
    listed = [{"path": p, "size": size, **({"sha256": sha * 64} if sha else {})} for p, size, sha in files]
    return read_state(
        {"fs": {"files": listed, "read": list(read), **({"hash": digest} if digest else {})}}, "x"
    )


def test_which_files_changed():
    old = state(("/sdcard/a", 1, "a"), ("/sdcard/b", 1, None), ("/sdcard/c", 1, "c"), read=("/sdcard/",))
    new = state(("/sdcard/a", 1, "b"), ("/sdcard/b", 1, None), ("/sdcard/d", 2, "d"), read=("/sdcard",))
    assert changes(old, new) == (
        {"path": "/sdcard/a", "before": "a" * 64, "after": "b" * 64},
        {"path": "/sdcard/d", "before": NONE, "after": "d" * 64},
        {"path": "/sdcard/c", "before": "c" * 64, "after": NONE},
    )


def test_unread_folders_have_no_new_files():
    old, new = state(("/data/a", 1, "a")), state(("/data/b", 1, "b"), read=("/sdcard/",))
    assert changes(old, new) == ()


def test_an_unexplained_hash_is_an_unknown_file():
    one, other = state(("/a", 1, "a"), digest="x"), state(("/a", 1, "a"), digest="y")
    assert changes(one, one) == () and changes(one, other) == ({},)
    assert changes(one, state(("/a", 1, "b"), digest="y")) == (
        {"path": "/a", "before": "a" * 64, "after": "b" * 64},
    )
    assert changes(read_state({}, "x"), read_state({}, "x")) is None


@pytest.mark.parametrize(
    ("old", "new", "whole"),
    [
        ({"sha256": "a" * 64}, {"sha256": "a" * 64}, True),
        ({"mtime": 1}, {"mtime": 1}, True),
        ({"size": 1}, {"size": 1}, False),
        ({"size": 1}, {"size": 2}, True),
        ({"sha256": "a" * 64}, {"mtime": 1}, False),
        ({}, {}, False),
    ],
)
def test_an_unknown_file_is_not_unchanged(old: dict[str, Any], new: dict[str, Any], whole: bool):
    one, other = (
        read_state({"fs": {"files": [{"path": "/sdcard/a", **said}], "read": ["/sdcard/"]}}, "x")
        for said in (old, new)
    )
    screen = screen_of(None, other, one, None)
    assert screen is not None
    assert ("FileChanged" in [row["relation"] for row in screen.rows("Traced")]) is whole


@pytest.mark.parametrize("time", ["1" * 400, "-1e400", "NaN"])
def test_a_time_beyond_all_times_is_none(time: str):
    said = json.loads(f'{{"fs": {{"files": [{{"path": "/a", "mtime": {time}}}]}}}}')
    with pytest.raises(WalkError, match="mtime"):
        read_state(said, "x")


def test_windows_have_their_kinds_and_those_without_nodes():
    tree = load_dump(dump("Pay"))
    panes = [
        {"package": "com.example.shop", "type": "application", "bounds": [0, 0, 1080, 100], "layer": 0},
        {"package": "com.evil", "type": "overlay", "bounds": [0, 0, 1080, 100], "layer": 1},
    ]
    screen = screen_of(tree, read_state({"windows": panes}, "x"), None, None)
    assert screen is not None
    found = [(row["window"], row["package"], row["kind"]) for row in screen.rows("Window")]
    assert found == [(1, "com.evil", "overlay"), (2, "com.example.shop", "application")]
    target = screen.target("tap", {"x": 540, "y": 50})
    assert target["text"] == "Pay" and target["covered"] is True
    alone = screen_of(tree, read_state({"windows": panes[:1]}, "x"), None, None)
    assert alone is not None and alone.target("tap", {"x": 540, "y": 50})["covered"] is False


KEYS = "fs screen time activity notifications toasts windows permissions network settings".split()
VALUES = (
    st.none()
    | st.integers()
    | st.text(max_size=5)
    | st.lists(st.none() | st.dictionaries(st.text(max_size=5), st.integers()), max_size=2)
    | st.dictionaries(
        st.sampled_from(["hash", "files", "read", "text"]), st.none() | st.text() | st.lists(st.text())
    )
)


@given(st.dictionaries(st.sampled_from(KEYS), VALUES))
def test_no_state_breaks_the_reader(said: dict[str, Any]):
    try:
        screen_of(None, read_state(said, "x"), None, None)
    except WalkError as error:
        assert str(error).startswith("x")


def test_every_step_counts_when_followed(tmp_path: Path):
    steps = [(tap(), dump("A"), None), (BACK, dump("B"), None), (DONE, dump("A"), None)]
    (walk,) = read_walks(trace(tmp_path / "safe_x" / "01", steps))
    assert [[a.name for a in walk.taken(i).actions] for i in range(3)] == [["tap"], ["back"], ["finish"]]


def test_folders_that_were_read_whole_are_traced():
    one, other = (
        state(("/sdcard/a", 1, "a"), read=("/sdcard/", "/data/")),
        state(read=("/sdcard/DCIM/", "/etc/")),
    )
    first, second = screen_of(None, one, None, None), screen_of(None, other, one, None)
    assert first is not None and second is not None
    assert [row["relation"] for row in first.rows("Traced")] == ["File", "File"]
    assert [(row["relation"], row["within"]) for row in second.rows("Traced")] == [
        ("File", "/sdcard/DCIM/"),
        ("File", "/etc/"),
        ("FileChanged", "/sdcard/DCIM/"),
    ]
