"""`vsac fleet import`: rows that are the journal, nothing twice, and what is broken is named."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from tests.tools.fleet.journals import record
from vsalang.guard.journal import JournalError
from vsalang.tools.fleet.rows import read_rows, rows_of, whole_line
from vsalang.tools.fleet.schema import VERSION, StoreError
from vsalang.tools.fleet.store import Store

Vsac = Callable[..., CompletedProcess[str]]


def lines(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines(keepends=True)


def stored(folder: Path) -> list[dict[str, object]]:
    """The rows of a store, in order."""
    with Store(folder, make=False) as store:
        return [row for part in store.parts for row in store.table(part).to_pylist()]


def test_rows_give_back_each_line(journals: Path, tmp_path: Path):
    with Store(tmp_path / "s") as store:
        assert store.add([read_rows(journals / "a.jsonl", "acme")]) == ("new",)
    rows = stored(tmp_path / "s")
    assert [whole_line(row).encode() for row in rows] == lines(journals / "a.jsonl")
    assert {row["tenant"] for row in rows} == {"acme"} and rows[0]["cut"] is not None
    assert "app shop" in str(rows[0]["sources"]) and "app shop" not in str(rows[0]["line"])


def test_a_proposal_has_what_came_of_it(journals: Path):
    rows = {row["step"]: row for row in read_rows(journals / "a.jsonl").rows if "step" in row}
    assert [rows[n]["level"] for n in range(1, 7)] == [
        "allow",
        "allow",
        "allow",
        "block",
        "confirm",
        "confirm",
    ]
    assert rows[2]["actions"] == ['shop.Pay(what = "Pay 5")'] and rows[2]["delivered"] is True
    assert [each["outcome"] for each in rows[2]["contracts"]] == ["met", "met"]
    assert rows[4]["committed"] is False and rows[5]["committed"] is True
    (reason,) = rows[4]["reasons"]
    assert (reason["rule"], reason["risks"], reason["severity"]) == ("OLD-1", ["financial"], "high")
    assert rows[4]["package"] == "com.example.shop" and len(rows[4]["module_version"]) == 12
    assert (rows[3]["shown"], rows[3]["after_shown"]) == (["shop:Page"], ["shop:Page"])


def test_nothing_is_imported_twice(journals: Path, tmp_path: Path, vsac: Vsac):
    store = tmp_path / "s"
    first = vsac("fleet", "import", journals, "--store", store, "--json")
    assert first.returncode == 0 and json.loads(first.stdout)["new"] == 3
    copy = shutil.copy(journals / "a.jsonl", tmp_path / "other.jsonl")
    again = json.loads(vsac("fleet", "import", journals, copy, "--store", store, "--json").stdout)
    assert (again["new"], again["known"]) == (0, 4)
    assert len(stored(store)) == sum(len(lines(path)) for path in journals.glob("*.jsonl"))


def test_a_longer_journal_replaces_the_shorter(journals: Path, tmp_path: Path, vsac: Vsac):
    text = lines(journals / "a.jsonl")
    part = tmp_path / "a.jsonl"
    part.write_bytes(b"".join(text[:9]))
    store = tmp_path / "s"
    vsac("fleet", "import", part, journals / "b.jsonl", "--store", store)
    told = vsac("fleet", "import", journals / "a.jsonl", "--store", store, "--json")
    assert json.loads(told.stdout)["grown"] == 1
    assert len(stored(store)) == len(text) + len(lines(journals / "b.jsonl"))
    assert json.loads(vsac("fleet", "import", part, "--store", store, "--json").stdout)["known"] == 1
    assert len(list(store.glob("part-*"))) == len(Store(store).parts)


def test_broken_journals_are_named_with_their_line(journals: Path, tmp_path: Path, vsac: Vsac):
    text = lines(journals / "a.jsonl")
    changed, missing, cut = tmp_path / "changed.jsonl", tmp_path / "missing.jsonl", tmp_path / "cut.jsonl"
    changed.write_bytes(b"".join([*text[:3], text[3].replace(b"Next", b"Nexu"), *text[4:]]))
    missing.write_bytes(b"".join(text[:4] + text[5:]))
    cut.write_bytes(b"".join(text[:6]) + text[6][:20])
    done = vsac(
        *("fleet", "import", changed, missing, journals / "b.jsonl", tmp_path / "gone.jsonl", cut),
        *("--store", tmp_path / "s", "--json"),
    )
    assert done.returncode == 1
    told = json.loads(done.stdout)
    assert told["new"] == 1
    assert [each["why"].removeprefix(f"{tmp_path}/") for each in told["broken"]] == [
        "changed.jsonl, line 4: the line was changed after it was written",
        "missing.jsonl, line 5: a line before it is missing or was changed",
        f"cannot read {tmp_path}/gone.jsonl: no such file or directory",
        "cut.jsonl, line 7: the line was cut off while it was written; the lines before it are whole",
    ]
    assert (
        json.loads(vsac("fleet", "import", cut, "--torn", "--store", tmp_path / "s", "--json").stdout)["new"]
        == 1
    )


def test_two_ends_of_one_beginning_are_not_joined(journals: Path, tmp_path: Path, vsac: Vsac):
    """Who can write journals can give a session another end: the one that is there stays."""
    from vsalang.guard.journal.file import Journal, read_journal

    forged = tmp_path / "forged.jsonl"
    with Journal(forged, sync="none", resumable=False) as journal:
        for each in list(read_journal(journals / "a.jsonl"))[:8]:
            journal.write(each.kind, each.data)
        journal.write("end", {"at": "2026-01-01T00:00:00+00:00", "completed": True})
    assert lines(forged)[:8] == lines(journals / "a.jsonl")[:8]
    store = tmp_path / "s"
    vsac("fleet", "import", journals / "a.jsonl", "--store", store)
    done = vsac("fleet", "import", forged, "--store", store)
    assert done.returncode == 1 and "goes on otherwise" in done.stderr
    assert [whole_line(row).encode() for row in stored(store)] == lines(journals / "a.jsonl")


def test_redacted_sessions_hold_no_secret(tmp_path: Path, vsac: Vsac):
    secret = "4111 1111 1111 1111"
    record(tmp_path / "a.jsonl", ["Next"], secret=f"Card {secret}")
    vsac("fleet", "import", tmp_path / "a.jsonl", "--store", tmp_path / "s", "--redact")
    rows = stored(tmp_path / "s")
    text = json.dumps(rows, default=str)
    assert rows[0]["redacted"] is True and "card 1" in text
    assert not [written for written in (secret, "4111 1111", "4111111111111111") if written in text]


def test_values_of_wrong_types_are_left_out(journals: Path):
    """A journal whose chain fits may hold anything that a session may; only texts are taken as texts."""
    text = lines(journals / "b.jsonl")
    with pytest.raises(JournalError, match="line 1: this is not a journal"):
        rows_of("x", [b'{"a": NaN}\n'])
    with pytest.raises(JournalError, match="x is empty"):
        rows_of("x", [])
    assert rows_of("x", text[:4]).head == json.loads(text[3])["hash"]


def test_another_version_of_the_store_is_refused(tmp_path: Path, vsac: Vsac):
    (tmp_path / "fleet.json").write_text('{"version": 99, "parts": []}')
    done = vsac("fleet", "import", tmp_path, "--store", tmp_path)
    assert done.returncode == 2
    for name in ("../x", "..", "a.jsonl", "part-*.parquet", "part-x.parquet/"):
        parts = [{"name": name, "rows": 1, "sessions": 1, "size": 1}]
        (tmp_path / "fleet.json").write_text(json.dumps({"version": VERSION, "parts": parts}))
        with pytest.raises(StoreError, match="another file"):
            Store(tmp_path)


def test_writers_wait_for_each_other(journals: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Two at a time: the second sees what the first added, or says that another one writes."""
    one, other = Store(tmp_path), Store(tmp_path)
    with one.writing():
        monkeypatch.setattr("vsalang.tools.fleet.store.PATIENCE", 0)
        with pytest.raises(StoreError, match="another process writes to"):
            other.add([read_rows(journals / "a.jsonl")])
    assert one.add([read_rows(journals / "a.jsonl")]) == ("new",)
    assert other.add([read_rows(journals / "a.jsonl"), read_rows(journals / "b.jsonl")]) == ("known", "new")
    assert one.add([read_rows(journals / "b.jsonl")]) == ("known",)


