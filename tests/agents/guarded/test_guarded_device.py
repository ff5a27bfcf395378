"""`GuardedDevice`: uiautomator2's own programs run on it, and what the rules do not allow does not reach the phone."""

import datetime as dt
import inspect
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import adbutils
import pytest
import uiautomator2 as u2
from uiautomator2 import watcher, xpath
from uiautomator2._selector import UiObject
from uiautomator2.core import _http_request

from tests.agents.guarded.conftest import PACKAGE, ROOT, blocked, kinds
from vsalang import Action, ActionBlocked, Guard, load
from vsalang.agents.adapters.uiautomator2 import api
from vsalang.agents.adapters.uiautomator2.adb import GuardedAdb
from vsalang.agents.adapters.uiautomator2.device import GuardedDevice
from vsalang.phone.gate import ActionRefused
from vsalang.phone.open.simulated import SimulatedDevice

# ---------------------------------------------------------------------- a program for uiautomator2


def test_a_task_from_beginning_to_end(phone: SimulatedDevice, d: GuardedDevice) -> None:
    assert isinstance(d, u2.Device)
    assert d(text="R").exists
    d(text="R").click()
    told = blocked(phone, d(text="20:00").click, ActionBlocked)
    assert "20:00" in told and "19:00" in told
    d.xpath("//*[@text='18:30']").click()
    with pytest.raises(ActionBlocked):
        d.finish()
    d(resourceId=f"{PACKAGE}:id/reserve_button").click()
    assert kinds(phone) == ["open_app", "tap", "tap", "tap"]
    assert phone.phone.state(PACKAGE)
    assert "18:30" in d.dump_hierarchy()
    d.finish()
    assert d.guard.finished
    assert blocked(phone, lambda: d.click(10, 10))


def test_the_other_restaurant_is_not_booked(phone: SimulatedDevice, d: GuardedDevice) -> None:
    d(text="Q").click()
    with pytest.raises(ActionBlocked):
        d(text="20:30").click()
    assert "20:30" in d.feedback
    d(text="20:30").click()  # a warning may be repeated
    told = blocked(phone, d(resourceId=f"{PACKAGE}:id/reserve_button").click, ActionBlocked)
    assert "Reserve" in told
    assert d.roadmap().startswith('1. Reserve (restaurant is "R"')


@pytest.mark.parametrize(
    "act",
    [
        lambda d, x, y: d.click(x, y),
        lambda d, x, y: d.click(x / 720, y / 1520),
        lambda d, x, y: d.double_click(x, y),
        lambda d, x, y: d.touch.down(x, y).up(x, y),
        lambda d, x, y: d.jsonrpc.click(x, y),
        lambda d, x, y: d.jsonrpc_call("click", [x, y]),
        lambda d, x, y: d.swipe(x, y, x + 2, y + 1),
        lambda d, x, y: d.shell(f"input tap {x} {y}"),
        lambda d, x, y: d.shell(["input", "tap", str(x), str(y)]),
        lambda d, x, y: d.shell(f"true && input tap {x} {y}; echo done"),
        lambda d, x, y: d.adb_device.shell(f"input tap {x} {y}"),
        lambda d, x, y: d.adb_device.shell2(f"input tap {x} {y}", v2=True),
        lambda d, x, y: d.adb_device.click(x, y),
        lambda d, x, y: d._dev.swipe(x, y, x, y, 0.1),
        lambda d, x, y: d.xpath("//*[@resource-id='com.opentable:id/reserve_button']").click(),
        lambda d, x, y: d.xpath("//*[@resource-id='com.opentable:id/reserve_button']").get().click(),
        lambda d, x, y: d(resourceId="com.opentable:id/reserve_button").click(),
        lambda d, x, y: d(resourceId="com.opentable:id/reserve_button").click_exists(),
        lambda d, x, y: d.jsonrpc.click(d(resourceId="com.opentable:id/reserve_button").selector),
    ],
)
def test_every_way_to_the_wrong_button_is_judged(
    phone: SimulatedDevice, d: GuardedDevice, act: Callable[[Any, int, int], Any]
) -> None:
    phone.phone.tap_id("Q")
    phone.phone.tap_id("20:30")
    node = next(row for row in phone.observe().rows("Node") if row.get("id") == "reserve_button")
    x, y = (node["left"] + node["right"]) // 2, (node["top"] + node["bottom"]) // 2
    blocked(phone, lambda: act(d, x, y))
    assert not phone.phone.state(PACKAGE).get("booked")


# ---------------------------------------------------------------------- ways around


