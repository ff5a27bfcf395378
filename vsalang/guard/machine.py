"""The guard: a session's transition system. Idle, with a verdict at most; running one action; observing; idle again."""

import contextlib
import datetime as dt
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from vsalang.core.action import GESTURES, Action
from vsalang.core.example import LEVELS, Fact
from vsalang.core.ir import License, Program, Rule
from vsalang.core.screen import Screen
from vsalang.core.similarity import Similarity
from vsalang.core.values import Value
from vsalang.engine import EngineName, open_session
from vsalang.engine.api import Commit, Evaluator
from vsalang.guard.clock import ScreenClock
from vsalang.guard.contracts import outcome
from vsalang.guard.effects import relations_read, rule_book
from vsalang.guard.frontier import Frontier
from vsalang.guard.joining import Motion
from vsalang.guard.judging import Judging, Watch
from vsalang.guard.licences import Grant, Licences
from vsalang.guard.match import Facts
from vsalang.guard.moments import Moments
from vsalang.guard.observing import Observing, Reconciled, Seen
from vsalang.guard.recorder import Answered, Recorder
from vsalang.guard.settings import Settings, check_authority
from vsalang.guard.state import Awaited, Judged, Snapshot
from vsalang.guard.store import Change, World, apply, known_cells
from vsalang.guard.terms import Context
from vsalang.guard.verdict import Contract, NotAllowed, Observed, Proposal, Reason, Verdict, Why
from vsalang.guard.why import Explainer


@dataclass(frozen=True, slots=True)
class Goal:
    """A clause of the task as it stands now, for feedback.

    Attributes:
        rule: the clause; its head says which action it allows (``finish`` for `done`).
        action: qualified name of the action.
        holds: as far as can be told, its conditions are met now.
        left: whether it has licence left.
        whys: every condition that is not met.
    """

    rule: Rule
    action: str
    holds: bool
    left: bool
    whys: tuple[Why, ...]


class GuardFailed(Exception):
    """The session met an internal error while it observed; from now on everything is blocked."""


@dataclass(frozen=True, slots=True)
class _Running:
    """The action under way; `lost`: whoever carried it out is gone, `delivered` is what they left word of."""

    judged: Judged
    verdict: Verdict
    lost: bool = False
    delivered: bool | None = None


