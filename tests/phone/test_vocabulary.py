"""Formats of actions: examples of each, round trips, anything at all, and the same gesture by every name."""

import datetime as dt
import gzip
import json
import re
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vsalang.phone.vocabulary import FORMATS, Surface, VocabularyError, detect, note_of, read, write
from vsalang.phone.vocabulary.androidworld import write_all
from vsalang.phone.vocabulary.keys import name_of, pressed
from vsalang.phone.vocabulary.verisafe import write_at
from vsalang.program.action import DEVICE_ACTIONS, GESTURES, Action
from vsalang.program.gestures.keys import CODES, character
from vsalang.program.vocabulary import ANDROID

EXAMPLES = [
    json.loads(line)
    for line in Path(__file__).with_name("action_examples.jsonl").read_text(encoding="utf-8").splitlines()
]


def number(index: int) -> dict[str, int]:
    if index > 10_000:
        raise LookupError(index)
    return {"node": index}


SURFACE = Surface(1000, 2000, number)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda e: f"{e['format']}-{str(e['said'])[:40]}")
def test_examples(example):
    found = read(example["format"], example["said"], SURFACE)
    assert [str(action) for action in found] == example["is"]
    if not isinstance(example["said"], str):
        assert read(example["format"], json.dumps(example["said"]), SURFACE) == found


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda e: f"{e['format']}-{str(e['said'])[:40]}")
def test_the_format_of_each_example_shows(example):
    said = example["said"]
    shared = said == {"action": "long_press", "index": 5}  # it is an action of the language too
    assert detect(said) == ("" if shared else example["format"])


def test_every_format_has_examples():
    assert {example["format"] for example in EXAMPLES} == set(FORMATS)
    assert len(EXAMPLES) >= 80


@pytest.mark.parametrize(
    ("format", "said", "message"),
    [
        ("androidworld", {}, "no `action_type`"),
        ("androidworld", "[]", "an action is an object"),
        ("androidworld", "{", "not JSON"),
        ("androidworld", '{"action_type": "click", "action_type": "wait"}', "is given twice"),
        ("androidworld", {"action_type": "click"}, "an index, or x and y"),
        ("androidworld", {"action_type": "click", "index": 1, "x": 2}, "must be one of them"),
        ("androidworld", {"action_type": "click", "index": -1}, "not a number of an element"),
        ("androidworld", {"action_type": "click", "index": 99999}, "there is no element"),
        ("androidworld", {"action_type": "click", "x": 1, "y": 2, "button": "right"}, "has no `button`"),
        ("androidworld", {"action_type": "scroll", "direction": "in"}, "one of up, down, left, right"),
        ("androidworld", {"action_type": "open_app"}, "not a text"),
        ("androidworld", {"action_type": "press_keyboard", "keycode": "KEYCODE_X1"}, "there is no key"),
        ("androidworld", '{"action_type": "click", "x": NaN, "y": 2}', "NaN is not a number"),
        ("m3a", "Reason: x", "one `Action:`"),
        ("m3a", 'Action: {"action_type": "wait"}\nAction: {"action_type": "click"}', "this has several"),
        ("mobilerun", {"action": "click_at", "x": -1, "y": 2}, "lies on no screen"),
        ("mobilerun", {"action": "swipe", "coordinate": [1], "coordinate2": [1, 2]}, "a pair of numbers"),
        ("mobilerun", {"action": "system_button", "button": "power"}, "back, home and enter"),
        ("mobilerun", {"name": "click", "args": {}, "arguments": {}}, "its arguments twice"),
        (
            "mobile-use",
            {"name": "tap", "args": {"target": {"text": "OK", "text_index": 2}}},
            "give its coordinates",
        ),
        ("m3a", "Action: {'action_type': 'wait', 'action_type': 'click'}", "a key twice"),
        ("m3a", "Action: {'action_type': open('x')}", "not an object"),
        ("m3a", 'Action: {"action_type": "wait"} or {"action_type": "click"}', "this has several"),
        ("mobile-use", {"name": "tap", "args": {}}, "needs a target"),
        (
            "mobile-use",
            {"name": "tap", "args": {"selector_request": {"id": "a", "resource_id": "b"}}},
            "a selector with two ids",
        ),
        ("mobile-use", {"name": "open_link", "args": {"url": "x y"}}, "is not a link"),
        ("verisafe", {"type": "finish", "status": "no"}, "one of complete"),
        ("uiautomator2", [{"method": "click"}], "several calls"),
        ("adb", "input tap 1", "not understood"),
        ("adb", "sh -c x", "not seen here"),
        ("adb", "input tap 1 2 &", "`&`"),
        ("adb", {"x": 1}, "a command is a text"),
        ("telepathy", "x", "there is no format 'telepathy'; there are adb,"),
    ],
)
def test_errors_say_what_is_wrong(format, said, message):
    with pytest.raises(VocabularyError, match=re.escape(message)):
        read(format, said, SURFACE)


