"""Turns Python's search for reference cycles off while many objects are made that have none.

The search looks at all objects again and again while their number grows: a sixth of the time of reading a text, a
quarter of checking and compiling a large program. Objects that are no longer used are freed without it.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


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
