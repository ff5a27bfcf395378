"""A session as a timeline: what happened, in order, in words; text, JSON and the page are made of it."""

import dataclasses
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any, Final

from vsalang.base.records import dataclass
from vsalang.guard.journal.recorded_session import Session, Step
from vsalang.guard.journal.values_json import understood
from vsalang.guard.say.touched import gesture_text
from vsalang.guard.say.verdict import HOLDING, Why, unexpected_texts
from vsalang.guard.user.questions import REFUSALS
from vsalang.program.delivery import cause_of
from vsalang.program.similarity import Behind
from vsalang.program.text import line

KINDS: Final = ("allowed", "warned", "asked", "blocked", "unjudged", "committed", "surprise")
"""What steps can be asked for: by verdict, what was carried out, what came out otherwise than expected."""

_VERDICT: Final = {"allow": "allowed", "warn": "warned", "confirm": "asked", "block": "blocked"}


@dataclass(frozen=True, slots=True)
class Cause:
    """A reason as it is shown: its sentence, its rule, and the conditions behind it."""

    level: str
    kind: str
    message: str
    rule: str
    conditions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened.

    Attributes:
        kind: ``step``, ``look`` (an observation that no action made), ``turned_away``, ``given_back``,
            ``resume``, ``failed``, ``close``, ``end``.
        line: the number of its record.
        clock: the session's time.
        step: of a step.
        outcome_text: the outcome, in words.
        how: the result of the question to the user, as recorded; empty: there was none, or it is not recorded.
        tags: which of `KINDS` it is.
        causes: the reasons of the verdict.
        surprises: what came out otherwise: contracts, conflicts, differences, late judgements.
        looks: what somebody who looked says of contracts that were left open.
        screen: the record of the screen it was judged on, or that was looked at.
        screens: the names of the screens that showed.
        text: of other events.
    """

    kind: str
    line: int
    clock: str
    step: Step | None = None
    title: str = ""
    outcome_text: str = ""
    how: str = ""
    tags: frozenset[str] = frozenset()
    causes: tuple[Cause, ...] = ()
    surprises: tuple[str, ...] = ()
    looks: tuple[str, ...] = ()
    screen: Mapping[str, Any] | None = None
    screens: tuple[str, ...] = ()
    text: str = ""


@dataclass(frozen=True, slots=True)
class Looks:
    """How often somebody was asked to look, of the steps that were carried out.

    Attributes:
        steps: that were carried out and observed.
        open: of these, those of which a contract was left open by what was observed.
        asked: of these, those for which somebody was asked.
        met, violated, inconclusive: the contracts that were asked about, by the answer.
    """

    steps: int = 0
    open: int = 0
    asked: int = 0
    met: int = 0
    violated: int = 0
    inconclusive: int = 0

    @property
    def rate(self) -> float | None:
        """The share of the steps that needed no look (the reduction rate of SenseAct); None of none."""
        return 1 - self.asked / self.steps if self.steps else None


@dataclass(frozen=True, slots=True)
class Timeline:
    """A session for readers.

    Attributes:
        counts: how many proposals there were of each kind.
        looks: how often somebody looked, and with which result.
        nothing: what to say if there are no events.
    """

    session: Session
    events: tuple[Event, ...]
    counts: Mapping[str, int] = field(default_factory=dict)
    looks: Looks = field(default_factory=Looks)
    nothing: str = ""

    @property
    def outcome(self) -> str:
        """How it ended: ``completed``, ``not completed``, ``ended`` (nobody said whether), ``unfinished``."""
        completed = self.session.completed
        return {
            True: "completed",
            False: "not completed",
            None: "ended" if self.session.ended else "unfinished",
        }[completed]


def timeline(
    session: Session, *, first: int | None = None, last: int | None = None, only: Iterable[str] = ()
) -> Timeline:
    """The timeline of a session.

    Args:
        session: what was recorded.
        first: the number of the first step wanted.
        last: the number of the last one.
        only: kinds of steps (`KINDS`): a step must be one of them. Other events are left out then.
    """
    with understood(session.path):
        return _timeline(session, first, last, frozenset(only))


def _timeline(session: Session, first: int | None, last: int | None, wanted: frozenset[str]) -> Timeline:
    steps = {step.record: step for step in session.steps}
    commits = {step.commit for step in session.steps if step.commit}
    answers = {
        record.data.get("propose"): str(record.data.get("how", ""))
        for record in session.records
        if record.kind == "answer" and not record.data.get("refused")
    }
    looks: dict[int | None, list[Mapping[str, Any]]] = {}
    for record in session.records:
        if record.kind == "looked":
            looks.setdefault(record.data.get("propose"), []).append(record.data)
    events: list[Event] = []
    running = False
    number = 1
    for record in session.records:
        data = record.data
        clock = str(data.get("clock", ""))
        match record.kind:
            case "propose":
                step = steps[record.number]
                number = step.number
                answer = answers.get(step.record, "")
                events.append(_step(session, step, answer, looks.get(step.record, ())))
            case "commit":
                running = record.number in commits
            case "observe":
                if not running:
                    texts = _surprises(data)
                    events.append(_look(record.number, number, data, texts))
                running = False
            case "turned_away":
                text = f"Turned away: {line(str(data.get('request')), 400)}: {line(str(data.get('reason')), 400)}"
                events.append(Event("turned_away", record.number, clock, text=text))
            case "given_back":
                text = f"The user gave the licence of {line(str(data.get('action')), 400)} back: it counts as not done."
                events.append(Event("given_back", record.number, clock, text=text))
            case "resume":
                text = "The guard was gone; the session went on from the journal"
                if data.get("in_flight") is not None:
                    text += "; an action was under way, and it counts as done unless it was seen otherwise"
                if data.get("torn"):
                    text += "; a line that had been written in part was cut off"
                events.append(Event("resume", record.number, clock, text=text + "."))
            case "failed":
                text = f"The guard failed while it observed: {line(str(data.get('error')), 600)}"
                events.append(Event("failed", record.number, clock, text=text))
            case "close":
                text = "The session was closed: everything is blocked from here on."
                events.append(Event("close", record.number, clock, text=text))
            case "end":
                text = _ENDS.get(data.get("completed"), "The session ended.")
                events.append(Event("end", record.number, clock, text=text))
    counts = {kind: sum(kind in event.tags for event in events) for kind in KINDS}
    low, high = first if first is not None else 0, last if last is not None else len(session.steps) + 1
    kept, place = [], 0
    for event in events:
        place = event.step.number if event.step is not None else place
        inside = low <= place <= high or (first is None and place == 0 and low <= place)
        if inside and (not wanted or event.tags & wanted):
            kept.append(event)
    nothing = "nothing of that kind"
    if first is not None or last is not None:
        total = len(session.steps)
        kind = " of that kind" if wanted else ""
        nothing = f"nothing{kind} in that range: the session has {total} proposal{'s' * (total != 1)}"
    return Timeline(session, tuple(kept), counts, _looks(session, looks), nothing)


def _looks(session: Session, looks: Mapping[int | None, Sequence[Mapping[str, Any]]]) -> Looks:
    done = [step for step in session.steps if step.commit and step.after is not None]
    left = [
        step
        for step in done
        if any(each.get("outcome") == "inconclusive" for each in (step.after or {}).get("contracts", ()))
    ]
    counts = Counter(each.get("outcome") for answers in looks.values() for each in answers)
    return Looks(
        len(done),
        len(left),
        sum(step.record in looks for step in done),
        counts["met"],
        counts["violated"],
        counts["inconclusive"],
    )


def _looked(look: Mapping[str, Any]) -> str:
    """The result of a look, as a sentence."""
    outcome = {"met": "met", "violated": "violated"}.get(str(look.get("outcome")), "could not be told")
    problem = f": {look.get('problem')}" if look.get("problem") else ""
    return line(f"{outcome}, by {look.get('by')}: {look.get('question')}{problem}", 600)


def _step(session: Session, step: Step, how: str, looks: Sequence[Mapping[str, Any]]) -> Event:
    tags = {_VERDICT.get(step.level, "blocked") if step.judged else "unjudged"}
    surprises = _surprises(step.after) if step.after is not None else ()
    if step.commit and step.delivered is not False:
        tags.add("committed")
    if surprises or step.changed or (step.commit and step.delivered is not True):
        tags.add("surprise")
    return Event(
        "step",
        step.record,
        step.clock,
        step,
        _title(step),
        _outcome_text(session, step, how),
        how,
        frozenset(tags),
        tuple(_cause(reason) for reason in _shown_reasons(step.verdict)),
        surprises,
        tuple(_looked(look) for look in looks),
        step.screen,
        _screen_texts(step.before),
    )


NOT_JUDGED: Final = "not judged: done before the screen was looked at"
_ENDS: Final[Mapping[object, str]] = {
    True: "The task was completed.",
    False: "The session ended; the task was not completed.",
}

OLD_LOOK = 250
"""From so many milliseconds on the age of the last look is told, unless the device compared; JSON always has it."""


CARRIED_OUT: Final = "carried out"
"""The outcome of a step about which nothing else is recorded."""


def _outcome_text(session: Session, step: Step, how: str) -> str:
    words = []
    if not step.judged:
        words.append(NOT_JUDGED)
    elif step.shadow and step.level != "allow" and step.commit:
        words.append("not held back (shadow)")
    if step.answer is not None:
        # where it is not told why, there may have been nobody to ask
        words.append(_answer(step, how))
    if step.refused:
        words.append(f"not carried out: {line(step.refused)}")
    elif step.commit:
        if step.after is None and step is session.in_flight:
            words.append("carried out; the outcome was not observed")
        elif step.delivered is False:
            words.append("it did not reach the device")
        elif step.delivered is None:
            words.append("carried out; whether it arrived is not known")
        else:
            words.append(CARRIED_OUT + ("" if step.changed else _expected(step)))
        if step.problem:
            words[-1] += f": {line(cause_of(step.problem))}"
        if (step.look_age or 0) >= OLD_LOOK and not step.by_device:
            words.append(f"the last look was {step.look_age} ms old when it left")
        if step.changed:
            words.append(f"it may have been done with other parameters: {', '.join(step.changed)}")
        elif step.touched == "moved":
            words.append("what was judged had moved, so something else may have taken the touch")
        elif step.touched == "gone" and step.verdict.get("actions"):
            words.append("a place was touched, and what was judged is not there any more")
    elif step.open:
        words.append("it was not carried out")
    return ", ".join(words)


def _title(step: Step) -> str:
    """What was proposed, a gesture by the label of what it touches."""
    touched, gesture = step.verdict.get("touched"), step.proposed.gesture
    if not isinstance(touched, str) or not touched or gesture is None:
        return line(str(step.verdict.get("proposal", "")), 300)
    more = ", ".join(str(action) for action in step.proposed.attempts)
    return line(
        ", ".join(part for part in (gesture_text(gesture.name, gesture.args, touched), more) if part), 300
    )


def _answer(step: Step, how: str) -> str:
    """What was answered to the question, and by whom."""
    who = line(step.answered_by, 100) or "the user"
    if step.answer:
        return f"{who} agreed"
    if not step.answered_by:
        return REFUSALS.get(how, "the user did not agree")
    if step.answer_reason:
        return f"{who} gave no answer that counts: {line(step.answer_reason, 200)}"
    return f"{who} said no" if how == "no" else REFUSALS.get(how, f"{who} did not agree")


def _expected(step: Step) -> str:
    """What the contracts of the action say of it."""
    outcomes = {contract.get("outcome") for contract in (step.after or {}).get("contracts", ())}
    if not outcomes or "violated" in outcomes:
        return ""  # what was violated is told apart
    if outcomes == {"met"}:
        return ", and it came out as expected"
    return "; whether it came out as expected could not be told"


def _look(record: int, number: int, data: Mapping[str, Any], surprises: tuple[str, ...]) -> Event:
    text = "The screen could not be taken." if data.get("screen") is None else "The screen was looked at."
    return Event(
        "look",
        record,
        str(data.get("clock", "")),
        surprises=surprises,
        tags=frozenset({"surprise"}) if surprises else frozenset(),
        screen=data.get("screen"),
        screens=_screen_texts(data),
        text=text,
    )


def _screen_texts(data: Mapping[str, Any] | None) -> tuple[str, ...]:
    return tuple(line(str(name), 80) for name in data.get("shown", ())) if data is not None else ()


def _shown_reasons(verdict: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The reasons of a verdict, and the flags that say by whose word an unknown touch was judged."""
    yield from verdict.get("reasons", ())
    yield from (flag for flag in verdict.get("flags", ()) if flag.get("kind") == "unknown_touch")


