"""``vsac test``: run the tests that .vsa files hold."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from vsalang.cli.common import EXIT_FAILED, EXIT_FINDINGS, EXIT_OK, format_option, render, use_color

if TYPE_CHECKING:
    from vsalang.guard import ExampleResult
    from vsalang.guard.examples import StepResult
    from vsalang.source import Source, Span


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "-k", "filter_", metavar="TEXT", default="", help="Run only the tests whose name contains TEXT."
)
@click.option(
    "--policy",
    "policies",
    multiple=True,
    metavar="FILE",
    help="A policy that is in force beside each FILE; repeatable.",
)
@click.option(
    "--engine",
    type=click.Choice(["incremental", "pydatalog", "reference"]),
    default="incremental",
    show_default=True,
    help="Which evaluator decides.",
)
@click.option("--allow-empty", is_flag=True, help="Finding no tests is no failure.")
@format_option("text", "json")
def command(
    files: tuple[str, ...],
    filter_: str,
    policies: tuple[str, ...],
    engine: Any,
    allow_empty: bool,
    format: str,
) -> int:
    """Run the `test` blocks of FILES and show each step that came out otherwise than it says.

    Tests of imported modules are not run: name their files. Exit status: 0 all tests passed, 1 a test failed, a FILE
    has errors, or there are no tests, 2 a FILE could not be read.
    """
    import json
    import sys

    from vsalang.config import config_for
    from vsalang.guard import run_example
    from vsalang.semantics import load

    color = use_color(sys.stdout)
    failed = passed = 0
    unreadable = broken = False
    found: list[dict[str, Any]] = []
    problems: list[dict[str, Any]] = []
    for file in dict.fromkeys(files):
        loaded = load(file, policies=policies, search=config_for(file).search)
        if loaded.program is None:
            broken = True
            unreadable = unreadable or any(item.code.startswith("E000") for item in loaded.diagnostics)
            if format == "json":
                problems += json.loads(render(loaded.diagnostics, loaded.sources, "json"))["diagnostics"]
            else:
                click.echo(
                    render(loaded.diagnostics, loaded.sources, "text", color=color), nl=False, color=True
                )
            continue
        for example in loaded.own:
            if filter_.casefold() not in example.name.casefold():
                continue
            result = run_example(loaded.program, example, engine=engine)
            passed += result.passed
            failed += not result.passed
            if format == "json":
                found.append(_data(file, result, loaded.sources))
            else:
                click.echo(_text(file, result, loaded.sources, color), color=True)
    status = EXIT_FAILED if unreadable else EXIT_FINDINGS if failed or broken else EXIT_OK
    message = ""
    if not failed and not passed and not broken and not allow_empty:
        status = EXIT_FINDINGS
        message = "no tests found" + (f" whose name contains {filter_!r}" if filter_ else "")
    if format == "json":
        summary = {"passed": passed, "failed": failed, "message": message}
        data = {"version": 1, "tests": found, "diagnostics": problems, "summary": summary}
        click.echo(json.dumps(data, indent=2, ensure_ascii=False))
    elif message:
        click.echo(message, err=True)
    elif passed or failed:
        click.echo(_summary(passed, failed, color), color=True)
    return status


def _summary(passed: int, failed: int, color: bool) -> str:
    parts = ([f"{failed} failed"] if failed else []) + [f"{passed} passed"]
    text = ", ".join(parts)
    return click.style(text, fg="red" if failed else "green", bold=True) if color else text


def _place(span: "Span | None", sources: Mapping[str, "Source"]) -> tuple[str, int, int] | None:
    source = sources.get(span.file) if span is not None else None
    if span is None or source is None:
        return None
    position = source.position(span.start)
    return span.file, position.line, position.column


def _text(file: str, result: "ExampleResult", sources: Mapping[str, "Source"], color: bool) -> str:
    from vsalang.diagnostics.display import safe

    word = "pass" if result.passed else "FAIL"
    if color:
        word = click.style(word, fg="green" if result.passed else "red", bold=True)
    lines = [f"{word} {file}: {safe(result.example.name)}"]
    step = result.failure
    if step is not None:
        lines += _failure(step, sources)
    return "\n".join(lines)


def _failure(step: "StepResult", sources: Mapping[str, "Source"]) -> list[str]:
    """The step, its source, what was wanted and got, and every reason with where its rule stands."""
    from vsalang.diagnostics.display import safe, safe_lines

    lines: list[str] = []
    place = _place(step.span, sources)
    if place is not None and step.span is not None:
        lines.append(f"  --> {place[0]}:{place[1]}:{place[2]}")
        source = sources[step.span.file]
        last = source.position(max(step.span.start, step.span.end - 1)).line
        for number in range(place[1], min(last, place[1] + 9) + 1):
            lines.append(f"  {number:5} | {safe(source.line(number))}")
    lines.append(f"  {safe(step.problem)}")
    if step.wanted:
        lines.append(f"  wanted: {safe(step.wanted)}")
    if step.got:
        lines.append(f"  got:    {safe(step.got)}")
    for reason in step.reasons:
        where = _place(reason.span, sources)
        rule = f" [{safe(reason.rule)}]" if reason.rule else ""
        stands = f" ({where[0]}:{where[1]})" if where else ""
        first, *rest = safe_lines(reason.message) or [""]
        lines.append(f"  why:    {reason.kind}{rule}{stands}: {first}")
        lines += [f"          {line}" for line in rest]
    return lines


def _data(file: str, result: "ExampleResult", sources: Mapping[str, "Source"]) -> dict[str, Any]:
    """One test as JSON data; see docs/reference/test.md."""
    example = result.example
    place = _place(example.span, sources)
    return {
        "file": file,
        "test": example.name,
        "line": place[1] if place else None,
        "target": example.target,
        "outcome": "passed" if result.passed else "failed",
        "steps": [_step(step, sources) for step in result.steps],
    }


def _step(step: "StepResult", sources: Mapping[str, "Source"]) -> dict[str, Any]:
    place = _place(step.span, sources)
    proposes = step.verdict is not None
    return {
        "line": place[1] if place else None,
        "column": place[2] if place else None,
        "outcome": "passed" if step.passed else "failed",
        "wanted": list(step.turn.expected.levels) if proposes else [],
        "because": list(step.turn.expected.because) if proposes else [],
        "got": step.got,
        "problem": step.problem,
        "reasons": [reason.to_json() for reason in step.reasons],
    }
