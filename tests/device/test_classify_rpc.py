"""Requests on streams: uiautomator2's JSON-RPC, the file service, mobilerun's helper app."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vsalang.core.action import Action
from vsalang.device.classify import (
    Actions,
    Allowed,
    Inspect,
    Read,
    Refuse,
    classify,
    classify_http,
    classify_rpc,
    classify_sync,
)
from vsalang.device.classify.rpc import READS
from vsalang.device.sim.rpc import SIGNATURES
from vsalang.device.vocabulary import uiautomator2

NO = {"childOrSibling": [], "childOrSiblingSelector": []}


def body(method, *params, **more):
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": list(params), **more})


def selector(mask, **fields):
    return {"mask": mask, **NO, **fields}


PAY = selector(1, text="Pay now")

ACTING = [
    (("click", 360, 1430), "tap(x = 360, y = 1430)"),
    (("click", 360.5, 1430.0), "tap(x = 360.5, y = 1430)"),
    (("click", 360, 1430, 1000), "long_press(x = 360, y = 1430)"),
    (("click", PAY), 'tap(text = "Pay now")'),
    (("clickAndWaitForNewWindow", PAY, 3000), 'tap(text = "Pay now")'),
    (("longClick", PAY), 'long_press(text = "Pay now")'),
    (
        ("click", selector(0x200000 | 0x1000000, resourceId="a:id/b", instance=0)),
        'tap(resource_id = "a:id/b")',
    ),
    (("click", selector(0x10, className="android.widget.Button")), 'tap(class = "Button")'),
    (("swipe", 5, 6, 5, 6, 200), "long_press(x = 5, y = 6)"),
    (("swipe", 5, 6, 5, 6, 2), "tap(x = 5, y = 6)"),
    (("swipe", 5, 900, 5, 100, 40), "swipe(x = 5, y = 900, x2 = 5, y2 = 100, duration = 0s)"),
    (("swipe", PAY, "left", 40), 'swipe(text = "Pay now", direction = "left")'),
    (
        ("drag", 5, 900, 5, 100, 200),
        "long_press(x = 5, y = 900) | swipe(x = 5, y = 900, x2 = 5, y2 = 100, duration = 1s)",
    ),
    (("injectInputEvent", 0, 5, 6, 0), "tap(x = 5, y = 6) | long_press(x = 5, y = 6)"),
    (("injectInputEvent", 1, 5, 6, 0), "tap(x = 5, y = 6) | long_press(x = 5, y = 6)"),
    (("injectInputEvent", 2, 5, 6, 0), "swipe(x = 5, y = 6, x2 = 5, y2 = 6)"),
    (("pressKey", "back"), "back()"),
    (("pressKey", "enter"), 'press_key(key = "ENTER")'),
    (("pressKeyCode", 66), 'press_key(key = "ENTER")'),
    (("pressKeyCode", 23, 0), 'press_key(key = "DPAD_CENTER")'),
    (("pressKeyCode", 50, 0x1000), 'press_key(key = "V") | input_text()'),
    (("setText", selector(0x20000, focused=True), "R"), 'input_text(focused = true, value = "R")'),
    (("setText", selector(0x20000, focused=True), ""), "clear_text(focused = true)"),
    (("clearTextField", PAY), 'clear_text(text = "Pay now")'),
    (("clearInputText",), "clear_text()"),
    (("setClipboard", None, "R"), 'input_text(value = "R")'),
    (("pasteClipboard",), "input_text()"),
    (
        ("scrollForward", selector(0x4000, scrollable=True), True, 20),
        'scroll(scrollable = true, direction = "down")',
    ),
    (
        ("scrollToBeginning", selector(0x4000, scrollable=True), True, 5, 20),
        'scroll(scrollable = true, direction = "up")',
    ),
    (("childByText", selector(0x4000, scrollable=True), PAY, "x"), "scroll(scrollable = true)"),
    (("launchApp", "com.opentable"), 'open_app(package = "com.opentable")'),
    (("wakeUp",), 'press_key(key = "WAKEUP")'),
    (("openNotification",), 'shell(command = "cmd statusbar expand-notifications")'),
    (("setOrientation", "left"), 'shell(command = "uiautomator2 setOrientation \'[\\"left\\"]\'")'),
]


@pytest.mark.parametrize(("call", "expected"), ACTING, ids=[f"{i}-{c[0]}" for i, (c, _) in enumerate(ACTING)])
def test_calls_that_act(call, expected):
    found = classify_rpc(body(*call))
    assert isinstance(found, Actions)
    assert found.single
    assert " | ".join(map(str, found.actions)) == expected


READING = [
    ("dumpWindowHierarchy", False, 50),
    ("deviceInfo",),
    ("takeScreenshot", 1, 80),
    ("objInfo", PAY),
    ("waitForExists", PAY, 20000),
    ("getLastToast",),
    ("childByText", PAY, PAY, "x", False),
]


@pytest.mark.parametrize("call", READING, ids=lambda call: call[0])
def test_calls_that_read(call):
    assert classify_rpc(body(*call)) == Read()


REFUSED = [
    body("executeShellCommand", "input tap 1 2", 1000),
    body("executeShellCommand", "ls", 1000),
    body("registerClickUiObjectWatcher", "w", [PAY], PAY),
    body("registerPressKeyskWatcher", "w", [PAY], ["back"]),
    body("runWatchers"),
    body("setConfigurator", {}),
    body("makeToast", "Booked!", 1000),
    body("gesture", PAY, 1, 2, 3, 4, 5),
    body("pinchIn", PAY, 50, 10),
    body("dragTo", PAY, 1, 2, 10),
    body("click", "handle-17"),
    body("click", PAY, "bottomright"),
    body("longClick", "handle-17"),
    body("setText", "handle-17", "x"),
    body("click", selector(0x200000, text="Cancel", resourceId="pay")),  # the mask names another field
    body("click", selector(1, text="Cancel", resourceId="pay")),
    body("click", selector(0, text="Cancel")),
    body("click", {"text": "Cancel", **NO}),
    body("click", selector(0x02, textContains="Pay")),
    body("click", selector(0x01 | 0x1000000, text="Pay", instance=3)),
    body("click", selector(0x01 | 0x1000000, text="Pay", instance=False)),
    body("click", selector(0)),
    body("click", {**PAY, "childOrSibling": ["child"], "childOrSiblingSelector": [PAY]}),
    body("click", 1),
    body("click", "1", "2"),
    body("click", 1, 2, 3, 4),
    body("click", -1, 2),
    body("click", True, 2),
    body("click", 1e9, 2),
    body("injectInputEvent", 3, 5, 6, 0),
    body("injectInputEvent", 0, 5, 6, 4096),
    body("injectInputEvent", False, 5, 6, 0),
    body("swipePoints", [1, 2, 3], 10),
    body("pressKey", "explode"),
    body("pressKeyCode", 9999),
    body("frobnicate"),
    body("Click", 1, 2),
    body("click ", 1, 2),
    body("click", 1, 2, extra=1),
    body("click", 1, 2, jsonrpc="1.0"),
    f"[{body('click', 1, 2)}]",
    f"[{body('ping')},{body('click', 1, 2)}]",
    body("ping") + body("click", 1, 2),
    '{"jsonrpc":"2.0","id":1,"method":"ping","method":"click","params":[1,2]}',
    '{"jsonrpc":"2.0","id":1,"method":"ping","params":[],"params":[1,2]}',
    '{"jsonrpc":"2.0","id":1,"method":"click","params":{"x":1,"y":2}}',
    '{"jsonrpc":"2.0","id":1,"method":"click","params":[NaN,2]}',
    '{"jsonrpc":"2.0","id":1,"method":["click"],"params":[1,2]}',
    '{"id":1,"params":[1,2]}',
    '"click"',
    "",
    "{",
    "[" * 100_000,
    "\ufeff" + body("ping"),
    body("ping").encode("utf-16"),
    body("ping").encode() + b"\x00",
    b"\xff",
]


@pytest.mark.parametrize("call", REFUSED, ids=range(len(REFUSED)))
def test_calls_that_are_refused(call):
    found = classify_rpc(call)
    assert isinstance(found, Refuse), found
    assert len(found.reason) > 20


def test_every_method_that_the_simulated_phone_has_is_classified():
    """None is forgotten: each reads, or acts, or is refused by name."""
    known = READS | set(uiautomator2.METHODS) | set(uiautomator2.FORBIDDEN)
    assert set(SIGNATURES) <= known
    assert not READS & set(uiautomator2.METHODS)
    assert not set(uiautomator2.METHODS) & set(uiautomator2.FORBIDDEN)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5000) | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=6)
        | st.dictionaries(
            st.sampled_from(["mask", "text", "childOrSibling", "x", "focused"]) | st.text(max_size=3),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(st.sampled_from(sorted(set(uiautomator2.METHODS) | READS | set(uiautomator2.FORBIDDEN))), json_values)
def test_any_parameters_are_classified(method, params):
    found = classify_rpc(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}))
    assert isinstance(found, Read | Actions | Refuse)
    if isinstance(found, Read):
        assert method in READS | {"childByText", "childByDescription"}


@given(json_values | st.dictionaries(st.sampled_from(["jsonrpc", "id", "method", "params"]), json_values))
def test_any_data_are_classified(data):
    assert not isinstance(classify_rpc(json.dumps(data)), Read)


@given(st.binary(max_size=60))
def test_any_bytes_are_classified(data):
    assert isinstance(classify_rpc(data), Refuse)


def test_http():
    click = body("click", 1, 2)
    assert classify_http("uiautomator2", "GET", "/ping") == Read()
    assert classify_http("uiautomator2", "GET", "/screenshot/0") == Read()
    assert isinstance(classify_http("uiautomator2", "POST", "/jsonrpc/0", click), Actions)
    for request in (
        ("GET", "/jsonrpc/0", click),
        ("POST", "/jsonrpc/0?x=1", click),
        ("POST", "/jsonrpc/1", click),
        ("POST", "//jsonrpc/0", click),
        ("POST", "/shell", "ls"),
        ("DELETE", "/ping", ""),
        ("GET", "/ping/../x", ""),
    ):
        assert isinstance(classify_http("uiautomator2", *request), Refuse), request
    for headers in ({"Content-Encoding": "gzip"}, {"Upgrade": "websocket"}):
        assert isinstance(classify_http("uiautomator2", "POST", "/jsonrpc/0", body("ping"), headers), Refuse)


def test_the_helper_app_of_mobilerun():
    assert isinstance(classify("tcp:8080"), Refuse)
    allowed = Allowed(portal_port=8080)
    assert classify("tcp:8080", allowed) == Inspect("portal")
    assert classify_http("portal", "GET", "/state_full?filter=true") == Read()
    typed = classify_http("portal", "POST", "/keyboard/input", '{"base64_text": "aGk=", "clear": false}')
    assert isinstance(typed, Actions)
    assert typed.actions == (Action("input_text", {"value": "hi"}),)
    for request in (
        ("GET", "/keyboard/input"),
        ("POST", "/keyboard/input", "{"),
        ("POST", "/keyboard/input", '{"base64_text": "!"}'),
        ("POST", "/keyboard/key", '{"key_code": 99999}'),
        ("POST", "/action/tap", '{"x": 1, "y": 2}'),
        ("GET", "/state?x=../y"),
        ("POST", "/keyboard/input", '{"base64_text": ["aGk="]}'),
    ):
        assert isinstance(classify_http("portal", *request), Refuse), request


def test_files():
    assert classify_sync("STAT", "/data/local/tmp/u2.jar") == Read()
    assert classify_sync(b"RECV", b"/sdcard/x") == Read()
    pushed = Action("push_file", {"path": "/data/local/tmp/u2.jar"})
    assert classify_sync("SEND", "/data/local/tmp/u2.jar,33261") == classify_sync(
        "SND2", b"/data/local/tmp/u2.jar"
    )
    found = classify_sync("SEND", "/data/local/tmp/u2.jar,33261")
    assert isinstance(found, Actions)
    assert found.actions == (pushed,)
    for identity, path in (
        ("SEND", "x"),
        ("SEND", ""),
        ("SEND", "/a/../b,33188"),
        ("SEND", "/a//b"),
        ("SEND", "/a\nb"),
        ("SEND", b"/\xff"),
        ("DELE", "/a"),
        ("stat", "/a"),
        (b"\xff\xff\xff\xff", "/a"),
        ("DONE", ""),
    ):
        assert isinstance(classify_sync(identity, path), Refuse), (identity, path)


def test_what_the_user_and_the_guard_know():
    start = "shell:CLASSPATH=/data/local/tmp/u2.jar app_process / com.wetest.uia2.Main -p 9008"
    jars = Allowed(jars=frozenset({"/data/local/tmp/u2.jar"}))
    assert isinstance(classify(start), Refuse)
    assert isinstance(classify(start, jars), Read)
    for other in (
        start.replace("u2.jar", "v2.jar"),
        start.replace("9008", "9009"),
        start.replace("com.wetest", "com.evil"),
        start + " x",
        start + "; ls | sh",
        start.replace("CLASSPATH", "LD_PRELOAD"),
        f"{start} > /dev/null",
        start.replace("CLASSPATH=", "A=b CLASSPATH="),
    ):
        assert isinstance(classify(other, jars), Refuse), other
    assert classify("tcp:8080", Allowed(services=frozenset({"tcp:8080"}))) == Read()
    assert classify("tcp:9108", Allowed(rpc_port=9108)) == Inspect("uiautomator2")
    assert isinstance(classify("tcp:9008", Allowed(rpc_port=9108)), Refuse)


def test_launchers_say_what_an_icon_opens():
    from vsalang.device.vocabulary.adb import Known

    known = Allowed(known=Known(launchers={"com.opentable": frozenset({".MainActivity"})}))
    opens = Action("open_app", {"package": "com.opentable"})
    for form in ("com.opentable/.MainActivity", "com.opentable/com.opentable.MainActivity"):
        found = classify(f"shell:am start -W -n {form}", known)
        assert isinstance(found, Actions)
        assert found.actions == (opens,)
    intent = "shell:am start -a android.intent.action.MAIN -c android.intent.category.LAUNCHER -n com.opentable/.Pay"
    other = classify(intent, known)
    assert isinstance(other, Actions)
    assert [action.name for action in other.actions] == ["shell"]


def test_parts_of_a_line():
    found = classify("shell:ls; input tap 1 2 && input tap 3 4; echo X4EXIT:$?")
    assert isinstance(found, Actions)
    assert [(part.link, part.command) for part in found.parts] == [
        ("", "ls"),
        (";", "input tap 1 2"),
        ("&&", "input tap 3 4"),
        (";", "echo X4EXIT:$?"),
    ]
    assert not found.single
    assert found.command == "ls; input tap 1 2 && input tap 3 4; echo X4EXIT:$?"
    one = classify("shell:cmd input tap 1 2; echo X4EXIT:$?")
    assert isinstance(one, Actions)
    assert one.single
    assert one.command == "input tap 1 2; echo X4EXIT:$?"
