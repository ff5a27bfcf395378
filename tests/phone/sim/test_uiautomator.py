"""Every operation of the real uiautomator2 client that the simulated phone serves, over both of its ways in.

The snapshot tells for each what the client got and what reached the phone.
"""

import json
import re
import socket
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.phone.adb_peers import ADBS, binary, joined, real_server
from tests.snapshots import golden
from vsalang.phone.sim import Phone, SimulatedPhone, load
from vsalang.phone.sim.rpc_signatures import SIGNATURES

pytest.importorskip("uiautomator2")
GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "phone" / "uiautomator2.txt"
PACKAGE = "org.example.notes"

TOML = """
[phone]
title = "A phone for operations"
clock = 2026-04-01T12:00:00
width = 720
height = 1520
density = 320

[[app]]
package = "org.example.notes"
label = "Notes"
start = "main"

  [app.state]
  note = ""
  done = false
  last = ""

  [[app.screen]]
  name = "main"
  template = "main.xml"

  [[app.screen]]
  name = "page"
  template = "page.xml"
  activity = ".PageActivity"

  [[app.on]]
  event = "open"
  set = { last = "value" }
  goto = "page"

  [[app.on]]
  event = "held"
  toast = "Held {{ value }}"

  [[app.on]]
  event = "sent"
  toast = "Sent {{ note }}"

[[app]]
package = "org.example.other"
label = "Other"
start = "other"

  [[app.screen]]
  name = "other"
  template = "page.xml"

  [app.state]
  last = "other"
"""
MAIN = """
<column width="fill" height="fill" align="fill">
  <text id="title" text="My notes" size="24" bold="true"/>
  <row width="fill" id="bar">
    <edit id="note" hint="A note" text="{{ note }}" bind="note" enter="sent" width="200"/>
    <button id="send" text="Send" tap="sent" desc="Send the note"/>
  </row>
  <row id="flags" checkable="true" checked="{{ done }}" clickable="true" bind="done"><text text="Done"/></row>
  <list id="rows" width="fill" weight="1">
    {% for n in range(40) %}
    <row id="row" width="fill" height="60" tap="open" long="held" value="{{ n }}" long_clickable="true">
      <text id="name" text="Note {{ n }}"/>
      <text id="day" text="Day {{ n % 7 }}"/>
    </row>
    {% endfor %}
  </list>
</column>
"""
PAGE = '<column width="fill" height="fill"><text id="page" text="Page {{ last }}"/></column>'


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("phones") / "phone0"  # pytest numbers its own folder; this name is told
    path.mkdir()
    (path / "phone.toml").write_text(TOML)
    (path / "main.xml").write_text(MAIN)
    (path / "page.xml").write_text(PAGE)
    return path


WAYS = ["server", *(pytest.param(f"adbd-{which}", marks=pytest.mark.slow) for which in ADBS)]


@pytest.fixture(params=WAYS)
def reached(request: pytest.FixtureRequest, folder: Path) -> Iterator[tuple[Any, SimulatedPhone]]:
    """The real client, connected to a fresh phone one way or the other."""
    import adbutils
    import uiautomator2

    with SimulatedPhone.start(load(str(folder))) as simulated:
        way, _, which = request.param.partition("-")
        if way == "server":
            client = adbutils.AdbClient("127.0.0.1", simulated.port)
            yield uiautomator2.connect(client.device(simulated.serial)), simulated
            return
        binary(which)
        with real_server(which) as server, pytest.MonkeyPatch.context() as patch:
            joined(server, simulated.daemon)
            patch.setattr(
                adbutils.AdbConnection, "_create_socket", _at_once(adbutils.AdbConnection._create_socket)
            )
            client = adbutils.AdbClient("127.0.0.1", server.port)
            yield uiautomator2.connect(client.device(simulated.daemon.serial)), simulated


def _at_once(connect: Callable[[Any], socket.socket]) -> Callable[[Any], socket.socket]:
    """The client's connections send each part at once: else it waits 40 ms until the server acknowledges the first."""

    def connected(self: Any) -> socket.socket:
        found = connect(self)
        found.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return found

    return connected


Operation = Callable[[Any, Path], Any]


def row(d: Any, number: int) -> Any:
    return d(resourceId=f"{PACKAGE}:id/row", instance=number)


def field(d: Any) -> Any:
    return d(resourceId=f"{PACKAGE}:id/note")


def rows(d: Any) -> Any:
    return d(resourceId=f"{PACKAGE}:id/rows")


def focus(d: Any) -> None:
    field(d).click()


