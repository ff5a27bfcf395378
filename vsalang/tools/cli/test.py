"""``vsac test``: runs the tests in .vsa files."""

import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from vsalang.base.config import find_files
from vsalang.base.diagnostics.display import count, safe
from vsalang.base.diagnostics.github import command as annotation
from vsalang.base.names import EngineName
from vsalang.base.options import argument, flag, option
from vsalang.base.records import dataclass
from vsalang.base.report import Report, Style
from vsalang.base.source import SourceError
from vsalang.base.source.private import write_out
from vsalang.tools.cli import frame, shared
from vsalang.tools.cli.common import (
    EXIT_FAILED,
    EXIT_FINDINGS,
    EXIT_OK,
    Failure,
    require,
    unreadable,
    use_color,
)
from vsalang.tools.cli.frame import Output
from vsalang.tools.cli.output import refuse_to_lose
from vsalang.tools.cli.progress import Progress
from vsalang.tools.testing import FileOutcome, Options, TestOutcome, coverage_report, run_files
from vsalang.tools.testing.coverage import Coverage, percent
from vsalang.tools.testing.junit import junit_xml
from vsalang.tools.testing.watching import watch


@dataclass(frozen=True, slots=True)
class TestOptions:
    """Which tests are run, how, and what is reported of them."""

    paths: tuple[str, ...] = argument("PATH", default=())
    filter: str = option(
        "-k", default="", metavar="TEXT", help="Run only the tests whose name contains TEXT."
    )
    exitfirst: bool = flag("-x", "--exitfirst", help="Stop after the first test that fails.")
    jobs: int = shared.jobs("Run files")
    quiet: bool = flag("-q", "--quiet", help="Show only what failed, and the summary.")
    watch: bool = flag(
        "--watch",
        help="Run again whenever a file changes.",
        excludes=dict.fromkeys(("--format json", "--format github", "--format junit"), "it is for people"),
    )
    policies: tuple[str, ...] = shared.policies("each file")
    engine: EngineName | None = shared.engine()
    coverage: bool = flag("--coverage", help="Show which clauses and conditions no test covers.")
    coverage_min: float | None = option(
        "--coverage-min",
        least=0,
        most=100,
        metavar="PERCENT",
        help="Fail if the tests cover less. Implies --coverage.",
    )
    coverage_html: str | None = option(
        "--coverage-html",
        metavar="FILE",
        help="Write a page with the source, uncovered conditions marked. Implies --coverage.",
    )
    junit: str | None = option("--junit", metavar="FILE", help="Also write the outcomes as JUnit XML.")
    language: str | None = shared.language("reasons")
    allow_empty: bool = flag("--allow-empty", help="Succeed if there are no tests.")

    @property
    def places(self) -> tuple[str, ...]:
        """The files and folders; the working folder if none is named."""
        return self.paths or (".",)

    @property
    def covers(self) -> bool:
        """Whether it is looked at what the tests cover."""
        return self.coverage or self.coverage_min is not None or self.coverage_html is not None


@frame.as_command("text", "json", "github", "junit")
def command(options: TestOptions, output: Output) -> int:
    """Run the `test` blocks of .vsa files and show each step that fails.

    PATH is a file, or a folder that is searched for .vsa files, except what `exclude` of vsac.toml names; without a
    PATH, the working folder. Tests of imported modules are not run: name their files.

    Exit status: 0 all tests passed, 1 a test failed, a file has errors, there are no tests, or they cover too little, 2
    a file could not be read.
    """
    for file in (options.junit, options.coverage_html):
        refuse_to_lose(file, (*options.places, *options.policies))
    if options.watch:
        return _watch(options, output)
    return output.print(_results(options, _outcomes(options, output)))


def _watch(options: TestOptions, output: Output) -> int:
    """Run the tests again whenever a file changes; the status of the last run."""
    require("watchfiles", "watch")
    folders = {str(Path(path) if Path(path).is_dir() else Path(path).parent) for path in options.places}
    status = EXIT_OK

    def run() -> None:
        nonlocal status
        if sys.stdout.isatty():
            click.clear()
        try:
            outcomes = _outcomes(options, output)
            folders.update(str(Path(file).parent) for outcome in outcomes for file in outcome.files)
            status = output.print(_results(options, outcomes))
        except (SourceError, OSError) as error:  # a configuration with a mistake; the user can correct it
            unreadable(error).show()
            status = EXIT_FAILED
        click.echo("waiting for a change; Ctrl+C ends", err=True)

    watch(lambda: folders, run)
    return status


def _outcomes(options: TestOptions, output: Output) -> list[FileOutcome]:
    """Run the tests, and show each file's outcome at once."""
    run = Options(
        options.filter,
        options.policies,
        options.engine,
        options.exitfirst,
        use_color(sys.stdout) and output.format == "text",
        options.covers,
        options.language,
    )
    named = {each.file: each.named for each in find_files(options.places)}
    outcomes = []
    progress = Progress(len(named), "files")
    for outcome in progress.over(run_files(named, run, processes=options.jobs or os.cpu_count() or 1)):
        progress.clear()
        if outcome.status == "ok" and not outcome.tests and not named[outcome.file]:
            continue  # a file in a folder, without tests
        _show(outcome, options, output)
        outcomes.append(outcome)
    return outcomes


