"""What a finger does, out of the lines of `getevent`: taps, long presses, swipes, keys, and lines without one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vsalang.phone.getevent import Panel, Touches, read_panels
from vsalang.phone.vocabulary import VocabularyError
from vsalang.program.action import Action

LISTED = """add device 1: /dev/input/event5
  name:     "gpio-keys"
  events:
    KEY (0001): KEY_VOLUMEUP
  input props:
    <none>
could not get driver version for /dev/input/mice, Not a typewriter
add device 2: /dev/input/event2
  name:     "fts"
  events:
    KEY (0001): BTN_TOUCH             BTN_TOOL_FINGER
    ABS (0003): ABS_MT_SLOT           : value 0, min 0, max 9, fuzz 0, flat 0, resolution 0
                ABS_MT_TOUCH_MAJOR    : value 0, min 0, max 255, fuzz 0, flat 0, resolution 0
                ABS_MT_POSITION_X     : value 0, min 0, max 4319, fuzz 0, flat 0, resolution 0
                ABS_MT_POSITION_Y     : value 0, min 0, max 9599, fuzz 0, flat 0, resolution 0
                ABS_MT_TRACKING_ID    : value 0, min 0, max 65535, fuzz 0, flat 0, resolution 0
  input props:
    INPUT_PROP_DIRECT
