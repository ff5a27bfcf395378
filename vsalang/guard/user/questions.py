"""What a guard asks its user, in the mode ``ask``: about one verdict once, and a yes is good for one commit."""

import contextlib

from vsalang.guard.say.verdict import Verdict
from vsalang.guard.session import Session
from vsalang.guard.user.asking import REFUSALS, AnswerRefused, Asker, Question, put


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
        self._shown: Question | None = None

    def ask(self, verdict: Verdict | None = None) -> bool:
        """See `vsalang.guard.Guard.ask`."""
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
        """Why the answer to the question asked last was no yes; empty if there was none."""
        outcome = self.newest.outcome if self.newest is not None else None
        return REFUSALS.get(str(outcome), "")

    @property
    def open(self) -> Question | None:
        """What the user is being asked; None if nothing is."""
        question = self.newest
        if question is None or question.outcome is not None:
            return None
        self._shown = question
        return question

    def answer(self, agreed: bool, question: Question | None = None) -> None:
        """See `vsalang.guard.Guard.answer`."""
        question = question or self._shown or self.newest
        if question is None:
            raise AnswerRefused("nothing was asked")
        self._shown = question
        question.answer(agreed)

    def _uncounted(self, verdict: Verdict, agreed: bool, problem: str) -> None:
        if self._session.recorder is not None:
            with contextlib.suppress(Exception):  # it counts for nothing in any case
                self._session.recorder.answered(agreed, "", verdict, problem)
