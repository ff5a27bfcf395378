"""The guard as programs use it: steps on a device, guarded blocks and functions, and all of it without blocking."""

import asyncio
import threading
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.guard.phones import Watch, details, receipt, screen, search
from tests.guard.programs import booking
from vsalang.guard import (
    ActionBlocked,
    AsyncGuard,
    Guard,
    GuardFailed,
    NotAllowed,
    Phone,
    Proposal,
    Question,
    Settings,
    StepOutcome,
)
from vsalang.program.action import Action
from vsalang.program.delivery import leaving
from vsalang.program.screen import Screen

PROGRAM = booking().program()
SLOT = Action("tap", {"node": 10})
BOOK = Action("tap", {"id": "reserve_button"})
X = Action("tap", {"id": "x"})
GOOD = details(("18:30", True))
ELSEWHERE = screen({"id": "x", "clickable": True}, app="com.other")


class Lost(Exception):
    """A device's error that says whether the input arrived."""

    def __init__(self, delivered: bool | None) -> None:
        super().__init__("the cable")
        self.delivered = delivered


class FakePhone:
    """Shows a page, and another one after each action."""

    def __init__(self, *pages: Any) -> None:
        self.pages = list(pages)
        self.done: list[tuple[str, dict[str, Any]]] = []
        self.looks = 0
        self.fails: Exception | None = None
        self.inside = 0

    def observe(self) -> Screen:
        self.looks += 1
        return self.pages[0]  # type: ignore[no-any-return]

    def perform(self, action: Action, target: Any) -> None:
        self.inside += 1
        assert self.inside == 1  # by one thread at a time
        time.sleep(0.001)
        self.done.append((action.name, dict(target)))
        if len(self.pages) > 1:
            self.pages.pop(0)
        self.inside -= 1
        if self.fails is not None:
            raise self.fails


def made(phone: Phone | None = None, **more: Any) -> Guard:
    ask = more.pop("ask", None)
    return Guard(PROGRAM, phone, clock=Watch(), settings=Settings(**more), ask=ask)


# ---------------------------------------------------------------- commit


def test_commit_takes_the_newest_verdict() -> None:
    guard = made()
    guard.observe(GOOD)
    with pytest.raises(NotAllowed, match="no fresh verdict"):
        guard.commit()
    guard.propose(BOOK)
    guard.propose(SLOT)
    guard.commit()
    assert guard.running
    guard.observe(GOOD)
    with pytest.raises(NotAllowed, match="no fresh verdict"):
        guard.commit()


# ---------------------------------------------------------------- steps


def test_the_whole_way_by_steps() -> None:
    phone = FakePhone(GOOD, GOOD, receipt())
    with made(phone) as guard:
        assert phone.looks == 1 and guard.screens
        assert guard.step(SLOT).performed
        done = guard.step(BOOK)
        assert done.performed and done.observed is not None
        assert [c.outcome for c in done.observed.contracts] == ["met"]
        assert guard.step(Action("finish")).performed and guard.finished
    assert [name for name, _ in phone.done] == ["tap", "tap"]
    assert phone.done[0][1]["node"] == 10


def test_a_step_that_is_not_allowed_touches_nothing() -> None:
    phone = FakePhone(GOOD)
    guard = made(phone)
    done = guard.step(BOOK)
    assert done == StepOutcome(done.verdict, False) and done.verdict.level == "block"
    assert not phone.done and not guard.running


def test_a_step_on_a_screen_that_changed_meanwhile() -> None:
    class Restless(FakePhone):
        def observe(self) -> Screen:
            self.looks += 1
            return GOOD if self.looks < 2 else search()

    phone = Restless(GOOD)
    guard = made(phone)
    done = guard.step(SLOT)
    assert not done.performed and "changed" in done.problem and not phone.done
    # a guard that only watches holds nothing back: it is judged once more
    phone = Restless(GOOD)
    guard = made(phone, mode="shadow")
    done = guard.step(Action("tap", {"id": "search_box"}))
    assert done.performed and phone.done[0][1]["id"] == "search_box"


