"""Readers of recorded walks: each format, what it says, what it does not say, and files that lie."""

import gzip
import json
import struct
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.thorough import some, times
from vsalang.agents.walks import (
    FORMATS,
    WalkError,
    follow,
    format_of,
    read_steps,
    read_walks,
    tree_xml,
)
from vsalang.agents.walks.llamatouch import _actions as llamatouch_actions
from vsalang.guard.journal import Recorder, read_session, recorded_program, replay
from vsalang.guard.journal.file import Journal
from vsalang.language.semantics import load_text
from vsalang.program.action import Action
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import load_dump, read_dump
from vsalang.tools.cli.main import run

SPEC = 'spec s "x"\ndone when App(package = "a.b").\n'
XML = (
    '<hierarchy rotation="0"><node class="android.widget.Button" package="a.b" text="Go" resource-id="a.b:id/go" '
    'clickable="true" enabled="true" bounds="[0,0][100,50]"/></hierarchy>'
)


KEYS = (
    "event event_type view bounds views screen action records State result_action_type ui_text class start_state "
    "state_str tag x y"
).split()


def program() -> Any:
    found = load_text(SPEC, file="s.vsa").program
    assert found is not None
    return found


def view(parent: int, bounds: Any, **more: Any) -> dict[str, Any]:
    plain = {
        "package": "a.b",
        "class": "android.widget.Button",
        "enabled": True,
        "clickable": True,
        "temp_id": 0,
    }
    return {**plain, "parent": parent, "children": [], "bounds": bounds, **more}


def said(path: Path) -> list[str]:
    return [" ".join(map(str, step.actions)) for step in read_steps(path)]


# ---------------------------------------------------------------------- DroidBot


def droidbot(folder: Path, events: list[dict[str, Any]], *, lines: bool) -> Path:
    states = [
        {
            "state_str": name,
            "foreground_activity": "a.b/.Main",
            "views": [view(-1, [[0, 0], [100, 200]], text=name)],
        }
        for name in ("one", "two")
    ]
    entries = [
        {"tag": f"2026-04-01_1200{n:02}", "event": event, "start_state": "one", "stop_state": "two"}
        for n, event in enumerate(events)
    ]
    folder.mkdir()
    if lines:
        (folder / "states.jsonl").write_text("".join(json.dumps(s) + "\n" for s in states))
        packed = gzip.compress("".join(json.dumps(e) + "\n" for e in entries).encode())
        (folder / "events.jsonl.gz").write_bytes(packed)
        return folder
    for name in ("states", "events"):
        (folder / name).mkdir()
    for number, state in enumerate(states):
        (folder / "states" / f"state_{number}.json").write_text(json.dumps(state))
    for entry in entries:
        (folder / "events" / f"event_{entry['tag']}.json").write_text(json.dumps(entry))
    return folder


TOUCHED = view(-1, [[10, 20], [30, 60]])
EVENTS = [
    {"event_type": "touch", "x": None, "y": None, "view": TOUCHED},
    {"event_type": "touch", "x": 5, "y": 6},
    {"event_type": "long_touch", "x": None, "y": None, "view": TOUCHED, "duration": 2000},
    {"event_type": "set_text", "view": TOUCHED, "text": "Hello"},
    {"event_type": "scroll", "view": view(-1, [[0, 0], [100, 200]]), "direction": "DOWN"},
    {"event_type": "scroll", "direction": "UP"},
    {"event_type": "key", "name": "BACK"},
    {"event_type": "intent", "intent": "am start a.b/.Main"},
    {"event_type": "kill_app", "stop_intent": "am force-stop a.b"},
    {"event_type": "spin", "speed": 3},
    {"event_type": None},
]
DONE = [
    "tap(x = 20, y = 40)",
    "tap(x = 5, y = 6)",
    "long_press(x = 20, y = 40)",
    'input_text(x = 20, y = 40, value = "Hello")',
    "swipe(x = 50, y = 180, x2 = 50, y2 = 20, duration = 500ms)",
    'scroll(direction = "up")',
    "back()",
    'shell(command = "am start a.b/.Main")',
    'shell(command = "am force-stop a.b")',
    'shell(command = "droidbot {\\"event_type\\": \\"spin\\", \\"speed\\": 3}")',
    "",
    "",  # the last screen
]


