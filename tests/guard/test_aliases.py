"""Every other name of a tap is judged as the tap too: no alias slips past a `recognize .. when tap(..)`."""

import datetime as dt

import pytest

from tests.guard.phones import screen
from vsalang.guard import Guard
from vsalang.language.semantics import load_text
from vsalang.phone.vocabulary.keys import pressed
from vsalang.program.action import Action
from vsalang.program.gestures import commands
from vsalang.program.gestures.keys import CODES, OWN_EFFECT
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import load_dump

APP = """app shop package "com.shop" "A shop"
screen Bill "The bill" when Node(id = "pay").
action Pay "Pay the bill"
recognize Pay when tap(id = "pay").
action Send "Send what is typed"
recognize Send when press_key(key = "ENTER").
view Gift on Bill "Whether it is a gift" { on: Bool }
update Gift(on = true) when tap(id = "gift").
"""
SPEC = """spec s "Look at the bill"
import shop
allow Pay when Gift(on = true).
done when Pay earlier.
"""
DUMP = """<hierarchy rotation="0"><node index="0" text="" class="android.widget.FrameLayout" package="com.shop"
 content-desc="" checkable="false" checked="false" clickable="false" enabled="true" focusable="false" focused="false"
 scrollable="false" long-clickable="false" password="false" selected="false" bounds="[0,0][1000,1000]">
<node index="0" text="Pay" resource-id="com.shop:id/pay" class="android.widget.Button" package="com.shop"
 content-desc="" checkable="false" checked="false" clickable="true" enabled="true" focusable="true" focused="{focus}"
 scrollable="false"
 long-clickable="{long}" password="false" selected="false" bounds="[100,100][500,300]" />
<node index="1" text="Gift" resource-id="com.shop:id/gift" class="android.widget.Button" package="com.shop"
 content-desc="" checkable="false" checked="false" clickable="true" enabled="true" focusable="true" focused="false"
 scrollable="false" long-clickable="false" password="false" selected="false" bounds="[100,400][500,600]" />
</node></hierarchy>"""


@pytest.fixture
def program(tmp_path):
    (tmp_path / "shop.vsa").write_text(APP)
    loaded = load_text(SPEC, path=tmp_path / "s.vsa")
    assert loaded.program is not None, loaded.diagnostics
    return loaded.program


def judge(program, name, focus="false", long="false", **args):
    guard = Guard(program, clock=lambda: dt.datetime(2026, 4, 1, 12))
    dump = DUMP.replace("{focus}", focus).replace("{long}", long)
    guard.observe(TreeScreen(load_dump(dump), app=("com.shop", ".Main"), settled=True))
    assert guard.screens == {"shop:Bill"}
    return guard.propose(Action(name, args))


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("tap", {"id": "pay"}),
        ("double_tap", {"id": "pay"}),
        ("long_press", {"id": "pay"}),
        ("swipe", {"x": 300, "y": 200, "x2": 310, "y2": 205}),
        ("input_text", {"id": "pay", "value": "a"}),
        ("input_text", {"x": 300, "y": 200, "value": "a"}),
    ],
    ids=str,
)
def test_touches_of_a_guarded_button(program, name, args):
    verdict = judge(program, name, **args)
    assert verdict.level == "block"
    assert [a.name for a in verdict.actions] == ["shop.Pay"]


@pytest.mark.parametrize(
    "key",
    ["ENTER", "enter", "KEYCODE_ENTER", "66", "DPAD_CENTER", "23", "space", "KEYCODE_NUMPAD_ENTER"],
)
def test_keys_press_what_has_the_focus(program, key):
    assert "shop.Pay" in [a.name for a in judge(program, "press_key", focus="true", key=key).actions]
    assert "shop.Pay" not in [a.name for a in judge(program, "press_key", focus="false", key=key).actions]


@pytest.mark.parametrize(
    "key",
    ["BUTTON_A", "BUTTON_B", "BUTTON_START", "BUTTON_THUMBL", "108", "BUTTON_3", "190", "NUMPAD_5", "149"],
)
def test_keys_that_android_makes_the_pads_centre(program, key):
    test_keys_press_what_has_the_focus(program, key)


NAVIGATION = """app shop package "com.shop" "A shop"
screen Bill "The bill" when Node(id = "pay").
action Leave "Leave it"
recognize Leave when back().
action Quit "Quit"
recognize Quit when home().
action Write "Write into the field"
recognize Write when input_text(id = "note").
"""


