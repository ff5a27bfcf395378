"""Figures of a fleet server for Prometheus, in its text format (https://prometheus.io/docs/instrumenting/exposition_formats)."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Final

from vsalang.tools.fleet.live.intake import Intake
from vsalang.tools.fleet.live.questions import Questions

_BOUNDS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)


@dataclass(slots=True)
class Counters:
    """What a server counts of its requests.

    Attributes:
        requests: all of them.
        refused: those that were refused.
        failed: internal errors.
        seconds: how long deliveries took until they were kept, in sum.
    """

    requests: int = 0
    refused: int = 0
    failed: int = 0
    seconds: float = 0.0
    deliveries: int = 0
    _buckets: list[int] = field(default_factory=lambda: [0] * len(_BOUNDS))

    def took(self, seconds: float) -> None:
        """A delivery was kept after some seconds."""
        self.seconds += seconds
        self.deliveries += 1
        nth = bisect_left(_BOUNDS, seconds)
        if nth < len(_BOUNDS):
            self._buckets[nth] += 1

    def histogram(self) -> Iterator[tuple[str, int]]:
        """How many deliveries took at most which time."""
        yield from zip((f"{bound:g}" for bound in _BOUNDS), accumulate(self._buckets), strict=True)
        yield "+Inf", self.deliveries


def metrics_text(counters: Counters, intake: Intake, questions: Questions, up: float) -> str:
    """All figures as text. Names of sessions and devices are not in it."""
    states = Counter(each.state for each in intake.sessions.values())
    levels: Counter[str] = Counter()
    for each in intake.sessions.values():
        levels.update(each.levels)
    lines: list[str] = []

    def figure(name: str, kind: str, help: str, rows: Mapping[str, float]) -> None:
        lines.append(f"# HELP vsalang_fleet_{name} {help}")
        lines.append(f"# TYPE vsalang_fleet_{name} {kind}")
        lines.extend(f"vsalang_fleet_{name}{labels} {value}" for labels, value in rows.items())

    figure("up_seconds", "gauge", "Since the server started.", {"": up})
    figure("requests_total", "counter", "Requests.", {"": counters.requests})
    figure("refused_total", "counter", "Requests that were refused.", {"": counters.refused})
    figure("errors_total", "counter", "Internal errors.", {"": counters.failed})
    figure("lines_total", "counter", "Lines of journals that were kept.", {"": intake.kept})
    figure("repeated_lines_total", "counter", "Lines that were sent again.", {"": intake.repeated})
    figure("waiting_bytes", "gauge", "Bytes that wait to be kept.", {"": intake.waiting})
    of_states = {f'{{state="{state}"}}': number for state, number in sorted(states.items())}
    figure("sessions", "gauge", "Sessions by state.", of_states)
    of_levels = {f'{{level="{level}"}}': number for level, number in sorted(levels.items())}
    figure("verdicts", "gauge", "Verdicts by level, of the sessions that are kept.", of_levels)
    asked = sum(each.open for each in questions.all("*"))
    figure("open_questions", "gauge", "Questions that wait for a person.", {"": asked})
    rows: dict[str, float] = {f'_bucket{{le="{at}"}}': number for at, number in counters.histogram()}
    rows |= {"_sum": counters.seconds, "_count": counters.deliveries}
    figure("delivery_seconds", "histogram", "Until a delivery was kept.", rows)
    return "\n".join(lines) + "\n"
