"""The journal's file: never overwritten, chained, whole or not at all, one writer, honest about what is wrong."""

import errno
import hashlib
import json
import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from tests import processes
from tests.guard.journal.conftest import kept
from vsalang.guard.journal import file as room
from vsalang.guard.journal.file import Journal, JournalError, TornJournal, read_journal

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def written(tmp_path):
    path = tmp_path / "deep" / "run.jsonl"
    with Journal(path, sync="none") as journal:
        journal.write("session", {"spec": "a"})
        journal.write("propose", {"text": 'ünï "quoted"\n'})
        journal.write("end", {"completed": True})
    return path


def test_what_was_written_is_read(written):
    records = list(read_journal(written))
    assert [(r.number, r.kind) for r in records] == [(1, "session"), (2, "propose"), (3, "end")]
    assert records[1].data == {"text": 'ünï "quoted"\n'}
    assert written.stat().st_mode & 0o077 == 0  # what was on the screen is nobody else's


def test_half_a_character_can_be_written(tmp_path):
    with Journal(tmp_path / "j") as journal:
        journal.write("session", {"text": "\ud800 and é"})
    assert next(read_journal(tmp_path / "j")).data == {"text": "\ud800 and é"}


def test_a_journal_is_never_overwritten(written):
    with pytest.raises(JournalError, match="never overwritten"):
        Journal(written)


def test_a_journal_that_was_closed_takes_nothing(tmp_path):
    journal = Journal(tmp_path / "j")
    journal.close()
    journal.close()
    with pytest.raises(JournalError, match="closed"):
        journal.write("end", {})


@pytest.mark.parametrize("data", [{"x": float("nan")}, {"x": object()}, {"x": {1: 2, "a": 3}}])
def test_what_is_no_json_is_refused_and_leaves_nothing(tmp_path, data):
    with Journal(tmp_path / "j", sync="none") as journal:
        journal.write("session", {})
        with pytest.raises(JournalError):
            journal.write("propose", data)
        journal.write("end", {})
    assert [r.number for r in read_journal(tmp_path / "j")] == [1, 2]


# ---- tampering -----------------------------------------------------------------------------------


def test_a_changed_line_shows(written):
    text = written.read_text(encoding="utf-8").replace('"completed": true', '"completed": false')
    written.write_text(text, encoding="utf-8")
    with pytest.raises(JournalError, match=r"line 3: the line was changed"):
        list(read_journal(written))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"spec": "a"', '"spec":  "a"'),  # what reads the same was not written so
        ('"spec": "a"', '"spec": "b", "spec": "a"'),
        ('"spec": "a"', '"spec": "\\u0061"'),
        ('"v": 3', '"v": 3.0'),
        ("}\n", "} \n"),
    ],
)
def test_a_line_that_reads_the_same_shows_too(written, old, new):
    lines = written.read_text(encoding="utf-8").splitlines(keepends=True)
    assert old in lines[0]
    written.write_text(lines[0].replace(old, new) + "".join(lines[1:]), encoding="utf-8")
    with pytest.raises(JournalError, match="line 1"):
        list(read_journal(written))


@pytest.mark.parametrize("lost", [0, 1])
def test_a_missing_line_shows(written, lost):
    lines = written.read_text(encoding="utf-8").splitlines(keepends=True)
    del lines[lost]
    written.write_text("".join(lines), encoding="utf-8")
    with pytest.raises(JournalError, match="missing or was changed"):
        list(read_journal(written))


def test_lines_that_were_exchanged_show(written):
    one, two, three = written.read_text(encoding="utf-8").splitlines(keepends=True)
    written.write_text(one + three + two, encoding="utf-8")
    with pytest.raises(JournalError, match="line 2: a line before it is missing or was changed"):
        list(read_journal(written))


def test_a_line_with_a_new_hash_breaks_the_chain(written):
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


@pytest.mark.slow
def test_every_changed_byte_shows(written):
    content = written.read_bytes()
    for place in range(len(content)):
        for value in (content[place] ^ 1, ord("\n"), 0):
            if value != content[place]:
                written.write_bytes(content[:place] + bytes([value]) + content[place + 1 :])
                with pytest.raises(JournalError):
                    list(read_journal(written))


# ---- the end of the file -------------------------------------------------------------------------


def test_a_cut_off_last_line_is_told_apart(written):
    data = written.read_bytes()
    whole = data.rindex(b"\n", 0, -1) + 1
    for end in range(whole + 1, len(data)):
        written.write_bytes(data[:end])
        reader = read_journal(written)
        assert [next(reader).kind, next(reader).kind] == ["session", "propose"]
        with pytest.raises(TornJournal, match="line 3: the line was cut off") as caught:
            next(reader)
        assert (caught.value.size, caught.value.torn) == (whole, data[whole:end])


def test_zeros_at_the_end_are_a_cut_line(written):
    """What a file system may leave where a machine died."""
    data = written.read_bytes()
    written.write_bytes(data + b"\0" * 4096)
    with pytest.raises(TornJournal):
        list(read_journal(written))
    written.write_bytes(data + b"\0" * 4096 + b"more\n")
    with pytest.raises(JournalError) as caught:
        list(read_journal(written))
    assert not isinstance(caught.value, TornJournal)


def test_a_journal_goes_on_after_a_cut_line(written):
    data = written.read_bytes()
    written.write_bytes(data[:-10])
    kept(written)
    journal, records, torn = Journal.reopen(written)
    assert [r.kind for r in records] == ["session", "propose"]
    assert data[:-10].endswith(torn)
    assert journal.write("resume", {"torn": len(torn)}) == 3
    journal.close()
    assert [r.kind for r in read_journal(written)] == ["session", "propose", "resume"]


