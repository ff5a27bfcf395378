"""The device clicks only what was judged: the target changes between the last look and the click."""

import random
from pathlib import Path

import pytest

from vsalang.phone import DeviceError, DeviceLost, NotDelivered
from vsalang.phone.open import open_device
from vsalang.phone.open.simulated import SimulatedDevice
from vsalang.program.action import Action
from vsalang.program.delivery import leaving, sending
from vsalang.screen.tree import load_dump
from vsalang.screen.tree.target import resolve

pytest.importorskip("uiautomator2")
from vsalang.phone.sim import rpc, select
from vsalang.phone.uiautomator import acting, adb, conditional

PACKAGE = "com.opentable"
NAMES = ["R", "Q", "Trattoria Roma", "Sakura Garden", "The Green Fork"]
CHANGING = """
[[fault]]
kind = "change"
on = ["tap", "long_press"]
p = 0.5
set = {{ query = "{query}" }}
"""


def _start(folder: Path, text: str) -> SimulatedDevice:
    (folder / "s.toml").write_text(text)
    device = open_device("sim:restaurant", scenario=str(folder / "s.toml"))
    assert isinstance(device, SimulatedDevice)
    return device


def _sessions(device: SimulatedDevice, count: int) -> tuple[int, int, int]:
    """Taps a random restaurant, again and again: how often it was opened, another one was, nothing was tapped."""
    right = wrong = held = 0
    chance = random.Random(7)
    for _ in range(count):
        device.phone.stop_app(PACKAGE, clear=True)
        device.phone.open_app(PACKAGE)
        wanted = chance.choice(NAMES[1:])
        args = {"text": wanted}
        target = device.observe().target("tap", args)
        try:
            with sending() as sent:
                device.perform(Action("tap", args), target)
            assert sent.left
        except DeviceError:
            held += 1
        opened = device.phone.state(PACKAGE)["restaurant"]
        right += opened == wanted
        wrong += opened not in ("", wanted)
    return right, wrong, held


def test_the_wrong_thing_is_never_tapped(tmp_path):
    with _start(tmp_path, CHANGING.format(query="r")) as device:
        right, wrong, held = _sessions(device, 12)
    assert wrong == 0
    assert right > 0
    assert held > 0


def test_without_the_condition_the_wrong_thing_is_tapped(tmp_path, monkeypatch):
    """The fault is real: places alone hit what took the place of the target."""
    monkeypatch.setattr(conditional, "only_there", lambda *_: None)
    with _start(tmp_path, CHANGING.format(query="r")) as device:
        _, wrong, _ = _sessions(device, 12)
    assert wrong > 0


@pytest.mark.parametrize("gesture", ["tap", "long_press"])
def test_what_the_device_did_not_find_did_not_arrive(tmp_path, gesture):
    """It was sent; the device says that it found nothing to click, so nothing was clicked, certainly."""
    with _start(tmp_path, CHANGING.format(query="zzz").replace("p = 0.5", "at = 1")) as device:
        device.phone.open_app(PACKAGE)
        target = device.observe().target(gesture, {"text": "Q"})
        with pytest.raises(NotDelivered, match="clicked nothing") as caught, sending() as sent:
            device.perform(Action(gesture, {"text": "Q"}), target)
        assert sent.delivered(caught.value) is False and sent.last_look is None
        assert not [one for one in device.phone.inputs if one.kind in ("tap", "long_press")]


def test_what_was_sent_before_a_refusal_counts(tmp_path):
    """The refusal is of one request: of what left before it nothing is known."""
    with _start(tmp_path, CHANGING.format(query="zzz").replace("p = 0.5", "at = 1")) as device:
        device.phone.open_app(PACKAGE)
        target = device.observe().target("tap", {"text": "Q"})
        with pytest.raises(NotDelivered) as caught, sending() as sent:
            leaving()
            device.perform(Action("tap", {"text": "Q"}), target)
        assert sent.delivered(caught.value) is None