@pytest.mark.parametrize(
    "call",
    [
        lambda d: d.jsonrpc.executeShellCommand("input tap 1 1", 1000),
        lambda d: d.jsonrpc.registerClickUiObjectWatcher("w", [], {}),
        lambda d: d.jsonrpc.runWatchers(),
        lambda d: d.jsonrpc.setConfigurator({}),
        lambda d: d.jsonrpc.noSuchMethod(),
        lambda d: d.jsonrpc_call("click", [{"mask": 1}]),
        lambda d: d.jsonrpc_call("click", object()),
        lambda d: d.toast.show("Booked!"),
        lambda d: d(text="R").pinch_in(),
        lambda d: d(textContains="R").set_text("x"),
        lambda d: d.shell("input tap $(cat /sdcard/x) 1"),
        lambda d: d.shell("sh -c 'input tap 1 1'"),
        lambda d: d.shell("app_process / com.wetest.uia2.Main -p 9009"),
        lambda d: d.shell(""),
        lambda d: d.shell("settings put global airplane_mode_on 1"),
        lambda d: d.show_touch_trace(),
        lambda d: d.push(b"x", "/sdcard/x.txt"),
        lambda d: d.push(b"x", "/data/local/tmp/u2.jar"),
        lambda d: d.adb_device.push(__file__, "/sdcard/x.txt"),
        lambda d: d.adb_device.sync.push(b"x", "/sdcard/../sdcard/x"),
        lambda d: d.adb_device.install(__file__),
        lambda d: d.app_install(__file__),
        lambda d: d.app_clear(PACKAGE),
        lambda d: d.app_stop(PACKAGE),
        lambda d: d.app_uninstall(PACKAGE),
        lambda d: d.app_stop_all(),
        lambda d: d.open_url("https://example.org"),
        lambda d: d.adb_device.reboot(),
        lambda d: d.adb_device.root(),
        lambda d: d.adb_device.tcpip(5555),
        lambda d: d.adb_device.forward("tcp:0", "tcp:9008"),
        lambda d: d.adb_device.forward_port(9008),
        lambda d: d.adb_device.reverse("tcp:1", "tcp:2"),
        lambda d: d.adb_device.create_connection(adbutils.Network.TCP, 9008),
        lambda d: d.adb_device.create_connection(adbutils.Network.LOCAL_ABSTRACT, "scrcpy"),
        lambda d: d.adb_device.adb_output("shell", "input", "tap", "1", "1"),
        lambda d: d.adb_device.start_recording("x.mp4"),
        lambda d: d.adb_device.open_transport().conn,
        lambda d: d.adb_device.open_transport().send_command("tcp:9008"),
        lambda d: d.adb_device.open_transport().send_command("shell:input tap 1 1"),
        lambda d: d.adb_device.open_transport().send_command("sync:"),
        lambda d: d.adb_device.open_transport().send_command("shell:"),
        lambda d: d.adb_device.open_transport().send_command("abb_exec:package\0clear\0com.opentable"),
        lambda d: d.adb_device.open_transport().send_command("exec:input tap 1 1"),
        lambda d: d.adb_device.open_transport("forward:tcp:1;tcp:9008"),
        lambda d: d.adb_device.open_shell("input tap 1 1"),
        lambda d: d.adb_device.shell("input tap 1 1", stream=True),
        lambda d: d.adb_device.sync._prepare_sync("/sdcard/x,33188", "SEND"),
        lambda d: d.adb_device._client.make_connection(),
        lambda d: d.adb_device._client.device(serial=d.serial),
        lambda d: _http_request(d.adb_device, 9008, "POST", "/jsonrpc/0", {"method": "click"}),
        lambda d: d.screenrecord("x.mp4"),
        lambda d: d.send_action("search"),
        lambda d: d.set_input_ime(),
        lambda d: d.clipboard.__class__ and d.set_clipboard("secret"),
        lambda d: setattr(d, "clipboard", "secret"),
        lambda d: d.send_keys("secret"),
        lambda d: setattr(d, "orientation", "left"),
        lambda d: d.freeze_rotation(),
        lambda d: d.open_notification(),
        lambda d: d.session("com.example.absent"),
    ],
)
def test_no_way_around(phone: SimulatedDevice, d: GuardedDevice, call: Callable[[Any], Any]) -> None:
    blocked(phone, lambda: call(d))


