"""What cannot be recorded does not happen: every row of the table of failures, by breaking what it names."""

import os
from pathlib import Path
from typing import ClassVar

import pytest

from tests.guard.journal.walks import PAGES, PATH, PROGRAM, PROPOSALS, walker
from vsalang.guard import Guard, GuardFailed, NotAllowed
from vsalang.guard.journal import Journal, JournalError, Recorder, read_session, resume
from vsalang.guard.journal import file as room
from vsalang.program.action import Action


class Full(Journal):
    """A journal on a disk that is full while it is said to be."""

    full: frozenset[str] = frozenset()

    def write(self, kind, data):
        if kind in self.full:
            raise JournalError("cannot write the journal: No space left on device")
        return super().write(kind, data)


@pytest.fixture
def made(tmp_path):
    journal = Full(tmp_path / "j.jsonl")
    walk = walker(journal)
    yield walk, journal
    journal.close()


def test_a_proposal_that_cannot_be_written_is_blocked(made):
    walk, journal = made
    walk.step(PATH[0])
    journal.full = frozenset({"propose"})
    before = walk.guard.snapshot
    verdict = walk.guard.propose(Action("back"))
    assert verdict.level == "block" and verdict.because("error")
    assert "could not be recorded" in verdict.reasons[0].message
    with pytest.raises(NotAllowed):
        walk.guard.commit(verdict)
    assert walk.guard.snapshot is before
    journal.full = frozenset()
    verdict = walk.guard.propose(Action("back"))
    walk.guard.commit(verdict)
    assert walk.guard.running


def test_a_warning_that_cannot_be_written_cannot_be_overridden(made):
    walk, journal = made
    walk.step(PATH[0])
    late = PROPOSALS[10]
    assert walk.guard.propose(late).level == "warn"
    journal.full = frozenset({"propose"})
    assert walk.guard.propose(late).level == "block"
    journal.full = frozenset()
    assert walk.guard.propose(late).level == "warn"


def test_a_commit_that_cannot_be_written_is_refused(made):
    walk, journal = made
    walk.step(PATH[0])
    verdict = walk.guard.propose(Action("back"))
    before = walk.guard.snapshot
    journal.full = frozenset({"commit"})
    with pytest.raises(NotAllowed, match="it cannot be recorded, so it may not happen"):
        walk.guard.commit(verdict)
    assert not walk.guard.running and walk.guard.snapshot is before
    journal.full = frozenset()
    with pytest.raises(NotAllowed, match="no fresh verdict"):
        walk.guard.commit(verdict)
    walk.step(("act", PROPOSALS[3], True))
    assert walk.guard.running


def test_a_refusal_that_cannot_be_written_is_one(made):
    walk, journal = made
    walk.step(PATH[0])
    verdict = walk.guard.propose(PROPOSALS[0])
    assert verdict.level == "block"
    journal.full = frozenset({"refused"})
    with pytest.raises(NotAllowed, match=r"the verdict is block .*could not be recorded"):
        walk.guard.commit(verdict)


@pytest.mark.parametrize("kind", ["observe", "screen"])
def test_an_observation_that_cannot_be_written_ends_the_guard(made, kind):
    walk, journal = made
    for op in PATH[:4]:
        walk.step(op)
    journal.full = frozenset({kind})
    with pytest.raises(GuardFailed, match="No space left"):
        walk.guard.observe(PAGES[5])
    assert walk.guard.propose(Action("back")).because("error")
    with pytest.raises(NotAllowed):
        walk.guard.commit(walk.guard.propose(Action("back")))
    journal.close()
    with resume(journal.path, program=PROGRAM, clock=walk.watch) as resumed:
        assert resumed.guard.running  # what was committed is known, its outcome is not
        resumed.guard.observe(PAGES[5])
        assert len(resumed.guard.snapshot.commits) == 1


def test_a_possibly_written_commit_counts_as_done(made, monkeypatch):
    """fsync failed: the line may be there or not. If the resumed session finds it, it was done for all it knows."""
    walk, journal = made
    for op in PATH[:3]:
        walk.step(op)
    verdict = walk.guard.propose(PROPOSALS[0])
    fsync = os.fsync

    def fails(fd):
        if fd == journal._fd:  # not the head's file, which is written before the line
            raise OSError(5, "Input/output error")
        fsync(fd)

    with monkeypatch.context() as patched:
        patched.setattr(room.os, "fsync", fails)
        with pytest.raises(NotAllowed, match="Input/output error"):
            walk.guard.commit(verdict)
    assert walk.guard.propose(Action("back")).because("error")
    journal.close()
    with resume(journal.path, program=PROGRAM, clock=walk.watch) as resumed:
        assert resumed.in_flight is not None and resumed.guard.running


def test_a_commit_whose_head_cannot_be_kept_is_none(made, monkeypatch):
    """The head is forced to the disk before the line is written: nothing was, so the session goes on."""
    walk, journal = made
    for op in PATH[:3]:
        walk.step(op)
    verdict = walk.guard.propose(PROPOSALS[0])

    def fails(fd):
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patched:
        patched.setattr(room.os, "fsync", fails)
        with pytest.raises(NotAllowed, match="cannot keep the head of the journal"):
            walk.guard.commit(verdict)
    assert not walk.guard.running
    walk.guard.commit(walk.guard.propose(PROPOSALS[0]))
    journal.close()
    assert [bool(step.commit) for step in read_session(journal.path).steps] == [True, False, True]


def test_a_session_that_cannot_be_recorded_does_not_begin(tmp_path):
    journal = Full(tmp_path / "j")
    journal.full = frozenset({"session"})
    with pytest.raises(JournalError):
        Guard(PROGRAM, recorder=Recorder(journal))


def test_a_screen_that_cannot_be_recorded(made):
    class Other:
        fingerprint = "x"
        unread: ClassVar[dict[int, frozenset[str]]] = {}
        otherwise = None
        forest = None
        counting = frozenset()

        def relations(self):
            return frozenset()

        def rows(self, relation):
            return ()

    walk, _ = made
    with pytest.raises(GuardFailed, match="cannot be recorded"):
        walk.guard.observe(Other())


def test_an_interrupt_during_a_commit_ends_the_guard(made, monkeypatch):
    walk, journal = made
    walk.step(PATH[0])
    verdict = walk.guard.propose(Action("back"))

    def interrupted(kind, data):
        raise KeyboardInterrupt

    monkeypatch.setattr(journal, "write", interrupted)
    with pytest.raises(KeyboardInterrupt):
        walk.guard.commit(verdict)
    monkeypatch.undo()
    assert not walk.guard.running
    assert walk.guard.propose(Action("back")).because("error")
    with pytest.raises(NotAllowed, match="ended with an error"):
        walk.guard.commit(verdict)


def test_what_a_guard_records_it_does_not_change(tmp_path):
    """With and without a journal the guard says the same."""
    with Journal(tmp_path / "j") as journal:
        one, other = walker(journal), walker()
        for op in PATH:
            assert one.step(op) == other.step(op)


def test_notes_answers_and_ends_are_read(tmp_path):
    path = Path(tmp_path / "j")
    with Journal(path) as journal:
        walk = walker(journal)
        walk.step(PATH[0])
        recorder = walk.guard.recorder
        walk.guard.propose(Action("tap", {"id": "nothing"}), note="why not")
        recorder.answered(False)
        recorder.end(completed=False)
    session = read_session(path)
    (step,) = session.steps
    assert (step.note, step.answer, step.open) == ("why not", False, False)
    assert session.completed is False
