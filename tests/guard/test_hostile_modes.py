"""A hostile agent against a guard that only watches, and against the user's answers: late ones, second ones, ones to
questions that were overtaken. What is recorded is what a guard that decides would have said; a yes counts once."""

import contextlib
import datetime as dt
import os
import threading
import time
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from tests.guard.phones import Watch, details, screen
from tests.guard.programs import R, booking
from tests.guard.test_hostile_agent import DAY, PROPOSALS, SCREENS
from vsalang.guard import AnswerRefused, Guard, NotAllowed, Proposal, Settings, Verdict
from vsalang.guard.judge.licences import FREE
from vsalang.program.action import Action

EXAMPLES = int(os.environ.get("VSALANG_HOSTILE", "20"))
HOW = settings(
    max_examples=EXAMPLES, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck)
)


class HostileInShadow(RuleBasedStateMachine):
    """Whatever was said, it is done. What was done without a licence is told without the guard's own machinery."""

    def __init__(self) -> None:
        super().__init__()
        self.watch = Watch()
        self.program = booking().program()
        # the warnings of a session in which everything passes are not overridden: nothing is repeated for them
        self.guard = Guard(self.program, clock=self.watch, settings=Settings(mode="shadow", overrides=0))
        self.twin = Guard(self.program, clock=self.watch, settings=Settings(overrides=0))
        self.verdict: Verdict | None = None
        self.charged = 0
        self.page = SCREENS[0]
        self.passed: list[Verdict] = []
        self.look(SCREENS[0], True)

    def look(self, page: Any, delivered: bool | None) -> None:
        self.page, self.verdict = page, None
        assert self.guard.observe(page, delivered) == self.twin.observe(page, delivered)

    @rule(proposal=PROPOSALS, times=st.integers(1, 2))
    def propose(self, proposal: Proposal, times: int) -> None:
        for _ in range(times):
            before = self.guard.snapshot
            self.verdict = verdict = self.guard.propose(proposal)
            assert self.guard.snapshot is before
            assert verdict.mode == "shadow" and verdict.to_json()["mode"] == "shadow"
            ended = self.guard.running or self.guard.finished
            assert verdict.binding == ended and verdict.allowed == (not ended)
            # judged as by a guard that decides and stands where this one stands
            expected = self.twin.propose(proposal)
            assert (expected.level, expected.reasons) == (verdict.level, verdict.reasons)
            assert expected.binding and expected.allowed == (expected.level == "allow")

    @rule(page=st.sampled_from((None, *SCREENS)), delivered=st.sampled_from((True, True, None, False)))
    def act(self, page: Any, delivered: bool | None) -> None:
        verdict, self.verdict = self.verdict, None
        if verdict is None:
            return
        before = self.guard.snapshot
        try:
            self.guard.commit(verdict)
        except NotAllowed:
            assert verdict.binding or self.guard.finished or self.late(verdict)
            assert self.guard.snapshot is before
            return
        assert not verdict.binding
        pending = self.twin.session.pending
        assert pending is not None
        self.twin.machine.follow(pending.verdict)  # it is told what was done anyway
        self.passed.append(verdict)
        self.look(page or self.page, delivered)
        # what was done earlier, and is only seen now, was judged then
        new = self.guard.snapshot.ledger[len(before.ledger) :]
        for grant, commit in ((charge.grant, charge.commit) for charge in new if charge.counts):
            if grant.relation == f"{R}Reserve" and FREE not in grant.clauses:
                self.charged += 1
                self.may_reserve(commit.row, before)

    def late(self, verdict: Verdict) -> bool:
        age = self.watch.now - verdict.at
        return not dt.timedelta(0) <= age <= dt.timedelta(seconds=5)

    def may_reserve(self, row: tuple[Any, ...], before: Any) -> None:
        restaurant, day, at = row
        assert restaurant == "R" and day == DAY and at < dt.time(19)
        offered = [slot for slot in before.world.rows(f"{R}Slot") if slot[:2] == ("R", DAY)]
        assert any(slot[2] == at and slot[3] is True for slot in offered)

    @rule(page=st.sampled_from(SCREENS), delivered=st.sampled_from((True, None, False)))
    def observe(self, page: Any, delivered: bool | None) -> None:
        self.look(page, delivered)

    @rule(slot=st.sampled_from((10, 20)), page=st.sampled_from(SCREENS[1:5]))
    def choose(self, slot: int, page: Any) -> None:
        self.look(page, True)
        self.propose(Proposal(Action("tap", {"node": slot})), 1)
        self.act(None, True)
        self.propose(Proposal(Action("tap", {"id": "reserve_button"})), 1)

    @rule(seconds=st.sampled_from((1, 4, 3600, -60)))
    def clock_jumps(self, seconds: int) -> None:
        self.watch.now += dt.timedelta(seconds=seconds)

    @invariant()
    def what_is_charged_is_borne(self) -> None:
        charged = [
            grant
            for grant, _ in self.guard.snapshot.commits
            if FREE not in grant.clauses and grant.relation == f"{R}Reserve"
        ]
        assert len(charged) <= 1  # the task allows one table
        assert self.guard.session.parts.licences.bears(self.guard.snapshot.grants)
        assert not self.guard.failed

    @invariant()
    def only_apps_wrote(self) -> None:
        for name in self.guard.snapshot.world.tables:
            assert self.program.relation(name).module == "opentable"


