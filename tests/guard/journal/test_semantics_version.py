"""A journal of an earlier version of meaning: stricter flips are expected, a more permissive one is an error."""

import datetime as dt
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.guard.journal.conftest import vsac
from tests.guard.judge.test_unread import APP, BUTTON, node, page, tap
from vsalang.base.source import Source
from vsalang.guard import Guard, Settings
from vsalang.guard.journal import (
    Journal,
    JournalError,
    Recorder,
    Session,
    read_session,
    recorded_program,
    replay,
    resume,
)
from vsalang.guard.journal.replay import Judgement, ReplayResult
from vsalang.guard.judge import polarity
from vsalang.guard.memory import certificates
from vsalang.language.semantics import load
from vsalang.program.ir import Program
from vsalang.program.meaning import CHANGES, FIRST, SEMANTICS, changes_since

PLAIN = "vsalang.guard.judge.polarity.polarity"
JOURNAL = "j.jsonl"
VERSION = "vsalang.guard.journal.journal_recorder.SEMANTICS"


@contextmanager
def session(folder: Path, rules: str, allowed: str = "") -> Iterator[Guard]:
    """A guard of the shop with these rules; its journal is `JOURNAL` of the folder."""
    (folder / "shop.vsa").write_text(APP + rules)
    (folder / "s.vsa").write_text(f'spec s "Look"\nimport shop\n{allowed}done when Order(total = 1).\n')
    loaded = load(folder / "s.vsa")
    clock = dt.datetime(2026, 4, 1, 12)
    with Journal(folder / JOURNAL) as journal:
        yield Guard(
            loaded.checked(),
            clock=lambda: clock,
            settings=Settings(unknown_screen="allow"),
            recorder=Recorder(journal, sources=loaded.sources, spec=loaded.file),
        )


def recorded(folder: Path) -> Path:
    """A session that is over."""
    with session(folder, 'recognize Pay when tap(id = "pay").\n') as guard:
        guard.observe(page(node("0,400,1000,600", without="resource-id", **BUTTON)))
        guard.propose(tap())
        guard.propose(tap(500, 1500))
        guard.close()
    return folder / JOURNAL


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
    again = vsac("journal", "replay", path)
    assert (again.returncode, again.stdout) == (
        0,
        "2 proposals judged again by the recorded program, 0 flipped.\n",
    )


def test_stricter_flips_are_told_by_their_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as earlier:
        earlier.setattr(PLAIN, tells)
        earlier.setattr(VERSION, FIRST)
        path = recorded(tmp_path)
    again = vsac("journal", "replay", path)
    assert again.returncode == 0
    assert again.stdout.splitlines()[-3:] == [
        "2 proposals judged again by the recorded program, 1 flipped.",
        "The session was recorded under version 1 of meaning, this is version 4:",
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


def _judged(kinds: list[str], level: str, now: str, version: int) -> ReplayResult:
    """A session of one proposal that was judged `level` for reasons of these kinds, and is judged `now`."""
    reasons = [{"kind": kind, "message": kind} for kind in kinds]
    step: Any = SimpleNamespace(level=level, verdict={"level": level, "reasons": reasons})
    session: Any = SimpleNamespace(header={"semantics": version}, path="j.jsonl")
    return ReplayResult(session, (Judgement(step, {"level": now, "reasons": []}),), same_program=True)


@pytest.mark.parametrize(
    ("kinds", "level", "version", "is_error"),
    [
        (["frontier"], "warn", 2, False),
        (["frontier"], "warn", 3, True),
        (["frontier", "judgement"], "warn", 2, True),
        (["judgement"], "warn", 2, True),
        (["frontier"], "confirm", 2, True),
    ],
)
def test_a_change_takes_a_warning_and_no_more(
    kinds: list[str], level: str, version: int, is_error: bool
) -> None:
    assert bool(_judged(kinds, level, "allow", version).unexpected) is is_error


def test_within_one_version_each_flip_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as earlier:
        earlier.setattr(PLAIN, tells)
        path = recorded(tmp_path)
    assert vsac("journal", "replay", path).returncode == 1


def test_a_later_version_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(VERSION, SEMANTICS + 1)
    session = read_session(recorded(tmp_path))
    with pytest.raises(JournalError, match="use a newer one"):
        replay(session, recorded_program(session).checked())
    with pytest.raises(JournalError, match="use a newer one"):
        next(certificates(session, *_certified(session)))


def _certified(session: Session) -> tuple[Program, Mapping[str, Source]]:
    loaded = recorded_program(session)
    return loaded.checked(), loaded.sources


def begun(folder: Path) -> Path:
    """A session that goes on: an action was done, and came out as expected."""
    rules = 'recognize Pay when tap(id = "pay").\nexpect Order(total = 1) when Pay.\n'
    with session(folder, rules, "allow Pay.\n") as guard:
        button = node("0,400,1000,600", id="pay", **BUTTON)
        guard.observe(page(button))
        guard.commit(guard.propose(tap()))
        guard.observe(page(button, node("0,700,1000,800", id="total", text="1")))
    return folder / JOURNAL


@pytest.mark.parametrize("version", [FIRST, SEMANTICS + 1])
def test_only_the_same_version_is_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: int
) -> None:
    with monkeypatch.context() as earlier:
        earlier.setattr(VERSION, version)
        path = begun(tmp_path)
    before = path.read_bytes()
    with pytest.raises(JournalError, match=f"version {version} of meaning"):
        resume(path)
    assert path.read_bytes() == before
    path.unlink()
    with resume(begun(tmp_path)) as resumed:
        assert resumed.guard.propose(tap(500, 1500)).level == "allow"


def test_certificates_of_an_earlier_version_are_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as earlier:
        earlier.setattr(VERSION, FIRST)
        path = begun(tmp_path)
    session = read_session(path)
    ((_, one),) = certificates(session, *_certified(session))
    assert ([each.outcome for each in one.contracts], one.confidence) == (["inconclusive"], "low")
    said = vsac("journal", "certify", path)
    assert said.returncode == 0
    assert said.stderr.startswith("The session was recorded under version 1 of meaning, this is version 4: ")
    path.unlink()
    session = read_session(begun(tmp_path))
    ((_, one),) = certificates(session, *_certified(session))
    assert ([each.outcome for each in one.contracts], one.confidence) == (["met"], "high")
    assert vsac("journal", "certify", path).stderr == ""