def _cause(reason: Mapping[str, Any]) -> Cause:
    message = str(reason.get("message", ""))
    held = reason.get("kind") in HOLDING
    conditions = list(dict.fromkeys(condition(why, held=held) for why in reason.get("whys", ())))
    if conditions and conditions[0] in message:
        # the sentence ends with them: they follow, one a line
        message = message[: message.index(conditions[0])].rstrip(": ")
    return Cause(
        str(reason.get("level", "")),
        str(reason.get("kind", "")),
        line(message, 600),
        line(str(reason.get("rule", "")), 100),
        tuple(line(text) for text in conditions),
    )


def condition(why: Mapping[str, Any], *, held: bool = False) -> str:
    """A condition of a recorded verdict as a sentence, as `vsalang.guard.Why.text` says it."""
    relation, attr, label, seen, wanted, literal = (
        str(why.get(name, "")) for name in ("relation", "attr", "label", "seen", "wanted", "literal")
    )
    recorded_answer = why.get("similarity")
    similarity = Behind.from_json(recorded_answer) if isinstance(recorded_answer, dict) else None
    unseen = why.get("set_unseen") is True
    read = Why(
        "unknown", relation, attr, label, seen, wanted, literal, set_unseen=unseen, similarity=similarity
    )
    return read.text(held=held)


