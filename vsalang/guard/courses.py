"""The outcomes of the same before: sessions of an audit go through the same screens and proposals again and again.

A verdict is a function of program, settings, day, what is known, screen and proposal (`guard.md#I9`). `Courses` keeps
such functions by their arguments, for sessions that are judged one after the other: what an earlier session was told of
the same is told again, and the evaluator is not asked. All sessions of a program share one evaluator, which is opened
when it is first asked, and shown the moment of the session that asks.

A *place* stands for all that a session knows. Where nothing is remembered but the look (no belief, no licence used,
nothing awaited) that is what the screen says, so that any two sessions meet there. Elsewhere it is an observation that
was kept, and two sessions are at the same place if they came there in the same way from a place where nothing was
remembered, by the same numbers of points and proposals.

Nothing is kept of sessions in which a rule reads a clock or more of the past than which actions were done, or asks
somebody (``~=``); of errors; of warnings that pass by repetition; and of what is proposed with effects of its own.
There a session goes its ordinary way.
"""

import datetime as dt
from collections import OrderedDict
from dataclasses import dataclass, replace
from typing import Any, Final, Protocol

from vsalang.base.once import once_each
from vsalang.guard.judge.licences import Licences
from vsalang.guard.judge.program_analysis import Analysis, analysis
from vsalang.guard.parts import Parts
from vsalang.guard.say.verdict import ObservationResult, Proposal, Verdict
from vsalang.guard.settings import Settings
from vsalang.guard.world.beliefs import EMPTY, World
from vsalang.guard.world.clock import Times
from vsalang.guard.world.observing import KnownWorld
from vsalang.guard.world.session_state import JudgedProposal, Snapshot
from vsalang.program.action import Action
from vsalang.program.ir import Atom, Fn, Lit, Past, Program, Rule, Then
from vsalang.program.screen import Screen
from vsalang.program.vocabulary import SINCE
from vsalang.program.walk import parts

MOST: Final = 16_384
"""So many verdicts and observations are kept, the latest used longest."""
PROGRAMS: Final = 16
"""So many evaluators are kept open, the latest used longest."""

_OF_DAYS: Final = frozenset({"today", "date"})
"""The functions that read the day: ``date("tomorrow")`` does."""


@dataclass(frozen=True, slots=True)
class TimesRead:
    """What the rules of a program read of time.

    Attributes:
        clock: the device's clock, or how long something is ago.
        past: what was seen at an earlier moment, so that an evaluator cannot serve another session.
        days: which day it is.
        changes: what changed since the last action.
    """

    clock: bool
    past: bool
    days: bool
    changes: bool


def times_read(program: Program) -> TimesRead:
    """What the rules of a program read of time: of all its rules, whatever they are for."""
    refined = (each.refines.arguments for each in program.relations.values() if each.refines is not None)
    terms = tuple(term for arguments in refined for _, term in arguments)
    asked = [_asked(rule) for rule in (*program.rules, *program.lowered)]
    asked.append(_asked_of(terms))
    passed = {name for each in asked for name in each.earlier}
    clock = any(each.clock for each in asked)
    return TimesRead(
        clock,
        clock
        or any(each.past for each in asked)
        or any(program.relation(name).sort != "action" for name in passed),
        any(each.days for each in asked),
        any(each.changes for each in asked),
    )


@dataclass(frozen=True, slots=True)
class _TimeConditions:
    """What some conditions ask of time; `earlier`: the relations of whose past they ask."""

    clock: bool
    past: bool
    days: bool
    changes: bool
    earlier: frozenset[str]


@once_each
def _asked(rule: Rule) -> _TimeConditions:
    return _asked_of(rule)


def _asked_of(item: object) -> _TimeConditions:
    clock = past = days = changes = False
    earlier: set[str] = set()
    for part in parts(item):
        match part:
            case Past(op=op):
                clock |= op != "earlier"
            case Lit(atom=atom, past=Past()):
                earlier.add(atom.relation)
            case Then():
                past = True
            case Fn(name=name):
                days |= name in _OF_DAYS
            case Atom(relation=relation):
                clock |= relation == "Clock"
                changes |= relation in SINCE
    return _TimeConditions(clock, past, days, changes, frozenset(earlier))


@dataclass(slots=True, eq=False)
class KnownJudgement:
    """A proposal that was judged at a place.

    Attributes:
        outside: the same as it is committed by those who only follow (`outside`); None: nobody did yet.
    """

    judged: JudgedProposal
    verdict: Verdict
    outside: JudgedProposal | None = None