def _show(outcome: FileOutcome, options: TestOptions, output: Output) -> None:
    """Show the tests of a file."""
    if output.format == "github":
        click.echo(outcome.annotations, nl=False)
        for test in outcome.tests:
            if not test.passed:
                click.echo(_annotation(test))
    if output.format == "text":
        if outcome.status != "ok":
            click.echo(outcome.findings, nl=False, color=True)
        for test in outcome.tests:
            if not (test.passed and options.quiet):
                click.echo(_text(test, output.style), color=True)


@dataclass(frozen=True, slots=True)
class Results(Report):
    """The results of all tests, and what they cover."""

    options: TestOptions
    outcomes: tuple[FileOutcome, ...]
    coverage: tuple[Coverage, ...]
    status: int = EXIT_OK

    def __post_init__(self) -> None:
        if any(outcome.status == "unreadable" for outcome in self.outcomes):
            object.__setattr__(self, "status", EXIT_FAILED)
        elif self.failed or self.broken or self.notes(Style()):
            object.__setattr__(self, "status", EXIT_FINDINGS)

    @property
    def failed(self) -> int:
        """How many tests failed."""
        return sum(not test.passed for test in self.tests)

    @property
    def broken(self) -> int:
        """How many files have errors."""
        return sum(outcome.status != "ok" for outcome in self.outcomes)

    @property
    def tests(self) -> list[TestOutcome]:
        return [test for outcome in self.outcomes for test in outcome.tests]

    def data(self) -> dict[str, Any]:
        data: dict[str, Any] = {
            "version": 1,
            "tests": [test.data for test in self.tests],
            "diagnostics": [item for outcome in self.outcomes for item in outcome.diagnostics],
            "summary": {
                "passed": len(self.tests) - self.failed,
                "failed": self.failed,
                "broken": self.broken,
                "message": self._missing(),
            },
        }
        if self.options.covers:
            data["coverage"] = coverage_report.data(self.coverage)
        return data

    def lines(self, style: Style) -> Iterator[str]:
        if self.options.covers:
            yield from coverage_report.lines(self.coverage)
        yield from self._summary(style)

    def document(self, format: str, style: Style) -> str:
        if format == "junit":
            return junit_xml(self.outcomes)
        return "".join(f"{line}\n" for line in self._summary(style))

    def notes(self, style: Style) -> list[str]:
        share, least = percent(self.coverage), self.options.coverage_min
        few = (
            f"the tests show {share:.1f} % of the clauses and conditions, less than {least:g} %"
            if least is not None and share < least
            else ""
        )
        return [each for each in (self._missing(), few) if each]

    def _missing(self) -> str:
        if self.tests or self.broken or self.options.allow_empty:
            return ""
        name = self.options.filter
        return "no tests found" + (f" whose name contains {name!r}" if name else "")

    def _summary(self, style: Style) -> Iterator[str]:
        """The last line; failures come first, so that nobody reads only what passed."""
        if not (self.tests or self.broken):
            return
        parts = [f"{self.failed} failed"] if self.failed else []
        if self.broken:
            parts.append(f"{count(self.broken, 'file')} with errors")
        text = ", ".join([*parts, f"{len(self.tests) - self.failed} passed"])
        yield style(text, fg="red" if parts else "green", bold=True)


def _results(options: TestOptions, outcomes: Sequence[FileOutcome]) -> Results:
    """The results of all tests, after the requested files were written."""
    coverage = tuple(each.coverage for each in outcomes if each.coverage is not None)
    files = [file for outcome in outcomes for file in outcome.files]
    if options.coverage_html is not None:
        _write(options.coverage_html, coverage_report.html(coverage), files, private=True)
    if options.junit is not None:
        _write(options.junit, junit_xml(outcomes), files)
    return Results(options, tuple(outcomes), coverage)


def _write(path: str, text: str, read: Sequence[str], *, private: bool = False) -> None:
    refuse_to_lose(path, read)
    try:
        if private:
            write_out(Path(path), text)
        else:
            Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise Failure(f"{path} cannot be written: {(error.strerror or str(error)).lower()}") from error


def _annotation(test: TestOutcome) -> str:
    """A failed test as a workflow command of GitHub, at the step that failed."""
    lines_of = (step["line"] for step in test.data["steps"] if step["outcome"] == "failed")
    properties = {"file": test.file, "line": next(lines_of, None) or test.line, "title": f"test: {test.name}"}
    # GitHub shows this at the place itself: leave out the lines that quote it
    lines = [
        line.strip() for line in test.lines if not line.lstrip().startswith("-->") and " | " not in line[:10]
    ]
    return annotation("error", properties, "\n".join(lines))


def _text(test: TestOutcome, style: Style) -> str:
    word = style("pass" if test.passed else "FAIL", fg="green" if test.passed else "red", bold=True)
    return "\n".join([f"{word} {test.file}: {safe(test.name)}", *test.lines])