def _surprises(data: Mapping[str, Any]) -> tuple[str, ...]:
    """What an observation found that was not expected."""
    contracts = data.get("contracts", ())
    lines = [f"not as expected: {text}" for text in unexpected_texts(contracts)]
    lines += [
        f"it does not count as done, and its licence stays used: {action}"
        for action in data.get("taken_back", ())
    ]
    lines += [f"seen only now that it was done: {action}" for action in data.get("came_late", ())]
    lines += [f"observations disagree: {reason.get('message', '')}" for reason in data.get("conflicts", ())]
    if not any(contract.get("unchanged") is True for contract in contracts):
        # of a screen that did not change each prediction comes out otherwise
        lines += [f"otherwise than predicted: {condition(why)}" for why in data.get("differences", ())]
    lines += [
        f"too late to prevent: {reason.get('message', '')} [{reason.get('rule', '')}]"
        for reason in data.get("recorded", ())
        if reason.get("level") != "allow"
    ]
    return tuple(line(text, 600) for text in lines)


def to_json(timeline: Timeline) -> dict[str, Any]:
    """The timeline as JSON data; the texts of the program and the screens stay in the journal.

    Raises:
        JournalError: a record is none.
    """
    with understood(timeline.session.path):
        return _json(timeline)


def _json(timeline: Timeline) -> dict[str, Any]:
    session = timeline.session
    about = {name: value for name, value in session.header.items() if name not in ("sources", "at")}
    files = [source.get("file") for source in session.header.get("sources", ())]
    return {
        "version": 1,
        "journal": session.path,
        "session": {**about, "files": files, "begun": session.header.get("at")},
        "mode": session.mode,
        "outcome": timeline.outcome,
        "head": session.head,
        "records": len(session.records),
        "torn": len(session.torn),
        "counts": dict(timeline.counts),
        "looks": {**dataclasses.asdict(timeline.looks), "rate": timeline.looks.rate},
        "events": [_event_json(event) for event in timeline.events],
    }


