"""A finger that is put down, moved and lifted in several calls is one gesture."""

import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.phone.gate.live import SERIAL, Live, live
from tests.phone.gate.test_gate_clients import LATE, RESERVE, SLOT, settled
from vsalang.phone import DeviceLost, DeviceTimeout, NotDelivered
from vsalang.phone.gate import http
from vsalang.phone.gate.finger import Finger, Gesture, event_of
from vsalang.phone.gate.sight import Sight

adbutils = pytest.importorskip("adbutils")
u2 = pytest.importorskip("uiautomator2")


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def event(kind: int, x: float, y: float) -> tuple[str, object, object, Callable[[], object]]:
    call = {"jsonrpc": "2.0", "id": 1, "method": "injectInputEvent", "params": [kind, x, y, 0]}
    return (*event_of(json.dumps(call).encode()), lambda: None)


def gesture(*events: tuple[int, float, float, float]) -> list[str]:
    """The actions of events: kind, place, seconds after the one before."""
    clock = Clock()
    finger = Finger(clock)
    taken: Gesture | bool = False
    for kind, x, y, later in events:
        clock.now += later
        taken = finger.takes(*event(kind, x, y))
    assert isinstance(taken, Gesture)
    return [each.name for each in taken.actions]


def test_what_a_gesture_may_be() -> None:
    assert gesture((0, 5, 5, 0), (1, 5, 5, 0.05)) == ["tap"]
    assert gesture((0, 5, 5, 0), (1, 7, 6, 0.05)) == ["tap"]
    assert gesture((0, 5, 5, 0), (2, 6, 6, 0.01), (1, 5, 5, 0.1)) == ["tap"]
    assert gesture((0, 5, 5, 0), (1, 5, 5, 0.4)) == ["tap", "long_press"]
    # a phone that gets both events late sees them at once
    assert gesture((0, 5, 5, 0), (1, 5, 5, 1)) == ["long_press", "tap"]
    assert gesture((0, 5, 5, 0), (1, 5, 500, 0.2)) == ["swipe"]
    assert gesture((0, 5, 5, 0), (2, 5, 500, 0.2), (1, 5, 5, 0.2)) == ["tap", "long_press", "swipe", "swipe"]
    assert set(gesture((0, 5, 5, 0), (2, 5, 6, 0.9), (2, 5, 400, 0.1), (1, 5, 700, 0.1))) == {
        "long_press",
        "swipe",
    }
    assert "long_press" in gesture((0, 5, 5, 0), (2, 5, 400, 0.9), (1, 5, 700, 0.1))


def test_many_short_ways_are_a_long_one() -> None:
    """Also if it leads back to where it began: no touch of one place."""
    there = [(2, 5, 5 + 6 * step, 0.01) for step in range(1, 41)]
    back = [(2, 5, 245 - 6 * step, 0.01) for step in range(1, 41)]
    assert "swipe" in gesture((0, 5, 5, 0), *there, *back, (1, 5, 5, 0.01))
    assert "swipe" not in gesture((0, 5, 5, 0), (2, 5, 11, 0.01), (2, 5, 5, 0.01), (1, 5, 5, 0.01))


def test_a_finger_that_trembles_rests() -> None:
    rest = [(2, 5 + number % 2, 5, 0.1) for number in range(12)]
    assert "long_press" in gesture((0, 5, 5, 0), *rest, (2, 5, 400, 0.05), (1, 5, 700, 0.05))
    assert gesture((0, 5, 5, 0), (2, 5, 200, 0.02), (1, 5, 700, 0.05)) == ["swipe", "swipe", "swipe"]


def test_events_that_belong_to_no_gesture() -> None:
    clock = Clock()
    finger = Finger(clock)
    assert finger.takes(*event(1, 5, 5)) is False
    assert finger.takes(*event(2, 5, 5)) is False
    assert finger.takes(*event(0, 5, 5)) is True
    assert finger.lift() is True and finger.lift() is False
    assert finger.takes(*event(1, 5, 5)) is False
    assert finger.takes(*event(0, 5, 5)) is True
    clock.now += 60
    assert finger.takes(*event(1, 5, 5)) is False
    assert finger.takes(*event(0, 5, 5)) is True
    for _ in range(499):
        assert finger.takes(*event(2, 5, 5)) is True
    assert finger.takes(*event(2, 5, 5)) is False


