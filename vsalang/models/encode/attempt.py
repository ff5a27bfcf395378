"""Checks one attempt: its header is replaced by ours, its imports must be allowed, and the checker decides."""

import re
import time
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from vsalang.base.diagnostics import Diagnostic, Severity, has_errors
from vsalang.base.diagnostics.fixes import FixResult, apply_fixes
from vsalang.base.records import dataclass
from vsalang.base.source import Source, Span
from vsalang.base.source.printable import must_escape
from vsalang.language.semantics import Loaded, load_text
from vsalang.language.syntax import parse, tree
from vsalang.language.syntax.scan import comments
from vsalang.models.encode.problem import Problem, from_diagnostics
from vsalang.program.ir import Write
from vsalang.program.text import quote

Check = Callable[[Loaded], Sequence[Problem]]
"""A further check of a spec that has no errors, such as running its tests."""

_NEEDED_WARNINGS = frozenset({"W0501"})
"""Warnings with which a spec is not accepted: without `done` the agent could never finish."""

_MOST_FINDINGS = 60
"""Of an attempt with more findings nothing is fixed: each remedy is tried by checking the whole."""
_MENDING = 10.0
"""So many seconds after the first one no further mistake is fixed."""
_SIGNED = re.compile(r"\bvsac encode\b", re.IGNORECASE)
_REFUSED = Diagnostic("E0001", Severity.ERROR, None, "the header or the imports would change")


@dataclass(frozen=True, slots=True)
class Rules:
    """The requirements for every attempt.

    Attributes:
        instruction: the user's instruction, unchanged.
        name: the spec's name.
        apps: the modules that it may import, in addition to the standard library (``std.*``).
        place: the future path of the spec; imports are looked for from there.
        check: further checks.
        search: further folders in which imports are looked for, as `vsalang.language.semantics.load` does.
    """

    instruction: str
    name: str
    apps: tuple[str, ...]
    place: Path
    check: Check | None = None
    search: tuple[Path, ...] = ()

    @property
    def header(self) -> str:
        """The first line of the spec: its value is exactly the instruction, with any characters."""
        return f"spec {self.name} {quote(self.instruction)}"

    @property
    def file(self) -> str:
        """The name of the spec's file in messages."""
        return self.place.name


@dataclass(frozen=True)
class CheckedAttempt:
    """An attempt and its problems.

    Attributes:
        text: the attempt with its header replaced by ours, if it has one.
        problems: in the order of the text; none if it is accepted.
        warnings: the checker's warnings about an accepted attempt.
        fixed: mistakes with one certain remedy, which were fixed in `text`.
        loaded: the result of loading it; None if it was not loaded.
    """

    text: str
    problems: tuple[Problem, ...]
    warnings: tuple[Diagnostic, ...] = ()
    loaded: Loaded | None = None
    fixed: tuple[Diagnostic, ...] = ()


def judge(text: str, rules: Rules, *, fix: bool = True) -> CheckedAttempt:
    """Check one attempt. No files are read except the modules that it may import.

    Args:
        text: the attempt.
        rules: what is required.
        fix: whether mistakes with one certain remedy are fixed first.
    """
    hidden = _hidden(text)
    if hidden is not None:
        return CheckedAttempt(text, (hidden,))
    source = Source.from_text(text, rules.file)
    parsed = parse(source)
    if parsed.module is None:
        return CheckedAttempt(text, from_diagnostics(parsed.diagnostics, {rules.file: source}))
    refused = _refused(parsed.module, source, rules)
    # what stands above the header is ours (`vsalang.models.encode.provenance`)
    text = rules.header + text[parsed.module.span.end :]
    if refused:
        return CheckedAttempt(text, refused)
    source = Source.from_text(text, rules.file)
    again = parse(source)
    if not _headed(again.module, rules):  # brackets or quotes after it, in which the parser lost its way
        if not again.diagnostics:
            raise AssertionError("the header that was put into an attempt does not read as it was written")
        return CheckedAttempt(text, from_diagnostics(again.diagnostics, {rules.file: source}))
    fixed = _fixed(text, rules) if fix else FixResult(text)
    return replace(_checked(fixed.text, rules), fixed=fixed.applied)


def _headed(module: tree.Module | None, rules: Rules) -> bool:
    """Whether a module has our header."""
    return (
        module is not None
        and module.doc is not None
        and module.doc.value == rules.instruction
        and module.name.text == rules.name
    )