@dataclass(slots=True, eq=False)
class KnownObservation:
    """An observation that was taken in at a place.

    Attributes:
        state: what was known then, without screens.
        acted: the look before it is the one of the last action now, and whether that only scrolled; None: it is not.
        remembers: whether something is remembered but the look.
    """

    state: Snapshot
    observed: ObservationResult
    acted: bool | None
    remembers: bool


_NUMBERED: Final = object()
"""Is kept in place of what depends on the numbers of points and proposals, too."""

_KNOWN: Final = KnownWorld()


class Sharing(Protocol):
    """What is asked of a session that shares an evaluator with others: `vsalang.guard.session.Session`."""

    state: Snapshot
    today: dt.date
    instruction: str | None

    def opened(self) -> Parts:
        """Opens what reads the program, with the moment of `state`."""
        ...


class Courses:
    """The outcomes of the same before, for sessions that one thread goes through one after the other.

    Args:
        most: how much is kept.

    Attributes:
        known, unknown: how many verdicts and observations were known, and were not.
    """

    def __init__(self, most: int = MOST) -> None:
        self.known = self.unknown = 0
        self._most = most
        self._kept: OrderedDict[object, Any] = OrderedDict()
        self._lanes: OrderedDict[object, Lane] = OrderedDict()

    def lane(self, program: Program, settings: Settings) -> "Lane":
        """The lane of the sessions of a program under the same settings."""
        key = (id(program), settings)  # the lane keeps the program alive
        lane = self._lanes.get(key)
        if lane is None:
            lane = self._lanes[key] = Lane(self, program)
            while len(self._lanes) > PROGRAMS:
                self._lanes.popitem(last=False)
        self._lanes.move_to_end(key)
        return lane

    def get(self, key: object, numbers: tuple[int, ...]) -> Any:
        """What is kept under a key, or under it and the numbers; None: nothing."""
        value = self._kept.get(key)
        if value is _NUMBERED:
            self._kept.move_to_end(key)
            key = (key, numbers)
            value = self._kept.get(key)
        if value is None:
            self.unknown += 1
        else:
            self._kept.move_to_end(key)
            self.known += 1
        return value

    def put(self, key: object, numbers: tuple[int, ...] | None, value: object) -> None:
        """Keep something; `numbers`: it depends on these, too."""
        if numbers is not None:
            self._kept[key] = _NUMBERED
            key = (key, numbers)
        self._kept[key] = value
        while len(self._kept) > self._most:
            self._kept.popitem(last=False)


class Lane:
    """The sessions of one program under the same settings: their evaluator, and the outcome of the same.

    Attributes:
        shares: whether an evaluator can serve one session after the other.
        keeps: whether anything is kept of its sessions.
        asks: whether a rule asks somebody (``~=``).
    """

    def __init__(self, courses: Courses, program: Program) -> None:
        self.program = program
        self.courses = courses
        read: Analysis = analysis(program)
        self.licences: Licences = read.licences
        self.times = times_read(program)
        self.asks = read.book.asks
        self._instructed = "Instruction" in read.book.read
        self.shares = not (self.times.past or read.book.ordered)
        self.keeps = self.shares and not self.asks
        self._parts: dict[dt.date, Parts] = {}
        self._held: tuple[object, object] = (None, None)

    # ------------------------------------------------------------------ the evaluator

    def parts_for(self, session: Sharing) -> Parts:
        """What reads the program, with the moment assigned that is committed in a session."""
        day = session.today if self.times.days else dt.date.min
        made = self._parts.get(day)
        if made is None:
            self._parts.clear()  # days come one after the other
            self._held = (None, None)
            made = self._parts[day] = session.opened()
            self._held = (session, session.state)
        if self._held[0] is not session or self._held[1] is not session.state:
            self._held = (None, None)
            made.moments.rewind(session.state.points)
            made.moments.instruction(session.instruction)
            made.outcomes.assign(session.state, again=False)
            self._held = (session, session.state)
        return made

    def holds(self, session: Sharing, state: Snapshot) -> None:
        """The evaluator has moved to this moment of a session."""
        self._held = (session, state)

    def lost(self) -> None:
        """What the evaluator holds is not known any more: it is opened again when it is next asked."""
        self._parts.clear()
        self._held = (None, None)

    # ------------------------------------------------------------------ places

    def place(self, state: Snapshot, instruction: str | None) -> object | None:
        """The place of a state in which nothing is remembered but the look; None: something is, or it has no key."""
        if not self.keeps or remembers(state):
            return None
        look = content(state.screen)
        if look is None:
            return None
        acted: object = None
        if state.acted is not None and (self.times.changes or state.acted[0].otherwise is not None):
            before = content(state.acted[0])
            if before is None:
                return None
            acted = (before, state.acted[1])
        asked = instruction if self._instructed else None
        return (
            self,
            asked,
            look,
            acted,
            state.screens_given,
            state.screens_count,
            state.typing,
            state.front,
        )

    def proposed(
        self, place: object, state: Snapshot, proposal: Proposal, now: Times, day: dt.date
    ) -> tuple[object, ...] | None:
        """The key of a proposal at a place; None: it has none."""
        if proposal.writes or proposal.deletes:
            return None
        recent = state.recent.at_time(now.timeline)
        return (
            place,
            _action(proposal.gesture),
            tuple(map(_action, proposal.attempts)),
            tuple(map(_action, proposal.claims)),
            (recent.node, recent.x, recent.y, recent.field, recent.typed),
            self._days(day, now.clock),
        )

    def looked(
        self,
        place: object,
        running: object,
        screen: Screen | None,
        delivered: bool | None,
        seen: KnownWorld,
        *,
        now: dt.datetime,
        day: dt.date,
    ) -> tuple[object, ...] | None:
        """The key of a look at a place; None: it has none.

        Args:
            running: the key of what is under way, with whether it is committed as judged.
        """
        look = content(screen)
        if look is None:
            return None
        more = "" if seen == _KNOWN else repr(seen)
        return (place, running, look, delivered, more, self._days(day, now))

    def _days(self, day: dt.date, now: dt.datetime) -> object:
        return (day, now.date()) if self.times.days else None


