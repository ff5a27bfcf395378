"""The simulated phone without any protocol: what inputs do, what is recorded, that it is deterministic."""

import datetime as dt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.thorough import times
from vsalang.phone.sim import Phone, PhoneSpec, load
from vsalang.phone.sim.dump import dump
from vsalang.phone.sim.running import Input
from vsalang.phone.sim.widgets import Widget
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import load_dump

PACKAGE = "com.opentable"


@pytest.fixture(scope="module")
def spec() -> PhoneSpec:
    return load("restaurant")


@pytest.fixture
def phone(spec: PhoneSpec) -> Phone:
    phone = Phone(spec)
    phone.open_app(PACKAGE)
    return phone


def ids(phone: Phone) -> set[str]:
    return {widget.id for widget in phone.widgets() if widget.id}


def test_pages_that_look_the_same_are_laid_out_once(spec: PhoneSpec, phone: Phone) -> None:
    other = Phone(spec)
    other.open_app(PACKAGE)
    assert other.windows()[0] is phone.windows()[0]
    before = phone.windows()[0]
    phone.tap_id("result_card")
    assert phone.windows()[0] is not before
    phone.key("BACK")
    assert phone.windows()[0] is before


def test_the_focus_of_one_phone_is_not_anothers(spec: PhoneSpec) -> None:
    one, other = Phone(spec), Phone(spec)
    plain = dump(other)
    assert 'focused="true"' not in plain
    one.key("TAB")
    assert 'focused="true"' in dump(one)
    other.sleep(1)
    assert dump(other) == dump(Phone(spec)) == plain
    one.tap(360, 1000)
    assert 'focused="true"' not in dump(one)


def test_it_begins_on_the_home_screen(spec: PhoneSpec) -> None:
    phone = Phone(spec)
    assert phone.inputs == ()
    assert phone.clock == dt.datetime(2026, 4, 1, 12, 0)
    assert {"app_icon", "home_clock"} <= ids(phone)
    phone.tap_id("app_icon")
    assert phone.package == PACKAGE


def test_the_ids_of_the_app_module_are_there(phone: Phone) -> None:
    assert {"search_box", "result_title"} <= ids(phone)
    phone.tap_id("more_button")
    assert "overflow_menu" in ids(phone)
    phone.key("BACK")
    assert "overflow_menu" not in ids(phone)
    phone.tap_id("R")
    assert {
        "restaurant_name", "restaurant_location", "day_chip", "slots", "slot_time", "slot_button", "reserve_button",
    } <= ids(phone)  # fmt: skip
    assert "search_box" not in ids(phone)
    phone.tap_id("slot_button#2")
    phone.tap_id("reserve_button")
    assert {"reservation_result", "result_ok"} <= ids(phone)
    assert "result_failed" not in ids(phone)
    phone.key("BACK")
    assert "search_box" in ids(phone)


def test_the_scenario_that_fails(spec: PhoneSpec) -> None:
    phone = Phone(spec, "taken")
    for name in ("app_icon", "R", "slot_button#2", "reserve_button"):
        phone.tap_id(name)
    assert "result_failed" in ids(phone)
    assert "result_ok" not in ids(phone)
    assert phone.state(PACKAGE)["booked"] == []


def test_a_disabled_button_takes_the_touch_and_does_nothing(phone: Phone) -> None:
    phone.tap_id("R")
    phone.tap_id("slot_button#1")
    assert phone.inputs[-1].target == "slot_button"
    assert phone.state(PACKAGE)["marked"] == ""
    phone.tap_id("reserve_button")
    assert "reservation_result" not in ids(phone)


def test_another_day_offers_other_times_and_drops_the_mark(phone: Phone) -> None:
    phone.tap_id("R")
    phone.tap_id("slot_button#2")
    phone.tap_id("2026-04-02")
    assert phone.state(PACKAGE)["marked"] == ""
    assert [w.text for w in phone.widgets() if w.id == "day_chip" and w.flag("selected")] == ["2026-04-02"]
    free = [w.flag("enabled") for w in phone.widgets() if w.id == "slot_button"]
    assert free == [True, True, False, False, True, True]


def test_every_input_is_recorded_with_its_time(phone: Phone) -> None:
    phone.tap(3, 1500)
    phone.key("VOLUME_UP")
    first, second = phone.inputs[-2:]
    assert first == Input("tap", 3, 1500, time=first.time)
    assert (second.kind, second.text) == ("key", "VOLUME_UP")
    assert second.time - first.time == phone.spec.step
    assert phone.clock - second.time == phone.spec.step