def _event_json(event: Event) -> dict[str, Any]:
    data: dict[str, Any] = {"kind": event.kind, "line": event.line, "clock": event.clock or None}
    if event.screen is not None:
        data["screen"] = event.screen.get("fingerprint")
        data["shown"] = list(event.screens)
    if event.surprises:
        data["surprises"] = list(event.surprises)
    if event.looks:
        data["looks"] = list(event.looks)
    step = event.step
    if step is None:
        return data | {"text": event.text}
    return data | {
        "step": step.number,
        "note": step.note,
        "verdict": step.verdict,
        "answer": step.answer,
        "how": event.how,
        **({"by": step.answered_by} if step.answered_by else {}),
        "refused": step.refused,
        "judged": step.judged,
        "committed": bool(step.commit),
        "delivered": step.delivered,
        "look_age": step.look_age,
        "by_device": step.by_device,
        "touched": step.touched,
        **({"changed": (step.after or {})["changed"]} if step.changed else {}),
        "became": event.outcome_text,
        "tags": sorted(event.tags),
    }


def charter_text(header: Mapping[str, Any]) -> str:
    """Who wrote the charter of an instruction, what was said of that, and who agreed; empty if it was not one.

    Args:
        header: the first record of a journal.
    """
    charter = header.get("charter")
    if not isinstance(charter, Mapping):
        return ""
    model, judgement, agreed = (
        each if isinstance(each, Mapping) else {}
        for each in map(charter.get, ("model", "judgement", "agreed"))
    )
    kinds = judgement.get("categories")
    judged = {"False": "not harmful", "True": "harmful"}.get(str(judgement.get("harmful")), "by nobody")
    if isinstance(kinds, list) and kinds:
        judged += f" ({', '.join(map(str, kinds))})"
    # an answer in a file of text gives no name
    writer = model.get("answered") or f"a model (asked for as {model.get('name', 'one that is not named')})"
    parts = [
        f"A charter by {line(str(writer), 80)}",
        f"the instruction was judged {judged}",
        f"{line(str(agreed.get('by', 'nobody')), 80)} agreed",
    ]
    return line("; ".join(parts), 400) + "."
