"""Goes through a recorded session again with a guard: the same screens, clocks, proposals and commits, in order.

A verdict is a function of program, history, state, screen, proposal and time (`guard.md#I9`), and all of these are in
the journal; so the guard reaches the state of the recorded one.
"""

import datetime as dt
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from vsalang.base.records import dataclass
from vsalang.guard import Guard, NotAllowed, Proposal, Verdict
from vsalang.guard.journal.file import JournalError, Record
from vsalang.guard.journal.recorded_session import Session
from vsalang.guard.journal.values_json import (
    MISSHAPEN,
    read_delivered,
    read_proposal,
    read_seen,
    read_times,
    want,
)
from vsalang.guard.session import MAX_INSTRUCTION
from vsalang.guard.world.clock import Clock, HandClock, ScreenClock, Times
from vsalang.program.screen import FINGERPRINTS, Screen
from vsalang.program.similarity import DEFAULT, Behind, Similarity, behind, computing, problem_of


class Tape:
    """The clocks of a session that is enacted again: what was recorded, and from `live` on what a live clock says.

    Attributes:
        now: what was recorded last.
        told: when that was written (`at` of the record).

    Args:
        first: the record that begins the session.
    """

    def __init__(self, first: Mapping[str, Any]) -> None:
        self.wind(first)
        self._goes_on: Clock | None = None

    def wind(self, data: Mapping[str, Any]) -> None:
        """Set the clocks to the moment of a record."""
        self.now = read_times(data)
        self.told = str(data.get("at", ""))

    def see(self, screen: Screen | None) -> None:
        """Show a live clock the screen."""
        if self._goes_on is not None:
            self._goes_on.see(screen)

    def live(self, clock: Callable[[], dt.datetime], screen: Screen | None) -> None:
        """From now on say what this clock says.

        Args:
            clock: a `ScreenClock` counts what passed since the last record, by no more than the host's clock says.
            screen: what was observed last.
        """
        if isinstance(clock, ScreenClock):
            clock.go_on(self.now, _since(self.told), screen)
            self._goes_on = clock
        else:
            self._goes_on = HandClock(clock, self.now)

    def read(self) -> Times:
        """What the clocks say now."""
        return self.now if self._goes_on is None else self._goes_on.read()


def _since(text: str) -> dt.timedelta:
    """How long ago a record was written, by the host's clock (UTC); nothing if that is not known."""
    try:
        return dt.datetime.now(dt.UTC) - dt.datetime.fromisoformat(text)
    except (ValueError, TypeError):
        return dt.timedelta(0)


class RecordedSimilarity:
    """Gives the recorded answers. What was never asked is asked of `otherwise`; without it there is no answer.

    A recorded backend that computes its answers computes them again.

    Attributes:
        name: the backend that was recorded.
    """

    def __init__(self, session: Session, otherwise: Similarity | None = None) -> None:
        self.name = str(session.header.get("similarity", ""))
        self._answers = session.similar
        self._otherwise = otherwise or computing(self.name)
        self._problem = ""

    @property
    def problem(self) -> str:
        """Why a question was not answered; empty if all were."""
        return self._problem or ("" if self._otherwise is None else problem_of(self._otherwise))

    def similar(self, text: str, constant: str) -> bool | None:
        """The recorded answer."""
        answer = self._answers.get((text, constant))
        if answer is None and self._otherwise is not None:
            return self._otherwise.similar(text, constant)
        if answer is None and DEFAULT.similar(text, constant):
            return True
        why = self.behind(text, constant)
        if why.problem:
            self._problem = self._problem or str(why)
        return answer.answer if answer is not None else None

    def behind(self, text: str, constant: str) -> Behind:
        """What was behind the recorded answer."""
        answer = self._answers.get((text, constant))
        if answer is not None:
            return answer.behind
        if self._otherwise is not None:
            return behind(self._otherwise, text, constant)
        return Behind(
            self.name, problem="it was not asked this in the recorded session, and is not asked now"
        )


@dataclass(frozen=True)
class _Look:
    """All that a commit asks of a screen."""

    fingerprint: str


