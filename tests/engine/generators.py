"""Random programs, rows and streams as hypothesis strategies, and the same from a seed. See the modules it names."""

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from tests.engine.chances import Drawn, Seeded
from tests.engine.random_programs import random_program, random_wrapped
from tests.engine.random_streams import (
    Step,
    apply,
    random_completeness,
    random_rows,
    random_seen,
    random_stream,
    slots_used,
)
from tests.engine.random_values import BASE, BELIEVED, VALUES
from vsalang.engine.api import TimedRow
from vsalang.program.ir import Program, Relation

__all__ = [
    "BASE",
    "BELIEVED",
    "VALUES",
    "Step",
    "apply",
    "completeness",
    "last_seen",
    "programs",
    "random_case",
    "rows_of",
    "slots_used",
    "streams",
    "wrapped",
]

Draw = Callable[[Any], Any]


@st.composite
def programs(draw: Draw, *, temporal: bool = True, licences: int = 2, wide: bool = False) -> Program:
    """See `random_program`."""
    return random_program(Drawn(draw), temporal=temporal, licences=licences, wide=wide)


@st.composite
def wrapped(draw: Draw) -> Program:
    """See `random_wrapped`."""
    return random_wrapped(Drawn(draw))


@st.composite
def streams(draw: Draw, made: Program, *, most: int = 8, wide: bool = False) -> list[Step]:
    """See `random_stream`."""
    return random_stream(Drawn(draw), made, most=most, wide=wide)


@st.composite
def rows_of(draw: Draw, rel: Relation, *, most: int = 3, unknown: int = 25) -> list[tuple[Any, ...]]:
    """See `random_rows`."""
    return random_rows(Drawn(draw), rel, most=most, unknown=unknown)


@st.composite
def completeness(draw: Draw, rel: Relation) -> list[tuple[Any, ...]]:
    """See `random_completeness`."""
    return random_completeness(Drawn(draw), rel)


@st.composite
def last_seen(draw: Draw, rows: list[tuple[Any, ...]]) -> list[TimedRow]:
    """See `random_seen`."""
    return random_seen(Drawn(draw), rows)


def random_case(seed: int) -> tuple[Program, list[Step]]:
    """A program and a stream that follow from a seed: two of three wide, two of three with the past."""
    chance = Seeded(seed)
    wide, temporal = seed % 3 != 0, seed % 2 == 0 or seed % 3 == 1
    made = random_program(chance, temporal=temporal, wide=wide)
    return made, random_stream(chance, made, most=8 if temporal else 5, wide=wide)
