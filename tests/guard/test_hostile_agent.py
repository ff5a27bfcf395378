"""A hostile agent against the guard: repetition, false claims, forged and stale verdicts, surprise screens, lost and
unknown deliveries, clocks that jump, proposals from several threads, errors inside the guard. The invariants I1 to I11
of the semantics must hold after every step. (A guard that only watches, and one that asks: `test_hostile_modes`.)"""

import datetime as dt
import os
import threading
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from tests.guard.phones import Watch, details, receipt, screen, search
from tests.guard.programs import R, booking
from vsalang.guard import Guard, NotAllowed, Proposal, Settings
from vsalang.guard.say.verdict import Verdict
from vsalang.program.action import Action
from vsalang.program.example import LEVELS, Fact

DAY = dt.date(2026, 4, 1)
TIMES = ("18:00", "18:30", "20:00")
SCREENS = (
    search(),
    details(("18:30", True)),
    details(("18:00", True), ("20:00", True)),
    details(("18:30", False), ("18:00", False)),
    details(("18:30", True), fits=False),
    details(("18:30", True), name="Q"),
    details(("18:30", True), day="2026-04-20"),
    details(),
    receipt(),
    receipt(False),
    screen({"id": "overflow_menu"}, {"id": "x", "clickable": True}),
    screen({"id": "reserve_button"}, app="com.evil"),
    screen({"id": "restaurant_name", "text": "R"}, {"id": "restaurant_name", "text": "Q"}),
)
INSTANCES = st.builds(
    lambda name, day, time: {
        key: value
        for key, value in (("restaurant", name), ("date", day), ("time", time))
        if value is not None
    },
    st.sampled_from(("R", "Q", None)),
    st.sampled_from((DAY, DAY + dt.timedelta(days=19), None)),
    st.sampled_from((*map(dt.time.fromisoformat, TIMES), None)),
)
RESERVE = st.builds(lambda cells: Action(f"{R}Reserve", cells), INSTANCES)
GESTURES = st.sampled_from(
    (
        Action("tap", {"id": "reserve_button"}),
        Action("tap", {"node": 10}),
        Action("tap", {"node": 20}),
        Action("tap", {"id": "x"}),
        Action("tap", {"x": 5, "y": 5}),
        Action("long_press", {"id": "reserve_button"}),
        Action("back"),
        Action("home"),
        Action("open_app", {"package": "com.opentable"}),
    )
)
CRITICAL = st.one_of(
    RESERVE, st.sampled_from((Action("finish"), Action("shell", {"command": "x"}), Action("Nonsense")))
)
WRITES = st.builds(
    lambda time: Fact(f"{R}Choice", {"time": dt.time.fromisoformat(time)}), st.sampled_from(TIMES)
)
PROPOSALS = st.builds(
    Proposal,
    st.one_of(st.none(), GESTURES),
    st.lists(CRITICAL, max_size=1).map(tuple),
    st.lists(CRITICAL, max_size=1).map(tuple),
    st.lists(WRITES, max_size=2).map(tuple),
)


