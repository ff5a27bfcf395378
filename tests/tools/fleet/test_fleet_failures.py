"""What a store does when something fails; the page of the store names a test for each of its failures."""

import multiprocessing
import threading
import time
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pyarrow.parquet as pq
import pytest

from tests.tools.fleet.journals import record
from vsalang.tools.fleet.auditing import AuditTask, local, run
from vsalang.tools.fleet.judging import Policies
from vsalang.tools.fleet.rows import read_rows
from vsalang.tools.fleet.schema import StoreError
from vsalang.tools.fleet.store import Store

Vsac = Callable[..., CompletedProcess[str]]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """Two parts of one session each."""
    made = Store(tmp_path / "fleet")
    for number in range(2):
        made.add([read_rows(record(tmp_path / f"{number}.jsonl", ["Next", "Pay 500"], device=f"p{number}"))])
    return made


@pytest.mark.parametrize("damaged", ["part", "list"])
def test_what_is_damaged_is_named(store: Store, tmp_path: Path, damaged: str, vsac: Vsac) -> None:
    place = store.path(store.parts[0]) if damaged == "part" else store.folder / "fleet.json"
    content = bytearray(place.read_bytes())
    middle = len(content) // 3
    if damaged == "part":  # among the lines, which an audit and a compaction read
        columns = pq.ParquetFile(place).metadata.row_group(0)
        lines = next(
            columns.column(nth)
            for nth in range(columns.num_columns)
            if columns.column(nth).path_in_schema == "line"
        )
        middle = lines.data_page_offset + lines.total_compressed_size // 2
    content[middle : middle + 8] = b"\0" * 8
    place.write_bytes(content)
    audit = ("fleet", "audit", "--policy", tmp_path / "rules" / "new.vsa", "--store", store.folder)
    for command in (audit, ("fleet", "compact", "--older-than", "1", "--store", store.folder)):
        told = vsac(*command)
        assert told.returncode == 2 and place.name in told.stderr and "Traceback" not in told.stderr


@pytest.mark.slow
def test_a_process_of_the_pool_that_dies_is_told(store: Store, tmp_path: Path) -> None:
    task = AuditTask(str(store.folder), Policies((str(tmp_path / "rules" / "new.vsa"),)), Policies(None))
    ended: list[object] = []

    def audit() -> None:
        try:
            ended.append(list(run(store, task, "1", local(2))))
        except StoreError as error:
            ended.append(error)

    thread = threading.Thread(target=audit)
    thread.start()
    until = time.monotonic() + 60
    while not (children := multiprocessing.active_children()) and time.monotonic() < until:
        time.sleep(0.001)
    for child in children:
        child.kill()
    thread.join(120)
    assert isinstance(ended[0], StoreError) and "a process ended before its work was done" in str(ended[0])


def test_each_failure_of_the_page_has_its_test() -> None:
    root = Path(__file__).parents[3]
    page = (root / "docs" / "reference" / "fleet.md").read_text(encoding="utf-8")
    rows = [row for row in page.partition("## When something fails")[2].splitlines() if row.startswith("| ")][
        1:
    ]
    tests = "".join(path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("test_*.py"))
    assert len(rows) > 12
    for row in rows:
        names = [name for name in row.split("`") if name.startswith("test_")]
        assert names and all(f"def {name}(" in tests for name in names), row
