"""Asks the user what a verdict `confirm` needs, in the mode ``ask``: one question at a time, one answer, in time."""

import contextlib
import datetime as dt
import threading
import time
from collections.abc import Callable
from typing import Final, TypeAlias
from typing import Literal as OneOf

from vsalang.guard.say.verdict import Verdict
from vsalang.guard.session import Session

Outcome: TypeAlias = OneOf["yes", "no", "timeout", "withdrawn", "unasked"]
"""The result of a question; only ``yes`` allows anything. ``withdrawn``: what was asked about was overtaken;
``unasked``: there was nobody to ask, or no way to."""

REFUSALS: Final = {
    "no": "the user said no",
    "timeout": "nobody answered in time",
    "withdrawn": "what was asked about was overtaken by something else",
    "unasked": "nobody could be asked",
}
"""Why there was no yes, in words."""

_TOO_LATE = {
    "timeout": "the answer came too late",
    "withdrawn": "what was asked about was overtaken by something else",
    "unasked": "it was told before that nobody could be asked",
}


class AnswerRefused(Exception):
    """An answer that does not count: it came too late, or there was one already."""


class Question:
    """Whether the user agrees to exactly what a verdict is about.

    Attributes:
        verdict: what is asked about; `vsalang.guard.say.feedback.verdict_text` says it in words.

    Args:
        verdict: the newest of a guard.
        timeout: how long there is to answer.
        refused: is told of answers that do not count: about what, what was said, and why it does not count.
    """

    def __init__(
        self,
        verdict: Verdict,
        timeout: dt.timedelta,
        refused: Callable[[Verdict, bool, str], None] | None = None,
    ) -> None:
        self.verdict = verdict
        self._refused = refused
        self._until = time.monotonic() + timeout.total_seconds()
        self._changed = threading.Condition()
        self._outcome: Outcome | None = None

    @property
    def outcome(self) -> Outcome | None:
        """The result; None while the question is open."""
        with self._changed:
            self._expire()
            return self._outcome

    @property
    def left(self) -> dt.timedelta:
        """How long there is to answer; none once it was answered."""
        return dt.timedelta(seconds=max(0.0, self._until - time.monotonic()) if self.outcome is None else 0.0)

    def answer(self, agreed: bool) -> None:
        """Answer it. Anything but True is a no.

        Raises:
            AnswerRefused: the time is over, or it was answered already; the answer does not count.
        """
        with self._changed:
            self._expire()
            outcome = self._outcome
            if outcome is None:
                self._end("yes" if agreed is True else "no")
                return
        problem = _TOO_LATE.get(outcome, "the question was answered already")
        if self._refused is not None:
            self._refused(self.verdict, agreed is True, problem)
        raise AnswerRefused(problem)

    def withdraw(self) -> None:
        """Nobody needs an answer any more."""
        with self._changed:
            self._expire()
            if self._outcome is None:
                self._end("withdrawn")

    def unasked(self) -> None:
        """There is nobody to ask, or no way to: the answer is no, and the record says why."""
        with self._changed:
            self._expire()
            if self._outcome is None:
                self._end("unasked")

    def wait(self) -> Outcome:
        """Wait until it was answered, or the time is over."""
        with self._changed:
            while self._outcome is None:
                self._expire()
                if self._outcome is None:
                    self._changed.wait(max(0.0, self._until - time.monotonic()))
            return self._outcome

    def _expire(self) -> None:
        if self._outcome is None and time.monotonic() >= self._until:
            self._end("timeout")

    def _end(self, outcome: Outcome) -> None:
        self._outcome = outcome
        self._changed.notify_all()


Asker: TypeAlias = Callable[[Question], bool | None]
"""Puts a question to the user. True: they agreed to exactly this; None: `Question.answer` will be called with what they
say, or `Question.unasked` was. It runs in a thread of its own; what it says after the time is over does not count, and
what it raises is a no."""


def put(question: Question, asker: Asker | None) -> Outcome:
    """Put a question to the user by `asker`, and wait for the answer. Without one somebody must call `answer`."""
    if asker is not None:
        threading.Thread(target=_ask, args=(question, asker), name="vsalang-question", daemon=True).start()
    return question.wait()


def _ask(question: Question, asker: Asker) -> None:
    try:
        answer = asker(question)
    except BaseException:
        question.unasked()  # nobody could be asked
        return
    if answer is not None:
        with contextlib.suppress(AnswerRefused):
            question.answer(answer)


# ---------------------------------------------------------------------- the questions of a session


class Questions:
    """The questions of one session.

    Args:
        session: whose newest verdict is asked about.
        asker: puts questions to the user; None: somebody calls `answer`.

    Attributes:
        newest: the question asked last.
        agreed: the verdict that the user agreed to, until it is committed or overtaken.
        deaf: the call that would ask was cancelled: nobody waits for an answer.

    Raises:
        ValueError: nobody is asked in the session's mode.
    """

    def __init__(self, session: Session, asker: Asker | None) -> None:
        if asker is not None and session.settings.mode != "ask":
            raise ValueError('a guard asks the user in the mode "ask" only: Settings(mode="ask")')
        self.newest: Question | None = None
        self.agreed: Verdict | None = None
        self.deaf = False
        self._session = session
        self._asker = asker
        self._question: Question | None = None

    def ask(self, verdict: Verdict | None = None) -> bool:
        session = self._session
        with session.lock:
            newest = session.pending.verdict if session.pending is not None else None
            verdict = newest if verdict is None else verdict
            if verdict is None or verdict is not newest or session.settings.mode != "ask" or self.deaf:
                return False
            if self.newest is not None and self.newest.verdict is verdict:
                return self.agreed is verdict  # it is asked about once
            if verdict.level != "confirm":
                return False
            question = self.newest = Question(verdict, session.settings.ask_timeout, self._uncounted)
        outcome = put(question, self._asker)
        with session.lock:
            if session.recorder is not None:
                try:
                    session.recorder.answered(outcome == "yes", outcome, verdict)
                except Exception:
                    return False  # what cannot be recorded may not happen
            if outcome == "yes" and session.judged(verdict) is not None and not self.deaf:
                self.agreed = verdict
                return True
            return False

    def overtaken(self) -> None:
        """What was asked about cannot be committed any more."""
        self.agreed = None
        if self.newest is not None:
            self.newest.withdraw()

    @property
    def refusal(self) -> str:
        """Why the answer to the question asked last was not a yes; empty if there was none."""
        outcome = self.newest.outcome if self.newest is not None else None
        return REFUSALS.get(str(outcome), "")

    @property
    def open(self) -> Question | None:
        """What the user is being asked; None if nothing is."""
        question = self.newest
        if question is None or question.outcome is not None:
            return None
        self._question = question
        return question

    def answer(self, agreed: bool, question: Question | None = None) -> None:
        """Answer a question; the one that was shown last if it is left out. Raises `AnswerRefused`."""
        question = question or self._question or self.newest
        if question is None:
            raise AnswerRefused("nothing was asked")
        self._question = question
        question.answer(agreed)

    def _uncounted(self, verdict: Verdict, agreed: bool, problem: str) -> None:
        if self._session.recorder is not None:
            with contextlib.suppress(Exception):  # it counts for nothing in any case
                self._session.recorder.answered(agreed, "", verdict, problem)