"""
PANELS = read_panels(LISTED)
FTS = "/dev/input/event2"


def event(at: float, kind: str, code: str, value: str, device: str = FTS) -> str:
    return f"[{at:15.6f}] {device}: {kind:<12} {code:<20} {value:<20}\r"


def axis(at: float, code: str, value: int) -> str:
    return event(at, "EV_ABS", code, f"{value & 0xFFFFFFFF:08x}")


def packet(at: float, *axes: tuple[str, int]) -> list[str]:
    return [*(axis(at, code, value) for code, value in axes), event(at, "EV_SYN", "SYN_REPORT", "00000000")]


def finger(*places: tuple[int, int], begin: float = 1.0, end: float = 1.08, slot: int = 0) -> list[str]:
    """A finger that comes down, goes through places (of the panel), and is lifted."""
    found: list[str] = []
    last = (-1, -1)
    for number, place in enumerate(places):
        at = begin + (end - begin) * number / max(len(places) - 1, 1) / 2
        axes = [("ABS_MT_SLOT", slot), ("ABS_MT_TRACKING_ID", 77)] if number == 0 else []
        # only what changed is told
        if place[0] != last[0]:
            axes.append(("ABS_MT_POSITION_X", place[0]))
        if place[1] != last[1]:
            axes.append(("ABS_MT_POSITION_Y", place[1]))
        last = place
        found += [event(at, "EV_KEY", "BTN_TOUCH", "DOWN"), *packet(at, *axes)]
    return [*found, event(end, "EV_KEY", "BTN_TOUCH", "UP"), *packet(end, ("ABS_MT_TRACKING_ID", -1))]


def touches(rotation: int = 0, density: int = 420) -> Touches:
    size = (2400, 1080) if rotation % 2 else (1080, 2400)
    return Touches(PANELS, *size, rotation=rotation, density=density)


def fed(lines: list[str], into: Touches | None = None) -> list[str]:
    into = into or touches()
    return [str(action) for line in lines for action in into.feed(line)]


def test_the_panels_of_a_phone():
    assert list(PANELS.items()) == [(FTS, Panel(0, 4319, 0, 9599))]
    assert read_panels("") == read_panels("ABS_MT_POSITION_X : min 0, max 9") == {}
    assert read_panels(LISTED.replace("max 9599", "max 0")) == {}


def test_a_tap_a_long_press_a_swipe():
    assert fed(finger((2160, 4800))) == ["tap(x = 540, y = 1200)"]
    assert fed(finger((2160, 4800), (2200, 4850), (2160, 4800))) == ["tap(x = 540, y = 1200)"]  # it trembles
    assert fed(finger((2160, 4800), end=1.6)) == ["long_press(x = 540, y = 1200)"]
    (swiped,) = fed(finger((2160, 8000), (2160, 6000), (2160, 4000), end=1.3))
    assert swiped.startswith("swipe(x = 540, y = 2000, x2 = 540, y2 = 1000, duration = ")


def test_the_same_place_again_is_not_told_again():
    into = touches()
    first = finger((2160, 4800))
    again = [line for line in finger((2160, 4800), begin=2, end=2.08) if "POSITION" not in line]
    assert fed([*first, *again], into) == ["tap(x = 540, y = 1200)"] * 2
    # but where it is was never told to one who came late
    assert fed(again) == [
        'shell(command = "getevent {\\"gesture\\": \\"a touch at a place that was not told\\"}")'
    ]


@pytest.mark.parametrize(
    ("rotation", "place"),
    [
        (0, (100, 200)),
        (1, (200, 1080 - 1 - 100)),
        (2, (1080 - 1 - 100, 2400 - 1 - 200)),
        (3, (2400 - 1 - 200, 100)),
    ],
)
def test_a_phone_that_is_held_in_another_way(rotation: int, place: tuple[int, int]):
    (tap,) = fed(finger((100 * 4, 200 * 4)), touches(rotation))
    assert tap == f"tap(x = {place[0]}, y = {place[1]})"


def test_several_fingers_are_no_gesture_of_the_language():
    one, two = finger((400, 400)), finger((4000, 9000), slot=1)
    lines = [*one[:4], *two, *packet(1.2, ("ABS_MT_SLOT", 0), ("ABS_MT_TRACKING_ID", -1))]
    (found,) = fed(lines)
    assert "several fingers" in found and found.startswith("shell(")


def test_a_movement_there_and_back_is_no_tap():
    (found,) = fed(finger((400, 400), (4000, 400), (404, 400)))
    assert "there and back" in found


def test_while_a_finger_is_down_nothing_is_known():
    into = touches()
    lines = finger((400, 400), (400, 8000))
    for line in lines[:-1]:
        assert into.feed(line) == ()
    assert not into.down  # lifted, but the packet is not over
    assert len(into.feed(lines[-1])) == 1
    for line in lines[:-3]:
        into.feed(line)
    assert into.down
    into.feed(event(2, "EV_SYN", "SYN_DROPPED", "00000000"))
    assert not into.down and fed(packet(2.1, ("ABS_MT_TRACKING_ID", -1)), into) == []


@pytest.mark.parametrize(
    ("key", "action"),
    [
        ("KEY_BACK", "back()"),
        ("KEY_HOMEPAGE", "home()"),
        ("KEY_VOLUMEUP", 'press_key(key = "VOLUME_UP")'),
        ("KEY_POWER", 'press_key(key = "POWER")'),
        ("KEY_APPSELECT", 'press_key(key = "APP_SWITCH")'),
        ("KEY_A", 'input_text(value = "a")'),
        ("KEY_ENTER", 'press_key(key = "ENTER")'),
        ("KEY_ROTATE_DISPLAY", 'shell(command = "getevent {\\"key\\": \\"KEY_ROTATE_DISPLAY\\"}")'),
    ],
)
def test_keys(key: str, action: str):
    device = "/dev/input/event5"
    assert fed([event(1, "EV_KEY", key, "DOWN", device), event(1.1, "EV_KEY", key, "UP", device)]) == [action]
    assert fed([event(1, "EV_KEY", key, "REPEAT", device)]) == []


def test_what_is_no_event_says_nothing():
    noise = [
        "",
        "add device 1: /dev/input/event5",
        '  name:     "fts"',
        event(1, "EV_KEY", "BTN_TOUCH", "DOWN"),
        event(1, "EV_ABS", "ABS_MT_POSITION_X", "wide"),
        event(1, "EV_ABS", "ABS_MT_POSITION_X", "00000010", "/dev/input/event9"),
        event(1, "EV_MSC", "MSC_SCAN", "00000010"),
        "[ 1.0 ] /dev/input/event2",
        "\x00" * 10_000,
    ]
    assert fed([*noise, *finger((2160, 4800)), *noise]) == ["tap(x = 540, y = 1200)"]


WORDS = st.sampled_from(
    "EV_ABS EV_KEY EV_SYN ABS_MT_SLOT ABS_MT_TRACKING_ID ABS_MT_POSITION_X ABS_MT_POSITION_Y SYN_REPORT SYN_DROPPED "
    "KEY_BACK KEY_X1 DOWN ffffffff 00000001 7fffffff 80000000 00000fff".split()
)


@given(st.lists(st.tuples(st.sampled_from([FTS, "/dev/input/event5"]), WORDS, WORDS, WORDS), max_size=60))
def test_no_events_break_anything(events: list[tuple[str, str, str, str]]):
    into = touches()
    for number, (device, kind, code, value) in enumerate(events):
        try:
            found = into.feed(event(number / 10, kind, code, value, device))
        except VocabularyError:
            continue
        assert len(found) <= 1 and all(isinstance(action, Action) for action in found)
        for action in found:
            if "x" in action.args and action.name == "tap":
                assert 0 <= action.args["x"] < 1080 and 0 <= action.args["y"] < 2400


@given(st.integers(0, 1079), st.integers(0, 2399), st.integers(0, 3))
def test_a_place_comes_back_as_it_was(x: int, y: int, rotation: int):
    into = touches(rotation)
    (tap,) = (action for line in finger((x * 4 + 1, y * 4 + 2)) for action in into.feed(line))
    got = tap.args["x"], tap.args["y"]
    assert got == [(x, y), (y, 1079 - x), (1079 - x, 2399 - y), (2399 - y, x)][rotation]
