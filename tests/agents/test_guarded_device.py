"""`GuardedDevice`: uiautomator2's own programs run on it, and what the rules do not allow does not reach the phone."""

import contextlib
import datetime as dt
import inspect
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import adbutils
import pytest
import uiautomator2 as u2
from uiautomator2 import watcher, xpath
from uiautomator2._selector import UiObject
from uiautomator2.core import _http_request

from vsalang import Action, ActionBlocked, Guard, load
from vsalang.agents import guarded_api as api
from vsalang.agents.guarded_adb import GuardedAdb, TargetChanged, door_of
from vsalang.agents.guarded_device import GuardedDevice
from vsalang.device import open_device
from vsalang.device.sim.device import SimulatedDevice
from vsalang.gate import ActionRefused
from vsalang.guard import NotAllowed, Settings

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = "com.opentable"


@pytest.fixture
def phone() -> Iterator[SimulatedDevice]:
    with open_device("sim:restaurant") as device:
        assert isinstance(device, SimulatedDevice)
        device.phone.open_app(PACKAGE)
        yield device


@pytest.fixture
def d(phone: SimulatedDevice) -> GuardedDevice:
    loaded = load(str(ROOT / "app_specs/examples/reserve_r.vsa"))
    assert loaded.program is not None
    return GuardedDevice(phone, Guard(loaded.program, today=dt.date(2026, 4, 1)))


def kinds(phone: SimulatedDevice) -> list[str]:
    return [item.kind for item in phone.phone.inputs]


def blocked(phone: SimulatedDevice, call: Callable[[], Any], error: type[NotAllowed] = NotAllowed) -> str:
    """What is said when a call is not let through; nothing reaches the phone by it."""
    inputs = phone.phone.inputs
    files = dict(phone._simulated.services.files._entries)
    settings = dict(phone._simulated.services.shell.settings)
    with pytest.raises(error) as raised:
        call()
    assert phone.phone.inputs == inputs
    assert phone._simulated.services.files._entries == files
    assert phone._simulated.services.shell.settings == settings
    told = raised.value.feedback  # type: ignore[attr-defined]
    assert isinstance(told, str) and told
    return told


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
    assert "Reserve" in d.roadmap() or d.roadmap()


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
    assert d.clipboard is None or isinstance(d.clipboard, str)
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


