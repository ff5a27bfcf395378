"""The `Device` over uiautomator2: what it sees, what it does, and how it fails."""

import datetime as dt
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from vsalang.phone import DeviceError, DeviceLost, DeviceTimeout, NotDelivered
from vsalang.phone.open import open_device
from vsalang.phone.open.simulated import SimulatedDevice
from vsalang.phone.uiautomator import adb_client, connect
from vsalang.program.action import Action
from vsalang.program.screen import UnresolvedTarget

pytest.importorskip("uiautomator2")
PACKAGE = "com.opentable"


@pytest.fixture(scope="module")
def opened() -> Iterator[SimulatedDevice]:
    with open_device("sim:restaurant") as device:
        assert isinstance(device, SimulatedDevice)
        yield device


@pytest.fixture
def device(opened: SimulatedDevice) -> SimulatedDevice:
    opened.phone.stop_app(PACKAGE, clear=True)
    opened.phone.open_app(PACKAGE)
    return opened


def do(device: SimulatedDevice, name: str, **args: Any) -> None:
    """Resolve a gesture on the screen that shows, and carry it out, as the guard does."""
    action = Action(name, args)
    device.perform(action, device.observe().target(name, args))


def texts(device: SimulatedDevice, id: str) -> list[Any]:
    return [row.get("text") for row in device.observe().rows("Node") if row.get("id") == id]


def test_what_it_sees(device: SimulatedDevice) -> None:
    screen = device.observe()
    assert screen.settled
    assert not screen.partial
    assert list(screen.rows("App")) == [{"package": PACKAGE, "activity": ".SearchActivity"}]
    assert list(screen.rows("Clock")) == [{"now": device.phone.clock.time(), "today": dt.date(2026, 4, 1)}]
    box = next(row for row in screen.rows("Node") if row.get("id") == "search_box")
    assert box["editable"] is True
    assert box["length"] == 0
    assert "text" not in box
    assert device.observe().fingerprint == screen.fingerprint
    assert (device.info.model, device.info.width, device.info.height) == ("VSA Phone", 720, 1520)


def test_the_list_of_times_is_complete_without_scrolling(device: SimulatedDevice) -> None:
    do(device, "tap", text="R")
    screen = device.observe()
    slots = next(row["node"] for row in screen.rows("Node") if row.get("id") == "slots")
    assert {"node": slots} in list(screen.rows("Fits"))
    rows = [row["node"] for row in screen.rows("Node") if row.get("parent") == slots]
    offered = {}
    for row in rows:
        parts = {part.get("id"): part for part in screen.rows("Part") if part["of"] == row}
        offered[parts["slot_time"]["text"]] = parts["slot_button"]["enabled"]
    assert offered == {
        "17:30": False, "18:30": True, "18:45": False, "19:30": True, "20:00": True, "21:15": False,
    }  # fmt: skip
    days = [row["text"] for row in screen.rows("Node") if row.get("id") == "day_chip" and row["selected"]]
    assert days == ["2026-04-01"]


def test_tap_takes_the_node_and_nothing_else(device: SimulatedDevice) -> None:
    before = len(device.phone.inputs)
    do(device, "tap", text="R")
    assert [(item.kind, item.target) for item in device.phone.inputs[before:]] == [("tap", "result_card")]


def test_double_tap_and_long_press(device: SimulatedDevice) -> None:
    before = len(device.phone.inputs)
    do(device, "double_tap", id="search_box")
    do(device, "long_press", id="search_box")
    assert [item.kind for item in device.phone.inputs[before:]] == ["tap", "tap", "long_press"]


def test_input_text_sets_what_was_judged(device: SimulatedDevice) -> None:
    do(device, "input_text", id="search_box", value="Sakura")
    assert texts(device, "search_box") == ["Sakura"]
    do(device, "input_text", id="search_box", value="Trattoria")
    assert texts(device, "search_box") == ["Trattoria"]
    assert texts(device, "result_title") == ["Trattoria Roma"]
    do(device, "clear_text", id="search_box")
    assert device.phone.state(PACKAGE)["query"] == ""
    assert [i.kind for i in device.phone.inputs[-4:]] == ["tap", "set_text", "set_text", "clear_text"]


def test_text_is_not_typed_into_another_field(device: SimulatedDevice) -> None:
    do(device, "tap", id="search_box")
    before = device.phone.state(PACKAGE)["query"]
    with pytest.raises(DeviceError, match="another field"):
        device.perform(Action("input_text", {"value": "secret"}), {"x": 20, "y": 900, "value": "secret"})
    assert device.phone.state(PACKAGE)["query"] == before


