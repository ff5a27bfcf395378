"""Turns Python's search for reference cycles off while many objects are made that have none.

The search looks at all objects again and again while their number grows: a sixth of the time of reading a text, a
quarter of checking and compiling a large program. Objects that are no longer used are freed without it.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_SERVING: Final = (50_000, 20, 20)


@contextmanager
def no_collection() -> Iterator[None]:
    """No search for cycles in this block, in any thread; also a decorator. Blocks may be nested."""
    enabled = gc.isenabled()
    if enabled:
        gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


@contextmanager
def collected_seldom() -> Iterator[None]:
    """As `collect_seldom`, while a part of a process serves; nothing is searched at its beginning."""
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(*_SERVING)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


def collect_seldom() -> None:
    """For a process that has started, and now serves until it ends: search seldom, and not in what is there already.

    What a request makes is freed when it is answered; the search took a sixth of the time of a request.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_SERVING)


def end_unsearched() -> None:
    """For a process that ends now: Python does not search all objects once more (a seventh of `vsac test`)."""
    gc.freeze()
