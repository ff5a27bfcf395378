"""Logs of other tools: DroidBot's runs and graphs, DroidTask's walks; real ones where they are."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.thorough import THOROUGH
from vsalang.agents.maps import UTG, UTGError
from vsalang.agents.maps.logs import recording_of
from vsalang.program.show import source

BUTTON = {
    "package": "a.b",
    "class": "android.widget.Button",
    "enabled": True,
    "clickable": True,
    "visible": True,
}


def run(folder: Path, events: list[tuple[str, str, str]]) -> Path:
    """A run of DroidBot whose states are named by the ids of their one button: (start, stop, event type)."""
    folder.mkdir()
    box = [[0, 0], [100, 100]]
    names = sorted({name for one, other, _ in events for name in (one, other)})
    states = [
        {
            "state_str": name,
            "foreground_activity": f"a.b/.{name.title()}Activity",
            "views": [
                {
                    **BUTTON,
                    "resource_id": f"a.b:id/{name}",
                    "bounds": box,
                    "parent": -1,
                    "children": [],
                    "temp_id": 0,
                }
            ],
        }
        for name in names
    ]
    lines = [
        {
            "tag": f"2026-04-01_1200{at:02}",
            "event": {"event_type": kind, "name": "BACK", "view": {"bounds": box}},
            "start_state": one,
            "stop_state": other,
            "event_str": "",
        }
        for at, (one, other, kind) in enumerate(events)
    ]
    for name, data in (("states", states), ("events", lines)):
        text = "".join(json.dumps(each) + "\n" for each in data)
        (folder / f"{name}.jsonl").write_text(text, encoding="utf-8")
    return folder


def test_a_run_of_droidbot_says_where_each_event_ended(tmp_path: Path):
    """The second event led to `b`; then the app went on to `c` by itself: this makes no edge to `b` or `c`."""
    events = [("a", "b", "touch"), ("b", "b", "touch"), ("c", "a", "key"), ("a", "b", "touch")]
    found, _ = recording_of(run(tmp_path / "run", events))
    assert found.unsettled == 1
    assert [(m.source.activity, source(m.gesture), m.target.activity) for m in found.moves] == [
        ("AActivity", 'tap(id = "a")', "BActivity"),
        ("CActivity", "back", "AActivity"),
        ("AActivity", 'tap(id = "a")', "BActivity"),
    ]
    utg = UTG.from_log(tmp_path / "run")
    assert [(each.tried, each.worked) for each in utg.edges] == [(2, 2), (1, 1)]


def test_a_graph_without_states_is_read(tmp_path: Path):
    nodes = [
        {
            "id": "0",
            "package": "a.b",
            "activity": ".Main",
            "content": "<button id=0> Add </button>\n<p id=1> 3 </p>",
        },
        {"id": "1", "package": "a.b", "activity": "", "content": "a.b\n.Main\n0\nids\nOne,Two"},
    ]
    said = [
        {"event_type": "touch", "event_str": "TouchEvent(state=0, view=f00(Main/Button-Add))"},
        {"event_type": "longClick", "event_str": ""},
        {"event_type": "key", "event_str": "KeyEvent(state=0, name=BACK)"},
        {"event_type": "key", "event_str": "KeyEvent(state=0, name=MENU)"},
        {"event_type": "intent", "event_str": "IntentEvent(intent='am start a.b/a.b.Main')"},
    ]
    data = {"nodes": nodes, "edges": [{"from": "0", "to": "1", "events": said}]}
    path = tmp_path / "utg.js"
    path.write_text(f"var utg = \n{json.dumps(data)};\n")
    utg = UTG.from_log(tmp_path)
    assert UTG.from_log(path) == utg
    assert [(each.name, each.app, each.texts) for each in utg.screens.values()] == [
        ("state:0", "a.b", ("Add", "3")),
        ("state:1", "a.b", ("One", "Two")),
    ]
    assert [source(each.gesture) for each in utg.edges] == [
        'tap(class = "Button", label = "Add")',
        "long_press",
        "back",
        'press_key(key = "MENU")',
        'shell(command = "am start a.b/a.b.Main")',
    ]
    assert not any(each.tried for each in utg.edges)  # it holds no counts
    path.write_text(f"var utg = {json.dumps({**data, 'nodes': nodes[:1]})}")
    with pytest.raises(UTGError, match="a node that is not there"):
        UTG.from_log(path)


YAML = """records:
- Action: touch
  ActionDetails: {action_type: click, id: 1}
  Choice: 1
  Input: null
  State: "<FrameLayout id='0'><button id='1' resource_id='add' alt='Add'></button></FrameLayout>"
- Action: navigate_back
  ActionDetails: {Choice: null, Input: null, action_type: navigate_back}
  Choice: null
  Input: null
  State: "<FrameLayout id='0'><input id='1' resource_id='name'>x</input></FrameLayout>"
- Action: touch
  ActionDetails: {action_type: click, id: 1}
  Choice: 1
  Input: null
  State: "<FrameLayout id='0'><button id='1' resource_id='add' alt='Add'></button></FrameLayout>"
"""


def test_walks_of_droidtask_are_read_as_yaml(tmp_path: Path):
    (tmp_path / "utg.yaml").write_text(YAML)
    for path in (tmp_path, tmp_path / "utg.yaml"):
        assert [source(each.gesture) for each in UTG.from_log(path).edges] == ['tap(id = "add")', "back"]


@pytest.mark.parametrize("text", ["records: [", "records: !!python/object:os.system x", "records: 3"])
def test_other_yaml_is_refused(tmp_path: Path, text: str):
    (tmp_path / "a.yaml").write_text(text)
    with pytest.raises(UTGError, match=r"not YAML|a walk has"):
        UTG.from_log(tmp_path / "a.yaml")


QUICK = (
    "org.totschnig.myexpenses",
    "tanuncle_simplemobiletools",
    "droidtask_voicerecorder",
    "droidtask_clock",
)


def test_every_real_folder_loads(shared_data: Path):
    folders = sorted(path for path in (shared_data / "utg").iterdir() if path.is_dir())
    assert len(folders) == 29
    for folder in folders if THOROUGH else [each for each in folders if each.name in QUICK]:
        utg = UTG.from_log(folder)
        assert len(utg.screens) > 2 and len(utg.edges) > 6, folder.name
    told: Any = UTG.from_log(shared_data / "utg" / "tanuncle_simplemobiletools")
    assert (len(told.screens), len(told.edges)) == (117, 154)
