"""How many cases the tests go through that try one thing many times: the same ones in every run, more before a release.

What a test checks is the same; only how many random or recorded cases it goes through differs.
"""

import os
from collections.abc import Sequence
from typing import Final, TypeVar

THOROUGH: Final = os.environ.get("VSALANG_THOROUGH", "") not in ("", "0")

T = TypeVar("T")
N = TypeVar("N", int, float)


def times(few: N, many: N) -> N:
    """How many cases or seconds: few by hand and in CI, many before a release."""
    return many if THOROUGH else few


def some(cases: Sequence[T], one_in: int, begin: int = 0) -> Sequence[T]:
    """One in so many cases, spread over all, from the first or a later one; before a release all."""
    return cases if THOROUGH else cases[begin % one_in :: one_in]
