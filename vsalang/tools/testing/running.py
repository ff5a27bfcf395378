"""Runs the tests of files, one after the other or in several processes, and gives the result of each."""

import multiprocessing
import time
from collections.abc import Generator, Iterable, Iterator, Mapping
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any, Literal

from vsalang.base.names import DEFAULT_ENGINE, EngineName
from vsalang.base.records import dataclass

if TYPE_CHECKING:
    from vsalang.base.source import Source
    from vsalang.guard.examples import ExampleResult
    from vsalang.language.semantics import Loaded
    from vsalang.language.semantics.kept_results import Inputs, KeptResults
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
        inputs: what the outcome depends on; None if that is not known.
    """

    file: str
    status: Literal["ok", "broken", "unreadable"]
    tests: tuple[TestOutcome, ...] = ()
    findings: str = ""
    diagnostics: tuple[Mapping[str, Any], ...] = field(default=(), hash=False)
    annotations: str = ""
    coverage: "Coverage | None" = None
    files: tuple[str, ...] = ()
    inputs: "Inputs | None" = field(default=None, hash=False)


def run_files(files: Iterable[str], options: Options, *, processes: int = 1) -> Iterator[FileOutcome]:
    """The outcomes of files in the order given, each as soon as it and those before it are known.

    Args:
        files: paths.
        options: how.
        processes: in how many processes; 1 runs in this one.
    """
    names = list(files)
    kept = _kept(options)
    known = {name: outcome for name in names if kept and (outcome := _again(name, kept.get(name)))}
    outcomes = _run_all(names, known, options, processes)
    try:
        for outcome in outcomes:
            yield outcome
            if kept and _fine(outcome) and outcome.file not in known:
                tests = [[test.name, test.line, dict(test.data), test.seconds] for test in outcome.tests]
                kept.put(outcome.file, outcome.inputs, [outcome.file, tests, outcome.files])
            if options.exit_first and not _fine(outcome):
                return
    finally:
        outcomes.close()
        if kept:
            kept.save()


def _kept(options: Options) -> "KeptResults | None":
    """The outcomes of earlier runs with these options; None if they depend on more than files."""
    from vsalang.language.semantics.kept_results import KeptResults

    if options.policies or options.coverage or options.similarity is not None:
        return None
    return KeptResults("test", repr(options))


def _again(name: str, data: Any) -> FileOutcome | None:
    """An outcome that was kept, under the same name of the file: every test of it passed."""
    if not data or data[0] != name:
        return None
    file, tests, files = data
    outcomes = (TestOutcome(file, name, line, "passed", about, (), took) for name, line, about, took in tests)
    return FileOutcome(file, "ok", tuple(outcomes), files=tuple(files))


def _run_all(
    names: list[str], known: Mapping[str, FileOutcome], options: Options, processes: int
) -> Generator[FileOutcome, None, None]:
    missing = [name for name in names if name not in known]
    if processes <= 1 or len(missing) <= 1:
        for name in names:
            yield known.get(name) or run_file(name, options)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(min(processes, len(missing)), mp_context=context) as pool:
        futures: dict[str, Future[FileOutcome]] = {
            name: pool.submit(run_file, name, options) for name in missing
        }
        try:
            for name in names:
                yield known[name] if name in known else futures[name].result()
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
    from vsalang.guard.courses import Courses
    from vsalang.language.semantics.kept_results import inputs_of
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
    courses = Courses()
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
            courses=courses,
        )
        tests.append(
            _outcome(file, result, loaded.sources, time.perf_counter() - start, options.language or "en")
        )
        if options.exit_first and not result.passed:
            break
    covered = collector.result(loaded.sources) if collector is not None else None
    return FileOutcome(file, "ok", tuple(tests), coverage=covered, files=files, inputs=inputs_of(loaded))


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
