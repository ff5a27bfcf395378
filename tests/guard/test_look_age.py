"""How old the last look is when an action leaves: bounded, measured, recorded."""

import asyncio
import datetime as dt
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.guard.phones import Watch, search
from tests.guard.test_python_api import GOOD, PROGRAM, SLOT, FakePhone
from vsalang.guard import ActionBlocked, AsyncGuard, Guard, Settings
from vsalang.program.action import Action
from vsalang.program.delivery import LastLook, leaving, looked, sending
from vsalang.program.screen import Screen


class Late(FakePhone):
    """The screen changes after the look before the commit."""

    def observe(self) -> Screen:
        self.looks += 1
        return GOOD if self.looks < 3 else search()

    def perform(self, action: Any, target: Any) -> None:
        leaving()
        super().perform(action, target)


def test_an_old_look_is_taken_again_before_sending() -> None:
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


def test_the_age_is_that_before_the_first_byte(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [10.0]
    monkeypatch.setattr("vsalang.program.delivery.time.monotonic", lambda: now[0])
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


# ---------------------------------------------------------------- blocks of the caller's own


class Told:
    """Keeps what a recorder is told of deliveries."""

    def __init__(self) -> None:
        self.deliveries: list[tuple[bool | None, str, LastLook | None]] = []

    def delivered(
        self, delivered: bool | None, problem: str = "", verdict: Any = None, look: LastLook | None = None
    ) -> None:
        self.deliveries.append((delivered, problem, look))

    def __getattr__(self, name: str) -> Any:
        return lambda *args, **kwargs: None


def test_a_block_begins_on_no_changed_screen() -> None:
    phone, told = Late(GOOD), Told()
    settings = Settings(look_age=dt.timedelta(0))
    guard = Guard(PROGRAM, phone, clock=Watch(), settings=settings, recorder=told)
    with pytest.raises(ActionBlocked, match="not delivered: the screen changed"), guard.acting(SLOT):
        pytest.fail("the block ran")
    assert not guard.running
    assert not guard.ledger
    assert [one[0] for one in told.deliveries] == [False]
    with guard.acting(Action("back")):  # on the screen as it is now
        pass


def test_a_coroutines_block_begins_on_no_changed_screen() -> None:
    async def main() -> None:
        settings = Settings(look_age=dt.timedelta(0))
        async with AsyncGuard(PROGRAM, Late(GOOD), clock=Watch(), settings=settings) as guard:
            with pytest.raises(ActionBlocked, match="not delivered: the screen changed"):
                async with guard.acting(SLOT):
                    pytest.fail("the block ran")
            assert not guard.running

    asyncio.run(main())


def test_a_block_that_cannot_look_again_does_not_begin() -> None:
    class Blind(FakePhone):
        def observe(self) -> Screen:
            self.looks += 1
            if self.looks == 3:
                raise OSError("the cable")
            return GOOD

    guard = Guard(PROGRAM, Blind(GOOD), clock=Watch(), settings=Settings(look_age=dt.timedelta(0)))
    with pytest.raises(ActionBlocked, match="not delivered: the cable"), guard.acting(SLOT):
        pytest.fail("the block ran")
    assert not guard.running and not guard.ledger


@pytest.mark.parametrize("elsewhere", [False, True], ids=["here", "another thread"])
def test_how_old_the_blocks_look_was_is_recorded(elsewhere: bool) -> None:
    told = Told()
    with ThreadPoolExecutor(1) as thread:
        thread.submit(int).result()  # it is there before the block begins
        guard = Guard(PROGRAM, FakePhone(GOOD), clock=Watch(), recorder=told)
        with guard.acting(SLOT):
            thread.submit(leaving).result() if elsewhere else leaving()
    ((delivered, problem, look),) = told.deliveries
    assert delivered is True and not problem
    assert look is not None and look.age < 60_000 and not look.by_device
