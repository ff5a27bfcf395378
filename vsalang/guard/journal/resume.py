"""Continues a session whose guard is gone: nothing that was committed is forgotten, and nothing is done twice."""

import datetime as dt
import os
from collections.abc import Callable
from typing import Self

from vsalang.base.names import ENGINES, FORMER_ENGINES, Sync
from vsalang.base.records import dataclass
from vsalang.guard import Asker, Guard, Phone
from vsalang.guard.journal.enact import Enactment, RecordedSimilarity, Tape, first_day, instruction_of
from vsalang.guard.journal.file import Journal, JournalError
from vsalang.guard.journal.journal_recorder import Recorder
from vsalang.guard.journal.recorded_programs import recorded_program
from vsalang.guard.journal.recorded_session import Session, Step, refuse_redacted, session_of
from vsalang.guard.journal.replay import earlier_meaning
from vsalang.guard.journal.settings_json import read_settings
from vsalang.guard.recorder import Recorder as GuardRecorder
from vsalang.guard.world.clock import ScreenClock
from vsalang.program.ir import Program
from vsalang.program.similarity import Similarity


@dataclass(frozen=True, slots=True)
class ResumedSession:
    """A session that goes on. Its journal is held until `close`.

    Attributes:
        guard: in the state of the one before; it goes on writing the journal.
        recorder: writes the journal.
        session: what was recorded until now.
        in_flight: what had been committed when the guard died, its outcome not yet observed. It is not known
            whether it arrived, unless the journal says so: it counts as done, and the next `observe` says with
            which outcome. It must not be carried out again.
        over: why it cannot go on, in words; empty if it can. The guard of such a session blocks everything, and the
            journal stays as it is for as long as nothing more is recorded.
    """

    guard: Guard
    recorder: Recorder
    session: Session
    in_flight: Step | None
    over: str = ""

    def close(self) -> None:
        """Let go of the journal."""
        self.recorder.journal.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def resume(
    path: str | os.PathLike[str],
    *,
    program: Program | None = None,
    clock: Callable[[], dt.datetime] | None = None,
    similarity: Similarity | None = None,
    sync: Sync = "effects",
    head: str | None = None,
    guard_type: type[Guard] = Guard,
    device: Phone | None = None,
    ask: Asker | None = None,
    recording: Callable[[Recorder], GuardRecorder] | None = None,
) -> ResumedSession:
    """Continue the session of a journal: enact it again, check that every verdict is the same, and go on from there.

    Args:
        path: the journal. What a crash left of a last line is cut off; it was never acknowledged.
        program: what was run; None: out of the texts in the journal. Its hash must be the recorded one.
        clock: the device's local time from now on; None: as screens show it.
        similarity: who answers ``~=`` from now on, if the session had a backend of its own. None: nobody answers
            what was not asked yet.
        sync: what of the journal is forced to the disk.
        head: the hash of its last line, if the user vouches that nothing is missing after it: for a journal whose
            head is not kept here (`vsalang.guard.journal.journal_heads`), because it was moved.
        guard_type: what kind of guard goes on (`vsalang.agents.reporting.ReportedGuard`).
        device: what the guard acts on from now on (`Guard.step`).
        ask: puts questions to the user from now on, if the session's mode is ``ask``.
        recording: makes the guard's recorder of the journal's, which it passes everything on to (hints); it also hears
            what is enacted again. None: it is the journal's.

    Raises:
        JournalError: it cannot be read or written, another process writes it, it was changed, lines may be missing at
            its end, it is of another version of meaning, or the guard judges otherwise than was recorded.
    """
    journal, records, torn = Journal.reopen(path, sync=sync, head=head)
    try:
        session = session_of(path, records, torn)
        refuse_redacted(session)
        engine = session.header["engine"]
        if engine not in ENGINES:
            former = f"; {FORMER_ENGINES[engine]}. Start a new session" if engine in FORMER_ENGINES else ""
            raise JournalError(f"{path}: there is no engine {str(engine)[:80]}{former}")
        if remark := earlier_meaning(session):
            raise JournalError(
                f"{path}: it is not resumed. {remark}: what it permitted need not be permitted now, and its screens do "
                "not say all that counts now. Start a new session; `vsac journal replay` says what is judged otherwise"
            )
        if program is None:
            program = recorded_program(session).program
            assert program is not None
        elif program.digest != session.header.get("digest"):
            raise JournalError(f"{path}: the session was run with another program: its hash is another")
        answers = session.similar
        # Who answers `~=` is asked only for what is new.
        backend = similarity
        recorded = str(session.header.get("similarity", ""))
        if recorded and similarity is None:
            backend = RecordedSimilarity(session)
        elif similarity is not None and not recorded:
            raise JournalError(f"{path}: the session was run without a backend of its own for `~=`")
        recorder = Recorder.silent(journal, answers)
        tape = Tape(session.header)
        live = clock if clock is not None else ScreenClock()
        today = first_day(session)
        settings = read_settings(session.header["settings"])
        guard = guard_type(
            program,
            device,
            ask=ask if settings.mode == "ask" else None,
            today=today,
            clock=tape if today is not None else clock,
            engine=engine,
            settings=settings,
            similarity=backend,
            recorder=recorder if recording is None else recording(recorder),
            instruction=instruction_of(session),
        )
        enactment = Enactment(session, guard, tape)
        for record in records[1:]:
            enactment.enact(record)
        in_flight = session.in_flight
        over = _over(session, guard, in_flight)
        guard.interrupted(in_flight.delivered if in_flight is not None else None)
        tape.live(live, guard.snapshot.screen)
        recorder.continued(
            enactment.newest,
            session.screens,
            torn,
            in_flight.record if in_flight is not None else None,
            at_once=not over,
        )
    except JournalError:
        journal.close()
        raise
    except Exception as error:
        journal.close()
        raise JournalError(f"{path} cannot be continued: {type(error).__name__}: {error}") from error
    except BaseException:
        journal.close()
        raise
    return ResumedSession(guard, recorder, session, in_flight, over)


def _over(session: Session, guard: Guard, in_flight: Step | None) -> str:
    if session.closed:
        return f"the session of {session.path} is over: it was closed"
    if guard.finished and in_flight is None:
        return f"the session of {session.path} is over: the agent ended it"
    return ""
