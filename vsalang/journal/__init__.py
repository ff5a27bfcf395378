"""Journals of guarded sessions: recorded as they happen, read, judged again, and continued after a crash.

>>> from vsalang.journal import Journal, Recorder, read_session, replay, resume
>>> guard = Guard(program, recorder=Recorder(Journal("s.jsonl"), sources=loaded.sources))     # doctest: +SKIP
>>> read_session("s.jsonl").steps[0].level                                                    # doctest: +SKIP
'allow'
>>> resume("s.jsonl").guard.propose(Action("finish")).level                                   # doctest: +SKIP
'block'
"""

from vsalang.journal.file import Journal, JournalError, TornJournal, read_journal
from vsalang.journal.programs import other_program, recorded_program
from vsalang.journal.recorder import Recorder
from vsalang.journal.replay import Judgement, Replayed, replay
from vsalang.journal.resume import Resumed, resume
from vsalang.journal.session import Session, Step, read_session

__all__ = [
    "Journal",
    "JournalError",
    "Judgement",
    "Recorder",
    "Replayed",
    "Resumed",
    "Session",
    "Step",
    "TornJournal",
    "other_program",
    "read_journal",
    "read_session",
    "recorded_program",
    "replay",
    "resume",
]