@pytest.mark.parametrize("lines", [True, False])
def test_a_run_of_droidbot(tmp_path: Path, lines: bool):
    run_ = droidbot(tmp_path / "r", EVENTS, lines=lines)
    assert format_of(run_) == "droidbot"
    steps = list(read_steps(run_))
    got = [" ".join(map(str, step.actions)) for step in steps]
    assert got[:4] + got[5:] == DONE[:4] + DONE[5:]
    assert got[4].startswith("swipe(x = 50, y = 180, x2 = 50, y2 = 20")  # shows what is below
    first = steps[0].screen
    assert first is not None and first.app == ("a.b", ".Main") and str(first.now) == "2026-04-01 12:00:00"
    last = steps[-1].screen
    assert last is not None and last.tree.nodes[0].text == "two"


def test_a_state_not_kept_is_an_unseen_screen(tmp_path: Path):
    run_ = droidbot(tmp_path / "r", EVENTS[:2], lines=True)
    (run_ / "states.jsonl").write_text("")
    (walk,) = read_walks(run_)
    turns = list(follow(walk, program()))
    assert [turn.verdict.level for turn in turns] == ["block", "block"]
    assert {reason.kind for turn in turns for reason in turn.verdict.reasons} == {"no_screen"}


def test_a_touch_beside_the_screen_hits_nothing(tmp_path: Path):
    beside = {"event_type": "touch", "view": view(-1, [[-50, 20], [-30, 60]])}
    (walk,) = read_walks(droidbot(tmp_path / "r", [beside], lines=True))
    (turn,) = follow(walk, program())
    assert (turn.verdict.level, turn.verdict.reasons[0].kind) == ("block", "unresolved")


@pytest.mark.parametrize(
    ("event", "words"),
    [
        ({"event_type": "touch"}, "a touch has a place"),
        ({"event_type": "touch", "x": float("inf"), "y": 1}, "without a valid place"),
        ({"event_type": "touch", "x": 1, "y": float("nan")}, "without a valid place"),
        ({"event_type": "set_text", "view": TOUCHED, "text": 5}, "text is 5"),
        ({"event_type": "long_touch", "view": TOUCHED, "duration": -1}, "duration"),
        ({"event_type": "scroll", "direction": "IN"}, "direction"),
        ({"event_type": "key", "name": None}, "the key is null"),
    ],
)
def test_an_event_that_is_none_names_its_place(tmp_path: Path, event: dict[str, Any], words: str):
    run_ = droidbot(tmp_path / "r", [EVENTS[0], event], lines=True)
    with pytest.raises(WalkError, match=f"step 2: .*{words}"):
        list(read_steps(run_))


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("events", "[]\n", "there is no object"),
        ("events", "{}\n", "an event has an object `event`"),
        ("events", "{\n", "not JSON"),
        ("states", '{"views": []}\n', "a state has a name"),
    ],
)
def test_runs_that_are_broken(tmp_path: Path, name: str, text: str, words: str):
    run_ = droidbot(tmp_path / "r", EVENTS[:1], lines=True)
    (run_ / "events.jsonl.gz").rename(run_ / "old")
    (run_ / "events.jsonl").write_bytes(gzip.decompress((run_ / "old").read_bytes()))
    (run_ / f"{name}.jsonl").write_text(text)
    with pytest.raises(WalkError, match=words):
        read_walks(run_)


# ---------------------------------------------------------------------- LlamaTouch


@pytest.mark.parametrize(
    ("text", "actions"),
    [
        ("CLICK|[0.5 0.25]|NULL|1080|2400", "tap(x = 540, y = 600)"),
        ("CLICK|[0.5,  0.25]|NULL|1080|2400\n", "tap(x = 540, y = 600)"),
        ("CLICK|[1.0, 1.0]|NULL|1080|2400", "tap(x = 1079, y = 2399)"),
        ("SWIPE|[0.8 0.5]|[0.2 0.5]|1080|2400", "swipe(x = 864, y = 1200, x2 = 216, y2 = 1200)"),
        ("TYPE|'expedia'|NULL|1080|2400", 'input_text(value = "expedia")'),
        ("TYPE|a|b|NULL|1080|2400", 'input_text(value = "a|b")'),
        ("PRESS_BACK|NULL|NULL|1080|2400", "back()"),
        ("PRESS_HOME|NULL|NULL|1080|2400", "home()"),
        ("PRESS_ENTER|NULL|NULL|1080|2400", 'press_key(key = "ENTER")'),
        ("STATUS_TASK_COMPLETE|NULL|NULL|1080|2400", "finish()"),
        ("STATUS_TASK_IMPOSSIBLE|NULL|NULL|1080|2400", 'give_up(reason = "the task was found impossible")'),
        ("WAVE|NULL|NULL|1080|2400", 'shell(command = "llamatouch \\"WAVE|NULL|NULL|1080|2400\\"")'),
        ("CLICK|[1.5 0.25]|NULL|1080|2400", None),
        ("CLICK|here|NULL|1080|2400", None),
        ("CLICK|[0.5 0.25]|NULL|wide|2400", None),
        ("CLICK", None),
        ("", None),
    ],
)
def test_actions_of_llamatouch(text: str, actions: str | None):
    if actions is None:
        with pytest.raises(WalkError):
            llamatouch_actions(text)
    else:
        assert " ".join(map(str, llamatouch_actions(text))) == actions


