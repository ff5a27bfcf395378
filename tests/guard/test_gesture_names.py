"""A gesture is judged under every name that its touches and keys may have, however they are made."""

import datetime as dt
import json
from functools import cache
from pathlib import Path

import pytest

from vsalang.guard import Guard, Settings
from vsalang.language.semantics import load_text
from vsalang.phone.vocabulary import read
from vsalang.program.action import Action
from vsalang.program.ir import Program
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import load_dump

KEYS = "com.android.inputmethod.latin"


def node(name: str, bounds: str, *kids: str, package: str = "com.shop", **flags: str) -> str:
    box = "[{},{}][{},{}]".format(*bounds.split(","))
    values = {
        "class": "android.view.View",
        "text": "",
        "content-desc": "",
        "clickable": "false",
        "long-clickable": "false",
        "scrollable": "false",
    }
    values |= {"resource-id": f"{package}:id/{name}", "package": package, "bounds": box}
    values |= {key.replace("_", "-"): value for key, value in flags.items()}
    said = " ".join(f'{key}="{value}"' for key, value in values.items())
    return f"<node {said}>{''.join(kids)}</node>"


def key(name: str, bounds: str, said: str) -> str:
    return node(name, bounds, package=KEYS, clickable="true", content_desc=said)


def page(note: str = "ba", *, editable: bool = True, password: str = "false") -> TreeScreen:
    """A page with a list, a photo, a slider, a field with the focus, a keyboard and a navigation bar."""
    field = {"class": "android.widget.EditText"} if editable else {"class": "android.widget.Button"}
    photo = node("photo", "200,300,800,900", clickable="true", long_clickable="true")
    shown = node(
        "page",
        "0,0,1000,2000",
        node(
            "pages",
            "0,0,1000,1200",
            node("list", "0,200,1000,1200", photo, scrollable="true"),
            scrollable="true",
        ),
        node("slider", "100,1250,900,1300", class_="android.widget.SeekBar"),
        node("volume", "100,1300,900,1350"),
        node(
            "note",
            "100,1400,900,1500",
            clickable="true",
            focused="true",
            text=note,
            password=password,
            **field,
        ),
    )
    keys = node(
        "keyboard",
        "0,1500,1000,1900",
        key("a", "0,1500,100,1600", "a"),
        key("d", "100,1500,200,1600", "d"),
        key("space", "300,1800,700,1900", "Space"),
        key("del", "900,1700,1000,1800", "Delete"),
        key("go", "900,1800,1000,1900", "Search"),
        key("umlaut", "700,1800,800,1900", "Eingabe"),
        package=KEYS,
    )
    bar = node(
        "bar",
        "0,1900,1000,2000",
        node("back", "100,1900,300,2000", package="com.android.systemui", clickable="true"),
        node("home", "400,1900,600,2000", package="com.android.systemui", clickable="true"),
        package="com.android.systemui",
    )
    made = load_dump(f"<hierarchy>{bar}{keys}{shown}</hierarchy>".replace("class_=", "class="))
    return TreeScreen(made, app=("com.shop", ".Main"), settled=True)


@cache
def program(rule: str, folder: Path) -> Program:
    (folder / "shop.vsa").write_text('app shop package "com.shop" "A shop"\nview Seen "Seen" { on: Bool }\n')
    spec = f'spec s "Look"\nimport shop\ndeny "no" when {rule}.\ndone when Seen(on = true).\n'
    loaded = load_text(spec, path=folder / "s.vsa")
    assert loaded.program is not None, loaded.diagnostics
    return loaded.program


def actions(request: str | Action) -> tuple[Action, ...]:
    if isinstance(request, Action):
        return (request,)
    if request.startswith("{"):
        return read("uiautomator2", request)
    return read("adb", request)


def level(rule: str, folder: Path, *requests: str | Action, screen: TreeScreen | None = None) -> str:
    """The gravest verdict on the last of several requests, each of which is made before the next one."""
    screen = screen or page()
    guard = Guard(
        program(rule, folder),
        clock=lambda: dt.datetime(2026, 4, 1, 12),
        settings=Settings(unknown_screen="allow"),
    )
    guard.observe(screen)
    for request in requests[:-1]:
        for action in actions(request):
            guard.commit(guard.propose(action), screen=screen)
            guard.observe(screen)
    found = [guard.propose(action) for action in actions(requests[-1])]
    assert not [reason for verdict in found for reason in verdict.reasons if reason.kind == "error"]
    return "block" if any(verdict.level == "block" for verdict in found) else found[-1].level


