"""w6: many sessions of w1 at once, their events interleaved."""

import random

from benchmarks.workloads import Work, checked, w1

SEED = 6


def work(count: int = 40_000, sessions: int = 1000) -> Work:
    """An event is a pair: the number of the session, and an event of w1."""
    order = random.Random(SEED)
    inner = w1.events(count, SEED)
    events = [(order.randrange(sessions), event) for event in inner]
    return Work("w6", checked("w1"), w1.RULES, events, sessions)


def many(count: int = 120_000) -> Work:
    """The same with 10,000 sessions."""
    return work(count, 10_000)
