"""The order of a guarded step, and what the guard keeps when a step cannot go on."""

import ast
import datetime as dt
from typing import Any

import pytest

from tests.guard.phones import Watch, receipt
from tests.guard.test_python_api import BOOK, GOOD, PROGRAM, SLOT, FakePhone, Lost
from tests.house import nodes, trees
from vsalang.agents.loop import run_agent
from vsalang.agents.mcp import PhoneSession
from vsalang.agents.proposed import Proposed
from vsalang.guard import Guard, Settings
from vsalang.guard.step import Deliver, Delivery, Kind, Look, LookResult, Turn, guarded_step
from vsalang.program.screen import Screen


class Diary:
    """A recorder that notes what it is told, in order, with what the phone does."""

    def __init__(self) -> None:
        self.events: list[str] = []

    def __getattr__(self, name: str) -> Any:
        return lambda *args, **kwargs: self.events.append(name)


class Noted(FakePhone):
    """A phone that notes each look and each input in a diary."""

    def __init__(self, diary: Diary, *pages: Any) -> None:
        super().__init__(*pages)
        self.diary = diary

    def observe(self) -> Screen:
        self.diary.events.append("look")
        return super().observe()

    def perform(self, action: Any, target: Any) -> None:
        self.diary.events.append("deliver")
        super().perform(action, target)


ORDER = ["proposed", "look", "committed", "deliver", "delivered", "look", "observed"]


def by_step(guard: Guard, phone: FakePhone) -> None:
    guard.step(SLOT)


def by_block(guard: Guard, phone: FakePhone) -> None:
    with guard.acting(SLOT):
        phone.perform(SLOT, {})


def by_loop(guard: Guard, phone: FakePhone) -> None:
    list(run_agent(guard, phone, [Proposed(SLOT)]))  # type: ignore[arg-type]


def by_tools(guard: Guard, phone: FakePhone) -> None:
    session = PhoneSession(guard, phone)  # type: ignore[arg-type]
    session.begin()
    session.call("tap", {"node": 10})


@pytest.mark.parametrize("way", [by_step, by_block, by_loop, by_tools])
def test_the_order_is_the_same_whoever_steps(way: Any) -> None:
    diary = Diary()
    phone = Noted(diary, GOOD)
    guard = Guard(PROGRAM, phone, clock=Watch(), recorder=diary)  # type: ignore[arg-type]
    guard.observe(GOOD)
    diary.events.clear()
    way(guard, phone)
    assert diary.events[-len(ORDER) :] == ORDER


@pytest.mark.parametrize("fails", ["committed", "proposed"])
def test_what_cannot_be_recorded_is_not_delivered(fails: str) -> None:
    class Full(Diary):
        def __getattr__(self, name: str) -> Any:
            def tell(*args: Any, **kwargs: Any) -> None:
                if name == fails:
                    raise OSError("the disk is full")

            return tell

    phone = FakePhone(GOOD)
    guard = Guard(PROGRAM, phone, clock=Watch(), recorder=Full())  # type: ignore[arg-type]
    assert not guard.step(SLOT).performed
    assert not phone.done and not guard.running


def test_a_shadow_block_is_judged_again_after_a_change() -> None:
    class Restless(FakePhone):
        def observe(self) -> Screen:
            self.looks += 1
            return GOOD if self.looks < 2 else receipt()

    guard = Guard(PROGRAM, Restless(GOOD), clock=Watch(), settings=Settings(mode="shadow"))
    with guard.acting(SLOT) as verdict:
        assert verdict.fingerprint == receipt().fingerprint
    assert not guard.running


# ---------------------------------------------------------------- what is not known never frees


def booked(phone: FakePhone) -> Guard:
    """A guard before the reservation, which can be made."""
    guard = Guard(PROGRAM, phone, clock=Watch())
    guard.observe(GOOD)
    assert guard.step(SLOT).performed
    return guard


@pytest.mark.parametrize("error", [RuntimeError("who knows"), KeyboardInterrupt()])
def test_the_next_look_cannot_deny_the_delivery(error: BaseException) -> None:
    phone = FakePhone(GOOD)
    guard = booked(phone)
    phone.fails = error  # type: ignore[assignment]
    with pytest.raises(type(error)):
        guard.step(BOOK)
    assert guard.running
    guard.observe(GOOD, delivered=False)
    assert [charge.outcome for charge in guard.ledger] == ["unknown"]
    assert not guard.propose(BOOK).allowed


