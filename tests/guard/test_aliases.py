"""Every other name of a tap is judged as the tap too: no alias slips past a `recognize .. when tap(..)`."""

import datetime as dt

import pytest

from vsalang.core.action import Action
from vsalang.device.tree import TreeScreen, load_dump
from vsalang.guard import Guard
from vsalang.semantics import load_text

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
    "key", ["ENTER", "enter", "KEYCODE_ENTER", "66", "DPAD_CENTER", "23", "space", "KEYCODE_NUMPAD_ENTER"]
)
def test_keys_press_what_has_the_focus(program, key):
    assert "shop.Pay" in [a.name for a in judge(program, "press_key", focus="true", key=key).actions]
    assert "shop.Pay" not in [a.name for a in judge(program, "press_key", focus="false", key=key).actions]


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
