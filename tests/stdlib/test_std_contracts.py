"""`std.contracts`: each expectation is met, violated and inconclusive where it says so; and it takes nothing back."""

from pathlib import Path
from typing import Any

import pytest

from benchmarks.measure.experiment import standard
from tests.screen.control.making import listed, node, page
from vsalang.guard import Guard, ObservationResult, Settings
from vsalang.language.semantics import load
from vsalang.program.action import Action
from vsalang.program.ir import Program
from vsalang.screen.screen import TreeScreen

APP = "com.app"
ID = f"{APP}:id/f"


@pytest.fixture(scope="module")
def program() -> Program:
    return standard()


def screen(*nodes: str, app: str | None = APP, partial: bool = False) -> TreeScreen:
    front = None if app is None else (app, None)
    return TreeScreen(page(*nodes), app=front, partial=partial)


def field(text: str = "", **more: str) -> str:
    return node("EditText", at=(0, 100, 900, 190), text=text, resource_id=ID, clickable="true", **more)


def box(checked: bool, label: str = "Milk", cls: str = "CheckBox", y: int = 300) -> str:
    at, on = (0, y, 900, y + 90), str(checked).lower()
    return node(cls, at=at, text=label, checkable="true", clickable="true", checked=on)


def tabs(chosen: int) -> str:
    """A bar of two tabs; 0: it does not say which one is selected."""
    made = (
        node(
            "Tab",
            at=(400 * n, 0, 400 * n + 400, 90),
            text=f"Page {n}",
            clickable="true",
            selected=str(n == chosen).lower(),
        )
        for n in (1, 2)
    )
    return node("TabLayout", *made, at=(0, 0, 900, 90))


def button(text: str = "Go", cls: str = "Button") -> str:
    return node(cls, at=(0, 500, 900, 590), text=text, clickable="true", resource_id=f"{APP}:id/go")


def observed(program: Program, before: TreeScreen, action: Action, after: TreeScreen) -> ObservationResult:
    guard = Guard(program, settings=Settings(unknown_screen="allow"))
    guard.observe(before)
    verdict = guard.propose(action)
    assert verdict.level == "allow", verdict.reasons
    guard.commit(verdict)
    return guard.observe(after)


TYPED = ("input_text", {"id": "f", "value": "tea"})
SECRET = {"password": "true"}
PROMPT = {"hint": "Your name", "showing-hint": "true"}
HINT = {"hint": "Your name"}
MILK = ("tap", {"label": "Milk"})
GO = ("tap", {"id": "go"})


def said(text: str, at: int = 700, **more: str) -> str:
    return node("TextView", at=(0, at, 900, at + 40), text=text, **more)


def ad(*lines: str, **more: str) -> str:
    kids = [said(line, 800 + 40 * n) for n, line in enumerate(lines)]
    return node("FrameLayout", *kids, at=(0, 800, 900, 900), **more)


def form(*kids: str) -> str:
    return node("LinearLayout", *kids, at=(0, 0, 900, 900), resource_id=f"{APP}:id/form")


def _form(text: str) -> str:
    return form(field(text), said("Your tea", 200), said("Your name", 240))


AD = {"resource_id": f"{APP}:id/ad_container"}
PAGE = [said(f"Result {n}", 300 + 20 * n) for n in range(12)]
FORM, FORM_TYPED = _form(""), _form("tea")
FOUND = listed("Milk", "Oats", "Rice", top=200), listed("Tea", "Teapot", "Steak", "Teak", "Oat tea", top=200)
ALONE, ALONE_TYPED = form(field()), form(field("tea"))
BY_ITSELF = [
    (said("12:04"), said("12:05"), "inconclusive"),
    (
        said("9:59 pm", resource_id=f"{APP}:id/clock"),
        said("10:00 pm", resource_id=f"{APP}:id/clock"),
        "inconclusive",
    ),
    (said("Sent 5 min ago"), said("Sent 6 min ago"), "inconclusive"),
    (said("12:04"), said("12:05") + said("Saved", 740), "met"),
    (said("12:04"), said("Saved at 12:05"), "met"),
    (ad("Shoes", **AD), ad("Cars", "Now cheaper", **AD), "inconclusive"),
    (ad("Sponsored", "Shoes"), ad("Sponsored", "Cars"), "inconclusive"),
    (said("Shoes"), said("Cars"), "met"),
    ("", said("Something went wrong"), "inconclusive"),
    (
        "",
        said("Notes keeps stopping") + said("Close app", 740, resource_id="android:id/aerr_close"),
        "inconclusive",
    ),
    ("", said("Erneut versuchen"), "inconclusive"),
    (
        said("Status", resource_id=f"{APP}:id/s"),
        said("Upload failed", resource_id=f"{APP}:id/s"),
        "inconclusive",
    ),
    (said("Upload failed"), "", "met"),
    ("", said("Signal", package="com.android.systemui"), "inconclusive"),
]


