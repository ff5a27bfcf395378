"""Heads of journals: what was cut off the end of one is missed, and nothing is done again for it."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.guard.breakable import RESERVE, Session
from tests.guard.phones import details, receipt
from vsalang.guard.journal import journal_heads as heads
from vsalang.guard.journal.file import Journal, JournalError, read_journal
from vsalang.program.action import Action


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where heads are kept."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state" / "vsalang" / "heads"


@pytest.fixture
def booked(tmp_path: Path) -> Session:
    """A session in which the booking was done; the guard is gone."""
    made = Session(tmp_path)
    made.act(RESERVE)
    made.guard.observe(receipt())
    made.journal.close()
    return made


def lines(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines(keepends=True)


def last_commit(path: Path) -> int:
    return max(record.number for record in read_journal(path) if record.kind == "commit")


def test_a_cut_journal_is_not_continued(booked: Session) -> None:
    whole = lines(booked.path)
    booked.path.write_bytes(b"".join(whole[: last_commit(booked.path) - 1]))
    problem = f"its end is missing: it has .* and line {len(whole)} was written"
    with pytest.raises(JournalError, match=problem), booked.resumed():
        pass


@pytest.mark.parametrize("rest", [b"", b'{"half', b"\0" * 50])
def test_it_is_missed_at_every_line(booked: Session, rest: bytes) -> None:
    whole = lines(booked.path)
    last = max(r.number for r in read_journal(booked.path) if r.kind not in heads.LAZY)
    for count in range(1, len(whole) + 1):
        booked.path.write_bytes(b"".join(whole[:count]) + rest)
        if count < last:
            with pytest.raises(JournalError, match="its end is missing"):
                Journal.reopen(booked.path)
        else:
            Journal.reopen(booked.path)[0].close()


def test_a_whole_journal_goes_on_with_what_was_done(booked: Session) -> None:
    with booked.resumed() as guard:
        guard.observe(details(("18:30", True)))
        assert guard.propose(RESERVE).level == "block"


def test_another_journal_in_its_place_is_refused(booked: Session, tmp_path: Path) -> None:
    (tmp_path / "more").mkdir()
    other = Session(tmp_path / "more")
    other.journal.close()
    booked.path.write_bytes(other.path.read_bytes() + b"".join(lines(booked.path)[len(lines(other.path)) :]))
    with pytest.raises(JournalError):
        Journal.reopen(booked.path)
    longer = lines(booked.path)[: len(lines(other.path))]
    booked.path.write_bytes(b"".join(longer))
    with pytest.raises(JournalError):
        Journal.reopen(booked.path)


@pytest.mark.parametrize("how", ["moved", "removed", "emptied", "forged", "open", "key"])
def test_without_its_head_a_journal_is_refused(booked: Session, place: Path, how: str) -> None:
    (head,) = place.glob("*.head")
    if how == "moved":
        booked.path = booked.path.rename(booked.path.with_name("moved.jsonl"))
    elif how == "removed":
        head.unlink()
    elif how == "emptied":
        head.write_bytes(b"")
    elif how == "forged":
        seal, _, body = head.read_bytes().partition(b"\n")
        head.write_bytes(seal + b"\n" + json.dumps({**json.loads(body), "number": 1}).encode())
    elif how == "open":
        head.chmod(0o644)
    else:
        (place / "key").write_bytes(b"?" * 32)
    with pytest.raises(JournalError, match="--head HASH"):
        Journal.reopen(booked.path)
    for named, problem in (("0" * 64, "no line has the hash"), ("", "no line has the hash")):
        with pytest.raises(JournalError, match=problem):
            Journal.reopen(booked.path, head=named)
    *_, last = read_journal(booked.path)
    journal = Journal.reopen(booked.path, head=last.hash)[0]
    journal.write("end", {"completed": None})
    journal.close()
    Journal.reopen(booked.path)[0].close()  # from now on its head is kept here again


def test_a_named_head_vouches_for_no_later_line(booked: Session, place: Path) -> None:
    for path in place.glob("*.head"):
        path.unlink()
    first = next(iter(read_journal(booked.path)))
    with pytest.raises(JournalError, match="was added after line 1"):
        Journal.reopen(booked.path, head=first.hash)


def test_naming_a_head_does_not_restore_what_was_cut(booked: Session) -> None:
    booked.path.write_bytes(b"".join(lines(booked.path)[: last_commit(booked.path) - 1]))
    *_, last = read_journal(booked.path)
    with pytest.raises(JournalError, match="its end is missing"):
        Journal.reopen(booked.path, head=last.hash)


def test_a_line_that_no_guard_wrote_is_not_believed(booked: Session, tmp_path: Path) -> None:
    """Such as one that gives a licence back: the chain alone would take it."""
    copy = tmp_path / "forger.jsonl"
    copy.write_bytes(booked.path.read_bytes())
    *_, last = read_journal(copy)
    forger = Journal.reopen(copy, head=last.hash)[0]
    forger.write("given_back", {"clock": "2026-04-01T12:00:00", "entry": 0, "action": "Reserve"})
    forger.close()
    booked.path.write_bytes(copy.read_bytes())
    with pytest.raises(JournalError, match='"given_back", was added after line'):
        Journal.reopen(booked.path)


class _Died(BaseException):
    """The process is gone."""


@pytest.mark.parametrize("where", ["prepare", "append", "settle"])
@pytest.mark.parametrize("kind", ["session", "commit"])
def test_a_crash_at_any_step_leaves_it_usable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str, kind: str
) -> None:
    path = tmp_path / "j"
    journal = Journal(path)
    if kind == "commit":
        journal.write("session", {})

    def dies(*_: Any) -> None:
        raise _Died

    what: Any = Journal if where == "append" else heads.Heads
    with monkeypatch.context() as patched:
        patched.setattr(what, {"append": "_append"}.get(where, where), dies)
        with pytest.raises(_Died):
            journal.write(kind, {})
    journal.close()
    if kind == "session" and where != "settle":
        with pytest.raises(JournalError, match="no whole line"):
            Journal.reopen(path)
        return
    again, records, _ = Journal.reopen(path)
    beyond = kind == "commit" and where == "settle"
    assert [r.kind for r in records] == (["session", "commit"] if beyond else ["session"])
    assert again.beyond == int(beyond)
    again.write("resume", {})
    again.close()
    Journal.reopen(path)[0].close()


def test_what_cannot_be_prepared_is_not_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = Session(tmp_path)
    verdict = made.guard.propose(RESERVE)
    before = made.path.read_bytes()

    def full(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(heads.private, "create", full)
        with pytest.raises(Exception, match="No space left"):
            made.guard.commit(verdict)
    assert made.path.read_bytes() == before and not made.guard.running
    made.guard.commit(made.guard.propose(RESERVE))  # there is room again
    assert made.guard.running


@pytest.mark.parametrize("left", [b"", b"half of it"])
def test_a_preparation_that_was_cut_off_is_replaced(tmp_path: Path, left: bytes) -> None:
    """Who is killed while a head is prepared leaves a part of it, and no line."""
    path = tmp_path / "j.jsonl"
    with Journal(path) as journal:
        journal.write("session", {})
        next_head = journal._heads.file.with_suffix(".next")  # type: ignore[union-attr]
    next_head.write_bytes(left)
    again, records, _ = Journal.reopen(path)
    with again:
        assert [record.kind for record in records] == ["session"]
        again.write("resume", {})
    assert not next_head.exists()
    Journal.reopen(path)[0].close()


def test_without_a_place_for_heads_nothing_is_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    made = Session(tmp_path)
    made.act(Action("wait"))
    assert "cannot be made" in heads.problem()
    with pytest.raises(JournalError, match="no head of it can be kept here"), made.resumed():
        pass


def test_files_are_the_users_alone(booked: Session, place: Path) -> None:
    (head,) = place.glob("*.head")
    assert [p.stat().st_mode & 0o777 for p in (place, head, place / "key")] == [0o700, 0o600, 0o600]
    assert not list(place.glob("*.next"))
    place.chmod(0o755)
    with pytest.raises(JournalError, match="alone can read and write"):
        Journal.reopen(booked.path)


def test_another_path_to_the_file_is_the_same_journal(
    booked: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "link.jsonl").symlink_to(booked.path)
    monkeypatch.chdir(tmp_path)
    for name in ("link.jsonl", f"./{booked.path.name}"):
        Journal.reopen(name)[0].close()


def test_a_journal_that_tells_of_nothing_leaves_no_head(tmp_path: Path, place: Path) -> None:
    journal = Journal(tmp_path / "j")
    journal.write("session", {})
    journal.discard()
    assert not (tmp_path / "j").exists() and [p.name for p in place.iterdir()] == ["key"]


def test_heads_of_journals_that_are_gone_go(
    tmp_path: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(heads, "MOST_HEADS", 3)
    for number in range(6):
        with Journal(tmp_path / str(number), sync="none") as journal:
            journal.write("session", {})
        if number < 4:
            (tmp_path / str(number)).unlink()
    assert len(list(place.glob("*.head"))) == 2
    Journal.reopen(tmp_path / "5")[0].close()


def test_what_a_killed_session_left_prepared_goes_too(
    tmp_path: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(heads, "MOST_HEADS", 3)
    for number in range(6):
        kept = heads.Heads(tmp_path / str(number), force=False)
        (tmp_path / str(number)).touch()
        kept.prepare(heads.Head(1, "a"))  # and no line is written
        if number < 4:
            (tmp_path / str(number)).unlink()
    assert len(list(place.glob("*.next"))) == 2