@pytest.fixture
def navigated(tmp_path):
    (tmp_path / "shop.vsa").write_text(NAVIGATION)
    spec = 'spec s "Look"\nimport shop\nallow Leave.\nallow Quit.\nallow Write.\ndone when Leave earlier.\n'
    loaded = load_text(spec, path=tmp_path / "s.vsa")
    assert loaded.program is not None, loaded.diagnostics
    return loaded.program


@pytest.mark.parametrize(
    ("args", "meant"),
    [
        ({"x": 5, "y": 500, "x2": 400, "y2": 500}, ["shop.Leave"]),
        ({"x": 995, "y": 500, "x2": 600, "y2": 510}, ["shop.Leave"]),
        ({"x": 5, "y": 500, "direction": "right"}, ["shop.Leave"]),
        ({"x": 500, "y": 990, "x2": 500, "y2": 300}, ["shop.Quit"]),
        ({"x": 500, "y": 990, "direction": "up"}, ["shop.Quit"]),
        ({"x": 500, "y": 800, "x2": 500, "y2": 300}, []),
        ({"x": 800, "y": 500, "x2": 200, "y2": 500}, []),
        ({"x": 5, "y": 500, "x2": 5, "y2": 200}, []),
    ],
    ids=str,
)
def test_a_swipe_from_an_edge_is_back_or_home(navigated, args, meant):
    assert [a.name for a in judge(navigated, "swipe", **args).actions] == meant


PASTE = """<node index="2" text="" resource-id="com.shop:id/note" class="android.widget.EditText" package="com.shop"
 content-desc="" checkable="false" checked="false" clickable="true" enabled="true" focusable="true" focused="true"
 scrollable="false" long-clickable="true" password="false" selected="false" bounds="[100,700][500,800]" />
<node index="3" text="" class="android.widget.LinearLayout" package="com.shop" content-desc="{desc}"
 checkable="false" checked="false" clickable="true" enabled="true" focusable="false" focused="false"
 scrollable="false" long-clickable="false" password="false" selected="false" bounds="[600,700][800,800]">
<node index="0" text="{text}" resource-id="{id}" class="android.widget.TextView" package="com.shop" content-desc=""
 checkable="false" checked="false" clickable="false" enabled="true" focusable="false" focused="false"
 scrollable="false" long-clickable="false" password="false" selected="false" bounds="[620,720][780,780]" />
</node></node></hierarchy>"""


@pytest.mark.parametrize(
    ("desc", "text", "id", "types"),
    [
        ("Paste", "", "", True),
        ("", "PASTE", "", True),
        ("", "Paste as plain text", "", True),
        ("", "Einfügen", "android:id/floating_toolbar_menu_item_text", True),
        ("", "Toothpaste", "com.shop:id/item", False),
    ],
)
@pytest.mark.parametrize("gesture", ["tap", "double_tap", "long_press"])
def test_a_tap_on_paste_types(navigated, monkeypatch, gesture, desc, text, id, types):
    pasting = PASTE.replace("{desc}", desc).replace("{text}", text).replace("{id}", id)
    monkeypatch.setitem(globals(), "DUMP", DUMP.replace("</node></hierarchy>", pasting))
    actions = [a.name for a in judge(navigated, gesture, x=700, y=750).actions]
    assert actions == (["shop.Write"] if types else [])


@pytest.mark.parametrize("key", ["CALL", "call", "KEYCODE_CALL", "5", "HEADSETHOOK", "26", "VOICE_ASSIST"])
def test_a_key_with_an_own_effect_is_a_command(program, key):
    verdict = judge(program, "press_key", key=key)
    assert verdict.level == "block"
    assert [a.name for a in verdict.actions][-1] in ("shell", "std.android.shell")


def test_such_keys_are_one_command_by_name_or_code():
    for name in OWN_EFFECT:
        command = Action("shell", {"command": f"input keyevent KEYCODE_{name}"})
        assert pressed(CODES[name]) == pressed(name) == (command,)
        assert commands(Action("press_key", {"key": str(CODES[name])})) == (command,)


def test_a_spec_may_allow_such_a_key(tmp_path):
    (tmp_path / "shop.vsa").write_text(APP)
    allowed = SPEC.replace("allow Pay", 'allow shell(command = "input keyevent KEYCODE_CAMERA").\nallow Pay')
    loaded = load_text(allowed, path=tmp_path / "s.vsa")
    assert loaded.program is not None, loaded.diagnostics
    assert judge(loaded.program, "press_key", key="CAMERA").level == "allow"
    assert judge(loaded.program, "press_key", key="CALL").level == "block"