@pytest.mark.parametrize(
    ("contract", "before", "act", "after", "wanted"),
    [
        # ---- typing
        ("STD-FIELD-TYPED", screen(field()), TYPED, screen(field("tea")), "met"),
        ("STD-FIELD-TYPED", screen(field("milk")), TYPED, screen(field("tea")), "met"),
        ("STD-FIELD-TYPED", screen(field()), TYPED, screen(field("milk tea")), "violated"),
        ("STD-FIELD-TYPED", screen(field()), TYPED, screen(field("te")), "violated"),
        ("STD-FIELD-TYPED", screen(field("milk")), TYPED, screen(field("milktea")), "violated"),
        ("STD-FIELD-TYPED", screen(field("milk", **HINT)), TYPED, screen(field("milk", **HINT)), "violated"),
        # the field never says what it holds
        ("STD-FIELD-TYPED", screen(field()), TYPED, screen(field()), "inconclusive"),
        ("STD-FIELD-TYPED", screen(field(**PROMPT)), TYPED, screen(field(**PROMPT)), "inconclusive"),
        # what it shows may be its prompt
        ("STD-FIELD-TYPED", screen(field("Name")), TYPED, screen(field("Name")), "inconclusive"),
        ("STD-FIELD-TYPED", screen(field("0.0")), TYPED, screen(field("Degrees")), "inconclusive"),
        ("STD-FIELD-TYPED", screen(field()), TYPED, screen(), "inconclusive"),
        # ---- passwords
        ("STD-FIELD-PASSWORD", screen(field(**SECRET)), TYPED, screen(field("•••", **SECRET)), "met"),
        ("STD-FIELD-PASSWORD", screen(field("•", **SECRET)), TYPED, screen(field(**SECRET)), "violated"),
        (
            "STD-FIELD-PASSWORD",
            screen(field("•••", **SECRET)),
            TYPED,
            screen(field("•••", **SECRET)),
            "inconclusive",
        ),
        ("STD-FIELD-PASSWORD", screen(field(**SECRET)), TYPED, screen(field(**SECRET)), "inconclusive"),
        # ---- clearing
        ("STD-FIELD-CLEARED", screen(field("tea")), ("clear_text", {"id": "f"}), screen(field()), "met"),
        (
            "STD-FIELD-CLEARED",
            screen(field("tea", **HINT)),
            ("clear_text", {"id": "f"}),
            screen(field("t", **HINT)),
            "violated",
        ),
        (
            "STD-FIELD-CLEARED",
            screen(field("tea")),
            ("clear_text", {"id": "f"}),
            screen(field("Name")),
            "inconclusive",
        ),
        ("STD-FIELD-CLEARED", screen(field("tea")), ("clear_text", {"id": "f"}), screen(), "inconclusive"),
        # ---- boxes
        ("STD-TOGGLED", screen(box(False)), MILK, screen(box(True)), "met"),
        ("STD-TOGGLED", screen(box(True)), MILK, screen(box(False)), "met"),
        ("STD-TOGGLED", screen(box(False)), MILK, screen(box(False)), "violated"),
        ("STD-TOGGLED", screen(box(True)), MILK, screen(box(True)), "violated"),
        ("STD-TOGGLED", screen(box(False)), MILK, screen(), "inconclusive"),
        # it moved, and another one is where it was
        (
            "STD-TOGGLED",
            screen(box(False), box(False, "Tea", y=400)),
            MILK,
            screen(box(False, "Tea"), box(True, y=400)),
            "met",
        ),
        # the row next to it changed
        (
            "STD-TOGGLED",
            screen(box(False), box(False, "Tea", y=400)),
            MILK,
            screen(box(False), box(True, "Tea", y=400)),
            "violated",
        ),
        # it is now one of two that look alike
        ("STD-TOGGLED", screen(box(False)), MILK, screen(box(True), box(False, y=400)), "inconclusive"),
        # ---- choices
        (
            "STD-CHOSEN",
            screen(box(False, cls="RadioButton")),
            MILK,
            screen(box(True, cls="RadioButton")),
            "met",
        ),
        (
            "STD-CHOSEN",
            screen(box(False, cls="RadioButton")),
            MILK,
            screen(box(False, cls="RadioButton")),
            "violated",
        ),
        ("STD-CHOSEN", screen(box(False, cls="RadioButton")), MILK, screen(button()), "inconclusive"),
        # ---- tabs
        ("STD-TAB-SELECTED", screen(tabs(1)), ("tap", {"text": "Page 2"}), screen(tabs(2)), "met"),
        ("STD-TAB-SELECTED", screen(tabs(1)), ("tap", {"text": "Page 2"}), screen(tabs(1)), "violated"),
        ("STD-TAB-SELECTED", screen(tabs(1)), ("tap", {"text": "Page 2"}), screen(button()), "inconclusive"),
        # ---- lists
        (
            "STD-SCROLLED",
            screen(listed("A", "B", "C", "D", top=50)),
            ("scroll", {"id": "list", "direction": "down"}),
            screen(listed("B", "C", "D", "E", top=50)),
            "met",
        ),
        (
            "STD-SCROLLED",
            screen(listed("A", "B", "C")),
            ("scroll", {"id": "list", "direction": "down"}),
            screen(listed("A", "B", "C")),
            "inconclusive",
        ),
        # ---- buttons, links and openers
        ("STD-CHANGED", screen(button()), GO, screen(button("Stop")), "met"),
        ("STD-CHANGED", screen(button(cls="Spinner")), GO, screen(button(cls="Spinner"), box(True)), "met"),
        ("STD-CHANGED", screen(button()), GO, screen(button()), "violated"),
        ("STD-CHANGED", screen(button()), GO, screen(button(), partial=True), "inconclusive"),
        # what changes by itself says nothing
        *(
            ("STD-CHANGED", screen(button(), *PAGE, before), GO, screen(button(), *PAGE, after), outcome)
            for before, after, outcome in BY_ITSELF
        ),
        # another app
        ("STD-CHANGED", screen(button()), GO, screen(button("Stop"), app="com.other"), "inconclusive"),
        ("STD-CHANGED", screen(button()), GO, screen(button("Stop"), app=None), "inconclusive"),
        ("STD-TOGGLED", screen(box(False)), MILK, screen(box(True), app="com.other"), "inconclusive"),
        ("STD-FIELD-TYPED", screen(field()), TYPED, screen(field("tea"), app="com.other"), "inconclusive"),
        ("STD-BACK-CHANGED", screen(button()), ("back", {}), screen(app="com.other"), "inconclusive"),
        # another page with a field of the same name
        ("STD-FIELD-TYPED", screen(field()), TYPED, screen(field("tea"), *PAGE), "inconclusive"),
        ("STD-FIELD-TYPED", screen(FORM), TYPED, screen(FORM_TYPED, *PAGE), "met"),
        (
            "STD-FIELD-PASSWORD",
            screen(field(**SECRET)),
            TYPED,
            screen(field("•••", **SECRET), *PAGE),
            "inconclusive",
        ),
        # a search: only the rows of the list are others
        ("STD-FIELD-TYPED", screen(field(), FOUND[0]), TYPED, screen(field("tea"), FOUND[1]), "met"),
        ("STD-FIELD-TYPED", screen(field(), FOUND[0]), TYPED, screen(field("te"), FOUND[1]), "violated"),
        (
            "STD-FIELD-TYPED",
            screen(field(), FOUND[0]),
            TYPED,
            screen(field("tea"), *PAGE, FOUND[1]),
            "inconclusive",
        ),
        # nothing but the field hangs in the container, or the container holds another page, too
        ("STD-FIELD-TYPED", screen(ALONE), TYPED, screen(ALONE_TYPED, *PAGE), "inconclusive"),
        ("STD-FIELD-TYPED", screen(form(field())), TYPED, screen(form(field("tea"), *PAGE)), "inconclusive"),
        ("STD-TOGGLED", screen(box(False)), MILK, screen(box(True), *PAGE), "inconclusive"),
        # ---- back
        ("STD-BACK-CHANGED", screen(button()), ("back", {}), screen(box(True)), "met"),
        ("STD-BACK-CHANGED", screen(button()), ("back", {}), screen(button()), "violated"),
        ("STD-BACK-CHANGED", screen(button()), ("back", {}), screen(button(), partial=True), "inconclusive"),
        # ---- opening an app
        ("STD-APP-OPENED", screen(), ("open_app", {"package": "com.other"}), screen(app="com.other"), "met"),
        ("STD-APP-OPENED", screen(), ("open_app", {"package": "com.other"}), screen(), "violated"),
        (
            "STD-APP-OPENED",
            screen(),
            ("open_app", {"package": "com.other"}),
            screen(app=None),
            "inconclusive",
        ),
        # ---- home
        ("STD-HOME-SHOWN", screen(), ("home", {}), screen(app="com.android.launcher3"), "met"),
        ("STD-HOME-SHOWN", screen(), ("home", {}), screen(), "violated"),
        ("STD-HOME-SHOWN", screen(), ("home", {}), screen(app=None), "inconclusive"),
    ],
)
def test_what_came_of_it(
    program: Program,
    contract: str,
    before: TreeScreen,
    act: tuple[str, dict[str, Any]],
    after: TreeScreen,
    wanted: str,
) -> None:
    found = observed(program, before, Action(*act), after).contracts
    assert [(each.rule, each.outcome) for each in found] == [(contract, wanted)]


