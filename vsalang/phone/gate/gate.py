"""The policy enforcement point (XACML) of a phone: requests that act pass one by one, each judged before it is sent."""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, Final, Generic, TypeVar, cast

from vsalang.guard import ActionBlocked, Guard, NotAllowed, ObservationResult, Proposal, Verdict
from vsalang.guard.acting import kind_of, target
from vsalang.guard.recorder import Recorder
from vsalang.guard.say.agent_hints import hint_for, hint_line
from vsalang.guard.step import Approval, OnPhone, StepOutcome, Steps, guarded_step, run
from vsalang.guard.world.news import same
from vsalang.phone.errors import DeviceError, DeviceLost, NotDelivered
from vsalang.phone.gate.around import ENDS, Around
from vsalang.phone.gate.events import ActionRefused, Confirm, GateEvent, Outcome, nobody
from vsalang.phone.gate.finger import Finger
from vsalang.program.action import GESTURES, Action
from vsalang.program.delivery import Sending, about, looked, not_as_judged, reading, sending, unlike
from vsalang.program.example import LEVELS
from vsalang.program.screen import Cells, Screen, UnresolvedTarget
from vsalang.program.text import line

log = logging.getLogger(__name__)
T = TypeVar("T")

STALE: Final = 0.5
"""Seconds for which an observation counts as the current screen."""
PAUSE: Final = 0.3
REST: Final = 5.0
"""How many seconds to wait for a stable screen if it is not known whether an input has arrived yet."""
REPEATED: Final = 60.0
"""How many seconds the verdicts on a warned request are kept, so that it can be repeated."""
MOST_JUDGED: Final = 1000


