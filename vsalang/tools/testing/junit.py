"""Outcomes as JUnit XML, the form in which CI systems read test results."""

from collections.abc import Iterable
from xml.etree import ElementTree

from vsalang.base.diagnostics.display import safe
from vsalang.tools.testing.running import FileOutcome


def junit_xml(outcomes: Iterable[FileOutcome]) -> str:
    """One test suite for each file; a file with errors is a suite with one test case that is an error."""
    outcomes = list(outcomes)
    root = ElementTree.Element("testsuites", name="vsac test")
    counts = [0, 0, 0, 0.0]
    for outcome in outcomes:
        broken = outcome.status != "ok"
        failed = sum(not test.passed for test in outcome.tests)
        seconds = sum(test.seconds for test in outcome.tests)
        suite = ElementTree.SubElement(
            root,
            "testsuite",
            name=safe(outcome.file),
            tests=str(len(outcome.tests) + broken),
            failures=str(failed),
            errors=str(int(broken)),
            skipped="0",
            time=f"{seconds:.3f}",
        )
        for index, more in enumerate((len(outcome.tests) + broken, failed, int(broken), seconds)):
            counts[index] += more
        if broken:
            case = _case(suite, outcome.file, "check", 0, 0.0)
            message = "the file cannot be read" if outcome.status == "unreadable" else "the file has errors"
            ElementTree.SubElement(case, "error", message=message).text = _text(outcome.findings)
        for test in outcome.tests:
            case = _case(suite, outcome.file, test.name, test.line, test.seconds)
            if not test.passed:
                problem = next((str(s["problem"]) for s in test.data["steps"] if s["problem"]), "failed")
                failure = ElementTree.SubElement(case, "failure", message=safe(problem))
                failure.text = _text("\n".join(test.lines))
    for name, value in zip(("tests", "failures", "errors"), counts, strict=False):
        root.set(name, str(value))
    root.set("time", f"{counts[3]:.3f}")
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _case(suite: ElementTree.Element, file: str, name: str, line: int, seconds: float) -> ElementTree.Element:
    return ElementTree.SubElement(
        suite,
        "testcase",
        classname=safe(file),
        name=safe(name),
        file=safe(file),
        line=str(line),
        time=f"{seconds:.3f}",
    )


def _text(text: str) -> str:
    return "\n".join(safe(line, 4000) for line in text.split("\n"))
