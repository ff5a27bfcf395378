"""`vsac fleet query`, `export` and `compact`: ready questions, nothing but the store is read, journals come back."""

import datetime as dt
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from tests.tools.fleet.journals import record
from vsalang.tools.fleet import keeping
from vsalang.tools.fleet.keeping import compact
from vsalang.tools.fleet.questions import NAMES
from vsalang.tools.fleet.rows import read_rows
from vsalang.tools.fleet.schema import StoreError
from vsalang.tools.fleet.store import Store
from vsalang.tools.fleet.views import VIEWS, connect, rows

Vsac = Callable[..., CompletedProcess[str]]


@pytest.fixture(scope="module")
def folder(journals: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The store of the three journals, each in a part of its own."""
    place = tmp_path_factory.mktemp("query") / "fleet"
    with Store(place) as store:
        for path in sorted(journals.glob("*.jsonl")):
            store.add([read_rows(path, "acme" if path.stem == "a" else "other")])
    return place


@pytest.fixture
def ask(folder: Path, vsac: Vsac) -> Callable[..., list[dict[str, object]]]:
    def asked(*args: object) -> list[dict[str, object]]:
        done = vsac("fleet", "query", *args, "--store", folder, "--json")
        assert (done.returncode, done.stderr) == (0, "")
        return json.loads(done.stdout)["rows"]

    return asked


def test_ready_questions(ask: Callable[..., list[dict[str, object]]]):
    (blocked,) = ask("blocked-rules")
    assert (blocked["rule"], blocked["times"], blocked["sessions"]) == ("OLD-1", 3, 2)
    assert ask("silent-rules") == [{"rule": "OLD-3", "module": "old", "sessions": 3}]
    (violated,) = ask("contracts")
    assert (violated["package"], violated["rule"], violated["times"]) == ("com.example.shop", "SORRY", 1)
    alarms = {(each["category"], each["effect"]): each["times"] for each in ask("alarms")}
    assert alarms == {
        ("financial", "shop.Pay"): 3,
        ("none", "shop.Pay"): 1,
        ("privacy", "none"): 1,
        ("privacy", "shop.Pay"): 1,
    }
    assert {(each["rule"], each["this"], each["before"]) for each in ask("changes")} == {
        ("OLD-1", 3, 0),
        ("OLD-2", 2, 0),
    }


def test_a_tenant_has_its_own_answers(ask: Callable[..., list[dict[str, object]]]):
    count = ("--sql", "SELECT count(*) AS n, min(tenant) AS t FROM sessions")
    assert ask(*count, "--tenant", "acme") == [{"n": 1, "t": "acme"}]
    assert ask(*count, "--tenant", "it's \"me") == [{"n": 0, "t": None}]
    assert ask(*count) == [{"n": 3, "t": "acme"}]


def test_every_view_has_rows(folder: Path):
    connection = connect(Store(folder))
    for name in VIEWS:
        assert rows(connection, f"SELECT * FROM {name}")[1], name
    edges = rows(connection, "SELECT source, gesture, target, times FROM edges")[1]
    assert ("shop:Page", 'tap(text = "Pay 5")', "shop:Page", 2) in edges


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM '/etc/passwd'",
        "COPY (SELECT 1) TO 'out.csv'",
        "ATTACH 'other.db'",
        "SET enable_external_access = true",
        "INSTALL httpfs",
    ],
)
def test_a_query_reads_nothing_but_the_store(folder: Path, query: str):
    with pytest.raises(StoreError, match="cannot be answered"):
        rows(connect(Store(folder)), query)


def test_charts_and_tables(folder: Path, vsac: Vsac):
    chart = vsac("fleet", "query", "alarms", "--store", folder, "--format", "chart")
    assert chart.stdout.splitlines()[0] == f"financial shop.Pay         3  {'█' * 40}"
    for name in NAMES:
        told = vsac("fleet", "query", name, "--store", folder)
        assert told.returncode == 0 and told.stdout.splitlines()[0].endswith("?")
    wrong = vsac("fleet", "query", "--sql", "SELECT nothing", "--store", folder)
    assert wrong.returncode == 2 and "there are the views records, sessions" in wrong.stderr
    for empty in ("", ";", "-- a comment"):
        nothing = vsac("fleet", "query", "--sql", empty, "--store", folder)
        assert nothing.returncode == 2 and "no question in the SQL" in nothing.stderr
    few = vsac("fleet", "query", "alarms", "--most", "1", "--store", folder)
    assert "and 3 more: --most" in few.stdout


def test_a_journal_comes_back(folder: Path, journals: Path, tmp_path: Path, vsac: Vsac):
    session = read_rows(journals / "c.jsonl").session
    out = tmp_path / "c.jsonl"
    assert vsac("fleet", "export", session[:12], "--store", folder, "-o", out).returncode == 0
    assert out.read_bytes() == (journals / "c.jsonl").read_bytes()
    assert vsac("fleet", "export", session, "--store", folder, "-o", out).returncode == 2
    assert "several" in vsac("fleet", "export", "", "--store", folder, "-o", out, "--force").stderr


def test_compact_keeps_every_row(journals: Path, tmp_path: Path, vsac: Vsac):
    store = Store(tmp_path / "s")
    for path in sorted(journals.glob("*.jsonl")):
        store.add([read_rows(path)])
    before = sorted(str(row) for part in store.parts for row in store.table(part).to_pylist())
    (tmp_path / "s" / "part-left-by-a-killed-writer.parquet").write_bytes(b"")
    assert (
        "3 parts before, 1 now, with 3 sessions" in vsac("fleet", "compact", "--store", tmp_path / "s").stdout
    )
    store = Store(tmp_path / "s")
    assert sorted(str(row) for part in store.parts for row in store.table(part).to_pylist()) == before
    assert [path.name for path in (tmp_path / "s").glob("part-*")] == [store.parts[0].name]
    assert store.add([read_rows(journals / "a.jsonl")]) == ("known",)


def test_compact_lets_go_of_old_and_secret(tmp_path: Path):
    for name in ("a", "b"):
        record(tmp_path / f"{name}.jsonl", ["Next"], secret="Card 4111 1111 1111 1111", device=name)
    store = Store(tmp_path / "s")
    store.add([read_rows(tmp_path / "a.jsonl")])
    middle = dt.datetime.now(dt.UTC)
    record(tmp_path / "c.jsonl", ["Next"], secret="Card 4111 1111 1111 1111", device="c")
    store.add([read_rows(tmp_path / "c.jsonl")])
    from vsalang.screen.secrets import Redactor

    result = compact(store, older_than=middle, redactor=Redactor)
    assert (result.dropped, result.redacted, result.sessions) == (1, 1, 1)
    text = str([row for part in store.parts for row in store.table(part).to_pylist()])
    assert "4111 1111" not in text and "'c'" in text
    assert compact(store, older_than=dt.datetime.now(dt.UTC)).sessions == 0
    assert Store(tmp_path / "s").parts == ()


def test_a_killed_compaction_changes_nothing(journals: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    store = Store(tmp_path / "s")
    for path in sorted(journals.glob("*.jsonl")):
        store.add([read_rows(path)])
    before = store.parts

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(keeping.Store, "replace", killed)
    with pytest.raises(KeyboardInterrupt):
        compact(store)
    assert Store(tmp_path / "s").parts == before
    assert all(store.table(part).num_rows for part in before)


def test_questions_are_asked_one_at_a_time(folder: Path) -> None:
    with Store(folder) as store, connect(store) as connection:
        with pytest.raises(StoreError, match="more than one question"):
            rows(connection, "SELECT 1; SELECT 2")
        assert rows(connection, "SELECT 2 AS n;") == (["n"], [(2,)])


def test_a_folder_with_signs_of_patterns_is_refused(folder: Path, tmp_path: Path) -> None:
    odd = tmp_path / "fleet[1]"
    shutil.copytree(folder, odd)
    with Store(odd) as store, pytest.raises(StoreError, match=r"one of \* \? \["):
        connect(store)
