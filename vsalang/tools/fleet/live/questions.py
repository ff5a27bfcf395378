"""Questions of guards that wait for a person at the console: each is about one verdict on one screen, for a time.

A guard asks (`vsalang.guard.user.answering`) with a hash over all that it says. A person answers that hash, and says
which screen they saw. An answer is given out once. Nothing is kept: after a restart of the server the guard asks again,
and what nobody answers in time is a no on the guard's side, no matter what is answered here.
"""

import asyncio
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from vsalang.base.diagnostics.display import unsteered
from vsalang.guard.user.answering import hash_of

MOST_OF_A_DEVICE: Final = 4
"""Open questions of one device; a guard asks one after the other."""
MOST_KEPT: Final = 50
"""Of so many questions of a device that are over it is remembered that they were asked."""
MOST_SECONDS: Final = 86_400.0
KEPT_SECONDS: Final = 120.0
"""So long the hash of a question that is over is remembered, so that it cannot be asked again."""

Outcome = Literal["", "yes", "no", "late", "gone"]


class AnswerRefused(Exception):
    """An answer that does not count, or a question that is not put; `code` says why for programs."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(slots=True)
class OpenQuestion:
    """A question, and what was answered.

    Attributes:
        hash: over all of it; an answer names it.
        document: what the guard sent.
        until: when it is too late, by the monotonic clock.
        outcome: empty while it is open.
        by: who answered.
        delivered: whether the answer was given out.
    """

    tenant: str
    session: str
    device: str
    hash: str
    document: Mapping[str, Any]
    until: float
    outcome: Outcome = ""
    by: str = ""
    delivered: bool = False
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def screen(self) -> str:
        """The fingerprint of the screen that the verdict is about."""
        return str(self.document.get("screen", ""))

    @property
    def left(self) -> float:
        """Seconds that there still are to answer."""
        return max(0.0, self.until - time.monotonic())

    @property
    def open(self) -> bool:
        """Whether it can be answered now."""
        return not self.outcome and self.left > 0

    def expire(self) -> None:
        """Its time is over, if it is."""
        if not self.outcome and self.left <= 0:
            self.outcome = "late"

    def to_json(self) -> dict[str, Any]:
        """What the console shows."""
        document = self.document
        return {
            "session": self.session,
            "device": self.device,
            "hash": self.hash,
            "screen": self.screen,
            "seconds": round(self.left, 1),
            "message": _text(document.get("message")),
            "reasons": _reasons(document),
            "outcome": self.outcome,
            "by": self.by,
        }


def _reasons(document: Mapping[str, Any]) -> list[dict[str, str]]:
    """What the verdict of a question says, in texts that show as they are: the reasons hold texts of screens."""
    verdict = document.get("verdict")
    reasons = verdict.get("reasons") if isinstance(verdict, Mapping) else None
    return [
        {name: _text(reason.get(name)) for name in ("level", "message", "rule")}
        for reason in (reasons if isinstance(reasons, list) else ())
        if isinstance(reason, Mapping)
    ]


def _text(value: object) -> str:
    return unsteered(value) if isinstance(value, str) else ""


class Questions:
    """Those of all devices."""

    def __init__(self) -> None:
        self._by_hash: dict[tuple[str, str], OpenQuestion] = {}

    def ask(
        self, tenant: str, session: str, device: str, document: Mapping[str, Any], left: float = MOST_SECONDS
    ) -> OpenQuestion:
        """Put a question. Put again, it is the same one.

        Args:
            document: the question, as the guard sent it.
            left: how many seconds there still are, if fewer than it says.

        Raises:
            AnswerRefused: it is not a question, it was over before, or the device has too many.
        """
        name, seconds = document.get("hash"), document.get("seconds")
        whole = document.get("kind") == "question" and isinstance(document.get("message"), str)
        if (
            not whole
            or not isinstance(name, str)
            or not isinstance(seconds, int | float)
            or not 0 <= seconds <= MOST_SECONDS
        ):
            raise AnswerRefused("invalid", "this is not a question")
        if hash_of(document) != name:
            raise AnswerRefused("invalid", "the question is not what its hash says")
        self._forget()
        question = self._by_hash.get((tenant, name))
        if question is not None:
            if (question.session, question.device) != (session, device):
                raise AnswerRefused("invalid", "this question was asked in another session")
            return question
        mine = [each for each in self.all(tenant) if each.device == device]
        if sum(each.open for each in mine) >= MOST_OF_A_DEVICE:
            raise AnswerRefused("too_many", "the device asks too many questions at once")
        for old in [each for each in mine if not each.open][:-MOST_KEPT]:
            del self._by_hash[tenant, old.hash]
        question = OpenQuestion(
            tenant, session, device, name, dict(document), time.monotonic() + min(left, seconds)
        )
        self._by_hash[tenant, name] = question
        return question

    async def outcome(self, question: OpenQuestion, seconds: float) -> Outcome:
        """Wait for the outcome; ``""`` if there is none after some seconds. An answer is given out once."""
        if not question.outcome:
            try:
                await asyncio.wait_for(question.changed.wait(), max(0.0, min(seconds, question.left)))
            except TimeoutError:
                question.expire()
        if question.outcome in ("yes", "no"):
            if question.delivered:
                return "gone"  # it may have been lost on the way: that is a no
            question.delivered = True
        return question.outcome

    def find(self, tenant: str, name: str) -> OpenQuestion | None:
        """The question of a hash; None: a tenant has none."""
        return self._by_hash.get((tenant, name))

    def check(self, question: OpenQuestion, screen: str) -> None:
        """Make sure that a question can be answered.

        Args:
            screen: the fingerprint of the screen that was shown to the person.

        Raises:
            AnswerRefused: it is over, or the screen was another one.
        """
        if question.outcome in ("yes", "no"):
            raise AnswerRefused("answered", f"{question.by} has answered it already: {question.outcome}")
        if not question.open:
            raise AnswerRefused("late", "it is too late to answer")
        if screen != question.screen:
            raise AnswerRefused(
                "other_screen", "the question is about another screen than the one that was shown"
            )

    @contextmanager
    def claimed(self, question: OpenQuestion, by: str) -> Iterator[None]:
        """One person answers a question, and nobody else meanwhile. Raises `AnswerRefused`: somebody else does."""
        if question.by:
            raise AnswerRefused("answered", f"{question.by} is answering it")
        question.by = by
        try:
            yield
        finally:
            if not question.outcome:
                question.by = ""

    def answer(self, question: OpenQuestion, agreed: bool, by: str) -> None:
        """Answer a question that `check` let pass. Raises `AnswerRefused`: it is over by now."""
        if not question.open:
            raise AnswerRefused("late", "it is too late to answer")
        question.outcome, question.by = "yes" if agreed else "no", by
        question.changed.set()

    def withdraw(self, tenant: str, session: str, name: str = "") -> None:
        """A session is over: its questions are; or one of them is, by its hash: the guard does not wait any more."""
        for question in self.all(tenant):
            if question.session == session and name in ("", question.hash) and not question.outcome:
                question.outcome = "late"
                question.changed.set()

    def all(self, tenant: str) -> Iterator[OpenQuestion]:
        """The questions of a tenant (``*``: of all), the oldest first."""
        return (each for each in list(self._by_hash.values()) if tenant in ("*", each.tenant))

    def _forget(self) -> None:
        now = time.monotonic()
        gone = [key for key, each in self._by_hash.items() if each.until + KEPT_SECONDS < now]
        for key in gone:
            del self._by_hash[key]
