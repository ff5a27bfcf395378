"""rows: for the growth curve: one order among many changes; the answer is a join of constant size."""

import random
from typing import TypeAlias

from benchmarks.workloads import Work, checked

SEED = 7
Order: TypeAlias = tuple[int, int, int]
Event: TypeAlias = tuple[Order, Order]
"""The row before and after."""


def work(count: int = 2000, orders: int = 1000) -> Work:
    """`spec` holds the customers and the orders; five customers are blocked, each has ten orders."""
    rng = random.Random(SEED)
    customers = [(number, f"city {number % 50}", number < 5) for number in range(max(10, orders // 10))]
    now = [(number, number % len(customers), rng.randrange(100)) for number in range(orders)]
    first = list(now)
    events: list[Event] = []
    for _ in range(count):
        # one change in two is of an order that the answer may hold
        few = rng.random() < 0.5
        number = (
            rng.randrange(5) + len(customers) * rng.randrange(orders // len(customers))
            if few
            else rng.randrange(orders)
        )
        old = now[number]
        now[number] = (number, old[1], rng.randrange(80, 100))
        if now[number] != old:
            events.append((old, now[number]))
    return Work("rows", checked("rows"), ("Bad",), events, (customers, first))