@pytest.mark.parametrize(("delivered", "commits"), [(False, 0), (None, 1)])
def test_a_device_that_fails_says_whether_it_arrived(delivered: bool | None, commits: int) -> None:
    phone = FakePhone(GOOD, GOOD, receipt())
    guard = made(phone)
    guard.step(SLOT)
    phone.fails = Lost(delivered)
    done = guard.step(BOOK)
    assert done.performed is (delivered is None) and "the cable" in done.problem
    assert not guard.running and len(guard.snapshot.commits) == commits


def test_an_error_without_word_leaves_it_under_way() -> None:
    phone = FakePhone(GOOD)
    guard = made(phone)
    phone.fails = RuntimeError("a bug")
    with pytest.raises(RuntimeError):
        guard.step(SLOT)
    assert guard.running
    assert guard.step(SLOT).verdict.because("running")
    guard.observe(GOOD, delivered=None)
    phone.fails = None
    assert guard.step(SLOT).performed


def test_steps_need_a_device() -> None:
    with pytest.raises(ValueError, match="no device"):
        made().step(SLOT)


@pytest.mark.parametrize(("answer", "performed"), [(True, True), (False, False)])
def test_steps_ask(answer: bool, performed: bool) -> None:
    phone = FakePhone(ELSEWHERE)
    guard = made(phone, mode="ask", ask=lambda question: answer)
    done = guard.step(X)
    assert done.performed is performed and bool(phone.done) is performed
    assert done.problem == ("" if performed else "the user said no")
    guard = made(phone)
    assert guard.step(X, approved=answer).performed is performed


def test_after_the_context_everything_is_blocked() -> None:
    with made(FakePhone(GOOD)) as guard:
        guard.propose(SLOT)
    assert guard.finished and guard.propose(SLOT).because("finished")
    with pytest.raises(NotAllowed):
        guard.commit()


# ---------------------------------------------------------------- blocks and functions


def test_a_block_runs_only_if_it_may() -> None:
    phone = FakePhone(GOOD)
    guard = made(phone)
    with guard.acting(SLOT) as verdict:
        assert verdict.allowed and guard.running
    assert not guard.running
    with pytest.raises(ActionBlocked) as blocked, guard.acting(BOOK, [Action("Nonsense")]):
        pytest.fail("it ran")
    assert blocked.value.verdict is not None and blocked.value.verdict.level == "block"
    assert blocked.value.feedback.startswith("Blocked: tap")
    assert str(blocked.value) == blocked.value.feedback.rstrip()


@pytest.mark.parametrize(("error", "commits"), [(Lost(False), 0), (Lost(None), 1), (KeyError("x"), 1)])
def test_a_block_that_raises(error: Exception, commits: int) -> None:
    phone = FakePhone(GOOD)
    guard = made(phone)
    with guard.acting(SLOT):
        pass
    with pytest.raises(type(error)), guard.acting(BOOK):
        phone.pages = [receipt()]
        raise error
    assert not guard.running and len(guard.snapshot.commits) == commits


def test_a_block_that_raises_after_another_thread_has_sent() -> None:
    phone = FakePhone(GOOD)
    guard = made(phone)
    with guard.acting(SLOT):
        pass
    with pytest.raises(Lost), guard.acting(BOOK), ThreadPoolExecutor(1) as pool:
        pool.submit(leaving).result()
        phone.pages = [receipt()]
        raise Lost(False)
    assert len(guard.snapshot.commits) == 1


def test_blocks_within_blocks_are_blocked() -> None:
    guard = made(FakePhone(GOOD))
    with guard.acting(SLOT):
        with pytest.raises(ActionBlocked) as blocked, guard.acting(SLOT):
            pytest.fail("it ran")
        assert blocked.value.verdict is not None and blocked.value.verdict.because("running")
        assert guard.running
    assert not guard.running


