"""rtamt: past-time signal temporal logic, discrete time, one online monitor for each property."""

from collections.abc import Callable
from typing import Any

import rtamt

from benchmarks.workloads import Work
from benchmarks.workloads.w5 import CELLS

NAME = "rtamt"
CANNOT = {
    **dict.fromkeys(("w1", "w2", "w3", "w4", "w6"), "properties of the past only"),
    "w5_data": "signals are numbers; there are no values to bind",
}
Step = Callable[[Any], Any]

PATTERNS = {
    "Banked": "out = once(app >= 0.5)",
    "Recently": "out = once[0:30](locked >= 0.5)",
    "Charged": "out = (charging >= 0.5) since (locked >= 0.5)",
    "Steady": "out = historically[0:10](network >= 0.5)",
}


def w5(work: Work) -> Step:
    monitors = []
    for name, pattern in PATTERNS.items():
        spec = rtamt.StlDiscreteTimeOnlineSpecification()
        for cell in (*CELLS, "out"):
            spec.declare_var(cell, "float")
        spec.spec = pattern
        spec.parse()
        monitors.append((name, spec.update))
    point = dict.fromkeys(CELLS, 0.0)
    number = 0

    def step(event: Any) -> Any:
        nonlocal number
        cell, value = event
        name = CELLS[cell]
        point[name] = float(value == "bank" if cell == 3 else value is True)
        values = list(point.items())
        # A value of 0 is the boundary of `>= 0.5` made a distance: -0.5 and 0.5.
        answer = [name for name, update in monitors if update(number, values) > 0]
        number += 1
        if number <= 10 and "Steady" in answer:  # `for 10s` needs a run that began 10 s ago
            answer.remove("Steady")
        return answer

    return step
