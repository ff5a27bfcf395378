"""Faults of a scenario as real clients meet them: the server dies, the device is offline, answers are slow."""

import time
from collections.abc import Callable, Iterator
from http.client import RemoteDisconnected
from pathlib import Path
from typing import Any

import pytest

from vsalang.phone import DeviceError, DeviceLost
from vsalang.phone.open import open_device
from vsalang.phone.sim import SimulatedPhone, load
from vsalang.program.action import Action

pytest.importorskip("uiautomator2")

PACKAGE = "com.opentable"


@pytest.fixture
def started(tmp_path: Path) -> Iterator[Callable[[str], SimulatedPhone]]:
    running: list[SimulatedPhone] = []

    def start(text: str) -> SimulatedPhone:
        (tmp_path / "s.toml").write_text(text)
        running.append(SimulatedPhone.start(load("restaurant"), scenario=str(tmp_path / "s.toml")))
        running[-1].phone.open_app(PACKAGE)
        return running[-1]

    yield start
    for phone in running:
        phone.close()


def client(simulated: SimulatedPhone) -> Any:
    import adbutils
    import uiautomator2

    adb = adbutils.AdbClient("127.0.0.1", simulated.port)
    return uiautomator2.connect(adb.device(serial=simulated.serial))


def test_the_client_starts_a_server_again_that_died(started: Callable[[str], SimulatedPhone]) -> None:
    simulated = started('[[fault]]\nkind = "dead"\nmethod = "dumpWindowHierarchy"\nat = 2')
    device = client(simulated)
    assert "search_box" in device.dump_hierarchy()
    with pytest.raises(RemoteDisconnected):
        device.dump_hierarchy()
    assert "search_box" in device.dump_hierarchy(), "the client finds no server, and starts one"


def test_a_server_that_dies_before_the_input_did_nothing(started: Callable[[str], SimulatedPhone]) -> None:
    simulated = started('[[fault]]\nkind = "dead"\nmethod = "click"\nat = 1')
    device = client(simulated)
    with pytest.raises(RemoteDisconnected):
        device.click(200, 450)
    assert [item.kind for item in simulated.phone.inputs] == ["open_app"]
    device.click(200, 450)
    assert [item.kind for item in simulated.phone.inputs] == ["open_app", "tap"]


@pytest.mark.parametrize(("after", "taps"), [("false", 0), ("true", 1)])
def test_a_guarded_input_is_never_sent_twice(
    started: Callable[[str], SimulatedPhone], after: str, taps: int
) -> None:
    """Nobody knows whether it arrived, and that is what is said."""
    simulated = started(f'[[fault]]\nkind = "dead"\nmethod = "click"\nat = 1\nafter = {after}')
    with open_device(simulated.serial, adb_host="127.0.0.1", adb_port=simulated.port) as device:
        screen = device.observe()
        with pytest.raises(DeviceLost):
            device.perform(Action("tap"), screen.target("tap", {"text": "R"}))
        assert [item.kind for item in simulated.phone.inputs].count("tap") == taps
        assert device.observe().tree.nodes, "and looking goes on"


def test_offline_for_some_requests(started: Callable[[str], SimulatedPhone]) -> None:
    import adbutils

    simulated = started('[[fault]]\nkind = "offline"\nat = 2\nopens = 2')
    device = adbutils.AdbClient("127.0.0.1", simulated.port).device(serial=simulated.serial)
    said = []
    for _ in range(5):
        try:
            said.append(device.shell("echo yes"))
        except adbutils.AdbError as error:
            said.append(str(error))
    assert [text == "yes" for text in said] == [True, False, False, True, True]
    assert "device offline" in said[1]


def test_slow_answers_take_none_of_the_phones_time(started: Callable[[str], SimulatedPhone]) -> None:
    simulated = started('[[fault]]\nkind = "slow"\nmethod = "deviceInfo"\nmilliseconds = 150')
    device = client(simulated)
    clock, begin = simulated.phone.clock, time.monotonic()
    assert device.info["displayWidth"] == 720
    assert time.monotonic() - begin >= 0.15
    assert simulated.phone.clock == clock


def test_an_empty_tree_is_no_screen_to_judge_on(started: Callable[[str], SimulatedPhone]) -> None:
    simulated = started('[[fault]]\nkind = "empty"')
    with open_device(simulated.serial, adb_host="127.0.0.1", adb_port=simulated.port) as device:
        try:
            screen = device.observe()
        except DeviceError:
            return
        assert screen.partial
        assert not screen.tree.nodes


def test_a_tap_that_a_dialog_takes_is_seen_afterwards(started: Callable[[str], SimulatedPhone]) -> None:
    simulated = started('[[surprise]]\ndialog = "update"\ntarget = "result_card"\nrace = true\ntimes = 1')
    with open_device(simulated.serial, adb_host="127.0.0.1", adb_port=simulated.port) as device:
        screen = device.observe()
        device.perform(
            Action("tap"), screen.target("tap", {"text": "R"})
        )  # it lands on the dialog, next to its buttons
        now = device.observe()
        assert now.app is not None
        assert now.app[0] == "com.android.systemupdate"
        assert now.target("tap", {"text": "Later"})["id"] == "button2"


def test_a_scenario_may_be_named_by_its_path(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text("[scenario]\nclock = 2031-02-03T04:05:06\n[state]\nquery = 'Sakura'")
    with open_device(f"sim:restaurant#{tmp_path}/s.toml") as device:
        device.perform(Action("open_app", {"package": PACKAGE}), {"package": PACKAGE})
        screen = device.observe()
        assert screen.now is not None
        assert screen.now.year == 2031
        assert [n.text for n in screen.tree.nodes if n.id == "result_title"] == ["Sakura Garden"]
    with pytest.raises(DeviceError, match=r"absent\.toml: cannot be read"):
        open_device(f"sim:restaurant#{tmp_path}/absent.toml")


def test_the_guard_sees_a_dump_and_a_surprise(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(
        '[[surprise]]\ndialog = "battery"\nat = 2\n[[fault]]\nkind = "lost"\nat = 4'
    )
    with open_device(f"sim:editor#{tmp_path}/s.toml") as device:
        home = device.observe()
        assert home.app is not None
        assert home.app[0] == "com.google.android.apps.nexuslauncher"
        device.perform(Action("tap"), home.target("tap", {"text": "PocketIDE"}))
        explorer = device.observe()
        device.perform(Action("tap"), explorer.target("tap", {"desc": "Settings"}))
        dialog = device.observe()
        assert {n.package for n in dialog.tree.nodes} == {"com.android.systemui"}
        device.perform(Action("back"), {})
        settings = device.observe()
        assert "Dark mode" in [n.text for n in settings.tree.nodes]
        for _ in range(2):
            device.perform(Action("tap"), settings.target("tap", {"desc": "Back"}))
        assert device.phone.screens("com.pocketide") == ("explorer",)
        assert [item.fate for item in device.phone.inputs] == ["", "", "", "lost", ""]
        assert device.screenshot().startswith(b"\x89PNG")