def _fixed(text: str, rules: Rules) -> FixResult:
    """The attempt after its mistakes that have one certain remedy. Neither header nor authority changes."""

    end = time.monotonic() + _MENDING

    def check(tried: str) -> tuple[Diagnostic, ...]:
        if time.monotonic() > end:
            return (*diagnostics, _REFUSED)
        source = Source.from_text(tried, rules.file)
        parsed = parse(source)
        module = parsed.module
        if module is None or not _headed(module, rules) or _refused(module, source, rules):
            return (*diagnostics, _REFUSED)
        return load_text(tried, file=rules.file, path=rules.place, search=rules.search).diagnostics

    diagnostics: tuple[Diagnostic, ...] = ()
    diagnostics = check(text)
    if not has_errors(diagnostics) or len(diagnostics) > _MOST_FINDINGS:
        return FixResult(text)
    return apply_fixes(text, rules.file, check)


def _checked(text: str, rules: Rules) -> CheckedAttempt:
    loaded = load_text(text, file=rules.file, path=rules.place, search=rules.search)
    diagnostics = [
        item
        for item in loaded.diagnostics
        if item.severity is Severity.ERROR or (item.code in _NEEDED_WARNINGS and item.where == loaded.file)
    ]
    if diagnostics or loaded.program is None:
        problems = from_diagnostics(diagnostics, loaded.sources)
        return CheckedAttempt(
            text, problems or (Problem.of("checker", "the spec could not be loaded"),), (), loaded
        )
    failed = tuple(rules.check(loaded)) if rules.check else ()
    rules_of_apps = (rule for rule in loaded.program.rules if rule.module in rules.apps)
    read = any(isinstance(rule.head, Write) for rule in rules_of_apps)
    warnings = tuple(
        item for item in loaded.diagnostics if item.where == loaded.file and (read or item.code != "W0401")
    )
    return CheckedAttempt(text, failed, warnings, loaded)


def _refused(module: tree.Module, source: Source, rules: Rules) -> tuple[Problem, ...]:
    """Problems that no fix may leave or make."""
    return (*_authority(module, source, rules), *_signed(module, source))


def _authority(module: tree.Module, source: Source, rules: Rules) -> tuple[Problem, ...]:
    """Problems of authority: the attempt is another kind of module, or imports a module that is not allowed."""
    problems: list[Problem] = []
    if module.kind != "spec":
        problems.append(
            _at(source, module.span, f"this is a module of kind {module.kind}, not a spec", "write a spec")
        )
    for item in module.imports:
        name = item.name.text
        if name not in rules.apps and not name.startswith("std."):
            apps = ", ".join(f"`{app}`" for app in rules.apps)
            problems.append(
                _at(source, item.span, f"`{name}` may not be imported", f"import only {apps} and std modules")
            )
    return tuple(problems)


def _signed(module: tree.Module, source: Source) -> Iterator[Problem]:
    """Problems with comments that look as if vsac had written them."""
    for start, end in _remarks(source.text):
        text = " ".join(re.split(r"\W+", unicodedata.normalize("NFKC", source.text[start:end])))
        if start >= module.span.end and _SIGNED.search(text):
            span = Span(source.file, start, end)
            yield _at(source, span, "only vsac writes who made a spec", "leave the comment out")


def _remarks(text: str) -> Iterator[tuple[int, int]]:
    """Where comments begin and end; those with nothing between them are one. A text with a flaw has errors anyway."""
    spans = iter(comments(text) or ())
    start, end = next(spans, (0, 0))
    for first, last in spans:
        if text[end:first].strip():
            yield start, end
            start = first
        end = last
    yield start, end


def _at(source: Source, span: Span, message: str, help: str) -> Problem:
    line = source.position(span.start).line
    text = f"error: {message}\n --> {source.file}:{line}\n  | {source.line(line)}\n  = help: {help}"
    return Problem("authority", "", message, text, line)


def _hidden(text: str) -> Problem | None:
    """Problems with characters that make a text look different (CVE-2021-42574), since a person will review it."""
    for number, line in enumerate(text.split("\n"), 1):
        for char in line:
            if char != "\t" and must_escape(char):
                return Problem(
                    "answer",
                    "",
                    f"line {number} holds the invisible character U+{ord(char):04X}",
                    f"error: line {number} holds the invisible character U+{ord(char):04X}\n"
                    "  = help: leave it out, or write it in a string as an escape such as \\u200d",
                    number,
                )
    return None