class Guard:
    """Judges what an agent proposes against a program, and keeps account of what ran and what was seen.

        guard = Guard(program)
        guard.observe(screen)
        verdict = guard.propose(Action("tap", {"id": "reserve_button"}))
        if verdict.allowed:
            guard.commit(verdict)         # raises NotAllowed if it may not be
            ...                           # let the device do it
            guard.observe(new_screen)

    Calls from several threads wait for one another; one action is under way at a time.

    Args:
        program: the task with its apps, and the policies in force.
        today: the day of the instruction; if none is given the clock's day.
        clock: the device's local time; if none is given the clock that screens show, and the host's until then.
        engine: which evaluator decides (`vsalang.engine.open_session`).
        settings: what the owner may set.
        similarity: who answers ``~=``.
        evaluator: instead of `engine`: an evaluator of this program that nothing was assigned to.
        recorder: is told everything before it takes effect (`vsalang.journal.Recorder` writes a journal).
        watch: is shown every moment in which rules are read.
    """

    def __init__(
        self,
        program: Program,
        *,
        today: dt.date | None = None,
        clock: Callable[[], dt.datetime] | None = None,
        engine: EngineName = "incremental",
        settings: Settings | None = None,
        similarity: Similarity | None = None,
        evaluator: Evaluator | None = None,
        recorder: Recorder | None = None,
        watch: Watch | None = None,
    ) -> None:
        self._watch = watch
        self.program = program
        self.settings = settings or Settings()
        if self.settings.unknown_screen not in LEVELS:
            raise ValueError(f"unknown_screen is one of {', '.join(LEVELS)}")
        self._clock = clock if clock is not None else ScreenClock()
        self._screen_clock = self._clock if isinstance(self._clock, ScreenClock) else None
        self._recorder = recorder
        if recorder is not None and similarity is not None:
            similarity = recorder.listening(similarity)
        self._similarity = similarity
        check_authority(program, self.settings)
        self._state = Snapshot(screens_count=self.settings.screens_count)
        self._lock = threading.RLock()
        self._tokens = 0
        self._pending: tuple[Judged, Verdict, int] | None = None
        self._warned: tuple[object, int] | None = None
        self._warned_of: frozenset[tuple[str, str]] = frozenset()
        self._running: _Running | None = None
        self._finished = False
        self._failed = ""
        self._engine: EngineName = engine
        # The day of the instruction is the device's: without a clock of the caller's, the first screen tells it.
        self._day_is_open = today is None and clock is None and evaluator is None
        self._begin(today or self._clock().date(), evaluator)
        if recorder is not None:
            day = None if self._day_is_open else self._today
            recorder.begin(program, self.settings, engine, day, self._clock())

    def _begin(self, today: dt.date, evaluator: Evaluator | None) -> None:
        """Open the session for an instruction of that day."""
        program = self.program
        self._today = today
        book = rule_book(program)
        if evaluator is None:
            evaluator = open_session(
                program,
                engine=self._engine,
                today=today,
                similarity=self._similarity,
                budget=self.settings.budget,
            )
        self._evaluator = evaluator
        self._moments = Moments(program, evaluator, book)
        self._licences = Licences(program)
        self._frontier = Frontier(program, self._licences)
        self._judging = Judging(
            program,
            evaluator,
            book,
            self._moments,
            self._licences,
            self._frontier,
            self.settings.unknown_screen,
            self.settings.task,
            self._watch,
        )
        self._observing = Observing(program, evaluator, book, self._moments)
        self._moments.clock(self._clock())
        self._assign(self._state)

    # ------------------------------------------------------------------ what can be read

    @property
    def snapshot(self) -> Snapshot:
        """All that is committed, as a value; two are equal if nothing happened between."""
        return self._state

    @property
    def today(self) -> dt.date:
        """The day of the instruction."""
        return self._today

    @property
    def finished(self) -> bool:
        """Whether the session has ended, by an allowed `finish` or by `give_up`."""
        return self._finished

    @property
    def running(self) -> bool:
        """Whether an action is under way: committed, its outcome not yet observed."""
        return self._running is not None

    @property
    def failed(self) -> str:
        """The internal error that ended the session; empty if there was none."""
        return self._failed

    @property
    def screens(self) -> frozenset[str]:
        """The qualified names of the screens that show; empty if none of the program's is known to."""
        return self._state.shown

    def rows(self, relation: str) -> list[dict[str, Value]]:
        """The rows of a relation as they are believed, seen or derived now, known cells only; a list by position.

        Raises:
            KeyError: the program has no relation of that (qualified) name.
        """
        declared = self.program.relation(relation)
        with self._lock:
            found = [known_cells(declared, row) for row in self._evaluator.rows(relation)]
        return sorted(found, key=_place)

    def roadmap(self) -> tuple[Goal, ...]:
        """What each clause of the task still needs. Raises what the engine raises."""
        with self._lock:
            found = []
            for rule, holds, whys in self._judging.goals(self._state, self._context()):
                assert isinstance(rule.head, License)
                left = self._licences.left(rule.id, self._state.grants)
                found.append(Goal(rule, rule.head.atom.relation, holds, left, whys))
            return tuple(found)

    def interrupted(self, delivered: bool | None) -> None:
        """Take note that whoever carried out the action under way is gone, and of the verdict given last.

        Args:
            delivered: what they left word of about its delivery; None: nothing. The next `observe` need not know it,
                and cannot know better, but for an action that certainly did not arrive.
        """
        with self._lock:
            self._pending = None
            if self._running is not None:
                self._running = replace(self._running, lost=True, delivered=delivered)

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
                    reason = _error("the proposal could not be recorded", error)
                    return replace(verdict, level="block", reasons=(reason,), overridden=False)
            return verdict

    def _propose(self, proposal: Proposal, at: dt.datetime | None = None) -> Verdict:
        try:
            key = proposal.key()
            now = at or self._clock()
            repeated = self._warned == (key, self._state.version) and (
                self.settings.overrides is None or self._state.overrides < self.settings.overrides
            )
            judged = self._judge(proposal, now, repeated)
        except Exception as error:
            # An internal error is never an allow.
            judged = Judged((_error("the proposal could not be judged", error),))
            key, now, repeated = None, dt.datetime.min, False
        level = judged.level
        # What the agent was not warned of, such as what became true with the time, it cannot have thought about.
        about = frozenset((reason.kind, reason.rule) for reason in judged.reasons)
        overridden = repeated and level == "warn" and about <= self._warned_of
        if not overridden:
            self._warned = (key, self._state.version) if level == "warn" else None
            self._warned_of = about
        self._tokens += 1
        screen = self._state.screen
        verdict = Verdict(
            "allow" if overridden else level,
            tuple(sorted(judged.reasons, key=lambda reason: -LEVELS.index(reason.level))),
            proposal,
            self._tokens,
            now,
            screen.fingerprint if screen is not None else "",
            tuple(
                Action(name, known_cells(self.program.relation(name), row))
                for name, rows in judged.instances.items()
                for row in rows
            ),
            judged.screens,
            judged.flags,
            overridden,
        )
        self._pending = (judged, verdict, self._state.version)
        return verdict

    def _judge(self, proposal: Proposal, now: dt.datetime, repeated: bool) -> Judged:
        if self._failed:
            return Judged((Reason("error", "block", f"the session ended with an error: {self._failed}"),))
        if self._finished:
            return Judged((Reason("finished", "block", "the session has ended"),))
        if self._running is not None:
            return Judged(
                (Reason("running", "block", "the last action's outcome has not been observed yet"),)
            )
        if proposal == Proposal(attempts=proposal.attempts) and [a.name for a in proposal.attempts] == [
            "give_up"
        ]:
            return Judged(())
        if proposal == Proposal():
            return Judged((Reason("unresolved", "block", "nothing is proposed"),))
        try:
            return self._judging.judge(self._state, proposal, self._context(now), repeated=repeated)
        except BaseException as error:
            # What cannot be rolled back cannot be trusted any more; the rollback itself ran or raised.
            self._restore(error)
            raise

    def _restore(self, error: BaseException) -> None:
        """After an error in judging: assign the committed moment again, or give the session up."""
        try:
            self._assign(self._state)
        except Exception:
            self._failed = f"{type(error).__name__}: {error}"

    def _assign(self, state: Snapshot) -> None:
        moments = self._moments
        moments.overridden(False)
        moments.gesture(None, None)
        moments.actions({})
        moments.goto(())
        moments.screen(state.screen, state.points)
        moments.given_screens(state.given, state.points)
        moments.world(state.world)
        self._commits(state)

    def _context(self, now: dt.datetime | None = None) -> Context:
        return Context(self._today, now or self._clock(), self._similarity)

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
            shown = screen.fingerprint if screen is not None else None
            asked = Answered(verdict, fresh, self._clock(), approved is True, shown)
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
            self._pending = None
            self._warned = None
            if verdict.overridden:
                self._state = replace(self._state, overrides=self._state.overrides + 1)
            self._running = _Running(judged, verdict)
            if any(name in ("finish", "give_up") for name in _names(judged, verdict)):
                self._finished = True

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

    def _fresh(self, verdict: Verdict, now: dt.datetime) -> None:
        life = self.settings.verdict_life
        if life is None:
            return
        age = now - verdict.at
        if not dt.timedelta(0) <= age <= life:
            self._pending = None
            raise NotAllowed("the verdict is too old: propose it again", verdict)

    def _again(self, verdict: Verdict, now: dt.datetime) -> Judged:
        """Judge once more what the human agreed to: nothing may have come up that was not asked."""
        asked = {(reason.kind, reason.rule, reason.message) for reason in verdict.reasons}
        newest = self._propose(verdict.proposal, now)
        assert self._pending is not None
        judged = self._pending[0]
        if newest.level == "block":
            raise NotAllowed("it may not be any more", newest)
        if any((reason.kind, reason.rule, reason.message) not in asked for reason in newest.reasons):
            raise NotAllowed("something else must be asked first", newest)
        return judged

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
                left = self._running.delivered
                delivered = left if left is not None or delivered is True else delivered
            try:
                if self._screen_clock is not None:
                    self._screen_clock.see(screen)
                now = self._clock()
                observed = self._observe(screen, delivered, seen or Seen(), now)
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
                self._pending = None
                self._warned = None

    def _observe(
        self, screen: Screen | None, delivered: bool | None, seen: Seen, now: dt.datetime
    ) -> Observed:
        if self._day_is_open and self._state.points == 0 and self._running is None:
            self._day_is_open = False
            if now.date() != self._today:
                self._begin(now.date(), None)
        state = self._state
        if screen is None:
            # What could not be looked at says nothing: least of all that something is not there.
            seen = replace(seen, rules=False)
        running, self._running = self._running, None
        if running is not None and delivered is not False:
            state = self._point_of_commit(state, running)
        judged = running.judged if running is not None and delivered is not False else None
        given = state.given if seen.screens is None else seen.screens
        counts = state.screens_count or seen.screens is not None
        point = state.points + 1
        context = self._context(now)

        motion = _motion(running.judged if running is not None else None, delivered)

        def reconcile(taken_back: frozenset[str]) -> Reconciled:
            base, predicted = self._base(state, judged, taken_back)
            return self._observing.reconcile(
                base,
                screen,
                given,
                seen,
                point,
                context,
                screens_count=counts,
                predicted=predicted,
                motion=motion,
                windows=state.windows,
            )

        result = reconcile(frozenset())
        contracts = self._contracts(judged.awaited if judged else (), state, result, context, counts, screen)
        violated = frozenset(a for c in contracts if c.outcome == "violated" for a in c.actions)
        taken: list[Action] = []
        if violated:
            last = state.points
            lost = [
                (grant, commit)
                for grant, commit in state.commits
                if self._lost(grant, commit, violated, last)
            ]
            taken = [
                Action(g.relation, known_cells(self.program.relation(g.relation), g.row)) for g, _ in lost
            ]
            state = replace(state, commits=tuple(item for item in state.commits if item not in lost))
            self._commits(state)
            result = reconcile(violated)
        facts = self._facts(state, result.world, state.world, context)
        self._moments.world(result.world, state.world)
        if self._watch is not None:
            self._watch("after", self._evaluator, facts)
        recorded = self._judging.recorded(Explainer(facts))
        self._moments.world(result.world)
        self._evaluator.point(point)
        self._frontier.point(self._facts(state, result.world, result.world, context))
        self._state = replace(
            state,
            world=result.world,
            screen=screen,
            given=given,
            screens_count=counts,
            shown=result.shown,
            windows=result.windows,
            points=point,
            version=state.version + 1,
        )
        return Observed(
            point, result.conflicts, result.differences, tuple(contracts), tuple(recorded), tuple(taken)
        )

    def _point_of_commit(self, state: Snapshot, running: _Running) -> Snapshot:
        """The history point of the commit: the action visible, the state as last observed."""
        judged, point = running.judged, state.points + 1
        commits = list(state.commits)
        numbered = state.numbered
        for grant in judged.grants:
            ran = grant.row in judged.runs.get(grant.relation, ())
            numbered += ran
            commits.append((grant, Commit(numbered if ran else 0, point, grant.row)))
        state = replace(state, commits=tuple(commits), numbered=numbered, points=point)
        moments = self._moments
        moments.clock(running.verdict.at)
        moments.overridden(running.verdict.overridden)
        moments.gesture(judged.gesture, judged.cells)
        moments.actions(judged.runs)
        moments.goto(judged.screens)
        self._commits(state)
        self._evaluator.point(point)
        self._frontier.point(self._facts(state, state.world, state.world, self._context(running.verdict.at)))
        return state

    def _base(
        self, state: Snapshot, judged: Judged | None, taken_back: frozenset[str]
    ) -> tuple[World, tuple[Change, ...]]:
        """What is believed before the observation: inputs and consequences applied, those of a failed action not."""
        if judged is None:
            return state.world, ()
        point = state.points + 1
        rules = {rule.id: rule for rule in self.program.rules}

        def stands(rule: str) -> bool:
            return not relations_read(rules[rule].body) & taken_back

        applied = apply(
            self.program,
            judged.world,
            [write for write in judged.writes if stands(write.rule)],
            [delete for delete in judged.deletes if stands(delete.rule)],
            point,
            observing=False,
        )
        return applied.world, (*judged.changes, *applied.changes)

    @staticmethod
    def _lost(grant: Grant, commit: Commit, violated: frozenset[str], point: int) -> bool:
        return grant.relation in violated and commit.point == point and grant.relation != "finish"

    def _contracts(
        self,
        awaited: Sequence[Awaited],
        state: Snapshot,
        result: Reconciled,
        context: Context,
        counts: bool,
        screen: Screen | None,
    ) -> list[Contract]:
        if not awaited:
            return []
        self._moments.world(result.world, state.world)
        explainer = Explainer(self._facts(state, result.world, state.world, context))
        return [
            outcome(
                explainer,
                item,
                self._judging.binding(item),
                met=self._evaluator.expected(item.rule.id, item.answer),
                after=result,
                # a screen that is still changing is no evidence that the one expected will not come
                screens_count=counts and _settled(screen),
            )
            for item in awaited
        ]

    def _spent(self, state: Snapshot) -> frozenset[str]:
        return frozenset(a for a in self._licences.rules if self._licences.spent(a, state.grants))

    def _commits(self, state: Snapshot) -> None:
        self._moments.commits(state.slots, self._spent(state))

    def _facts(self, state: Snapshot, world: World, before: World, context: Context) -> Facts:
        return self._moments.facts(context, world, before, state.slots, self._spent(state))


def _motion(judged: Judged | None, delivered: bool | None) -> Motion | None:
    """What the last action moved: one list, or nothing; None if that is not known."""
    if judged is None or delivered is False or judged.gesture == "wait":
        return Motion()
    if delivered is None or judged.gesture not in ("scroll", "swipe"):
        return None
    direction, node = judged.cells.get("direction"), judged.cells.get("node")
    if not isinstance(direction, str) or not isinstance(node, int):
        return None
    return Motion(direction, node)


def _settled(screen: Screen | None) -> bool:
    """Whether a screen is at rest, as far as its source can say."""
    return screen is None or "Settled" not in screen.relations() or any(True for _ in screen.rows("Settled"))


def _place(cells: dict[str, Value]) -> tuple[float, str]:
    """Rows of a list by position, others by what they hold."""
    at = cells.get("at")
    return (float(at) if isinstance(at, int) else float("inf")), repr(sorted(cells.items()))


def _names(judged: Judged, verdict: Verdict) -> set[str]:
    return {*judged.instances, *(action.name for action in verdict.proposal.attempts)}


def _error(words: str, error: Exception) -> Reason:
    from vsalang.core.text import safe

    return Reason("error", "block", f"{words}: {type(error).__name__}: {safe(str(error), 300)}")
