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
    far = limit + 1
    before: list[int] = []
    row = [min(j, far) for j in range(len(right) + 1)]
    for i, a in enumerate(left, 1):
        # only cells near the diagonal can be within the limit
        low, high = max(1, i - limit), min(len(right), i + limit)
        older, before, row = before, row, [far] * (len(right) + 1)
        row[0] = min(i, far)
        for j in range(low, high + 1):
            b = right[j - 1]
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a != b))
            if i > 1 and j > 1 and a == right[j - 2] and left[i - 2] == b:
                cost = min(cost, older[j - 2] + 1)
            row[j] = cost
        if min(row) > limit:
            return limit + 1
    return min(row[-1], limit + 1)