def test_numbers_of_elements_need_the_agents_list():
    with pytest.raises(VocabularyError, match=r"give the place \(x and y\)"):
        read("verisafe", {"type": "click", "index": 3})


# ---- every alias is the same gesture -----------------------------------------------------------------------------

SAME = {
    "tap": [
        ("adb", "input tap 5 6"),
        ("adb", "cmd input tap 5 6"),
        ("adb", "input swipe 5 6 5 6 50"),
        ("adb", "input mouse tap 5 6"),
        ("adb", "input swipe 5 6 7 8 100"),
        ("adb", "adb shell input tap 5 6"),
        ("androidworld", {"action_type": "click", "x": 5, "y": 6}),
        ("mobilerun", {"action": "click_at", "x": 5, "y": 6}),
        ("uiautomator2", {"method": "click", "params": [5, 6]}),
        ("uiautomator2", {"method": "swipe", "params": [5, 6, 5, 6, 10]}),
        (
            "mobile-use",
            {"name": "tap", "args": {"target": {"coordinates": {"x": 4, "y": 5, "width": 2, "height": 2}}}},
        ),
    ],
    "long_press": [
        ("adb", "input swipe 5 6 5 6 1000"),
        ("adb", "input touchscreen swipe 5 6 5 6 2000"),
        ("adb", "input draganddrop 5 6 5 6 100"),
        ("androidworld", {"action_type": "long_press", "x": 5, "y": 6}),
        ("mobilerun", {"action": "swipe", "coordinate": [5, 6], "coordinate2": [5, 6]}),
        ("uiautomator2", {"method": "click", "params": [5, 6, 800]}),
        ("uiautomator2", {"method": "swipe", "params": [5, 6, 5, 6, 200]}),
    ],
    "enter": [
        ("adb", "input keyevent 66"),
        ("adb", "input keyevent KEYCODE_ENTER"),
        ("adb", "input keyevent enter"),
        ("adb", "am broadcast -a ADB_EDITOR_CODE --ei code 2"),
        ("adb", "am broadcast -a ADB_KEYBOARD_SMART_ENTER"),
        ("adb", "am broadcast -a ADB_INPUT_CODE --ei code 66"),
        ("androidworld", {"action_type": "keyboard_enter"}),
        ("mobilerun", {"action": "system_button", "button": "enter"}),
        ("verisafe", {"type": "keyboard_enter"}),
        ("mobile-use", {"name": "press_key", "args": {"key": "Enter"}}),
        ("uiautomator2", {"method": "pressKey", "params": ["enter"]}),
        ("uiautomator2", {"method": "pressKeyCode", "params": [66]}),
    ],
    "typing": [
        ("adb", "input text hi"),
        ("adb", "am broadcast -a ADB_INPUT_TEXT --es msg hi"),
        ("adb", "am broadcast -a ADB_INPUT_B64 --es msg aGk="),
        ("adb", "am broadcast -a clipper.set -e text hi"),
        ("adb", "am broadcast -a ADB_KEYBOARD_INPUT_TEXT --es text aGk="),
        ("adb", "am broadcast -a ADB_INPUT_CHARS --eia chars 104,105"),
        (
            "adb",
            "content insert --uri content://com.droidrun.portal/keyboard/input "
            "--bind base64_text:s:aGk= --bind clear:b:false",
        ),
        ("mobilerun", {"action": "type", "text": "hi"}),
        ("uiautomator2", {"method": "setClipboard", "params": [None, "hi"]}),
    ],
    "a link": [
        ("adb", "am start -a android.intent.action.VIEW -d https://x.org"),
        ("adb", "cmd activity start-activity -a 'android.intent.action.VIEW' -d \"https://x.org\""),
        ("mobile-use", {"name": "open_link", "args": {"url": "https://x.org"}}),
    ],
    "back": [
        ("adb", "input keyevent 4"),
        ("androidworld", {"action_type": "navigate_back"}),
        ("verisafe", {"type": "navigate_back"}),
        ("mobile-use", {"name": "back", "args": {}}),
        ("uiautomator2", {"method": "pressKey", "params": ["back"]}),
    ],
}


