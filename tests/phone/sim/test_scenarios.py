"""Scenarios: faults, surprises and answers by seed; the same of all gives the same phone."""

import datetime as dt
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.thorough import times
from vsalang.phone.sim import Phone, PhoneSpec, PhoneSpecError, load
from vsalang.phone.sim.dump import dump
from vsalang.phone.sim.faults import draw
from vsalang.screen.tree import load_dump

PACKAGE = "com.opentable"
EMPTY = '<hierarchy rotation="0" />'


@pytest.fixture(scope="module")
def spec() -> PhoneSpec:
    return load("restaurant")


@pytest.fixture
def begun(spec: PhoneSpec, tmp_path: Path) -> Callable[[str], Phone]:
    """A phone under the scenario of a text, with the app open."""

    def begin(text: str) -> Phone:
        file = tmp_path / "s.toml"
        file.write_text(text)
        phone = Phone(spec, str(file))
        phone.open_app(PACKAGE)
        return phone

    return begin


def reserve(phone: Phone) -> None:
    for name in ("R", "slot_button#2", "reserve_button"):
        phone.tap_id(name)


# ---- faults ----------------------------------------------------------------------------------------------


def test_a_lost_tap_is_recorded_and_does_nothing(begun: Callable[[str], Phone]) -> None:
    phone = begun('[[fault]]\nkind = "lost"\non = "tap"\nat = 1')
    phone.tap_id("R")
    assert (phone.inputs[-1].target, phone.inputs[-1].fate) == ("result_card", "lost")
    assert phone.find("search_box")
    phone.tap_id("R")
    assert phone.inputs[-1].fate == ""
    assert phone.find("restaurant_name").text == "R"


def test_a_delayed_tap_lands_on_what_shows_then(begun: Callable[[str], Phone]) -> None:
    phone = begun('[[fault]]\nkind = "delayed"\ntarget = "result_card"\nat = 1\nseconds = 5')
    phone.tap_id("R")
    assert phone.inputs[-1].fate == "delayed"
    assert phone.find("search_box")
    phone.sleep(2)
    assert phone.find("search_box")
    phone.sleep(2)
    assert phone.find("restaurant_name").text == "R"


SETTINGS = "org.example.settings"


@pytest.fixture
def on_display(tmp_path: Path) -> Callable[[str], Phone]:
    """The settings under the scenario of a text, with the page Display."""

    def begin(text: str) -> Phone:
        (tmp_path / "s.toml").write_text(text)
        phone = Phone(load("settings"), str(tmp_path / "s.toml"))
        phone.open_app(SETTINGS)
        phone.tap_id("Display")
        return phone

    return begin


def test_a_stuck_switch_takes_the_touch(on_display: Callable[[str], Phone]) -> None:
    phone = on_display('[[fault]]\nkind = "stuck"\ntarget = "row_switch"\nat = 1')
    phone.tap_id("Dark theme#2")
    assert (phone.inputs[-1].target, phone.inputs[-1].fate) == ("row_switch", "stuck")
    assert phone.find("Dark theme#2").flag("checked") is False
    phone.tap_id("Dark theme#2")
    assert phone.find("Dark theme#2").flag("checked") is True


def test_a_stuck_row_leads_on(on_display: Callable[[str], Phone]) -> None:
    phone = on_display('[[fault]]\nkind = "stuck"\nat = 4\n')
    phone.tap_id("Text size")
    phone.tap_id("Large")
    assert phone.inputs[-1].fate == "stuck" and phone.state(SETTINGS)["text_size"] == "Medium"
    assert phone.screens(SETTINGS)[-1] == "display"  # the dialog has closed


@pytest.mark.parametrize(("rows", "hit"), [(1, "adaptive"), (2, "dark"), (3, "adaptive")])
def test_a_shifted_touch_lands_rows_further(on_display: Callable[[str], Phone], rows: int, hit: str) -> None:
    phone = on_display(f'[[fault]]\nkind = "shifted"\ntarget = "row_switch"\nrows = {rows}')
    before = phone.state(SETTINGS)
    phone.tap_id("Dark theme#2")
    after = phone.state(SETTINGS)
    assert [name for name in before if before[name] != after[name]] == [hit]
    assert phone.inputs[-1].fate == "shifted"


