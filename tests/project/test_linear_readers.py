"""Whatever a reader is given: it ends in time that grows with the length, and with an answer or an error of its own."""

import time
from collections.abc import Callable
from contextlib import suppress

import pytest

from tests.project.linear_readers import GENERAL, SPECIAL, texts

SMALL, LARGE = 16 * 1024, 64 * 1024
LITTLE = 0.5
"""Seconds of CPU time below which growth is noise."""
GROWTH = 10
"""Four times the length may cost so many times the time: quadratic is 16, with what is fixed left out."""
LONGEST = 5
"""Seconds of CPU time for 64 kB: far more than is needed (one at most), so that a slow machine does not fail."""
CRASHES = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    MemoryError,
    NameError,
    RecursionError,
    TypeError,
)

READERS = dict(texts())


def cost(read: Callable[[str], object], text: str) -> float:
    """The CPU time of this process for one reading."""
    start = time.process_time()
    try:
        with suppress(ValueError):  # many errors of readers are
            read(text)
    except CRASHES:
        raise
    except Exception:  # an error that the reader documents
        pass
    return time.process_time() - start


def check(reader: str, shape: str, make: Callable[[int], str]) -> None:
    read = READERS[reader]
    large = cost(read, make(LARGE))
    assert large < LONGEST, f"{reader} takes {large:.1f} s for 64 kB of {shape}"
    if large > LITTLE:
        small = cost(read, make(SMALL))
        assert large < GROWTH * max(small, LITTLE / GROWTH), (
            f"{reader}, {shape}: {small:.2f} s, then {large:.2f} s"
        )


@pytest.mark.slow
@pytest.mark.parametrize("reader", READERS)
def test_readers_are_linear(reader: str) -> None:
    for shape, make in GENERAL.items():
        check(reader, shape, make)


@pytest.mark.parametrize(
    ("reader", "shape"), [(reader, shape) for reader, shapes in SPECIAL.items() for shape in shapes]
)
def test_what_was_quadratic(reader: str, shape: str) -> None:
    """The inputs that each took minutes, or crashed, once."""
    check(reader, shape, GENERAL[shape])


def test_a_doubled_key_among_many() -> None:
    text = GENERAL["a doubled key at the end"](512 * 1024)
    assert cost(READERS["UI tree"], text) < LONGEST


def test_many_near_misses_of_many_names() -> None:
    """A hundred unknown names, each near to hundreds of known ones."""
    from vsalang.semantics import load_text

    known = "\n".join(f"define Restaurant{number:03}(a = ?a) when Node(text = ?a)." for number in range(300))
    wrong = "\n".join(f"define X{number}(a = ?a) when Restaurnt{number:03}(a = ?a)." for number in range(100))
    start = time.process_time()
    loaded = load_text(f"module a\n{known}\n{wrong}\n", file="a.vsa")
    assert time.process_time() - start < 4 * LONGEST
    assert len(loaded.diagnostics) >= 100


@pytest.mark.parametrize("text", ["<!DOCTYPE a>", "<!DOCTYPE a [<!ENTITY b 'c'>]>", "<!ENTITY b 'c'>"])
def test_no_reading_of_a_dump_takes_a_declaration(text: str) -> None:
    """Neither the first one nor the one that reads only what differs."""
    from vsalang.device.tree import DumpError, load_dump

    inside = '<node text="a" bounds="[0,0][9,9]"/>'
    before = load_dump(f"<hierarchy>{inside}</hierarchy>")
    for dump in (
        f"{text}<hierarchy>{inside}</hierarchy>",
        f"<hierarchy>{text}{inside}</hierarchy>",
        f"<hierarchy>{inside}{text}</hierarchy>",
        f"<hierarchy>{inside}</hierarchy>{text}",
    ):
        for after in (None, before):
            with pytest.raises(DumpError, match="declares nothing"):
                load_dump(dump, after=after)