@pytest.mark.parametrize(
    ("before", "act"),
    [
        (screen(box(True, cls="RadioButton")), MILK),  # a choice stays on
        (screen(tabs(0)), ("tap", {"text": "Page 2"})),  # the app does not say which tab is selected
        (screen(field()), ("tap", {"id": "f"})),
        (screen(field()), ("clear_text", {"id": "f"})),  # it may never say what it holds
        (screen(field(focused="true")), ("back", {})),  # it may close the keyboard
        (screen(app="com.android.launcher3"), ("home", {})),  # it may show already
        (screen(button()), ("long_press", {"id": "go"})),
        (screen(button()), ("wait", {})),
    ],
)
def test_nothing_is_expected_of_others(
    program: Program, before: TreeScreen, act: tuple[str, dict[str, Any]]
) -> None:
    assert observed(program, before, Action(*act), screen()).contracts == ()


def test_the_evidence_is_named(program: Program) -> None:
    (wrong,) = observed(program, screen(box(False)), Action(*MILK), screen(box(False))).contracts
    assert wrong.reason.message == "nothing changed on the screen"
    assert any("(Kept.checked): seen false, wanted = true" in text for text in wrong.reason.texts())
    (unseen,) = observed(program, screen(box(False)), Action(*MILK), screen()).contracts
    assert "Kept" in unseen.reason.message and "not seen" in unseen.reason.message