class HostileAgent(RuleBasedStateMachine):
    """Two guards in step, one with policies and one without; what one commits the other does."""

    def __init__(self) -> None:
        super().__init__()
        self.watch = Watch()
        life = Settings(overrides=2)
        self.program = booking().program()
        self.guard = Guard(self.program, clock=self.watch, settings=life)
        self.loose = Guard(booking(policy=False).program(), clock=self.watch, settings=life)
        self.last: tuple[Verdict, Verdict] | None = None
        self.old: list[Verdict] = []
        self.page = SCREENS[0]
        self.charged = False  # whether the one licence is used, told without the guard's ledger
        self.sent = False  # a reservation is under way
        self.overrides = 0
        self.observe_both(SCREENS[0], True)

    def observe_both(self, page: Any, delivered: bool | None) -> None:
        self.page = page
        self.last = None
        self.charged |= self.sent and delivered is not False
        self.sent = False
        first = self.guard.observe(page, delivered)
        second = self.loose.observe(page, delivered)
        assert first.taken_back == second.taken_back

    @rule(proposal=PROPOSALS, times=st.integers(1, 3))
    def propose(self, proposal: Proposal, times: int) -> None:
        for _ in range(times):
            before, world = self.guard.snapshot, _engine(self.guard)
            verdict, loose = self.guard.propose(proposal), self.loose.propose(proposal)
            assert self.guard.snapshot is before and _engine(self.guard) == world  # I4
            assert LEVELS.index(verdict.level) >= LEVELS.index(loose.level)  # I8
            again = self.guard.propose(proposal)
            if verdict.level != "warn":
                assert (again.level, again.reasons) == (verdict.level, verdict.reasons)  # I5, I9
            else:
                assert again.level in ("warn", "allow") and again.overridden == (again.level == "allow")
                assert not again.actions or not _unlicensed(self.guard, again)
            loose = self.loose.propose(proposal)
            if self.guard.running or self.guard.finished:
                assert verdict.level == "block"  # I6
            self.old.append(verdict)
            self.last = (again, loose)

    @rule(approved=st.booleans(), page=st.sampled_from((None, *SCREENS)))
    def commit(self, approved: bool, page: Any) -> None:
        if self.last is None:
            return
        (verdict, loose), self.last = self.last, None
        before, running = self.guard.snapshot, self.guard.running
        try:
            self.guard.commit(verdict, approved=approved, screen=page)
        except NotAllowed:
            assert self.guard.snapshot is before and self.guard.running == running
            return
        # I1, I2, I3: told without the guard's own machinery.
        assert verdict.level == "allow" or (verdict.level == "confirm" and approved)
        assert page is None or page.fingerprint == verdict.fingerprint
        for action in verdict.actions:
            if action.name == f"{R}Reserve":
                self.may_reserve(action, before, verdict)
                self.sent = True
            else:
                assert action.name in ("finish", "give_up")
        if verdict.overridden:
            self.overrides += 1
            assert self.overrides <= 2
        self.loose.commit(loose, approved=True)

    def may_reserve(self, action: Action, before: Any, verdict: Verdict) -> None:
        cells = dict(action.args)
        assert cells["restaurant"] == "R" and cells["date"] == DAY
        assert cells["time"] < dt.time(19)
        offered = [row for row in before.world.rows(f"{R}Slot") if row[:2] == ("R", DAY)]
        assert any(row[2] == cells["time"] and row[3] is True for row in offered)
        assert not any(row[1] == DAY for row in before.world.rows(f"{R}Booking"))
        # a used licence comes free by the user's yes only, whatever was seen, or not seen, of the first one
        assert self.charged == (verdict.level == "confirm" and verdict.because("licence"))

    @rule(
        proposal=st.one_of(st.builds(Proposal, GESTURES), PROPOSALS),
        page=st.one_of(st.none(), st.sampled_from(SCREENS)),
        delivered=st.sampled_from((True, True, False, None)),
    )
    def act(self, proposal: Proposal, page: Any, delivered: bool | None) -> None:
        """Propose, commit and observe at once."""
        self.propose(proposal, 1)
        self.commit(True, None)
        self.observe_both(page or self.page, delivered)

    @rule(slot=st.sampled_from((10, 20)), page=st.sampled_from(SCREENS[1:5]))
    def choose(self, slot: int, page: Any) -> None:
        """Go where a table can be had, and choose a time."""
        self.observe_both(page, True)
        self.act(Proposal(Action("tap", {"node": slot})), None, True)

    @rule(
        page=st.sampled_from((receipt(), receipt(False), SCREENS[1])),
        delivered=st.sampled_from((True, None, False)),
    )
    def reserve(self, page: Any, delivered: bool | None) -> None:
        """Press the button, whatever was chosen."""
        self.act(Proposal(Action("tap", {"id": "reserve_button"})), page, delivered)

    @rule(page=st.sampled_from(SCREENS), delivered=st.sampled_from((True, True, False, None)))
    def observe(self, page: Any, delivered: bool | None) -> None:
        self.observe_both(page, delivered)

    @rule()
    def give_back(self) -> None:
        """The user gives back what was used."""
        entries = [number for number, charge in enumerate(self.guard.ledger) if not charge.returned]
        if self.guard.running:
            for number in entries:
                with pytest.raises(ValueError, match="under way"):
                    self.guard.give_back(number)
            return
        for number in entries:
            if self.guard.ledger[number].grant.relation == f"{R}Reserve":
                self.guard.give_back(number)
                self.loose.give_back(number)
                self.charged = False
                self.last = None

    @rule(seconds=st.sampled_from((1, 4, 3600, 36000, 3 * 86400, -1, -60, -86400)))
    def clock_jumps(self, seconds: int) -> None:
        self.watch.now += dt.timedelta(seconds=seconds)

    @rule(
        proposals=st.lists(
            st.builds(Proposal, GESTURES, st.lists(RESERVE, max_size=1).map(tuple)), min_size=2, max_size=5
        ),
        looks=st.booleans(),
    )
    def crowd(self, proposals: list[Proposal], looks: bool) -> None:
        """Several threads propose and commit at once; nothing of it arrives."""
        if self.guard.running or self.guard.finished:
            return
        start = threading.Barrier(len(proposals) + looks)
        before = self.guard.snapshot
        through: list[Verdict] = []
        wrong: list[BaseException] = []

        def agent(proposal: Proposal) -> None:
            start.wait(60)
            try:
                verdict = self.guard.propose(proposal)
                self.guard.commit(verdict, approved=True)
                through.append(verdict)
            except NotAllowed:
                pass
            except BaseException as error:
                wrong.append(error)

        def eye() -> None:
            start.wait(60)
            try:
                self.guard.observe(self.page, False)
            except BaseException as error:
                wrong.append(error)

        threads = [threading.Thread(target=agent, args=(proposal,)) for proposal in proposals]
        threads += [threading.Thread(target=eye)] * looks
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        assert not wrong, wrong
        assert len(through) <= 1 + looks  # I6
        assert self.guard.running or len(through) <= looks
        for verdict in through:
            assert verdict.level in ("allow", "confirm")
            for action in verdict.actions:
                if action.name == f"{R}Reserve":
                    self.may_reserve(action, before, verdict)
            self.overrides += verdict.overridden
        self.observe_both(self.page, False)
        assert self.guard.snapshot.commits == before.commits

    @rule(proposal=PROPOSALS, place=st.integers(1, 4))
    def breaks_inside(self, proposal: Proposal, place: int) -> None:
        """An error while it is judged, wherever it happens."""
        self.propose(proposal, 1)
        assert self.last is not None
        whole, world, before = self.last[0], _engine(self.guard), self.guard.snapshot
        moments, left = self.guard.session.parts.moments, place
        actions = moments.actions

        def broken(given: Any) -> None:
            nonlocal left
            left -= 1
            if not left:
                raise RuntimeError("a bug")
            actions(given)

        object.__setattr__(moments, "actions", broken)
        try:
            verdict = self.guard.propose(proposal)
        finally:
            object.__setattr__(moments, "actions", actions)
        if left <= 0:
            assert verdict.level == "block" and verdict.because("error")  # I10
            with pytest.raises(NotAllowed):
                self.guard.commit(verdict, approved=True)
        assert self.guard.snapshot is before and _engine(self.guard) == world
        self.last = None
        if whole.level != "warn" and not whole.overridden:
            again = self.guard.propose(proposal)
            assert (again.level, again.reasons) == (whole.level, whole.reasons)

    @rule(data=st.data())
    def cheat(self, data: Any) -> None:
        """Commit something old or forged."""
        if not self.old:
            return
        verdict = data.draw(st.sampled_from(self.old))
        newest = self.last[0] if self.last else None
        forged = Verdict("allow", (), verdict.proposal, verdict.token, self.watch.now, self.page.fingerprint)
        for fake in (forged, verdict):
            if fake is not newest:
                with pytest.raises(NotAllowed):  # I7
                    self.guard.commit(fake, approved=True)

    @invariant()
    def licences_bear_all_commits(self) -> None:
        commits = [commit.row for _, commit in self.guard.snapshot.commits if commit.row]
        assert len(commits) <= 1  # I2: the task allows one table
        used = [c for c in self.guard.ledger if c.grant.relation == f"{R}Reserve" and not c.returned]
        assert len(used) == self.charged  # I2: nothing but the user's word gives a licence back
        assert not self.guard.failed

    @invariant()
    def only_apps_wrote(self) -> None:
        for name in self.guard.snapshot.world.tables:
            assert self.program.relation(name).module == "opentable"  # I11


def _engine(session: Guard) -> dict[str, Any]:
    names = (
        "Node",
        "tap",
        "Goto",
        "Clock",
        f"{R}Slot",
        f"{R}Choice",
        f"{R}Booking",
        f"{R}Reserve",
        f"{R}Details",
    )
    return {name: session.session.parts.evaluator.rows(name) for name in names}


def _unlicensed(session: Guard, verdict: Verdict) -> bool:
    return any(reason.kind in ("unlicensed", "unmet", "incomplete", "licence") for reason in verdict.reasons)


TestHostileAgent = HostileAgent.TestCase
TestHostileAgent.settings = settings(
    max_examples=int(os.environ.get("VSALANG_HOSTILE", "20")),
    stateful_step_count=25,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
