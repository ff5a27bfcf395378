"""`GuardedDevice`, call by call: what is judged is what is sent, once, to the node that was meant."""

import contextlib
import datetime as dt
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import uiautomator2 as u2

from tests.agents.guarded.conftest import PACKAGE, ROOT, blocked, kinds
from vsalang import ActionBlocked, Guard, load
from vsalang.agents.adapters.uiautomator2.adb import TargetChanged, door_of
from vsalang.agents.adapters.uiautomator2.device import GuardedDevice
from vsalang.guard import NotAllowed, Settings
from vsalang.phone.open import open_device
from vsalang.phone.open.simulated import SimulatedDevice

# ---------------------------------------------------------------------- what a spec allows


def allowing(phone: SimulatedDevice, text: str) -> GuardedDevice:
    from vsalang.language.semantics import load_text

    loaded = load_text(
        f"spec s\nimport apps.opentable\n{text}\ndone when finish earlier.\n",
        file="s.vsa",
        path=ROOT / "s.vsa",
    )
    if loaded.program is None:
        loaded = load_text(f"spec s\nimport apps.opentable\n{text}\n", file="s.vsa", path=ROOT / "s.vsa")
    assert loaded.program is not None, loaded.diagnostics
    return GuardedDevice(phone, Guard(loaded.program, today=dt.date(2026, 4, 1)))


def test_what_changed_since_it_was_judged_is_not_touched(phone: SimulatedDevice, d: GuardedDevice) -> None:
    """Something comes to the front between the verdict and the input."""
    door = door_of(d)
    seen = door.phone._seen

    def dialog() -> Any:
        phone.phone.tap_id("more_button")
        return seen()

    before = len(phone.phone.inputs)
    door.phone._seen = dialog  # type: ignore[method-assign]
    with pytest.raises(TargetChanged, match="not sent: tap: the target"):
        d(text="R").click()
    assert len(phone.phone.inputs) == before + 1  # the dialog's own
    del door.phone._seen  # type: ignore[method-assign]
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
    assert phone._simulated.services.shell.system.settings["system", "screen_brightness"] == "7"


def test_parts_of_a_line_are_judged_one_by_one(phone: SimulatedDevice, d: GuardedDevice) -> None:
    node = next(row for row in phone.observe().rows("Node") if row.get("text") == "R")
    with pytest.raises(ActionBlocked):
        d.shell(f"input tap {node['left']} {node['top'] + 5} && input keyevent HOME; settings put system x 1")
    assert kinds(phone) == ["open_app", "tap", "key"]
    assert ("system", "x") not in phone._simulated.services.shell.system.settings


def test_an_exit_status_stands_only_where_the_shell_says(phone: SimulatedDevice, d: GuardedDevice) -> None:
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
    d = GuardedDevice(phone, Guard(loaded.program, today=dt.date(2026, 4, 1)), listener=events.append)
    real = door_of(d).adb.shell2

    def failing(command: str, **options: Any) -> Any:
        answer = real(command, **options)
        answer.returncode = 137
        return answer

    door_of(d).adb.shell2 = failing
    assert d.shell("input keyevent VOLUME_UP || echo again").output == "again\n"
    assert [(event.outcome, event.delivered) for event in events] == [("failed", None)]
    assert "137" in events[0].problem


def test_what_acts_is_waited_for_however_impatient_the_agent(
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
    assert given[:2] == [0.2, 60.0] and given[2] >= 60.0


def test_what_acts_after_a_telling_command_is_judged_anew(phone: SimulatedDevice, d: GuardedDevice) -> None:
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
        sent.append((method, list(params or ())))
        return real(method, params, timeout)

    door.phone.link.u2.jsonrpc_call = jsonrpc_call
    d.click(10.7, 70.25)
    assert ("click", [10, 70]) in sent
    assert "whole" in blocked(phone, lambda: d.click(10, 1475.99999))


def test_a_finger_is_judged_when_it_is_lifted(phone: SimulatedDevice, d: GuardedDevice) -> None:
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
    from vsalang.tools.cli.main import run as vsac

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


def test_a_node_lost_after_sending_may_be_acted_on(
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
