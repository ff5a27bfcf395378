"""Figures of a fleet server, and for Prometheus in its text format (https://prometheus.io/docs/instrumenting/exposition_formats)."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Final, Literal

from vsalang.base import records
from vsalang.tools.fleet.live.intake import Intake
from vsalang.tools.fleet.live.questions import Questions

BOUNDS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
"""Of the buckets of times, in seconds."""


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
    _buckets: list[int] = field(default_factory=lambda: [0] * len(BOUNDS))

    def took(self, seconds: float) -> None:
        """A delivery was kept after some seconds."""
        self.seconds += seconds
        self.deliveries += 1
        nth = bisect_left(BOUNDS, seconds)
        if nth < len(BOUNDS):
            self._buckets[nth] += 1

    def histogram(self) -> Iterator[tuple[str, int]]:
        """How many deliveries took at most which time."""
        yield from zip((f"{bound:g}" for bound in BOUNDS), accumulate(self._buckets), strict=True)
        yield "+Inf", self.deliveries


@records.dataclass(frozen=True, slots=True)
class Figure:
    """A figure, with one value, or one for each of its labels.

    Attributes:
        name: without a prefix; as Prometheus has it.
        label: the name of its label; empty: it has none.
        values: by the value of the label.
    """

    name: str
    kind: Literal["gauge", "counter"]
    help: str
    values: Mapping[str, float]
    label: str = ""


def figures(counters: Counters, intake: Intake, questions: Questions, up: float) -> tuple[Figure, ...]:
    """All figures but the histogram. Names of sessions and devices are not in them.

    Args:
        up: seconds since the server started.
    """
    states = Counter(each.state for each in intake.sessions.values())
    levels: Counter[str] = Counter()
    for each in intake.sessions.values():
        levels.update(each.levels)
    asked = sum(each.open for each in questions.all("*"))
    return (
        Figure("up_seconds", "gauge", "Since the server started.", {"": up}),
        Figure("requests_total", "counter", "Requests.", {"": counters.requests}),
        Figure("refused_total", "counter", "Requests that were refused.", {"": counters.refused}),
        Figure("errors_total", "counter", "Internal errors.", {"": counters.failed}),
        Figure("lines_total", "counter", "Lines of journals that were kept.", {"": intake.kept}),
        Figure("repeated_lines_total", "counter", "Lines that were sent again.", {"": intake.repeated}),
        Figure("waiting_bytes", "gauge", "Bytes that wait to be kept.", {"": intake.waiting}),
        Figure("sessions", "gauge", "Sessions by state.", dict(sorted(states.items())), "state"),
        Figure(
            "verdicts", "gauge", "Verdicts by level, of the sessions that are kept.",
            dict(sorted(levels.items())), "level",
        ),
        Figure("open_questions", "gauge", "Questions that wait for a person.", {"": asked}),
    )  # fmt: skip


def metrics_text(counters: Counters, intake: Intake, questions: Questions, up: float) -> str:
    """All figures as text; as `figures`."""
    lines: list[str] = []

    def add(name: str, kind: str, help: str, rows: Mapping[str, float]) -> None:
        lines.append(f"# HELP vsalang_fleet_{name} {help}")
        lines.append(f"# TYPE vsalang_fleet_{name} {kind}")
        lines.extend(f"vsalang_fleet_{name}{labels} {value}" for labels, value in rows.items())

    for each in figures(counters, intake, questions, up):
        labels = (f'{{{each.label}="{value}"}}' if each.label else "" for value in each.values)
        add(each.name, each.kind, each.help, dict(zip(labels, each.values.values(), strict=True)))
    rows: dict[str, float] = {f'_bucket{{le="{at}"}}': number for at, number in counters.histogram()}
    rows |= {"_sum": counters.seconds, "_count": counters.deliveries}
    add("delivery_seconds", "histogram", "Until a delivery was kept.", rows)
    return "\n".join(lines) + "\n"
