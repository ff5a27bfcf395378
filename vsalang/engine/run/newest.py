"""The timestamp of the newest cell or commit that conditions depend on (`then` asks)."""

import math
from collections.abc import Iterable
from typing import Any

from vsalang.base.records import dataclass
from vsalang.engine.matching import Matcher
from vsalang.engine.run.certain import Source
from vsalang.engine.run.firsts import FirstGoal
from vsalang.engine.run.goals import plain_rows
from vsalang.engine.run.state import State
from vsalang.engine.run.timestamps import timestamps_of
from vsalang.engine.terms import Tuple

NEW = math.inf
"""The timestamp of what is being proposed: after every point. At a history point it is of that point."""


@dataclass(frozen=True, slots=True)
class EvidenceRead:
    """One literal of the last part of a `then`: which rows are its evidence, and which of their cells it reads.

    Attributes:
        kind: ``cells`` (timestamps of the relation), ``derived``, ``point`` (the point in a row's own column), ``new``.
        timestamps: the table of timestamps, or of a derived relation the table of its rows.
        first: of a `first`: only the rows that it chooses count.
    """

    kind: str
    source: Source | None = None
    matcher: Matcher | None = None
    columns: tuple[int, ...] = ()
    timestamps: int = -1
    first: FirstGoal | None = None


@dataclass(frozen=True, slots=True)
class FreshGoal:
    """Whether the newest evidence of literals, a cell or a commit, is later than a point."""

    first: str
    reads: tuple[EvidenceRead, ...]

    def __call__(self, state: State, env: dict[str, Any]) -> Iterable[Tuple]:
        """One empty tuple for yes, none for no."""
        return ((),) if self.newest(state, env) > env[self.first] else ()

    def newest(self, state: State, env: dict[str, Any]) -> float:
        """The history point of the newest evidence; 0 if there is none."""
        return max((newest_of(state, read, env) for read in self.reads), default=0)


def newest_of(state: State, read: EvidenceRead, env: dict[str, Any]) -> float:
    """The history point of the newest evidence of one literal under the bindings."""
    if read.kind == "new":
        return state.recording or NEW
    assert read.source is not None and read.matcher is not None
    best: float = 0
    timestamps = timestamps_of(state, read.timestamps) if read.kind in ("cells", "derived") else {}
    for row, _ in plain_rows(state, read.source, read.matcher, env):
        if read.first is not None and not read.first.chooses(state, row, env):
            continue
        if read.kind == "point":
            best = max(best, row[read.columns[0]])
        elif read.kind == "derived":
            best = max(best, timestamps.get(row, 0))
        else:
            points = timestamps.get(row)
            if points:
                best = max(
                    best, max((points[c] for c in read.columns), default=0) if read.columns else max(points)
                )
    return best
