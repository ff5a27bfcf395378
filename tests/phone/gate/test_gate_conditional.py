"""What other clients of the phone tap through the gate: the target changes between the look and the tap."""

import contextlib
import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("uiautomator2")
import adbutils
import uiautomator2 as u2

from tests.phone.gate.live import PACKAGE, SERIAL, Live, live, short_pauses
from vsalang.agents.adapters.uiautomator2.device import GuardedDevice
from vsalang.phone.gate.finger import Finger
from vsalang.phone.gate.sight import Sight

NAMES = ["Q", "Trattoria Roma", "Sakura Garden", "The Green Fork"]
SPEC = """
spec free "The agent may look at restaurants."
import apps.opentable
allow Reserve(restaurant = "R", date = today, time = ?t, time < 19:00).
done when Reserve earlier.
"""
CHANGING = """
[[fault]]
kind = "change"
on = ["tap", "long_press"]
p = 0.5
set = { query = "r" }
"""


@contextlib.contextmanager
def changing(folder: Path, fault: str = CHANGING) -> Iterator[Live]:
    """A phone whose list of restaurants changes just before every second tap or so, behind the gate."""
    (folder / "changing.toml").write_text(fault)
    (folder / "free.vsa").write_text(SPEC)
    with short_pauses(), live(folder / "free.vsa", scenario=str(folder / "changing.toml")) as phone:
        phone.gate.finger = Finger(lambda: 0.0)  # however slow this machine is, a finger is lifted at once
        yield phone


def connected(phone: Live) -> Any:
    return u2.connect(adbutils.AdbClient("127.0.0.1", phone.port).device(serial=SERIAL))


def by_selector(client: Any, name: str) -> None:
    client(text=name).click(timeout=0.1)


def by_place(client: Any, name: str) -> None:
    client.click(*client(text=name).center())


def beside_the_middle(client: Any, name: str) -> None:
    x, y = client(text=name).center()
    client.click(x + 3, y)


def by_command(client: Any, name: str) -> None:
    x, y = client(text=name).center()
    client.shell(["input", "tap", str(x), str(y)])


def by_events(client: Any, name: str) -> None:
    x, y = client(text=name).center()
    client.touch.down(x, y).up(x, y)


def by_commands_of_events(client: Any, name: str) -> None:
    x, y = client(text=name).center()
    for kind in ("DOWN", "UP"):
        client.shell(["input", "motionevent", kind, str(x), str(y)])


def long_by_selector(client: Any, name: str) -> None:
    client.jsonrpc.longClick(client(text=name).selector)


WAYS: list[Callable[[Any, str], None]] = [
    by_selector,
    by_place,
    by_command,
    by_events,
    long_by_selector,
]


def sessions(phone: Any, client: Any, way: Callable[[Any, str], None], count: int) -> tuple[int, int, int]:
    """How often a random restaurant was opened, another one was, and nothing was tapped."""
    right = wrong = held = 0
    chance = random.Random(7)
    for _ in range(count):
        phone.stop_app(PACKAGE, clear=True)
        phone.open_app(PACKAGE)
        wanted = chance.choice(NAMES)
        with contextlib.suppress(Exception):
            way(client, wanted)
        opened = phone.state(PACKAGE)["restaurant"]
        right += opened == wanted
        wrong += opened not in ("", wanted)
        held += opened == ""
    return right, wrong, held


@pytest.mark.sampled(2)
@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_clients_behind_the_gate_never_tap_something_else(
    way: Callable[[Any, str], None], tmp_path: Path
) -> None:
    with changing(tmp_path) as phone:
        client = connected(phone)
        right, wrong, held = sessions(phone.device.phone, client, way, 10)
        passed = [event for event in phone.events if event.outcome == "passed"]
    assert (wrong, right > 0, held > 0) == (0, True, True)
    assert len(passed) == right


@pytest.mark.slow
@pytest.mark.parametrize("way", [by_selector, by_command])
def test_without_the_condition_something_else_is_tapped(
    way: Callable[[Any, str], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The fault is real: what is sent to a place meets what has come there."""
    monkeypatch.setattr(Sight, "touch", lambda *_: False)
    with changing(tmp_path) as phone:
        _, wrong, _ = sessions(phone.device.phone, connected(phone), way, 10)
    assert wrong > 0


@pytest.mark.slow
@pytest.mark.parametrize("way", [by_selector, by_command])
def test_a_guarded_client_never_taps_something_else(way: Callable[[Any, str], None], tmp_path: Path) -> None:
    with changing(tmp_path) as phone, GuardedDevice(phone.device, phone.guard) as client:
        right, wrong, held = sessions(phone.device.phone, client, way, 10)
    assert (wrong, right > 0, held > 0) == (0, True, True)


def test_a_client_is_told_that_the_target_is_gone(tmp_path: Path) -> None:
    """Before anything was sent it is certain that nothing was done; the answer says to look again."""
    with changing(tmp_path) as phone:
        client = connected(phone)
        real = Sight.touch

        def late(sight: Sight, *args: Any) -> bool:
            phone.device.phone._change({"query": "zzz"})
            return real(sight, *args)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Sight, "touch", late)
            with pytest.raises(Exception, match="the target is not what was judged"):
                client(text="Q").click(timeout=0.1)
        assert not [one for one in phone.inputs() if one.kind == "tap"]
        assert phone.events[-1].delivered is False
        assert not phone.guard.running


def test_a_click_that_the_device_refused_did_not_arrive(tmp_path: Path) -> None:
    """The target was there when the device was asked, and not when it looked for it to click it."""
    with changing(tmp_path, CHANGING.replace("p = 0.5", "at = 1").replace('"r"', '"zzz"')) as phone:
        client = connected(phone)
        with pytest.raises(Exception, match="clicked nothing"):
            client(text="Q").click(timeout=0.1)
        assert not [one for one in phone.inputs() if one.kind == "tap"]
        event = phone.events[-1]
        assert (event.delivered, phone.guard.running) == (False, False)
        assert event.feedback.startswith("not delivered: "), event.feedback


def test_a_tap_is_no_long_press_on_late_phones(tmp_path: Path) -> None:
    """The events are sent one by one: the phone gets one tap, however long the second event travels."""
    with changing(tmp_path) as phone:
        open_ = phone.upstream.open

        def slow(name: str) -> Any:
            if "UP" in name:
                time.sleep(1.0)
            return open_(name)

        phone.services._shells._phone = SimpleNamespace(open=slow)  # type: ignore[assignment]
        before = len(phone.inputs())
        for kind in ("DOWN", "UP"):
            kinds = [one.kind for one in phone.inputs()[before:]]
            assert not kinds
            adb = adbutils.AdbClient("127.0.0.1", phone.port).device(serial=SERIAL)
            adb.shell(f"input motionevent {kind} 360 100")
        kinds = [one.kind for one in phone.inputs()[before:]]
        assert "long_press" not in kinds
        assert [action.name for action in phone.events[-1].actions] == ["tap"]
