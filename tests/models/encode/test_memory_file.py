"""The file of the memory: only ours is read, only we may read it, and two processes may write it."""

import datetime as dt
import multiprocessing
import os
import sqlite3
import stat
import tempfile
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vsalang.base.source import database
from vsalang.base.source.database import StoreError
from vsalang.models.encode import memory as store
from vsalang.models.encode.experience import App, Experience
from vsalang.models.encode.memory import Memory

ONE = Experience(
    "0123456789ab",
    'Say "yes" \u202e\n\U0001f600',
    'spec a "x"\n',
    (App("apps.opentable", "d1"), App("notes", "d2", "/x/notes.vsa")),
    ("apps.opentable.Reserve", "notes.Save"),
    "completed",
    "ff00",
    "model-1",
    dt.datetime(2026, 4, 1, 12, tzinfo=dt.UTC),
)


def entry(number: int) -> Experience:
    return replace(ONE, id=f"{number:012x}", added=ONE.added + dt.timedelta(minutes=number))


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    return Memory(tmp_path / "new" / "m.sqlite")


def written(path: Path, *statements: str) -> Path:
    """A database of somebody else."""
    with closing(sqlite3.connect(path)) as database:
        for statement in statements:
            database.execute(statement)
        database.commit()
    path.chmod(0o600)
    return path


def test_entries_are_read_as_they_were_added(memory: Memory) -> None:
    assert memory.entries() == ()
    assert not memory.path.exists()
    later = replace(ONE, id="a" * 12, confirmed="user", added=ONE.added + dt.timedelta(days=1))
    assert (memory.add(ONE), memory.add(later)) == ((), ())
    assert memory.entries() == (later, ONE)
    memory.delete([ONE.id, "unknown"])
    assert memory.entries() == (later,)


@settings(max_examples=30)
@given(st.text(), st.text(), st.text(), st.lists(st.text(), max_size=3))
def test_any_text_comes_back(instruction: str, spec: str, model: str, names: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        memory = Memory(Path(folder) / "m.sqlite")
        apps = tuple(App(name, name, name) for name in names)
        entry = replace(
            ONE, instruction=instruction, spec=spec, model=model, apps=apps, relations=tuple(names)
        )
        memory.add(entry)
        assert memory.entries() == (entry,)


def test_half_a_surrogate_pair_is_replaced(memory: Memory) -> None:
    """The name of a model is what an answer says."""
    memory.add(replace(ONE, model="\ud800", instruction="a\udfff"))
    (entry,) = memory.entries()
    assert (entry.model, entry.instruction) == ("?", "a?")


def test_same_spec_takes_the_place_of_the_old(memory: Memory) -> None:
    memory.add(ONE)
    again = replace(ONE, model="other", apps=(App("apps.opentable", "d9"),))
    memory.add(again)
    assert memory.entries() == (again,)


def test_oldest_make_room(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "MOST_ENTRIES", 3)
    removed = [memory.add(entry(number)) for number in (5, 1, 4, 2, 6)]
    assert removed == [(), (), (), (entry(1).id,), (entry(2).id,)]
    assert memory.add(entry(0)) == (entry(4).id,)  # what is added stays, even with an old date
    assert [each.id for each in memory.entries()] == [entry(n).id for n in (6, 5, 0)]


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")
def test_only_the_user_may_read_it(memory: Memory) -> None:
    before = os.umask(0)
    try:
        memory.add(ONE)
    finally:
        os.umask(before)
    assert stat.S_IMODE(memory.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(memory.path.parent.stat().st_mode) == 0o700
    for mode in (0o640, 0o602):
        memory.path.chmod(mode)
        for use in (memory.entries, lambda: memory.add(ONE)):
            with pytest.raises(StoreError, match="other users may read or write") as refused:
                use()
            assert "chmod 600" in refused.value.hint


def test_links_and_folders_are_not_used(memory: Memory, tmp_path: Path) -> None:
    memory.add(ONE)
    (tmp_path / "link").symlink_to(memory.path)
    (tmp_path / "broken").symlink_to(tmp_path / "none")
    for name in ("link", "broken", "new"):
        with pytest.raises(StoreError, match="is not a regular file"):
            Memory(tmp_path / name).entries()
        with pytest.raises(StoreError, match="is not a regular file"):
            Memory(tmp_path / name).add(ONE)
    assert not (tmp_path / "none").exists()
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(StoreError, match="cannot be made"):
        Memory(tmp_path / "file" / "m.sqlite").add(ONE)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda path: path.write_bytes(b"no database" * 100), "it is not a database"),
        (lambda path: written(path, "CREATE TABLE t (a)"), "a database of another program"),
        (lambda path: written(path, "PRAGMA user_version = 7"), "a database of another program"),
        (lambda path: ours(path, "PRAGMA user_version = 2"), r"a newer vsac \(format 2, here 1\)"),
        (
            lambda path: ours(path, "CREATE VIEW v AS SELECT 1"),
            "is damaged: it does not have just the tables",
        ),
        (
            lambda path: ours(
                path, "CREATE TRIGGER t AFTER INSERT ON entries BEGIN DELETE FROM entries; END"
            ),
            "is damaged",
        ),
        (lambda path: ours(path, "DROP TABLE entries"), "is damaged"),
        (
            lambda path: ours(path, "UPDATE entries SET spec = x'00'"),
            "the entry '0123456789ab' cannot be read",
        ),
        (lambda path: ours(path, "UPDATE entries SET id = char(27) || '[31m'"), "damaged"),
        (lambda path: ours(path, "UPDATE entries SET confirmed = 'model'"), "damaged"),
        (lambda path: ours(path, "UPDATE entries SET apps = '[[[' "), "damaged"),
        (lambda path: ours(path, "UPDATE entries SET apps = '[1]' "), "damaged"),
        (lambda path: ours(path, "UPDATE entries SET relations = '{\"a\": 1}'"), "damaged"),
        (lambda path: ours(path, "UPDATE entries SET apps = '{}'"), "damaged"),
        (lambda path: ours(path, "UPDATE entries SET relations = '[1]'"), "damaged"),
        (lambda path: ours(path, "UPDATE entries SET added = 'yesterday'"), "damaged"),
        (lambda path: ours(path, "UPDATE entries SET spec = printf('%.*c', 70000, 'x')"), "damaged"),
        (lambda path: cut(path), "is damaged"),
    ],
)
def test_other_databases_are_refused_unchanged(
    change: Callable[[Path], object], message: str, tmp_path: Path
) -> None:
    path = tmp_path / "m.sqlite"
    change(path)
    path.chmod(0o600)
    before = path.read_bytes()
    with pytest.raises(StoreError, match=message) as refused:
        Memory(path).entries()
    assert refused.value.hint
    assert path.read_bytes() == before
    if "entry" not in message and message != "damaged":
        with pytest.raises(StoreError, match=message):
            Memory(path).add(entry(3))
        assert path.read_bytes() == before