@pytest.mark.parametrize("gesture", SAME)
def test_every_alias_is_the_same_gesture(gesture):
    found = [read(format, said, SURFACE) for format, said in SAME[gesture]]
    assert [each for each in found if each != found[0]] == []


# ---- round trips -------------------------------------------------------------------------------------------------

pixels = st.integers(0, 4000)
times = st.integers(1, 2000).map(lambda n: dt.timedelta(milliseconds=5 * n))
places = st.fixed_dictionaries({"x": pixels, "y": pixels})
packages = st.from_regex(r"[a-z][a-z0-9_]{0,5}(\.[a-z0-9_]{1,5}){1,3}", fullmatch=True)
said = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1, max_size=20)
moves = st.tuples(pixels, pixels, pixels, pixels, times).filter(
    lambda m: (m[0] - m[2]) ** 2 + (m[1] - m[3]) ** 2 > 64
)
ACTIONS = st.one_of(
    st.builds(Action, st.sampled_from(["tap", "double_tap", "long_press"]), places),
    moves.map(lambda m: Action("swipe", dict(zip(("x", "y", "x2", "y2", "duration"), m, strict=True)))),
    st.builds(Action, st.sampled_from(["back", "home", "clear_text", "finish"])),
    st.builds(lambda key: Action("press_key", {"key": key}), st.sampled_from(sorted(CODES))),
    st.builds(lambda package: Action("open_app", {"package": package}), packages),
    st.builds(lambda name: Action("open_app", {"name": name}), st.sampled_from(["Clock", "My Files"])),
    st.builds(lambda text: Action("input_text", {"value": text}), said),
    st.builds(lambda text: Action("input_text", {"focused": True, "value": text}), said),
    st.builds(lambda text, at: Action("input_text", {**at, "value": text}), said, places),
    st.builds(lambda time: Action("wait", {"duration": time}), times),
    st.builds(lambda text: Action("answer", {"text": text}), said),
    st.builds(
        lambda way: Action("scroll", {"direction": way}), st.sampled_from(["up", "down", "left", "right"])
    ),
    st.builds(
        lambda way: Action("swipe", {"direction": way}), st.sampled_from(["up", "down", "left", "right"])
    ),
)


@pytest.mark.parametrize("format", FORMATS)
@given(action=ACTIONS)
def test_what_is_written_is_read_as_the_same(format, action):
    try:
        written = write(format, action)
    except VocabularyError:
        return
    found = read(format, written, SURFACE)
    if format == "adb" and action.name == "double_tap":
        assert found == (Action("tap", action.args), Action("tap", action.args))
    elif action.name == "press_key":
        assert found == pressed(action.args["key"])
    elif format in ("androidworld", "m3a") and action.name == "wait":
        assert found == (Action("wait", {"duration": dt.timedelta(seconds=1)}),)
    elif action.name == "swipe" and len(found) == 2:  # it begins as a long press
        assert action.args["duration"] >= dt.timedelta(milliseconds=500)
        assert found == (Action("long_press", {"x": action.args["x"], "y": action.args["y"]}), action)
    else:
        assert found == (action,)


def test_each_format_can_say_something():
    for format in FORMATS:
        assert write(format, Action("finish" if format == "droidtask" else "back"))
        with pytest.raises(VocabularyError, match="cannot say"):
            write(format, Action("Reserve", {"date": dt.date(2026, 4, 1)}))


@given(places, said, st.booleans())
def test_typing_in_androidworld_is_three_actions(at, text, clear):
    actions = (Action("input_text", {**at, "value": text}), Action("press_key", {"key": "ENTER"}))
    if clear:
        actions = (Action("clear_text", at), *actions)
    assert read("androidworld", write_all(actions)) == actions


@pytest.mark.parametrize(
    ("name", "more"),
    [("tap", {}), ("long_press", {}), ("input_text", {"value": "R"}), ("scroll", {"direction": "down"})],
)
def test_verisafe_writes_the_number_of_an_element(name, more):
    numbered = Surface(element=lambda number: {"node": number})
    assert read("verisafe", write_at(Action(name, more), 4), numbered) == (Action(name, {"node": 4, **more}),)
    with pytest.raises(VocabularyError, match="cannot say"):
        write_at(Action("swipe"), 4)


