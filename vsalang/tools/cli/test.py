"""``vsac test``: runs the tests in .vsa files."""

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vsalang.base.source.private import write_out
from vsalang.tools.cli.common import (
    EXIT_FAILED,
    EXIT_FINDINGS,
    EXIT_OK,
    Failure,
    format_option,
    require,
    unreadable,
    use_color,
)
from vsalang.tools.cli.options import Numbers, policy_beside
from vsalang.tools.cli.options import engine as engine_option
from vsalang.tools.cli.options import language as language_option
from vsalang.tools.cli.output import json_text, refuse_to_lose
from vsalang.tools.cli.progress import Progress

if TYPE_CHECKING:
    from vsalang.tools.testing import FileOutcome, Options, TestOutcome
    from vsalang.tools.testing.coverage import Coverage


@click.command()
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option(
    "-k", "filter_", metavar="TEXT", default="", help="Run only the tests whose name contains TEXT."
)
@click.option("-x", "--exitfirst", is_flag=True, help="Stop after the first test that fails.")
@click.option(
    "-j",
    "--jobs",
    type=click.IntRange(min=0),
    default=1,
    metavar="N",
    help="Run files in N processes; 0: as many as there are processors.",
)
@click.option("-q", "--quiet", is_flag=True, help="Show only what failed, and the summary.")
@click.option("--watch", is_flag=True, help="Run again whenever a file changes.")
@policy_beside("each file")
@engine_option()
@click.option("--coverage", is_flag=True, help="Show which clauses and conditions no test covers.")
@click.option(
    "--coverage-min",
    type=Numbers(0, 100),
    metavar="PERCENT",
    help="Fail if the tests cover less. Implies --coverage.",
)
@click.option(
    "--coverage-html",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Write a page with the source, uncovered conditions marked. Implies --coverage.",
)
@click.option(
    "--junit", type=click.Path(dir_okay=False), metavar="FILE", help="Also write the outcomes as JUnit XML."
)
@language_option("reasons")
@click.option("--allow-empty", is_flag=True, help="Finding no tests is not a failure.")
@format_option("text", "json", "github")
def command(
    *,
    paths: tuple[str, ...],
    filter_: str,
    exitfirst: bool,
    jobs: int,
    quiet: bool,
    watch: bool,
    policies: tuple[str, ...],
    engine: Any,
    coverage: bool,
    coverage_min: float | None,
    coverage_html: str | None,
    junit: str | None,
    language: str | None,
    allow_empty: bool,
    format: str,
) -> int:
    """Run the `test` blocks of .vsa files and show each step that fails.

    PATH is a file, or a folder that is searched for .vsa files, except what `exclude` of vsac.toml names; without a
    PATH, the working folder. Tests of imported modules are not run: name their files.

    Exit status: 0 all tests passed, 1 a test failed, a file has errors, there are no tests, or they cover too little, 2
    a file could not be read.
    """
    from vsalang.base.source import SourceError
    from vsalang.tools.testing import Options

    options = Options(
        filter_,
        policies,
        engine,
        exitfirst,
        use_color(sys.stdout) and format == "text",
        coverage or coverage_min is not None or coverage_html is not None,
        language,
    )
    paths = paths or (".",)
    for written in (junit, coverage_html):
        refuse_to_lose(written, (*paths, *policies))
    processes = jobs or os.cpu_count() or 1
    output = _Output(
        format=format,
        quiet=quiet,
        junit=junit,
        minimum=coverage_min,
        page=coverage_html,
        allow_empty=allow_empty,
        options=options,
    )
    if not watch:
        return output.show(_outcomes(paths, options, processes, output))
    if format != "text":
        raise click.UsageError("--watch is for people: it goes with --format text")
    require("watchfiles", "watch")
    from vsalang.tools.testing.watching import watch as watching

    folders = {str(Path(path) if Path(path).is_dir() else Path(path).parent) for path in paths}
    status = EXIT_OK

    def run() -> None:
        nonlocal status
        if sys.stdout.isatty():
            click.clear()
        try:
            outcomes = _outcomes(paths, options, processes, output)
            folders.update(str(Path(file).parent) for outcome in outcomes for file in outcome.files)
            status = output.show(outcomes)
        except (SourceError, OSError) as error:  # a configuration with a mistake; the user can correct it
            unreadable(error).show()
            status = EXIT_FAILED
        click.echo("waiting for a change; Ctrl+C ends", err=True)

    watching(lambda: folders, run)
    return status


def _outcomes(
    paths: Sequence[str], options: "Options", processes: int, output: "_Output"
) -> "list[FileOutcome]":
    """Run the tests of the paths, and show each file's outcome at once."""
    from vsalang.base.config import find_files
    from vsalang.tools.testing import run_files

    named = {found.file: found.named for found in find_files(paths)}
    outcomes = []
    progress = Progress(len(named), "files")
    for outcome in progress.over(run_files(named, options, processes=processes)):
        progress.clear()
        if outcome.status == "ok" and not outcome.tests and not named[outcome.file]:
            continue  # a file in a folder, without tests
        output.file(outcome)
        outcomes.append(outcome)
    return outcomes