@pytest.mark.parametrize("flat", [True, False])
def test_a_trace_of_llamatouch(tmp_path: Path, flat: bool):
    def put(kind: str, number: int, text: str) -> None:
        name = f"{kind}_{number}.{kind}" if flat else f"{kind}/{number}.{kind}"
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)

    for number in (0, 1, 10):
        put("xml", number, XML.replace("Go", f"Go{number}"))
        put("action", number, "CLICK|[0.5 0.1]|NULL|100|200")
    put("vh", 2, json.dumps([view(-1, [[0, 0], [100, 50]])]))
    put("activity", 0, "mObscuringWindow=Window{33ca9c8 u0 a.b/a.b.Main}\n")
    (tmp_path / "instruction.txt").write_text("Do it\nmore")
    (walk,) = read_walks(tmp_path)
    assert (format_of(tmp_path), walk.task, len(walk.steps)) == ("llamatouch", "Do it", 4)
    steps = [walk.taken(index) for index in range(4)]
    texts = [s.screen.tree.nodes[0].text for s in steps if s.screen is not None]
    assert texts == ["Go0", "Go1", None, "Go10"]
    apps = [step.screen.app for step in steps if step.screen is not None]
    assert apps == [("a.b", "a.b.Main"), *[("a.b", None)] * 3]
    assert [len(step.actions) for step in steps] == [1, 1, 0, 1]


def test_a_list_of_nodes_is_a_screen(tmp_path: Path):
    (tmp_path / "2.json").write_text(
        json.dumps(
            [
                {
                    "id": 0,
                    "class": "android.widget.TextView",
                    "text": "Hi",
                    "resource-id": "",
                    "bounds": "[0,0][9,9]",
                }
            ]
        )
    )
    (step,) = read_steps(tmp_path / "2.json", package="a.b")
    assert step.screen is not None and step.screen.partial
    assert step.screen.app == ("a.b", None) and not step.actions


# ---------------------------------------------------------------------- AITZ


def aitz(**more: Any) -> dict[str, Any]:
    return {
        "episode_id": "7",
        "instruction": "open the clock",
        "ui_positions": "[[10, 20, 30, 40]]",
        "ui_text": '["Clock"]',
        "ui_types": '["TEXT"]',
        "result_action_type": 4,
        "result_action_text": "",
        "result_touch_yx": "[0.5, 0.25]",
        "result_lift_yx": "[0.51, 0.25]",
        "image_path": "a/b/../7_0.png",
        "coat_action_desc": "click on Clock",
        **more,
    }