@pytest.mark.parametrize("error", [DeviceLost("the connection is lost"), DeviceError("the device refused")])
def test_without_the_devices_word_nothing_is_known(tmp_path, monkeypatch, error):
    with _start(tmp_path, "") as device:
        device.phone.open_app(PACKAGE)
        target = device.observe().target("tap", {"text": "Q"})

        def fails(*_):
            leaving()
            raise error

        monkeypatch.setattr(acting, "_accepted", fails)
        with pytest.raises(type(error)) as caught, sending() as sent:
            device.perform(Action("tap", {"text": "Q"}), target)
        assert sent.delivered(caught.value) is None


def test_what_changed_before_the_check_was_not_sent(tmp_path, monkeypatch):
    """The request that checks is a read."""
    with _start(tmp_path, "") as device:
        device.phone.open_app(PACKAGE)
        target = device.observe().target("tap", {"text": "Q"})
        real = conditional.only_there

        def changing(*args):
            found = real(*args)
            device.phone._change({"query": "zzz"})
            return found

        monkeypatch.setattr(conditional, "only_there", changing)
        with pytest.raises(NotDelivered, match="not what was judged") as caught, sending() as sent:
            device.perform(Action("tap", {"text": "Q"}), target)
        assert not sent.left
        assert sent.delivered(caught.value) is False


def test_a_long_press_is_conditional_too(tmp_path):
    with _start(tmp_path, CHANGING.format(query="zzz").replace("p = 0.5", "at = 1")) as device:
        device.phone.open_app(PACKAGE)
        target = device.observe().target("long_press", {"text": "Q"})
        with pytest.raises(DeviceError):
            device.perform(Action("long_press", {"text": "Q"}), target)
        assert not [one for one in device.phone.inputs if one.kind != "open_app"]


def test_in_a_cut_row_the_judged_place_is_tapped(tmp_path, monkeypatch):
    """The server clicks the middle of what is to be seen of a node; there another node may take the click."""
    told = select.info

    def cut_off(found):
        said = told(found)
        box = said["visibleBounds"]
        return {**said, "visibleBounds": {**box, "bottom": (box["top"] + box["bottom"]) // 2}}

    monkeypatch.setattr(rpc, "info", cut_off)
    with _start(tmp_path, "") as device:
        device.phone.open_app(PACKAGE)
        target = device.observe().target("tap", {"text": "Q"})
        calls = []
        monkeypatch.setitem(acting._PERFORM, "tap", lambda _, cells: calls.append((cells["x"], cells["y"])))
        device.perform(Action("tap", {"text": "Q"}), target)
        assert calls == [(target["x"], target["y"])]


def test_what_a_foreign_client_has_sent_has_left(tmp_path, monkeypatch):
    """Its connections do not say it: a later failure in the same block is not a word that nothing was delivered."""
    monkeypatch.setattr(adb, "leaving", lambda: None)
    with _start(tmp_path, "") as device:
        with sending() as sent:
            device.perform(Action("home"), {})
        assert sent.left


def test_a_page_of_very_many_texts_keeps_nobody_waiting(monkeypatch):
    """Each text in a large node was looked for in a dump that was read again: quadratic in the size of a page."""
    kids = "".join(
        f'<node text="{n // 2}" package="p" clickable="false" bounds="[{n % 100},{n // 100}][{n % 100 + 3},9]"/>'
        for n in range(400)
    )
    row = f'<node package="p" clickable="true" enabled="true" bounds="[0,0][1000,1000]">{kids}</node>'
    tree = load_dump(f"<hierarchy>{row}</hierarchy>")
    calls = []
    for name in ("among", "parse"):
        real = getattr(conditional, name)
        monkeypatch.setattr(
            conditional, name, lambda *given, real=real, name=name: calls.append(name) or real(*given)
        )
    action = Action("tap", {"x": 500, "y": 500})
    target = resolve(tree, "tap", action.args)
    assert conditional.only_there(f"<hierarchy>{row}</hierarchy>", tree, action, target) is None
    assert calls.count("parse") == 1
    assert calls.count("among") <= conditional.MOST_TRIED
