"""A session that remembers: `Tried` makes its rules careful, it is recorded, and it never stops the session."""

import datetime as dt
from pathlib import Path

import pytest

from tests.guard.memory.test_certificates import shown
from tests.guard.memory.test_keys import form
from tests.screen.control.making import page, text
from vsalang.guard import Guard
from vsalang.guard.journal import Journal, read_session, recorded_program, replay
from vsalang.guard.memory import certificates
from vsalang.guard.memory.certificate_store import CertificateStore
from vsalang.guard.memory.session_memory import RememberingRecorder, SessionMemory
from vsalang.language.semantics import Loaded, load_text
from vsalang.program.action import Action
from vsalang.screen.screen import TreeScreen

SAVE = Action("tap", {"text": "Save"})
POLICY = """policy careful "Nothing is tapped in vain"
import std.control
@id("IN-VAIN")
warn "a tap here did nothing, {?t} times" when tap(node = ?n),
  Tried(node = ?n, gesture = "tap", effect = NoChange, times = ?t), ?t >= 2.
"""


@pytest.fixture(scope="module")
def loaded() -> Loaded:
    return load_text(POLICY)


class Session:
    """A guard that remembers, on screens that a test shows."""

    def __init__(self, folder: Path, loaded: Loaded, name: str = "s") -> None:
        self.store = CertificateStore(folder / "certificates.sqlite")
        self.memory = SessionMemory(self.store, loaded.checked(), loaded.sources)
        self.journal = Journal(folder / f"{name}.jsonl")
        self.recorder = RememberingRecorder(
            self.journal, self.memory, sources=loaded.sources, spec=loaded.file
        )
        self.guard = Guard(
            loaded.checked(), clock=lambda: dt.datetime(2026, 4, 1, 12), recorder=self.recorder
        )
        self.look(shown(form()))

    def look(self, screen: TreeScreen, delivered: bool | None = True) -> None:
        self.guard.observe(self.memory.recall(screen), delivered)

    def tap(self, after: TreeScreen, delivered: bool | None = True) -> bool:
        """Tap; whether the memory made the rule speak. (No module knows the screen, so the user is asked anyway.)"""
        verdict = self.guard.propose(SAVE)
        self.guard.commit(verdict, approved=True)
        self.recorder.delivered(delivered)
        self.look(after, delivered)
        return verdict.because("IN-VAIN")


def test_the_third_tap_in_vain_is_warned_of(tmp_path: Path, loaded: Loaded) -> None:
    session = Session(tmp_path, loaded, "first")
    assert [session.tap(shown(form())) for _ in range(3)] == [False, False, True]
    session.journal.close()
    # also in the next session; and what is recorded is judged as it was
    again = Session(tmp_path, loaded, "next")
    assert again.tap(shown(page(text("Sent"))))
    again.look(shown(form()))
    assert not again.tap(shown(form()))  # a contradiction silences it
    again.journal.close()
    recorded = read_session(again.journal.path)
    replayed = replay(recorded, recorded_program(recorded).checked())
    assert [len(each.now["reasons"]) for each in replayed.judgements if each.now] == [2, 1]
    assert replayed.flipped == [] and not any(each.moved for each in replayed.judgements)


def test_a_journal_gives_the_certificates_of_its_session(tmp_path: Path, loaded: Loaded) -> None:
    session = Session(tmp_path, loaded)
    session.tap(shown(form()))
    session.tap(shown(form("true")))
    session.journal.close()
    recorded = read_session(session.journal.path)
    program = recorded_program(recorded)
    made = [one for _, one in certificates(recorded, program.checked(), program.sources)]
    kept = [entry.certificate for entry in session.store.entries()]
    assert sorted(map(str, made)) == sorted(map(str, kept)) and session.memory.kept == 2


def test_what_did_not_arrive_is_not_remembered(tmp_path: Path, loaded: Loaded) -> None:
    session = Session(tmp_path, loaded)
    session.tap(shown(form()), delivered=None)
    session.tap(shown(form()), delivered=False)
    session.journal.close()
    assert session.store.entries() == () and session.memory.problem == ""


def test_a_memory_that_fails_does_not_stop_the_session(tmp_path: Path, loaded: Loaded) -> None:
    (tmp_path / "certificates.sqlite").mkdir()
    session = Session(tmp_path, loaded)
    assert not session.tap(shown(form()))
    session.journal.close()
    assert "is not a regular file" in session.memory.problem