def rpc(method: str, *params: object) -> str:
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})


def by(**attributes: str) -> dict[str, object]:
    """A selector of uiautomator2."""
    return {"mask": 0x200000, "childOrSibling": [], "childOrSiblingSelector": [], **attributes}


LIST = by(resourceId="com.shop:id/list")
NOTE = by(resourceId="com.shop:id/note")
TAP = "input tap 500 500"
EVASIONS: list[tuple[str, list[str | Action]]] = [
    # a swipe by places goes somewhere
    ("swipe(direction = right)", ["input swipe 100 1150 900 1150 100"]),
    ("swipe(direction = up)", ["input swipe 500 1100 500 300"]),
    ("swipe(direction = up)", [rpc("swipe", 500, 1100, 500, 300, 20)]),
    ("swipe(direction = up)", [rpc("swipePoints", [500, 1100, 500, 900, 500, 300], 20)]),
    ("swipe(direction = left)", ["input draganddrop 900 1150 100 1150 300"]),
    ("swipe(direction = up)", ["input swipe 500 1100 100 700"]),  # slanting: both ways
    ("swipe(direction = left)", ["input swipe 500 1100 100 700"]),
    ("swipe(direction = up)", [Action("swipe", {"x": 5, "y": 1100, "x2": 5, "y2": 300, "direction": "down"})]),
    # scroll, fling and swipe are one
    ('scroll(direction = down, id = "list")', ["input swipe 500 1100 500 300"]),
    ('scroll(direction = down, id = "pages")', ["input swipe 500 1100 500 300"]),
    ("scroll(direction = down)", [rpc("flingForward", LIST, True)]),
    ("scroll(direction = up)", [rpc("scrollTo", LIST, by(resourceId="com.shop:id/x"), 5)]),
    ("scroll(direction = down)", [Action("swipe", {"direction": "up"})]),
    ('scroll(direction = down, id = "list")', [Action("swipe", {"id": "photo", "direction": "up"})]),
    ('scroll(direction = right, id = "slider")', ["input swipe 800 1270 200 1270"]),
    ("swipe(direction = up)", [Action("scroll", {"id": "list", "direction": "down"})]),
    ("swipe(direction = up)", [Action("scroll", {"direction": "down"})]),
    ("swipe(direction = up)", [rpc("scrollForward", LIST, True, 20)]),
    ("swipe(direction = up)", [rpc("flingForward", LIST, True)]),
    ("swipe(direction = down)", [rpc("scrollToBeginning", LIST, True, 5, 20)]),
    ("swipe(direction = left)", [rpc("scrollTo", LIST, by(resourceId="com.shop:id/x"), 5)]),
    ('swipe(direction = up, id = "photo")', [Action("scroll", {"id": "list", "direction": "down"})]),
    ("scroll(direction = down)", ["input keyevent KEYCODE_PAGE_DOWN"]),
    # two taps are a double tap
    ('double_tap(id = "photo")', [TAP, TAP]),
    ('double_tap(id = "photo")', [TAP, rpc("click", 520, 510)]),
    ('double_tap(id = "photo")', [rpc("click", 520, 510), "input swipe 500 500 505 503 60"]),
    ('double_tap(id = "photo")', [TAP, "sleep 1", TAP]),
    ('double_tap(id = "photo")', ["input tap 210 310", "input tap 790 890"]),  # far apart, in one node
    ('double_tap(id = "photo")', [Action("tap", {"id": "photo"}), Action("tap", {"x": 500, "y": 600})]),
    # what rests
    ('long_press(id = "photo")', [Action("swipe", {"x": 500, "y": 500, "x2": 500, "y2": 600,
                                                   "duration": dt.timedelta(seconds=3)})]),
    ('long_press(id = "photo")', ["input swipe 500 500 540 500 600"]),
    ('long_press(id = "photo")', [rpc("swipe", 500, 500, 500, 560, 200)]),
    ('tap(id = "photo")', ["input swipe 500 500 530 500 100"]),
    # keys
    ('press_key(key = "ENTER")', ["input keyevent KEYCODE_NUMPAD_ENTER"]),
    ('press_key(key = "ENTER")', ["input keyevent 160"]),
    ('press_key(key = "ENTER")', ["input keyevent DPAD_CENTER"]),
    ('press_key(key = "ENTER")', [rpc("pressKey", "center")]),
    ('press_key(key = "NUMPAD_ENTER")', [rpc("pressKey", "enter")]),
    ('press_key(key = "ENTER")', [Action("input_text", {"id": "note", "value": "a\n"})]),
    ('press_key(key = "SPACE")', ["input text a%sb"]),
    ('press_key(key = "A")', ["input text xa"]),
    ('press_key(key = "BACK")', ["input keyevent ESCAPE"]),
    ('press_key(key = "APP_SWITCH")', ["input swipe 700 1990 700 1200 600"]),
    ('clear_text(id = "note")', ["input keyevent DEL"]),
    ('clear_text(id = "note")', [Action("input_text", {"id": "note", "value": ""})]),
    ('press_key(key = "DEL")', [Action("input_text", {"id": "note", "value": ""})]),
    ("back()", ["input tap 200 1950"]),  # the button of the navigation bar
    ("home()", [rpc("click", 500, 1950)]),
    # the soft keyboard
    ('press_key(key = "ENTER")', ["input tap 950 1850"]),
    ('press_key(key = "ENTER")', ["input tap 750 1850"]),  # a key whose name is not known
    ('press_key(key = "ENTER")', ["input swipe 950 1850 955 1850 100"]),
    ('press_key(key = "SPACE")', ["input tap 500 1850"]),
    ('press_key(key = "DEL")', ["input tap 950 1750"]),
    ('clear_text(id = "note")', ["input tap 950 1750"]),
    ('input_text(id = "note", value contains "d")', ["input tap 150 1550"]),
    ('input_text(value contains "bad")', ["input tap 150 1550"]),  # `ba` stands there
    ('input_text(value contains "bad")', ["input keyevent D"]),
    ('input_text(value contains "bad")', ["input text d"]),
    ('input_text(value contains "bda")', ["input text d"]),  # between the two
    ('input_text(value contains "ba\\n")', ["input keyevent ENTER"]),
    ('input_text(id = "note", value = ?v), ?v = "bad"', ["input text d"]),
    # what does not say that it takes touches
    ('tap(id = "slider")', ["input tap 500 1270"]),
    ('tap(id = "slider")', [Action("tap", {"id": "slider"})]),
    ('long_press(id = "volume")', ["input swipe 500 1320 500 1320 900"]),
    ('swipe(id = "slider", direction = right)', ["input swipe 200 1270 800 1270"]),
    ('double_tap(id = "volume")', ["input tap 500 1320", "input tap 500 1330"]),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "requests"), EVASIONS, ids=lambda value: str(value)[:70])
