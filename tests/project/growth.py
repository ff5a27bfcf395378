"""Whether the work of a function grows with the length of what it is given, or faster."""

import gc
import math
import time
from collections.abc import Callable
from contextlib import suppress

LITTLE = 0.025
"""Work that takes fewer seconds of CPU time is not compared: what is fixed is a large part of it."""
TIMES = 8
"""So many times longer is the long text."""
FASTER = 23
"""So many times the work means that it grows faster than the text: between 8 (linear) and 64 (quadratic), and as far
from the one as from the other. The work is measured as a ratio, so how fast the machine is does not matter."""
TRIES = 4
"""A machine that is busy makes one measurement longer, never shorter: the least of some is compared."""
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


def work(read: Callable[[str], object], text: str) -> float:
    """The CPU time of this process for one reading, which may end in an error that readers may raise."""
    enabled = gc.isenabled()
    gc.disable()  # it looks at all that the process holds, which has nothing to do with the text
    start = time.process_time()
    try:
        with suppress(ValueError):  # many errors of readers are
            read(text)
    except CRASHES:
        raise
    except Exception:  # an error that the reader documents
        pass
    finally:
        end = time.process_time()
        if enabled:
            gc.enable()
    return end - start


def grows_faster(
    read: Callable[[str], object], make: Callable[[int], str], short: int, *, little: float = LITTLE
) -> str:
    """What was measured if the work grows faster than the text; else nothing.

    Args:
        read: what works.
        make: makes a text of about a size.
        short: the size of the short text; the long one is `TIMES` longer.
        little: work of so few seconds of CPU time counts as linear.
    """
    least_short = least_long = math.inf
    for attempt in range(TRIES):
        # never the same text twice: what was read before may be remembered
        size = short + attempt * max(1, short // 64)
        least_long = min(least_long, work(read, make(TIMES * size)))
        if least_long < little:
            return ""
        least_short = min(least_short, work(read, make(size)))
        if least_long < FASTER * least_short:
            return ""
        if attempt and least_long > 2 * FASTER * least_short:
            break  # nothing else on a machine does that twice
    return f"{TIMES} times the text takes {least_long / least_short:.0f} times the work"
