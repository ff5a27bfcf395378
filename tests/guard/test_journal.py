"""The journal: never overwritten, chained, and honest about what was cut off or changed."""

import json
from pathlib import Path

import pytest

from vsalang.guard.journal import Journal, JournalError, read_journal


@pytest.fixture
def written(tmp_path):
    path = tmp_path / "deep" / "run.jsonl"
    with Journal(path, sync=False) as journal:
        journal.write("session", {"spec": "a"})
        journal.write("propose", {"text": 'ünï "quoted"\n'})
        journal.write("end", {"completed": True})
    return path


def test_what_was_written_is_read(written):
    records = list(read_journal(written))
    assert [(r.number, r.kind) for r in records] == [(1, "session"), (2, "propose"), (3, "end")]
    assert records[1].data == {"text": 'ünï "quoted"\n'}


def test_a_journal_is_never_overwritten(written):
    with pytest.raises(JournalError, match="never overwritten"):
        Journal(written)


def test_a_changed_line_shows(written):
    text = written.read_text(encoding="utf-8").replace('"completed": true', '"completed": false')
    written.write_text(text, encoding="utf-8")
    with pytest.raises(JournalError, match=r"line 3: the line was changed"):
        list(read_journal(written))


@pytest.mark.parametrize("lost", [0, 1])
def test_a_missing_line_shows(written, lost):
    lines = written.read_text(encoding="utf-8").splitlines(keepends=True)
    del lines[lost]
    written.write_text("".join(lines), encoding="utf-8")
    with pytest.raises(JournalError, match="missing or was changed"):
        list(read_journal(written))


def test_a_line_with_a_recomputed_hash_still_breaks_the_chain(written):
    import hashlib

    lines = written.read_text(encoding="utf-8").splitlines()
    data = json.loads(lines[1])
    del data["hash"]
    data["text"] = "harmless"
    body = json.dumps(data, ensure_ascii=False, sort_keys=True)
    digest = hashlib.sha256(body.encode()).hexdigest()
    lines[1] = body[:-1] + f', "hash": "{digest}"}}'
    written.write_text("\n".join(lines) + "\n", encoding="utf-8")
    with pytest.raises(JournalError, match="line 3: a line before it is missing or was changed"):
        list(read_journal(written))


def test_a_cut_off_last_line_is_told_apart(written):
    data = written.read_bytes()
    written.write_bytes(data[:-10])
    reader = read_journal(written)
    assert [next(reader).kind, next(reader).kind] == ["session", "propose"]
    with pytest.raises(JournalError, match="cut off"):
        next(reader)


@pytest.mark.parametrize("text", ["no json\n", "[1]\n", "{}\n", "[" * 100_000 + "\n"])
def test_what_is_no_journal(tmp_path, text):
    path = tmp_path / "x.jsonl"
    path.write_text(text)
    with pytest.raises(JournalError):
        list(read_journal(path))


def test_a_disk_that_is_full(tmp_path):
    """/dev/full takes nothing: the error comes before what was to be recorded happens."""
    journal = Journal(tmp_path / "run.jsonl", sync=False)
    journal._file.close()
    journal._file = Path("/dev/full").open("w", encoding="utf-8")  # noqa: SIM115
    with pytest.raises(JournalError, match="cannot write"):
        journal.write("commit", {"step": 1})
