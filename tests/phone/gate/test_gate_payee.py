"""What an action is about changes after the guard's last look, and a client of the phone acts through the gate."""

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("uiautomator2")
import adbutils
import uiautomator2 as u2

from tests.phone.gate.live import SERIAL, Live, live, short_pauses
from tests.phone.payee import PACKAGE, bank
from vsalang.guard import Guard
from vsalang.language.semantics import load
from vsalang.phone import NotDelivered
from vsalang.phone.gate.gate import Gate
from vsalang.phone.open.simulated import SimulatedDevice
from vsalang.program.action import Action


def _middle(client: Any) -> tuple[int, int]:
    x, y = client(text="Pay").center()
    return x, y


def by_command(client: Any) -> None:
    client.shell(["input", "tap", *map(str, _middle(client))])


def held_by_command(client: Any) -> None:
    x, y = map(str, _middle(client))
    client.shell(["input", "swipe", x, y, x, y, "1500"])


def by_call(client: Any) -> None:
    client.click(*_middle(client))


def by_events(client: Any) -> None:
    client.touch.down(*_middle(client)).up(*_middle(client))


def by_text(client: Any) -> None:
    client(resourceId=f"{PACKAGE}:id/note").set_text("rent")


WAYS: dict[str, tuple[Callable[[Any], None], str, str]] = {
    "command": (by_command, 'tap(id = "pay")', ""),
    "held": (held_by_command, 'long_press(id = "pay")', ""),
    "call": (by_call, 'tap(id = "pay")', ""),
    "events": (by_events, 'tap(id = "pay")', ""),
    "text": (by_text, 'input_text(id = "note")', "input"),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("changes", [True, False])
def test_another_payee_behind_the_gate(
    way: str, changes: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    act, rule, event = WAYS[way]
    folder = bank(tmp_path, rule, event=event)
    commit = Guard.commit
    with short_pauses(), live(tmp_path / "pay.vsa", phone=str(folder), package=PACKAGE) as phone:
        client = u2.connect(adbutils.AdbClient("127.0.0.1", phone.port).device(serial=SERIAL))

        def committed(guard: Guard, *args: Any, **more: Any) -> None:
            commit(guard, *args, **more)
            if changes:
                phone.device.phone._change({"payee": "Mallory"})

        monkeypatch.setattr(Guard, "commit", committed)
        try:
            act(client)
        except Exception as error:
            assert changes, error
        _expect(phone, changes)


def _expect(phone: Live, changes: bool) -> None:
    paid = phone.device.phone.state(PACKAGE)["paid"]
    event = phone.events[-1]
    if changes:
        assert not paid
        assert event.outcome == "failed" and event.delivered is False
        assert "'To Ann' does not show any more as it did" in event.feedback
        assert not phone.guard.ledger
    else:
        assert paid == "Ann 5 fee none" and event.outcome == "passed"
        assert [charge.outcome for charge in phone.guard.ledger] == ["done"]


def test_a_guard_that_only_watches_holds_nothing_back(tmp_path: Path) -> None:
    told: list[object] = []
    folder = bank(tmp_path, WAYS["held"][1])
    settings: dict[str, Any] = {"mode": "shadow"}
    with short_pauses(), live(tmp_path / "pay.vsa", phone=str(folder), package=PACKAGE, **settings) as phone:
        phone.gate._still_shows = told.append
        client = u2.connect(adbutils.AdbClient("127.0.0.1", phone.port).device(serial=SERIAL))
        held_by_command(client)
        assert phone.device.phone.state(PACKAGE)["paid"] and not told


@pytest.mark.parametrize("changes", [True, False])
def test_a_gate_that_knows_no_driver_looks_again(
    changes: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = bank(tmp_path, WAYS["call"][1])
    commit = Guard.commit
    sent: list[str] = []
    with SimulatedDevice.start(str(folder)) as device:
        device.phone.open_app(PACKAGE)
        gate = Gate(Guard(load(tmp_path / "pay.vsa").checked()), device.observe)
        gate.begin()

        def committed(guard: Guard, *args: Any, **more: Any) -> None:
            commit(guard, *args, **more)
            if changes:
                device.phone._change({"payee": "Mallory"})

        monkeypatch.setattr(Guard, "commit", committed)
        with pytest.raises(NotDelivered, match="'To Ann'") if changes else contextlib.nullcontext():
            gate.act([Action("tap", {"id": "pay"})], lambda: sent.append("tap"))
        assert sent == ([] if changes else ["tap"])
