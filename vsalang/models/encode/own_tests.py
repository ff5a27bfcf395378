"""Runs the tests of a spec in the guard's simulation, and adds those that are known to be meant."""

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from vsalang.base.diagnostics.display import safe
from vsalang.guard import ExampleResult, run_example
from vsalang.language.semantics import Loaded, load_text
from vsalang.models.encode.encoder import Formalization
from vsalang.models.encode.problem import Problem
from vsalang.models.encode.task import Task

_MOST_TESTS: Final = 50
_SECONDS: Final = 20.0
"""So long may the tests of one spec take: each step is bounded, but a test may have many."""


def run_tests(loaded: Loaded) -> Sequence[Problem]:
    """Run the tests of a spec without errors; return the failures as problems."""
    program = loaded.checked()
    if len(loaded.own) > _MOST_TESTS:
        return [Problem.of("test", f"the spec holds more than {_MOST_TESTS} tests", "a few are enough")]
    end = time.monotonic() + _SECONDS
    results = [run_example(program, example, end=end) for example in loaded.own]
    return [_failed(result, loaded) for result in results if not result.passed]


def with_tests(result: Formalization, task: Task) -> Formalization:
    """An accepted spec with the tests that are known to be meant, as far as they pass in it."""
    for test in result.tests:
        tried = rewritten(result, f"{result.text.rstrip()}\n\n{test}", task)
        if tried.loaded is not None and tried.loaded.ok and not run_tests(tried.loaded):
            result = tried
    return result


def rewritten(result: Formalization, text: str, task: Task) -> Formalization:
    """An accepted spec with another text around it; its warnings are those of before, in their new places."""
    place = task.path
    loaded = load_text(text, file=place.name, path=place, search=task.search)
    known = {(item.code, item.message) for item in result.warnings}
    diagnostics = (item for item in loaded.diagnostics if (item.code, item.message) in known)
    return replace(result, text=text, loaded=loaded, warnings=tuple(diagnostics))


def _failed(result: ExampleResult, loaded: Loaded) -> Problem:
    step = result.failure
    assert step is not None
    message = f'the test "{safe(result.example.name, 200)}" fails'
    lines = [f"error: {message}"]
    source = loaded.sources.get(step.span.file) if step.span else None
    number: int | None = None
    if step.span is not None and source is not None:
        number = source.position(step.span.start).line
        last = source.position(max(step.span.start, step.span.end - 1)).line
        lines.append(f" --> {source.file}:{number}")
        lines += [f"  | {safe(source.line(n))}" for n in range(number, min(last, number + 9) + 1)]
    lines.append(f"  {safe(step.problem)}")
    if step.wanted:
        lines.append(f"  = wanted: {safe(step.wanted)}")
    if step.got:
        lines.append(f"  = got: {safe(step.got)}")
    for reason in step.reasons:
        lines.append(f"  = why: {reason.kind}: {safe(reason.message)}")
        lines += [f"      {safe(text)}" for text in reason.texts()]
    return Problem("test", "", message, "\n".join(lines), number)
