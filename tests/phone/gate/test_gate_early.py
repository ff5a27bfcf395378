"""Plain command lines that are judged before they are opened: clients that read no output raise an error with why."""

import datetime as dt
from collections.abc import Iterator
from typing import Any

import adbutils
import pytest

from tests.phone.gate.live import PACKAGE, SERIAL, Live, live
from vsalang.phone.gate.early import EarlyServices
from vsalang.phone.wire import AdbServer, Banner
from vsalang.program.screen import Screen

BANNER = Banner("sim", "VSA Phone", "sim", ("shell_v2", "cmd"))
EIGHT = "input tap 550 1027"
WHY = "the marked time \\(Choice.time\\): seen 20:00, wanted < 19:00"


@pytest.fixture
def found() -> Iterator[Live]:
    with live() as found:
        found.device.phone.tap_id("result_card")
        yield found


@pytest.fixture
def device(found: Live) -> Iterator[Any]:
    with AdbServer.start({SERIAL: (EarlyServices(found.services), BANNER)}) as server:
        yield adbutils.AdbClient(host="127.0.0.1", port=server.port).device(SERIAL)


def taps(found: Live) -> list[tuple[int, int]]:
    return [(made.x, made.y) for made in found.inputs() if made.kind == "tap"][1:]


@pytest.mark.parametrize(
    "line", [EIGHT, f"{EIGHT}; echo X4EXIT:$?", f"echo before && {EIGHT}", f"sleep 0; {EIGHT}"]
)
def test_what_is_blocked_is_an_error_with_the_reason(found: Live, device: Any, line: str) -> None:
    with pytest.raises(adbutils.AdbError, match=WHY) as error:
        device.shell(line)
    assert str(error.value).startswith("vsalang: Warned: tap(x = 550, y = 1027)")
    assert taps(found) == []


def test_clients_that_throw_the_output_away(found: Live, device: Any) -> None:
    with pytest.raises(adbutils.AdbError, match=WHY):
        device.click(550, 1027)
    device.click(550, 715)
    assert taps(found) == [(550, 715)]
    with pytest.raises(adbutils.AdbError, match="nothing in the task allows"):
        device.app_stop("com.opentable")


def test_what_is_not_understood_too(found: Live, device: Any) -> None:
    with pytest.raises(adbutils.AdbError, match="vsalang: refused"):
        device.shell("sendevent /dev/input/event1 1 330 1")
    assert found.events[-1].outcome == "refused"


def test_what_was_committed_and_not_sent_is_an_error() -> None:
    """The screen changes between the commit and the delivery."""
    with live(look_age=dt.timedelta(0)) as found:
        found.device.phone.tap_id("result_card")
        look = found.gate._look

        def turned() -> Screen:
            if found.guard.running:
                found.device.phone.key("HOME")
            return look()

        found.gate._look = turned
        with AdbServer.start({SERIAL: (EarlyServices(found.services), BANNER)}) as server:
            phone = adbutils.AdbClient(host="127.0.0.1", port=server.port).device(SERIAL)
            with pytest.raises(adbutils.AdbError, match="not delivered: the screen changed"):
                phone.shell("input tap 550 715")
            found.device.phone.open_app(PACKAGE)
            answer = phone.shell2("input tap 550 715", v2=True)
            assert answer.returncode == 126 and "not delivered: the screen changed" in answer.output
        assert taps(found) == [] and found.events[-1].delivered is False


def test_the_rest_is_as_it_was(found: Live, device: Any) -> None:
    assert device.shell("echo hello") == "hello"
    assert device.getprop("ro.product.model") == "VSA Phone"
    assert "<hierarchy" in device.shell("uiautomator dump /dev/tty")
    assert device.shell("input tap 550 715; echo X4EXIT:$?").endswith("X4EXIT:0")
    # the second protocol has an exit status
    answer = device.shell2(EIGHT, v2=True)
    assert answer.returncode == 126 and "wanted < 19:00" in answer.output
    assert taps(found) == [(550, 715)]


def test_what_the_phone_prints_is_not_a_refusal() -> None:
    from vsalang.phone.gate.early import _blocked_at

    assert _blocked_at(b"vsalang: Blocked") == 0
    assert _blocked_at(b"before\nvsalang: Blocked\n") == 7
    assert [_blocked_at(data) for data in (b"", b"x vsalang: ", b"\n", b"vsalang")] == [None] * 4


def test_an_app_on_standard_input_is_not_awaited_early(found: Live, device: Any) -> None:
    """`adb install` on an older phone: `exec:cmd package install -S SIZE`, and the app behind it."""
    connection = device.open_transport()
    connection.send_command("exec:cmd package install -S 4")
    connection.check_okay()
    connection.conn.sendall(b"PK\x03\x04")
    assert "vsalang: refused: which app it is cannot be read" in connection.read_until_close()
    assert found.events[-1].outcome == "refused"
