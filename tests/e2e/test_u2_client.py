"""The real uiautomator2 client against the simulated phone, over loopback, with no adb binary."""

import io
import warnings
from collections.abc import Iterator
from typing import Any

import pytest

from vsalang.phone.sim import SimulatedPhone, load
from vsalang.phone.sim.phone import Phone
from vsalang.phone.uiautomator import adb_client

u2 = pytest.importorskip("uiautomator2")
PACKAGE = "com.opentable"
RES = f"{PACKAGE}:id/"


@pytest.fixture(scope="module")
def simulated() -> Iterator[SimulatedPhone]:
    with SimulatedPhone.start(load("restaurant")) as running:
        yield running


@pytest.fixture(scope="module")
def client(simulated: SimulatedPhone) -> Iterator[Any]:
    device = u2.connect(adb_client("127.0.0.1", simulated.port).device(serial=simulated.serial))
    yield device
    device.stop_uiautomator(wait=False)


@pytest.fixture
def phone(simulated: SimulatedPhone) -> Phone:
    """The phone, on the app's first screen, as after an installation."""
    simulated.phone.stop_app(PACKAGE, clear=True)
    simulated.phone.open_app(PACKAGE)
    simulated.phone.last_toast = None
    return simulated.phone


def test_the_jar_was_really_pushed(client: Any, simulated: SimulatedPhone) -> None:
    from importlib.resources import files

    jar = files("uiautomator2").joinpath("assets", "u2.jar").read_bytes()
    assert client.adb_device.sync.read_bytes("/data/local/tmp/u2.jar") == jar


def test_a_second_connection_finds_jar_and_server(client: Any, simulated: SimulatedPhone) -> None:
    again = u2.connect(adb_client("127.0.0.1", simulated.port).device(serial=simulated.serial))
    assert again._process is None
    assert again.info["currentPackageName"]


def test_info(client: Any, phone: Phone) -> None:
    info = client.info
    assert (info["displayWidth"], info["displayHeight"]) == (720, 1520)
    assert (info["displaySizeDpX"], info["sdkInt"], info["screenOn"]) == (360, 34, True)
    assert info["currentPackageName"] == PACKAGE
    assert client.window_size() == (720, 1520)
    assert client.device_info["model"] == "VSA Phone"
    assert client.orientation == "natural"
    assert client.adb_device.rotation() == 0
    assert client.adb_device.is_screen_on()
    assert client.adb_device.battery().level == 87


def test_dump_hierarchy(client: Any, phone: Phone) -> None:
    from lxml import etree

    root = etree.fromstring(client.dump_hierarchy().encode())
    ids = {node.get("resource-id") for node in root.iter("node")}
    assert {RES + "search_box", RES + "result_title"} <= ids
    box = root.find(f".//node[@resource-id='{RES}search_box']")
    assert box is not None
    assert box.get("class") == "android.widget.EditText"
    assert box.get("text") == box.get("hint") == "Search restaurants"
    shallow = etree.fromstring(client.dump_hierarchy(max_depth=3).encode())
    assert 0 < len(list(shallow.iter("node"))) < len(list(root.iter("node")))
    assert len(client.dump_hierarchy(compressed=True)) < len(client.dump_hierarchy())


def test_click_at_a_point(client: Any, phone: Phone) -> None:
    left, top, right, bottom = phone.find("search_box").box
    client.click((left + right) / 2, (top + bottom) / 2)
    assert phone.inputs[-1].kind == "tap"
    assert phone.inputs[-1].target == "search_box"
    assert phone.find("search_box").focused


def test_click_by_fractions_of_the_screen(client: Any, phone: Phone) -> None:
    client.click(0.5, 0.25)
    assert (phone.inputs[-1].x, phone.inputs[-1].y) == (360, 380)


def test_click_by_selector_opens_the_restaurant(client: Any, phone: Phone) -> None:
    client(text="Q").click()
    assert phone.inputs[-1].target == "result_card"
    assert client(resourceId=RES + "restaurant_name").get_text() == "Q"
    assert client(resourceId=RES + "restaurant_location").info["text"] == "3 Harbour Square"


