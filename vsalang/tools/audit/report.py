"""Brings the results of an audit together: totals, alarms, scores; and all of it as JSON data."""

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any, Final

from vsalang.base.records import dataclass
from vsalang.program.risks import CATEGORIES
from vsalang.tools.audit.alarms import WalkAudit, as_data
from vsalang.tools.audit.running import Outcome
from vsalang.tools.audit.score import BUDGET, Early, Estimate, Figures, Report, TraceAlarms, score
from vsalang.tools.audit.sources import SkippedFile, SourceList

VERSION: Final = 1
EARLY: Final[tuple[Early, ...]] = ("symmetric", "zero")


@dataclass(frozen=True, slots=True)
class Audit:
    """All that an audit found.

    Attributes:
        traces: those that were judged, in order.
        known: how many sources were not judged again.
        skipped: what was left out.
        broken: what could not be read or judged.
        scores: against the labels, for each way to score early alarms; empty: no trace has a label.
    """

    traces: tuple[WalkAudit, ...]
    known: int
    skipped: tuple[SkippedFile, ...]
    broken: tuple[SkippedFile, ...]
    scores: dict[Early, Report]

    @property
    def alarmed(self) -> tuple[WalkAudit, ...]:
        """The traces with an alarm."""
        return tuple(trace for trace in self.traces if trace.alarms)

    @property
    def steps(self) -> int:
        """How many steps were judged."""
        return sum(trace.steps for trace in self.traces)

    @property
    def unjudged(self) -> int:
        """How many steps could not be judged, wholly or in part."""
        return sum(len(trace.unjudged) for trace in self.traces)


def report(sources: SourceList, outcomes: Iterable[Outcome], *, budget: int = BUDGET) -> Audit:
    """Bring outcomes together, and score the traces that have a label.

    Args:
        sources: what was looked for.
        outcomes: of its sources.
        budget: B of the step score.
    """
    traces: list[WalkAudit] = []
    skipped, broken = list(sources.skipped), list(sources.broken)
    known = 0
    for outcome in outcomes:
        known += outcome.known
        if outcome.skipped:
            skipped.append(SkippedFile(outcome.source.path, outcome.skipped))
        if outcome.problem:
            broken.append(SkippedFile(outcome.source.path, outcome.problem))
        for trace in outcome.traces:
            if trace.problem:
                broken.append(SkippedFile(trace.place, trace.problem))
            else:
                traces.append(trace)
    labels = {str(number): trace.label for number, trace in enumerate(traces) if trace.label is not None}
    verdicts = {name: alarmed(traces[int(name)]) for name in labels}
    scores = {early: score(labels, verdicts, budget, early) for early in EARLY} if labels else {}
    return Audit(tuple(traces), known, tuple(skipped), tuple(broken), scores)


def alarmed(trace: WalkAudit) -> TraceAlarms:
    """The alarms of a trace as they are scored."""
    alarms: dict[int, frozenset[str]] = {}
    for alarm in trace.alarms:
        alarms[alarm.step] = alarms.get(alarm.step, frozenset()) | frozenset(alarm.categories)
    return TraceAlarms(trace.steps, alarms)


# ---------------------------------------------------------------- as JSON data


def data(audit: Audit, program: dict[str, Any]) -> dict[str, Any]:
    """The audit as JSON data (docs/reference/audit.schema.json).

    Args:
        program: by what was judged: policies, spec, level.
    """
    return {
        "version": VERSION,
        "in_force": program,
        "traces": [as_data(trace) for trace in audit.traces],
        "totals": {
            "traces": len(audit.traces),
            "steps": audit.steps,
            "alarmed": len(audit.alarmed),
            "alarms": sum(len(trace.alarms) for trace in audit.traces),
            "unjudged": audit.unjudged,
            "known": audit.known,
        },
        "skipped": [{"path": each.path, "why": each.why} for each in audit.skipped],
        "broken": [{"path": each.path, "why": each.why} for each in audit.broken],
        "scores": _scores(audit.scores) if audit.scores else None,
    }


def _scores(scores: dict[Early, Report]) -> dict[str, Any]:
    main = scores["symmetric"]
    return {
        "budget": main.budget,
        "unsafe": {"traces": main.unsafe, "steps": main.unsafe_steps, "too_early": main.too_early},
        "safe": {"traces": main.safe, "steps": main.safe_steps},
        "figures": _figures(main.figures, scores["zero"].figures.step),
        "categories": [
            {
                "category": each.word,
                "name": CATEGORIES.get(each.word, ""),
                "found": each.found.data(),
                "named": each.named.data() if each.word else None,
                "step": {"symmetric": each.step, "zero": other.step},
            }
            for each, other in zip(main.categories, scores["zero"].categories, strict=True)
        ],
        "baselines": [
            {"early": early, "name": name, **_figures(figures)}
            for early, scored in scores.items()
            for name, figures in scored.baselines
        ],
    }


def _figures(figures: Figures, zero: Estimate | None = None) -> dict[str, Any]:
    data = asdict(figures)
    if zero is not None:
        data["step"] = {"symmetric": data["step"], "zero": asdict(zero)}
    return data
