"""Journals of guarded sessions: recorded as they happen, read, judged again, and continued after a crash.

>>> from vsalang.guard.journal import Journal, Recorder, read_session, replay, resume
>>> guard = Guard(program, recorder=Recorder(Journal("s.jsonl"), sources=loaded.sources))     # doctest: +SKIP
>>> read_session("s.jsonl").steps[0].level                                                    # doctest: +SKIP
'allow'
>>> resume("s.jsonl").guard.propose(Action("finish")).level                                   # doctest: +SKIP
'block'
"""

from vsalang.guard.journal.file import Journal, JournalError, TornJournal, read_journal
from vsalang.guard.journal.journal_recorder import Recorder
from vsalang.guard.journal.recorded_programs import other_program, recorded_program
from vsalang.guard.journal.recorded_session import Session, Step, read_session
from vsalang.guard.journal.replay import Judgement, ReplayResult, replay
from vsalang.guard.journal.resume import ResumedSession, resume

__all__ = [
    "Journal",
    "JournalError",
    "Judgement",
    "Recorder",
    "ReplayResult",
    "ResumedSession",
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
