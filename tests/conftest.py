"""Fixtures and settings for all wings."""

import atexit
import gc
import importlib
import os
import pkgutil
import shutil
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from subprocess import CompletedProcess
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import settings
from hypothesis.internal.conjecture import providers

import vsalang
from tests import commands, processes, snapshots, solver
from tests.thorough import times
from vsalang.base import generated

# A slow machine is not a failure: no deadlines. Where a test names no number, fewer examples than usual: they are the
# same ones each time, and `draw` has others each night.
settings.register_profile(
    "same", derandomize=True, deadline=None, print_blob=True, max_examples=times(25, 100)
)
# `.ci/run draw`: examples that no run has had, from the seed that it prints.
settings.register_profile("draw", derandomize=False, database=None, deadline=None, print_blob=True)

# Tests parse what they test; processes that they start too. `tests/language/syntax/test_cache.py` sets a folder of
# its own.
os.environ["VSALANG_CACHE"] = "off"
# What runs keep for their user is not kept for the user who runs the tests; nor does that user's configuration count.
_USER = tempfile.mkdtemp(prefix="vsalang-tests-")
atexit.register(shutil.rmtree, _USER, ignore_errors=True)
os.environ["XDG_STATE_HOME"] = f"{_USER}/state"
os.environ["XDG_CONFIG_HOME"] = f"{_USER}/config"
os.environ["XDG_DATA_HOME"] = f"{_USER}/data"
# A shell that starts the tests in the background lets them ignore Ctrl-C, and so would each process that they start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
# What is printed is compared without colours, wherever the tests run.
os.environ.pop("FORCE_COLOR", None)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--require-all", action="store_true", help="tests and files that are skipped have failed"
    )


def pytest_configure(config: pytest.Config) -> None:
    """The same examples in every run, whatever was imported before; others only where somebody asks for them."""
    # Hypothesis draws literals of our modules, too, as far as they are imported: that depends on the tests before.
    if config.getoption("--hypothesis-profile", default=None):
        for module in pkgutil.walk_packages(vsalang.__path__, "vsalang."):
            importlib.import_module(module.name)
        return
    settings.load_profile("same")
    providers._get_local_constants = lambda: providers._local_constants


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.skipped and not hasattr(report, "wasxfail") and item.config.getoption("require_all"):
        report.outcome = "failed"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """A file that is skipped as a whole has tests, too."""
    report = yield
    if report.skipped and collector.config.getoption("require_all"):
        report.outcome = "failed"
    return report


def pytest_report_header(config: pytest.Config) -> str:
    """What was left out, if anything."""
    match config.getoption("markexpr"):
        case "not slow and not soak and not fleet":
            return "left out: the tests marked slow, soak, fleet (CI=1 ./test runs the slow ones, .ci/run the others)"
        case "not soak and not fleet":
            return "left out: the tests marked soak and fleet (.ci/run soak and .ci/run fleet run them)"
    return ""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Of the cases of a test that is marked ``sampled(n)``, all but each n-th are marked ``soak``."""
    seen: Counter[str] = Counter()
    for item in items:
        mark = item.get_closest_marker("sampled")
        if mark is not None:
            test = item.nodeid.partition("[")[0]
            if seen[test] % mark.args[0]:
                item.add_marker(pytest.mark.soak)
            seen[test] += 1


def pytest_collection() -> None:
    """What is collected stays until the end: the garbage collector need not look at it again and again."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Nor need it look as often as in a long-lived program: that took one second in twenty."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 1000, 1000)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> Generator[None, Any, Any]:
    """A process that runs tests can start processes at once; what only hands the tests out to others need not."""
    gc.enable()
    if not session.items:
        return (yield)
    with processes.offered():
        return (yield)


def pytest_sessionfinish() -> None:
    """What is left in cycles is freed once, so that pytest sees what it raises; pytest frees it ten times more."""
    gc.collect()
    gc.freeze()


def pytest_runtest_setup() -> None:
    solver.forget()


@pytest.fixture(scope="session")
def vsac() -> Callable[..., CompletedProcess[str]]:
    """The command in this process: see `tests.commands.vsac`."""
    return commands.vsac


@pytest.fixture
def pydatalog_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sessions of pyDatalog in this process: starting one of its own takes longer than most tests of programs."""
    from vsalang.engine.pydatalog import worker
    from vsalang.engine.pydatalog.backend import PyDatalogEvaluator

    monkeypatch.setattr(worker, "PyDatalogWorker", PyDatalogEvaluator)


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[..., None]:
    """Compare a text with that in `tests/golden`; without a name, in ROOM/TEST.txt: see `tests.snapshots.golden`."""

    def compare(text: str, name: Path | str = "") -> None:
        test = request.node.name.removeprefix("test_")
        snapshots.golden(text, name or f"{request.path.parent.name}/{test}.txt")

    return compare


@pytest.fixture(scope="session")
def generated_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The generated files as an environment holds them, not to be changed."""
    from scripts import generate

    folder = tmp_path_factory.mktemp("site-packages") / generated.FOLDER
    generate.write_all(folder)
    return folder


@pytest.fixture
def installed(generated_files: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The generated files are in the environment, however this checkout was installed."""
    monkeypatch.setattr(generated, "environments", lambda: [generated_files])
    generated._pages.cache_clear()
    yield generated_files
    generated._pages.cache_clear()


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Real dumps, trajectories and models that are not part of the repository."""
    folder = Path(__file__).resolve().parents[2] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("the shared data (../shared/data next to the project) is not there")
    return folder


@pytest.fixture(scope="session", autouse=True)
def clients_ask_again_soon() -> Iterator[None]:
    """uiautomator2 asks again a second or two after a phone failed; phones of tests are ready again at once."""
    try:
        import retry.api as asking_again
    except ImportError:
        yield
        return
    soon = SimpleNamespace(sleep=lambda seconds: time.sleep(min(seconds, 0.05)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(asking_again, "time", soon)
        yield
