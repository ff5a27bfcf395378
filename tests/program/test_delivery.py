"""Nothing can be called undelivered once a byte of it has left."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from vsalang.program.delivery import cause_of, leaving, problem_of, reading, sending, sending_anywhere


class Failed(Exception):
    def __init__(self, delivered: bool | None) -> None:
        self.delivered = delivered


def test_an_error_counts_only_before_the_first_byte() -> None:
    with sending() as sent:
        assert sent.delivered(Failed(False)) is False
        assert sent.delivered(Failed(None)) is None
        assert sent.delivered(ValueError()) is None
        leaving()
        assert sent.delivered(Failed(False)) is None


def test_what_left_inside_left_outside() -> None:
    with sending() as outer:
        with sending() as inner:
            leaving()
        with sending() as other:
            pass
        assert (outer.left, inner.left, other.left) == (True, True, False)


def test_a_question_is_no_part_of_an_action() -> None:
    leaving()
    with sending() as sent:
        with reading():
            leaving()
        assert not sent.left
        thread = threading.Thread(target=leaving)  # somebody else's
        thread.start()
        thread.join()
        assert not sent.left


def test_a_task_that_carries_it_out_is_inside() -> None:
    async def send() -> None:
        leaving()

    def outside(loop: asyncio.AbstractEventLoop) -> bool:
        with sending() as sent:
            asyncio.run_coroutine_threadsafe(send(), loop).result(10)
            return sent.left

    async def main() -> bool:
        return await asyncio.to_thread(outside, asyncio.get_running_loop())

    assert asyncio.run(main())


def _from_a_thread(send: Callable[[], None]) -> None:
    with ThreadPoolExecutor(1) as pool:
        pool.submit(send).result()


def _in_an_action_of_its_own() -> None:
    with sending():
        leaving()


@pytest.mark.parametrize("send", [leaving, _in_an_action_of_its_own])
def test_a_block_counts_what_leaves_from_other_threads(send: Callable[[], None]) -> None:
    with sending_anywhere() as sent:
        assert sent.delivered(Failed(False)) is False
        _from_a_thread(send)
    assert sent.left
    assert sent.delivered(Failed(False)) is None
    with sending_anywhere() as later:
        pass
    assert not later.left


def test_a_look_from_another_thread_is_outside_the_block() -> None:
    def look() -> None:
        with reading(), sending():
            leaving()

    with sending_anywhere() as sent:
        _from_a_thread(look)
        with reading():
            leaving()
    assert not sent.left


@pytest.mark.parametrize("delivered", [False, None])
def test_the_cause_is_read_back_from_the_problem(delivered: bool | None) -> None:
    for text in ("adb: gone", "it was not delivered: why"):
        assert cause_of(problem_of(delivered, ValueError(text))) == text
    assert cause_of("the device is busy") == "the device is busy"
