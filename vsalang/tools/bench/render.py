"""A report as text for people and as data for machines."""

import dataclasses
from collections.abc import Sequence
from typing import Any

from vsalang.base.diagnostics.display import safe
from vsalang.tools.bench.cost import Cost, Report, RuleCost

VERSION = 1


def as_json(report: Report) -> dict[str, Any]:
    """The report as plain data; times are in seconds, memory in bytes."""
    made = dataclasses.asdict(report)
    made["rules"] = [dataclasses.asdict(rule) for rule in report.rules]
    made["rule_count"] = made.pop("count")
    return {"version": VERSION, **made}


def duration(seconds: float) -> str:
    """A time with three digits, in the unit that suits it."""
    units = (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6), ("ns", 1e-9))
    unit, length = next((one for one in units if seconds >= one[1]), units[-1])
    number = seconds / length
    return f"{number:.0f} {unit}" if number >= 100 or number < 1 else f"{number:.3g} {unit}"


def size(count: int) -> str:
    """An amount of memory."""
    return f"{count} B" if count < 10_000 else f"{count / 1024:,.0f} KB"


def as_text(report: Report, *, rules: int = 10) -> str:
    """The report for people, with the most expensive rules; 0: all of them."""
    origin = "the file's tests" if report.source == "tests" else "made-up turns"
    lines = [
        f"{safe(report.program)}: {report.count} rule{'s' * (report.count != 1)}, measured with {origin}",
        "",
    ]
    rows: list[tuple[str, ...]] = [("what", "median", "95 % below", "mean", "timed", "noise")]
    for name, cost in (
        ("a turn of the guard", report.turn),
        ("  until its verdict", report.judged),
        ("  the engine's share", report.engine),
    ):
        if cost is not None:
            rows.append((name, *_cells(cost)))
    lines += _table(rows)
    rows = [
        ("loading the file", duration(report.load)),
        ("compiling it", duration(report.compile)),
        ("opening a session", duration(report.open)),
        ("memory of a session", size(report.memory)),
        ("  the engine's part", size(report.engine_memory)),
    ]
    lines += ["", *_table(rows)]
    if report.rules:
        rule_costs = report.rules if rules == 0 else report.rules[:rules]
        lines += [
            "",
            *_table([("rule", "", "on a turn", "asked", "where"), *map(_rule, rule_costs)], left=(0, 1, 4)),
        ]
        rest = len(report.rules) - len(rule_costs)
        if rest:
            others = sum(rule.seconds for rule in report.rules[len(rule_costs) :])
            lines.append(f"... and {rest} more, {duration(others)} together")
    return "\n".join(lines) + "\n"


def _cells(cost: Cost) -> tuple[str, ...]:
    return (
        duration(cost.median),
        duration(cost.p95),
        duration(cost.mean),
        str(cost.count),
        f"±{cost.noise * 50:.0f} %",
    )


def _rule(rule: RuleCost) -> tuple[str, ...]:
    place = f"{safe(rule.file)}:{rule.line}" if rule.line else ""
    return (rule.kind, safe(rule.name), duration(rule.seconds), f"{rule.asked:.1f} x", place)


def _table(rows: Sequence[tuple[str, ...]], left: tuple[int, ...] = (0,)) -> list[str]:
    """Columns, the first ones to the left, numbers to the right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return [
        "  ".join(
            cell.ljust(width) if column in left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
