"""Log and journal name what was touched by its label; coordinates where nothing is known of the place."""

import io
import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vsalang.guard.say.touched import gesture_text, touched_text
from vsalang.program.action import Action
from vsalang.screen.secrets import KINDS, RedactedStream, Redactor

POINT = Action("tap", {"x": 1017, "y": 201})
BUTTON = {"class": "android.widget.Button", "clickable": True}


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        ({**BUTTON, "label": "Save"}, 'tap "Save"'),
        ({**BUTTON, "text": "Save"}, 'tap "Save"'),
        ({**BUTTON, "desc": "More options", "id": "more"}, 'tap "More options"'),
        ({**BUTTON, "id": "save_button"}, 'tap id "save_button"'),
        ({"class": "android.widget.Switch", "clickable": True, "label": "Wi-Fi"}, 'tap switch "Wi-Fi"'),
        ({"class": "androidx.appcompat.widget.SwitchCompat", "label": "Wi-Fi"}, 'tap switch "Wi-Fi"'),
        (
            {"class": "android.widget.EditText", "clickable": True, "label": "Name", "text": "Ann"},
            'tap field "Name"',
        ),
        (
            {"class": "android.widget.EditText", "text": "hunter2", "id": "password"},
            'tap field id "password"',
        ),
        (
            {"class": "android.view.View", "clickable": False, "label": "all that is on the page"},
            "tap x 1017, y 201",
        ),
        (
            {"class": "android.view.View", "clickable": False, "label": "Save, Cancel", "text": "Save"},
            'tap "Save"',
        ),
        ({**BUTTON, "label": "  "}, "tap x 1017, y 201"),
        ({}, "tap x 1017, y 201"),
    ],
)
def test_a_touch_is_named_by_its_label(cells: dict[str, object], words: str) -> None:
    assert gesture_text(POINT.name, POINT.args, touched_text(POINT, cells)) == words  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("action", "words"),
    [
        (Action("tap", {"node": 98}), 'tap "Save"'),
        (Action("long_press", {"x": 1, "y": 2}), 'long_press "Save"'),
        (Action("input_text", {"x": 1, "y": 2, "value": "Ann"}), 'input_text "Save", value "Ann"'),
        (Action("tap", {"id": "save"}), 'tap id "save"'),  # it is named already
        (Action("tap", {"text": "Save"}), 'tap text "Save"'),
        (Action("swipe", {"x": 1, "y": 2, "x2": 1, "y2": 9}), "swipe x 1, y 2, x2 1, y2 9"),
        (Action("back"), "back"),
        (Action("open_app", {"package": "com.a"}), 'open_app package "com.a"'),
        (Action("finish"), "finish"),
    ],
)
def test_only_places_and_numbers_are_replaced(action: Action, words: str) -> None:
    touched = touched_text(action, {**BUTTON, "label": "Save"})  # type: ignore[arg-type]
    assert gesture_text(action.name, action.args, touched) == words


@given(st.text(min_size=1))
def test_a_label_stays_one_quoted_line(label: str) -> None:
    """Text of an app neither steers the terminal nor looks like the log's own words."""
    text = touched_text(POINT, {**BUTTON, "label": label})  # type: ignore[arg-type]
    if not label.strip():
        assert text == ""
        return
    assert text[0] == text[-1] == '"' and len(text) <= 42 and text.isprintable()
    assert '"' not in text[1:-1].replace("\\\\", "").replace('\\"', "")


SPEC = str(Path(__file__).resolve().parents[2] / "app_specs" / "examples" / "reserve_r.vsa")


def test_the_log_and_the_journal_name_the_control(
    vsac: Callable[..., CompletedProcess[str]], tmp_path: Path
) -> None:
    agent = tmp_path / "agent.jsonl"
    places = [(300, 420), (300, 900), (5, 5)]
    agent.write_text("".join(json.dumps({"action": "tap", "x": x, "y": y}) + "\n" for x, y in places))
    options = ("run", SPEC, "--device", "sim:restaurant", "--open", "com.opentable", "--agent", str(agent))
    log = vsac(*options, "--journal", str(tmp_path / "a.jsonl")).stdout
    shown = vsac("journal", "show", str(tmp_path / "a.jsonl")).stdout
    for text in (log, shown):
        assert 'tap "R, Modern European, 12 Garden Street' in text
        assert 'tap "19:30"' in text
        assert "x 300" not in text and "x = 300" not in text
    assert "tap x 5, y 5" in log and "tap(x = 5, y = 5)" in shown
    steps = vsac(*options, "--journal", str(tmp_path / "b.jsonl"), "--format", "json").stdout.splitlines()
    second = [json.loads(line) for line in steps if '"step"' in line][1]
    assert second["proposed"] == {"action": "tap", "x": 300, "y": 900} and second["touched"] == '"19:30"'


def test_secrets_in_labels_are_replaced() -> None:
    """In a journal and in the log as in whatever else is written."""
    touched = touched_text(POINT, {**BUTTON, "label": "Pay with 4111 1111 1111 1111"})
    redactor = Redactor(KINDS)
    out = io.StringIO()
    RedactedStream(out, redactor).write(gesture_text("tap", POINT.args, touched) + "\n")
    record = json.dumps(redactor.record({"verdict": {"touched": touched}}), ensure_ascii=False)
    for text in (out.getvalue(), record):
        assert "4111" not in text and "«card 1»" in text
