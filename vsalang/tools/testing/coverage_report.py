"""What tests do not show, as lines for a terminal, as data, and as one page with the source."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from vsalang.base.diagnostics.display import safe
from vsalang.base.templates import page_template
from vsalang.tools.testing.coverage import Clause, Condition, Coverage, percent


def lines(coverages: Iterable[Coverage]) -> list[str]:
    """A summary of each file, and below it every clause and condition that the tests do not show."""
    files = list(coverages)
    result = []
    for file in files:
        result.append(f"{safe(file.file)}: {file.percent:.0f} % ({file.covered_count} of {file.total})")
        for clause in file.clauses:
            if problem := clause_problem(clause):
                result.append(f"  {clause.place.line:5} | {_short(clause.place.text)}: {problem}")
                if not clause.held and not any(c.met or c.failed for c in clause.conditions):
                    continue  # nothing of it was reached: its conditions need no lines of their own
            for condition in clause.conditions:
                if problem := condition_problem(condition):
                    result.append(
                        f"  {condition.place.line:5} |     {_short(condition.place.text)}: {problem}"
                    )
    if len(files) > 1:
        result.append(f"all files: {percent(files):.0f} %")
    return result


def clause_problem(clause: Clause) -> str:
    """What no test shows of a clause; empty if nothing is missing."""
    if clause.held:
        return ""
    return "never held" if clause.read else "never read: no test gets there"


def condition_problem(condition: Condition) -> str:
    """What no test shows of a condition; empty if nothing is missing."""
    if condition.covered:
        return ""
    if condition.met:
        return "no test shows it fail"
    return "no test shows it met" if condition.failed else "no test shows it met or fail"


def data(coverages: Iterable[Coverage]) -> dict[str, Any]:
    """Coverage as JSON data; see docs/commands/write.md#vsac-test-run-the-tests."""
    files = list(coverages)
    return {
        "percent": round(percent(files), 2),
        "files": [
            {
                "file": file.file,
                "percent": round(file.percent, 2),
                "shown": file.covered_count,
                "total": file.total,
                "clauses": [
                    {
                        "rule": clause.rule,
                        "line": clause.place.line,
                        "read": clause.read,
                        "held": clause.held,
                        "conditions": [
                            {
                                "line": condition.place.line,
                                "start": condition.place.start,
                                "end": condition.place.end,
                                "text": condition.place.text,
                                "met": condition.met,
                                "failed": condition.failed,
                            }
                            for condition in clause.conditions
                        ],
                    }
                    for clause in file.clauses
                ],
            }
            for file in files
        ],
    }


def html(coverages: Iterable[Coverage]) -> str:
    """One self-contained page: every file with its conditions marked."""
    from vsalang.base.diagnostics.display import on_page

    template = page_template(Path(__file__).parent / "templates" / "coverage.html", on_page)
    pages = [{"file": file, "lines": _marked(file)} for file in coverages]
    return template.render(pages=pages, percent=percent(page["file"] for page in pages))  # type: ignore[misc]


def _short(text: str) -> str:
    return safe(" ".join(text.split()), 100)


def _marked(file: Coverage) -> list[list[tuple[str, str, str]]]:
    """The lines of a file as pieces: text, kind (``yes``, ``half``, ``no`` or empty), and what is missing."""
    kinds = [("", "")] * len(file.text)
    for clause in file.clauses:
        problem = clause_problem(clause)
        for at in range(clause.place.start, clause.place.end):
            kinds[at] = ("no" if problem else "yes", problem or "held")
        for condition in clause.conditions:
            missing = condition_problem(condition)
            kind = "yes" if not missing else "half" if condition.met or condition.failed else "no"
            for at in range(condition.place.start, condition.place.end):
                kinds[at] = (kind, missing or "seen met and seen failing")
    result: list[list[tuple[str, str, str]]] = [[]]
    for char, (kind, title) in zip(file.text, kinds, strict=True):
        if char == "\n":
            result.append([])
            continue
        line = result[-1]
        if line and line[-1][1:] == (kind, title):
            line[-1] = (line[-1][0] + char, kind, title)
        else:
            line.append((char, kind, title))
    return [[(safe(text, 100_000), kind, title) for text, kind, title in line] for line in result]