def test_a_line_break_is_enter(program):
    """A text that ends in a line break sends it, as the key would."""
    verdict = judge(program, "input_text", id="gift", value="hello\n")
    assert [a.name for a in verdict.actions] == ["shop.Send"]
    assert verdict.level == "block"
    assert judge(program, "input_text", id="gift", value="hello").actions == ()


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("swipe", {"x": 300, "y": 200, "x2": 300, "y2": 900}),
        ("press_key", {"key": "TAB"}),
        ("press_key", {"key": "7"}),
        ("back", {}),
    ],
    ids=str,
)
def test_what_is_no_tap(program, name, args):
    verdict = judge(program, name, focus="true", **args)
    assert verdict.level == "allow"
    assert verdict.actions == ()


def test_a_long_press_that_the_node_takes_is_none(program):
    assert judge(program, "long_press", long="true", id="pay").level == "allow"


UNKNOWN = """app shop package "com.shop" "A shop"
screen Bill "The bill" when Node(id = "bill").
action Pay
define Bad when double_tap(id = "danger").
"""


@pytest.mark.parametrize("unless", ['double_tap(id = "danger")', "Bad"])
def test_an_unread_id_may_be_the_one_denied(tmp_path, unless):
    """The second tap may make a double tap of a button whose id nobody could read."""
    (tmp_path / "shop.vsa").write_text(UNKNOWN)
    spec = f'spec s "Pay"\nimport shop\nallow each Pay when not {unless}.\ndone when Pay earlier.\n'
    loaded = load_text(spec, path=tmp_path / "s.vsa")
    assert loaded.program is not None, loaded.diagnostics
    button = {"clickable": True, "left": 0, "top": 0, "right": 100, "bottom": 100}
    page = screen({"id": "bill"}, button, app="com.shop")
    guard = Guard(loaded.program, clock=lambda: dt.datetime(2026, 4, 1, 12))
    guard.observe(page)
    first = guard.propose(Action("tap", {"node": 2}), [Action("Pay")])
    assert first.level == "allow", first.reasons
    guard.commit(first)
    guard.observe(page)
    assert guard.propose(Action("tap", {"node": 2}), [Action("Pay")]).level == "block"


def test_a_wrapped_denial_counts_for_each_name(tmp_path):
    """What a gesture may be instead is judged, also where a definition says what the gesture must be."""
    (tmp_path / "shop.vsa").write_text(UNKNOWN + "define Slow when long_press(clickable = true).\n")
    spec = 'spec s "Pay"\nimport shop\nallow each Pay.\ndone when Pay earlier.\ndeny "press" when not Slow.\n'
    loaded = load_text(spec, path=tmp_path / "s.vsa")
    assert loaded.program is not None, loaded.diagnostics
    guard = Guard(loaded.program, clock=lambda: dt.datetime(2026, 4, 1, 12))
    guard.observe(screen({"id": "bill"}, {"clickable": True, "scrollable": False}, app="com.shop"))
    assert "press" in [r.message for r in guard.propose(Action("long_press", {"node": 2})).reasons]


@pytest.mark.parametrize(
    "rules",
    [
        'deny "no" when input_text(value = "secret").',
        'define Typed(value = ?v) when input_text(value = ?v).\ndeny "no" when Typed(value = "secret").',
        "define Typed(value = ?v) when input_text(value = ?v).\n"
        "define Written(text = ?t) when Typed(value = ?t).\n"
        'deny "no" when Written(text contains "secret").',
    ],
)
def test_a_text_typed_in_two_parts_is_denied(tmp_path, rules):
    """What a field may hold afterwards is judged, also where definitions hand the text on."""
    (tmp_path / "shop.vsa").write_text(UNKNOWN + rules + "\n")
    spec = 'spec s "Pay"\nimport shop\nallow each Pay.\ndone when Pay earlier.\n'
    loaded = load_text(spec, path=tmp_path / "s.vsa")
    assert loaded.program is not None, loaded.diagnostics
    place = {"left": 0, "top": 0, "right": 100, "bottom": 100}
    page = screen(
        {"id": "bill"}, {"editable": True, "clickable": True, "text": "se", **place}, app="com.shop"
    )
    guard = Guard(loaded.program, clock=lambda: dt.datetime(2026, 4, 1, 12))
    guard.observe(page)
    verdict = guard.propose(Action("input_text", {"x": 5, "y": 5, "value": "cret"}))
    assert [reason.message for reason in verdict.reasons if reason.kind == "deny"] == ["no"]