def test_whatever_it_is_called(
    rule: str, requests: list[str | Action], tmp_path_factory: pytest.TempPathFactory
) -> None:
    assert level(rule, tmp_path_factory.getbasetemp(), *requests) == "block"


OTHERS: list[tuple[str, list[str | Action]]] = [
    ("swipe(direction = left)", ["input swipe 100 1150 900 1150 100"]),
    ("swipe(direction = up)", ["input swipe 100 1150 900 1147 100"]),  # a finger trembles
    ("scroll(direction = up)", ["input swipe 500 1100 500 300"]),
    ('scroll(id = "note")', ["input swipe 500 1100 500 300"]),
    ('double_tap(id = "photo")', [TAP]),
    ('double_tap(id = "photo")', ["input tap 500 1450", TAP]),
    ('long_press(id = "photo")', ["input swipe 500 1100 500 300"]),
    ('press_key(key = "ENTER")', ["input tap 150 1550"]),
    ('press_key(key = "ENTER")', ["input keyevent SPACE"]),
    ('input_text(value contains "bad")', ["input tap 50 1550"]),
    ('input_text(value contains "bad")', [TAP]),
    ('tap(id = "slider")', ["input tap 500 1320"]),
    ("back()", [TAP]),
]


@pytest.mark.parametrize(("rule", "requests"), OTHERS, ids=lambda value: str(value)[:70])
def test_what_it_is_not(
    rule: str, requests: list[str | Action], tmp_path_factory: pytest.TempPathFactory
) -> None:
    assert level(rule, tmp_path_factory.getbasetemp(), *requests) == "allow"


