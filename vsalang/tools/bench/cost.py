"""What is measured, how, and the results: plain data. Times are seconds, memory is bytes."""

from collections.abc import Sequence
from typing import Literal, TypeAlias

from vsalang.base.records import dataclass

Events: TypeAlias = Literal["tests", "random"]


class BenchError(Exception):
    """Nothing can be measured; the message says why."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How to measure.

    Attributes:
        events: how many turns to time, at least.
        source: where turns come from: the file's tests, made up at random, or None: tests if there are any.
        seed: of the random turns.
        rounds: how often everything is repeated; the spread between rounds is the machine's noise.
        sessions: how many sessions are held at once to weigh one.
        rules: whether each rule is measured by itself.
    """

    events: int = 500
    source: Events | None = None
    seed: int = 0
    rounds: int = 5
    sessions: int = 20
    rules: bool = True


@dataclass(frozen=True, slots=True)
class Cost:
    """Times of one kind of event.

    Attributes:
        count: how many were timed.
        noise: how far the medians of the rounds differ, as a share of the median.
    """

    count: int
    median: float
    p95: float
    mean: float
    noise: float

    @classmethod
    def of(cls, rounds: Sequence[Sequence[float]]) -> "Cost":
        """The cost from the times of several rounds.

        Raises:
            ValueError: there is no time.
        """
        medians = [_quantile(sorted(times), 0.5) for times in rounds if times]
        every = sorted(time for times in rounds for time in times)
        if not every:
            raise ValueError("nothing was timed")
        median = _quantile(every, 0.5)
        noise = (max(medians) - min(medians)) / median if median > 0 else 0.0
        return cls(len(every), median, _quantile(every, 0.95), sum(every) / len(every), noise)


def _quantile(ordered: Sequence[float], share: float) -> float:
    """Between the two nearest of sorted values, linearly."""
    place = share * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


@dataclass(frozen=True, slots=True)
class RuleCost:
    """What one rule, or one derived relation, adds to the engine's work on a turn.

    Attributes:
        name: the rule's id, or the relation's qualified name.
        kind: the keyword of its head: ``allow``, ``done``, ``deny``, ``update``, ``define`` ...
        file: its file, and `line` there from 1; empty and 0 if it is in none.
        seconds: the mean time on a turn, by itself, with all that it depends on.
        asked: how often it was asked on a turn, on average.
    """

    name: str
    kind: str
    file: str
    line: int
    seconds: float
    asked: float


@dataclass(frozen=True, slots=True)
class Report:
    """The result.

    Attributes:
        program: the name of the module that was measured.
        source: where the turns are from.
        turn: a turn of the guard: proposed, judged, committed if allowed, observed.
        judged: the part of it from proposal to verdict, of turns that propose something; None if none does.
        engine: the engine's share of a turn.
        rules: what each rule adds, the most expensive first; empty if that was not asked for.
        load: reading and checking the file.
        compile: from a checked program to the first session.
        open: one more session of the same program.
        memory: what a session of the guard holds after a story, on average; what sessions share is not counted.
        engine_memory: the engine's part of it.
        count: how many rules the program has.
    """

    program: str
    source: Events
    turn: Cost
    judged: Cost | None
    engine: Cost
    rules: tuple[RuleCost, ...]
    load: float
    compile: float
    open: float
    memory: int
    engine_memory: int
    count: int
