"""The search for cycles is off while programs are checked and compiled, and on again afterwards."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from vsalang.base.collector import collected_seldom, no_collection
from vsalang.engine.compile.bodies import Planner
from vsalang.engine.compile.program import compile_program
from vsalang.language.semantics import load_text

MANY = "policy p\n" + "".join(
    f'deny "No {n}" when tap(id = "a{n}", text = ?t), Node(id = "b{n}", text = ?t).\n' for n in range(300)
)


@contextmanager
def searches() -> Iterator[list[int]]:
    """The generations that are searched in this block."""
    found: list[int] = []

    def note(phase: str, info: dict[str, int]) -> None:
        if phase == "start":
            found.append(info["generation"])

    gc.callbacks.append(note)
    try:
        yield found
    finally:
        gc.callbacks.remove(note)


def test_blocks_nest_and_end_after_errors() -> None:
    with pytest.raises(KeyError), no_collection():
        with no_collection():
            assert not gc.isenabled()
        assert not gc.isenabled()
        raise KeyError
    assert gc.isenabled()


@pytest.mark.soak
@pytest.mark.slow
def test_planners_are_freed_without_a_search() -> None:
    text = 'policy p\ndeny "No" when tap(id = ?t), not Node(id = "b", text != ?t), Node(text = ?n), ?n != ?t.'
    program = load_text(text).checked()
    gc.collect()
    with no_collection():
        compile_program(program)
        assert not any(isinstance(each, Planner) for each in gc.get_objects())


@pytest.mark.slow
def test_checking_and_compiling_search_no_cycles() -> None:
    gc.collect()
    with searches() as found:
        program = load_text(MANY).checked()
        compile_program(program)
    assert len(found) <= 3, "only what is outside of parsing, checking and compiling"
    assert gc.isenabled()


def test_what_serves_is_searched_seldom_and_then_as_before() -> None:
    before = gc.get_threshold()
    with pytest.raises(KeyError), collected_seldom():
        assert gc.get_threshold()[0] == 50_000 and gc.get_freeze_count() > 10_000
        raise KeyError
    assert gc.get_threshold() == before and gc.get_freeze_count() < 10_000
