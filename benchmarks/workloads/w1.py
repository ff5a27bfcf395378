"""w1: the running example as three rules over five cells; one cell is written per event, unknown included."""

import datetime as dt
import random
from typing import Any, TypeAlias

from benchmarks.workloads import TODAY, Work, checked

CELLS = ("restaurant", "date", "time", "available", "success")
RULES = ("May", "Done", "Nothing")
SEED = 1

Event: TypeAlias = tuple[int, Any]
"""The number of the cell and its new value; None is unknown."""


def values(rng: random.Random, cell: int) -> Any:
    """A value of a cell; those that the rules wait for come often, one in ten is unknown."""
    if rng.random() < 0.1:
        return None
    if cell == 0:
        return rng.choice(("R", "R", "R", "Q", "S"))
    if cell == 1:
        return rng.choice((TODAY, TODAY, TODAY, TODAY + dt.timedelta(days=1)))
    if cell == 2:
        return dt.time(rng.randrange(17, 21), rng.choice((0, 15, 30, 45)))
    return rng.random() < 0.5


def events(count: int, seed: int = SEED) -> list[Event]:
    rng = random.Random(seed)
    made = []
    for _ in range(count):
        cell = rng.randrange(len(CELLS))
        made.append((cell, values(rng, cell)))
    return made


def work(count: int = 5000) -> Work:
    return Work("w1", checked("w1"), RULES, events(count))
