"""Suggests known names for a misspelt one."""

from collections.abc import Iterable
from dataclasses import dataclass

_LONGEST = 80


@dataclass
class Work:
    """A limit on the characters that are compared, so that many unknown names take a bounded time."""

    left: int = 300_000


def nearest(name: str, candidates: Iterable[str], limit: int = 3, work: Work | None = None) -> list[str]:
    """The candidates that `name` may mean, the most likely first; none if all are too different.

    A candidate is near if at most a third of the longer name's characters (at least one, at most four) must change,
    ignoring case. If `work` is used up, nothing is near.
    """
    if not name or len(name) > _LONGEST:
        return []
    folded = name.casefold()
    letters = set(folded)
    ranked: list[tuple[int, int, str]] = []
    for candidate in dict.fromkeys(candidates):
        if candidate == name or len(candidate) > _LONGEST:
            continue
        longer = max(len(name), len(candidate))
        allowed = max(1, min(4, longer // 3))
        other = candidate.casefold()
        # one change takes at most two letters from the one set or the other
        if abs(len(name) - len(candidate)) > allowed or len(letters ^ set(other)) > 2 * allowed:
            continue
        if work is not None:
            work.left -= longer
            if work.left < 0:
                return []
        distance = edit_distance(folded, other, allowed)
        if distance <= allowed and distance < longer:
            ranked.append((distance, edit_distance(name, candidate, 8), candidate))
    return [candidate for _, _, candidate in sorted(ranked)[:limit]]


def did_you_mean(name: str, candidates: Iterable[str]) -> str:
    """A help sentence that names the nearest candidates, or an empty text."""
    names = [f"`{candidate}`" for candidate in nearest(name, candidates)]
    if not names:
        return ""
    return f"did you mean {' or '.join([', '.join(names[:-1]), names[-1]] if len(names) > 1 else names)}?"


def edit_distance(left: str, right: str, limit: int) -> int:
    """The number of insertions, deletions, changes and swaps of neighbours between two texts.

    The optimal string alignment distance. Anything above `limit` is returned as ``limit + 1``.
    """
    if abs(len(left) - len(right)) > limit:
        return limit + 1
    # a common beginning and end cost nothing
    start = 0
    while start < min(len(left), len(right)) and left[start] == right[start]:
        start += 1
    left, right = left[start:], right[start:]
    while left and right and left[-1] == right[-1]:
        left, right = left[:-1], right[:-1]
    if not left or not right:
        return min(len(left) + len(right), limit + 1)
    return min(_distance(left, right), limit + 1)


def _distance(left: str, right: str) -> int:
    """The distance of two texts that are not empty, a column of the usual table in a few operations on its bits.

    H. Hyyrö: A bit-vector algorithm for computing Levenshtein and Damerau edit distances (2003).
    """
    places: dict[str, int] = {}
    for at, letter in enumerate(left):
        places[letter] = places.get(letter, 0) | 1 << at
    last = 1 << len(left) - 1
    every = (last << 1) - 1
    more, less = every, 0  # where a cell is one more, or one less, than the one above it
    diagonal = before = 0
    distance = len(left)
    for letter in right:
        same = places.get(letter, 0)
        swapped = (~diagonal & same) << 1 & before
        diagonal = ((((same & more) + more) ^ more) | same | less | swapped) & every
        rises, falls = less | ~(diagonal | more) & every, diagonal & more
        distance += (rises & last > 0) - (falls & last > 0)
        rises, falls = rises << 1 | 1, falls << 1
        more, less = (falls | ~(diagonal | rises)) & every, rises & diagonal
        before = same
    return distance