def ours(path: Path, *statements: str) -> Path:
    Memory(path).add(ONE)
    return written(path, *statements)


def cut(path: Path) -> None:
    """A file that lost its second half."""
    memory = Memory(path)
    memory.add(replace(ONE, spec="x" * 60_000))
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def test_empty_file_becomes_a_memory(tmp_path: Path) -> None:
    """As another process has just made it."""
    path = tmp_path / "m.sqlite"
    path.touch(0o600)
    assert Memory(path).entries() == ()
    Memory(path).add(ONE)
    assert Memory(path).entries() == (ONE,)


def test_busy_file_is_told(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    memory.add(ONE)
    monkeypatch.setattr(database, "SECONDS", 0.01)
    with closing(sqlite3.connect(memory.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert memory.entries() == (ONE,)  # reading goes on
        with pytest.raises(StoreError, match="another process has held it"):
            memory.add(entry(1))


def add(path: Path, first: int) -> None:
    for number in range(first, first + 8):
        Memory(path).add(entry(number))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a process that imports everything again takes seconds")
def test_two_processes_write_at_once(memory: Memory) -> None:
    start = multiprocessing.get_context("fork").Process
    writers = [start(target=add, args=(memory.path, first)) for first in (0, 100)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(60)
        assert writer.exitcode == 0
    assert {each.id for each in memory.entries()} == {entry(n).id for n in (*range(8), *range(100, 108))}


def test_usual_place_is_that_of_the_platform(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", "/data")
    assert store.usual_place() == Path("/data/vsalang/memory.sqlite")
    monkeypatch.setenv("XDG_DATA_HOME", "relative")
    monkeypatch.setenv("HOME", "/home/u")
    assert store.usual_place() == Path("/home/u/.local/share/vsalang/memory.sqlite")