class Gate:
    """Passes requests on to a phone, one at a time, each only if the guard allows it.

        gate = Gate(guard, device.observe, recorder=recorder)
        gate.begin()
        gate.act([Action("tap", {"x": 360, "y": 1430})], lambda: phone.click(360, 1430))

    Observations of a phone take time. Only these are made:

    * one before a request is judged, since the screen may have changed meanwhile. If the request follows immediately
      on the last one (`continued`), the observation after that one is used while it is fresh;
    * one before the request is sent, but only if the first is older than `stale` by then (the user was asked, the
      engine took long), and one more if that is older than `Settings.look_age` (recording took long). The screen must
      show what was judged;
    * where it is a critical action, one more right before: of the nodes that it was judged by;
    * one after it, which shows the guard the outcome.

    Requests that only read do not use the gate. Calls from several threads wait for each other.

    Args:
        guard: judges; only the gate uses it to act.
        look: observes the phone. It must raise rather than return an old screen.
        recorder: the guard's, if it has one; for facts that the guard cannot know.
        confirm: asks the user about a verdict ``confirm``; in the mode ``ask`` the guard asks, and this is not used.
        listener: called with each event; its errors are logged, and change nothing.
        stale: seconds for which an observation counts as the current screen.
        still_shows: checks that nodes still show as they were judged (`vsalang.program.delivery.about`), right before a
            request is sent; it raises `NotDelivered`. None: by one more look.
        around: learns what was judged and what passed; while it gives a reason, `finish` and `answer` are refused.
            None: nobody asks whether the agent went around the guard.
    """

    def __init__(
        self,
        guard: Guard,
        look: Callable[[], Screen],
        *,
        recorder: Recorder | None = None,
        confirm: Confirm = nobody,
        listener: Callable[[GateEvent], None] | None = None,
        stale: float = STALE,
        still_shows: Callable[[Sequence[Cells]], None] | None = None,
        around: Around | None = None,
    ) -> None:
        self.guard = guard
        self.around = around
        self.last: GateEvent | None = None
        self.finger = (
            Finger()
        )  # one finger for all clients of the agent: there is no other input while it is down
        self.blind = ""  # why the last look failed; empty if it did not
        self._look = look
        self._recorder = recorder or guard.recorder
        self._confirm = confirm
        self._listener = listener
        self._stale = stale
        self._still_shows = still_shows or (lambda judged: still_shown(judged, self._looked()))
        self._lock = threading.RLock()
        self._seen: tuple[Screen, float] | None = None
        self._untold: Screen | None = None
        self._restless = (
            0  # how many more observations must wait for a stable screen, because the last input timed out
        )
        self._claimed: tuple[Action, ...] = ()
        self._busy = False
        self._closed = False
        self._count = 0
        self._judged: dict[tuple[Any, ...], tuple[Verdict, float]] = {}
        self._version = -1

    # ------------------------------------------------------------------ what can be read

    @property
    def finished(self) -> bool:
        """Whether the session is over: everything is blocked from then on."""
        return self.guard.finished

    @property
    def feedback(self) -> str:
        """The last feedback to the agent; empty if its last request passed."""
        return self.last.feedback if self.last is not None else ""

    @property
    def hint(self) -> str:
        """The agent's next steps on a map, in words; empty if there are no hints. They permit nothing."""
        return hint_line(self.guard, self.guard.language)

    def roadmap(self) -> str:
        """What the task still needs, as text for the agent."""
        return self.guard.roadmap_text()

    # ------------------------------------------------------------------ requests

    def begin(self) -> None:
        """Make the first observation. May be called again.

        Raises:
            DeviceError: the screen cannot be observed.
            GuardFailed: the guard met an internal error.
        """
        with self._lock:
            unseen = self.guard.snapshot.screen is None or self.guard.running
            if unseen or self.around is not None:
                screen = self._fresh()
                if unseen:
                    self._catch_up(screen)
                if self.around is not None:
                    self.around.judged(screen)

    def look(self) -> Screen:
        """A new look, of which the guard is not told. Raises `DeviceError`."""
        with self._lock:
            return self._looked()

    def act(
        self,
        actions: Sequence[Action] | Callable[[], Sequence[Action]],
        forward: Callable[[], T],
        *,
        claims: Sequence[Action] = (),
        note: str = "",
        what: str = "",
        continued: bool = False,
    ) -> T:
        """Judge the actions of a request, and send it if all of them are allowed now.

        Several actions are the possible meanings of one input, or its steps: each is judged on the same screen, and all
        must be allowed. They are committed together: the most critical one as the gesture, with the critical actions of
        the others, so that the permissions of all are used.

        Args:
            actions: the actions of the request; at least one. A function is called while the gate is locked: for values
                that another request could change, such as the text that is pasted.
            forward: sends it. The attribute `delivered` of an error says whether the input reached the phone: False if
                nothing was sent, None if that is not known. It is not called for `finish` and the like, whose result
                is None.
            claims: the critical actions that the agent claims this to be.
            note: the agent's comment, for the journal.
            what: the request as text; the actions if left out.
            continued: it follows immediately on the request before, such as the next command of one line.

        Raises:
            ActionBlocked: it may not be done now, or the screen changed before it was sent; `feedback` says why.
            ActionRefused: it could not be judged: the phone cannot be observed, or the guard met an error.
            Exception: what `forward` raises.
        """
        with self._lock:
            try:
                actions = tuple(actions() if callable(actions) else actions)
            except Exception as error:
                raise self._refused(what, f"it cannot be judged: {line(str(error), 400)}") from error
            what = what or ", ".join(map(str, actions))
            if self._closed:
                raise ActionRefused("refused: the session is over")
            if not actions:
                raise self._refused(what, "the request says nothing that could be judged")
            if any(each.name != "wait" for each in actions) and self.finger.lift():
                self._refused("a finger that was put down", "a finger was down when another input arrived")
            if self._busy:
                raise self._refused(what, "an action is under way: a request inside another one", actions)
            self._busy = True
            all_claims, self._claimed = (*claims, *self._claimed), ()
            try:
                return self._act(actions, forward, all_claims, note, what, continued)
            finally:
                self._busy = False

    def arrived(self) -> None:
        """A request for the phone arrived, whatever it is."""
        if self.around is not None:
            self.around.arrived()

    def close(self) -> None:
        """Block everything from now on, such as requests of processes that are still running."""
        self._closed = True

    def claim(self, claims: Sequence[Action]) -> None:
        """Set what the agent claims its next request to be; a claim can only forbid more. The last call counts."""
        with self._lock:
            self._claimed = tuple(claims)

    def target(self, action: Action) -> Cells:
        """The target of an action on the screen on which it was judged. Only while a request is being sent.

        Raises:
            NotDelivered: there is none, or several.
        """
        if not self._busy or self._seen is None:
            raise ValueError("nothing is sent on now")
        try:
            return target(self._seen[0], action)
        except UnresolvedTarget as error:
            raise NotDelivered(str(error)) from error

    def refuse(self, what: str, reason: str) -> ActionRefused:
        """Report a request that is refused because it is not understood; return the error to raise.

        Args:
            what: the request, as it arrived.
            reason: why, for the agent.
        """
        with self._lock:
            return self._refused(what, reason)

    # ------------------------------------------------------------------ how

    def _act(
        self,
        actions: tuple[Action, ...],
        forward: Callable[[], T],
        claims: tuple[Action, ...],
        note: str,
        what: str,
        continued: bool,
    ) -> T:
        passage = _Passage(self, forward)
        try:
            screen = self._now() if continued else self._fresh()
            if why := self._went_around(actions, screen):
                raise self._refused(what, why, actions)
            self._catch_up(screen)
            if self.around is not None and any(each.name != "wait" for each in actions):
                self.around.judged(screen)
            verdict, action = self._verdict(actions, claims, note)
        except ActionRefused:
            raise
        except NotAllowed as refused:
            self._advise(refused)
            self._tell(what, "blocked", _feedback(refused), actions, refused.verdict)
            raise
        except Exception as error:
            raise self._refused(what, f"it cannot be judged: {line(str(error), 400)}", actions) from error
        steps = guarded_step(self.guard, lambda: verdict, kind_of(action, note))
        door = OnPhone(self._now, lambda screen: passage.perform(), self._asked, passage.seen_at, self._fresh)
        try:
            done = self._run(steps, door, passage, actions)
        except Exception as error:
            if not passage.entered:  # the observation before it failed
                raise self._refused(what, f"it cannot be judged: {line(str(error), 400)}", actions) from error
            # it was sent, and its outcome was not observed: the next request begins with an observation
            problem = passage.problem or f"its result was not seen: {line(str(error), 400)}"
            self._tell(
                what, "failed", problem, actions, verdict, delivered=passage.delivered, problem=problem
            )
            return passage.result()
        if done.screen is not None:
            self._untold = None
        if done.observed is None or not (done.performed or passage.entered):
            # refused, or committed and then not sent: the screen had changed
            blocked = ActionBlocked(done.verdict, done.problem)
            self._advise(blocked)
            self._tell(
                what,
                "blocked",
                blocked.feedback,
                actions,
                done.verdict,
                problem=done.problem if done.observed is not None else "",
                observed=done.observed,
            )
            raise blocked
        self._tell(
            what,
            "failed" if done.problem else "passed",
            "\n".join([done.problem, *done.observed.noticed]).strip(),
            actions,
            done.verdict,
            delivered=passage.delivered if passage.entered else True,
            problem=done.problem,
            observed=done.observed,
        )
        return passage.result()

    def _run(
        self, steps: Steps, door: OnPhone, passage: "_Passage[T]", actions: tuple[Action, ...]
    ) -> StepOutcome:
        """Run the steps of a request, and remember whether it acted. A wait does not: the phone changes by itself."""
        try:
            return run(steps, door)
        finally:
            if self.around is not None and passage.acted and any(each.name != "wait" for each in actions):
                self.around.acted()

    def _went_around(self, actions: Sequence[Action], screen: Screen) -> str:
        """Why nothing that ends the task is taken from this run; empty: it is, or the request does not end it."""
        if self.around is None or not any(each.name in ENDS for each in actions):
            return ""
        return self.around.reason(screen)

    def _verdict(
        self, actions: tuple[Action, ...], claims: tuple[Action, ...], note: str
    ) -> tuple[Verdict, Action]:
        """The verdict on a request, and the action that represents all its actions.

        Raises:
            ActionBlocked: it may not be done.
        """
        actions = tuple({_key(one): one for one in actions}.values())
        action = actions[-1]
        if len(actions) == 1:
            return self.guard.propose(action, claims, note=note), action
        each, newest = self._each(actions, claims, note)
        action = max(reversed(actions), key=lambda one: LEVELS.index(each[_key(one)].level))
        worst = each[_key(action)]
        if worst.binding and worst.level == "block":
            raise ActionBlocked(worst)
        others = [one for one in actions if one is not action]
        asked = [one for one in others if each[_key(one)].level == "confirm" and each[_key(one)].binding]
        if asked:
            raise ActionBlocked(
                worst, "several things would have to be confirmed at once: do them one by one"
            )
        critical = (one for other in others for one in each[_key(other)].actions)
        attempts = [*critical, *(one for one in others if one.name not in GESTURES)]
        gesture = action if action.name in GESTURES else None
        attempts += [action] if gesture is None else []
        distinct = {_key(one): one for one in attempts}
        joint = Proposal(gesture, tuple(distinct.values()), claims)
        if newest is not None and newest.proposal.key() == joint.key():
            verdict = newest  # proposing it twice would count as a repetition
        else:
            verdict = self.guard.propose(joint, note=note)
        return verdict, action

    def _each(
        self, actions: tuple[Action, ...], claims: tuple[Action, ...], note: str
    ) -> tuple[dict[tuple[Any, ...], Verdict], Verdict | None]:
        """The verdict on each single action, and the newest one, if any was judged now.

        An action that was judged in the same state is not judged again, so that repeating a warned request repeats
        the warned proposal.
        """
        version = self.guard.snapshot.version
        if version != self._version or len(self._judged) > MOST_JUDGED:
            self._judged, self._version = {}, version
        verdicts: dict[tuple[Any, ...], Verdict] = {}
        newest: Verdict | None = None
        for action in actions:
            key = (_key(action), tuple(map(_key, claims)))
            verdict, at = self._judged.get(key, (None, 0.0))
            now = time.monotonic()
            if verdict is None or verdict.level not in ("allow", "warn") or now - at > REPEATED:
                verdict = newest = self.guard.propose(action, claims, note=note)
                self._judged[key] = (verdict, now)
            verdicts[_key(action)] = verdict
        return verdicts, newest

    def _asked(self, verdict: Verdict) -> Approval:
        """The user's answer to a verdict ``confirm``."""
        yes = self.guard.agrees(verdict, self._confirm, self._recorder)
        return Approval(
            yes, "the user did not agree" if not yes and self.guard.settings.mode == "ask" else ""
        )

    # ------------------------------------------------------------------ looks

    def _fresh(self) -> Screen:
        """A new observation; of a stable screen, if an earlier input may have arrived late."""
        screen = self._looked()
        if self._restless:
            until = time.monotonic() + REST
            while time.monotonic() < until:
                time.sleep(PAUSE)
                before, screen = screen, self._looked()
                if before.fingerprint == screen.fingerprint:
                    break
            self._restless -= 1
        also = getattr(screen, "also", None)
        if self._untold is not None and also is not None:
            screen = also(self._untold)  # one-time events that the guard does not know yet
        self._untold = screen
        self._seen = (screen, time.monotonic())
        return screen

    def _looked(self) -> Screen:
        try:
            screen = self._look()
        except Exception as error:
            self.blind = line(str(error), 400) or type(error).__name__
            raise
        self.blind = ""
        return screen

    def _check(self) -> None:
        """Check that what was judged still shows. Raises `NotDelivered`: it does not, or that is not known."""
        judged = about()
        if not judged or self.guard.settings.mode == "shadow":  # nothing is held back then
            return
        try:
            with reading():
                self._still_shows(judged)
        except NotDelivered:
            raise
        except Exception as error:
            raise NotDelivered(f"what was judged cannot be checked: {error}") from error
        looked()

    def _now(self) -> Screen:
        """The last observation, if it is fresh enough, else a new one."""
        if self._seen is not None and time.monotonic() - self._seen[1] <= self._stale:
            return self._seen[0]
        return self._fresh()

    def _catch_up(self, screen: Screen) -> None:
        """Pass an observation to the guard, unless nothing changed: then a warned request can still be repeated."""
        guard = self.guard
        if guard.running:
            guard.observe(screen, None)  # what was left of a delivery as word, the guard knows itself
        elif not same(guard.snapshot.screen, screen):
            guard.observe(screen)
        else:
            return
        self._untold = None

    # ------------------------------------------------------------------ telling

    def _advise(self, refused: NotAllowed) -> None:
        """Tell the agent its next steps with why its request is refused."""
        hint = self.hint
        if hint and isinstance(refused, ActionBlocked):
            refused.feedback = f"{refused.feedback.rstrip()}\n{hint}\n"
            refused.args = (refused.feedback.rstrip(),)

    def _refused(self, what: str, reason: str, actions: tuple[Action, ...] = ()) -> ActionRefused:
        error = ActionRefused(f"refused: {reason}")
        if self._recorder is not None:
            try:
                self._recorder.turned_away(line(what, 400), reason)
            except Exception:  # turned away it is in any case
                log.exception("what was turned away could not be recorded")
        self._tell(what, "refused", error.feedback, actions)
        return error

    def _tell(
        self,
        what: str,
        outcome: Outcome,
        feedback: str = "",
        actions: tuple[Action, ...] = (),
        verdict: Verdict | None = None,
        *,
        delivered: bool | None = False,
        problem: str = "",
        observed: ObservationResult | None = None,
    ) -> None:
        self._count += 1
        self.last = GateEvent(
            self._count,
            line(what, 400),
            outcome,
            feedback,
            actions,
            verdict,
            delivered,
            problem,
            observed,
            time.time(),
            hint_for(self.guard),
        )
        if self._listener is not None:
            try:
                self._listener(self.last)
            except Exception:
                log.exception("the outcome of a request could not be reported")