def test_click_by_xpath(client: Any, phone: Phone) -> None:
    client.xpath('//*[@text="Trattoria Roma"]').click()
    assert phone.find("restaurant_name").text == "Trattoria Roma"
    assert client.xpath(f'//*[@resource-id="{RES}slot_button"]').all()


def test_selectors(client: Any, phone: Phone) -> None:
    shown = sum(1 for widget in phone.widgets() if widget.id == "result_card")
    assert client(resourceId=RES + "result_card").count == shown >= 6
    assert (
        client(resourceId=RES + "result_card", instance=1).child(resourceId=RES + "result_title").get_text()
        == "Q"
    )
    assert client(resourceId=RES + "result_card")[2].child(textContains="roma").exists
    assert client(textMatches="Tr.*ma").exists
    assert client(textStartsWith="Tratt").exists
    assert not client(textMatches="Tr").exists
    assert client(text="Q").sibling(text="Seafood").exists
    assert client(className="android.widget.EditText", clickable=True, focused=False).exists
    assert not client(text="Nowhere").exists
    assert len(client(resourceId=RES + "result_title").info_list()) >= 6
    assert client(text="R").down(text="Q") is not None
    assert (
        client(resourceId=RES + "results")
        .child_by_text("Q", resourceId=RES + "result_card")
        .info["childCount"]
    )


def test_what_is_not_there_raises_as_on_a_phone(client: Any, phone: Phone) -> None:
    before = phone.inputs
    with pytest.raises(u2.UiObjectNotFoundError):
        client(text="Nowhere").click(timeout=0.05)
    with pytest.raises(u2.UiObjectNotFoundError):
        client.jsonrpc.objInfo(client(text="Nowhere").selector)
    assert phone.inputs == before


def test_unknown_and_wrong_calls_are_rpc_errors(client: Any, phone: Phone) -> None:
    for call in (
        lambda: client.jsonrpc.noSuchMethod(),
        lambda: client.jsonrpc.click("nowhere"),
        lambda: client.jsonrpc.click(1),
        lambda: client.jsonrpc.click(True, True),
        lambda: client.jsonrpc.objInfo({"mask": "x"}),
        lambda: client.jsonrpc.objInfo({"mask": 4, "textMatches": "(" * 50}),
    ):
        with pytest.raises(u2.exceptions.RPCUnknownError):
            call()


def test_set_text_and_clear_text(client: Any, phone: Phone) -> None:
    field = client(resourceId=RES + "search_box")
    field.set_text("sakura")
    assert phone.state(PACKAGE)["query"] == "sakura"
    assert field.get_text() == "sakura"
    assert [w.text for w in phone.widgets() if w.id == "result_title"] == ["Sakura Garden"]
    field.clear_text()
    assert phone.state(PACKAGE)["query"] == ""
    assert [item.kind for item in phone.inputs[-2:]] == ["set_text", "clear_text"]


def test_send_keys_goes_through_the_clipboard(client: Any, phone: Phone) -> None:
    client(resourceId=RES + "search_box").click()
    client.send_keys("ita")
    assert phone.state(PACKAGE)["query"] == "ita"
    client.send_keys("fork", clear=True)
    assert phone.state(PACKAGE)["query"] == "fork"
    assert client.clipboard == "fork"
    client.clear_text()
    assert phone.state(PACKAGE)["query"] == ""


def test_the_keyboard_types_and_goes_away(client: Any, phone: Phone) -> None:
    assert not phone.keyboard_shown
    client(resourceId=RES + "search_box").click()
    assert phone.keyboard_shown
    client(packageName="com.android.inputmethod.latin", description="q").click()
    client(description="Space", packageName="com.android.inputmethod.latin").click()
    assert phone.state(PACKAGE)["query"] == "q "
    client(description="Delete").click()
    assert phone.state(PACKAGE)["query"] == "q"
    client.press("back")
    assert not phone.keyboard_shown
    assert phone.package == PACKAGE


