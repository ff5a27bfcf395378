"""Requests on streams: uiautomator2's JSON-RPC, the file service, mobilerun's helper app."""

import json
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vsalang.phone.classify import (
    Actions,
    Allowance,
    Inspect,
    Pass,
    Refuse,
    classify,
    classify_http,
    classify_rpc,
    classify_sync,
)
from vsalang.phone.classify.rpc import READS
from vsalang.phone.sim.rpc import SIGNATURES
from vsalang.phone.vocabulary import uiautomator2
from vsalang.program.action import Action

NO = {"childOrSibling": [], "childOrSiblingSelector": []}


def body(method, *params, **more):
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": list(params), **more})


def selector(mask, **fields):
    return {"mask": mask, **NO, **fields}


PAY = selector(1, text="Pay now")

ACTING = [
    (("click", 360, 1430), "tap(x = 360, y = 1430)"),
    (("click", 360.5, 1430.0), "tap(x = 360, y = 1430)"),
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
    (("swipe", 5, 900, 5, 100, 40), "swipe(x = 5, y = 900, x2 = 5, y2 = 100, duration = 0.2s)"),
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
    (("pressKeyCode", 29, 0x40), "input_text()"),
    (("pressKeyCode", 29, 0x1000), 'press_key(key = "A")'),
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
    found = classify_rpc(body(*call))
    assert isinstance(found, Pass)
    assert json.loads(found.body) == json.loads(body(*call))


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
    body("pressKeyCode", 29, 0x4000000),
    body("pressKeyCode", 29, 0x8),
    body("pressKeyCode", 61, 0x2),
    body("pressKeyCode", 66, 0x10000),
    body("pressKeyCode", 149),
    body("click", 360, 1475.99999),
    body("setOrientation", "left", id=[1]),
    body("ping", id=True),
    body("ping", id={"method": "click"}),
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
    '{"jsonrpc":"2.0","id":1,"method":"waitForIdle","params":[1e999]}',
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


SENT = [
    (("click", 360.5, 1475.9998), [360, 1475]),
    (("click", 360.5, 3, 50), [360, 3, 50]),
    (("swipe", 5.25, 900.75, 5, 100, 40), [5, 900, 5, 100, 40]),
    (("drag", 5.25, 900.75, 5, 100, 200), [5, 900, 5, 100, 200]),
    (("swipePoints", [1.5, 2, 3, 400.9], 10), [[1, 2, 3, 400], 10]),
    (("injectInputEvent", 0, 360.9, 1475.9998, 0), [0, 360, 1475, 0]),
    (("setText", PAY, "1.5 é\u2028"), [PAY, "1.5 é\u2028"]),
]


@pytest.mark.parametrize(("call", "params"), SENT, ids=[f"{i}-{c[0]}" for i, (c, _) in enumerate(SENT)])
def test_what_is_sent_is_what_was_judged(call, params):
    found = classify_rpc(body(*call))
    assert isinstance(found, Actions)
    assert found.body.isascii()
    sent = json.loads(found.body)
    assert sent == {"jsonrpc": "2.0", "id": 1, "method": call[0], "params": params}
    assert all(not isinstance(value, float) for value in sent["params"])
    again = classify_rpc(found.body)
    assert again == found


def test_many_short_ways_are_one_long_one():
    """What is never let go of is one gesture, however many points it goes through."""

    def told(points, steps):
        found = classify_rpc(body("swipePoints", points, steps))
        assert isinstance(found, Actions)
        return list(dict.fromkeys(map(str, found.actions)))

    rests = told([5, 5, 5, 6] * 20, 8)
    assert rests == ["long_press(x = 5, y = 5)"]  # where it came down
    crawls = told([coordinate for step in range(101) for coordinate in (5, 900 - step * 8)], 1)
    assert crawls[0] == "swipe(x = 5, y = 900, x2 = 5, y2 = 100, duration = 0.5s)"
    returns = told([c for step in (*range(100), *range(100, -1, -1)) for c in (5, 900 - step * 8)], 1)
    assert "swipe(x = 5, y = 900, x2 = 5, y2 = 100, duration = 1s)" in returns
    assert "long_press(x = 5, y = 900)" in returns


def test_a_call_is_sent_in_ascii():
    """A server that is told another encoding, or knows other escapes, still reads what was judged."""
    sly = '{"jsonrpc":"2.0","method":"deviceInfo","id":"x+ACI-,+ACI-method+ACI-:+ACI-click+ACI-\u00ad"}'
    found = classify_rpc(sly)
    assert isinstance(found, Pass)
    assert found.body.isascii()
    assert json.loads(found.body) == {**json.loads(sly), "params": []}
    numbers = '{"jsonrpc":"2.0","id":1,"method":"click","params":[3.605e2,1E3]}'
    acting = classify_rpc(numbers)
    assert isinstance(acting, Actions)
    assert acting.body == b'{"jsonrpc": "2.0", "id": 1, "method": "click", "params": [360, 1000]}'


@given(st.floats(0, 99_000, exclude_min=True), st.floats(0, 99_000))
def test_every_place_is_judged_as_the_sent_pixel(x, y):
    found = classify_rpc(body("click", x, y))
    if isinstance(found, Refuse):
        assert struct.unpack("<f", struct.pack("<f", x))[0] >= int(x) + 1 or (
            struct.unpack("<f", struct.pack("<f", y))[0] >= int(y) + 1
        )
        return
    assert isinstance(found, Actions)
    (action,) = found.actions
    assert [action.args["x"], action.args["y"]] == json.loads(found.body)["params"] == [int(x), int(y)]


@given(
    st.sampled_from(["tap {} {}", "swipe {} {} 5 900", "swipe 5 900 {} {} 50", "motionevent UP {} {}"]),
    st.decimals(0, 9_999, places=5),
    st.decimals(0, 9_999, places=5),
)
def test_every_command_is_sent_with_the_judged_pixels(form, x, y):
    found = classify(f"shell:input {form.format(x, y)}")
    if isinstance(found, Refuse):
        return
    assert isinstance(found, Actions)
    assert found.command == f"input {form.format(int(x), int(y))}"
    again = classify(f"shell:{found.command}")
    assert again == found


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
    assert isinstance(found, Pass | Actions | Refuse)
    if isinstance(found, Pass):
        assert method in READS | {"childByText", "childByDescription"}


@pytest.mark.slow
@given(json_values | st.dictionaries(st.sampled_from(["jsonrpc", "id", "method", "params"]), json_values))
def test_any_data_are_classified(data):
    assert not isinstance(classify_rpc(json.dumps(data)), Pass)


@given(st.binary(max_size=60))
def test_any_bytes_are_classified(data):
    assert isinstance(classify_rpc(data), Refuse)


def test_http():
    click = body("click", 1, 2)
    assert classify_http("uiautomator2", "GET", "/ping") == Pass()
    # a server that reads no body there takes it for the next request
    smuggled = "POST /jsonrpc/0 HTTP/1.1\r\nContent-Length: 0\r\n\r\n"
    assert isinstance(classify_http("uiautomator2", "GET", "/ping", smuggled), Refuse)
    assert isinstance(classify_http("portal", "GET", "/state", smuggled), Refuse)
    assert classify_http("uiautomator2", "GET", "/screenshot/0") == Pass()
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
    allowed = Allowance(portal_port=8080)
    assert classify("tcp:8080", allowed) == Inspect("portal")
    assert classify_http("portal", "GET", "/state_full?filter=true") == Pass()
    typed = classify_http("portal", "POST", "/keyboard/input", '{"base64_text": "aGk=", "clear": false}')
    assert isinstance(typed, Actions)
    assert typed.actions == (Action("input_text", {"value": "hi"}),)
    assert typed.body == b'{"base64_text": "aGk=", "clear": false}'
    for request in (
        ("GET", "/keyboard/input"),
        ("POST", "/keyboard/input", "{"),
        ("POST", "/keyboard/input", '{"base64_text": "!"}'),
        ("POST", "/keyboard/key", '{"key_code": 99999}'),
        ("POST", "/action/tap", '{"x": 1}'),
        ("POST", "/tap", '{"x": 1, "y": 2, "count": 2}'),
        ("POST", "/tap", '{"x": 1, "y": 2, "y": 3}'),
        ("POST", "/tap?x=1", '{"x": 1, "y": 2}'),
        ("POST", "/tap", "x=1&y=2"),
        ("GET", "/tap"),
        ("POST", "/global", '{"action": 6}'),
        ("POST", "/global", '{"action": true}'),
        ("POST", "/app", '{"package": "com.a.b", "activity": ".Pay"}'),
        ("POST", "/find_and_click", '{"by": "text", "pattern": "Pay"}'),
        ("GET", "/state?x=../y"),
        ("POST", "/keyboard/input", '{"base64_text": ["aGk="]}'),
    ):
        assert isinstance(classify_http("portal", *request), Refuse), request


def test_files():
    assert classify_sync("STAT", "/data/local/tmp/u2.jar") == Pass()
    assert classify_sync(b"RECV", b"/sdcard/x") == Pass()
    pushed = Action("push_file", {"path": "/data/local/tmp/u2.jar"})
    assert classify_sync("SEND", "/data/local/tmp/u2.jar,33261") == classify_sync(
        "SND2", b"/data/local/tmp/u2.jar"
    )
    found = classify_sync("SEND", "/data/local/tmp/u2.jar,33261")
    assert isinstance(found, Actions)
    assert found.actions == (pushed,)
    octal = classify_sync("SEND", "/sdcard/a,0100644")
    assert isinstance(octal, Actions)
    assert octal.actions == (Action("push_file", {"path": "/sdcard/a"}),)
    commas = classify_sync("SEND", "/sdcard/secret,abc,33188")
    assert isinstance(commas, Actions)
    assert commas.actions == (Action("push_file", {"path": "/sdcard/secret,abc"}),)
    for identity, path in (
        # the phone cuts at the last comma whatever follows, and makes a link of a mode that says so
        ("SEND", "/sdcard/secret,abc"),
        ("SEND", "/sdcard/secret,0x81a4"),
        ("SEND", "/sdcard/secret,00000033188"),
        ("SEND", "/sdcard/secret,-1"),
        ("SEND", "/sdcard/secret,33188 "),
        ("SEND", "/sdcard/secret,089"),
        ("SEND", "/sdcard/secret,"),
        ("SEND", "/sdcard/secret"),
        ("SEND", "/data/local/tmp/a.png,41471"),
        ("SEND", "/data/local/tmp/a.png,0120777"),
        ("SEND", "/data/local/tmp/a,16877"),
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
    jars = Allowance(jars=frozenset({"/data/local/tmp/u2.jar"}))
    assert isinstance(classify(start), Refuse)
    assert isinstance(classify(start, jars), Pass)
    for other in (
        start.replace("u2.jar", "v2.jar"),
        start.replace("9008", "9009"),
        start.replace("com.wetest", "com.evil"),
        start + " x",
        start + "; ls | sh",
        start + "; ls",
        "ls; " + start,
        "input keyevent 24; " + start,
        start.replace("CLASSPATH", "LD_PRELOAD"),
        f"{start} > /dev/null",
        start.replace("CLASSPATH=", "A=b CLASSPATH="),
    ):
        assert isinstance(classify(other, jars), Refuse), other
    assert classify("tcp:8080", Allowance(services=frozenset({"tcp:8080"}))) == Pass()
    assert classify("tcp:9108", Allowance(rpc_port=9108)) == Inspect("uiautomator2")
    assert isinstance(classify("tcp:9008", Allowance(rpc_port=9108)), Refuse)


def test_launchers_say_what_an_icon_opens():
    from vsalang.phone.vocabulary.adb import DeviceFacts

    known = Allowance(known=DeviceFacts(launchers={"com.opentable": frozenset({".MainActivity"})}))
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


@pytest.mark.parametrize(
    ("target", "body", "actions", "sent"),
    [
        ("/tap", '{"x": 1.0, "y": "2"}', ["tap(x = 1, y = 2)"], {"x": 1, "y": 2}),
        ("/action/swipe", '{"startX": 5, "startY": 6, "endX": 5, "endY": 6, "duration": 1000}',
         ["long_press(x = 5, y = 6)"], {"startX": 5, "startY": 6, "endX": 5, "endY": 6, "duration": 1000}),
        ("/swipe", '{"startX": 5, "startY": 900, "endX": 5, "endY": 100}',
         ["swipe(x = 5, y = 900, x2 = 5, y2 = 100, duration = 0.3s)"],
         {"startX": 5, "startY": 900, "endX": 5, "endY": 100, "duration": 300}),
        ("/global", '{"action": 2}', ["home()"], {"action": 2}),
        ("/app", '{"package": "com.a.b", "activity": null}', ['open_app(package = "com.a.b")'], {"package": "com.a.b"}),
    ],
)  # fmt: skip
def test_gestures_of_the_helper_app_of_mobilerun(
    target: str, body: str, actions: list[str], sent: dict[str, object]
) -> None:
    """What is sent on is what was judged, written again: the app takes 0 for what it cannot read."""
    found = classify_http("portal", "POST", target, body)
    assert isinstance(found, Actions)
    assert [str(action) for action in found.actions] == actions and json.loads(found.body) == sent
    assert classify_http("portal", "POST", target, found.body) == found
