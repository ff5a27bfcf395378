"""What the real uiautomator2 client sends in ordinary use: all of it is classified as what it is."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from vsalang.phone.classify import (
    Actions,
    Allowance,
    Inspect,
    Pass,
    Refuse,
    classify,
    classify_rpc,
    classify_sync,
)
from vsalang.phone.sim import SimulatedPhone, load
from vsalang.phone.sim.rpc import Automator
from vsalang.phone.sim.services import PhoneServices
from vsalang.program.action import Action

u2 = pytest.importorskip("uiautomator2")
adbutils = pytest.importorskip("adbutils")
ALLOWED = Allowance(jars=frozenset({"/data/local/tmp/u2.jar"}))


class Tap:
    """What reached the phone since it was last asked."""

    def __init__(self) -> None:
        self.services: list[str] = []
        self.calls: list[bytes] = []

    def classes(self) -> list[Any]:
        found = [classify(service, ALLOWED) for service in self.services]
        found += [classify_rpc(call, ALLOWED) for call in self.calls]
        self.services.clear()
        self.calls.clear()
        return found


@pytest.fixture
def wired(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Any, Tap]]:
    tap = Tap()
    opened, answered = PhoneServices.open, Automator.answer

    def open_(self: PhoneServices, name: str) -> Any:
        tap.services.append(name)
        return opened(self, name)

    def answer(self: Automator, body: bytes) -> bytes:
        tap.calls.append(body)
        return answered(self, body)

    monkeypatch.setattr(PhoneServices, "open", open_)
    monkeypatch.setattr(Automator, "answer", answer)
    with SimulatedPhone.start(load("restaurant")) as phone:
        adb = adbutils.AdbClient("127.0.0.1", phone.port)
        yield u2.connect(adb.device(serial=phone.serial)), tap


def test_connecting_only_reads_and_pushes_the_program(wired: tuple[Any, Tap]) -> None:
    _, tap = wired
    services = list(tap.services)
    found = tap.classes()
    assert all(isinstance(each, Pass | Inspect) for each in found), list(zip(services, found, strict=False))
    assert any(
        service.startswith("shell:CLASSPATH=/data/local/tmp/u2.jar app_process") for service in services
    )
    pushed = classify_sync("SEND", "/data/local/tmp/u2.jar,33261")
    assert isinstance(pushed, Actions)
    assert [action.name for action in pushed.actions] == ["push_file"]


READING: list[Callable[[Any], Any]] = [
    lambda d: d.dump_hierarchy(), lambda d: d.info, lambda d: d.device_info, lambda d: d.window_size(),
    lambda d: d.app_current(), lambda d: d.screenshot(), lambda d: d(text="R").exists, lambda d: d(text="R").count,
    lambda d: d(text="R").info, lambda d: d(textContains="R").wait(timeout=0.1), lambda d: d.last_toast,
    lambda d: d.clear_toast(), lambda d: d.app_list(), lambda d: d.app_list_running(), lambda d: d.clipboard,
    lambda d: d.current_ime(), lambda d: d.shell("getprop ro.product.model"), lambda d: d.orientation,
    lambda d: d.xpath("//*[@text='R']").exists, lambda d: d.app_info("com.opentable"), lambda d: d.serial,
    lambda d: d.adb_device.shell2(["ls", "/sdcard"], v2=False), lambda d: d.adb_device.screenshot(),
    lambda d: d.adb_device.getprop("ro.product.model"), lambda d: d.adb_device.list_packages(),
]  # fmt: skip


@pytest.mark.parametrize("use", range(len(READING)))
def test_reading(use: int, wired: tuple[Any, Tap]) -> None:
    device, tap = wired
    device.app_start("com.opentable")
    tap.classes()
    READING[use](device)
    services, calls = list(tap.services), list(tap.calls)
    found = tap.classes()
    assert all(isinstance(each, Pass | Inspect) for each in found), (services, calls, found)


ACTING: list[tuple[Callable[[Any], Any], list[str]]] = [
    (lambda d: d.click(100, 200), ["tap"]),
    (lambda d: d.long_click(100, 200), ["long_press"]),
    (lambda d: d.double_click(100, 200), ["tap", "long_press", "tap", "long_press", "tap"]),
    (lambda d: d.swipe(100, 900, 100, 200), ["swipe"]),
    (lambda d: d.drag(100, 900, 100, 200), ["long_press", "swipe"]),
    (lambda d: d.swipe_points([(1, 900), (1, 500), (1, 100)]), ["swipe", "swipe", "swipe"]),
    (lambda d: d.press("back"), ["back"]),
    (lambda d: d.press("home"), ["home"]),
    (lambda d: d.press(66), ["press_key"]),
    (lambda d: d.keyevent("enter"), ["press_key"]),
    (lambda d: d.shell("input tap 5 6"), ["tap"]),
    (lambda d: d.shell(["input", "text", "a b"]), ["input_text"]),
    (lambda d: d(text="R").click(timeout=0.2), ["tap"]),
    (lambda d: d.xpath("//*[@text='R']").click(timeout=0.2), ["tap"]),
    (lambda d: d.app_start("com.opentable"), ["open_app"]),
    (lambda d: d.app_stop("com.opentable"), ["shell"]),
    (lambda d: d.open_notification(), ["shell"]),
    (lambda d: d.set_clipboard("x"), ["input_text"]),
    (lambda d: d.screen_off(), ["press_key"]),
    (lambda d: d.adb_device.click(3, 4), ["tap"]),
    (lambda d: d.adb_device.swipe(1, 900, 1, 100, 1.0), ["swipe"]),
    (lambda d: d.adb_device.send_keys("hello"), ["input_text"]),
    (lambda d: d.adb_device.keyevent("HOME"), ["home"]),
    (lambda d: d.adb_device.app_start("com.opentable"), ["open_app"]),
]


@pytest.mark.parametrize("use", range(len(ACTING)))
def test_acting(use: int, wired: tuple[Any, Tap]) -> None:
    device, tap = wired
    device.app_start("com.opentable")
    tap.classes()
    run, expected = ACTING[use]
    try:
        run(device)
    except (u2.exceptions.UiObjectNotFoundError, u2.exceptions.XPathElementNotFoundError):
        pytest.fail("the phone does not show what the test touches")
    services, calls = list(tap.services), list(tap.calls)
    found = tap.classes()
    assert not [each for each in found if isinstance(each, Refuse)], (services, calls)
    acted = [action for each in found if isinstance(each, Actions) for action in each.actions]
    assert [action.name for action in acted] == expected, (services, calls)


def test_typing_into_a_field_names_the_field(wired: tuple[Any, Tap]) -> None:
    device, tap = wired
    device.app_start("com.opentable")
    device(resourceId="com.opentable:id/search_box").click()
    tap.classes()
    device(resourceId="com.opentable:id/search_box").set_text("R")
    acted = [a for each in tap.classes() if isinstance(each, Actions) for a in each.actions]
    assert acted == [Action("input_text", {"resource_id": "com.opentable:id/search_box", "value": "R"})]


def test_the_client_ships_no_call_that_is_not_classified() -> None:
    """Every method that the installed client calls by name is known."""
    import re

    from vsalang.phone.classify.rpc import READS
    from vsalang.phone.vocabulary import uiautomator2

    known = READS | set(uiautomator2.METHODS) | set(uiautomator2.FORBIDDEN)
    called: set[str] = set()
    for file in Path(u2.__file__).parent.glob("*.py"):
        called |= set(re.findall(r"jsonrpc\.([a-z]\w+)\(", file.read_text(encoding="utf-8")))
    assert len(called) > 40
    assert called <= known | {"getParent"}