def test_press(client: Any, phone: Phone) -> None:
    client(text="R").click()
    client.press("back")
    assert phone.find("search_box")
    client.press("home")
    assert phone.package == "com.android.launcher3"
    client.press(66)
    client.keyevent("volume_up")
    client.long_press("home")
    assert [item.text for item in phone.inputs[-5:]] == ["BACK", "HOME", "ENTER", "VOLUME_UP", "long HOME"]


def test_swipe_scrolls_the_list(client: Any, phone: Phone) -> None:
    assert not client(text="Taverna Delphi").exists
    client.swipe(360, 1300, 360, 700, duration=0.1)
    assert phone.inputs[-1].kind == "swipe"
    assert client(text="Taverna Delphi").exists
    client.swipe_ext("down", scale=0.8)
    client.swipe_points([(360, 700), (360, 900), (360, 1400)], 0.1)
    assert client(text="R").exists
    client(scrollable=True).scroll.toEnd()
    assert client(text="Taverna Delphi").exists
    client(scrollable=True).scroll.toBeginning()
    assert client(scrollable=True).scroll.to(text="Taverna Delphi")
    client.drag(360, 700, 360, 1400, 0.1)
    assert phone.inputs[-1].kind == "swipe"


def test_long_click_and_double_click(client: Any, phone: Phone) -> None:
    left, top, right, bottom = phone.find("search_box").box
    client.long_click((left + right) / 2, (top + bottom) / 2, 0.6)
    assert phone.inputs[-1].kind == "long_press"
    assert not phone.find("search_box").focused
    client.double_click(20, 1500, duration=0.01)
    assert [(item.kind, item.x, item.y) for item in phone.inputs[-2:]] == [("tap", 20, 1500)] * 2
    client(resourceId=RES + "search_box").long_click()
    assert phone.inputs[-1].kind == "long_press"


def test_touch_that_moves_little_is_a_tap(client: Any, phone: Phone) -> None:
    client.touch.down(300, 1000).move(303, 1003).up(303, 1003)
    assert phone.inputs[-1].kind == "tap"
    client.touch.down(300, 1000).move(300, 900).up(300, 800)
    assert phone.inputs[-1].kind == "swipe"


def test_apps(client: Any, phone: Phone) -> None:
    client.app_stop(PACKAGE)
    assert client.app_current()["package"] == "com.android.launcher3"
    client.app_start(PACKAGE)
    assert client.app_current()["package"] == PACKAGE
    assert client.app_wait(PACKAGE, timeout=1, front=True) > 0
    client.app_start(PACKAGE, ".SearchActivity", stop=True)
    assert client.app_current()["activity"].endswith(".SearchActivity")
    assert PACKAGE in client.app_list()
    assert PACKAGE in client.app_list_running()
    assert client.app_list("-3") == [PACKAGE]
    assert client.app_info(PACKAGE)["versionName"] == "4.2.0"
    with pytest.raises(u2.AppNotFoundError):
        client.app_info("com.example.absent")
    client.app_clear(PACKAGE)
    assert phone.inputs[-1].kind == "clear_app"
    assert not client.app_uninstall("com.example.absent")
    with client.session(PACKAGE) as session:
        assert session.running()
        assert session(text="R").exists
    client.app_start(PACKAGE)


def test_app_state_survives_home_and_not_a_stop(client: Any, phone: Phone) -> None:
    client(text="R").click()
    client.press("home")
    client(description="Tables").click()
    assert phone.find("restaurant_name").text == "R"
    client.app_stop(PACKAGE)
    client.app_start(PACKAGE)
    assert phone.find("search_box")


def test_screenshot(client: Any, phone: Phone) -> None:
    image = client.screenshot()
    assert image.size == (720, 1520)
    assert len(image.getcolors(1 << 20)) > 200
    raw = client.adb_device.screenshot()
    assert raw.size == (720, 1520)
    out = io.BytesIO()
    client(resourceId=RES + "search_box").screenshot().save(out, "PNG")
    assert out.getvalue().startswith(b"\x89PNG")