def test_functions_propose_their_name_and_arguments() -> None:
    phone = FakePhone(GOOD)
    guard = made(phone)
    calls: list[Any] = []

    @guard.action
    def tap(id: str | None = None, node: int | None = None) -> str:
        """Tap something."""
        calls.append((id, node))
        return "tapped"

    assert tap(node=10) == "tapped" and calls == [(None, 10)] and tap.__doc__ == "Tap something."
    with pytest.raises(ActionBlocked, match="no node"):
        tap("nothing_there")
    assert calls == [(None, 10)] and not guard.running


def test_functions_may_say_what_they_propose() -> None:
    looks = [GOOD]
    guard = made()
    seen: list[Proposal] = []

    @guard.action(proposes=lambda row: Action("tap", {"node": 10 * row}), look=lambda: looks[0], note="a row")
    def choose(row: int) -> int:
        seen.append(guard.session.running.verdict.proposal)  # type: ignore[union-attr]
        return row

    assert choose(1) == 1
    assert [str(proposal) for proposal in seen] == ["tap(node = 10)"]

    @guard.action(name="back", look=lambda: looks[0])
    def go_back() -> None:
        looks[0] = search()

    go_back()
    assert guard.screens == {"opentable.Search"} or guard.snapshot.screen is looks[0]


def test_functions_that_cannot_be_guarded() -> None:
    guard = made()
    with pytest.raises(ValueError, match="look"):

        @guard.action
        def tap() -> None: ...

    guard = made(FakePhone(GOOD))
    with pytest.raises(TypeError, match="proposes"):

        @guard.action
        def anything(*args: int) -> None: ...

    with pytest.raises(TypeError, match="AsyncGuard"):

        @guard.action
        async def later() -> None: ...


def test_a_screen_that_changed_before_the_function_ran() -> None:
    pages = [GOOD, GOOD, search(), search()]
    guard = made()

    @guard.action(name="tap", look=lambda: pages.pop(0) if len(pages) > 1 else pages[0])
    def tap(node: int) -> None:
        pytest.fail("it ran")

    pages.pop(0)
    with pytest.raises(ActionBlocked, match="the screen has changed"):
        tap(10)
    assert not guard.running


def test_a_guard_that_failed_lets_no_function_run(monkeypatch: pytest.MonkeyPatch) -> None:
    guard = made(FakePhone(GOOD))
    guard.observe(GOOD)

    def broken(*_: object, **__: object) -> Any:
        raise RuntimeError("a bug")

    monkeypatch.setattr(guard.session.parts.observing, "reconcile", broken)
    with pytest.raises(GuardFailed):
        guard.observe(GOOD)

    @guard.action
    def tap(node: int) -> None:
        pytest.fail("it ran")

    with pytest.raises(ActionBlocked, match="ended with an error"):
        tap(10)


def test_feedback_without_templates_still_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> str:
        raise RuntimeError("no templates")

    monkeypatch.setattr("vsalang.guard.say.feedback.verdict_text", broken)
    guard = made(FakePhone(GOOD))
    with pytest.raises(ActionBlocked, match="not allowed"), guard.acting(BOOK):
        pytest.fail("it ran")


# ---------------------------------------------------------------- threads


def test_steps_of_several_threads_wait_for_one_another() -> None:
    phone = FakePhone(GOOD)
    guard = made(phone)
    found: list[StepOutcome] = []

    def run() -> None:
        for _ in range(5):
            found.append(guard.step(SLOT))

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(found) == 20 and all(done.performed for done in found), found
    assert len(phone.done) == 20


# ---------------------------------------------------------------- async


def run(main: Callable[[], Coroutine[Any, Any, None]]) -> None:
    asyncio.run(main())


def later(phone: Phone | None = None, **more: Any) -> AsyncGuard:
    ask = more.pop("ask", None)
    return AsyncGuard(PROGRAM, phone, clock=Watch(), settings=Settings(**more), ask=ask)


