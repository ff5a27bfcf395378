"""`std.contracts`: each expectation is met, violated and inconclusive where it says so; and it takes nothing back."""

from pathlib import Path
from typing import Any

import pytest

from vsalang.core.action import Action
from vsalang.core.values import Value
from vsalang.core.vocabulary import VOCABULARY
from vsalang.guard import Guard, Settings
from vsalang.guard.fact_screen import FactScreen
from vsalang.semantics import load, load_text

SPEC = 'spec a "Do it"\nimport std.contracts\ndone when Toast(text = "ok").\n'
APP = "com.example.notes"
FIELD: dict[str, Value] = {"id": "f", "resource_id": f"{APP}:id/f", "editable": True, "password": False}
OTHER: dict[str, Value] = {"id": "g", "resource_id": f"{APP}:id/g", "editable": True, "password": False}
BOX: dict[str, Value] = {"class": "CheckBox", "label": "Milk", "checkable": True, "left": 0, "right": 99}


def screen(*nodes: dict[str, Value], app: str = APP) -> FactScreen:
    made = FactScreen().seen(VOCABULARY["App"], {"package": app})
    for number, cells in enumerate(nodes, 1):
        made = made.seen(
            VOCABULARY["Node"],
            {"node": number, "package": app, "enabled": True, "scrollable": False, **cells},
        )
    return made


def box(top: int, checked: bool, **more: Value) -> dict[str, Value]:
    return {**BOX, "top": top, "bottom": top + 50, "checked": checked, **more}


def outcomes(before: FactScreen, action: str, args: dict[str, Any], after: FactScreen) -> dict[str, str]:
    """What became of each contract that the action had: its id -> met, violated, inconclusive."""
    loaded = load_text(SPEC)
    assert loaded.program is not None, [d.message for d in loaded.diagnostics]
    guard = Guard(loaded.program, settings=Settings(unknown_screen="allow"))
    guard.observe(before)
    verdict = guard.propose(Action(action, args))
    assert verdict.level == "allow", verdict.reasons
    guard.commit(verdict)
    observed = guard.observe(after)
    return {contract.rule: contract.outcome for contract in observed.contracts}


TYPED = {"id": "f", "value": "tea"}
EMPTY = screen({**FIELD, "length": 0})
SECRET: dict[str, Value] = {**FIELD, "password": True}


@pytest.mark.parametrize(
    ("before", "action", "args", "after", "wanted"),
    [
        # ---- typing
        (EMPTY, "input_text", TYPED, screen({**FIELD, "focused": True, "text": "tea"}), "met"),
        (EMPTY, "input_text", TYPED, screen({**FIELD, "focused": True, "text": "milk tea"}), "violated"),
        (EMPTY, "input_text", TYPED, screen({**FIELD, "focused": True, "length": 0}), "inconclusive"),
        (EMPTY, "input_text", TYPED, screen({**FIELD, "text": "milk"}), "inconclusive"),
        (EMPTY, "input_text", TYPED, screen({**OTHER, "focused": True, "text": "milk"}), "inconclusive"),
        (EMPTY, "input_text", TYPED, screen(), "inconclusive"),
        # boxes of one name for the digits of a code: the focus moves on to the next, which is empty
        (
            EMPTY,
            "input_text",
            {"id": "f", "value": "1"},
            screen({**FIELD, "text": "1"}, {**FIELD, "focused": True, "length": 0}),
            "inconclusive",
        ),
        # ---- passwords
        (screen(SECRET), "input_text", TYPED, screen({**SECRET, "focused": True, "length": 3}), "met"),
        (screen(SECRET), "input_text", TYPED, screen({**SECRET, "focused": True, "length": 0}), "violated"),
        (screen(SECRET), "input_text", TYPED, screen(SECRET), "inconclusive"),
        # ---- clearing
        (EMPTY, "clear_text", {"id": "f"}, screen({**FIELD, "focused": True, "length": 0}), "met"),
        (EMPTY, "clear_text", {"id": "f"}, screen({**FIELD, "focused": True, "length": 2}), "violated"),
        (EMPTY, "clear_text", {"id": "f"}, screen(FIELD), "inconclusive"),
        # ---- boxes
        (screen(box(10, False)), "tap", {"label": "Milk"}, screen(box(10, True)), "met"),
        (screen(box(10, False)), "tap", {"label": "Milk"}, screen(box(10, False)), "violated"),
        (screen(box(10, False)), "tap", {"label": "Milk"}, screen(), "inconclusive"),
        # it moved, and another one is where it was
        (
            screen(box(10, False), box(60, False, label="Tea")),
            "tap",
            {"label": "Milk"},
            screen(box(10, False, label="Tea"), box(60, True)),
            "inconclusive",
        ),
        # ---- boxes that are on
        (screen(box(10, True)), "tap", {"label": "Milk"}, screen(box(10, False)), "met"),
        (screen(box(10, True)), "tap", {"label": "Milk"}, screen(box(10, True)), "violated"),
        (screen(box(10, True)), "tap", {"label": "Milk"}, screen(), "inconclusive"),
        # ---- opening an app
        (screen(), "open_app", {"package": "com.other"}, screen(app="com.other"), "met"),
        (screen(), "open_app", {"package": "com.other"}, screen(), "violated"),
        (screen(), "open_app", {"package": "com.other"}, FactScreen(), "inconclusive"),
        # ---- home
        (screen(), "home", {}, screen(app="com.android.launcher3"), "met"),
        (screen(), "home", {}, screen(), "violated"),
        (screen(), "home", {}, FactScreen(), "inconclusive"),
    ],
)
def test_what_came_of_it(
    before: FactScreen, action: str, args: dict[str, Any], after: FactScreen, wanted: str
) -> None:
    assert list(outcomes(before, action, args, after).values()) == [wanted]


@pytest.mark.parametrize(
    ("before", "action", "args"),
    [
        (screen(box(10, True, **{"class": "RadioButton"})), "tap", {"label": "Milk"}),  # a choice stays on
        (screen({"label": "Milk", "clickable": True}), "tap", {"label": "Milk"}),
        (EMPTY, "back", {}),
        (screen(app="com.android.launcher3"), "home", {}),  # it may show already
        (EMPTY, "wait", {}),
    ],
)
def test_nothing_is_expected_of_others(before: FactScreen, action: str, args: dict[str, Any]) -> None:
    assert outcomes(before, action, args, screen()) == {}


def test_a_violated_one_takes_no_action_back(tmp_path: Path) -> None:
    """A licence that was used stays used: these contracts speak of gestures only."""
    (tmp_path / "notes.vsa").write_text(
        f'app notes package "{APP}" "Notes"\naction Tick\nrecognize Tick when tap(label = "Milk").\n'
    )
    (tmp_path / "a.vsa").write_text(
        'spec a "Tick"\nimport notes\nimport std.contracts\nallow Tick.\ndone when Tick earlier.\n'
    )
    program = load(tmp_path / "a.vsa").program
    assert program is not None
    guard = Guard(program, settings=Settings(unknown_screen="allow"))
    guard.observe(screen(box(10, False)))
    guard.commit(guard.propose(Action("tap", {"label": "Milk"})))
    observed = guard.observe(screen(box(10, False)))
    assert [contract.outcome for contract in observed.contracts] == ["violated"]
    again = guard.propose(Action("tap", {"label": "Milk"}))
    assert again.level == "block"
    assert again.because("licence")