def setting(d: Any, name: str, value: Any) -> Any:
    setattr(d, name, value)
    return getattr(d, name)


def push_and_pull(d: Any, tmp: Path) -> str:
    (tmp / "sent").write_bytes(b"\0\xff there")
    d.push(str(tmp / "sent"), "/data/local/tmp/there")
    d.pull("/data/local/tmp/there", str(tmp / "back"))
    return repr((tmp / "back").read_bytes())


def watched(d: Any) -> Any:
    d.watcher("send").when("Send").click()
    try:
        return d.watcher.run()
    finally:
        d.watcher.remove()


def context(d: Any) -> Any:
    context = d.watch_context(autostart=False)
    context.when("Note 3").click()
    return context._run()


OPERATIONS: dict[str, Operation] = {
    # the device
    "info": lambda d, _: d.info,
    "device_info": lambda d, _: {key: d.device_info[key] for key in ("model", "sdk", "version", "brand")},
    "window_size": lambda d, _: d.window_size(),
    "serial": lambda d, _: d.shell("getprop ro.serialno").output,
    "shell": lambda d, _: tuple(d.shell("echo one; nothere")),
    "shell list": lambda d, _: tuple(d.shell(["echo", "a b", "$c"])),
    "settings": lambda d, _: d.settings["wait_timeout"],
    "implicitly_wait": lambda d, _: d.implicitly_wait(3.0),
    "push, pull": lambda d, tmp: push_and_pull(d, tmp),
    "wlan_ip": lambda d, _: d.wlan_ip,
    # looking
    "dump_hierarchy": lambda d, _: d.dump_hierarchy().count("<node"),
    "dump_hierarchy compressed": lambda d, _: d.dump_hierarchy(compressed=True, pretty=True).count("<node"),
    "dump_hierarchy depth": lambda d, _: d.dump_hierarchy(max_depth=3).count("<node"),
    "dump_hierarchy active": lambda d, _: d.dump_hierarchy(root_in_active=True).count("<node"),
    "screenshot": lambda d, _: d.screenshot().size,
    "screenshot file": lambda d, tmp: (
        d.screenshot(str(tmp / "a.jpg")),
        (tmp / "a.jpg").read_bytes()[:2].hex(),
    ),
    "screenshot display": lambda d, _: d.screenshot(display_id=0).size,
    "orientation": lambda d, _: d.orientation,
    "set_orientation": lambda d, _: d.set_orientation("natural"),
    "freeze_rotation": lambda d, _: d.freeze_rotation(),
    "app_current": lambda d, _: d.app_current(),
    "wait_activity": lambda d, _: d.wait_activity(".PageActivity", timeout=0.1),
    # gestures by place
    "click": lambda d, _: d.click(100, 700),
    "click relative": lambda d, _: d.click(0.5, 0.5),
    "double_click": lambda d, _: d.double_click(100, 700),
    "long_click": lambda d, _: d.long_click(100, 700),
    "swipe": lambda d, _: d.swipe(300, 1200, 300, 700),
    "swipe duration": lambda d, _: d.swipe(300, 1200, 300, 700, duration=0.2),
    "swipe_points": lambda d, _: d.swipe_points([(300, 1200), (310, 1000), (300, 700)], 0.1),
    "swipe_ext": lambda d, _: d.swipe_ext("up", scale=0.5),
    "drag": lambda d, _: d.drag(300, 1200, 300, 700),
    "touch": lambda d, _: bool(d.touch.down(300, 1200).move(300, 900).up(300, 700)),
    # keys, screen
    "press name": lambda d, _: d.press("back"),
    "press code": lambda d, _: d.press(4),
    "press meta": lambda d, _: d.press(29, 1),
    "press unknown": lambda d, _: d.press("nothing"),
    "long_press": lambda d, _: d.long_press("home"),
    "keyevent": lambda d, _: d.keyevent("home"),
    "screen_off": lambda d, _: d.screen_off(),
    "screen_on": lambda d, _: d.screen_on(),
    "unlock": lambda d, _: (d.screen_off(), d.unlock()),
    "open_notification": lambda d, _: d.open_notification(),
    "open_quick_settings": lambda d, _: d.open_quick_settings(),
    "open_url": lambda d, _: (
        d.open_url("https://example.org"),
        d.app_current()["package"],
        d(textStartsWith="https").get_text(),
        d.app_start(PACKAGE),
    ),
    "show_touch_trace": lambda d, _: d.show_touch_trace(),
    # text
    "clipboard": lambda d, _: setting(d, "clipboard", "kept"),
    "send_keys": lambda d, _: (focus(d), d.send_keys("héllo wörld"), field(d).get_text()),
    "send_keys clear": lambda d, _: (
        focus(d),
        d.send_keys("one"),
        d.send_keys("two", clear=True),
        field(d).get_text(),
    ),
    "clear_text": lambda d, _: (focus(d), d.send_keys("one"), d.clear_text(), field(d).get_text()),
    "current_ime": lambda d, _: d.current_ime(),
    "is_input_ime_installed": lambda d, _: d.is_input_ime_installed(),
    "set_input_ime": lambda d, _: (d.set_input_ime(), d.current_ime()),
    "send_keys by ime": lambda d, _: (focus(d), d.set_input_ime(), d.send_keys("né"), field(d).get_text()),
    "clear_text by ime": lambda d, _: (
        focus(d),
        d.set_input_ime(),
        d.send_keys("x"),
        d.clear_text(),
        field(d).get_text(),
    ),
    "send_action": lambda d, _: (focus(d), d.send_action("search"), d.last_toast),
    "hide_keyboard": lambda d, _: (focus(d), d.hide_keyboard()),
    "uninstall the ime": lambda d, _: (d.app_uninstall("com.github.uiautomator"), d.current_ime()),
    # apps
    "app_start": lambda d, _: (d.app_start("org.example.other", wait=True), d.app_current()["package"]),
    "app_start activity": lambda d, _: d.app_start(PACKAGE, ".MainActivity", stop=True),
    "app_wait": lambda d, _: d.app_wait(PACKAGE, front=True) > 0,
    "app_stop": lambda d, _: d.app_stop(PACKAGE),
    "app_stop_all": lambda d, _: d.app_stop_all(
        [
            "org.example.other",
            "com.android.systemui",
            "com.android.launcher3",
            "com.android.phone",
            "com.android.browser",
        ]
    ),
    "app_clear": lambda d, _: d.app_clear(PACKAGE),
    "app_list": lambda d, _: sorted(d.app_list("-3")),
    "app_list_running": lambda d, _: sorted(d.app_list_running()),
    "app_info": lambda d, _: d.app_info(PACKAGE),
    "app_info absent": lambda d, _: d.app_info("org.example.absent"),
    "app_uninstall": lambda d, _: (d.app_uninstall("org.example.other"), sorted(d.app_list("-3"))),
    "app_auto_grant_permissions": lambda d, _: d.app_auto_grant_permissions(PACKAGE),
    "session": lambda d, _: session(d),
    # toasts
    "toast.show": lambda d, _: (d.toast.show("hello"), d.toast.get_message()),
    "toast.reset": lambda d, _: (d.toast.show("hello"), d.toast.reset(), d.toast.get_message(0)),
    "last_toast": lambda d, _: (d(text="Send").click(), d.last_toast, d.clear_toast(), d.last_toast),
    "last_traversed_text": lambda d, _: (d.last_traversed_text, d.clear_traversed_text()),
    # objects
    "exists": lambda d, _: (bool(d(text="Send").exists), bool(d(text="Absent").exists)),
    "exists timeout": lambda d, _: d(text="Absent").exists(timeout=0.1),
    "object info": lambda d, _: d(text="Send").info,
    "info_list": lambda d, _: [each["text"] for each in d(resourceId=f"{PACKAGE}:id/day").info_list()][:3],
    "count": lambda d, _: (d(resourceId=f"{PACKAGE}:id/row").count, len(d(textStartsWith="Note"))),
    "bounds, center": lambda d, _: (d(text="Send").bounds(), d(text="Send").center()),
    "object click": lambda d, _: d(text="Note 2").click(),
    "object click offset": lambda d, _: row(d, 3).click(offset=(0.1, 0.9)),
    "object click absent": lambda d, _: d(text="Absent").click(timeout=0.1),
    "click_exists": lambda d, _: (d(text="Note 2").click_exists(), d(text="Absent").click_exists()),
    "click_gone": lambda d, _: d(text="Note 2").click_gone(interval=0.01),
    "object long_click": lambda d, _: (row(d, 4).long_click(), d.last_toast),
    "drag_to": lambda d, _: row(d, 5).drag_to(text="Note 0"),
    "drag_to place": lambda d, _: row(d, 5).drag_to(300, 400),
    "object swipe": lambda d, _: [rows(d).swipe(way, steps=4) for way in ("up", "down", "left", "right")],
    "gesture": lambda d, _: rows(d).gesture((100, 400), (600, 400), (300, 800), (400, 800), 10),
    "pinch_in": lambda d, _: rows(d).pinch_in(percent=80, steps=5),
    "pinch_out": lambda d, _: rows(d).pinch_out(),
    "wait": lambda d, _: (d(text="Send").wait(timeout=1), d(text="Absent").wait(timeout=0.05)),
    "wait_gone": lambda d, _: (d(text="Absent").wait_gone(timeout=1), d(text="Send").wait_gone(timeout=0.05)),
    "set_text": lambda d, _: (field(d).set_text("typed"), field(d).get_text()),
    "object clear_text": lambda d, _: (
        field(d).set_text("typed"),
        field(d).clear_text(),
        field(d).get_text(),
    ),
    "get_text": lambda d, _: d(resourceId=f"{PACKAGE}:id/title").get_text(),
    "object screenshot": lambda d, _: d(text="Send").screenshot().size == size(d(text="Send").bounds()),
    "child": lambda d, _: row(d, 2).child(resourceId=f"{PACKAGE}:id/name").get_text(),
    "sibling": lambda d, _: d(text="Note 6").sibling(resourceId=f"{PACKAGE}:id/day").get_text(),
    "child_by_text": lambda d, _: (
        rows(d).child_by_text("Note 3", resourceId=f"{PACKAGE}:id/row").info["bounds"]
    ),
    "child_by_text far": lambda d, _: (
        rows(d)
        .child_by_text("Note 33", allow_scroll_search=True, resourceId=f"{PACKAGE}:id/row")
        .info["childCount"]
    ),
    "child_by_text not far": lambda d, _: rows(d).child_by_text(
        "Note 33", allow_scroll_search=False, resourceId=f"{PACKAGE}:id/row"
    ),
    "child_by_description": lambda d, _: (
        d(resourceId=f"{PACKAGE}:id/bar")
        .child_by_description("Send the note", className="android.widget.Button")
        .get_text()
    ),
    "child_by_instance": lambda d, _: (
        rows(d).child_by_instance(2, resourceId=f"{PACKAGE}:id/row").info["childCount"]
    ),
    "instances": lambda d, _: [
        each.child(textStartsWith="Note").get_text() for each in list(d(resourceId=f"{PACKAGE}:id/row"))[:2]
    ],
    "beside": lambda d, _: (
        field(d).right(className="android.widget.Button").get_text(),
        d(text="Send").left(className="android.widget.EditText").info["resourceName"],
        d(text="Note 3").up(textStartsWith="Note").get_text(),
        d(text="Note 3").down(textStartsWith="Note").get_text(),
    ),
    "fling": lambda d, _: (
        rows(d).fling(),
        rows(d).fling.vert.backward(),
        rows(d).fling.toEnd(),
        rows(d).fling.toBeginning(),
    ),
    "scroll": lambda d, _: (
        rows(d).scroll(),
        rows(d).scroll.vert.backward(),
        rows(d).scroll.toEnd(),
        rows(d).scroll.toBeginning(),
    ),
    "scroll sideways": lambda d, _: rows(d).scroll.horiz.forward(),
    "scroll.to": lambda d, _: (rows(d).scroll.to(text="Note 30"), bool(d(text="Note 30").exists)),
    "selector flags": lambda d, _: [
        d(checkable=True).count,
        d(checked=False, clickable=True).count,
        d(longClickable=True).count,
        d(scrollable=True).count,
        d(enabled=True, className="android.widget.Button").count,
        d(focusable=True, packageName=PACKAGE).count,
        d(textMatches="Note 1.*").count,
        d(textContains="day 3").count,
        d(descriptionContains="note").count,
        d(descriptionMatches=".*the.*").count,
        d(index=1, text="Send").count,
        d(resourceIdMatches=".*/na.e").count,
        d(classNameMatches=".*Edit.*").count,
        d(packageNameMatches="org.*").count > 9,
        d(descriptionStartsWith="send").count,
        d(description="Send the note").count,
        d(selected=True).count,
    ],
    "checked": lambda d, _: (d(resourceId=f"{PACKAGE}:id/flags").click(), d(checked=True).count),
    # xpath
    "xpath.exists": lambda d, _: (d.xpath("Send").exists, d.xpath("//*[@text='Absent']").exists),
    "xpath.get": lambda d, _: (
        d.xpath("@org.example.notes:id/title").get().text,
        d.xpath("Note 3").get().bounds,
    ),
    "xpath.all": lambda d, _: [
        each.text for each in d.xpath("//*[@resource-id='org.example.notes:id/day']").all()
    ][:3],
    "xpath.click": lambda d, _: d.xpath("Note 2").click(),
    "xpath.click_exists": lambda d, _: (
        d.xpath("Note 2").click_exists(),
        d.xpath("Absent").click_exists(0.1),
    ),
    "xpath.long_click": lambda d, _: (d.xpath("Note 2").long_click(), d.last_toast),
    "xpath.wait": lambda d, _: bool(d.xpath("Send").wait(1)),
    "xpath.wait_gone": lambda d, _: d.xpath("Absent").wait_gone(1),
    "xpath.get_text": lambda d, _: d.xpath("^Note 1$").get_text(),
    "xpath.set_text": lambda d, _: (
        d.xpath("//android.widget.EditText").set_text("typed"),
        field(d).get_text(),
    ),
    "xpath.screenshot": lambda d, _: d.xpath("Send").screenshot().size == size(d(text="Send").bounds()),
    "xpath.info": lambda d, _: d.xpath("Send").info["contentDescription"],
    "xpath.parent": lambda d, _: d.xpath("Send").get().parent().attrib["resource-id"],
    "xpath.child": lambda d, _: (
        d.xpath("@org.example.notes:id/bar").child("/android.widget.Button").get_text()
    ),
    "xpath.scroll": lambda d, _: d.xpath("@org.example.notes:id/rows").get().scroll(),
    "xpath.scroll_to": lambda d, _: bool(d.xpath.scroll_to("Note 15")),
    "xpath.swipe": lambda d, _: d.xpath("@org.example.notes:id/rows").get().swipe("up"),
    "xpath and, or": lambda d, _: (
        (d.xpath("Send") & d.xpath("//android.widget.Button")).exists,
        (d.xpath("Absent") | d.xpath("Send")).exists,
    ),
    # watchers are the client's own
    "watcher": lambda d, _: watched(d),
    "watch_context": lambda d, _: context(d),
    # the server
    "sleep": lambda d, _: d.sleep(0.001),
    "reset_uiautomator": lambda d, _: (d.reset_uiautomator(), d.info["productName"]),
    "start, stop": lambda d, _: (d.stop_uiautomator(), d.start_uiautomator(), bool(d(text="Send").exists)),
}


