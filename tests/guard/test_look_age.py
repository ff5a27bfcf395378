"""How old the last look is when an action leaves: bounded, measured, recorded."""

import datetime as dt
from typing import Any

import pytest

from tests.guard.phones import Watch, search
from tests.guard.test_python_api import GOOD, PROGRAM, SLOT, FakePhone
from vsalang.core.delivery import LastLook, leaving, looked, sending
from vsalang.core.screen import Screen
from vsalang.guard import Guard, Settings


class Late(FakePhone):
    """The screen changes after the look before the commit."""

    def observe(self) -> Screen:
        self.looks += 1
        return GOOD if self.looks < 3 else search()

    def perform(self, action: Any, target: Any) -> None:
        leaving()
        super().perform(action, target)


def test_an_old_look_is_taken_again_and_nothing_is_sent_if_it_changed() -> None:
    phone = Late(GOOD)
    guard = Guard(PROGRAM, phone, clock=Watch(), settings=Settings(look_age=dt.timedelta(0)))
    done = guard.step(SLOT)
    assert not done.performed
    assert "not delivered" in done.problem and "changed" in done.problem
    assert not phone.done
    assert not guard.running


def test_a_young_look_serves() -> None:
    phone = Late(GOOD)
    guard = Guard(PROGRAM, phone, clock=Watch(), settings=Settings(look_age=None))
    assert guard.step(SLOT).performed
    assert phone.looks == 3  # begin, before the commit, after it


def test_a_look_age_is_a_time() -> None:
    with pytest.raises(ValueError, match="look_age"):
        Guard(PROGRAM, settings=Settings(look_age=dt.timedelta(seconds=-1)))


def test_the_age_is_that_of_the_look_before_the_first_byte(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [10.0]
    monkeypatch.setattr("vsalang.core.delivery.time.monotonic", lambda: now[0])
    with sending() as outer:
        outer.looked(9.0)
        now[0] = 10.5
        with sending():
            looked(by_device=True)
            now[0] = 10.52
            leaving()
            looked()  # what comes after the first byte changes nothing
            leaving()
    assert outer.last_look == LastLook(20, True)
    with sending() as silent:
        looked()
    assert silent.last_look is None
