"""The pytest plugin: with ``--vsa`` (or a `.vsa` file named on the command line) `test` blocks are pytest's tests."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from vsalang.guard.examples import ExampleResult
    from vsalang.language.semantics import Loaded


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--vsa``, ``--vsa-policy`` and the setting ``vsa_policies``."""
    group = parser.getgroup("vsa", "tests in .vsa files")
    group.addoption("--vsa", action="store_true", help="collect the test blocks of .vsa files")
    group.addoption(
        "--vsa-policy",
        action="append",
        default=[],
        metavar="FILE",
        help="a policy in force in addition to each file",
    )
    parser.addini("vsa_policies", "policies in force in addition to each .vsa file", type="paths", default=[])


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> "VsaFile | None":
    """Collect a `.vsa` file."""
    if file_path.suffix != ".vsa":
        return None
    if not (parent.config.getoption("vsa") or parent.session.isinitpath(file_path)):
        return None
    return VsaFile.from_parent(parent, path=file_path)


class VsaFile(pytest.File):
    """A `.vsa` file; one with errors cannot be collected."""

    def collect(self) -> "Iterator[VsaItem]":
        """The `test` blocks in the file."""
        from vsalang.base.config import config_for
        from vsalang.language.semantics import load

        policies = [*self.config.getini("vsa_policies"), *self.config.getoption("vsa_policy")]
        search = config_for(self.path).search
        loaded = load(self.path, policies=policies, search=search, from_cache=True)
        if loaded.program is None:
            from vsalang.base.diagnostics import terminal

            raise self.CollectError(terminal.render(loaded.diagnostics, loaded.sources, color=False))
        for number, example in enumerate(loaded.own):
            yield VsaItem.from_parent(self, name=example.name, loaded=loaded, number=number)


class VsaItem(pytest.Item):
    """One `test` block."""

    def __init__(self, *, loaded: "Loaded", number: int, **options: Any) -> None:
        super().__init__(**options)
        self.loaded = loaded
        self.example = loaded.own[number]
        self.funcargs: dict[
            str, Any
        ] = {}  # plugins of others ask each item for its fixtures; pytest-lsp must find them

    def runtest(self) -> None:
        """Run it from its first step."""
        from vsalang.guard import run_example

        assert self.loaded.program is not None
        result = run_example(self.loaded.program, self.example)
        if not result.passed:
            raise VsaFailed(result)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The step that failed, what was wanted and got, and why; of other exceptions the traceback."""
        if not isinstance(excinfo.value, VsaFailed):
            return super().repr_failure(excinfo, style)
        from vsalang.tools.testing.report import failure_lines

        step = excinfo.value.result.failure
        assert step is not None
        return "\n".join(failure_lines(step, self.loaded.sources))

    def reportinfo(self) -> tuple[Path, int | None, str]:
        span = self.example.span
        source = self.loaded.sources.get(span.file) if span is not None else None
        line = source.position(span.start).line - 1 if span is not None and source is not None else None
        return self.path, line, f"test: {self.name}"


class VsaFailed(Exception):
    """A step did not have the result that it states."""

    def __init__(self, result: "ExampleResult") -> None:
        step = result.failure
        super().__init__(step.problem if step is not None else "")
        self.result = result