def test_shell(client: Any, phone: Phone) -> None:
    assert client.shell("echo hello").output == "hello\n"
    assert client.shell(["echo", "two words", "$?"]).output == "two words $?\n"
    absent = client.shell("frobnicate --now")
    assert absent.exit_code == 127
    assert "frobnicate: inaccessible or not found" in absent.output
    assert client.shell("input tap 20 1500").exit_code == 0
    assert (phone.inputs[-1].x, phone.inputs[-1].y) == (20, 1500)
    client.shell("date +%Y-%m-%d")
    assert client.shell("date +%Y-%m-%d").output == "2026-04-01\n"
    assert client.adb_device.shell2("echo out; nothere", v2=True).stderr.startswith("/system/bin/sh: nothere")
    assert client.adb_device.shell2("false", v2=True).returncode == 1


def test_sleep_moves_the_phones_clock(client: Any, phone: Phone) -> None:
    before = phone.clock
    client.shell("sleep 0.2")
    assert (phone.clock - before).total_seconds() == 0.2


def test_toast(client: Any, phone: Phone) -> None:
    client.toast.reset()
    assert client.toast.get_message(wait_timeout=0, default=None) is None
    client(description="More options").click()
    assert client(resourceId=RES + "overflow_menu").exists
    client(text="Help").click()
    assert client.toast.get_message(wait_timeout=1) == "Questions? Ask at the front desk"
    client.toast.reset()
    assert client.last_toast is None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        client.toast.show("hello", 1.0)
    assert client.last_toast == "hello"


def test_push_and_pull(client: Any, phone: Phone, tmp_path: Any) -> None:
    content = bytes(range(256)) * 600
    (tmp_path / "a.bin").write_bytes(content)
    client.push(str(tmp_path / "a.bin"), "/data/local/tmp/")
    client.pull("/data/local/tmp/a.bin", str(tmp_path / "b.bin"))
    assert (tmp_path / "b.bin").read_bytes() == content
    assert "a.bin" in [info.path for info in client.adb_device.sync.list("/data/local/tmp")]
    client.shell("rm /data/local/tmp/a.bin")
    assert not client.adb_device.sync.exists("/data/local/tmp/a.bin")
    assert client.adb_device.dump_hierarchy().startswith("<?xml")


def test_watcher_and_wait(client: Any, phone: Phone) -> None:
    assert client(text="R").wait(timeout=0.1)
    assert client(text="Nowhere").wait_gone(timeout=0.1)
    assert not client(text="R").wait_gone(timeout=0.05)
    with client.watch_context() as watch:
        watch.when("More options").click()
        watch.wait_stable(0.1, timeout=20)


def test_screen_off_takes_no_touches(client: Any, phone: Phone) -> None:
    client.screen_off()
    assert client.info["screenOn"] is False
    client.click(360, 487)
    assert phone.find("search_box")
    client.screen_on()
    assert client.info["screenOn"] is True


def test_booking_from_home_to_receipt(client: Any, phone: Phone) -> None:
    client(text="R").click()
    chips = client(resourceId=RES + "day_chip", selected=True)
    assert chips.get_text() == "2026-04-01"
    row = client(resourceId=RES + "slots").child(resourceId=RES + "slot", instance=1)
    assert row.child(resourceId=RES + "slot_time").get_text() == "18:30"
    assert client(resourceId=RES + "reserve_button").info["enabled"] is False
    row.child(resourceId=RES + "slot_button").click()
    client(resourceId=RES + "reserve_button").click()
    assert client(resourceId=RES + "result_ok").exists
    assert client(resourceId=RES + "reservation_result").get_text() == "Reservation confirmed"
    client(text="Done").click()
    client(text="R").click()
    row = client(resourceId=RES + "slots").child(resourceId=RES + "slot", instance=1)
    assert row.child(resourceId=RES + "slot_button").info["enabled"] is False
