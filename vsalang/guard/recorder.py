"""What a guard reports to the recorder of its session: each event before it has any effect."""

import datetime as dt
from typing import Final, Protocol

from vsalang.base.names import EngineName
from vsalang.base.records import dataclass
from vsalang.guard.say.verdict import ObservationResult, Verdict
from vsalang.guard.settings import Settings
from vsalang.guard.world.clock import Times
from vsalang.guard.world.observing import KnownWorld
from vsalang.program.action import Action
from vsalang.program.delivery import LastLook
from vsalang.program.ir import Program
from vsalang.program.screen import Screen
from vsalang.program.similarity import Similarity


@dataclass(frozen=True, slots=True)
class CommitQuestion:
    """A commit that is asked for.

    Attributes:
        verdict: the one that is to be committed.
        fresh: whether it is the newest of the guard; any other is refused without a look.
        at: what the guard's clocks say.
        approved: the human agreed.
        fingerprint: of the screen as it is now; None if none was given.
    """

    verdict: Verdict
    fresh: bool
    at: Times
    approved: bool
    fingerprint: str | None


class Recorder(Protocol):
    """Records a session. What it raises stops what was to be recorded: a verdict is a block then, a commit refused.

    `vsalang.guard.journal.Recorder` writes a journal.
    """

    def begin(
        self,
        program: Program,
        settings: Settings,
        engine: EngineName,
        today: dt.date | None,
        now: Times,
        instruction: str | None = None,
    ) -> None:
        """The session opens; `today` is None if the first screen is still to tell it.

        `instruction` is what the user asked for, where it is not the spec's description.
        """
        ...

    def listening(self, similarity: Similarity) -> Similarity:
        """A backend that answers as this one does, and whose answers are recorded."""
        ...

    def proposed(self, verdict: Verdict, note: str) -> None:
        """A verdict was reached; it is not given out yet."""
        ...

    def committed(self, answered: CommitQuestion) -> None:
        """A commit is in order; it takes effect when this returns."""
        ...

    def refused(self, answered: CommitQuestion, reason: str) -> None:
        """A commit was refused."""
        ...

    def answered(
        self, approved: bool, how: str = "", verdict: Verdict | None = None, refused: str = ""
    ) -> None:
        """The user was asked.

        Args:
            approved: what they said; False if they said nothing.
            how: the result of the question (`vsalang.guard.user.questions.Outcome`); empty: nobody told.
            verdict: what was asked about; None: the newest.
            refused: why the answer does not count; empty if it does.
        """
        ...

    def delivered(
        self,
        delivered: bool | None,
        problem: str = "",
        verdict: Verdict | None = None,
        look: LastLook | None = None,
        *,
        judged: bool = True,
    ) -> None:
        """Whether an action reached the device: it did, it certainly did not (False), unknown (None).

        Args:
            delivered: see above.
            problem: why.
            verdict: what was committed; None: the newest commit. Of an action that is not under way any more it says
                nothing about the one that is.
            look: the last one before the first byte left; None: not known, or nothing left.
            judged: False for what others did, unasked, before the screen was looked at: its verdict is none.
        """
        ...

    def given_back(self, number: int, action: Action, at: Times) -> None:
        """The user gives the licence of an entry of the ledger back; it takes effect when this returns.

        Args:
            number: of the entry, from 0.
            action: that had used it.
            at: what the guard's clocks say.
        """
        ...

    def turned_away(self, what: str, reason: str) -> None:
        """A request was not even proposed: it is not understood, is never allowed, or could not be judged.

        Args:
            what: the request, in one line.
            reason: why, as the agent was told.
        """
        ...

    def observed(
        self,
        screen: Screen | None,
        delivered: bool | None,
        seen: KnownWorld | None,
        at: Times,
        *,
        today: dt.date,
        screens: frozenset[str],
        observed: ObservationResult,
    ) -> None:
        """An observation was taken in."""
        ...

    def closed(self) -> None:
        """The session was ended from outside: everything is blocked from now on."""
        ...

    def failed(self, error: str) -> None:
        """The guard met an internal error while it observed: it blocks everything from now on."""
        ...


class Relay:
    """Passes on what a guard reports; what the other one raises is raised here too.

    Args:
        recorder: hears it; None: nobody does.
    """

    def __init__(self, recorder: Recorder | None) -> None:
        self.recorder: Final = recorder

    def begin(
        self,
        program: Program,
        settings: Settings,
        engine: EngineName,
        today: dt.date | None,
        now: Times,
        instruction: str | None = None,
    ) -> None:
        if self.recorder is not None:
            self.recorder.begin(program, settings, engine, today, now, instruction)

    def listening(self, similarity: Similarity) -> Similarity:
        return self.recorder.listening(similarity) if self.recorder is not None else similarity

    def proposed(self, verdict: Verdict, note: str) -> None:
        if self.recorder is not None:
            self.recorder.proposed(verdict, note)

    def committed(self, answered: CommitQuestion) -> None:
        if self.recorder is not None:
            self.recorder.committed(answered)

    def refused(self, answered: CommitQuestion, reason: str) -> None:
        if self.recorder is not None:
            self.recorder.refused(answered, reason)

    def answered(
        self, approved: bool, how: str = "", verdict: Verdict | None = None, refused: str = ""
    ) -> None:
        if self.recorder is not None:
            self.recorder.answered(approved, how, verdict, refused)

    def delivered(
        self,
        delivered: bool | None,
        problem: str = "",
        verdict: Verdict | None = None,
        look: LastLook | None = None,
        *,
        judged: bool = True,
    ) -> None:
        if self.recorder is not None:
            self.recorder.delivered(delivered, problem, verdict, look, judged=judged)

    def given_back(self, number: int, action: Action, at: Times) -> None:
        if self.recorder is not None:
            self.recorder.given_back(number, action, at)

    def turned_away(self, what: str, reason: str) -> None:
        if self.recorder is not None:
            self.recorder.turned_away(what, reason)

    def observed(
        self,
        screen: Screen | None,
        delivered: bool | None,
        seen: KnownWorld | None,
        at: Times,
        *,
        today: dt.date,
        screens: frozenset[str],
        observed: ObservationResult,
    ) -> None:
        if self.recorder is not None:
            self.recorder.observed(
                screen, delivered, seen, at, today=today, screens=screens, observed=observed
            )

    def closed(self) -> None:
        if self.recorder is not None:
            self.recorder.closed()

    def failed(self, error: str) -> None:
        if self.recorder is not None:
            self.recorder.failed(error)