def test_long_press_on_what_knows_none_is_a_tap(phone: Phone) -> None:
    left, top, right, bottom = phone.find("result_card").box
    phone.long_press((left + right) // 2, (top + bottom) // 2)
    assert "restaurant_name" in ids(phone)


def test_a_missing_name_is_told_with_those_there(phone: Phone) -> None:
    with pytest.raises(LookupError, match="search_box"):
        phone.tap_id("absent")
    with pytest.raises(LookupError):
        phone.tap_id("search_box#2")


_ACTIONS = st.one_of(
    st.tuples(st.just("tap"), st.integers(0, 719), st.integers(0, 1519)),
    st.tuples(
        st.just("swipe"), st.integers(0, 719), st.integers(0, 1519), st.integers(0, 719), st.integers(0, 1519)
    ),
    st.tuples(st.just("long_press"), st.integers(0, 719), st.integers(0, 1519)),
    st.tuples(
        st.just("key"), st.sampled_from(["BACK", "ENTER", "DEL", "A", "SPACE", "PASTE", "MENU", "TAB"])
    ),
    st.tuples(st.just("type_text"), st.text(max_size=8)),
    st.tuples(st.just("open_app"), st.just(PACKAGE)),
    st.tuples(st.just("toast"), st.text(max_size=8)),
)


@settings(max_examples=times(15, 40), deadline=None)
@given(actions=st.lists(_ACTIONS, max_size=12))
def test_the_same_inputs_leave_the_same_readable_screen(
    spec: PhoneSpec, actions: list[tuple[object, ...]]
) -> None:
    first, second = Phone(spec), Phone(spec)
    for name, *args in actions:
        getattr(first, str(name))(*args)
        getattr(second, str(name))(*args)
        xml = dump(first)
        assert xml == dump(second)
        screen = TreeScreen(load_dump(xml))
        assert list(screen.rows("Node"))
    assert first.inputs == second.inputs


@pytest.mark.slow
@settings(max_examples=times(20, 60), deadline=None)
@given(x=st.integers(0, 719), y=st.integers(0, 1519))
def test_the_dumps_reader_finds_what_takes_the_touch(spec: PhoneSpec, x: int, y: int) -> None:
    phone = Phone(spec)
    for name in ("app_icon", "search_box"):
        phone.tap_id(name)
    phone.key("A")
    widget = phone.taker(x, y)
    cells = TreeScreen(load_dump(dump(phone))).target("tap", {"x": x, "y": y})
    if not cells["covered"]:  # between two keys the reader does not vouch for which window is above
        assert (
            cells.get("id", "") if cells.get("clickable") or cells.get("long_clickable") else ""
        ) == _shown(widget)


def _shown(widget: Widget | None) -> str:
    return "" if widget is None else widget.id


# ---- the focus -------------------------------------------------------------------------------------------


def focused_id(phone: Phone) -> str:
    widget = phone.focused()
    return widget.id if widget else ""


def test_tab_moves_the_focus_and_enter_taps(phone: Phone) -> None:
    phone.tap_id("R")
    phone.tap_id("slot_button#2")
    stops = []
    while focused_id(phone) != "reserve_button":
        phone.key("TAB")
        stops.append(focused_id(phone))
        assert len(stops) < 60
    assert stops[0] == "up_button"
    assert [n.id for n in load_dump(dump(phone)).nodes if n.focused] == ["reserve_button"]
    phone.key("DPAD_UP")
    assert focused_id(phone) != "reserve_button"
    phone.key("DPAD_DOWN")
    phone.key("ENTER")
    assert (phone.inputs[-1].kind, phone.inputs[-1].target) == ("key", "reserve_button")
    assert "reservation_result" in ids(phone)
    assert focused_id(phone) == "", "another screen begins without"


@pytest.mark.parametrize("key", ["SPACE", "DPAD_CENTER", "NUMPAD_ENTER"])
def test_other_keys_press_too(phone: Phone, key: str) -> None:
    phone.key("TAB")
    assert focused_id(phone) == "more_button"
    phone.key(key)
    assert "overflow_menu" in ids(phone)


def test_a_field_takes_focus_and_text(phone: Phone) -> None:
    phone.key("TAB")
    phone.type_text("lost")
    phone.key("TAB")
    assert focused_id(phone) == "search_box"
    assert phone.keyboard_shown
    phone.type_text("a")
    phone.key("SPACE")
    phone.type_text("b")
    assert phone.state(PACKAGE)["query"] == "a b"
    phone.key("TAB")
    assert not phone.keyboard_shown


def test_a_finger_ends_what_tab_began(phone: Phone) -> None:
    phone.key("TAB")
    phone.tap(10, 1500)
    assert focused_id(phone) == ""
    phone.key("ENTER")
    assert "overflow_menu" not in ids(phone)


def test_the_focus_on_recorded_and_system_screens() -> None:
    phone = Phone(load("editor"))
    phone.key("TAB")
    assert [n.focused for n in load_dump(dump(phone)).nodes].count(True) == 1
    while (widget := phone.focused()) is None or widget.text != "PocketIDE":
        phone.key("TAB")
        assert len(phone.inputs) < 40
    phone.key("ENTER")
    assert phone.package == "com.pocketide"
    home = Phone(load("restaurant"))
    home.key("TAB")
    home.key("ENTER")
    assert home.package == PACKAGE
