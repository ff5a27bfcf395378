"""How often the tests repeat that try one thing many times: seldom by hand, often where `VSALANG_THOROUGH` is set.

It is set before a release. What a test checks is the same; only how many random or recorded cases it goes through
differs.
"""

import os
from collections.abc import Sequence
from typing import Final, TypeVar

THOROUGH: Final = os.environ.get("VSALANG_THOROUGH", "") not in ("", "0")

T = TypeVar("T")


def times(few: int, many: int) -> int:
    """How many cases."""
    return many if THOROUGH else few


def some(cases: Sequence[T], one_in: int, begin: int = 0) -> Sequence[T]:
    """All cases, or one in so many of them, spread over all, from the first or a later one."""
    return cases if THOROUGH else cases[begin % one_in :: one_in]