def test_an_episode_of_aitz(tmp_path: Path):
    kinds = [5, 6, 7, 10, 11, 3, 2]
    steps = [aitz(), *(aitz(result_action_type=kind, result_action_text="hi") for kind in kinds)]
    steps.append(aitz(result_lift_yx="[0.1, 0.3]"))
    path = tmp_path / "e.json"
    path.write_text(json.dumps(steps))
    assert format_of(path) == "aitz"
    got = said(path)
    assert got[0] == "tap()"  # where it was is not known
    assert got[1:6] == [
        "back()",
        "home()",
        'press_key(key = "ENTER")',
        "finish()",
        'give_up(reason = "the task was found impossible")',
    ]
    assert got[6] == 'input_text(value = "hi")' and got[7].startswith("shell(command = ")
    assert got[8] == 'swipe(direction = "up")'
    png = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", 270, 600)
    (tmp_path / "7_0.png").write_bytes(png)
    got = said(path)
    assert got[0] == "tap(x = 67, y = 306)" and got[8] == "swipe(x = 67, y = 300, x2 = 81, y2 = 60)"
    (walk,) = read_walks(path)
    step = walk.taken(0)
    assert walk.task == "open the clock" and step.note == "click on Clock" and step.screen is not None
    assert [(n.text, n.left, n.top, n.right, n.bottom) for n in step.screen.tree.nodes] == [
        (None, 0, 0, 270, 600),
        ("Clock", 20, 10, 60, 40),
    ]


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"ui_text": "[]"}, "as many places"),
        ({"ui_positions": "[[1, 2]]"}, "four numbers"),
        ({"ui_positions": "{"}, "not JSON"),
        ({"ui_types": 4}, "not a list"),
        ({"result_touch_yx": "[2, 0]"}, "`result_touch_yx` is not a place"),
        ({"result_action_type": 3, "result_action_text": None}, "text"),
    ],
)
def test_steps_of_aitz_that_are_none(tmp_path: Path, more: dict[str, Any], words: str):
    (tmp_path / "e.json").write_text(json.dumps([aitz(), aitz(**more)]))
    with pytest.raises(WalkError, match=f"episode 7, step 2: .*{words}"):
        said(tmp_path / "e.json")


# ---------------------------------------------------------------------- the plain form


def plain(folder: Path, *steps: Any) -> Path:
    path = folder / "w.jsonl"
    path.write_text("".join(json.dumps(step) + "\n" for step in steps))
    return path


def test_steps_in_the_words_of_any_agent(tmp_path: Path):
    (tmp_path / "0.xml").write_text(XML)
    path = plain(
        tmp_path,
        {
            "screen": "0.xml",
            "app": "a.b/.Main",
            "action": {"action_type": "click", "x": 5, "y": 6},
            "task": "T",
        },
        {"screen": XML, "action": "adb shell input tap 5 6", "at": "2026-04-01T12:00:00", "note": "again"},
        {"screen": XML, "action": {"action": "tap", "id": "go"}},
        {"screen": XML, "action": {"action": "double_tap", "x": "5", "y": "6"}},
        {"screen": [{"text": "Go", "bbox_pixels": {"x_min": 0, "x_max": 9, "y_min": 0, "y_max": 9}}]},
    )
    assert said(path) == [
        "tap(x = 5, y = 6)",
        "tap(x = 5, y = 6)",
        'tap(id = "go")',
        "double_tap(x = 5, y = 6)",
        "",
    ]
    (walk,) = read_walks(path)
    assert (walk.task, walk.name, format_of(path)) == ("T", "w", "steps")
    first, second, last = walk.taken(0).screen, walk.taken(1, "c.d").screen, walk.taken(4).screen
    assert last is not None and last.partial and last.tree.nodes[-1].text == "Go"  # AndroidWorld's elements
    assert first is not None and second is not None
    assert (
        first.app == ("a.b", ".Main") and second.app == ("c.d", None) and str(second.now)[11:] == "12:00:00"
    )


@pytest.mark.parametrize(
    ("step", "words"),
    [
        ({"screen": "../x.xml"}, "outside the folder"),
        ({"screen": "none.xml"}, "cannot read none.xml"),
        ({"screen": "a\x00b"}, "is the name of no file"),
        ({"screen": "<a>"}, "not understood"),
        ({"screen": 4}, "a dump or the name"),
        ({"screen": XML, "action": {"action": "fly"}}, "no agent that is known"),
        ({"screen": XML, "action": {"action": "tap", "x": 1.5}}, "`x` is not a text, number or truth value"),
        *(
            (
                {"screen": XML, "action": {"action": "tap", "x": text, "y": 6}},
                "not a whole number in plain digits",
            )
            for text in ("1.5", "5e2", " 7", "007", "x", "true", "")
        ),
        ({"screen": XML, "at": "noon"}, "`at` is not a time"),
        ({"screen": XML, "note": 4}, "`note` is not a text"),
    ],
)
def test_steps_that_are_none(tmp_path: Path, step: dict[str, Any], words: str):
    path = plain(tmp_path, {"screen": XML}, step)
    with pytest.raises(WalkError, match=f"w.jsonl, step 2: .*{words}"):
        said(path)


def test_a_step_has_no_other_keys(tmp_path: Path):
    with pytest.raises(WalkError, match="line 1: a step has no `screens`; it has action, app, at"):
        read_walks(plain(tmp_path, {"screen": XML, "screens": 1}))