def test_two_taps_far_apart_are_no_double_tap(tmp_path: Path) -> None:
    now = [dt.datetime(2026, 4, 1, 12)]
    made = program('double_tap(id = "photo")', tmp_path)
    guard = Guard(made, clock=lambda: now[0], settings=Settings(unknown_screen="allow"))
    guard.observe(page())
    for pause, wanted in ((0, "allow"), (2, "allow"), (1, "block"), (2, "allow")):
        now[0] += dt.timedelta(seconds=pause)
        verdict = guard.propose(Action("tap", {"id": "photo"}))
        assert verdict.level == wanted
        if verdict.allowed:
            guard.commit(verdict, screen=page())
            guard.observe(page())


def test_a_late_tap_begins_a_double_tap_for_long(tmp_path: Path) -> None:
    now = [dt.datetime(2026, 4, 1, 12)]
    made = program('double_tap(id = "photo")', tmp_path)
    guard = Guard(made, clock=lambda: now[0], settings=Settings(unknown_screen="allow"))
    guard.observe(page())
    guard.commit(guard.propose(Action("tap", {"id": "photo"})), screen=page())
    guard.observe(page(), None)
    now[0] += dt.timedelta(seconds=60)
    assert guard.propose(Action("tap", {"id": "photo"})).level == "block"


def test_a_secret_is_typed_one_by_one(tmp_path: Path) -> None:
    hidden = page("", password="true")
    rule = 'input_text(value contains "bad")'
    assert (
        level(rule, tmp_path, "input text b", "input tap 50 1550", "input keyevent D", screen=hidden)
        == "block"
    )
    assert level(rule, tmp_path, "input text b", "input keyevent D", screen=hidden) == "allow"


def test_a_keyboard_without_keys_may_type_anything(tmp_path: Path) -> None:
    keyboard = node("keyboard", "0,1500,1000,2000", package=KEYS)
    field = node(
        "note", "100,300,900,400", clickable="true", focused="true", **{"class": "android.widget.EditText"}
    )
    made = f"<hierarchy>{keyboard}{node('page', '0,0,1000,2000', field)}</hierarchy>"
    bare = TreeScreen(load_dump(made), app=("com.shop", ".Main"), settled=True)
    for rule in ('press_key(key = "ENTER")', 'input_text(id = "note")', 'clear_text(id = "note")'):
        assert level(rule, tmp_path, "input tap 500 1700", screen=bare) == "block"
        assert level(rule, tmp_path, "input tap 500 600", screen=bare) == "allow"


CLOSED = """app shop package "com.shop" "A shop"
screen Page closed "The page" when Node(id = "page").
view At on Page "Where the list stands" { place: Number }
update At(place = 2) when scroll(id = "list", direction = down).
"""


def test_a_movement_known_by_one_name_on_closed_screens(tmp_path: Path) -> None:
    (tmp_path / "shop.vsa").write_text(CLOSED)
    loaded = load_text('spec s "Look"\nimport shop\ndone when At(place = 2).\n', path=tmp_path / "s.vsa")
    assert loaded.program is not None, loaded.diagnostics
    guard = Guard(loaded.program, clock=lambda: dt.datetime(2026, 4, 1, 12))
    guard.observe(page())
    for gesture, wanted in (
        (Action("scroll", {"id": "list", "direction": "down"}), "allow"),
        (Action("swipe", {"x": 500, "y": 1100, "x2": 500, "y2": 300}), "allow"),
        (Action("swipe", {"x": 500, "y": 300, "x2": 500, "y2": 1100}), "confirm"),
    ):
        assert guard.propose(gesture).level == wanted
