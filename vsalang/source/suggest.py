"""Which known names a misspelt one may mean."""

from collections.abc import Iterable

_LONGEST = 80


def nearest(name: str, candidates: Iterable[str], limit: int = 3) -> list[str]:
    """The candidates that `name` may be a misspelling of, the likeliest first; none if all are too far away.

    A candidate is near if a third of the longer name's characters (at least one, at most four) need to change,
    whatever their case.
    """
    if not name or len(name) > _LONGEST:
        return []
    folded = name.casefold()
    ranked: list[tuple[int, int, str]] = []
    for candidate in dict.fromkeys(candidates):
        if candidate == name or len(candidate) > _LONGEST:
            continue
        longer = max(len(name), len(candidate))
        allowed = max(1, min(4, longer // 3))
        distance = edit_distance(folded, candidate.casefold(), allowed)
        if distance <= allowed and distance < longer:
            ranked.append((distance, edit_distance(name, candidate, longer), candidate))
    return [candidate for _, _, candidate in sorted(ranked)[:limit]]


def did_you_mean(name: str, candidates: Iterable[str]) -> str:
    """A help sentence that names the nearest candidates, or an empty text."""
    names = [f"`{candidate}`" for candidate in nearest(name, candidates)]
    if not names:
        return ""
    return f"did you mean {' or '.join([', '.join(names[:-1]), names[-1]] if len(names) > 1 else names)}?"


def edit_distance(left: str, right: str, limit: int) -> int:
    """How many insertions, deletions, changes and swaps of neighbours turn one text into the other.

    The optimal string alignment distance. Anything above `limit` is returned as ``limit + 1``.
    """
    if abs(len(left) - len(right)) > limit:
        return limit + 1
    before: list[int] = []
    row = list(range(len(right) + 1))
    for i, a in enumerate(left, 1):
        older, before, row = before, row, [i]
        for j, b in enumerate(right, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a != b))
            if i > 1 and j > 1 and a == right[j - 2] and left[i - 2] == b:
                cost = min(cost, older[j - 2] + 1)
            row.append(cost)
        if min(row) > limit:
            return limit + 1
    return min(row[-1], limit + 1)
