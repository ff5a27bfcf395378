"""What goes over the pipe to the worker: plain data, which comes back as it was, and nothing else."""

import datetime as dt
import json
from decimal import Decimal
from typing import Any

import pytest

from tests.engine.generators import random_case
from tests.engine.worlds import NOON, TODAY, c
from vsalang.engine.api import EngineError
from vsalang.engine.pydatalog.codec import decode, dumps, encode, loads
from vsalang.program.ir import Program, Var
from vsalang.program.values import NONE

VAR = encode(Var("x"))[0]
"""The number of a class."""


@pytest.mark.parametrize("seed", range(10))
def test_programs_and_steps_come_back_as_they_were(seed: int) -> None:
    made, steps = random_case(seed)
    back = loads(dumps(made))
    assert isinstance(back, Program) and back == made and written(back.rules) == written(made.rules)
    for step in steps:
        assert written(loads(dumps(step))) == written(
            tuple(tuple(x) if isinstance(x, list) else x for x in step)
        )


def written(value: object) -> list[str]:
    """What `==` takes as the same (1 and True) is written differently; the order of a set is not a difference."""
    return sorted(repr(value))


@pytest.mark.parametrize(
    "data",
    [
        {"$": "os.system", "v": "true"},
        {"v": 1},
        [],
        [10_000],
        [-99, "x"],
        ["Rule"],
        [True, "x"],
        [VAR],
        [VAR, "x", "surprise"],
        [-3, "date", "tomorrow"],
        [-3, "number", "many"],
        [-3, "seconds", "x"],
        [-3, "seconds", 10**30],
        [-3, "os.system", "true"],
        [-3],
        [-4, [-2]],
        [-2, ["a"]],
    ],
)
def test_nothing_else_is_read(data: Any) -> None:
    with pytest.raises(EngineError):
        loads(json.dumps(data).encode())


def test_what_is_no_json_is_refused() -> None:
    for data in (b"", b"{", b"[" * 100_000, b"\xff"):
        with pytest.raises(EngineError):
            loads(data)


@pytest.mark.parametrize("value", [object(), 1j, float("nan"), b"x", {1, 2}, dt.UTC])
def test_nothing_else_is_written(value: Any) -> None:
    with pytest.raises(EngineError):
        dumps(value)


def test_values_keep_their_types() -> None:
    row = (
        True,
        1,
        0,
        False,
        "1",
        Decimal("1.5"),
        TODAY,
        dt.time(1),
        dt.timedelta(microseconds=-1),
        NONE,
        None,
        NOON,
    )
    assert repr(decode(encode(row))) == repr(row)
    assert decode(encode(c("a", "in", 1, 2))) == c("a", "in", 1, 2)


def test_what_is_nested_too_deeply_is_refused() -> None:
    value: tuple[Any, ...] = ()
    data: list[Any] = [encode(())[0]]
    for _ in range(5000):
        value, data = (value,), [data[0], data]
    for refused in (lambda: encode(value), lambda: decode(data)):
        with pytest.raises(EngineError):
            refused()
