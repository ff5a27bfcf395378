"""Walks of a random agent over the booking app, and guards that are recorded while they are walked with."""

import datetime as dt
from dataclasses import dataclass, replace
from typing import Any

from hypothesis import strategies as st

from tests.guard.phones import Watch, details, receipt, search
from tests.guard.programs import R, booking
from vsalang.base.names import Mode
from vsalang.guard import Guard, NotAllowed, Proposal, Settings
from vsalang.guard.journal import Recorder
from vsalang.guard.journal.file import Journal
from vsalang.program.action import Action
from vsalang.program.example import Fact
from vsalang.program.ir import Program

DAY = dt.date(2026, 4, 1)
PAGES = (
    search(),
    details(("18:30", True)),
    details(("18:00", True), ("20:00", True)),
    details(("18:30", True), fits=False),
    details(("18:30", True), name="Q"),
    receipt(),
    receipt(False),
    None,
)
PROPOSALS = (
    *(Proposal(Action("tap", cells)) for cells in ({"id": "reserve_button"}, {"node": 10}, {"node": 20})),
    *(Proposal(Action(name)) for name in ("back", "home", "wait")),
    Proposal(Action("tap", {"id": "reserve_button"}), claims=(Action("Nonsense"),)),
    Proposal(None, (Action("finish"),)),
    Proposal(None, (Action("shell", {"command": "x"}),)),
    Proposal(None, (Action(f"{R}Reserve", {"restaurant": "R", "date": DAY, "time": dt.time(18, 30)}),)),
    Proposal(writes=(Fact(f"{R}Choice", {"time": dt.time(20)}),)),
    Proposal(writes=(Fact(f"{R}Choice", {"time": dt.time(18, 30)}),)),
    Proposal(),
)
SETTINGS = Settings(overrides=2)
PROGRAM = replace(booking().program(), digest="0" * 64)

Op = tuple[Any, ...]
OPS = st.one_of(
    st.tuples(st.just("propose"), st.sampled_from(PROPOSALS)),
    st.tuples(st.just("act"), st.sampled_from(PROPOSALS), st.booleans()),
    st.tuples(st.just("observe"), st.sampled_from(PAGES), st.sampled_from((True, True, None, False))),
    st.tuples(st.just("wait"), st.sampled_from((1, 4, 3600))),
)
# What leads somewhere comes often: a page, a slot, the button.
PATH: tuple[Op, ...] = (
    ("observe", PAGES[1], True),
    ("act", PROPOSALS[1], True),
    ("observe", PAGES[1], True),
    ("act", PROPOSALS[0], True),
    ("observe", PAGES[5], True),
    ("act", PROPOSALS[7], True),
)
WALKS = st.lists(st.one_of(OPS, st.sampled_from(PATH)), min_size=3, max_size=25).flatmap(
    lambda walk: st.sampled_from(([*PATH, *walk], [*walk[:5], *PATH, *walk[5:]], walk))
)


@dataclass
class Walker:
    """A guard with its clock; `step` gives all that can be told of an operation from outside."""

    guard: Guard
    watch: Watch
    says: bool = False

    def step(self, op: Op) -> Any:
        match op:
            case "propose", proposal:
                return _told(self.guard.propose(proposal))
            case "act", proposal, approved:
                verdict = self.guard.propose(proposal)
                self.says = approved
                try:
                    self.guard.commit(verdict, approved=approved)
                except NotAllowed as refused:
                    return _told(verdict), str(refused)
                return _told(verdict), "committed"
            case "observe", page, delivered:
                return self.guard.observe(page, delivered)
            case "wait", seconds:
                self.watch.now += dt.timedelta(seconds=seconds)
        return None


def walker(journal: Journal | None = None, program: Program = PROGRAM, mode: Mode = "enforce") -> Walker:
    watch = Watch()
    recorder = Recorder(journal) if journal is not None else None
    settings = replace(SETTINGS, mode=mode)
    made: Walker
    ask = (lambda question: made.says) if mode == "ask" else None
    made = Walker(Guard(program, clock=watch, settings=settings, recorder=recorder, ask=ask), watch)
    return made


def _told(verdict: Any) -> Any:
    return verdict.level, verdict.overridden, verdict.reasons, verdict.flags, verdict.at
