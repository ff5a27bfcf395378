"""An audit by Spark, in one process and on a cluster of a master and two workers; an audit that is killed."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from tests.tools.fleet.journals import LABELS, record
from vsalang.tools.fleet.auditing import AuditTask, local, open_results, run
from vsalang.tools.fleet.judging import Policies
from vsalang.tools.fleet.rows import read_rows
from vsalang.tools.fleet.spark import spark
from vsalang.tools.fleet.store import Part, Store
from vsalang.tools.fleet.summary import Summary, as_data

pytestmark = pytest.mark.fleet
pyspark = pytest.importorskip("pyspark", reason="needs the extra spark")
needs_java = pytest.mark.skipif(shutil.which("java") is None, reason="needs Java")

PATIENCE = 300
SESSIONS = 40


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """Sessions in ten parts of different sizes; one part holds none whole in any batch of five rows."""
    folder = tmp_path_factory.mktemp("fleet")
    made = Store(folder / "fleet")
    waiting = []
    for number in range(SESSIONS):
        taps = [LABELS[(number * 7 + at * 5) % len(LABELS)] for at in range(1 + number % 6)]
        waiting.append(
            read_rows(record(folder / f"{number}.jsonl", taps, device=f"phone-{number}"), f"t{number % 3}")
        )
        if number % 8 in (1, 3, 7):
            made.add(waiting)
            waiting = []
    made.add(waiting)
    return made


@pytest.fixture(scope="module")
def task(store: Store) -> AuditTask:
    rules = store.folder.parent / "rules"
    return AuditTask(str(store.folder), Policies((str(rules / "new.vsa"),)), Policies(None))


@pytest.fixture(scope="module")
def wanted(store: Store, task: AuditTask) -> dict[str, Summary]:
    """What this process finds, part by part."""
    found = by_part(run(store, task, "1", local(1)))
    assert sum(each.sessions for each in found.values()) == SESSIONS
    assert sum(len(each.changes) for each in found.values()) > SESSIONS / 2
    return found


def by_part(audits: Iterator[tuple[Part, Summary]]) -> dict[str, Summary]:
    return {part.name: summary for part, summary in audits}


@needs_java
@pytest.mark.parametrize("batch", [1, 5, 1000])
def test_spark_in_one_process_says_the_same(store: Store, task: AuditTask, wanted: object, batch: int):
    """Batches of one and of five rows cut every session."""
    assert by_part(run(store, task, "1", spark("local[2]", batch))) == wanted


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[str]:
    """The address of a master with two workers, on loopback."""
    started: list[subprocess.Popen[bytes]] = []
    home = Path(pyspark.__file__).parent
    env = {
        **os.environ,
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_HOME": str(home),
        "PYSPARK_PYTHON": sys.executable,
    }

    def start(name: str, *args: str) -> Path:
        log = tmp_path / f"{name}.log"
        command = [str(home / "bin" / "spark-class"), f"org.apache.spark.deploy.{args[0]}", *args[1:]]
        with log.open("wb") as file:
            started.append(
                subprocess.Popen(command, stdout=file, stderr=file, env=env, start_new_session=True)
            )
        return log

    try:
        master = start("master", "master.Master", "--host", "127.0.0.1", "--port", "0", "--webui-port", "0")
        address = waited(master, r"Starting Spark master at (spark://\S+)")
        for name in ("one", "two"):
            limits = ("--cores", "1", "--memory", "1200m", "--work-dir", str(tmp_path / name))
            start(name, "worker.Worker", "--host", "127.0.0.1", "--webui-port", "0", *limits, address)
        for name in ("one", "two"):
            waited(tmp_path / f"{name}.log", r"(Successfully registered)")
        yield address
    finally:
        for process in started:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def waited(log: Path, pattern: str) -> str:
    """What a process writes, as soon as it does."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        match = re.search(pattern, log.read_text(errors="replace"))
        if match is not None:
            return match[1]
        time.sleep(0.1)
    raise AssertionError(log.read_text(errors="replace"))