# ---------------------------------------------------------------- was it delivered?


class Way:
    """Makes events until one fails."""

    def __init__(self, failing: int, error: BaseException) -> None:
        self.failing = failing
        self.error = error
        self.made: list[int] = []

    def make(self, kind: int) -> None:
        if len(self.made) == self.failing:
            self.failing = -1
            raise self.error
        self.made.append(kind)


def moved(failing: int, error: BaseException) -> tuple[Way, BaseException | None]:
    """A finger that goes down, moves and is lifted; which event fails, and what is said of it."""
    finger, way = Finger(), Way(failing, error)
    for kind, y in ((0, 5), (2, 6)):
        finger.takes(*event(kind, 5, y)[:3], partial(way.make, kind))
    made = finger.takes(*event(1, 5, 6))
    assert isinstance(made, Gesture)
    try:
        made.make(partial(way.make, 1))
    except BaseException as raised:
        return way, raised
    return way, None


def test_nothing_is_undelivered_whose_beginning_was_made() -> None:
    """The move fails before it leaves, but the finger is down, and is lifted: that was a tap."""
    way, raised = moved(1, NotDelivered("the cable"))
    assert len(way.made) == 2
    assert isinstance(raised, DeviceLost) and raised.delivered is None


def test_what_fails_before_the_first_event_is_undelivered() -> None:
    way, raised = moved(0, NotDelivered("the cable"))
    assert way.made == [] and isinstance(raised, NotDelivered)


def test_an_interrupt_leaves_no_finger_on_the_screen() -> None:
    way, raised = moved(1, KeyboardInterrupt())
    assert way.made == [0, 1] and isinstance(raised, KeyboardInterrupt)


def test_a_finger_that_may_be_down_is_lifted() -> None:
    way, raised = moved(0, DeviceTimeout("no answer"))
    assert way.made == [1] and isinstance(raised, DeviceTimeout)


def test_a_move_that_fails_costs_the_licence(page: Live) -> None:
    """The way to the server is lost in the middle of a tap on the button that books."""
    d = device(page)
    d.click(*SLOT)
    assert settled(page, lambda: len(page.events) == 1)
    asked: list[bytes] = []
    ask = http._Session.ask

    def fails(self: Any, call: bytes) -> bytes:
        asked.append(call)
        if len(asked) == 2:
            raise NotDelivered("the server on the phone cannot be reached")
        return ask(self, call)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Sight, "touch", lambda *_: False)  # the events are sent one by one, as they came
        patch.setattr(http._Session, "ask", fails)
        with pytest.raises(u2.RPCError):
            d.touch.down(*RESERVE).move(RESERVE[0] + 1, RESERVE[1]).up(*RESERVE)
    assert settled(page, lambda: len(page.events) == 2)
    assert [item.target for item in page.inputs()].count("reserve_button") == 1
    assert page.events[-1].delivered is None
    (charge,) = page.guard.ledger
    assert charge.grant.relation.endswith(".Reserve")


@pytest.fixture
def page() -> Iterator[Live]:
    with live() as found:
        found.device.phone.tap(223, 446)
        yield found


def device(page: Live) -> Any:
    return u2.connect(adbutils.AdbClient("127.0.0.1", page.port).device(serial=SERIAL))


def test_a_tap_in_two_calls_is_one_tap(page: Live) -> None:
    d = device(page)
    before = len(page.inputs())
    d.touch.down(*SLOT)
    assert len(page.inputs()) == before  # nothing is made before the finger is lifted
    d.touch.up(*SLOT)
    assert settled(page, lambda: len(page.events) == 1)
    assert [(item.kind, item.x, item.y) for item in page.inputs()[before:]] == [("tap", *SLOT)]
    d.touch.down(*RESERVE).up(*RESERVE)
    assert settled(page, lambda: len(page.events) == 2)
    assert [event.outcome for event in page.events] == ["passed", "passed"]
    assert page.inputs()[-1].target == "reserve_button"
    assert "x 2" in page.events[-1].what


