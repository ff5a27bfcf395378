"""Asks for many specs at once: threads that wait for models, of which one at a time does our part."""

import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from benchmarks.measure.encode.encoding import EncodingResult, Order
from vsalang.models.client.language_model import ModelError

GIVES_UP_AFTER: Final = 5
"""So many models' errors without an answer in between, and nothing more is asked."""


def run_orders(
    orders: Sequence[Order], encoded: Callable[[Order], EncodingResult], jobs: int
) -> Iterator[tuple[Order, EncodingResult | ModelError]]:
    """The result of each order, in the order in which they end.

    Fewer come than there are orders if the model fails again and again. A caller that stops early leaves threads
    behind; these ask nothing more and do not keep the program from ending.

    Args:
        orders: what is asked for.
        encoded: asks for one; it raises `ModelError` if the model cannot answer.
        jobs: how many are asked at once, at most.

    Raises:
        Exception: any other error of `encoded`; it would fail for all orders.
    """
    waiting: queue.SimpleQueue[Order] = queue.SimpleQueue()
    for order in orders:
        waiting.put(order)
    ended: queue.SimpleQueue[tuple[Order, EncodingResult | Exception] | None] = queue.SimpleQueue()
    stop = threading.Event()
    counting = threading.Lock()
    failures = 0

    def count(failed: bool) -> None:
        nonlocal failures
        with counting:
            failures = failures + 1 if failed else 0
            if failures >= GIVES_UP_AFTER:
                stop.set()

    def work() -> None:
        while not stop.is_set():
            try:
                order = waiting.get_nowait()
            except queue.Empty:
                break
            found: EncodingResult | Exception
            try:
                found = encoded(order)
            except Exception as error:
                found = error
            count(isinstance(found, ModelError))
            ended.put((order, found))
        ended.put(None)

    threads = [threading.Thread(target=work, daemon=True) for _ in range(min(jobs, len(orders)))]
    for thread in threads:
        thread.start()
    try:
        working = len(threads)
        while working:
            item = ended.get()
            if item is None:
                working -= 1
                continue
            order, found = item
            if isinstance(found, Exception) and not isinstance(found, ModelError):
                raise found
            yield order, found
    finally:
        stop.set()