# ---------------------------------------------------------------------- journals, and any format


def test_a_journal_is_a_walk_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    taps = [{"screen": XML.replace("Go", text), "action": {"action": "tap", "id": "go"}} for text in "ab"]
    path = plain(tmp_path, *taps, {"screen": XML})
    (tmp_path / "s.vsa").write_text(SPEC)
    out = tmp_path / "out"
    assert run(["record", str(tmp_path / "s.vsa"), "--walk", str(path), "-o", str(out)]) == 0
    assert format_of(out / "w.jsonl") == "journal"
    want = [(s.screen.fingerprint if s.screen else "", s.actions) for s in read_steps(path, package="")]
    got = [(s.screen.fingerprint if s.screen else "", s.actions) for s in read_steps(out / "w.jsonl")]
    assert got == want
    again = tmp_path / "again"
    assert run(["record", str(tmp_path / "s.vsa"), "--walk", str(out / "w.jsonl"), "-o", str(again)]) == 0
    assert "w.jsonl" in capsys.readouterr().out
    one, two = read_session(out / "w.jsonl"), read_session(again / "w.jsonl")
    assert [s.level for s in one.steps] == [s.level for s in two.steps]


def test_a_journal_that_was_changed_is_no_walk(tmp_path: Path):
    walk = plain(tmp_path, {"screen": XML, "action": {"action": "back"}})
    (tmp_path / "s.vsa").write_text(SPEC)
    run(["record", str(tmp_path / "s.vsa"), "--walk", str(walk), "-o", str(tmp_path / "o")])
    path = tmp_path / "o" / "w.jsonl"
    path.write_text(path.read_text().replace("back", "home"))
    with pytest.raises(WalkError, match="changed"):
        said(path)


def test_what_no_format_recognises_says_which_there_are(tmp_path: Path):
    (tmp_path / "x").write_text("hello")
    for path in (tmp_path / "x", tmp_path):
        with pytest.raises(WalkError) as found:
            read_walks(path)
        assert all(name in str(found.value) for name in FORMATS)


def test_a_folder_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def refuse(self: Path) -> Any:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "iterdir", refuse)
    with pytest.raises(WalkError, match=r"cannot read .*: Permission denied"):
        read_walks(tmp_path)


def test_a_name_of_a_walk_cannot_leave_the_folder(tmp_path: Path):
    (tmp_path / "e.json").write_text(json.dumps([aitz(episode_id="../../etc/x")]))
    (tmp_path / "s.vsa").write_text(SPEC)
    out = tmp_path / "out"
    assert run(["record", str(tmp_path / "s.vsa"), "--walk", str(tmp_path / "e.json"), "-o", str(out)]) == 0
    assert [path.name for path in out.iterdir()] == ["e-.._.._etc_x.jsonl"]


@settings(max_examples=60)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-5, 5) | st.sampled_from(["touch", "one", "[0.5, 0.5]", XML]),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(KEYS),
                inner,
                max_size=4,
            )
        ),
        max_leaves=12,
    )
)
def test_no_data_break_a_reader(tmp_path_factory: pytest.TempPathFactory, data: Any):
    folder = tmp_path_factory.mktemp("w")
    text = json.dumps(data)
    (folder / "w.jsonl").write_text(text)
    run_ = folder / "run"
    run_.mkdir()
    for name in ("events", "states"):
        (run_ / f"{name}.jsonl").write_text(text)
    for module in FORMATS.values():
        for path in (folder / "w.jsonl", run_):
            if path.is_dir() is not (module.__name__.endswith(("droidbot", "llamatouch"))):
                continue
            try:
                for walk in module.read(path):
                    for index in range(len(walk.steps)):
                        walk.taken(index)
            except WalkError:
                pass


# ---------------------------------------------------------------------- a tree as XML


def facts(screen: TreeScreen) -> list[list[tuple[str, object]]]:
    """The nodes, but for their numbers, and whether they reach beyond what shows."""
    hidden = ("node", "parent")
    return [
        sorted((k, v) for k, v in row.items() if k not in hidden)  # type: ignore[type-var]
        for row in screen.rows("Node")
    ]


