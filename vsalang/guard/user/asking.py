"""Asks the user what a verdict `confirm` needs: one question at a time, one answer to it, and in time."""

import contextlib
import datetime as dt
import threading
import time
from collections.abc import Callable
from typing import Final, TypeAlias
from typing import Literal as OneOf

from vsalang.guard.say.verdict import Verdict

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