def test_a_touch_without_rows_is_not_shifted(begun: Callable[[str], Phone]) -> None:
    phone = begun('[[fault]]\nkind = "shifted"\non = "tap"')
    phone.tap_id("search_box")
    assert phone.focused() is not None
    phone.tap(5, 5)
    assert phone.inputs[-1].fate == "shifted"


def test_cut_text_arrives_in_part(begun: Callable[[str], Phone]) -> None:
    phone = begun('[[fault]]\nkind = "cut"\non = ["text", "set_text"]\ncharacters = 3\nat = [1, 2]')
    phone.set_text(phone.find("search_box"), "Pizza")
    assert phone.find("search_box").text == "Piz"
    phone.tap_id("search_box")
    phone.type_text("zeria")
    assert phone.find("search_box").text == "Pizzer"
    phone.type_text("ia")
    assert phone.find("search_box").text == "Pizzeria"
    assert [item.fate for item in phone.inputs][-4:] == ["cut", "", "cut", ""]


def test_a_repeated_tap_counts_twice(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text('[[fault]]\nkind = "repeated"\nat = 3')
    phone = Phone(load("settings"), str(tmp_path / "s.toml"))
    phone.open_app("org.example.settings")
    phone.tap_id("Display")
    phone.tap_id("Dark theme#2")
    assert phone.state("org.example.settings")["dark"] is False
    phone.tap_id("Dark theme#2")
    assert phone.state("org.example.settings")["dark"] is True
    assert [item.fate for item in phone.inputs] == ["", "", "repeated", ""]


def test_stale_dumps_show_what_was_before_the_input(begun: Callable[[str], Phone]) -> None:
    phone = begun('[[fault]]\nkind = "stale"\non = "tap"\nat = 1\nlooks = 2')
    before = dump(phone)
    phone.tap_id("R")
    assert phone.find("restaurant_name"), "the phone itself goes on"
    assert dump(phone) == before
    assert dump(phone, plain=True).count("search_box") == 1
    assert "restaurant_name" in dump(phone)


def test_empty_dumps(begun: Callable[[str], Phone]) -> None:
    phone = begun('[[fault]]\nkind = "empty"\nat = [2, 5]\nlooks = 2')
    assert [EMPTY in dump(phone) for _ in range(7)] == [False, True, True, False, True, True, False]


def test_probability_is_drawn_from_the_seed(begun: Callable[[str], Phone]) -> None:
    def fates(seed: int) -> list[str]:
        phone = begun(f'[scenario]\nseed = {seed}\n[[fault]]\nkind = "lost"\non = "key"\np = 0.3')
        for _ in range(200):
            phone.key("VOLUME_UP")
        return [item.fate for item in phone.inputs[1:]]

    first = fates(1)
    assert fates(1) == first
    assert fates(2) != first
    assert 35 <= Counter(first)["lost"] <= 85
    assert all(0 <= draw(1, "x", n) < 1 for n in range(1000))


def test_times_bounds_a_fault(begun: Callable[[str], Phone]) -> None:
    phone = begun('[[fault]]\nkind = "lost"\ntimes = 2')
    for _ in range(4):
        phone.key("VOLUME_UP")
    assert [item.fate for item in phone.inputs] == ["lost", "lost", "", "", ""]


# ---- answers ---------------------------------------------------------------------------------------------


def test_the_server_answers_otherwise(spec: PhoneSpec) -> None:
    phone = Phone(spec, "otherwise")
    phone.open_app(PACKAGE)
    reserve(phone)
    assert phone.find("reserve_button"), "the answer takes six seconds"
    assert phone.state(PACKAGE)["message"] == "Asking the restaurant"
    phone.sleep(4)
    assert phone.find("reservation_result").text.startswith("No connection")
    assert phone.state(PACKAGE)["booked"] == []
    phone.tap_id("Done")
    reserve(phone)
    assert phone.find("receipt_time").text == "21:15"
    assert phone.state(PACKAGE)["booked"] == ["R|2026-04-01|21:15"]
    phone.tap_id("Done")
    reserve(phone)
    assert phone.find("reservation_result").text == "Sold out tonight"


def test_who_looks_again_and_again_sees_the_answer_come(spec: PhoneSpec) -> None:
    phone = Phone(spec, "otherwise")
    phone.open_app(PACKAGE)
    reserve(phone)
    looks = 0
    while "reservation_result" not in dump(phone):
        looks += 1
        assert looks < 20
    assert looks > 2
    clock = phone.clock
    dump(phone)
    assert phone.clock == clock, "nothing is to come any more: a look takes no time"


def test_waiting_for_a_widget_lets_it_come(spec: PhoneSpec) -> None:
    phone = Phone(spec, "otherwise")
    phone.open_app(PACKAGE)
    reserve(phone)
    assert phone.wait_for(lambda: "reservation_result" in {w.id for w in phone.widgets()}, 20.0)
    assert phone.clock < dt.datetime(2026, 4, 1, 12, 1)


def test_an_answer_that_never_comes() -> None:
    phone = Phone(load("settings"), "no_network")
    phone.open_app("org.example.settings")
    for name in ("Network", "Scan for networks", "While using the app", "Scan for networks"):
        phone.tap_id(name)
    phone.sleep(3600)
    assert phone.last_toast is None
    phone.tap_id("Corner Cafe")
    phone.sleep(10)
    assert phone.last_toast == "Corner Cafe does not answer"
    assert phone.state("org.example.settings")["network"] == ""


def test_an_app_that_was_stopped_gets_no_answer(spec: PhoneSpec) -> None:
    phone = Phone(spec, "otherwise")
    phone.open_app(PACKAGE)
    reserve(phone)
    phone.stop_app(PACKAGE)
    phone.open_app(PACKAGE)
    phone.sleep(60)
    assert phone.find("search_box")


# ---- surprises -------------------------------------------------------------------------------------------


def test_a_call_covers_the_app_and_takes_all_touches(spec: PhoneSpec) -> None:
    phone = Phone(spec, "interrupted")
    phone.open_app(PACKAGE)
    phone.tap_id("R")
    assert phone.package == "com.android.incallui"
    assert {node.id for node in load_dump(dump(phone)).nodes} >= {"call_answer", "call_decline"}
    assert "restaurant_name" not in dump(phone)
    phone.tap(300, 900)
    assert phone.inputs[-1].target == "", "next to the dialog nothing takes a touch"
    phone.tap_id("Decline")
    assert phone.package == "com.android.systemui", "the battery, after the fourth input"
    phone.key("BACK")
    assert phone.find("restaurant_name").text == "R"


def test_a_race_takes_the_tap_meant_for_the_app(spec: PhoneSpec) -> None:
    phone = Phone(spec, "interrupted")
    phone.open_app(PACKAGE)
    phone.tap_id("R")
    phone.tap_id("Decline")
    phone.tap_id("slot_button#2")
    phone.tap_id("Not now")
    phone.tap_id("reserve_button")
    assert phone.inputs[-1].target == ""
    assert phone.package == "com.android.systemupdate"
    phone.tap_id("Later")
    phone.tap_id("reserve_button")
    assert phone.find("result_ok"), "it came once"


def test_the_update_restarts_the_phone(begun: Callable[[str], Phone]) -> None:
    phone = begun('[[surprise]]\ndialog = "update"\nat = 2')
    phone.tap_id("R")
    phone.tap_id("Restart now")
    assert phone.package == "com.android.launcher3"
    assert phone.running() == []


def test_an_app_that_hangs_is_closed(begun: Callable[[str], Phone]) -> None:
    phone = begun('[[surprise]]\ndialog = "crash"\nat = 2\n[[surprise]]\ntoast = "Saved"\nat = 2')
    phone.tap_id("R")
    assert phone.last_toast == "Saved"
    assert phone.find("android:id/alertTitle").text == "Tables isn't responding"
    phone.tap_id("Close app")
    assert phone.package == "com.android.launcher3"
    phone.open_app(PACKAGE)
    assert phone.find("search_box")


def test_a_dialog_of_ones_own_stands_beside_the_scenario(
    begun: Callable[[str], Phone], tmp_path: Path
) -> None:
    (tmp_path / "offer.xml").write_text(
        '<column id="offer" width="200" padding="10" bg="surface"><button text="{{ price }}" tap="dismiss"/></column>'
    )
    phone = begun(
        '[[surprise]]\ndialog = "offer"\npackage = "org.example.shop"\nat = 2\nvalues = { price = "9 EUR" }'
    )
    phone.tap_id("R")
    assert phone.package == "org.example.shop"
    phone.tap_id("9 EUR")
    assert phone.find("restaurant_name")


# ---- beginnings ------------------------------------------------------------------------------------------


def test_clock_seed_step_and_state(begun: Callable[[str], Phone]) -> None:
    phone = begun(
        "[scenario]\nseed = 9\nclock = 2027-02-03T04:05:06\nstep = 60\n[state]\ntaken = true\nquery = 'Q'"
    )
    assert phone.seed == 9
    assert phone.clock == dt.datetime(2027, 2, 3, 4, 6, 6)
    assert phone.find("search_box").text == "Q"
    phone.stop_app(PACKAGE)
    phone.open_app(PACKAGE)
    assert phone.state(PACKAGE)["taken"] is True, "also when the app begins again"


# ---- the same again --------------------------------------------------------------------------------------

ALL = """
[scenario]
seed = {seed}
[[fault]]
kind = "lost"
p = 0.2
[[fault]]
kind = "delayed"
on = ["tap", "swipe", "text"]
p = 0.2
seconds = 3
[[fault]]
kind = "repeated"
on = "tap"
p = 0.2
[[fault]]
kind = "stale"
p = 0.2
looks = 2
[[fault]]
kind = "empty"
p = 0.2
[[fault]]
kind = "offline"
p = 0.1
[[fault]]
kind = "dead"
p = 0.1
[[surprise]]
dialog = "call"
p = 0.15
[[surprise]]
dialog = "update"
p = 0.1
race = true
[[surprise]]
toast = "hello"
p = 0.2
[[answer]]
event = "reserve"
p = 0.5
delay = 4
set = {{ outcome = "'failed'" }}
goto = "receipt"
"""
_STEPS = st.one_of(
    st.tuples(st.just("tap"), st.integers(0, 719), st.integers(0, 1519)),
    st.tuples(st.just("widget"), st.integers(0, 40)),
    st.tuples(st.just("key"), st.sampled_from(["BACK", "HOME", "ENTER", "A", "DEL"])),
    st.tuples(st.just("text"), st.text(max_size=5)),
    st.tuples(st.just("swipe"), st.integers(100, 1400), st.integers(100, 1400)),
    st.tuples(st.just("open")),
    st.tuples(st.just("sleep"), st.integers(0, 10)),
    st.tuples(st.just("look")),
    st.tuples(st.just("call")),
)


def played(phone: Phone, steps: list[tuple[object, ...]]) -> list[object]:
    """Everything that can be seen of the phone on the way."""
    seen: list[object] = []
    phone.open_app(PACKAGE)
    for step in steps:
        name, values = str(step[0]), list(step[1:])
        if name == "tap":
            phone.tap(*values)  # type: ignore[arg-type]
        elif name == "widget":
            widgets = [w for w in phone.widgets() if w.flag("clickable")]
            left, top, *_ = widgets[int(str(values[0])) % len(widgets)].seen or (0, 0) if widgets else (0, 0)
            phone.tap(left + 4, top + 4)
        elif name == "key":
            phone.key(str(values[0]))
        elif name == "text":
            phone.type_text(str(values[0]))
        elif name == "swipe":
            phone.swipe(360, int(str(values[0])), 360, int(str(values[1])))
        elif name == "open":
            phone.open_app(PACKAGE)
        elif name == "sleep":
            phone.sleep(float(str(values[0])))
        elif name == "look":
            seen.append(dump(phone))
        else:
            seen.append((phone.calling("click"), phone.opening()))
        seen.append((phone.clock, phone.package, phone.activity, phone.last_toast, phone.state(PACKAGE)))
    return [*seen, phone.inputs, dump(phone)]


@pytest.mark.slow
@settings(max_examples=times(20, 60), deadline=None)
@given(st.integers(0, 10**6), st.lists(_STEPS, max_size=25))
def test_the_same_scenario_and_inputs_give_the_same_phone(
    tmp_path_factory: pytest.TempPathFactory, seed: int, steps: list[tuple[object, ...]]
) -> None:
    file = tmp_path_factory.mktemp("s") / "all.toml"
    file.write_text(ALL.format(seed=seed))
    spec = load("restaurant")
    first = played(Phone(spec, str(file)), steps)
    assert played(Phone(spec, str(file)), steps) == first


def test_another_look_changes_no_other_draw(spec: PhoneSpec, tmp_path: Path) -> None:
    (tmp_path / "all.toml").write_text(ALL.format(seed=4))
    fates = []
    for looks in (0, 3):
        phone = Phone(spec, str(tmp_path / "all.toml"))
        for _ in range(30):
            phone.key("VOLUME_UP")
            for _ in range(looks):
                dump(phone)
        fates.append([item.fate for item in phone.inputs])
    assert fates[0] == fates[1]
    assert "lost" in fates[0]


# ---- what is wrong is named ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "[[fault]]\nkind = 'lots'",
            r"s\.toml:2: \[\[fault\]\] number 1: 'kind' is 'lots': it must be one of",
        ),
        ("\n\n[[fault]]\nkind = 'lost'\nat = 0.5", r"s\.toml:5: .*'at' must be a whole number or a list"),
        ("[[fault]]\nkind = 'lost'\nat = [1, 0]", r"s\.toml:3: .*'at' must be a number from 1"),
        ("[[fault]]\nkind = 'lost'\np = 2", r"s\.toml:3: .*'p' must be from 0 to 1"),
        (
            "[[fault]]\nkind = 'lost'\non = 'tip'",
            r"s\.toml:3: .*'on' names the input 'tip': it must be clear_text",
        ),
        (
            "[[fault]]\nkind = 'empty'\nseconds = 3",
            r"s\.toml:3: .*unknown: seconds; it may hold at, kind, looks",
        ),
        (
            "[[fault]]\nkind = 'lost'\n[[fault]]\np = 1",
            r"s\.toml:3: \[\[fault\]\] number 2: 'kind' is missing",
        ),
        (
            "[[surprise]]\nat = 1",
            r"s\.toml:1: .*needs a dialog \(battery, call, crash, update, or a template\)",
        ),
        ("[[surprise]]\ndialog = 'rain'", r"s\.toml:2: .*there is no dialog 'rain'"),
        (
            "[[answer]]\nevent = 'reserve'\ngoto = 'x'",
            r"s\.toml:3: .*there is no screen 'x'; there are details",
        ),
        ("[[answer]]\nevent = 'reserve'\nset = { a = '1' }", r"s\.toml:3: .*sets 'a', which \[app.state\]"),
        ("[[answer]]\nevent = 'reserve'\nset = { taken = '1 +' }", r"s\.toml:1: event 'reserve': '1 \+'"),
        ("[[answer]]\napp = 'a.b'\nevent = 'reserve'", r"s\.toml:2: .*'app' must be the package of an app"),
        (
            "[state]\nquery = ''\nquary = ''",
            r"s\.toml:3: \[state\]: may set only variables of an app.*'quary'",
        ),
        ("[scenario]\nclock = 2026-01-01T00:00:00Z", r"s\.toml:2: .*leave the offset out"),
        ("[scenario]\nsede = 1", r"s\.toml:2: \[scenario\]: unknown: sede; it may hold clock, seed"),
        ("fault = 3", r"s\.toml:1: top level: 'fault' must be a list"),
        ("[[fault]", r"s\.toml: not TOML"),
    ],
)
def test_what_is_wrong_in_a_scenario_is_named(begun: Callable[[str], Phone], text: str, message: str) -> None:
    with pytest.raises(PhoneSpecError, match=message):
        begun(text)


def test_a_scenario_that_is_not_there(spec: PhoneSpec) -> None:
    with pytest.raises(PhoneSpecError, match=r"no scenario is called 'absent'; there are: flaky, full"):
        Phone(spec, "absent")
    with pytest.raises(PhoneSpecError, match=r"absent\.toml: cannot be read"):
        Phone(spec, "absent.toml")