def round_trip(path: Path) -> None:
    tree = read_dump(path)
    again = load_dump(tree_xml(tree))
    assert facts(TreeScreen(again)) == facts(TreeScreen(tree)), path
    assert [w.package for w in again.windows] == [w.package for w in tree.windows]
    third = load_dump(tree_xml(again))
    assert third == load_dump(tree_xml(third))


@pytest.mark.slow
def test_every_real_dump_is_written_and_read_back(shared_data: Path):
    paths = sorted((shared_data / "ui_dumps").rglob("*.xml.gz"))
    assert len(paths) > 250
    for path in some(paths, 3):
        round_trip(path)


@given(st.text(max_size=20), st.text(max_size=20), st.booleans(), st.booleans())
def test_texts_survive(text: str, hint: str, password: bool, prompt: bool):
    from lxml import etree

    root = etree.Element("hierarchy")
    node = etree.SubElement(root, "node", bounds="[0,0][9,9]")
    try:
        for name, value in (("text", text), ("hint", hint), ("class", "android.widget.EditText")):
            node.set(name, value)
    except ValueError:
        return  # no XML can say it
    node.set("password", str(password).lower())
    node.set("showing-hint", str(prompt).lower())
    tree = load_dump(etree.tostring(root))
    assert facts(TreeScreen(load_dump(tree_xml(tree)))) == facts(TreeScreen(tree))


# ---------------------------------------------------------------------- the real ones


def test_the_other_real_trajectories_are_read_and_replay(shared_data: Path, tmp_path: Path):
    base = shared_data / "trajectories"
    paths = [
        base / "aitz_example.json.gz",
        base / "llamatouch_trace_68",
        *sorted((base / "llamatouch_eval").iterdir()),
    ]
    loaded = load_text(SPEC, file="s.vsa")
    assert loaded.program is not None
    seen = []
    for number, path in enumerate(paths):
        (walk,) = read_walks(path)
        with Journal(tmp_path / f"{number}.jsonl", sync="none") as journal:
            recorder = Recorder(journal, sources=loaded.sources, spec=loaded.file)
            turns = list(follow(walk, loaded.program, recorder=recorder))
        seen.append((format_of(path), [str(turn.action.name) for turn in turns]))
        session = read_session(tmp_path / f"{number}.jsonl")
        recorded = recorded_program(session).program
        assert recorded is not None and not replay(session, recorded).flipped
    assert seen == [
        ("aitz", ["home", "swipe", "tap", "finish"]),
        ("llamatouch", ["give_up"]),
        *[("llamatouch", [])] * 3,
    ]


@pytest.mark.soak
def test_the_events_of_droidbot_are_read(shared_data: Path):
    count, kinds = 0, set()
    runs = [path.parent for path in sorted((shared_data / "utg").glob("*/events.jsonl.gz"))]
    for path in some(runs, 4):
        steps = list(read_steps(path))
        count += len(steps) - 1
        kinds |= {action.name for step in steps for action in step.actions}
    known = {"tap", "long_press", "input_text", "swipe", "back", "shell"}
    assert (count, kinds) == (times(5000, 16709), known)


@pytest.mark.soak
def test_a_real_run_of_droidbot_is_followed_in_shadow(shared_data: Path, tmp_path: Path):
    (walk,) = read_walks(shared_data / "utg" / "bluepie.ad_silence")
    with Journal(tmp_path / "j.jsonl", sync="none") as journal:
        turns = list(follow(walk, program(), recorder=Recorder(journal)))
    assert len(turns) == 1000 and not any(turn.problem for turn in turns)
    assert sum(turn.action == Action("back") for turn in turns) == 411


def test_a_folder_of_walks_is_read_whole(tmp_path: Path):
    line = {"screen": "<hierarchy><node bounds='[0,0][9,9]'/></hierarchy>", "action": {"action": "back"}}
    for name in ("b.jsonl", "a.jsonl"):
        (tmp_path / name).write_text(json.dumps({**line, "task": name}) + "\n")
    (tmp_path / "NOTES.md").write_text("mine")
    assert [walk.task for walk in read_walks(tmp_path)] == ["a.jsonl", "b.jsonl"]
    (tmp_path / "other.json").write_text('{"some": "thing"}')
    with pytest.raises(WalkError, match=r"other\.json holds no walks.*name the files that are walks"):
        read_walks(tmp_path)
    (tmp_path / "none").mkdir()
    with pytest.raises(WalkError, match=r"none holds no walks.*Nor is there a file of walks.*name the files"):
        read_walks(tmp_path / "none")