# ---- anything at all ---------------------------------------------------------------------------------------------

values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=10)
    | st.sampled_from(["click", "up", "1"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=10,
)
KEYS = sorted(
    {key for e in EXAMPLES if isinstance(e["said"], dict) for key in e["said"]} | {"target", "swipe_request"}
)
NAMES = sorted(
    {
        str(v)
        for e in EXAMPLES
        if isinstance(e["said"], dict)
        for v in e["said"].values()
        if isinstance(v, str)
    }
)


@st.composite
def mutants(draw):
    """An example with a part of it changed."""
    example = draw(st.sampled_from(EXAMPLES))
    data = example["said"]
    if isinstance(data, str):
        at = draw(st.integers(0, len(data)))
        return example["format"], data[:at] + draw(st.text(max_size=5)) + data[at + draw(st.integers(0, 4)) :]
    data = json.loads(json.dumps(data))
    inner = data
    while draw(st.booleans()) and any(isinstance(v, dict) for v in inner.values()):
        inner = next(v for v in inner.values() if isinstance(v, dict))
    key = draw(st.sampled_from([*inner, "x", "index", "zz"]))
    if draw(st.booleans()):
        inner.pop(key, None)
    else:
        inner[key] = draw(values | st.sampled_from(NAMES))
    return example["format"], data


ALLOWED = GESTURES | DEVICE_ACTIONS


def check(format, data):
    try:
        found = read(format, data, SURFACE)
    except VocabularyError as error:
        assert str(error)
        return
    for action in found:
        assert action.name in ALLOWED
        assert set(action.args) <= {attr.name for attr in ANDROID[action.name].attrs}
    assert detect(data) in ("", *FORMATS)
    assert isinstance(note_of(data), str)


@given(mutants())
def test_mutated_examples_are_read_or_refused(mutant):
    check(*mutant)


@pytest.mark.slow
@given(
    st.sampled_from(sorted(FORMATS)),
    values | st.dictionaries(st.sampled_from(KEYS), values | st.sampled_from(NAMES)),
)
def test_any_data_are_read_or_refused(format, data):
    check(format, data)


@given(st.sampled_from(sorted(FORMATS)), st.text(max_size=60) | values.map(json.dumps))
def test_any_text_is_read_or_refused(format, text):
    check(format, text)


def test_keys_are_those_of_android():
    assert (
        CODES["ENTER"] == 66
        and CODES["APP_SWITCH"] == 187
        and CODES["VOLUME_MUTE"] == 164
        and CODES["F12"] == 142
    )
    assert len(set(CODES.values())) == len(CODES)
    assert name_of("keycode_enter") == name_of(66) == name_of("66") == "ENTER"
    assert name_of("KEYCODE_7") == name_of(14) == "7" and name_of("7") == "0"
    assert character("A") == "a" and character("PLUS") == "+" and character("ENTER") is None
    for other in ("NUMPAD_5", 149, "BUTTON_A", "KEYCODE_BUTTON_MODE"):  # Android makes another key of it
        with pytest.raises(VocabularyError, match="another key"):
            name_of(other)


# ---- recorded walks ----------------------------------------------------------------------------------------------


def test_recorded_walks_read(shared_data):
    """All 739 recorded steps; each target is found in the state that was recorded with it."""
    kinds: Counter[str] = Counter()
    tasks = 0
    for path in sorted((shared_data / "trajectories" / "droidtask").glob("*.jsonl.gz")):
        for line in gzip.decompress(path.read_bytes()).decode().splitlines():
            tasks += 1
            for record in json.loads(line)["records"]:
                ids = {int(found) for found in re.findall(r"<\w[^>]* id='(\d+)'", record["State"] or "")}

                def find(index: int, ids: set[int] = ids) -> dict[str, int]:
                    if index not in ids:
                        raise LookupError(index)
                    return {"node": index}

                assert detect(record) == "droidtask"
                kinds.update(action.name for action in read("droidtask", record, Surface(element=find)))
    assert tasks == 158
    assert kinds.total() == 739
    assert kinds["tap"] + kinds["finish"] == 675
    assert kinds["input_text"] == 40
    assert kinds["scroll"] == 24
    assert kinds["finish"] == 158
