"""A session's transition system: idle (perhaps with a verdict), running one action, observing, idle again."""

import contextlib
import datetime as dt
import time
from collections.abc import Callable, Iterable
from dataclasses import replace

from vsalang.engine.explain.match import known_cells
from vsalang.guard.courses import (
    KnownJudgement,
    known_observation,
    may_be_kept,
    numbered,
    observed_again,
)
from vsalang.guard.judge.licensing import outside
from vsalang.guard.recorder import CommitQuestion
from vsalang.guard.say.verdict import NotAllowed, ObservationResult, Proposal, Reason, Verdict
from vsalang.guard.session import Pending, Session
from vsalang.guard.verdicts import (
    error_reason,
    is_repeated,
    judge_each,
    judged_of_error,
    verdict_of,
    verdict_of_error,
    warnings_of,
)
from vsalang.guard.world.clock import Times
from vsalang.guard.world.observing import KnownWorld
from vsalang.guard.world.session_state import JudgedProposal, Running
from vsalang.program.action import Action
from vsalang.program.phrases import say
from vsalang.program.screen import Screen


class GuardFailed(Exception):
    """The session met an internal error while it observed; from now on everything is blocked."""


class Machine:
    """Moves a session: judges what is proposed, and keeps account of what ran and what was seen.

    `vsalang.guard.Guard` is this and what makes it easy to use.

    Args:
        session: fresh; nobody else moves it.
        overtaken: is called, with the session's lock held, when what was judged before cannot be committed any more.
    """

    def __init__(self, session: Session, overtaken: Callable[[], None] = lambda: None) -> None:
        self.session = session
        self._overtaken = overtaken
        self._closed = False

    # ------------------------------------------------------------------ propose

    def propose(self, proposal: Proposal, note: str = "") -> Verdict:
        """Judge a proposal. Nothing changes by it; never raises: an error is a block.

        Args:
            proposal: what is proposed.
            note: the agent's own comment; it is recorded and has no other effect.
        """
        at = self.session
        with at.lock:
            self._overtaken()
            at.proposals += 1
            verdict = self._propose(proposal)
            if at.recorder is not None:
                try:
                    at.recorder.proposed(verdict, note)
                except Exception as error:
                    # What cannot be recorded may not happen.
                    at.pending = at.warned = None
                    reason = error_reason("reason.error_recording", error)
                    return replace(verdict, level="block", reasons=(reason,), overridden=False, binding=True)
                except BaseException:
                    # interrupted halfway: nobody knows whether it is recorded, so it cannot be committed
                    at.pending = at.warned = None
                    raise
            return verdict

    def actions_of(self, proposal: Proposal) -> frozenset[str] | None:
        """The qualified names of the actions that a proposal is, and of the effects that they refine.

        Nothing changes, and nothing is recorded. None: it could not be judged.
        """
        at = self.session
        with at.lock:
            try:
                judged = self._judge(proposal, at.clock.read(), False)
            except Exception:
                return None
            names = set(judged.instances)
            for name in judged.instances:
                refined = at.program.relation(name).refines
                while refined is not None:
                    names.add(refined.action)
                    refined = at.program.relation(refined.action).refines
            return frozenset(names)

    def _propose(self, proposal: Proposal, then: Times | None = None) -> Verdict:
        at = self.session
        begun = time.perf_counter()
        at.pending = at.judged_at = None  # if this is interrupted, nothing is the newest verdict
        try:
            key = proposal.key()
            now = then or at.clock.read()
            repeated = is_repeated(at, key)
            if at.place is None or repeated or (known := self._known(proposal, now, begun)) is None:
                judged = self._judge(proposal, now, repeated)
                verdict = verdict_of(at, proposal, judged, now, begun, token=at.tokens + 1, repeated=repeated)
            else:
                judged, verdict = known
        except Exception as error:
            # An internal error is never an allow.
            key, judged = None, judged_of_error(error)
            verdict = verdict_of_error(at, proposal, error, begun, at.tokens + 1)
        at.tokens = verdict.token
        if not verdict.overridden:
            at.warned = (key, at.state.version) if verdict.level == "warn" else None
            at.warned_of = warnings_of(judged)
        at.pending = Pending(judged, verdict, at.state.version)
        return verdict

    def _known(self, proposal: Proposal, now: Times, begun: float) -> tuple[JudgedProposal, Verdict] | None:
        """What was judged and answered when the same was proposed before, or is now; None: nothing is kept of it."""
        at = self.session
        lane = at.lane
        if lane is None or at.failed or at.finished or at.running is not None:
            return None
        key = lane.proposed(at.place, at.state, proposal, now, at.today)
        if key is None:
            return None
        token, numbers = at.tokens + 1, (at.state.points,)
        known = lane.courses.get(key, numbers)
        if known is None:
            judged = self._judge(proposal, now, False)
            verdict = verdict_of(at, proposal, judged, now, begun, token=token)
            if not may_be_kept(judged, verdict):
                return judged, verdict
            known = KnownJudgement(judged, verdict)
            lane.courses.put(key, numbers if numbered(judged) else None, known)
            at.judged_at = (key, known)
            return judged, verdict
        at.judged_at = (key, known)
        took = time.perf_counter() - begun
        verdict = replace(known.verdict, proposal=proposal, token=token, at=now.clock, times=now, took=took)
        return known.judged, verdict

    def _judge(self, proposal: Proposal, now: Times, repeated: bool) -> JudgedProposal:
        """P0 Session: judge only what may be proposed now. `Judging.judge` takes the steps after it."""
        at = self.session
        if at.failed:
            return JudgedProposal((Reason("error", "block", say("reason.session_failed", error=at.failed)),))
        if at.finished:
            words = "reason.task_over" if at.task_done else "reason.session_over"
            return JudgedProposal((Reason("finished", "block", say(words)),))
        if at.running is not None:
            return JudgedProposal((Reason("running", "block", say("reason.running")),))
        if proposal.gesture is None and not (proposal.claims or proposal.writes or proposal.deletes):
            if [action.name for action in proposal.attempts] == ["give_up"]:
                return JudgedProposal(())
            if not proposal.attempts:
                return JudgedProposal((Reason("unresolved", "block", say("reason.nothing")),))
        try:
            return at.parts.judging.judge(at.state, proposal, at.context(now), repeated=repeated)
        except BaseException as error:
            # What cannot be rolled back cannot be trusted any more; the rollback itself ran or raised.
            at.restore(error)
            raise

    def judge_all(self, proposals: Iterable[Proposal]) -> tuple[Verdict, ...]:
        """What `propose` would answer to each of these now, were it the only one; see `Guard.judge_all`."""
        with self.session.lock:
            return judge_each(self.session, self._judge, proposals)

    def foreseen(self, proposal: Proposal) -> JudgedProposal:
        """What would be judged of a proposal now. Nothing is recorded, and nothing can be committed by it.

        Raises:
            Exception: an internal error.
        """
        at = self.session
        with at.lock:
            return self._judge(proposal, at.clock.read(), False)

    # ------------------------------------------------------------------ commit

    def commit(self, verdict: Verdict, *, approved: bool = False, screen: Screen | None = None) -> None:
        """Commit what was judged; from here to the next `observe` it is under way.

        Args:
            verdict: the newest verdict of this guard.
            approved: the human agreed to exactly this; it is judged again.
            screen: the screen as it is now: it must show what the verdict was given on.

        Raises:
            NotAllowed: the verdict is not the newest, does not allow it, is too old, the screen has changed.
        """
        at = self.session
        with at.lock:
            fresh = at.judged(verdict) is not None
            try:
                fingerprint = screen.fingerprint if screen is not None else None
                now = at.clock.read()
            except Exception as error:
                raise NotAllowed(
                    f"the clock or the screen failed, so it may not happen: {error}", verdict
                ) from error
            asked = CommitQuestion(verdict, fresh, now, approved is True, fingerprint)
            try:
                judged = self._permitted(asked)
            except NotAllowed as refused:
                self._refused(asked, refused)
                raise
            if at.recorder is not None:
                try:
                    at.recorder.committed(asked)
                except Exception as error:
                    at.pending = None
                    raise NotAllowed(f"it cannot be recorded, so it may not happen: {error}") from error
                except BaseException as error:
                    # interrupted halfway: whether it is in the record is not known
                    at.broke(error)
                    raise
            look = screen if screen is not at.state.screen else None
            self._under_way(judged, verdict, now, look)

    def _under_way(
        self, judged: JudgedProposal, verdict: Verdict, now: Times, look: Screen | None = None
    ) -> None:
        """From here on it runs."""
        at = self.session
        at.pending = at.warned = None
        if verdict.overridden:
            at.state = replace(at.state, overrides=at.state.overrides + 1)
        acted = {name.rpartition(".")[2] for name in judged.runs}
        if judged.perhaps or at.state.perhaps & acted:
            at.state = replace(at.state, perhaps=(at.state.perhaps - acted) | judged.perhaps)
        at.running_at = None
        if at.judged_at is not None:
            at.running_at = (at.judged_at[0], judged is at.judged_at[1].judged)
        at.running = Running(judged, verdict, look=look, timeline=now.timeline, step=at.proposals)
        if {"finish", "give_up"} & {*judged.instances, *(a.name for a in verdict.proposal.attempts)}:
            at.finished = True
            # what passes outside every licence (the mode `shadow`) does not say that the task is done
            at.task_done = any("finish" in reason.names for reason in judged.licensed)

    def _permitted(self, asked: CommitQuestion) -> JudgedProposal:
        """What was judged of a commit that is in order."""
        at = self.session
        verdict = asked.verdict
        if at.failed:
            raise NotAllowed(f"the session ended with an error: {at.failed}")
        if at.running is not None:
            raise NotAllowed("an action is under way")
        pending = at.pending
        if pending is None or not asked.fresh or pending.version != at.state.version:
            raise NotAllowed("there is no fresh verdict on it: propose it again")
        if asked.fingerprint is not None and asked.fingerprint != verdict.fingerprint:
            at.pending = None
            raise NotAllowed("the screen has changed since it was judged: propose it again")
        if not verdict.binding:
            self._fresh(verdict, asked.at)
            return self._outside(pending.judged)
        if verdict.level == "confirm" and asked.approved:
            return self._again(verdict, asked.at)
        if verdict.level != "allow":
            raise NotAllowed(f"the verdict is {verdict.level}", verdict)
        self._fresh(verdict, asked.at)
        return pending.judged

    def _outside(self, judged: JudgedProposal) -> JudgedProposal:
        """What was judged, as it is committed by those who only follow; kept with the judgement."""
        at = self.session
        if at.lane is None or at.judged_at is None or at.judged_at[1].judged is not judged:
            return outside(judged, at.state, at.licences)
        known = at.judged_at[1]
        if known.outside is None:
            known.outside = outside(judged, at.state, at.licences)
        return known.outside

    def _refused(self, asked: CommitQuestion, refused: NotAllowed) -> None:
        at = self.session
        if at.recorder is not None:
            try:
                at.recorder.refused(asked, str(refused))
            except Exception as error:
                raise NotAllowed(f"{refused} (and that could not be recorded: {error})") from error

    def _fresh(self, verdict: Verdict, now: Times) -> None:
        at = self.session
        life = at.settings.verdict_life
        if life is None:
            return
        judged = verdict.times or Times.all_at(verdict.at)
        # a clock that was set back must not lengthen it
        by_clock, ran = now.clock - judged.clock, now.steady - judged.steady
        if by_clock < dt.timedelta(0) or max(by_clock, ran) > life:
            at.pending = None
            raise NotAllowed("the verdict is too old: propose it again", verdict)

    def _again(self, verdict: Verdict, now: Times) -> JudgedProposal:
        """Judge once more what the human agreed to: nothing may have come up that was not asked."""
        at = self.session
        asked = {(reason.kind, reason.rule, reason.message) for reason in verdict.reasons}
        newest = self._propose(verdict.proposal, now)
        assert at.pending is not None
        judged = at.pending.judged
        refusal = ""
        if newest.level == "block":
            refusal = "it may not be any more"
        elif any((reason.kind, reason.rule, reason.message) not in asked for reason in newest.reasons):
            refusal = "something else must be asked first"
        if refusal:
            # nobody was given the new verdict: it must be proposed again
            at.pending = at.warned = None
            raise NotAllowed(refusal, newest)
        return judged

    def follow(self, verdict: Verdict) -> None:
        """What was judged last was done, licensed or not: it is committed without being asked about.

        Only for what others did. `Machine.commit` decides what may be done.

        Raises:
            ValueError: it is not the newest verdict.
        """
        at = self.session
        with at.lock:
            judged = at.judged(verdict)
            if judged is None:
                raise ValueError("it was not judged last")
            self._under_way(self._outside(judged), verdict, at.clock.read())

    def interrupted(self, delivered: bool | None, verdict: Verdict | None = None) -> None:
        """Note that the process that carried out the action under way is gone, and of the verdict given last.

        Args:
            delivered: what they left word of about its delivery; None: nothing. The next `observe` need not know it,
                and cannot know better: whatever it says, without a word the licence stays used.
            verdict: of the action that they carried out; if another one is under way by now, nothing is noted. None:
                whatever is under way.
        """
        at = self.session
        with at.lock:
            if verdict is not None and not at.runs(verdict):
                return
            at.pending = None
            if at.running is not None:
                at.running = replace(at.running, lost=True, delivered=delivered)

    def close(self) -> None:
        """End the session: from now on everything is blocked. May be called twice; it is recorded, if it can be."""
        at = self.session
        with at.lock:
            at.finished = True
            self._void()
            if at.recorder is not None and not self._closed:
                with contextlib.suppress(Exception):  # blocked it is in any case
                    at.recorder.closed()
            self._closed = True

    # ------------------------------------------------------------------ the ledger

    def give_back(self, number: int) -> None:
        """Give back the licence of an entry of the ledger: the user knows that the action was not done.

        It counts as not done from then on, and may be proposed again as if it never had been. Only the user's word is
        a reason for it: what was sent may still arrive.

        Args:
            number: of the entry in `ledger`, from 0.

        Raises:
            ValueError: there is no such entry, its licence was given back already, or an action is under way.
            GuardFailed: an internal error; from now on everything is blocked.
            Exception: what the recorder raises; nothing was given back.
        """
        at = self.session
        with at.lock:
            if at.failed:
                raise GuardFailed(at.failed)
            ledger = at.state.ledger
            if isinstance(number, bool) or not 0 <= number < len(ledger):
                raise ValueError(f"the ledger has no entry {number}: it has {len(ledger)}")
            if ledger[number].returned:
                raise ValueError(f"the licence of entry {number} was given back already")
            if ledger[number].grant.relation == "finish":
                raise ValueError("the end of the task uses no licence that could be given back")
            if at.running is not None:
                raise ValueError("an action is under way: its outcome must be observed first")
            now = at.clock.read()
            self._void()
            if at.recorder is not None:
                grant = ledger[number].grant
                action = Action(grant.relation, known_cells(at.program.relation(grant.relation), grant.row))
                try:
                    at.recorder.given_back(number, action, now)
                except Exception:
                    raise
                except BaseException as error:
                    # interrupted halfway: whether it is in the record is not known
                    at.broke(error)
                    raise
            back = {number, *at.parts.judging.same_acts(at.state, number, at.context(now))}
            changed = tuple(
                replace(charge, returned=True) if place in back else charge
                for place, charge in enumerate(ledger)
            )
            at.goes_on(replace(at.state, ledger=changed, version=at.state.version + 1), assigned=False)
            try:
                at.parts.outcomes.assign(at.state)
            except BaseException as error:
                at.broke(error)
                if not isinstance(error, Exception):
                    raise
                raise GuardFailed(at.failed) from error

    # ------------------------------------------------------------------ observe

    def observe(
        self, screen: Screen | None, delivered: bool | None = True, *, seen: KnownWorld | None = None
    ) -> ObservationResult:
        """See `vsalang.guard.Guard.observe`; nobody waits here until a step has ended."""
        at = self.session
        with at.lock:
            if at.failed:
                raise GuardFailed(at.failed)
            if at.running is not None and at.running.lost:
                delivered = at.running.delivered  # nobody else can know whether anything had left
            try:
                at.clock.see(screen)
                now = at.clock.read()
                at.first_seen(now)
                running, at.running = at.running, None
                screen = _with_news(screen, running.look if running is not None else None)
                observed = self._observed(running, screen, delivered, seen or KnownWorld(), now)
                if observed.changed:
                    seen = replace(seen or KnownWorld(), touched="moved")
                if at.recorder is not None:
                    at.recorder.observed(
                        screen,
                        delivered,
                        seen,
                        now,
                        today=at.today,
                        screens=at.state.screens,
                        observed=observed,
                    )
                return observed
            except Exception as error:
                at.broke(error)
                if at.recorder is not None:
                    with contextlib.suppress(Exception):  # blocked it is in any case
                        at.recorder.failed(at.failed)
                raise GuardFailed(at.failed) from error
            except BaseException as error:
                # interrupted halfway: what ran and what was seen is not known any more
                at.broke(error)
                raise
            finally:
                self._void()

    def _observed(
        self,
        running: Running | None,
        screen: Screen | None,
        delivered: bool | None,
        seen: KnownWorld,
        now: Times,
    ) -> ObservationResult:
        """Take an observation in, or the outcome of the same before."""
        at = self.session
        before, lane = at.state, at.lane
        under_way, at.running_at = at.running_at, None
        key: object | None = None
        if lane is not None and at.place is not None and (running is None or under_way is not None):
            key = lane.looked(at.place, under_way, screen, delivered, seen, now=now.clock, day=at.today)
        if lane is None or key is None:
            state, observed = at.parts.outcomes.observe(before, running, screen, delivered, seen, now)
            at.goes_on(state, assigned=True)
            return observed
        numbers = (before.points, running.step if running is not None else 0)
        known = lane.courses.get(key, numbers)
        if known is None:
            state, observed = at.parts.outcomes.observe(before, running, screen, delivered, seen, now)
            known = known_observation(before, state, observed)
            lane.courses.put(key, numbers if known.remembers else None, known)
            at.goes_on(state, known if known.remembers else None, assigned=True)
            return observed
        judged = running.judged if running is not None and delivered is not False else None
        point = before.points + (1 if judged is None else 2)
        ended = now.timeline if delivered else None
        state, observed = observed_again(known, before, screen, judged, ended, point)
        at.goes_on(state, known if known.remembers else None, assigned=False)
        return observed

    def _void(self) -> None:
        """What was judged before cannot be committed any more."""
        self.session.pending = self.session.warned = None
        self._overtaken()


def _with_news(screen: Screen | None, earlier: Screen | None) -> Screen | None:
    """A screen with what only the look before it contains: that one was compared, but not observed."""
    also = getattr(screen, "also", None)
    if earlier is None or not callable(also):
        return screen
    joined_screen: Screen = also(earlier)
    return joined_screen