@dataclass(frozen=True, kw_only=True)
class _Output:
    """Shows outcomes in the chosen format, and decides the exit status."""

    format: str
    quiet: bool
    junit: str | None
    minimum: float | None
    page: str | None
    allow_empty: bool
    options: "Options"

    def file(self, outcome: "FileOutcome") -> None:
        """Show the tests of a file."""
        if self.format == "github":
            click.echo(outcome.annotations, nl=False)
            for test in outcome.tests:
                if not test.passed:
                    click.echo(_annotation(test))
        if self.format != "text":
            return
        if outcome.status != "ok":
            click.echo(outcome.findings, nl=False, color=True)
        for test in outcome.tests:
            if not (test.passed and self.quiet):
                click.echo(_text(test, self.options.color), color=True)

    def show(self, outcomes: "list[FileOutcome]") -> int:
        """Show the summary, write the requested files, and return the exit status."""
        tests = [test for outcome in outcomes for test in outcome.tests]
        failed = sum(not test.passed for test in tests)
        broken = sum(outcome.status != "ok" for outcome in outcomes)
        unreadable = any(outcome.status == "unreadable" for outcome in outcomes)
        message = ""
        if not tests and not broken and not self.allow_empty:
            name = self.options.filter
            message = "no tests found" + (f" whose name contains {name!r}" if name else "")
        read = [file for outcome in outcomes for file in outcome.files]
        covered = [outcome.coverage for outcome in outcomes if outcome.coverage is not None]
        little = self._coverage(covered, read)
        if self.junit is not None:
            from vsalang.tools.testing.junit import junit_xml

            _write(self.junit, junit_xml(outcomes), read)
        if self.format == "json":
            self._json(outcomes, len(tests) - failed, failed, broken, message, covered)
        else:
            if message:
                click.echo(message, err=True)
            elif tests or broken:
                click.echo(_summary(len(tests) - failed, failed, broken, self.options.color), color=True)
            if little:
                click.echo(little, err=True)
        if unreadable:
            return EXIT_FAILED
        return EXIT_FINDINGS if failed or broken or message or little else EXIT_OK

    def _coverage(self, covered: "list[Coverage]", read: Sequence[str]) -> str:
        """Show what the tests cover; return a message if that is too little."""
        if not self.options.coverage:
            return ""
        from vsalang.tools.testing import coverage_report
        from vsalang.tools.testing.coverage import percent

        if self.format == "text":
            for line in coverage_report.lines(covered):
                click.echo(line)
        if self.page is not None:
            _write(self.page, coverage_report.html(covered), read, private=True)
        found = percent(covered)
        if self.minimum is not None and found < self.minimum:
            return f"the tests show {found:.1f} % of the clauses and conditions, less than {self.minimum:g} %"
        return ""

    def _json(
        self,
        outcomes: "list[FileOutcome]",
        passed: int,
        failed: int,
        broken: int,
        message: str,
        covered: "list[Coverage]",
    ) -> None:

        data: dict[str, Any] = {
            "version": 1,
            "tests": [test.data for outcome in outcomes for test in outcome.tests],
            "diagnostics": [item for outcome in outcomes for item in outcome.diagnostics],
            "summary": {"passed": passed, "failed": failed, "broken": broken, "message": message},
        }
        if self.options.coverage:
            from vsalang.tools.testing import coverage_report

            data["coverage"] = coverage_report.data(covered)
        click.echo(json_text(data, indent=2))


def _write(path: str, text: str, read: Sequence[str], *, private: bool = False) -> None:
    refuse_to_lose(path, read)
    try:
        if private:
            write_out(Path(path), text)
        else:
            Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise Failure(f"{path} cannot be written: {(error.strerror or str(error)).lower()}") from error


def _summary(passed: int, failed: int, broken: int, color: bool) -> str:
    """The last line; failures come first, so that nobody reads only what passed."""
    parts = [f"{failed} failed"] if failed else []
    if broken:
        parts.append("1 file with errors" if broken == 1 else f"{broken} files with errors")
    text = ", ".join([*parts, f"{passed} passed"])
    return click.style(text, fg="red" if parts else "green", bold=True) if color else text


def _annotation(test: "TestOutcome") -> str:
    """A failed test as a workflow command of GitHub, at the step that failed."""
    from vsalang.base.diagnostics.github import command

    lines_of = (step["line"] for step in test.data["steps"] if step["outcome"] == "failed")
    properties = {"file": test.file, "line": next(lines_of, None) or test.line, "title": f"test: {test.name}"}
    # GitHub shows this at the place itself: leave out the lines that quote it
    lines = [
        line.strip() for line in test.lines if not line.lstrip().startswith("-->") and " | " not in line[:10]
    ]
    return command("error", properties, "\n".join(lines))


def _text(test: "TestOutcome", color: bool) -> str:
    from vsalang.base.diagnostics.display import safe

    word = "pass" if test.passed else "FAIL"
    if color:
        word = click.style(word, fg="green" if test.passed else "red", bold=True)
    return "\n".join([f"{word} {test.file}: {safe(test.name)}", *test.lines])