def test_a_toast_is_told_to_the_agent_and_to_the_guard(
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


# ---------------------------------------------------------------------- what a spec allows


def allowing(phone: SimulatedDevice, text: str) -> GuardedDevice:
    from vsalang.semantics import load_text

    loaded = load_text(
        f"spec s\nimport opentable\n{text}\ndone when finish earlier.\n", file="s.vsa", path=ROOT / "s.vsa"
    )
    if loaded.program is None:
        loaded = load_text(f"spec s\nimport opentable\n{text}\n", file="s.vsa", path=ROOT / "s.vsa")
    assert loaded.program is not None, loaded.diagnostics
    return GuardedDevice(phone, Guard(loaded.program, today=dt.date(2026, 4, 1)))


def test_what_changed_since_it_was_judged_is_not_touched(phone: SimulatedDevice, d: GuardedDevice) -> None:
    """Something comes to the front between the verdict and the input."""
    door = door_of(d)
    tree = door.phone.tree

    def dialog() -> Any:
        phone.phone.tap_id("more_button")
        return tree()

    before = len(phone.phone.inputs)
    door.phone.tree = dialog  # type: ignore[method-assign]
    with pytest.raises(TargetChanged, match="not sent: tap: the target"):
        d(text="R").click()
    assert len(phone.phone.inputs) == before + 1  # the dialog's own
    del door.phone.tree  # type: ignore[method-assign]
    phone.phone.tap_id("menu_scrim")
    d(text="R").click()


def test_typing_is_judged_once_and_done_once(phone: SimulatedDevice, d: GuardedDevice) -> None:
    d(resourceId=f"{PACKAGE}:id/search_box").set_text("Sakura")
    assert phone.phone.state(PACKAGE)["query"] == "Sakura"
    d(resourceId=f"{PACKAGE}:id/search_box").clear_text()
    d(resourceId=f"{PACKAGE}:id/search_box").set_text("日本 👩‍🍳")
    assert phone.phone.state(PACKAGE)["query"] == "日本 👩‍🍳"
    assert kinds(phone)[-3:] == ["set_text", "clear_text", "set_text"]
    d(resourceId=f"{PACKAGE}:id/search_box").click()
    d.send_keys("R", clear=True)
    assert phone.phone.state(PACKAGE)["query"] == "R"
    assert d.feedback == ""


def test_an_allowed_push_and_command(phone: SimulatedDevice) -> None:
    d = allowing(
        phone,
        'allow push_file(path = "/sdcard/Download/a.txt").\n'
        'allow shell(command = "settings put system screen_brightness 7").\n'
        'done when push_file(path = "/sdcard/Download/a.txt") earlier.',
    )
    d.push(b"hello", "/sdcard/Download/a.txt")
    assert phone._simulated.services.files.read("/sdcard/Download/a.txt") == b"hello"
    assert blocked(phone, lambda: d.push(b"again", "/sdcard/Download/a.txt"), ActionBlocked)
    told = blocked(phone, lambda: d.push(b"x", "/sdcard/Download/a.txt,33188"), ActionBlocked)
    assert "a.txt,33188" in told  # the mode is not taken for a part of the name, nor the name for a mode
    answer = d.shell("settings put system screen_brightness 7; echo status=$?")
    assert answer.output == "status=0\n"
    assert phone._simulated.services.shell.settings["system", "screen_brightness"] == "7"


def test_parts_of_a_line_are_judged_one_by_one(phone: SimulatedDevice, d: GuardedDevice) -> None:
    node = next(row for row in phone.observe().rows("Node") if row.get("text") == "R")
    with pytest.raises(ActionBlocked):
        d.shell(f"input tap {node['left']} {node['top'] + 5} && input keyevent HOME; settings put system x 1")
    assert kinds(phone) == ["open_app", "tap", "key"]
    assert ("system", "x") not in phone._simulated.services.shell.settings


def test_the_exit_status_stands_only_where_the_shell_says_it(
    phone: SimulatedDevice, d: GuardedDevice
) -> None:
    """In quotes, and behind a backslash, `$?` is a text: it is typed as it was judged."""
    d(resourceId=f"{PACKAGE}:id/search_box").click()
    assert d.shell("false; input text '$?0$?'").exit_code == 0
    assert phone.phone.state(PACKAGE)["query"] == "$?0$?"
    d.clear_text()
    d.shell('false; input text "\\$?"')
    assert phone.phone.state(PACKAGE)["query"] == "$?"
    assert [item.text for item in phone.phone.inputs if item.kind == "text"] == ["$?0$?", "$?"]
    d.clear_text()
    assert d.shell('input text x; false; echo \'$?\' $? "$?" "\\$?"').output == "$? 1 1 $?\n"


def test_a_command_that_fails_is_not_taken_for_done(phone: SimulatedDevice) -> None:
    """What an input command did that ended with another exit status than 0 is not known."""
    events: list[Any] = []
    loaded = load(str(ROOT / "app_specs/examples/reserve_r.vsa"))
    assert loaded.program is not None
    d = GuardedDevice(phone, Guard(loaded.program, today=dt.date(2026, 4, 1)), told=events.append)
    real = door_of(d).adb.shell2

    def failing(command: str, **options: Any) -> Any:
        answer = real(command, **options)
        answer.returncode = 137
        return answer

    door_of(d).adb.shell2 = failing
    assert d.shell("input keyevent VOLUME_UP || echo again").output == "again\n"
    assert [(event.outcome, event.delivered) for event in events] == [("failed", None)]
    assert "137" in events[0].problem


def test_what_acts_is_waited_for_however_short_the_agent_would_wait(
    phone: SimulatedDevice, d: GuardedDevice
) -> None:
    """Else the next action would be judged on the screen before the first one's effect."""
    door = door_of(d)
    given: list[Any] = []
    real_shell, real_rpc = door.adb.shell2, door.phone.link.u2.jsonrpc_call

    def shell2(command: str, **options: Any) -> Any:
        given.append(options["timeout"])
        return real_shell(command, **options)

    def jsonrpc_call(method: str, params: Any = None, timeout: float = 10) -> Any:
        if method == "click":
            given.append(timeout)
        return real_rpc(method, params, timeout)

    door.adb.shell2 = shell2
    door.phone.link.u2.jsonrpc_call = jsonrpc_call
    d.shell("echo a; input keyevent VOLUME_UP", timeout=0.2)
    d.jsonrpc_call("click", [10, 70], 0.0001)
    assert given == [0.2, 60.0, 60.0]


def test_what_acts_after_a_command_that_tells_is_judged_on_a_new_look(
    phone: SimulatedDevice, d: GuardedDevice
) -> None:
    """Such a command may take its time: the screen may be another one after it."""
    looks: list[bool] = []
    gate = door_of(d).gate
    act = gate.act

    def judged(*args: Any, continued: bool = False, **more: Any) -> Any:
        looks.append(continued)
        return act(*args, continued=continued, **more)

    gate.act = judged  # type: ignore[method-assign]
    d.shell("input keyevent VOLUME_UP; input keyevent VOLUME_UP; getprop; input keyevent VOLUME_UP")
    assert looks == [False, True, False]


def test_what_is_sent_are_the_pixels_that_were_judged(phone: SimulatedDevice, d: GuardedDevice) -> None:
    """The phone cuts a fraction off, and so does the guard: what it judged is what it passes on."""
    door = door_of(d)
    sent: list[Any] = []
    real = door.phone.link.u2.jsonrpc_call

    def jsonrpc_call(method: str, params: Any = None, timeout: float = 10) -> Any:
        sent.append((method, params))
        return real(method, params, timeout)

    door.phone.link.u2.jsonrpc_call = jsonrpc_call
    d.click(10.7, 70.25)
    assert ("click", [10, 70]) in sent
    assert "whole" in blocked(phone, lambda: d.click(10, 1475.99999))


def test_a_finger_is_judged_when_it_is_lifted_and_never_left_on_the_screen(
    phone: SimulatedDevice, d: GuardedDevice
) -> None:
    """What the events are together is judged, not each by itself; of what is blocked nothing was begun."""
    door = door_of(d)
    sent: list[Any] = []
    real = door.phone.link.u2.jsonrpc_call

    def jsonrpc_call(method: str, params: Any = None, timeout: float = 10) -> Any:
        if method == "injectInputEvent":
            sent.append(params[0])
        return real(method, params, timeout)

    door.phone.link.u2.jsonrpc_call = jsonrpc_call
    d.touch.down(360, 500).move(360, 700).up(360, 900)
    assert kinds(phone) == ["open_app", "swipe"] and sent == [0, 2, 1]
    assert door.gate.last is not None
    ways = [[each.args.get(name) for name in ("x", "y", "x2", "y2")] for each in door.gate.last.actions]
    assert [360, 500, 360, 900] in ways

    d.touch.down(30, 300)
    d.press("volume_up")  # another input: the finger is forgotten, it was never down
    assert kinds(phone) == ["open_app", "swipe", "key"] and sent == [0, 2, 1]

    phone.phone.tap_id("R")
    finger = d.touch.down(159, 1027)  # 20:00
    told = blocked(phone, lambda: finger.up(159, 1027), ActionBlocked)
    assert "20:00" in told and sent == [0, 2, 1]


def test_a_double_click_is_one_double_tap(phone: SimulatedDevice, d: GuardedDevice) -> None:
    d.double_click(30, 300)
    last = door_of(d).gate.last
    assert last is not None and [action.name for action in last.actions] == ["double_tap"]
    assert kinds(phone) == ["open_app", "tap", "tap"]
    assert "next pixel" in blocked(phone, lambda: d.double_click(30, 1475.99999))


# ---------------------------------------------------------------------- selectors


def screen(*nodes: str) -> str:
    return (
        "".join(
            (
                '<hierarchy rotation="0">',
                node("", "[0,0][720,1520]", kind="FrameLayout", inner="".join(nodes)),
            )
        )
        + "</hierarchy>"
    )


def node(
    text: str, bounds: str, *, kind: str = "EditText", name: str = "", hint: str = "", inner: str = ""
) -> str:
    flags = "".join(
        f' {flag}="{str(kind != "FrameLayout" and flag in ("clickable", "enabled", "focusable")).lower()}"'
        for flag in ("checkable", "checked", "clickable", "enabled", "focusable", "focused", "scrollable",
                     "long-clickable", "password", "selected")
    )  # fmt: skip
    return (
        f'<node index="0" text="{text}" hint="{hint}" resource-id="{name and "a.b:id/" + name}" '
        f'class="android.widget.{kind}" package="a.b" content-desc=""{flags} visible-to-user="true" '
        f'bounds="{bounds}">{inner}</node>'
    )


FORM = screen(
    node("Name", "[0,100][720,200]", name="other", hint="Name"),  # it is empty: what it says is its hint
    node("Name", "[0,300][720,400]", name="name"),
    node("Send", "[0,500][720,600]", name="send", kind="Button"),
)


@pytest.fixture
def form(tmp_path: Path) -> Iterator[tuple[SimulatedDevice, GuardedDevice]]:
    from vsalang.cli.main import run as vsac

    (tmp_path / "form.xml").write_text(FORM)
    assert vsac(["sim", "new", str(tmp_path / "p"), "--from", str(tmp_path / "form.xml")]) == 0
    with open_device(f"sim:{tmp_path / 'p'}") as device:
        assert isinstance(device, SimulatedDevice)
        device.phone.open_app("a.b")
        loaded = load(str(ROOT / "app_specs/examples/reserve_r.vsa"))
        assert loaded.program is not None
        guard = Guard(loaded.program, today=dt.date(2026, 4, 1))
        yield device, GuardedDevice(device, guard, confirm=lambda verdict: True)


def test_a_selector_never_means_another_node_than_was_judged(
    form: tuple[SimulatedDevice, GuardedDevice],
) -> None:
    """The server on the phone takes the first match; the guard the one that has this text, and not as its hint."""
    phone, d = form
    name = d(text="Name")
    assert name.count == 2 and name.info["bounds"]["top"] == 100
    assert phone.observe().target("tap", {"text": "Name"})["top"] == 300
    for call in (
        lambda: name.set_text("x"),
        lambda: d.jsonrpc.setText(name.selector, "x"),
        lambda: d.jsonrpc.clearTextField(name.selector),
        lambda: d.jsonrpc.clickAndWaitForNewWindow(name.selector, 100),
        lambda: d.jsonrpc.swipe(name.selector, "up", 10),
    ):
        assert "means 2 nodes" in blocked(phone, call, TargetChanged)
    before = len(phone.phone.inputs)
    d.jsonrpc.click(name.selector)
    d.jsonrpc.longClick(name.selector)
    assert [(i.kind, i.y) for i in phone.phone.inputs[before:]] == [("tap", 350), ("long_press", 350)]
    d.jsonrpc.setText(d(resourceId="a.b:id/name").selector, "x")
    d.jsonrpc.setText(d(className="android.widget.EditText", text="x", instance=0).selector, "y")
    told = [(i.kind, i.target, i.text) for i in phone.phone.inputs[before + 2 :]]
    assert told == [("set_text", "name", "x"), ("set_text", "name", "y")]


def test_a_guard_that_only_watches_holds_nothing_back(form: tuple[SimulatedDevice, GuardedDevice]) -> None:
    phone, d = form
    program = d.guard.program
    shadow = GuardedDevice(phone, Guard(program, today=dt.date(2026, 4, 1), settings=Settings(mode="shadow")))
    shadow(text="Name").set_text("x")
    assert phone.phone.inputs[-1].target == "other"  # as it would be without a guard


def test_what_the_server_finds_besides_the_dump_counts(
    form: tuple[SimulatedDevice, GuardedDevice], monkeypatch: pytest.MonkeyPatch
) -> None:
    phone, d = form
    link = door_of(d).phone.link
    real = link.u2.jsonrpc_call
    answers: dict[str, Any] = {"count": 2}
    monkeypatch.setattr(
        link.u2, "jsonrpc_call", lambda method, *rest: answers.get(method) or real(method, *rest)
    )
    field = d(resourceId="a.b:id/name").selector
    assert "means 2 nodes" in blocked(phone, lambda: d.jsonrpc.setText(field, "x"), TargetChanged)
    answers = {"objInfo": {"bounds": {"left": 0, "top": 100, "right": 720, "bottom": 200}}}
    assert "another node" in blocked(phone, lambda: d.jsonrpc.setText(field, "x"), TargetChanged)
    events = door_of(d).gate.last
    assert events is not None and events.delivered is False
    answers = {}
    d.jsonrpc.setText(field, "x")


def test_a_node_that_is_not_found_after_the_input_was_sent_may_have_been_acted_on(
    form: tuple[SimulatedDevice, GuardedDevice], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server clicks a field before it sets its text: that it was not found then does not say nothing was done."""
    phone, d = form
    link = door_of(d).phone.link
    real = link.u2.jsonrpc_call

    def lost(method: str, *rest: Any) -> Any:
        answer = real(method, *rest)
        if method == "setText":
            raise u2.UiObjectNotFoundError(-32002, "androidx.test.uiautomator.UiObjectNotFoundException", [])
        return answer

    monkeypatch.setattr(link.u2, "jsonrpc_call", lost)
    with pytest.raises(u2.UiObjectNotFoundError):
        d.jsonrpc.setText(d(resourceId="a.b:id/name").selector, "x")
    assert phone.phone.inputs[-1].kind == "set_text"
    event = door_of(d).gate.last
    assert event is not None and (event.outcome, event.delivered) == ("failed", None)


def test_sessions_of_the_library(phone: SimulatedDevice, d: GuardedDevice) -> None:
    with_attach = d.session(PACKAGE, attach=True)
    assert isinstance(with_attach, u2.Session) and isinstance(with_attach, GuardedDevice)
    assert with_attach.running()
    assert bool(with_attach(text="R").exists)
    assert blocked(phone, with_attach.close)
    phone.phone.stop_app(PACKAGE)
    with pytest.raises(u2.SessionBrokenError):
        bool(with_attach(text="R").exists)


def test_watchers_act_through_the_guard(phone: SimulatedDevice, d: GuardedDevice) -> None:
    phone.phone.tap_id("Q")
    phone.phone.tap_id("20:30")
    d.watcher.when("//*[@resource-id='com.opentable:id/reserve_button']").click()
    before = phone.phone.inputs
    with contextlib.suppress(NotAllowed):
        d.watcher.run()
    assert phone.phone.inputs == before


def test_an_answer_that_is_missing_sends_nothing_again(phone: SimulatedDevice, d: GuardedDevice) -> None:
    import uiautomator2.core as core

    sent: list[str] = []
    real = core._jsonrpc_call

    def lossy(dev: Any, port: int, method: str, *rest: Any) -> Any:
        answer = real(dev, port, method, *rest)
        if method == "click":
            sent.append(method)
            raise u2.UiAutomationNotConnectedError("android.os.DeadObjectException")
        return answer

    core._jsonrpc_call = lossy
    try:
        with pytest.raises(Exception, match="unknown"):
            d(text="R").click()
    finally:
        core._jsonrpc_call = real
    assert sent == ["click"]
    assert kinds(phone) == ["open_app", "tap"]
    d(text="18:30").click()  # the session goes on
    assert kinds(phone) == ["open_app", "tap", "tap"]


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
        told=events.append,
        confirm=lambda verdict: True,
    )
    d.claim(Action("Reserve"))
    with pytest.raises(ActionBlocked):
        d(text="R").click()  # a claim adds duty
    d(text="R").click()
    assert [event.outcome for event in events] == ["blocked", "passed"]
    assert json.dumps(events[0].feedback)


def test_it_is_offered_by_the_package_and_loaded_on_use() -> None:
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


# ---------------------------------------------------------------------- the guide


def test_the_guide(capsys: pytest.CaptureFixture[str]) -> None:
    page = (ROOT / "docs" / "guides" / "guarded-device.md").read_text(encoding="utf-8")
    scope: dict[str, Any] = {}
    for kind, text in re.findall(r"^```(python|text)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL):
        if kind == "python":
            exec(text, scope)
        else:
            assert capsys.readouterr().out == text
