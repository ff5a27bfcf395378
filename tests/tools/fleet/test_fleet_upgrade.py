"""A store of an older version is brought to the columns of this one; a kill in the middle loses nothing."""

import json
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess, run

import pyarrow.parquet as pq
import pytest

from tests.tools.fleet.journals import record
from vsalang.screen.secrets import KINDS, Redactor
from vsalang.tools.fleet.rows import read_rows
from vsalang.tools.fleet.schema import COLUMNS, SCHEMA_KEY, VERSION
from vsalang.tools.fleet.store import Store

_SINCE_2 = ["app_version"]
"""The columns that version 1 did not have."""


def store_of_version_1(folder: Path, journals: Path) -> Path:
    """A store as version 1 wrote it: two parts; in one of them is a session without its secrets."""
    with Store(folder) as store:
        store.add([read_rows(journals / "a.jsonl", "shop"), read_rows(journals / "c.jsonl")])
        store.add([read_rows(journals / "b.jsonl", "shop", Redactor(KINDS))])
        for part in store.parts:
            table = store.table(part).drop_columns(_SINCE_2)
            pq.write_table(
                table.replace_schema_metadata({SCHEMA_KEY: b"1"}), store.path(part), write_page_checksum=True
            )
    data = json.loads((folder / "fleet.json").read_text())
    (folder / "fleet.json").write_text(json.dumps({**data, "version": 1}))
    return folder


@pytest.fixture
def old(tmp_path: Path, journals: Path) -> Path:
    return store_of_version_1(tmp_path / "fleet", journals)


def all_rows(folder: Path) -> list[dict[str, object]]:
    store = Store(folder, make=False)
    rows = [row for part in store.parts for row in store.table(part).to_pylist()]
    return sorted(rows, key=lambda row: (row["tenant"], row["session"], row["number"]))


def test_an_older_store_is_upgraded_and_says_the_same(
    old: Path, journals: Path, tmp_path: Path, vsac: Callable[..., CompletedProcess[str]]
) -> None:
    refused = vsac("fleet", "query", "alarms", "--store", old)
    assert refused.returncode == 2 and f"vsac fleet upgrade {old}" in refused.stderr
    told = vsac("fleet", "upgrade", old)
    assert told.returncode == 0, told.stderr
    assert (
        "was of version 1" in told.stdout
        and "3 sessions" in told.stdout
        and "1 session without" in told.stdout
    )
    with Store(tmp_path / "new") as store:
        store.add([read_rows(journals / "a.jsonl", "shop"), read_rows(journals / "c.jsonl")])
        store.add([read_rows(journals / "b.jsonl", "shop", Redactor(KINDS))])
    assert all_rows(old) == all_rows(tmp_path / "new")
    assert len(list(old.glob("part-*.parquet"))) == 2  # the old ones are gone
    assert vsac("fleet", "query", "alarms", "--store", old).returncode == 0
    assert (
        vsac("fleet", "audit", "--policy", journals / "rules" / "new.vsa", "--store", old).returncode == 2
    )  # redacted
    again = vsac("fleet", "upgrade", old, "--json")
    assert json.loads(again.stdout)["before"] == json.loads(again.stdout)["after"] == VERSION


@pytest.mark.parametrize(
    ("cut", "version"),
    [("Store.write", 1), ("Store.replace", 1), ("Store._index", VERSION)],
    ids=["after-a-part", "before-the-list", "after-the-list"],
)
def test_a_killed_upgrade_loses_nothing(
    old: Path, journals: Path, cut: str, version: int, vsac: Callable[..., CompletedProcess[str]]
) -> None:
    """kill -9 between two parts, just before the list is replaced, and just after."""
    owner, name = cut.split(".")
    code = f"""
import os, signal, sys
from pathlib import Path
import vsalang.tools.fleet.store as s
from vsalang.tools.fleet.upgrading import upgrade
real, calls = s.{owner}.{name}, []
def killed(self, *args):
    calls.append(1)
    if len(calls) == {1 if name == "replace" else 2}:
        os.kill(os.getpid(), signal.SIGKILL)
    return real(self, *args)
s.{owner}.{name} = killed
upgrade(Path(sys.argv[1]))
"""
    killed = run([sys.executable, "-c", code, str(old)], capture_output=True, timeout=100)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert json.loads((old / "fleet.json").read_text())["version"] == version
    assert vsac("fleet", "upgrade", old).returncode == 0
    rows = all_rows(old)
    assert {row["tenant"] for row in rows} == {"shop", ""}
    lines = [str(row["line"]) for row in rows if row["tenant"] == "" and row["number"] != 1]
    assert lines == (journals / "c.jsonl").read_text().splitlines(keepends=True)[1:]
    assert vsac("fleet", "compact", "--store", old).returncode == 0  # what the killed one left goes
    assert len(list(old.glob("part-*.parquet"))) == len(Store(old, make=False).parts)


@pytest.mark.parametrize("version", [0, VERSION + 1, "1", None])
def test_what_is_not_an_older_store_is_refused(
    old: Path, version: object, vsac: Callable[..., CompletedProcess[str]]
) -> None:
    data = json.loads((old / "fleet.json").read_text())
    (old / "fleet.json").write_text(json.dumps({**data, "version": version}))
    before = (old / "fleet.json").read_bytes()
    told = vsac("fleet", "upgrade", old)
    assert told.returncode == 2 and "Traceback" not in told.stderr
    assert ("update vsac" in told.stderr) == (version == VERSION + 1)
    assert (old / "fleet.json").read_bytes() == before


def test_a_folder_of_something_else_is_refused(
    tmp_path: Path, vsac: Callable[..., CompletedProcess[str]]
) -> None:
    told = vsac("fleet", "upgrade", tmp_path)
    assert told.returncode == 2 and "neither a store nor" in told.stderr


def test_the_columns_of_version_1_are_all_there() -> None:
    assert set(_SINCE_2) < set(COLUMNS) and VERSION == 2, "name here the columns that version 2 did not have"


def test_the_version_of_an_app_is_in_its_rows(
    tmp_path: Path, vsac: Callable[..., CompletedProcess[str]]
) -> None:
    journal = record(tmp_path / "a.jsonl", ["Pay 500"], apps={"com.example.shop": "5.4.1"})
    assert vsac("fleet", "import", journal, "--store", tmp_path / "s").returncode == 0
    told = vsac("fleet", "query", "contracts", "--store", tmp_path / "s", "--json")
    rows = json.loads(told.stdout)["rows"]
    assert rows and {row[1] for row in map(_values, rows)} == {"5.4.1"}


def _values(row: object) -> list[object]:
    return list(row.values()) if isinstance(row, dict) else list(row)  # type: ignore[call-overload]
