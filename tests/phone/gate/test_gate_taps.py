"""Attacks on the taps that the guard makes for a program: each through a real client, on a phone that fails."""

import contextlib
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("uiautomator2")
import adbutils
import uiautomator2 as u2

from tests.phone.gate.live import SERIAL, Live, live
from vsalang.base.resources import resource_dir
from vsalang.phone.gate.finger import Finger

SPEC = resource_dir("app_specs") / "examples" / "reserve_r.vsa"
OPEN, SLOT, RESERVE = (223, 446), (360, 715), (360, 1426)
LATE = (360, 1027)
"""20:00, which the task does not want."""
DIES = """
[[fault]]
kind = "dead"
method = "click"
after = true
at = [3, 4]
"""
CALLED = """
[[surprise]]
dialog = "call"
on = "tap"
target = "reserve_button"
at = 1
race = true
values = { caller = "Bob" }
"""


def adb(phone: Live) -> Any:
    return adbutils.AdbClient("127.0.0.1", phone.port).device(serial=SERIAL)


def shell(phone: Live, command: str) -> Any:
    with contextlib.suppress(Exception):
        return adb(phone).shell2(command, timeout=30)


def scenario(folder: Path, text: str) -> str:
    (folder / "s.toml").write_text(text)
    return str(folder / "s.toml")


def booked(phone: Live) -> int:
    return sum(one.target == "reserve_button" for one in phone.inputs())


@pytest.mark.slow
@pytest.mark.parametrize("way", ["command", "call"])
def test_a_server_that_dies_after_the_click_books_once(way: str, tmp_path: Path) -> None:
    with live(SPEC, scenario=scenario(tmp_path, DIES)) as phone:
        for x, y in (OPEN, SLOT, RESERVE, RESERVE, RESERVE):
            if way == "command":
                shell(phone, f"input tap {x} {y}")
            else:
                with contextlib.suppress(Exception):
                    u2.connect(adb(phone)).click(x, y)
        assert booked(phone) == 1
        assert [charge.returned for charge in phone.guard.ledger] == [False]


def test_a_finger_that_was_forgotten_makes_no_tap(tmp_path: Path) -> None:
    """It comes down on what may be tapped, something else is done, and it is lifted where nothing may be tapped."""
    with live(SPEC) as phone:
        phone.gate.finger = Finger(lambda: 0.0)
        shell(phone, f"input tap {OPEN[0]} {OPEN[1]}")
        before = len(phone.inputs())
        shell(phone, f"input motionevent DOWN {SLOT[0]} {SLOT[1]}")
        shell(phone, "input keyevent VOLUME_UP")
        client = u2.connect(adb(phone))
        with contextlib.suppress(Exception):
            client.touch.up(*LATE)
        assert "tap" not in [one.kind for one in phone.inputs()[before:]]
        assert phone.device.phone.state("com.opentable")["marked"] == ""


@pytest.mark.parametrize(
    "command",
    [
        "A= input tap {}",
        "toybox input tap {}",
        "env -i input tap {}",
        "input\ttap  {}",
        "input -d 0 tap {}",
        "input touchscreen tap {}",
        "input tap {} #",
        "input tap {} > /dev/null",
        "(input tap {})",
        "true && input tap {} && input tap {}",
        "sh -c 'input tap {}'",
    ],
)
def test_a_tap_in_other_clothes_is_the_same_tap(command: str) -> None:
    """No slot is marked: the button that books may not be tapped."""
    with live(SPEC) as phone:
        shell(phone, f"input tap {OPEN[0]} {OPEN[1]}")
        place = f"{RESERVE[0]} {RESERVE[1]}"
        shell(phone, command.replace("{}", place))
        assert booked(phone) == 0


def test_leading_zeros_are_no_other_place() -> None:
    """What is judged is what is tapped: the phone's command would read the numbers by itself."""
    with live(SPEC) as phone:
        shell(phone, f"input tap {OPEN[0]} {OPEN[1]}")
        shell(phone, f"input tap 0{SLOT[0]} 000{SLOT[1]}")
        taps = [(one.x, one.y) for one in phone.inputs() if one.kind == "tap"]
        assert set(taps[1:]) <= {SLOT}


def test_a_call_that_takes_the_tap_frees_no_licence(tmp_path: Path) -> None:
    """The phone finds the button, and rings before the click arrives: nobody can say that it was not booked."""
    with live(SPEC, scenario=scenario(tmp_path, CALLED)) as phone:
        for x, y in (OPEN, SLOT, RESERVE):
            shell(phone, f"input tap {x} {y}")
        assert booked(phone) == 0
        (charge,) = phone.guard.ledger
        assert not charge.returned and charge.outcome != "done"
        phone.device.phone.key("BACK")
        shell(phone, f"input tap {RESERVE[0]} {RESERVE[1]}")
        assert booked(phone) == 0  # the user is to be asked first