ELSEWHERE = screen({"id": "x", "clickable": True}, {"id": "y", "clickable": True}, app="com.other")
PAGES = (ELSEWHERE, details(("18:30", True)), SCREENS[0])
TAPS = tuple(Proposal(Action("tap", {"id": name})) for name in ("x", "y", "reserve_button"))


class HostileAnswers(RuleBasedStateMachine):
    """A guard that asks, and a user whose answers come when they like."""

    def __init__(self) -> None:
        super().__init__()
        self.watch = Watch()
        self.guard = Guard(booking().program(), clock=self.watch, settings=Settings(mode="ask"))
        self.page: Any = ELSEWHERE
        self.guard.observe(self.page)
        self.verdict: Verdict | None = None

    @rule(proposal=st.sampled_from(TAPS))
    def propose(self, proposal: Proposal) -> None:
        self.verdict = self.guard.propose(proposal)

    @rule(page=st.sampled_from(PAGES), delivered=st.sampled_from((True, None, False)))
    def observe(self, page: Any, delivered: bool | None) -> None:
        self.page, self.verdict = page, None
        self.guard.observe(page, delivered)

    @rule(answer=st.booleans())
    def out_of_turn(self, answer: bool) -> None:
        """Nobody asked, or it was answered."""
        try:
            self.guard.answer(answer)
        except AnswerRefused:
            return
        raise AssertionError("an answer without a question")

    @rule(approved=st.booleans())
    def own_word(self, approved: bool) -> None:
        """The caller says that the user agreed, and nobody answers."""
        verdict = self.verdict
        if verdict is None or self.guard.running:
            return
        object.__setattr__(self.guard.settings, "ask_timeout", dt.timedelta(0))
        try:
            self.guard.commit(verdict, approved=approved)
        except NotAllowed:
            assert verdict.level != "allow" or not self.fresh(verdict)
        else:
            assert verdict.level == "allow"
        finally:
            object.__setattr__(self.guard.settings, "ask_timeout", dt.timedelta(seconds=60))

    def fresh(self, verdict: Verdict) -> bool:
        return dt.timedelta(0) <= self.watch.now - verdict.at <= dt.timedelta(seconds=5)

    @rule(
        events=st.lists(
            st.sampled_from(("yes", "yes", "no", "expire", "propose", "observe", "clock")),
            min_size=1,
            max_size=4,
        ),
        proposal=st.sampled_from(TAPS),
    )
    def ask(self, events: list[str], proposal: Proposal) -> None:
        """A commit waits for the user, and several things happen, in this order."""
        if self.guard.running or self.guard.finished:
            self.observe(self.page, True)
        verdict = self.verdict = self.guard.propose(proposal)
        if verdict.level != "confirm":
            return
        found: list[bool] = []

        def commit() -> None:
            try:
                self.guard.commit(verdict)
                found.append(True)
            except NotAllowed:
                found.append(False)

        thread = threading.Thread(target=commit)
        thread.start()
        while (question := self.guard.question) is None and thread.is_alive():
            time.sleep(0)
        assert question is not None
        outcome = ""
        answered: list[str] = []
        for event in events:
            if event in ("yes", "no"):
                refused = False
                try:
                    question.answer(event == "yes")
                    answered.append(event)
                except AnswerRefused:
                    refused = True
                assert refused == bool(outcome)  # late, second and overtaken answers
                outcome = outcome or event
                thread.join(60)  # it counts at once
            elif event == "expire" and not outcome:
                question._until = 0.0
                outcome = question.outcome or ""
                assert outcome == "timeout"
                with question._changed:
                    question._changed.notify_all()
            elif event == "propose":
                if not outcome:
                    outcome = "withdrawn"
                    self.verdict = self.guard.propose(proposal)
            elif event == "observe":
                if not outcome:
                    outcome = "withdrawn"
                    self.observe(self.page, False)
            elif event == "clock":
                self.watch.now += dt.timedelta(seconds=30)
        if not outcome:
            question.withdraw()
        thread.join(60)
        assert found == [outcome == "yes"]
        assert len(answered) <= 1
        assert self.guard.running == (outcome == "yes")
        with contextlib.suppress(NotAllowed):
            self.guard.commit(verdict)  # once is enough
            raise AssertionError("committed twice")
        if self.guard.running:
            self.observe(self.page, False)

    @invariant()
    def nothing_is_denied_and_runs(self) -> None:
        assert not self.guard.failed
        running = self.guard.session.running
        assert running is None or running.verdict.level in ("allow", "confirm")


TestHostileInShadow = HostileInShadow.TestCase
TestHostileInShadow.settings = HOW
TestHostileAnswers = HostileAnswers.TestCase
TestHostileAnswers.settings = HOW
