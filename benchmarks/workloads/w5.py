"""w5: properties of the past over 100,000 events, one second apart; `data` has variables in the past bindings."""

import random
from typing import Any, TypeAlias

from benchmarks.workloads import Work, checked

SEED = 5
CELLS = ("locked", "charging", "network", "app")
RULES = ("Banked", "Recently", "Charged", "Steady")
APPS = ("bank", *(f"app{number}" for number in range(19)))

Event: TypeAlias = tuple[int, Any]


def events(count: int, seed: int = SEED) -> list[Event]:
    rng = random.Random(seed)
    made: list[Event] = []
    for number in range(count):
        cell = rng.randrange(len(CELLS))
        if rng.random() < 0.02:
            made.append((cell, None))
        elif cell == 3:
            made.append((cell, APPS[rng.randrange(1 if number > 200 else 2, len(APPS)) - 1]))
        else:
            made.append((cell, rng.random() < (0.1, 0.9, 0.8)[cell]))
    return made


def work(count: int = 100_000) -> Work:
    return Work("w5", checked("w5"), RULES, events(count))


def data(count: int = 100_000) -> Work:
    return Work("w5_data", checked("w5_data"), ("Seen", "Lately", "Staying", "Since"), events(count))
