"""vsalang's incremental engine: deltas go in, rows that are kept up to date come out."""

import datetime as dt
from collections.abc import Callable
from typing import Any

from benchmarks.engines.reference import Assigning
from benchmarks.workloads import NOON, TODAY, Work
from benchmarks.workloads.w1 import CELLS as FORM
from benchmarks.workloads.w2 import WIDTH
from benchmarks.workloads.w5 import CELLS as PHONE
from tests.oracle import open_session

NAME = "vsalang"
CANNOT: dict[str, str] = {}
Step = Callable[[Any], Any]


def session(work: Work, engine: str) -> Any:
    made = open_session(work.program, engine=engine, today=TODAY)
    return made if hasattr(made, "watch") else Assigning(made)


def qualified(work: Work) -> dict[str, str]:
    return {name: f"{work.module}.{name}" for name in work.relations}


def w1(work: Work, engine: str = "incremental") -> Step:
    made = session(work, engine)
    write, watch = made.write, made.watch(qualified(work).values())

    def step(event: Any) -> Any:
        write("w1.Form", FORM[event[0]], event[1])
        return watch.holding

    return step


def w2(work: Work, engine: str = "incremental") -> Step:
    made = session(work, engine)
    cells = [(f"w2.S{cell // WIDTH}", f"c{cell}") for cell in range(len(work.spec.kinds))]
    for slot in dict(cells):
        made.assign(slot, ((None,) * WIDTH,))
    write, watch = made.write, made.watch(qualified(work).values())

    def step(event: Any) -> Any:
        slot, attr = cells[event[0]]
        write(slot, attr, event[1])
        return watch.holding

    return step


def w3(work: Work, engine: str = "incremental") -> Step:
    made = session(work, engine)
    names = list(qualified(work).values())
    made.assign("w3.Item", work.spec)
    update, rows = made.update, made.rows

    def step(event: Any) -> Any:
        update("w3.Item", [new for _, new in event if new], [old for old, _ in event if old])
        return [rows(name) for name in names]

    return step


def w4(work: Work, engine: str = "incremental") -> Step:
    made = session(work, engine)
    update, write, rows = made.update, made.write, made.rows
    made.assign("w4.Edge", work.spec)
    write("w4.Start", "node", 0)

    def step(event: Any) -> Any:
        kind, a, b = event
        if kind == "+":
            update("w4.Edge", ((a, b),), ())
        elif kind == "-":
            update("w4.Edge", (), ((a, b),))
        else:
            write("w4.Start", "node", a)
        return rows("w4.Reach")

    return step


def w5(work: Work, engine: str = "incremental") -> Step:
    made = session(work, engine)
    now, write, point = made.now, made.write, made.point
    watch = made.watch(qualified(work).values())
    second, number, time, slot = dt.timedelta(seconds=1), 0, NOON, f"{work.module}.Phone"

    def step(event: Any) -> Any:
        nonlocal number, time
        number += 1
        time += second
        now(time)
        write(slot, PHONE[event[0]], event[1])
        point(number)
        return watch.holding

    return step


def w5_data(work: Work, engine: str = "incremental") -> Step:
    made = session(work, engine)
    now, write, point, rows = made.now, made.write, made.point, made.rows
    names = list(qualified(work).values())
    second, number, time, slot = dt.timedelta(seconds=1), 0, NOON, f"{work.module}.Phone"

    def step(event: Any) -> Any:
        nonlocal number, time
        number += 1
        time += second
        now(time)
        write(slot, PHONE[event[0]], event[1])
        point(number)
        return [rows(name) for name in names]

    return step


def w6(work: Work, engine: str = "incremental") -> Step:
    steps = [w1(work, engine) for _ in range(work.spec)]

    def step(event: Any) -> Any:
        return steps[event[0]](event[1])

    return step


def rows(work: Work, engine: str = "incremental") -> Step:
    made = session(work, engine)
    made.assign("rows.Customer", work.spec[0])
    made.assign("rows.Order", work.spec[1])
    update, read = made.update, made.rows

    def step(event: Any) -> Any:
        update("rows.Order", (event[1],), (event[0],))
        return read("rows.Bad")

    return step