def test_the_unguarded_client_stands_in_no_attribute(d: GuardedDevice) -> None:
    """Nothing that can be reached by attributes, however many, is an unguarded device, client or server."""
    seen: set[int] = set()
    todo: list[Any] = [d]
    while todo:
        each = todo.pop()
        if id(each) in seen or isinstance(each, str | int | float | bytes | type | None.__class__):
            continue
        seen.add(id(each))
        assert not isinstance(each, adbutils.AdbClient)
        assert isinstance(each, GuardedAdb) or not isinstance(each, adbutils.AdbDevice)
        assert isinstance(each, GuardedDevice) or not isinstance(each, u2.Device)
        if isinstance(each, dict):
            todo += list(each.values())
        if type(each).__module__.partition(".")[0] in ("uiautomator2", "adbutils") or isinstance(
            each, GuardedDevice | GuardedAdb
        ):
            todo += list(getattr(each, "__dict__", {}).values())
        todo += [
            value for name in ("__self__", "__wrapped__") if (value := getattr(each, name, None)) is not None
        ]
    assert len(seen) > 4


# ---------------------------------------------------------------------- what only tells


def test_reading_passes_beside_the_guard(phone: SimulatedDevice, d: GuardedDevice, tmp_path: Path) -> None:
    before = phone.phone.inputs
    assert d.info["displayWidth"] == 720
    assert d.app_current()["package"] == PACKAGE
    assert d.window_size() == (720, 1520)
    assert d.device_info["model"] == "VSA Phone"
    assert d.serial == phone.info.serial
    assert d.shell("echo hello; false").output == "hello\n"
    assert d.shell("false").exit_code == 1
    assert d.adb_device.shell(["getprop", "ro.product.model"]) == "VSA Phone"
    assert d.adb_device.shell2("echo a", v2=True).stdout == "a\n"
    assert d.adb_device.get_state() == "device"
    assert d.adb_device.app_current().package == PACKAGE
    assert d.adb_device.shell("getprop", stream=True).read_until_close().startswith("[")
    assert d.screenshot().size == (720, 1520)
    assert d.adb_device.screenshot().size == (720, 1520)
    assert PACKAGE in d.app_list()
    assert d(text="R").info["text"] == "R"
    assert d(text="absent").wait(timeout=0.1) is False
    assert not d.xpath("//*[@text='absent']").exists
    assert len(d.xpath("//*[@clickable='true']").all()) > 3
    assert d.clipboard is None
    assert d.orientation == "natural"
    phone._simulated.services.files.write("/sdcard/x.txt", b"content")
    d.pull("/sdcard/x.txt", str(tmp_path / "x.txt"))
    assert (tmp_path / "x.txt").read_bytes() == b"content"
    assert d.adb_device.sync.read_text("/sdcard/x.txt") == "content"
    assert d.adb_device.sync.stat("/sdcard/x.txt").size == 7
    d.start_uiautomator()
    d.stop_uiautomator()
    d.reset_uiautomator()
    assert d(text="R").exists
    assert phone.phone.inputs == before
    assert d.feedback == ""