def test_an_interrupted_block_is_not_taken_as_delivered() -> None:
    guard = booked(FakePhone(GOOD))
    with pytest.raises(KeyboardInterrupt), guard.acting(BOOK):
        raise KeyboardInterrupt
    guard.observe(GOOD)
    assert [charge.outcome for charge in guard.ledger] == ["unknown"]


class Blind(FakePhone):
    """Cannot be looked at after an input that failed."""

    def observe(self) -> Screen:
        if self.fails is not None and self.done[1:]:
            raise OSError("the cable")
        return super().observe()


@pytest.mark.parametrize(("delivered", "charged"), [(False, 0), (None, 1)])
def test_the_word_of_a_delivery_outlasts_a_failed_look(delivered: bool | None, charged: int) -> None:
    phone = Blind(GOOD)
    guard = booked(phone)
    phone.fails = Lost(delivered)
    with pytest.raises(OSError, match="the cable"):
        guard.step(BOOK)
    guard.observe(GOOD)  # the next look says that it arrived, and does not know
    assert len(guard.ledger) == charged


# ---------------------------------------------------------------- turns


def turn(guard: Guard, kind: Kind = Kind()) -> Turn:  # noqa: B008
    steps = guarded_step(guard, lambda: guard.propose(BOOK), kind)
    return Turn(steps, lambda effect: LookResult(GOOD) if isinstance(effect, Look) else pytest.fail("asked"))


def test_a_closed_turn_leaves_its_action_under_way() -> None:
    guard = booked(FakePhone(GOOD))
    begun = turn(guard)
    assert isinstance(begun.until_delivery(), Deliver)
    begun.close()
    assert guard.running
    guard.observe(GOOD, delivered=False)
    assert [charge.outcome for charge in guard.ledger] == ["unknown"]


def test_an_overtaken_turn_says_nothing_of_the_next() -> None:
    guard = booked(FakePhone(GOOD))
    begun = turn(guard)
    assert begun.until_delivery() is not None
    guard.observe(GOOD, delivered=False)  # somebody else ended it
    guard.commit(guard.propose(BOOK), screen=GOOD)
    begun.close()
    guard.observe(receipt())
    assert [charge.outcome for charge in guard.ledger] == ["done"]


def test_what_others_did_is_free_of_a_looks_age() -> None:
    guard = Guard(PROGRAM, clock=Watch(), settings=Settings(mode="shadow", look_age=dt.timedelta(0)))
    guard.observe(GOOD)
    begun = turn(guard, Kind(looks=False, past=True))
    assert begun.until_delivery() is not None
    begun.reply(Delivery(True))
    begun.reply(LookResult(None))
    assert begun.end().observed is not None


# ---------------------------------------------------------------- wrappers of phones


def test_tools_know_when_the_device_looked() -> None:
    """A look that was old when it was given is taken again: the wrapper must not make it young."""

    class Slow(FakePhone):
        seen_at = 0.0  # long ago

    phone = Slow(GOOD)
    guard = Guard(PROGRAM, clock=Watch(), settings=Settings(look_age=dt.timedelta(seconds=1)))
    session = PhoneSession(guard, phone)  # type: ignore[arg-type]
    session.begin()
    session.call("tap", {"node": 10})
    assert phone.looks == 4  # begin, before the commit, before the delivery, after it


@pytest.mark.slow
def test_the_order_stands_in_one_module() -> None:
    """Nobody else both commits and lets a device act."""
    found = {
        name
        for name, tree in trees("commit").items()
        for node in nodes(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "commit"
    }
    assert found == ALLOWED


ALLOWED = {
    "agents/rank/recorded.py",  # a recorded walk judged again: there is no device
    "guard/step.py",
    "guard/api.py",  # the question to the user, before the machine's own
    "guard/examples.py",  # tests of programs: there is no device
    "tools/ask/reading.py",  # states that a question is asked in: neither is there
    "guard/journal/enact.py",  # from a record
    "tools/fleet/live/intake_store.py",  # of a database: a server carries no action out
}
