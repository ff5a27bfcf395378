"""Findings as JUnit XML, which CI systems show as failed tests with their lines."""

from collections.abc import Iterable, Mapping
from xml.etree import ElementTree

from vsalang.base.diagnostics.diagnostic import Diagnostic, Severity
from vsalang.base.diagnostics.display import safe
from vsalang.base.diagnostics.sentences import text_of
from vsalang.base.source import Source


def render(diagnostics: Iterable[Diagnostic], sources: Mapping[str, Source]) -> str:
    """One suite for each file with a test case for each finding; where there is none, one test case that passed.

    An error is an `error`, a warning a `failure`; a hint is a test case that passed, with its text.
    """
    by_file: dict[str, list[Diagnostic]] = {}
    for item in diagnostics:
        by_file.setdefault(item.where, []).append(item)
    by_file = by_file or {"vsac": []}
    document = ElementTree.Element("testsuites", name="vsac")
    for file, items in by_file.items():
        name = safe(file) or "vsac"
        suite = ElementTree.SubElement(document, "testsuite", {"name": name, **_counts(items)})
        if not items:
            ElementTree.SubElement(suite, "testcase", classname=name, name="no findings", file=name, line="1")
        for item in items:
            _case(suite, name, item, sources.get(item.where))
    for key, value in _counts([item for items in by_file.values() for item in items]).items():
        document.set(key, value)
    document.set("tests", str(sum(max(len(items), 1) for items in by_file.values())))
    ElementTree.indent(document)
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(document, encoding="unicode") + "\n"
    )


def _counts(items: list[Diagnostic]) -> dict[str, str]:
    severities = [item.severity for item in items]
    return {
        "tests": str(len(items) or 1),
        "failures": str(severities.count(Severity.WARNING)),
        "errors": str(severities.count(Severity.ERROR)),
        "skipped": "0",
    }


def _case(suite: ElementTree.Element, file: str, item: Diagnostic, source: Source | None) -> None:
    line = source.position(item.span.start).line if source is not None and item.span is not None else 1
    text = "\n".join(safe(line, 2000) for line in text_of(item).split("\n"))
    message = safe(item.message, 400)
    case = ElementTree.SubElement(
        suite, "testcase", classname=file, name=f"{item.code}: {message}", file=file, line=str(line)
    )
    if item.severity is Severity.INFO:
        ElementTree.SubElement(case, "system-out").text = text
        return
    kind = "error" if item.severity is Severity.ERROR else "failure"
    part = ElementTree.SubElement(case, kind, message=message, type=item.code)
    part.text = f"{file}:{line}: {text}"