def test_a_toast_is_told_to_agent_and_guard(
    phone: SimulatedDevice, d: GuardedDevice, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert d.last_toast is None
    phone.phone.last_toast = "Booked for 19:00"
    assert d.toast.get_message(wait_timeout=0) == "Booked for 19:00"
    d.clear_toast()
    assert d.last_toast is None
    seen: list[str] = []
    observe = d.guard.observe

    def listening(screen: Any, *rest: Any, **more: Any) -> Any:
        seen.extend(row["text"] for row in screen.rows("Toast"))
        return observe(screen, *rest, **more)

    monkeypatch.setattr(d.guard, "observe", listening)
    d(text="R").click()
    assert seen == ["Booked for 19:00"]


def test_errors_of_the_library_stay_its_own(phone: SimulatedDevice, d: GuardedDevice) -> None:
    with pytest.raises(u2.UiObjectNotFoundError):
        d(text="absent").click(timeout=0.1)
    with pytest.raises(u2.XPathElementNotFoundError):
        d.xpath("//*[@text='absent']").click(timeout=0.1)
    with pytest.raises(AttributeError):
        d.no_such_thing  # noqa: B018
    assert kinds(phone) == ["open_app"]


# ---------------------------------------------------------------------- what it is made from


def test_a_client_that_is_connected_already(phone: SimulatedDevice) -> None:
    loaded = load(str(ROOT / "app_specs/examples/reserve_r.vsa"))
    assert loaded.program is not None
    client = phone.connection.link.u2
    d = GuardedDevice(client, Guard(loaded.program, today=dt.date(2026, 4, 1)))
    d(text="R").click()
    d.close()
    assert client.info["displayWidth"] == 720  # it is not ours to end
    with pytest.raises(TypeError, match="guarded already"):
        GuardedDevice(d, Guard(loaded.program, today=dt.date(2026, 4, 1)))
    with pytest.raises(TypeError, match="not int"):
        GuardedDevice(5, Guard(loaded.program, today=dt.date(2026, 4, 1)))


def test_a_device_by_name_is_opened_and_closed() -> None:
    loaded = load(str(ROOT / "app_specs/examples/reserve_r.vsa"))
    assert loaded.program is not None
    guard = Guard(loaded.program, today=dt.date(2026, 4, 1))
    with GuardedDevice("sim:restaurant", guard, confirm=lambda verdict: True) as d:
        d.app_start(PACKAGE)
        assert d(text="R").wait(timeout=1)
    with pytest.raises(Exception, match=r"adb|connect|closed"):
        d.info  # noqa: B018


def test_a_yes_of_the_user_and_what_is_told(phone: SimulatedDevice) -> None:
    loaded = load(str(ROOT / "app_specs/examples/reserve_r.vsa"))
    assert loaded.program is not None
    events: list[Any] = []
    d = GuardedDevice(
        phone,
        Guard(loaded.program, today=dt.date(2026, 4, 1)),
        listener=events.append,
        confirm=lambda verdict: True,
    )
    d.claim(Action("Reserve"))
    with pytest.raises(ActionBlocked):
        d(text="R").click()  # a claim adds duty
    d(text="R").click()
    assert [event.outcome for event in events] == ["blocked", "passed"]
    assert json.dumps(events[0].feedback)


@pytest.mark.slow
def test_the_package_offers_it_and_loads_it_on_use() -> None:
    import subprocess
    import sys

    import vsalang

    assert vsalang.GuardedDevice is GuardedDevice
    program = (
        "import sys, vsalang\nfrom vsalang import *\nassert 'uiautomator2' not in sys.modules\n"
        "vsalang.GuardedDevice\nassert 'uiautomator2' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True, timeout=120)


# ---------------------------------------------------------------------- every name of the library is known


@pytest.mark.parametrize(
    ("kind", "table"),
    [
        (u2.Device, api.DEVICE),
        (u2.Session, api.SESSION),
        (UiObject, api.OBJECT),
        (xpath.XPathEntry, api.XPATH),
        (xpath.DeviceXPathSelector, api.XPATH_SELECTOR),
        (xpath.DeviceXMLElement, api.XPATH_ELEMENT),
        (adbutils.AdbDevice, api.ADB),
        (adbutils.Sync, api.SYNC),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_every_name_is_classified(kind: type, table: Any) -> None:
    there = {name for name in dir(kind) if not name.startswith("_")}
    assert there == set(table), (there ^ set(table), "the library has other names than the table")


def test_every_name_of_watchers_is_classified() -> None:
    there = {
        name
        for kind in (watcher.Watcher, watcher.XPathWatcher, watcher.WatchContext)
        for name in dir(kind)
        if not name.startswith("_")
    }
    assert there == set(api.WATCHER)


def test_what_is_said_to_read_reads(phone: SimulatedDevice, d: GuardedDevice) -> None:
    """Every method of the device that is said to read, called as it can be: nothing of it is judged."""
    arguments: dict[str, tuple[Any, ...]] = {
        "app_info": (PACKAGE,),
        "app_wait": (PACKAGE, 0.1),
        "exists": (),
        "pull": ("/data/local/tmp/u2.jar", "/dev/null"),
        "wait_activity": ("x", 0.1),
        "wlan_ip": (),
    }
    before = phone.phone.inputs
    for name, how in api.DEVICE.items():
        if how != "reads" or name == "wlan_ip":  # `ip addr` is judged: it is more than is known to read
            continue
        value = inspect.getattr_static(type(d), name)
        if isinstance(value, property):
            getattr(d, name)
        else:
            getattr(d, name)(*arguments.get(name, ()))
    assert phone.phone.inputs == before
    assert d.feedback == ""


def test_a_name_that_a_newer_library_adds_is_refused(
    phone: SimulatedDevice, d: GuardedDevice, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(u2.Device, "warp", lambda self: self._dev.shell("input tap 1 1"), raising=False)
    assert "not known to be harmless" in blocked(phone, lambda: d.warp(), ActionRefused)

    class Mine(GuardedDevice):
        def book(self) -> str:
            return "mine"

    mine = Mine(phone, d.guard)
    assert mine.book() == "mine"