def test_scroll_down_shows_what_is_below(device: SimulatedDevice) -> None:
    do(device, "scroll", id="results", direction="down")
    assert "Taverna Delphi" in texts(device, "result_title")
    do(device, "scroll", id="results", direction="up")
    assert "R" in texts(device, "result_title")
    do(device, "swipe", id="results", direction="up")
    assert device.phone.inputs[-1].y > device.phone.inputs[-1].y2
    device.perform(Action("swipe"), {"x": 300, "y": 600, "x2": 300, "y2": 1200})
    assert (device.phone.inputs[-1].x, device.phone.inputs[-1].y2) == (300, 1200)


def test_keys_and_apps(device: SimulatedDevice) -> None:
    do(device, "tap", text="R")
    device.perform(Action("back"), {})
    assert texts(device, "search_box")
    device.perform(Action("press_key", {"key": "enter"}), {"key": "enter"})
    device.perform(Action("home"), {})
    assert device.phone.package != PACKAGE
    device.perform(Action("open_app", {"package": PACKAGE}), {})
    assert device.phone.package == PACKAGE
    assert [i.text for i in device.phone.inputs[-4:]] == ["BACK", "ENTER", "HOME", PACKAGE]
    assert device.phone.inputs[-1].kind == "open_app"


def test_wait_and_shell(device: SimulatedDevice) -> None:
    before = device.phone.clock
    device.perform(Action("wait", {"duration": dt.timedelta(seconds=1)}), {})
    assert device.phone.clock - before == dt.timedelta(seconds=1)
    device.perform(Action("shell", {"command": "input tap 5 1500"}), {})
    assert (device.phone.inputs[-1].x, device.phone.inputs[-1].y) == (5, 1500)


def test_toasts_are_seen_once(device: SimulatedDevice) -> None:
    do(device, "tap", id="more_button")
    do(
        device,
        "tap",
        node=next(r["node"] for r in device.observe().rows("Node") if r.get("id") == "menu_help"),
    )
    assert list(device.observe().rows("Toast")) == [{"text": "Questions? Ask at the front desk"}]
    assert list(device.observe().rows("Toast")) == []


def test_screenshot_is_a_png(device: SimulatedDevice) -> None:
    assert device.screenshot().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("action", "says"),
    [
        (Action("press_key", {"key": "NO_SUCH_KEY"}), "does not know the key"),
    ],
)
def test_what_was_asked_for_is_never_called_undelivered(
    device: SimulatedDevice, action: Action, says: str
) -> None:
    with pytest.raises(DeviceError, match=says) as raised:
        device.perform(action, {})
    assert raised.value.delivered is None and not isinstance(raised.value, NotDelivered)


def test_an_app_that_is_not_there_is_not_opened(device: SimulatedDevice) -> None:
    """It is asked for before anything is sent."""
    before = list(device.phone.inputs)
    with pytest.raises(NotDelivered, match=r"has no app com\.example\.absent"):
        device.perform(Action("open_app", {"package": "com.example.absent"}), {})
    assert list(device.phone.inputs) == before


@pytest.mark.parametrize(
    ("action", "target"),
    [
        (Action("tap"), {}),
        (Action("tap"), {"x": -5, "y": 3}),
        (Action("tap"), {"x": True, "y": 3}),
        (Action("input_text"), {"x": 5, "y": 1500}),
        (Action("press_key", {"key": "ENTER; reboot"}), {}),
        (Action("open_app", {"name": "Tables"}), {}),
        (Action("open_app", {"package": "x; input tap 1 1"}), {}),
        (Action("swipe", {"direction": "sideways"}), {"x": 5, "y": 5}),
        (Action("wait", {"duration": dt.timedelta(days=1)}), {}),
        (Action("shell", {"command": " "}), {}),
        (Action("install", {"package": "com.example"}), {}),
        (Action("Reserve"), {}),
    ],
)
def test_what_cannot_be_carried_out_is_not_delivered(
    device: SimulatedDevice, action: Action, target: dict[str, Any]
) -> None:
    before = device.phone.inputs
    with pytest.raises(NotDelivered):
        device.perform(action, target)
    assert device.phone.inputs == before


def test_an_ambiguous_target_is_the_screens_to_refuse(device: SimulatedDevice) -> None:
    with pytest.raises(UnresolvedTarget):
        device.observe().target("tap", {"id": "result_card"})


def test_actions_for_the_user_change_nothing(device: SimulatedDevice) -> None:
    before = device.phone.inputs
    for name in ("answer", "finish", "give_up"):
        device.perform(Action(name), {})
    assert device.phone.inputs == before


