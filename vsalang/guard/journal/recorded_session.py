"""A journal as a session: its header, and each proposal with its outcome. It is shown, and judged again."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import Any

from vsalang.base.names import ENGINES, FORMER_ENGINES
from vsalang.base.records import dataclass
from vsalang.guard import Proposal
from vsalang.guard.journal.file import JournalError, Record, TornJournal, read_journal
from vsalang.guard.journal.screens_json import read_screen
from vsalang.guard.journal.values_json import MISSHAPEN, read_delivered, read_proposal, want
from vsalang.guard.say.verdict import Became
from vsalang.program.screen import Screen
from vsalang.program.similarity import Behind, SimilarityAnswer
from vsalang.program.text import line


@dataclass(frozen=True, slots=True)
class Step:
    """One proposal and its outcome.

    Attributes:
        number: from 1, among the session's proposals.
        record: the number of its record.
        verdict: as JSON data (`vsalang.guard.Verdict.to_json`).
        before: the record of the observation it was judged on; None if there was none.
        answer: what the user said; None if they were not asked.
        answered_by: the program that was asked in place of the user; empty: there was none.
        answer_reason: why what it answered is a no although it did not say so.
        refused: why its commit was refused; empty if it was not.
        commit: the number of the record of its commit; 0: not committed.
        problem: why it did not arrive, or that nobody knows.
        delivered: whether it reached the device, so far as is known; None: unknown, or not committed.
        after: the record of the observation that followed its commit.
        look_age: milliseconds from the last look to the first byte that left; None: not known, or nothing left.
        by_device: whether the device itself saw that what was judged was still there.
        touched: what the look after a touch of a place showed of what was judged
        (`vsalang.guard.world.observing.Touched`).
        judged: False for what others did before the screen was looked at: the guard could not say anything to it.
    """

    number: int
    record: int
    at: str
    clock: str
    proposal: Mapping[str, Any]
    note: str
    verdict: Mapping[str, Any]
    before: Mapping[str, Any] | None
    answer: bool | None = None
    answered_by: str = ""
    answer_reason: str = ""
    refused: str = ""
    commit: int = 0
    problem: str = ""
    delivered: bool | None = None
    after: Mapping[str, Any] | None = None
    judged: bool = True
    look_age: int | None = None
    by_device: bool = False
    touched: str = ""

    @property
    def changed(self) -> tuple[str, ...]:
        """In words, which parameters the look after it showed otherwise than they were judged."""
        changes = (self.after or {}).get("changed", ())
        return tuple(
            line(str(Became(each["parameter"], each["judged"], each["found"])), 300) for each in changes
        )

    @property
    def level(self) -> str:
        return str(self.verdict.get("level", ""))

    @property
    def shadow(self) -> bool:
        """Whether the guard only watched, so that the verdict held nothing back."""
        return self.verdict.get("mode") == "shadow"

    @property
    def passed(self) -> bool:
        """Whether it might be committed without asking anyone."""
        return self.level == "allow" or (self.shadow and self.verdict.get("binding") is False)

    @property
    def screen(self) -> Mapping[str, Any] | None:
        """The screen it was judged on: ``{id, fingerprint, ..}``; None if there was none."""
        return self.before["screen"] if self.before is not None else None

    @property
    def open(self) -> bool:
        """Whether it could have been committed and was not: the session was cut off."""
        asked = self.level == "confirm" and self.answer is not False
        return (self.passed or asked) and not self.commit and not self.refused

    @property
    def proposed(self) -> Proposal:
        """What was proposed. Raises `JournalError` if it is not a proposal."""
        return read_proposal(self.proposal)


@dataclass(frozen=True, slots=True)
class Session:
    """A journal that was read whole.

    Attributes:
        path: the file.
        records: all of them.
        header: the data of the first record.
        steps: the proposals in order.
        screens: the records of screens, by id.
        head: the hash of the last record.
        torn: bytes of a last line that a crash cut off.
    """

    path: str
    records: tuple[Record, ...]
    header: Mapping[str, Any]
    steps: tuple[Step, ...] = ()
    screens: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    head: str = ""
    torn: bytes = b""

    @property
    def mode(self) -> str:
        """What the guard did with its verdicts (`vsalang.guard.Settings.mode`)."""
        return str(want(self.header["settings"], dict, "settings").get("mode", "enforce"))

    @property
    def completed(self) -> bool | None:
        """Whether the task was completed; None if the session has no end, or there was no task."""
        ends = [record for record in self.records if record.kind == "end"]
        completed = ends[-1].data.get("completed") if ends else None
        return bool(completed) if completed is not None else None

    @property
    def ended(self) -> bool:
        """Whether the record says that the session is over; it may have been continued nevertheless."""
        return any(record.kind in ("end", "close") for record in self.records)

    @property
    def closed(self) -> bool:
        """Whether the guard was closed: everything is blocked from then on, so it cannot be continued."""
        return any(record.kind == "close" for record in self.records)

    @property
    def in_flight(self) -> Step | None:
        """The proposal that was committed, and whose outcome was never observed."""
        last = next((step for step in reversed(self.steps) if step.commit), None)
        return last if last is not None and last.after is None else None

    @property
    def similar(self) -> dict[tuple[str, str], SimilarityAnswer]:
        """What the similarity backend answered, and what is behind it."""
        backend = str(self.header.get("similarity", ""))
        answers: dict[tuple[str, str], SimilarityAnswer] = {}
        for record in self.records:
            for item in want(record.data.get("similar", []), list, "similar"):
                text, constant, answer, *rest = want(item, list, "similar")
                known = want(answer, bool, "similar") if answer is not None else None
                similar_data = want(rest[0], dict, "similar") if rest else {}
                why = Behind.from_json(similar_data, backend)
                answers.setdefault((text, constant), SimilarityAnswer(known, why))
        return answers

    def screen(self, look: Mapping[str, Any]) -> Screen:
        """The screen of an `observe` record.

        Raises:
            JournalError: it is not in the journal, or it is not what it says it is.
        """
        name = look.get("id")
        body = self.screens.get(name) if isinstance(name, str) else None
        if body is None:
            raise JournalError(f"{self.path}: the screen {str(name)[:80]} is not in the journal")
        return read_screen(str(body.get("form")), body, look)


def refuse_redacted(session: Session) -> None:
    """Refuse a journal whose secrets were replaced: rules that compare values would come out otherwise.

    Raises:
        JournalError: it is one.
    """
    if "redacted" in session.header:
        raise JournalError(
            f"{session.path}: its secrets were replaced when it was recorded, so that rules may come out otherwise: "
            "it can be shown, and neither be judged again nor be continued"
        )


def read_session(path: str | os.PathLike[str]) -> Session:
    """Read a journal; the chain is checked, and a last line that was cut off is told.

    Raises:
        JournalError: unreadable, not a journal, or changed.
    """
    records: list[Record] = []
    torn = b""
    try:
        records.extend(read_journal(path))
    except TornJournal as error:
        if not error.size:
            raise
        records, torn = _whole(path), error.torn
    return session_of(path, records, torn)


def _whole(path: str | os.PathLike[str]) -> list[Record]:
    """The records before a line that was cut off."""
    records: list[Record] = []
    reader = read_journal(path)
    while True:
        try:
            records.append(next(reader))
        except (TornJournal, StopIteration):
            return records


def _unseen(step: Step) -> bool:
    """Whether a guard that only watched had nothing to judge by: no record can take any other verdict away."""
    reasons = step.verdict.get("reasons")
    kinds = {reason.get("kind") for reason in reasons} if isinstance(reasons, list) else set()
    return step.shadow and kinds == {"no_screen"}


def session_of(path: str | os.PathLike[str], records: Sequence[Record], torn: bytes = b"") -> Session:
    """The session of records that were read.

    Raises:
        JournalError: they are not a session, or of a version that has no replay.
    """
    if not records:
        raise JournalError(f"{path} is empty: nothing is known of the session")
    first = records[0]
    if (
        first.kind != "session"
        or not isinstance(first.data.get("settings"), Mapping)
        or first.data.get("engine") not in (*ENGINES, *FORMER_ENGINES)
    ):
        raise JournalError(
            f"{path}: not the journal of a guard's session, or one of the first version of the format, "
            "which did not hold what a replay needs"
        )
    screens: dict[str, Mapping[str, Any]] = {}
    steps: dict[int, Step] = {}
    seen: Mapping[str, Any] | None = None
    committed: int | None = None
    left = False  # whether there is word of the delivery of what is under way
    try:
        for record in records:
            data = record.data
            match record.kind:
                case "screen":
                    screens[want(data["id"], str, "id")] = data
                case "propose":
                    steps[record.number] = Step(
                        len(steps) + 1,
                        record.number,
                        want(data["at"], str, "at"),
                        want(data["clock"], str, "clock"),
                        want(data["proposal"], dict, "proposal"),
                        want(data["note"], str, "note"),
                        want(data["verdict"], dict, "verdict"),
                        seen,
                    )
                case "answer" if data["propose"] in steps and not data.get("refused"):
                    step = steps[data["propose"]]
                    steps[data["propose"]] = replace(
                        step,
                        answer=want(data["approved"], bool, "approved"),
                        answered_by=want(data.get("by", ""), str, "by"),
                        answer_reason=want(data.get("reason", ""), str, "reason"),
                    )
                case "refused" if data["propose"] in steps:
                    step = steps[data["propose"]]
                    steps[data["propose"]] = replace(step, refused=want(data["reason"], str, "reason"))
                case "commit":
                    committed = want(data["propose"], int, "propose")
                    steps[committed] = replace(steps[committed], commit=record.number)
                    left = False
                case "outcome" if committed is not None and data.get("propose") == committed:
                    # an app that was told to go on with it may have done it, even if the input did not arrive
                    delivered = read_delivered(data)
                    known = not left or steps[committed].delivered is delivered
                    steps[committed] = replace(
                        steps[committed],
                        delivered=delivered if known else None,
                        problem=str(data["problem"]),
                        judged=data.get("judged") is not False or not _unseen(steps[committed]),
                        look_age=want(data["look_age"], int, "look_age") if "look_age" in data else None,
                        by_device=data.get("by_device") is True,
                    )
                    left = True
                case "observe":
                    seen = data
                    if data["screen"] is not None:
                        want(data["screen"], dict, "a screen")
                    delivered = read_delivered(data)
                    if committed is not None:
                        world = data.get("seen")
                        touched = str(world.get("touched", "")) if isinstance(world, dict) else ""
                        steps[committed] = replace(
                            steps[committed], after=data, delivered=delivered, touched=touched
                        )
                        committed = None
    except JournalError as error:
        raise JournalError(f"{path}, line {record.number}: {error}") from error
    except MISSHAPEN as error:
        raise JournalError(
            f"{path}, line {record.number}: an invalid record of the kind {record.kind}"
        ) from error
    return Session(
        str(path), tuple(records), first.data, tuple(steps.values()), screens, records[-1].hash, torn
    )
