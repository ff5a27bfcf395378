"""A guarded phone in this process, and what reached it."""

import datetime as dt
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from vsalang import Guard, load
from vsalang.agents.adapters.uiautomator2.device import GuardedDevice
from vsalang.guard import NotAllowed
from vsalang.phone.open import open_device
from vsalang.phone.open.simulated import SimulatedDevice

ROOT = Path(__file__).resolve().parents[3]
PACKAGE = "com.opentable"


@pytest.fixture
def phone() -> Iterator[SimulatedDevice]:
    with open_device("sim:restaurant") as device:
        assert isinstance(device, SimulatedDevice)
        device.phone.open_app(PACKAGE)
        yield device


@pytest.fixture
def d(phone: SimulatedDevice) -> GuardedDevice:
    loaded = load(str(ROOT / "app_specs/examples/reserve_r.vsa"))
    assert loaded.program is not None
    return GuardedDevice(phone, Guard(loaded.program, today=dt.date(2026, 4, 1)))


def kinds(phone: SimulatedDevice) -> list[str]:
    return [item.kind for item in phone.phone.inputs]


def blocked(phone: SimulatedDevice, call: Callable[[], Any], error: type[NotAllowed] = NotAllowed) -> str:
    """What is said when a call is not allowed; nothing reaches the phone by it."""
    inputs = phone.phone.inputs
    files = dict(phone._simulated.services.files._entries)
    settings = dict(phone._simulated.services.shell.system.settings)
    with pytest.raises(error) as raised:
        call()
    assert phone.phone.inputs == inputs
    assert phone._simulated.services.files._entries == files
    assert phone._simulated.services.shell.system.settings == settings
    told = raised.value.feedback  # type: ignore[attr-defined]
    assert isinstance(told, str) and told
    return told