def remembers(state: Snapshot) -> bool:
    """Whether something is remembered in a state but the look."""
    return bool(
        state.ledger or state.unseen or state.windows or state.perhaps or state.aside or believes(state.world)
    )


def believes(world: World) -> bool:
    """Whether anything is believed."""
    return any(table is not EMPTY and table != EMPTY for table in world.tables.values())


def content(screen: Screen | None) -> str | None:
    """Equal for screens on which no rule can tell a difference, the clock aside; None: it is not known."""
    if screen is None:
        return ""
    return getattr(screen, "content", None)


def _action(action: Action | None) -> object:
    """Values of different types are never equal."""
    return None if action is None else (action.name, repr(sorted(action.args.items(), key=_name)))


def _name(item: tuple[str, object]) -> str:
    return item[0]


def may_be_kept(judged: JudgedProposal, verdict: Verdict) -> bool:
    """Whether a judgement is a function of its key: errors and repetitions are not.

    Nor is a warning of what nothing licenses: it depends on how many warnings were passed by repetition.
    """
    return not verdict.overridden and not any(
        reason.kind == "error" or (reason.kind == "unlicensed" and reason.level == "warn")
        for reason in judged.reasons
    )


def numbered(judged: JudgedProposal) -> bool:
    """Whether what was judged says at which points something was written."""
    return bool(judged.changes or judged.writes or judged.deletes or believes(judged.world))


def known_observation(before: Snapshot, after: Snapshot, observed: ObservationResult) -> KnownObservation:
    """An observation to keep."""
    acted = after.acted[1] if after.acted is not None and after.acted is not before.acted else None
    bare = replace(after, screen=None, compared=None, acted=None)
    return KnownObservation(bare, observed, acted, remembers(after))


def observed_again(
    known: KnownObservation,
    state: Snapshot,
    screen: Screen | None,
    judged: JudgedProposal | None,
    at: dt.datetime | None,
    point: int,
) -> tuple[Snapshot, ObservationResult]:
    """The state after an observation that is known, and what it changed, with the numbers of this session.

    Args:
        state: what is known before it.
        screen: as it is now.
        judged: the action under way, if it reached the device or may have; None: nothing is under way.
        at: when it was over.
        point: the number of the history point that this observation makes.
    """
    acted = state.acted
    if known.acted is not None:
        assert state.screen is not None
        acted = (state.screen, known.acted)
    compared = screen
    if screen is not None and acted is not None:
        compared = screen.since(acted[0], scrolled=acted[1])
    recent = state.recent
    if judged is not None:
        recent = recent.after(judged.gesture, judged.cells, judged.typed, at)
    after = replace(
        known.state,
        screen=screen,
        compared=compared,
        acted=acted,
        points=point,
        version=state.version + 1,
        recent=recent,
        overrides=state.overrides,
        numbered=known.state.numbered if known.remembers else state.numbered,
    )
    observed = known.observed
    return after, observed if observed.point == point else replace(observed, point=point)
