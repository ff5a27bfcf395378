"""What ``python -m benchmarks.measure encode`` prints: tables for people, and data for programs."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import click

from vsalang.base.diagnostics.display import columns, count, safe

if TYPE_CHECKING:
    from benchmarks.measure.encode import Figures, InstructionScores
    from benchmarks.measure.encode.measuring import Part
    from vsalang.program.shares import Share

_GOOD, _FAIR = 0.95, 0.8
_MOST_REASONS = 5


def as_text(parts: "Sequence[Part]", *, verbose: bool, color: bool) -> str:
    """The figures for people: a table by app for each part, then all together, then what went wrong."""
    lines: list[str] = []
    for part in parts:
        if not part.scored:
            lines += [f"{part.mode}: nothing was measured" if len(parts) > 1 else "nothing was measured", ""]
            continue
        lines += [*_head(part, alone=len(parts) == 1), "", *_table(part, color), "", *_whole(part), ""]
    lines += _wrong(parts[-1], verbose=verbose)
    for part in parts:
        lines += _unanswered(part)
    return "\n".join(lines).rstrip("\n") + "\n"


def _head(part: "Part", *, alone: bool) -> list[str]:
    figures = part.figures()
    cases = len({each.case.name for each in part.scored})
    names = {outcome.encoded.model for each in part.scored for outcome in each.outcomes}
    known = safe(", ".join(sorted(names - {""})), 80)
    by = f" by {known}" if known else " by a model that is not known" if names else ""
    mode = "" if alone else f"{part.mode}: "
    samples = f", {part.samples} samples each" if part.samples > 1 else ""
    text = f"{mode}{count(cases, 'case')}, {count(figures.specs, 'instruction')}{samples}: "
    look = f", {figures.doubted} of them need a look" if figures.doubted else ""
    lines = [f"{text}{figures.written.hits} of {figures.written.of} specs written{by}{look}"]
    stale = sum(outcome.encoded.stale > 0 for each in part.scored for outcome in each.outcomes)
    if stale:
        lines.append(
            f"the system prompt has changed since the answers to {count(stale, 'instruction')} were recorded"
        )
    return lines


# ---------------------------------------------------------------- tables


def _table(part: "Part", color: bool) -> list[str]:
    head = ("percent", "specs", "accuracy", "precision", "recall", "F1", "gold by level", "strictly")
    rows = [(app, part.figures(app)) for app in part.apps()]
    rows.append(("all", part.figures()))
    cells = [[app, str(f.specs), *(text for text, _ in _cells(f))] for app, f in rows]
    widths = [max(columns(row[n]) for row in (head, *cells)) for n in range(len(head))]
    lines = [_line(head, widths)]
    for row, (_, figures) in zip(cells, rows, strict=True):
        if row is cells[-1]:
            lines.append("-" * columns(lines[0]))
        values = [None, None, *(value for _, value in _cells(figures))]
        lines.append(_line(row, widths, values if color else ()))
    return lines


def _cells(figures: "Figures") -> "list[tuple[str, float | None]]":
    table = figures.confusion
    return [
        (_short(table.accuracy), table.accuracy.value),
        (_short(table.precision), table.precision.value),
        (_short(table.recall), table.recall.value),
        ("-" if table.f1 is None else f"{100 * table.f1:.0f}", table.f1),
        (_short(figures.level), figures.level.value),
        (_short(figures.strict), figures.strict.value),
    ]


def _line(row: Sequence[str], widths: Sequence[int], values: "Sequence[float | None]" = ()) -> str:
    cells = []
    for number, (cell, width) in enumerate(zip(row, widths, strict=True)):
        space = " " * (width - columns(cell))
        value = values[number] if number < len(values) else None
        styled = cell if value is None else click.style(cell, fg=_color(value))
        cells.append(styled + space if number == 0 else space + styled)
    return "  ".join(cells)


def _color(value: float) -> str:
    return "green" if value >= _GOOD else "yellow" if value >= _FAIR else "red"


def _short(share: "Share") -> str:
    if share.value is None:
        return "-"
    return f"{100 * share.value:.0f} [{100 * share.low:.0f}, {100 * share.high:.0f}]"


def _long(share: "Share") -> str:
    if share.value is None:
        return "nothing to count"
    interval = f"[{100 * share.low:.1f}, {100 * share.high:.1f}]"
    return f"{100 * share.value:5.1f} %  {interval:14}  {share.hits} of {share.of}"


def _whole(part: "Part") -> list[str]:
    """All cases together, each figure in a line."""
    figures = part.figures()
    table = figures.confusion
    rows: list[tuple[str, str]] = [
        ("right runs accepted", _long(table.accepted)),
        ("contradictions caught by the deadline", _long(table.recall)),
        ("accuracy", _long(table.accuracy)),
        ("precision", _long(table.precision)),
        ("recall", _long(table.recall)),
        ("F1", "nothing to count" if table.f1 is None else f"{100 * table.f1:5.1f} %"),
        ("gold tests passed by level", _long(figures.level)),
        ("gold tests passed strictly", _long(figures.strict)),
        ("specs that pass all theirs by level", _long(figures.all_level)),
        ("specs that pass all theirs strictly", _long(figures.all_strict)),
    ]
    if part.samples > 2:
        found = part.majorities().items()
        told = ", ".join(f"{n}: {_short(share)}" for n, share in found)
        rows.append(("accuracy by majority of samples", told))
    rows += [
        ("rounds", _middle(figures.rounds, "{:.2f}")),
        ("calls", f"{figures.calls:,}"),
        ("tokens", f"{figures.input:,} in, {figures.output:,} out" if figures.input else "not told"),
        ("cost", "not known" if figures.cost is None else f"{figures.cost:.2f} US dollars"),
        ("processor time of ours for a spec", _middle(figures.worked, "{:.0f} ms")),
        ("time of the models for a spec", _middle(figures.waited, "{:.0f} ms")),
    ]
    width = max(len(name) for name, _ in rows)
    return [f"{name:{width}}  {text}" for name, text in rows]


def _middle(both: "tuple[float | None, float | None]", form: str) -> str:
    mean, median = both
    if mean is None or median is None:
        return "nothing to count"
    return f"mean {form.format(mean)}, median {form.format(median)}"


# ---------------------------------------------------------------- what went wrong


def _wrong(part: "Part", *, verbose: bool) -> list[str]:
    """The instructions whose specs decided wrongly about a run, and those that fail gold tests."""
    lines: list[str] = []
    missed = [each for each in part.scored if not each.is_right(part.samples)]
    if missed:
        lines.append("decided wrongly about the run:")
        lines += [f"  {_name(each)}: {safe(_why(each), 300)}" for each in missed]
    failing = 0
    told: list[str] = []
    for each in part.scored:
        failed = [test for test in each.tests(part.samples) if not test.strict]
        failing += len(failed)
        for test in failed:
            how = "passes by level only" if test.level else "fails"
            told.append(f"  {_name(each)}: {safe(test.name, 100)}: {how}: {safe(test.why, 400)}")
    if verbose and told:
        lines += ["gold tests that do not pass strictly:", *told]
    elif failing:
        lines.append(f"{count(failing, 'gold test')} not passed strictly; -v shows them")
    return [*lines, ""] if lines else []


def _name(scored: "InstructionScores") -> str:
    return f"{safe(scored.case.name)} ({scored.number})"


def _why(scored: "InstructionScores") -> str:
    """What the first sample that is wrong did."""
    outcome = next(each for each in scored.outcomes if not each.is_right(scored.deadline))
    found = outcome.objection
    if not outcome.written:
        return "no spec was written"
    if scored.deadline is None:
        return f"objects to a right run, at step {found.step}: {found.why}" if found else ""
    if found is None:
        return f"lets the run pass; it had to object by step {scored.deadline}"
    if not found.judged:
        return f"step {found.step} could not be judged: {found.why}"
    return f"objects at step {found.step}, after the deadline {scored.deadline}: {found.why}"


def _unanswered(part: "Part") -> list[str]:
    """What the model could not answer: each error once."""
    if part.whole:
        return []
    lines = [f"{count(len(part.failed) + part.left, 'spec')} ({part.mode}) could not be asked for:"]
    reasons: dict[str, list[str]] = {}
    hints: dict[str, str] = {}
    for order, error in part.failed:
        reasons.setdefault(str(error), []).append(f"{order.case.name} ({order.number})")
        hints[str(error)] = error.hint
    for why, names in list(reasons.items())[:_MOST_REASONS]:
        lines.append(f"  {safe(_some(names), 200)}: {safe(why, 400)}")
        if hints[why]:
            lines.append(f"    help: {safe(hints[why], 400)}")
    if len(reasons) > _MOST_REASONS:
        lines.append(f"  and {len(reasons) - _MOST_REASONS} other reasons")
    if part.left:
        lines.append(f"  {count(part.left, 'spec')} not asked for after so many errors in a row")
    return [*lines, "the figures leave these out; the same command asks for them again"]


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


# ---------------------------------------------------------------- for programs


def as_data(parts: "Sequence[Part]", below: Iterable[str]) -> dict[str, Any]:
    """The figures for programs."""
    return {
        "version": 1,
        "parts": [_part(part) for part in parts],
        "complete": all(part.whole for part in parts),
        "below": list(below),
    }


def _part(part: "Part") -> dict[str, Any]:
    return {
        "memory": part.mode,
        "samples": part.samples,
        "all": part.figures().data(),
        "apps": {app: part.figures(app).data() for app in part.apps()},
        "majorities": {str(n): share.data() for n, share in part.majorities().items()},
        "instructions": [_instruction(each, part.samples) for each in part.scored],
        "unanswered": [
            {"case": order.case.name, "number": order.number, "sample": order.sample, "message": str(error)}
            for order, error in part.failed
        ],
        "left": part.left,
    }


def _instruction(scored: "InstructionScores", samples: int) -> dict[str, Any]:
    return {
        "case": scored.case.name,
        "app": scored.case.app,
        "number": scored.number,
        "instruction": scored.case.instructions[scored.number - 1],
        "deadline": scored.deadline,
        "right": scored.is_right(samples),
        "tests": [
            {"name": test.name, "level": test.level, "strict": test.strict, "why": test.why or None}
            for test in scored.tests(samples)
        ],
        "samples": [
            {
                "written": outcome.written,
                "right": outcome.is_right(scored.deadline),
                "objection": None
                if outcome.objection is None
                else {"step": outcome.objection.step, "why": outcome.objection.why},
                "text": outcome.encoded.text,
                "rounds": outcome.encoded.rounds,
                "calls": outcome.encoded.calls,
                "tokens": {"input": outcome.encoded.input, "output": outcome.encoded.output},
                "milliseconds": outcome.encoded.worked,
                "milliseconds_of_models": outcome.encoded.waited,
                "model": outcome.encoded.model,
                "doubts": list(outcome.encoded.doubts),
                "problems": list(outcome.encoded.problems),
            }
            for outcome in scored.outcomes
        ],
    }
