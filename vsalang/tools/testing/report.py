"""A test's outcome as lines for people and as data for machines."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from vsalang.base.diagnostics.display import safe, safe_lines

if TYPE_CHECKING:
    from vsalang.base.source import Source, Span
    from vsalang.guard.examples import ExampleResult, StepResult


def place(span: "Span | None", sources: Mapping[str, "Source"]) -> tuple[str, int, int] | None:
    """File, line and column of a span."""
    source = sources.get(span.file) if span is not None else None
    if span is None or source is None:
        return None
    position = source.position(span.start)
    return span.file, position.line, position.column


def failure_lines(step: "StepResult", sources: Mapping[str, "Source"], language: str = "en") -> list[str]:
    """The step, its source, what was wanted and got, and every reason, in a language, with the place of its rule."""
    from vsalang.program.phrases import read

    lines: list[str] = []
    where = place(step.span, sources)
    if where is not None and step.span is not None:
        lines.append(f"  --> {where[0]}:{where[1]}:{where[2]}")
        source = sources[step.span.file]
        last = source.position(max(step.span.start, step.span.end - 1)).line
        for number in range(where[1], min(last, where[1] + 9) + 1):
            lines.append(f"  {number:5} | {safe(source.line(number))}")
    lines.append(f"  {safe(step.problem)}")
    if step.wanted:
        lines.append(f"  wanted: {safe(step.wanted)}")
    if step.got:
        lines.append(f"  got:    {safe(step.got)}")
    for reason in step.reasons:
        where = place(reason.span, sources)
        rule = f" [{safe(reason.rule)}]" if reason.rule else ""
        at = f" ({where[0]}:{where[1]})" if where else ""
        first, *rest = safe_lines(read(reason.message, language)) or [""]
        lines.append(f"  why:    {reason.kind}{rule}{at}: {first}")
        lines += [f"          {line}" for line in rest]
    return lines


def test_data(file: str, result: "ExampleResult", sources: Mapping[str, "Source"]) -> dict[str, Any]:
    """One test as JSON data; see docs/commands/write.md#vsac-test-run-the-tests."""
    example = result.example
    where = place(example.span, sources)
    return {
        "file": file,
        "test": example.name,
        "line": where[1] if where else None,
        "target": example.target,
        "outcome": "passed" if result.passed else "failed",
        "steps": [_step(step, sources) for step in result.steps],
    }


test_data.__test__ = False  # type: ignore[attr-defined]  # pytest: this is not a test


def _step(step: "StepResult", sources: Mapping[str, "Source"]) -> dict[str, Any]:
    where = place(step.span, sources)
    proposes = step.verdict is not None
    return {
        "line": where[1] if where else None,
        "column": where[2] if where else None,
        "outcome": "passed" if step.passed else "failed",
        "wanted": list(step.turn.expected.levels) if proposes else [],
        "because": list(step.turn.expected.because) if proposes else [],
        "got": step.got,
        "problem": step.problem,
        "reasons": [reason.to_json() for reason in step.reasons],
    }