def test_only_what_the_gesture_is_counts(program: Program) -> None:
    """Typing at a point may go anywhere into what the field holds; one text is expected, not each of those."""
    typed = Action("input_text", {"x": 5, "y": 105, "value": "tea"})
    (contract,) = observed(program, screen(field("milk")), typed, screen(field("tea"))).contracts
    assert contract.outcome == "met"


def test_a_violated_one_takes_no_action_back(tmp_path: Path) -> None:
    """A licence that was used stays used: these contracts mention gestures only."""
    (tmp_path / "notes.vsa").write_text(
        f'app notes package "{APP}" "Notes"\naction Tick\nrecognize Tick when tap(label = "Milk").\n'
    )
    (tmp_path / "a.vsa").write_text(
        'spec a "Tick"\nimport notes\nimport std.contracts\nallow Tick.\ndone when Tick earlier.\n'
    )
    program = load(tmp_path / "a.vsa").checked()
    guard = Guard(program, settings=Settings(unknown_screen="allow"))
    guard.observe(screen(box(False)))
    guard.commit(guard.propose(Action(*MILK)))
    observed = guard.observe(screen(box(False)))
    assert [contract.outcome for contract in observed.contracts] == ["violated"]
    again = guard.propose(Action(*MILK))
    assert again.level == "block"
    assert again.because("licence")


@pytest.mark.parametrize(
    ("after", "level"),
    [
        (screen(box(True)), "allow"),
        (screen(button()), "allow"),  # whether it worked was not seen: no session is held up by that
        (screen(box(False)), "block"),
    ],
)
def test_a_violated_one_makes_predictions_count_as_unseen(
    tmp_path: Path, after: TreeScreen, level: str
) -> None:
    (tmp_path / "notes.vsa").write_text(
        f'app notes package "{APP}" "Notes"\nstate List "What is ticked" {{\n  milk: Bool "whether milk is"\n}}\n'
        'update List(milk = true) when tap(label = "Milk").\n'
    )
    (tmp_path / "a.vsa").write_text(
        'spec a "Tick milk"\nimport notes\nimport std.contracts\ndone when List(milk = true).\n'
    )
    guard = Guard(load(tmp_path / "a.vsa").checked(), settings=Settings(unknown_screen="allow"))
    guard.observe(screen(box(False)))
    guard.commit(guard.propose(Action(*MILK)))
    guard.observe(after)
    assert guard.propose(Action("finish")).level == level