class _Passage(Generic[T]):
    """A request that is being sent to the phone, at most once."""

    def __init__(self, gate: Gate, forward: Callable[[], T]) -> None:
        self._gate = gate
        self._forward = forward
        self._error: Exception | None = None
        self._result: T | None = None
        self.entered = False
        self.delivered: bool | None = False
        self.problem = ""

    def seen_at(self) -> float:
        """The time of the last observation."""
        return self._gate._seen[1] if self._gate._seen is not None else time.monotonic()

    def perform(self) -> None:
        self.entered = True
        self.delivered = None
        with sending() as sent:
            self._let_through(sent)

    @property
    def acted(self) -> bool:
        """Whether it reached the phone, or may have."""
        return self.entered and self.delivered is not False

    def _let_through(self, sent: Sending) -> None:
        try:
            self._gate._check()
            self._result = self._forward()
            self.delivered = True
        except Exception as error:
            self._error = error
            self.delivered = sent.delivered(error)
            if self.delivered is None and isinstance(error, NotDelivered):
                self._error = DeviceLost(str(error))  # a part of it was sent, so this is no longer true
                self._error.__cause__ = error
            # there was no answer: its effect may come later
            if self.delivered is None and isinstance(error, DeviceError):
                self._gate._restless = 2
            self.problem = line(str(error), 400) or type(error).__name__
            raise _ForwarderError(self.problem, self.delivered) from error

    def result(self) -> T:
        """The result of the request. Raises its error."""
        if self._error is not None:
            raise self._error
        return cast(T, self._result)


class _ForwarderError(Exception):
    """The forwarder's error, with what it says about the delivery."""

    def __init__(self, message: str, delivered: bool | None) -> None:
        super().__init__(message)
        self.delivered = delivered


def still_shown(judged: Sequence[Cells], screen: Screen) -> None:
    """Check that nodes still show on a screen as they were judged. Raises `NotDelivered`: one does not."""
    other = screen.otherwise
    readings = (screen,) if other is None else (screen, other)
    changed = unlike(judged, [tuple(each.rows("Node")) for each in readings])
    if changed is not None:
        raise NotDelivered(not_as_judged(changed))


def _key(action: Action) -> tuple[Any, ...]:
    cells = frozenset((name, type(value).__name__, value) for name, value in action.args.items())
    return action.name, cells


def _feedback(error: NotAllowed) -> str:
    return str(getattr(error, "feedback", "")) or str(error)