class Enactment:
    """Enacts the records of a session with a guard, one by one.

    This is not a `vsalang.guard.step.guarded_step`: the order is the recorded one, no matter who kept it, and may end
    between any two of its places. Each transition is repeated from its record, and nothing is done on a device.

    Args:
        session: what was recorded.
        guard: of the recorded program, or of another; its clock is `tape`.
        tape: the clock.
        follow: the guard goes along where it would not have (another program): what was done counts as done. Else it
            must judge as it did, or `JournalError` is raised.
    """

    def __init__(
        self,
        session: Session,
        guard: Guard,
        tape: Tape,
        *,
        follow: bool = False,
    ) -> None:
        self.session = session
        self.guard = guard
        self.tape = tape
        self.newest: tuple[Verdict, int] | None = None
        self.in_flight: int | None = None
        self._left: list[bool | None] = []
        self._follow = follow
        self._screens: dict[str, tuple[Mapping[str, Any], Screen]] = {}
        self._prints: dict[str, str] = {}
        self._same_prints = (
            session.header.get("vsalang") == _release() and session.header.get("fingerprints") == FINGERPRINTS
        )

    def enact(self, record: Record) -> Verdict | None:
        """Do what a record tells; the verdict if it is a proposal that is judged again.

        Raises:
            JournalError: it cannot be done as it is told, or (without `follow`) the guard judges otherwise.
        """
        try:
            return self._enact(record)
        except JournalError as error:
            raise JournalError(f"{self.session.path}, line {record.number}: {error}") from error
        except MISSHAPEN as error:
            raise JournalError(
                f"{self.session.path}, line {record.number}: an invalid record of the kind {record.kind}"
            ) from error

    def _enact(self, record: Record) -> Verdict | None:
        data = record.data
        match record.kind:
            case "propose":
                return self._propose(record)
            case "commit":
                self._commit(data)
            case "refused" if data["propose"] is not None:
                self._refused(data)
            case "observe":
                self._observe(data)
            case "given_back":
                self._given_back(data)
            case "outcome" if data.get("propose") == self.in_flight:
                self._left.append(read_delivered(data))
            case "resume":
                # words that disagree are none: an app that was told to go on may have done it
                self.guard.interrupted(self._left[0] if len(set(self._left)) == 1 else None)
            case "close":
                self.guard.close()
        return None

    # ------------------------------------------------------------------ the kinds of records

    def _propose(self, record: Record) -> Verdict | None:
        data = record.data
        recorded = want(data["verdict"], dict, "a verdict")
        if any(reason["kind"] == "error" for reason in recorded["reasons"]):
            # An error need not come again. What is left of it is that no warning is pending.
            self.guard.propose(Proposal())
            self.newest = None
            return None
        self.tape.wind(data)
        verdict = self.guard.propose(read_proposal(data["proposal"]))
        self.newest = (verdict, record.number)
        if not self._follow and comparable_parts(verdict.to_json()) != comparable_parts(recorded):
            raise JournalError(
                f"judged again the proposal is {_words(verdict.to_json())}, and {_words(recorded)} was recorded"
            )
        return verdict

    def _commit(self, data: Mapping[str, Any]) -> None:
        if self.newest is None or self.newest[1] != data["propose"]:
            raise JournalError("a commit of what was not the last proposal")
        self.in_flight = self.newest[1]
        self._left = []
        verdict = self.newest[0]
        if self._follow:
            self.tape.wind(data)
            try:
                self.guard.machine.follow(verdict)
            except ValueError as error:
                raise JournalError("a commit of what was not the last proposal") from error
            return
        try:
            self._ask(verdict, data)
        except NotAllowed as error:
            raise JournalError(f"what was committed may not be: {error}") from error

    def _refused(self, data: Mapping[str, Any]) -> None:
        if self.newest is None or self.newest[1] != data["propose"] or self._follow:
            return
        try:
            self._ask(self.newest[0], data)
        except NotAllowed:
            return
        raise JournalError("what was refused may be committed")

    def _ask(self, verdict: Verdict, data: Mapping[str, Any]) -> None:
        self.tape.wind(data)
        screen = data["screen"]
        look: Any = None if screen is None else _Look(self._prints.get(screen, screen))
        # the user is not asked again: what they said is in the record
        self.guard.machine.commit(verdict, approved=data["approved"] is True, screen=look)

    def _observe(self, data: Mapping[str, Any]) -> None:
        self.tape.wind(data)
        screen = None if data["screen"] is None else self._screen(data["screen"])
        self.guard.observe(screen, read_delivered(data), seen=read_seen(data["seen"]))
        self.newest = self.in_flight = None

    def _given_back(self, data: Mapping[str, Any]) -> None:
        self.tape.wind(data)
        number = want(data["entry"], int, "an entry of the ledger")
        try:
            self.guard.give_back(number)
        except ValueError as error:
            if not self._follow:
                raise JournalError(f"what was given back cannot be: {error}") from error
        self.newest = None

    def _screen(self, look: Mapping[str, Any]) -> Screen:
        known = self._screens.get(look["id"])
        if known is not None and known[0] == look:
            return known[1]
        screen = self.session.screen(look)
        stated = want(look["fingerprint"], str, "a fingerprint")
        if screen.fingerprint != stated:
            if self._same_prints:
                raise JournalError("a screen is not the one that was recorded: its fingerprint is another")
            self._prints[stated] = screen.fingerprint  # another version tells screens apart in another way
        self._screens[look["id"]] = (look, screen)
        return screen


def first_day(session: Session) -> dt.date | None:
    """The day of the session's instruction: given, or told by its first screen; None if it never began."""
    records = [session.header, *(record.data for record in session.records if record.kind == "observe")]
    recorded_day = next((day for data in records[:2] if (day := data.get("today")) is not None), None)
    if recorded_day is None:
        return None
    text = str(recorded_day)
    try:
        return dt.date.fromisoformat(text)
    except ValueError as error:
        raise JournalError(f"{session.path}: today is not a day: {text[:80]}") from error


def instruction_of(session: Session) -> str | None:
    """What the user asked for, where it was said when the session was opened; None: it is the spec's description."""
    text = session.header.get("instruction")
    if text is not None and (not isinstance(text, str) or len(text) > MAX_INSTRUCTION):
        raise JournalError(
            f"{session.path}: the instruction is not a text of at most {MAX_INSTRUCTION} characters"
        )
    return text


def comparable_parts(data: Mapping[str, Any]) -> tuple[Any, ...]:
    """What of a verdict, as JSON data, must be the same when it is reached again."""
    reasons = frozenset((reason["kind"], reason["rule"], reason["level"]) for reason in data["reasons"])
    return data["level"], data["overridden"], reasons


def _words(verdict: Mapping[str, Any]) -> str:
    kinds = sorted({reason["rule"] or reason["kind"] for reason in verdict["reasons"]})
    return str(verdict["level"]) + (f" ({', '.join(kinds)})" if kinds else "")


@cache
def _release() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("vsalang")
    except PackageNotFoundError:
        return ""
