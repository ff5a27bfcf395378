"""Durations of parts of a second are shown and recorded as they were judged."""

import datetime as dt
from pathlib import Path

import pytest

from vsalang.guard import Guard
from vsalang.guard.journal import Recorder, read_session, replay
from vsalang.guard.journal.file import Journal
from vsalang.guard.say.feedback import verdict_text
from vsalang.guard.world.fact_screen import FactScreen
from vsalang.language.semantics import load_text
from vsalang.program.action import Action
from vsalang.program.vocabulary import VOCABULARY

SPEC = """
app board package "com.board" "A board"
deny "long" when wait(duration >= 1s).
deny "half a second" when wait(duration = 0.5s).
"""


def wait(seconds: float) -> Action:
    return Action("wait", {"duration": dt.timedelta(seconds=seconds)})


@pytest.mark.parametrize(
    ("seconds", "level", "shown"),
    [(0.6, "allow", "0.6s"), (0.5, "block", "0.5s"), (0.999, "allow", "0.999s"), (1.5, "block", "1.5s")],
)
def test_a_session_is_replayed_as_it_was_judged(
    tmp_path: Path, seconds: float, level: str, shown: str
) -> None:
    program = load_text(SPEC).checked()
    path = tmp_path / "j.jsonl"
    with Journal(path) as journal:
        guard = Guard(program, recorder=Recorder(journal))
        guard.observe(FactScreen().seen(VOCABULARY["App"], {"package": "com.board"}))
        verdict = guard.propose(wait(seconds))
    assert verdict.level == level
    assert f"duration = {shown}" in verdict_text(verdict)
    session = read_session(path)
    assert replay(session, program).flipped == []
