"""A session's transition system. Idle, with a verdict at most; running one action; observing; idle again."""

import contextlib
import datetime as dt
import time
from collections.abc import Sequence
from dataclasses import replace

from vsalang.core.action import GESTURES, Action
from vsalang.core.example import LEVELS, Fact
from vsalang.core.screen import Screen
from vsalang.engine.api import EngineError
from vsalang.guard.clock import ScreenClock, Times
from vsalang.guard.observing import Seen
from vsalang.guard.recorder import Answered
from vsalang.guard.session import Goal as Goal
from vsalang.guard.session import Session
from vsalang.guard.shadow import HELD, outside
from vsalang.guard.state import Judged, Running
from vsalang.guard.store import known_cells
from vsalang.guard.texts import say
from vsalang.guard.verdict import NotAllowed, Observed, Proposal, Reason, Verdict


class GuardFailed(Exception):
    """The session met an internal error while it observed; from now on everything is blocked."""


class Machine(Session):
    """Judges what is proposed against a program, and keeps account of what ran and what was seen.

    `vsalang.guard.Guard` is this and what makes it easy to use. The arguments are those of a `Session`.
    """

    # ------------------------------------------------------------------ propose

    def propose(
        self,
        action: Action | Proposal | None = None,
        claims: Sequence[Action] = (),
        *,
        attempts: Sequence[Action] = (),
        writes: Sequence[Fact] = (),
        deletes: Sequence[Fact] = (),
        note: str = "",
    ) -> Verdict:
        """Judge a proposal. Nothing changes by it; never raises: an error is a block.

        Args:
            action: a gesture, a critical action proposed directly (`finish`), or a whole proposal.
            claims: critical actions that the agent says this is; they only add duty.
            attempts: further critical actions proposed directly.
            writes: predicted effects given directly.
            deletes: rows predicted to go.
            note: the agent's own word on it; it is recorded, and nothing else comes of it.
        """
        with self._lock:
            self._overtaken()
            try:
                if isinstance(action, Proposal):
                    proposal = action
                else:
                    gesture = action if action is not None and action.name in GESTURES else None
                    direct = (action,) if action is not None and gesture is None else ()
                    proposal = Proposal(
                        gesture, (*direct, *attempts), tuple(claims), tuple(writes), tuple(deletes)
                    )
            except Exception:
                proposal = Proposal()  # what is no proposal proposes nothing, and that is blocked
            verdict = self._propose(proposal)
            if self._recorder is not None:
                try:
                    self._recorder.proposed(verdict, note)
                except Exception as error:
                    # What cannot be recorded may not happen.
                    self._pending = self._warned = None
                    reason = _error("reason.error_recording", error)
                    return replace(verdict, level="block", reasons=(reason,), overridden=False, binding=True)
                except BaseException:
                    # interrupted halfway: whether it stands in the record is not known, so nothing comes of it
                    self._pending = self._warned = None
                    raise
            return verdict

    def _propose(self, proposal: Proposal, at: Times | None = None) -> Verdict:
        begun = time.perf_counter()
        self._pending = None  # if this is interrupted there is no newest verdict
        try:
            key = proposal.key()
            now = at or self._clock.read()
            repeated = self._warned == (key, self._state.version) and (
                self.settings.overrides is None or self._state.overrides < self.settings.overrides
            )
            judged = self._judge(proposal, now, repeated)
            verdict = self._verdict(proposal, judged, key, now, repeated, begun)
        except Exception as error:
            # An internal error is never an allow.
            judged = Judged((_error("reason.error", error),))
            verdict = self._verdict(
                proposal, judged, None, Times.all_at(dt.datetime.min), False, begun, told=False
            )
        self._pending = (judged, verdict, self._state.version)
        return verdict

    def _verdict(
        self,
        proposal: Proposal,
        judged: Judged,
        key: object,
        now: Times,
        repeated: bool,
        begun: float,
        *,
        told: bool = True,
    ) -> Verdict:
        """What was judged, as a verdict; `told`: the screen can tell its fingerprint."""
        level = judged.level
        # What the agent was not warned of, such as what became true with the time, it cannot have thought about.
        about = frozenset((reason.kind, reason.rule) for reason in judged.reasons)
        overridden = repeated and level == "warn" and about <= self._warned_of
        if not overridden:
            self._warned = (key, self._state.version) if level == "warn" else None
            self._warned_of = about
        self._tokens += 1
        screen = self._state.screen
        return Verdict(
            "allow" if overridden else level,
            tuple(sorted(judged.reasons, key=lambda reason: -LEVELS.index(reason.level))),
            proposal,
            self._tokens,
            now.clock,
            screen.fingerprint if screen is not None and told else "",
            tuple(
                Action(name, known_cells(self.program.relation(name), row))
                for name, rows in judged.instances.items()
                for row in rows
            ),
            judged.screens,
            judged.flags,
            overridden,
            self.settings.mode,
            self.settings.mode != "shadow" or any(reason.kind in HELD for reason in judged.reasons),
            judged.licensed,
            time.perf_counter() - begun,
            now,
        )

    def _judge(self, proposal: Proposal, now: Times, repeated: bool) -> Judged:
        if self._failed:
            return Judged((Reason("error", "block", say("reason.session_failed", error=self._failed)),))
        if self._finished:
            words = "reason.task_over" if self._task_done else "reason.session_over"
            return Judged((Reason("finished", "block", say(words)),))
        if self._running is not None:
            return Judged((Reason("running", "block", say("reason.running")),))
        if proposal == Proposal(attempts=proposal.attempts) and [a.name for a in proposal.attempts] == [
            "give_up"
        ]:
            return Judged(())
        if proposal == Proposal():
            return Judged((Reason("unresolved", "block", say("reason.nothing")),))
        try:
            return self._judging.judge(self._state, proposal, self._context(now), repeated=repeated)
        except BaseException as error:
            # What cannot be rolled back cannot be trusted any more; the rollback itself ran or raised.
            self._restore(error)
            raise

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
        with self._lock:
            fresh = self._pending is not None and self._pending[1] is verdict
            try:
                shown = screen.fingerprint if screen is not None else None
                now = self._clock.read()
            except Exception as error:
                raise NotAllowed(
                    f"the clock or the screen failed, so it may not happen: {error}", verdict
                ) from error
            asked = Answered(verdict, fresh, now, approved is True, shown)
            try:
                judged = self._permitted(asked)
            except NotAllowed as refused:
                self._refused(asked, refused)
                raise
            if self._recorder is not None:
                try:
                    self._recorder.committed(asked)
                except Exception as error:
                    self._pending = None
                    raise NotAllowed(f"it cannot be recorded, so it may not happen: {error}") from error
                except BaseException as error:
                    # interrupted halfway: whether it stands in the record is not known
                    self._failed = f"{type(error).__name__}: {error}"
                    raise
            look = screen if screen is not self._state.screen else None
            self._under_way(judged, verdict, now, look)

    def _under_way(self, judged: Judged, verdict: Verdict, now: Times, look: Screen | None = None) -> None:
        """From here on it runs."""
        self._pending = self._warned = None
        if verdict.overridden:
            self._state = replace(self._state, overrides=self._state.overrides + 1)
        self._running = Running(judged, verdict, look=look, timeline=now.timeline)
        if {"finish", "give_up"} & {*judged.instances, *(a.name for a in verdict.proposal.attempts)}:
            self._finished = True
            # what passes outside every licence (the mode `shadow`) does not say that the task is done
            self._task_done = any("finish" in reason.names for reason in judged.licensed)

    def _overtaken(self) -> None:
        """What was judged before cannot be committed any more."""

    def _permitted(self, asked: Answered) -> Judged:
        """What was judged of a commit that is in order."""
        verdict = asked.verdict
        if self._failed:
            raise NotAllowed(f"the session ended with an error: {self._failed}")
        if self._running is not None:
            raise NotAllowed("an action is under way")
        pending = self._pending
        if pending is None or not asked.fresh or pending[2] != self._state.version:
            raise NotAllowed("there is no fresh verdict on it: propose it again")
        if asked.fingerprint is not None and asked.fingerprint != verdict.fingerprint:
            self._pending = None
            raise NotAllowed("the screen has changed since it was judged: propose it again")
        if not verdict.binding:
            self._fresh(verdict, asked.at)
            return outside(pending[0], self._state, self._licences)
        if verdict.level == "confirm" and asked.approved:
            return self._again(verdict, asked.at)
        if verdict.level != "allow":
            raise NotAllowed(f"the verdict is {verdict.level}", verdict)
        self._fresh(verdict, asked.at)
        return pending[0]

    def _refused(self, asked: Answered, refused: NotAllowed) -> None:
        if self._recorder is not None:
            try:
                self._recorder.refused(asked, str(refused))
            except Exception as error:
                raise NotAllowed(f"{refused} (and that could not be recorded: {error})") from error

    def _fresh(self, verdict: Verdict, now: Times) -> None:
        life = self.settings.verdict_life
        if life is None:
            return
        judged = verdict.times or Times.all_at(verdict.at)
        # a clock that was set back must not lengthen it
        shown, ran = now.clock - judged.clock, now.steady - judged.steady
        if shown < dt.timedelta(0) or max(shown, ran) > life:
            self._pending = None
            raise NotAllowed("the verdict is too old: propose it again", verdict)

    def _again(self, verdict: Verdict, now: Times) -> Judged:
        """Judge once more what the human agreed to: nothing may have come up that was not asked."""
        asked = {(reason.kind, reason.rule, reason.message) for reason in verdict.reasons}
        newest = self._propose(verdict.proposal, now)
        assert self._pending is not None
        judged = self._pending[0]
        refusal = ""
        if newest.level == "block":
            refusal = "it may not be any more"
        elif any((reason.kind, reason.rule, reason.message) not in asked for reason in newest.reasons):
            refusal = "something else must be asked first"
        if refusal:
            # nobody was given the new verdict: it must be proposed again
            self._pending = self._warned = None
            raise NotAllowed(refusal, newest)
        return judged

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
        with self._lock:
            if self._failed:
                raise GuardFailed(self._failed)
            ledger = self._state.ledger
            if isinstance(number, bool) or not 0 <= number < len(ledger):
                raise ValueError(f"the ledger has no entry {number}: it has {len(ledger)}")
            if ledger[number].returned:
                raise ValueError(f"the licence of entry {number} was given back already")
            if ledger[number].grant.relation == "finish":
                raise ValueError("the end of the task uses no licence that could be given back")
            if self._running is not None:
                raise ValueError("an action is under way: its outcome must be observed first")
            now = self._clock.read()
            self._pending = self._warned = None
            self._overtaken()
            if self._recorder is not None:
                grant = ledger[number].grant
                action = Action(grant.relation, known_cells(self.program.relation(grant.relation), grant.row))
                try:
                    self._recorder.given_back(number, action, now)
                except Exception:
                    raise
                except BaseException as error:
                    # interrupted halfway: whether it stands in the record is not known
                    self._failed = f"{type(error).__name__}: {error}"
                    raise
            changed = (*ledger[:number], replace(ledger[number], returned=True), *ledger[number + 1 :])
            self._state = replace(self._state, ledger=changed, version=self._state.version + 1)
            try:
                self._outcomes.assign(self._state)
            except BaseException as error:
                self._failed = f"{type(error).__name__}: {error}"
                if not isinstance(error, Exception):
                    raise
                raise GuardFailed(self._failed) from error

    # ------------------------------------------------------------------ observe

    def observe(
        self, screen: Screen | None, delivered: bool | None = True, *, seen: Seen | None = None
    ) -> Observed:
        """Take in a new observation: the first one, the outcome of the action under way, or one in between.

        Args:
            screen: the screen as it is now; None: it could not be taken, so the last facts stay away from rules.
            delivered: whether the action under way reached the device; False only if that is certain, None if unknown.
            seen: what is known beside the screen (tests).

        Raises:
            GuardFailed: an internal error; from now on everything is blocked.
        """
        with self._lock:
            if self._failed:
                raise GuardFailed(self._failed)
            if self._running is not None and self._running.lost:
                delivered = self._running.delivered  # nobody else can know whether anything had left
            try:
                if isinstance(self._clock, ScreenClock):
                    self._clock.see(screen)
                now = self._clock.read()
                if self._day_is_open and self._state.points == 0 and self._running is None:
                    self._day_is_open = False
                    if now.clock.date() != self._today:
                        self._begin(now.clock.date(), None)
                running, self._running = self._running, None
                screen = _with_news(screen, running.look if running is not None else None)
                self._state, observed = self._outcomes.observe(
                    self._state, running, screen, delivered, seen or Seen(), now
                )
                if self._recorder is not None:
                    self._recorder.observed(
                        screen, delivered, seen, now, self._today, self._state.shown, observed
                    )
                return observed
            except Exception as error:
                self._failed = f"{type(error).__name__}: {error}"
                if self._recorder is not None:
                    with contextlib.suppress(Exception):  # blocked it is in any case
                        self._recorder.failed(self._failed)
                raise GuardFailed(self._failed) from error
            except BaseException as error:
                # interrupted halfway: what ran and what was seen is not known any more
                self._failed = f"{type(error).__name__}: {error}"
                raise
            finally:
                self._pending = self._warned = None
                self._overtaken()


def _with_news(screen: Screen | None, earlier: Screen | None) -> Screen | None:
    """A screen with what only the look before it was told: that one was compared, but nobody took it in."""
    also = getattr(screen, "also", None)
    if earlier is None or not callable(also):
        return screen
    found: Screen = also(earlier)
    return found


def _error(words: str, error: Exception) -> Reason:
    from vsalang.core.text import safe

    cause: BaseException = error
    while isinstance(cause, EngineError) and cause.__context__ is not None and not cause.__suppress_context__:
        cause = cause.__context__  # what an engine says after a failure is that there was one
    return Reason("error", "block", say(words, error=f"{type(cause).__name__}: {safe(str(cause), 300)}"))