def test_a_full_disk_leaves_the_store_as_it_was(
    journals: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, vsac: Vsac
):
    vsac("fleet", "import", journals / "a.jsonl", "--store", tmp_path / "s")
    before = stored(tmp_path / "s")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("vsalang.tools.fleet.store.os.fsync", full)
    done = vsac("fleet", "import", journals / "b.jsonl", "--store", tmp_path / "s")
    assert done.returncode == 2 and "No space left on device" in done.stderr
    assert stored(tmp_path / "s") == before and len(list((tmp_path / "s").glob("part-*"))) == 1


def test_a_session_that_grows_keeps_its_secrets_replaced(tmp_path: Path, vsac: Vsac):
    """What was redacted in the store is not replaced by lines that hold the secret."""
    journal = record(tmp_path / "a.jsonl", ["Next", "Pay 5"], secret="anna@mail.example")
    whole = journal.read_bytes()
    journal.write_bytes(b"".join(whole.splitlines(keepends=True)[:-2]))
    store = tmp_path / "s"
    assert vsac("fleet", "import", journal, "--store", store, "--redact").returncode == 0
    journal.write_bytes(whole)
    told = vsac("fleet", "import", journal, "--store", store)
    assert told.returncode == 1 and "its secrets are replaced in the store: --redact takes it" in told.stderr
    told = vsac("fleet", "import", journal, "--store", store, "--redact")
    assert told.returncode == 0 and "1 replaced by longer ones" in told.stdout
    made = Store(store, make=False)
    rows = [row for part in made.parts for row in made.table(part).to_pylist()]
    assert len(rows) == len(whole.splitlines()) and not [row for row in rows if "anna" in row["line"]]


@pytest.mark.parametrize(
    "content", [b"hello\n", b"\xff\xfe\n", b"[" * 100_000 + b"\n", b'{"a": 1}\n', b"[1]\n"]
)
def test_what_is_not_a_journal_is_plainly_said(tmp_path: Path, content: bytes, vsac: Vsac):
    path = tmp_path / "notes.jsonl"
    path.write_bytes(content)
    told = vsac("fleet", "import", path, "--store", tmp_path / "s")
    assert told.returncode == 1 and "notes.jsonl, line 1: " in told.stderr
    for word in ("Expecting", "codec", "column", "recursion", "char "):
        assert word not in told.stderr


def test_an_audit_without_a_policy_says_what_is_needed(vsac: Vsac):
    told = vsac("fleet", "audit")
    assert told.returncode == 2
    assert (
        "Give --policy, the file of a policy that every session of the store is to be judged by."
        in told.stderr
    )