def test_a_step_within_the_same_tasks_block_is_blocked() -> None:
    """It does not wait for the block that it stands in."""

    async def main() -> None:
        async with later(FakePhone(GOOD)) as guard:
            await guard.observe(GOOD)
            async with guard.acting(SLOT):
                assert (await guard.step(SLOT)).verdict.because("running")
                with pytest.raises(ActionBlocked):
                    async with guard.acting(SLOT):
                        pytest.fail("it ran")

    asyncio.run(asyncio.wait_for(main(), 60))


def test_the_whole_way_without_blocking() -> None:
    async def main() -> None:
        phone = FakePhone(GOOD, GOOD, receipt())
        async with later(phone) as guard:
            verdict = await guard.propose(SLOT)
            await guard.commit(verdict)
            assert guard.running
            assert (await guard.propose(SLOT)).because("running")
            await guard.observe(phone.observe())
            phone.pages.pop(0)
            assert (await guard.step(BOOK)).performed
            assert any(goal.action == "finish" and goal.holds for goal in await guard.roadmap())
            assert (await guard.step(Action("finish"))).performed
        assert guard.finished

    run(main)


def test_the_event_loop_goes_on_while_the_user_thinks() -> None:
    async def main() -> None:
        ticks = 0
        answered = asyncio.Event()

        async def ask(question: Question) -> bool:
            await answered.wait()
            return True

        guard = later(FakePhone(ELSEWHERE), mode="ask", ask=ask)
        step = asyncio.create_task(guard.step(X))
        while guard.guard.question is None and not step.done():
            await asyncio.sleep(0.001)
            ticks += 1
        for _ in range(5):
            await asyncio.sleep(0.001)
            ticks += 1
        assert not step.done() and ticks >= 5
        answered.set()
        assert (await step).performed
        await guard.close()

    run(main)


def test_tasks_take_turns() -> None:
    async def main() -> None:
        phone = FakePhone(GOOD)
        guard = later(phone)

        @guard.action
        async def tap(node: int) -> None:
            assert guard.running
            phone.perform(Action("tap"), {"node": node})
            await asyncio.sleep(0.001)

        await asyncio.gather(*(tap(10) for _ in range(5)), *(guard.step(SLOT) for _ in range(5)))
        assert len(phone.done) == 10 and not guard.running
        await guard.close()

    run(main)


def test_what_is_blocked_raises_in_coroutines_too() -> None:
    async def main() -> None:
        guard = later(FakePhone(GOOD))

        @guard.action(name="tap")
        async def press(id: str) -> None:
            pytest.fail("it ran")

        with pytest.raises(ActionBlocked, match="Blocked"):
            await press("reserve_button")
        with pytest.raises(TypeError, match="async def"):
            guard.action(lambda: None)  # type: ignore[call-overload]
        with pytest.raises(Lost):
            async with guard.acting(SLOT):
                raise Lost(False)
        assert not guard.running
        await guard.close()

    run(main)


def test_a_task_that_is_cancelled_leaves_nothing_under_way() -> None:
    async def main() -> None:
        guard = later(FakePhone(GOOD))
        started = asyncio.Event()

        @guard.action
        async def tap(node: int) -> None:
            started.set()
            await asyncio.sleep(60)

        task = asyncio.create_task(tap(10))
        await started.wait()
        assert guard.running
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert not guard.running  # its outcome was looked at: whether it arrived is not known
        await guard.close()

    run(main)


def test_a_cancelled_tasks_question_is_withdrawn() -> None:
    async def main() -> None:
        phone = FakePhone(ELSEWHERE)
        guard = later(phone, mode="ask")
        task = asyncio.create_task(guard.step(X))
        while guard.guard.question is None and not task.done():
            await asyncio.sleep(0.001)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert guard.guard.question is None and not phone.done and not guard.running
        await guard.close()

    run(main)