@pytest.mark.parametrize("text", ["", '{"v": 2'])
def test_what_holds_no_line_cannot_go_on(tmp_path, text):
    path = tmp_path / "j"
    path.write_text(text)
    with pytest.raises(JournalError, match="no whole line"):
        Journal.reopen(path)
    assert path.read_text() == text


def test_a_changed_journal_is_left_alone(written):
    text = written.read_text(encoding="utf-8").replace("quoted", "forged")
    written.write_text(text + '{"half', encoding="utf-8")
    with pytest.raises(JournalError, match="line 2: the line was changed"):
        Journal.reopen(written)
    assert written.read_text(encoding="utf-8") == text + '{"half'


@pytest.mark.parametrize(
    "text", ["no json\n", "[1]\n", "{}\n", "[" * 100_000 + "\n", "\n", "\xff\n", '{"v": NaN}\n']
)
def test_what_is_no_journal(tmp_path, text):
    path = tmp_path / "x.jsonl"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(JournalError, match="line 1"):
        list(read_journal(path))


def test_a_line_without_end_is_not_read_whole(tmp_path, monkeypatch):
    monkeypatch.setattr(room, "MAX_LINE", 1000)
    path = tmp_path / "x"
    path.write_bytes(b"x" * 5000)
    with pytest.raises(JournalError, match="too long"):
        list(read_journal(path))
    with Journal(tmp_path / "j") as journal, pytest.raises(JournalError, match="more than"):
        journal.write("propose", {"text": "x" * 2000})


# ---- one writer ----------------------------------------------------------------------------------


def test_a_second_writer_is_refused(tmp_path):
    path = tmp_path / "j"
    with Journal(path) as journal:
        journal.write("session", {})
        with pytest.raises(JournalError, match="being written by another process"):
            Journal.reopen(path)
        code = "import sys; from vsalang.guard.journal.file import Journal; Journal.reopen(sys.argv[1])"
        result = processes.run(["-c", code, str(path)], cwd=ROOT)
        assert "being written by another process" in result.stderr
        assert [r.kind for r in read_journal(path)] == ["session"]  # readers are not kept away
    Journal.reopen(path)[0].close()


# ---- a disk that fails ---------------------------------------------------------------------------


def test_a_disk_that_is_full_for_a_while(tmp_path, monkeypatch):
    """The piece that was written is taken back, so that the next line is whole again."""
    path = tmp_path / "j"
    real = os.write
    with Journal(path) as journal:
        journal.write("session", {})

        def full(fd, data):
            if len(data) > 20:
                return real(fd, bytes(data[:20]))
            raise OSError(errno.ENOSPC, "No space left on device")

        monkeypatch.setattr(room.os, "write", full)
        with pytest.raises(JournalError, match="No space left"):
            journal.write("commit", {"x": "y" * 10})
        monkeypatch.setattr(room.os, "write", real)
        assert journal.write("commit", {}) == 2
    assert [r.kind for r in read_journal(path)] == ["session", "commit"]


@pytest.mark.parametrize("what", ["fsync", "ftruncate"])
def test_a_disk_that_lies_is_not_relied_on_again(tmp_path, monkeypatch, what):
    """After a failed fsync nobody knows what the disk holds; after half a line the next would be lost with it."""
    path = tmp_path / "j"
    journal = Journal(path)
    journal.write("session", {})

    real = os.fsync

    def fails(fd, *_):
        if what == "fsync" and fd != journal._fd:
            return real(fd)
        raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as patched:
        patched.setattr(room.os, what, fails)
        if what == "ftruncate":
            patched.setattr(room.os, "write", fails)
        with pytest.raises(JournalError, match="Input/output"):
            journal.write("commit", {})
    with pytest.raises(JournalError, match="cannot be relied on"):
        journal.write("commit", {})


def test_a_file_that_may_not_grow(tmp_path):
    """A real limit of the system, not a pretended one."""
    pytest.importorskip("resource")
    code = """
import resource, sys
from vsalang.guard.journal.file import Journal, JournalError
journal = Journal(sys.argv[1])
journal.write("session", {})
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY))
try:
    journal.write("commit", {"text": "x" * 2000})
except JournalError as error:
    print("refused:", error)
journal.write("end", {})
"""
    path = tmp_path / "j"
    command = [sys.executable, "-c", code, str(path)]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert "refused: cannot write the journal" in result.stdout, result.stderr
    assert [r.kind for r in read_journal(path)] == ["session", "end"]


@pytest.mark.parametrize(
    ("sync", "forced"),
    [("all", ["s", "p", "c"]), ("effects", ["s", "c"]), ("none", [])],
)
def test_what_is_forced_to_the_disk(tmp_path, monkeypatch, sync, forced):
    calls = []
    with Journal(tmp_path / "j", sync=sync) as journal:
        real = os.fsync

        def noted(kind, fd):
            calls.append(kind if fd == journal._fd else "head")
            real(fd)

        for kind in ("session", "propose", "commit"):
            monkeypatch.setattr(room.os, "fsync", partial(noted, kind[0]))
            journal.write(kind, {})
    # what the head will be is on the disk before the line that it is of
    assert calls == [each for kind in forced for each in ("head", kind)]


def test_a_folder_that_takes_no_file(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(JournalError, match="cannot write the journal"):
        Journal(tmp_path / "file" / "j")
