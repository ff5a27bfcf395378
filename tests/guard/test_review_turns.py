"""What a review found in turns, answers and looks: each would have let an action run that nobody permitted."""

import asyncio
import datetime as dt
import threading
from collections.abc import Iterator

import pytest

from vsalang.guard import AsyncGuard, Guard, NotAllowed, Settings
from vsalang.guard.user.questions import AnswerRefused, Question
from vsalang.guard.world.fact_screen import FactScreen
from vsalang.language.semantics import load_text
from vsalang.program.action import Action
from vsalang.program.screen import Screen

NOW = dt.datetime(2026, 4, 1, 12)
TEXT = """
policy owner "What is asked"
confirm "tap {?i}?" when tap(id = ?i).
"""


def screen(*ids: str) -> Screen:
    relation = PROGRAM.relations["Node"]
    shown = FactScreen()
    for number, name in enumerate(ids, 1):
        shown = shown.seen(relation, {"node": number, "id": name, "clickable": True, "enabled": True})
    return shown


PROGRAM = load_text(TEXT).program  # type: ignore[assignment]
assert PROGRAM is not None


def asking(**options: object) -> Guard:
    settings = Settings(mode="ask", unknown_screen="confirm", task=False, screens_count=False)
    guard = Guard(PROGRAM, clock=lambda: NOW, today=NOW.date(), settings=settings, **options)  # type: ignore[arg-type]
    guard.observe(screen("a", "b"))
    return guard


def ask(guard: Guard, name: str) -> tuple[threading.Thread, list[bool]]:
    verdict = guard.propose(Action("tap", {"id": name}))
    said: list[bool] = []
    thread = threading.Thread(target=lambda: said.append(guard.ask(verdict)))
    thread.start()
    while guard.questions.newest is None or guard.questions.newest.verdict is not verdict:
        pass
    return thread, said


def test_a_yes_answers_only_the_question_read() -> None:
    guard = asking()
    first, said_first = ask(guard, "a")
    assert isinstance(guard.question, Question)
    second, said_second = ask(guard, "b")
    with pytest.raises(AnswerRefused):
        guard.answer(True)
    assert guard.question is not None
    guard.answer(True)
    first.join(60)
    second.join(60)
    assert (said_first, said_second) == ([False], [True])


def test_an_answer_may_name_its_question() -> None:
    guard = asking()
    first, said_first = ask(guard, "a")
    question = guard.question
    second, said_second = ask(guard, "b")
    assert guard.question is not question
    with pytest.raises(AnswerRefused):
        guard.answer(True, question)
    guard.answer(False, guard.question)
    first.join(60)
    second.join(60)
    assert (said_first, said_second) == ([False], [False])


def test_a_generator_cannot_be_guarded() -> None:
    guard = Guard(PROGRAM, clock=lambda: NOW)

    def later() -> Iterator[int]:
        yield 1

    with pytest.raises(TypeError, match="generator"):
        guard.action(proposes=lambda: Action("back"), look=lambda: screen("a"))(later)


def test_work_that_is_put_off_is_refused() -> None:
    settings = Settings(task=False, screens_count=False)
    guard = Guard(PROGRAM, clock=lambda: NOW, settings=settings)
    ran: list[int] = []

    async def work() -> None:
        ran.append(1)

    decorated = guard.action(proposes=lambda: Action("back"), look=lambda: screen("a"))(lambda: work())
    with pytest.raises(TypeError, match="put its work off"):
        decorated()
    assert ran == []


class Changing:
    """A device whose screen changed since the guard saw it."""

    def __init__(self) -> None:
        self.looks = 0

    def observe(self) -> Screen:
        self.looks += 1
        return screen("ok") if self.looks == 1 else screen("failed")

    def perform(self, action: Action, target: object) -> None:
        raise AssertionError("nothing reaches the device")


def test_the_task_ends_on_no_changed_screen() -> None:
    text = 'spec s "Wait for ok"\ndone when Node(id = "ok").\n'
    program = load_text(text).program
    assert program is not None
    guard = Guard(program, Changing(), clock=lambda: NOW, settings=Settings(unknown_screen="allow"))
    with guard:
        done = guard.step(Action("finish"))
    assert not done.performed
    assert "changed" in done.problem


def test_a_call_that_was_cancelled_asks_nobody() -> None:
    gate, asked, done = threading.Event(), [], []  # type: ignore[var-annotated]

    class Phone:
        def observe(self) -> Screen:
            return screen("a")

        def perform(self, action: Action, target: object) -> None:
            done.append(action)

    def slow() -> dt.datetime:
        gate.wait(60)
        return NOW

    def yes(question: Question) -> bool:
        asked.append(question)
        return True

    async def main() -> None:
        gate.set()
        settings = Settings(mode="ask", task=False, screens_count=False)
        async with AsyncGuard(PROGRAM, Phone(), ask=yes, clock=slow, settings=settings) as guard:
            gate.clear()
            step = asyncio.create_task(guard.step(Action("tap", {"id": "a"})))
            await asyncio.sleep(0.1)
            step.cancel()
            await asyncio.sleep(0.1)
            gate.set()
            with pytest.raises(asyncio.CancelledError):
                await step

    asyncio.run(main())
    assert asked == [] and done == []


def test_another_thread_does_not_end_a_block() -> None:
    guard = Guard(PROGRAM, clock=lambda: NOW, settings=Settings(task=False, screens_count=False))
    guard.observe(screen("a"))
    watching = threading.Thread(target=lambda: guard.observe(screen("b")))
    with guard.acting(Action("back"), look=lambda: screen("a")):
        watching.start()
        watching.join(0.2)
        assert guard.running and watching.is_alive()
    watching.join(60)
    assert not watching.is_alive()


def test_what_the_second_judging_refuses_is_proposed_again() -> None:
    hour = [12]
    rules = ['confirm "a?" when tap(id = "a").', 'confirm "late?" when tap(id = "a"), Clock(now > 13:00).']
    text = "\n".join(['policy owner "x"', *rules])
    program = load_text(text).program
    assert program is not None
    settings = Settings(task=False, screens_count=False, verdict_life=None)
    guard = Guard(program, clock=lambda: NOW.replace(hour=hour[0]), today=NOW.date(), settings=settings)
    guard.observe(screen("a"))
    verdict = guard.propose(Action("tap", {"id": "a"}))
    hour[0] = 14
    with pytest.raises(NotAllowed, match="something else must be asked first") as refused:
        guard.commit(verdict, approved=True)
    assert refused.value.verdict is not None
    for again in (refused.value.verdict, None):
        with pytest.raises(NotAllowed, match="propose it again"):
            guard.commit(again, approved=True)