@needs_java
def test_a_cluster_of_two_workers_says_the_same(
    store: Store,
    task: AuditTask,
    wanted: object,
    cluster: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
    results = open_results(tmp_path / "kept")
    for _ in zip(range(3), run(store, task, "1", local(1), results), strict=False):
        pass  # three parts are known, as after a run that was killed
    assert 3 <= len(results) < len(store.parts)
    assert by_part(run(store, task, "1", spark(cluster, 7), results)) == wanted
    assert len(results) == len(store.parts)
    results.close()
    judged = [name for name in ("one", "two") if list((tmp_path / name).glob("app-*/*/stderr"))]
    assert judged == ["one", "two"], "both workers had an executor"


# ---------------------------------------------------------------- killed


def test_an_audit_that_is_killed_goes_on(
    store: Store, task: AuditTask, wanted: dict[str, Summary], tmp_path: Path
):
    """kill -9 after each of the first parts; in the end each part is kept once, and the whole is the same."""
    kept = tmp_path / "kept"
    policy = store.folder.parent / "rules" / "new.vsa"
    command = [
        sys.executable,
        "-m",
        "vsalang.tools.cli.main",
        "fleet",
        "audit",
        "--json",
        "--policy",
        str(policy),
    ]
    command += ["--store", str(store.folder), "--resume", str(kept)]
    for parts in (1, 2, 4):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        until = time.monotonic() + PATIENCE
        while process.poll() is None and time.monotonic() < until:
            if kept.exists() and kept.read_bytes().count(b"\n") >= parts:
                process.kill()
            time.sleep(0.005)
        assert process.wait() in (-signal.SIGKILL, 0)
    done = subprocess.run(command, capture_output=True, check=True, timeout=PATIENCE)
    lines = kept.read_text().splitlines()
    assert len(lines) == len(store.parts) == len({json.loads(line)["key"] for line in lines})
    total = as_data(sum(wanted.values(), Summary()))
    told = json.loads(done.stdout)
    assert (told["sessions"], told["steps"], told["moved"]) == (SESSIONS, total["steps"], total["moved"])
    assert [each["steps"] for each in told["changes"]] == [each[3] for each in total["changes"]]


def test_an_import_that_is_killed_loses_nothing(tmp_path: Path, vsac: Callable[..., CompletedProcess[str]]):
    """kill -9 at any time: the store is whole, and the next import brings what is missing."""
    for number in range(12):
        record(tmp_path / "j" / f"{number}.jsonl", LABELS[: number % 5]) if number else (
            tmp_path / "j"
        ).mkdir()
    record(tmp_path / "j" / "0.jsonl", LABELS)
    store = tmp_path / "s"
    code = (
        "import sys, vsalang.tools.fleet.importing as i; i.PART_BYTES = 1\n"
        "from vsalang.tools.cli.main import main; main()"
    )
    for delay in (1.2, 1.5, 1.8):
        process = subprocess.Popen(
            [sys.executable, "-c", code, "fleet", "import", str(tmp_path / "j"), "--store", str(store)],
            stdout=subprocess.DEVNULL,
        )
        time.sleep(delay)
        process.kill()
        process.wait()
        whole(store)
    assert vsac("fleet", "import", tmp_path / "j", "--store", store).returncode == 0
    assert whole(store) == 12


def whole(folder: Path) -> int:
    """How many sessions a store holds, each once and with all its lines."""
    if not (folder / "fleet.json").exists():
        return 0
    store = Store(folder, make=False)
    rows: Sequence[dict[str, object]] = [row for part in store.parts for row in store.table(part).to_pylist()]
    first = [row for row in rows if row["number"] == 1]
    assert len({row["session"] for row in first}) == len(first)
    assert sum(int(str(row["lines"])) for row in first) == len(rows)
    return len(first)