def size(bounds: tuple[int, int, int, int]) -> tuple[int, int]:
    return bounds[2] - bounds[0], bounds[3] - bounds[1]


def session(d: Any) -> Any:
    with d.session(PACKAGE) as app:
        return app.running(), bool(app(text="Send").exists)


def shown(value: Any) -> str:
    return re.sub(
        r"UiObject\('.*?'\)", "UiObject", json.dumps(value, default=lambda each: type(each).__name__)
    )


def told(phone: Phone, before: int) -> str:
    parts = []
    for each in phone.inputs[before:]:
        text = f" {each.text!r}" if each.text else ""
        place = f" {each.x},{each.y}" if each.x >= 0 else ""
        end = f"-{each.x2},{each.y2}" if each.x2 >= 0 else ""
        parts.append(f"{each.kind}{text}{place}{end}{f' on {each.target}' if each.target else ''}")
    return "; ".join(parts)


@pytest.mark.sampled(2)
@pytest.mark.slow
def test_every_operation(reached: tuple[Any, SimulatedPhone], tmp_path: Path) -> None:
    d, simulated = reached
    phone = simulated.phone
    lines = []
    for name, operation in OPERATIONS.items():
        if not phone.screen_on:
            phone.key("WAKEUP")
        phone.stop_app(PACKAGE, clear=True)
        phone.open_app(PACKAGE)
        phone.last_toast = None
        before = len(phone.inputs)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                answer = shown(operation(d, tmp_path))
            except Exception as error:
                answer = f"{type(error).__name__}: {str(error).splitlines()[0][:100]}"
        lines.append(f"{name}\n    {answer}\n    {told(phone, before) or '-'}\n")
    text = "".join(lines)
    golden(text, GOLDEN)


def test_every_method_that_the_client_calls_is_served() -> None:
    """Read from the client's own source; it has ``getParent`` in a comment only."""
    import uiautomator2

    source = "".join(
        file.read_text(encoding="utf-8") for file in Path(uiautomator2.__file__).parent.glob("*.py")
    )
    called = set(re.findall(r"jsonrpc\.([a-z]\w+)\(", source))
    assert len(called) > 30
    assert sorted(called - set(SIGNATURES) - {"getParent"}) == []