def test_a_lost_device_starts_no_adb_server(monkeypatch: pytest.MonkeyPatch) -> None:
    import adbutils._adb

    def refuse(*args: Any, **kwargs: Any) -> None:
        raise AssertionError(f"a program was started: {args}")

    monkeypatch.setattr(adbutils._adb.subprocess, "run", refuse)
    device = open_device("sim:restaurant")
    assert isinstance(device, SimulatedDevice)
    screen = device.observe()
    target = screen.target("tap", {"id": "app_icon"})
    device._simulated.close()
    with pytest.raises(DeviceLost):
        device.observe()
    with pytest.raises(DeviceLost):
        device.screenshot()
    with pytest.raises(NotDelivered):
        device.perform(Action("tap"), target)
    assert device.phone.inputs == ()
    device.close()
    device.close()
    with pytest.raises(NotDelivered, match="closed"):
        device.perform(Action("tap"), target)


def test_a_connection_that_breaks_is_not_called_undelivered() -> None:
    with open_device("sim:restaurant") as device:
        assert isinstance(device, SimulatedDevice)
        phone = device.phone
        tap = phone.tap

        def tap_and_die(x: int, y: int) -> None:
            tap(x, y)
            device._simulated.close()

        phone.tap = tap_and_die  # type: ignore[method-assign]
        with pytest.raises(DeviceError) as raised:
            device.perform(Action("tap"), {"x": 300, "y": 700})
        assert len(phone.inputs) == 1
        assert not isinstance(raised.value, NotDelivered)


def test_a_device_that_does_not_answer_is_a_timeout(monkeypatch: pytest.MonkeyPatch) -> None:
    import threading

    import vsalang.phone.uiautomator.adb as module

    with open_device("sim:restaurant") as device:
        assert isinstance(device, SimulatedDevice)
        released = threading.Event()
        monkeypatch.setattr(device.phone, "tap", lambda x, y: released.wait(30))
        monkeypatch.setattr(module, "LONGEST_ANSWER", 0.2)
        with pytest.raises(DeviceTimeout):
            device.perform(Action("tap"), {"x": 300, "y": 700})
        released.set()


def test_no_server_and_no_device_are_told_apart(
    monkeypatch: pytest.MonkeyPatch, opened: SimulatedDevice
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        free = taken.getsockname()[1]
    with pytest.raises(DeviceLost, match="does not answer"):
        connect("some-phone", adb_host="127.0.0.1", adb_port=free)
    with pytest.raises(DeviceLost, match="there are: sim-restaurant"):
        open_device("some-phone", adb_host="127.0.0.1", adb_port=opened.adb_port)
    monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", "many")
    with pytest.raises(DeviceError, match="ANDROID_ADB_SERVER_PORT"):
        adb_client()


def test_a_screen_that_keeps_changing_is_not_settled(
    monkeypatch: pytest.MonkeyPatch, device: SimulatedDevice
) -> None:
    eyes = device._device._eyes
    look = eyes.look

    def restless() -> Any:
        device.phone.tap_id("more_button" if len(device.phone.inputs) % 2 else "menu_scrim")
        return look()

    if len(device.phone.inputs) % 2 == 0:
        device.phone.key("VOLUME_UP")
    monkeypatch.setattr(eyes, "look", restless)
    monkeypatch.setattr(eyes, "_timeout", 0.1)
    screen = device.observe()
    assert not screen.settled
    assert list(screen.rows("Settled")) == []


def test_a_cut_off_tree_vouches_for_no_absence(tmp_path: Path) -> None:
    (tmp_path / "phone.toml").write_text(
        """
        [phone]
        clock = 2030-01-02T03:04:05
        [[app]]
        package = "org.example.deep"
        label = "Deep"
        start = "main"
        [[app.screen]]
        name = "main"
        """
    )
    for levels, partial in ((40, False), (55, True)):
        (tmp_path / "main.xml").write_text("<column>" * levels + '<text text="deep"/>' + "</column>" * levels)
        with open_device(f"sim:{tmp_path}") as device:
            device.perform(Action("open_app", {"package": "org.example.deep"}), {})
            screen = device.observe()
            assert screen.partial is partial
            assert bool(list(screen.rows("Fits"))) is not partial


def test_names_of_simulated_phones() -> None:
    with pytest.raises(DeviceError, match="no simulated phone 'absent'"):
        open_device("sim:absent")
    with pytest.raises(
        DeviceError, match="no scenario is called 'absent'; there are: flaky, full, interrupted"
    ):
        open_device("sim:restaurant#absent")


def test_scenarios_change_the_beginning() -> None:
    with open_device("sim:restaurant#full") as device:
        assert isinstance(device, SimulatedDevice)
        device.phone.open_app(PACKAGE)
        device.phone.tap_id("R")
        enabled = [w.flag("enabled") for w in device.phone.widgets() if w.id == "slot_button"]
        assert enabled == [False, False, False, True, True, False]
