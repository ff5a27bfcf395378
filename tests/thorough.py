"""How often the tests repeat that try one thing many times: seldom by hand, often in CI, and most before a release.

- By hand, few cases and (where all tests run) one in eight of those marked `slow`, drawn anew each time; `VSALANG_DRAW`
  draws the same ones again (pytest says it on top).
- In CI (`CI` is set; `./.ci/run` sets it), and where `UPDATE_GOLDEN` is set, more of them, the same ones every time.
- Before a release (`VSALANG_THOROUGH` is set), all of them.

What a test checks is the same; only how many random or recorded cases it goes through differs.
"""

import os
import secrets
from collections.abc import Sequence
from typing import Final, TypeVar

THOROUGH: Final = os.environ.get("VSALANG_THOROUGH", "") not in ("", "0")
BY_HAND: Final = not THOROUGH and not os.environ.get("CI") and not os.environ.get("UPDATE_GOLDEN")
# All processes of one run collect the same tests: those that are started later take it from the first one.
DRAW: Final = int(os.environ.setdefault("VSALANG_DRAW", str(secrets.randbelow(10_000))))

T = TypeVar("T")
N = TypeVar("N", int, float)


def usual(by_hand: int, in_ci: int) -> int:
    """How many cases, where all that there are before a release are those of CI."""
    return by_hand if BY_HAND else in_ci


def times(few: N, many: N) -> N:
    """How many cases or seconds: few by hand and in CI, many before a release."""
    return many if THOROUGH else few


def some(cases: Sequence[T], one_in: int, begin: int = 0, by_hand: int = 0) -> Sequence[T]:
    """All cases before a release; else one in so many of them, spread over all, from the first or a later one.

    Where `by_hand` says so, by hand one in so many instead, from one that is drawn.
    """
    if THOROUGH:
        return cases
    if BY_HAND and by_hand:
        return cases[DRAW % max(1, min(by_hand, len(cases))) :: by_hand]
    return cases[begin % one_in :: one_in]


def seed(in_ci: int) -> int:
    """What random cases begin with: by hand anew each time."""
    return in_ci + DRAW if BY_HAND else in_ci
