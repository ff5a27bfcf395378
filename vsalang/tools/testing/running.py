"""Runs the tests of files, one after the other or in several processes, and gives the result of each."""

import multiprocessing
import time
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any, Literal

from vsalang.base.names import DEFAULT_ENGINE, EngineName
from vsalang.base.records import dataclass

if TYPE_CHECKING:
    from vsalang.base.source import Source
    from vsalang.guard.examples import ExampleResult
    from vsalang.language.semantics import Loaded
    from vsalang.program.similarity import FoldedEquality
    from vsalang.tools.testing.coverage import Coverage

Outcome = Literal["passed", "failed"]


@dataclass(frozen=True, slots=True)
class Options:
    """How tests are run.

    Attributes:
        filter: only tests whose name contains this text, case aside.
        policies: files of policies in force in addition to each file.
        engine: which evaluator decides; None: the one that the file's project is configured for.
        exit_first: stop after the first test that fails.
        color: findings in files with errors are coloured.
        coverage: also find out which clauses and conditions the tests show holding and failing.
        language: in which reasons are said to people; None: the one that the file's project is configured for.
        similarity: who answers ``~=`` where a test assumes nothing; None: what the file's project is configured for
            and needs nobody.
    """

    filter: str = ""
    policies: tuple[str, ...] = ()
    engine: EngineName | None = None
    exit_first: bool = False
    color: bool = False
    coverage: bool = False
    language: str | None = None
    similarity: "FoldedEquality | None" = None


@dataclass(frozen=True, slots=True)
class TestOutcome:
    """The result of one test.

    Attributes:
        data: the test as JSON data; see docs/commands/write.md#vsac-test-run-the-tests.
        lines: of a failure, what a person reads: the step, what was wanted and got, and why.
        seconds: how long it took.
    """

    __test__ = False

    file: str
    name: str
    line: int
    outcome: Outcome
    data: Mapping[str, Any] = field(hash=False)
    lines: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    def passed(self) -> bool:
        """Whether every step had the result that it states."""
        return self.outcome == "passed"


@dataclass(frozen=True, slots=True)
class FileOutcome:
    """The results of one file.

    Attributes:
        status: ``ok``: it could be tested; ``broken``: it has errors; ``unreadable``.
        tests: in the order of the file; those after a failure are missing with `Options.exit_first`.
        findings: of a broken file, what a person reads.
        diagnostics: the same as JSON data.
        annotations: the same as workflow commands of GitHub.
        coverage: None unless it was asked for.
        files: every file that was read, for watching.
    """

    file: str
    status: Literal["ok", "broken", "unreadable"]
    tests: tuple[TestOutcome, ...] = ()
    findings: str = ""
    diagnostics: tuple[Mapping[str, Any], ...] = field(default=(), hash=False)
    annotations: str = ""
    coverage: "Coverage | None" = None
    files: tuple[str, ...] = ()


def run_files(files: Iterable[str], options: Options, *, processes: int = 1) -> Iterator[FileOutcome]:
    """The outcomes of files in the order given, each as soon as it and those before it are known.

    Args:
        files: paths.
        options: how.
        processes: in how many processes; 1 runs in this one.
    """
    names = list(files)
    if processes <= 1 or len(names) <= 1:
        for name in names:
            outcome = run_file(name, options)
            yield outcome
            if options.exit_first and not _fine(outcome):
                return
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(min(processes, len(names)), mp_context=context) as pool:
        futures: list[Future[FileOutcome]] = [pool.submit(run_file, name, options) for name in names]
        try:
            for future in futures:
                outcome = future.result()
                yield outcome
                if options.exit_first and not _fine(outcome):
                    return
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _fine(outcome: FileOutcome) -> bool:
    return outcome.status == "ok" and all(test.passed for test in outcome.tests)


def run_file(file: str, options: Options) -> FileOutcome:
    """Check a file and run its tests. A file with errors is an outcome, not an exception."""
    from vsalang.base.config import config_for
    from vsalang.language.semantics import load
    from vsalang.models.similarity import offline_of

    config = config_for(file)
    loaded = load(file, policies=options.policies, search=config.search, from_cache=True)
    engine = options.engine or config.engine or DEFAULT_ENGINE
    language = options.language or config.language or "en"
    similarity = options.similarity or offline_of(config.similarity)
    return _run(file, loaded, replace(options, engine=engine, language=language, similarity=similarity))


def _run(file: str, loaded: "Loaded", options: Options) -> FileOutcome:
    from vsalang.guard import run_example
    from vsalang.program.similarity import DEFAULT

    files = tuple(str(source.path) for source in loaded.sources.values() if source.path is not None)
    if loaded.program is None:
        from vsalang.base.diagnostics import github, jsonout, terminal

        unreadable = any(item.code.startswith("E000") for item in loaded.diagnostics)
        return FileOutcome(
            file,
            "unreadable" if unreadable else "broken",
            findings=terminal.render(loaded.diagnostics, loaded.sources, color=options.color),
            diagnostics=tuple(jsonout.to_data(loaded.diagnostics, loaded.sources)["diagnostics"]),
            annotations=github.render(loaded.diagnostics, loaded.sources),
            files=files,
        )
    collector = None
    if options.coverage:
        from vsalang.tools.testing.coverage import Collector

        collector = Collector(loaded.program, loaded.file)
    tests = []
    for example in loaded.own:
        if options.filter.casefold() not in example.name.casefold():
            continue
        start = time.perf_counter()
        result = run_example(
            loaded.program,
            example,
            engine=options.engine or DEFAULT_ENGINE,
            watch=collector,
            similarity=options.similarity or DEFAULT,
        )
        tests.append(
            _outcome(file, result, loaded.sources, time.perf_counter() - start, options.language or "en")
        )
        if options.exit_first and not result.passed:
            break
    covered = collector.result(loaded.sources) if collector is not None else None
    return FileOutcome(file, "ok", tuple(tests), coverage=covered, files=files)


def _outcome(
    file: str, result: "ExampleResult", sources: Mapping[str, "Source"], seconds: float, language: str
) -> TestOutcome:
    from vsalang.tools.testing.report import failure_lines, test_data

    data = test_data(file, result, sources)
    lines = failure_lines(result.failure, sources, language) if result.failure is not None else []
    outcome: Outcome = "passed" if result.passed else "failed"
    return TestOutcome(
        file, result.example.name, data["line"] or 0, outcome, {**data, "seconds": round(seconds, 6)},
        tuple(lines), seconds,
    )  # fmt: skip
