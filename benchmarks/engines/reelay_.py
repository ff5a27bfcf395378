"""reelay: past-time temporal monitors in C++, one for each property, a point each second."""

from collections.abc import Callable
from typing import Any

import reelay

from benchmarks.workloads import Work
from benchmarks.workloads.w5 import CELLS

NAME = "reelay"
CANNOT = {
    **dict.fromkeys(("w1", "w2", "w3", "w4", "w6"), "properties of the past only"),
    "w5_data": "a monitor says yes or no; the values of the data that satisfy it are not to be had",
}
Step = Callable[[Any], Any]

# `for 10s` asks for an unbroken run that began at least 10 s ago: before that much time has passed nothing is steady.
PATTERNS = {
    "Banked": "once{app: bank}",
    "Recently": "once[0:30]{locked: true}",
    "Charged": "{charging: true} since {locked: true}",
    "Steady": "historically[0:10]{network: true} and once[10:10]{tick: true}",
}


def w5(work: Work) -> Step:
    monitors = [
        (name, reelay.discrete_timed_monitor(pattern=pattern, semantics="boolean", condense=False).update)
        for name, pattern in PATTERNS.items()
    ]
    unknown = {"app": "-", "locked": False, "charging": False, "network": False}
    point: dict[str, Any] = {**unknown, "tick": True}

    def step(event: Any) -> Any:
        name = CELLS[event[0]]
        point[name] = unknown[name] if event[1] is None else event[1]
        return [name for name, update in monitors if update(point)["value"]]

    return step
