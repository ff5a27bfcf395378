"""A journal of an earlier version of meaning: stricter flips are expected, a more permissive one is an error."""

import datetime as dt
from pathlib import Path

import pytest

from tests.guard.journal.conftest import vsac
from tests.guard.judge.test_unread import APP, BUTTON, node, page, tap
from vsalang.guard import Guard, Settings
from vsalang.guard.journal import Journal, JournalError, Recorder, read_session, recorded_program, replay
from vsalang.guard.judge import polarity
from vsalang.language.semantics import load
from vsalang.program.meaning import CHANGES, FIRST, SEMANTICS, changes_since

PLAIN = "vsalang.guard.judge.polarity.polarity"
VERSION = "vsalang.guard.journal.journal_recorder.SEMANTICS"


def recorded(folder: Path) -> Path:
    (folder / "shop.vsa").write_text(APP + 'recognize Pay when tap(id = "pay").\n')
    (folder / "s.vsa").write_text('spec s "Look"\nimport shop\ndone when Order(total = 1).\n')
    loaded = load(folder / "s.vsa")
    clock = dt.datetime(2026, 4, 1, 12)
    with Journal(folder / "j.jsonl") as journal:
        guard = Guard(
            loaded.checked(),
            clock=lambda: clock,
            settings=Settings(unknown_screen="allow"),
            recorder=Recorder(journal, sources=loaded.sources, spec=loaded.file),
        )
        guard.observe(page(node("0,400,1000,600", without="resource-id", **BUTTON)))
        guard.propose(tap())
        guard.propose(tap(500, 1500))
        guard.close()
    return folder / "j.jsonl"


def tells(rule: object) -> polarity.Polarity:
    """How the first version read what nobody read: it is not so."""
    return polarity.Polarity.TELLS


def test_versions_count_up() -> None:
    assert [change.since for change in CHANGES] == sorted(change.since for change in CHANGES)
    assert CHANGES[-1].since == SEMANTICS
    assert changes_since(SEMANTICS) == ()
    assert changes_since(FIRST) == CHANGES


def test_a_journal_carries_its_version(tmp_path: Path) -> None:
    path = recorded(tmp_path)
    assert read_session(path).header["semantics"] == SEMANTICS
    again = vsac("replay", path)
    assert (again.returncode, again.stdout) == (
        0,
        "2 proposals judged again by the recorded program, 0 flipped.\n",
    )


def test_stricter_flips_are_told_by_their_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as earlier:
        earlier.setattr(PLAIN, tells)
        earlier.setattr(VERSION, FIRST)
        path = recorded(tmp_path)
    again = vsac("replay", path)
    assert again.returncode == 0
    assert again.stdout.splitlines()[-3:] == [
        "2 proposals judged again by the recorded program, 1 flipped.",
        "The session was recorded under version 1 of meaning, this is version 2:",
        "  what nobody read adds duty (unread): 1 verdict stricter.",
    ]


def test_a_more_permissive_flip_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as earlier:
        earlier.setattr(VERSION, FIRST)
        path = recorded(tmp_path)
    session = read_session(path)
    monkeypatch.setattr(PLAIN, tells)
    replayed = replay(session, recorded_program(session).checked())
    assert [judgement.looser for judgement in replayed.judgements] == [True, False]
    assert replayed.unexpected == replayed.flipped != []


def test_within_one_version_each_flip_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as earlier:
        earlier.setattr(PLAIN, tells)
        path = recorded(tmp_path)
    assert vsac("replay", path).returncode == 1


def test_a_later_version_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(VERSION, SEMANTICS + 1)
    session = read_session(recorded(tmp_path))
    with pytest.raises(JournalError, match="use a newer one"):
        replay(session, recorded_program(session).checked())
