"""The meaning of rules has a version: journals and programs carry it, and a replay tells what it changed."""

import dataclasses
import json
from pathlib import Path

import pytest

from tests.guard.journal.conftest import vsac
from tests.guard.journal.test_show_replay import rewritten
from vsalang.guard.journal import JournalError, read_session, recorded_program, replay
from vsalang.language.notations.out.core_json import NotCore, from_data, to_data
from vsalang.program import meaning
from vsalang.program.meaning import MEANING, MeaningChange

STRICTER = MeaningChange("unknown-warns", 2, "what is unknown is warned of", frozenset({"frontier"}))


def older(path: Path, levels: dict[str, str] | None = None) -> None:
    """Make a journal one of version 1, in which verdicts with a level had another one, and no reasons."""

    def change(kind, data):
        if kind == "session":
            del data["meaning"]
        if kind == "propose" and data["verdict"]["level"] in (levels or {}):
            data["verdict"] |= {"level": levels[data["verdict"]["level"]], "reasons": []}
        return data

    rewritten(path, change)


def test_a_journal_says_its_meaning(demo):
    assert read_session(demo).meaning == MEANING
    older(demo)
    assert read_session(demo).meaning == 1


def test_an_older_journal_without_flips(demo):
    older(demo)
    done = vsac("replay", demo)
    assert done.returncode == 0, done.stderr
    assert f"version 1 of the meaning of rules; this is version {MEANING}" in done.stdout


def test_stricter_flips_are_listed_by_their_change(demo, monkeypatch):
    monkeypatch.setattr(meaning, "CHANGES", (STRICTER,))
    older(demo, {"warn": "allow"})
    done = vsac("replay", demo)
    assert done.returncode == 0, done.stdout
    assert "  what is unknown is warned of: step" in done.stdout
    data = json.loads(vsac("replay", demo, "--json").stdout)
    assert data["meaning"] == {"recorded": 1, "now": MEANING}
    flips = [each for each in data["judgements"] if each["outcome"] == "flipped"]
    assert flips and all(each["causes"] == ["unknown-warns"] for each in flips)


def test_a_flip_that_no_change_explains_is_a_finding(demo):
    older(demo, {"warn": "allow"})
    done = vsac("replay", demo)
    assert done.returncode == 1
    assert "for another reason: step" in done.stdout


def test_a_more_permissive_flip_is_a_finding(demo, monkeypatch):
    monkeypatch.setattr(meaning, "CHANGES", (STRICTER,))
    older(demo, {"allow": "block"})
    done = vsac("replay", demo)
    assert done.returncode == 1
    assert "more permissive: no change of the meaning does that: step" in done.stdout


def test_flips_under_another_program_are_findings(demo, monkeypatch):
    monkeypatch.setattr(meaning, "CHANGES", (STRICTER,))
    older(demo, {"warn": "allow"})
    session = read_session(demo)
    program = recorded_program(session).checked()
    assert replay(session, program).expected
    assert not replay(session, dataclasses.replace(program, digest="another")).expected


def test_a_journal_of_a_newer_meaning_is_refused(demo):
    rewritten(demo, lambda kind, data: data | ({"meaning": MEANING + 1} if kind == "session" else {}))
    session = read_session(demo)
    with pytest.raises(JournalError, match="judge it again by a newer vsalang"):
        replay(session, recorded_program(session).checked())
    done = vsac("replay", demo)
    assert done.returncode == 2 and "newer vsalang" in done.stderr


def test_a_program_carries_its_meaning(demo):
    program = recorded_program(read_session(demo)).checked()
    data = to_data(program)
    assert data["meaning"] == MEANING == from_data(data).meaning
    del data["meaning"]
    assert from_data(data).rules == program.rules
    for wrong in (0, MEANING + 1, True, "2", None):
        with pytest.raises(NotCore, match="meaning"):
            from_data(data | {"meaning": wrong})


def test_every_change_has_its_section_and_version():
    page = (Path(__file__).resolve().parents[3] / "docs" / "reference" / "changes.md").read_text(
        encoding="utf-8"
    )
    for change in meaning.CHANGES:
        assert f'<a id="{change.id}"></a>' in page, change.id
        assert 1 < change.version <= MEANING and change.reasons