def test_a_double_click_of_what_may_be_tapped(page: Live) -> None:
    d = device(page)
    before = len(page.inputs())
    d.double_click(*SLOT)
    assert settled(page, lambda: len(page.events) == 2)
    assert {event.outcome for event in page.events} == {"passed"}
    assert len(page.inputs()) == before + 2


def test_a_blocked_gesture_leaves_no_finger(page: Live) -> None:
    d = device(page)
    before = page.inputs()
    with pytest.raises(u2.RPCUnknownError, match="wanted < 19:00"):
        d.touch.down(*LATE).move(LATE[0] + 1, LATE[1]).up(*LATE)
    assert page.inputs() == before
    d.touch.down(*SLOT)
    d.press("back")
    d.touch.up(*RESERVE)  # which stands by itself: there is no finger to lift
    assert settled(page, lambda: len(page.events) == 4)
    assert [event.outcome for event in page.events] == ["blocked", "refused", "passed", "passed"]
    assert "a finger was down" in page.events[1].feedback
    assert [item.kind for item in page.inputs()[len(before) :]] == ["key"]


def test_a_drag_in_many_calls(page: Live) -> None:
    d = device(page)
    d.touch.down(360, 1200).move(360, 1000).move(360, 700).up(360, 600)
    assert settled(page, lambda: len(page.events) == 1)
    assert page.events[0].outcome == "passed"
    assert {action.name for action in page.events[0].actions} == {"swipe"}


DENY_UP = """
spec still "Look"
import apps.opentable
deny "no" when swipe(direction = up).
done when ReserveResult(success = true).
"""


@pytest.fixture
def still(tmp_path: Path) -> Iterator[Live]:
    """The page of a restaurant, whose list may not be moved up."""
    spec = tmp_path / "still.vsa"
    spec.write_text(DENY_UP)
    with live(spec, unknown_screen="allow") as found:
        found.device.phone.tap(223, 446)
        yield found


def shell(page: Live, line: str) -> Any:
    return adbutils.AdbClient("127.0.0.1", page.port).device(serial=SERIAL).shell2(line)


@pytest.mark.parametrize("first", ["shell", "rpc"])
def test_a_finger_down_by_one_channel_up_by_another(still: Live, first: str) -> None:
    d = device(still)
    before = len(still.inputs())
    if first == "shell":
        assert shell(still, "input motionevent DOWN 360 1200").returncode == 0
        with pytest.raises(u2.RPCUnknownError):
            d.touch.up(360, 600)
    else:
        d.touch.down(360, 1200)
        assert shell(still, "input motionevent UP 360 600").returncode != 0
    assert settled(still, lambda: len(still.events) == 1)
    assert still.events[0].outcome == "blocked"
    assert [action.name for action in still.events[0].actions] == ["swipe"]
    assert len(still.inputs()) == before
    shell(still, "input motionevent DOWN 360 600")
    d.touch.up(360, 1200)  # the other way
    assert settled(still, lambda: len(still.events) == 2)
    assert [item.kind for item in still.inputs()[before:]] == ["swipe"]


def test_a_pause_belongs_to_the_gesture(page: Live) -> None:
    before = len(page.inputs())
    line = (
        f"input motionevent DOWN {SLOT[0]} {SLOT[1]} && sleep 1 && input motionevent UP {SLOT[0]} {SLOT[1]}"
    )
    assert shell(page, line).returncode == 0
    assert settled(page, lambda: len(page.events) == 2)
    assert [action.name for action in page.events[0].actions] == ["wait"]
    assert [item.kind for item in page.inputs()[before:]] == ["tap"]  # by the clock on the wall


def test_another_input_lets_the_finger_go(page: Live) -> None:
    shell(page, "input motionevent DOWN 360 1200")
    assert shell(page, "input keyevent BACK").returncode == 0
    assert [event.outcome for event in page.events] == ["refused", "passed"]
    assert "a finger was down" in page.events[0].feedback
    assert shell(page, "input motionevent UP 360 1200; input motionevent UP 1 1 >/dev/null").returncode == 0
