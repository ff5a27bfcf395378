"""The order of one guarded step, in one place: all code that lets an agent act follows it.

The order is the safety property. Each place in it has its reason:

1. **Look.** Nothing is judged that nobody has seen.
2. **Judge.** `propose` records the verdict before anybody is told it, and an error in judging is a block.
3. **Ask**, if the verdict is ``confirm``. Only True is a yes. It comes before the second look, for the
   user may take long.
4. **Look again, and commit.** The screen that is acted on must be the screen that was judged. `commit` compares them,
   judges again what the user agreed to, and has it in the record *before* it returns: what cannot be recorded does not
   happen, and what may have happened is always in the record. From here on the action is under way, and nothing else
   passes.
5. **Bound the age of the look.** To record and to commit takes time. If the last look is older than `Settings.look_age`
   the screen is looked at once more, and if it has changed nothing is sent.
6. **Deliver**, once. The licence is charged when the first byte leaves this machine (`vsalang.program.delivery`): until
   then the action was certainly not done, and costs nothing; after that it counts as done.
7. **Record what is known of the delivery**, before anything else can fail.
8. **Observe.** The look after it ends the turn, and says whether something else may have been touched. `delivered` is
   False only if nothing left; not to know (None) never gives a licence back. If there is no look, the guard keeps
   what it knows of the delivery for the next one, and no caller can change that.

An error at any place is raised and never an allow. After an error between 6 and 8 the action stays under way:
everything is blocked until somebody looks.

`guarded_step` is a generator: it yields what somebody else must do (`Look`, `Ask`, `Deliver`) and is sent its
result. `run` does it all at once, with a device. `Turn` stops where others act: a block of code, an app, a client that
asks its user.

What has no device goes its own way: stories (`vsalang.guard.examples`), questions (`vsalang.tools.ask`), and a
journal, which is enacted again record by record (`vsalang.guard.journal.enact`): the order that is kept there is the
recorded one. Sessions that call `propose`, `commit` and `observe` themselves have an order of their own, a session
may have been cut off between any two places, and under another program what was done goes on where this function
would end the step.
"""

import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal, Protocol, TypeAlias

from vsalang.guard.recorder import Recorder
from vsalang.guard.say.verdict import NotAllowed, ObservationResult, Proposal, Verdict
from vsalang.guard.settings import Settings
from vsalang.guard.world.observing import KnownWorld, Touched
from vsalang.guard.world.session_state import Snapshot
from vsalang.guard.world.touched import touched
from vsalang.program.delivery import LastLook, Sending, problem_of, reading, sending
from vsalang.program.screen import Cells, Screen

TRIES: Final = 3
"""In the mode ``shadow``: so often a proposal is judged on a screen that changed before it is given up."""
CHANGED: Final = problem_of(False, "the screen changed between the verdict and the device: look again")


class Judge(Protocol):
    """What a step needs of a guard: `vsalang.guard.Guard` says what its methods do."""

    @property
    def settings(self) -> Settings:
        """What the owner set."""
        ...

    @property
    def snapshot(self) -> Snapshot:
        """All that is committed."""
        ...

    @property
    def running(self) -> bool:
        """Whether an action is under way."""
        ...

    @property
    def recorder(self) -> Recorder | None:
        """Who records the session."""
        ...

    def propose(self, action: Proposal, /, *, note: str = "") -> Verdict: ...

    def commit(self, verdict: Verdict, *, approved: bool = False, screen: Screen | None = None) -> None: ...

    def observe(
        self, screen: Screen | None, delivered: bool | None = True, *, seen: KnownWorld | None = None
    ) -> ObservationResult: ...

    def runs(self, verdict: Verdict) -> bool: ...

    def interrupted(self, delivered: bool | None, verdict: Verdict | None = None) -> None: ...


# ---------------------------------------------------------------- what is asked for, and what is answered


@dataclass(frozen=True, slots=True)
class Look:
    """Look at the screen; the answer is `LookResult`.

    Attributes:
        before: ``judging``, ``commit``, ``delivery``, or ``end`` of the turn.
    """

    before: Literal["judging", "commit", "delivery", "end"]


@dataclass(frozen=True, slots=True)
class LookResult:
    """A look.

    Attributes:
        screen: what shows; None: it could not be taken.
        at: when it was taken, by the monotonic clock.
        seen: what is known in addition to it.
    """

    screen: Screen | None
    at: float = field(default_factory=time.monotonic)
    seen: KnownWorld | None = None


@dataclass(frozen=True, slots=True)
class Ask:
    """Ask the user about a verdict ``confirm``; the answer is `Approval`."""

    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Approval:
    """What the user said. Only True is a yes; `why` says in words why not."""

    yes: bool
    why: str = ""


@dataclass(frozen=True, slots=True)
class Deliver:
    """Do it now, once; the answer is `Delivery`.

    Attributes:
        verdict: was committed.
        looked: the look on which it was.
    """

    verdict: Verdict
    looked: LookResult


@dataclass(frozen=True, slots=True)
class Delivery:
    """What is known of a delivery.

    Attributes:
        delivered: it arrived; False: certainly nothing has left; None: not known.
        problem: why, in words.
        look: the last one before the first byte left.
        error: nobody accounts for it: after it was recorded the step ends with it, and the action stays under way.
        judged: False for what others did before the screen was looked at.
        recorded: False where its own record says nothing of it, such as a walk's.
    """

    delivered: bool | None
    problem: str = ""
    look: LastLook | None = None
    error: Exception | None = None
    judged: bool = True
    recorded: bool = True

    @classmethod
    def of(cls, sent: Sending, error: BaseException | None) -> "Delivery":
        """What is known after the input was sent, or that failed."""
        if error is None:
            return cls(True, look=sent.last_look)
        delivered = sent.delivered(error)
        return cls(delivered, problem_of(delivered, error), sent.last_look)


Effect: TypeAlias = Look | Ask | Deliver
Reply: TypeAlias = LookResult | Approval | Delivery
Steps: TypeAlias = "Generator[Effect, Reply, StepOutcome]"


@dataclass(frozen=True, slots=True)
class StepOutcome:
    """One proposal and its outcome.

    Attributes:
        verdict: the newest on it.
        performed: whether it was carried out (also `finish` and `give_up`, which the device does not see).
        problem: why an allowed action was not carried out, or whether its delivery is uncertain; else empty.
        observed: what was seen after it; None if nothing was carried out.
        screen: the newest; None if none was taken.
    """

    verdict: Verdict
    performed: bool
    problem: str = ""
    observed: ObservationResult | None = None
    screen: Screen | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Kind:
    """What kind of step it is.

    Attributes:
        on_device: the device sees it; `finish` and the like end at the commit.
        looks: the screen must still show what was judged. Not for `give_up`, which may always be said.
        past: others have done it already: nothing is held back, so there is one commit, and no look to wait for.
        note: for the journal, should it be judged again.
    """

    on_device: bool = True
    looks: bool = True
    past: bool = False
    note: str = ""


def guarded_step(guard: Judge, judge: Callable[[], Verdict], kind: Kind = Kind()) -> Steps:
    """One step, in the order that the module describes.

    Args:
        guard: judges, and keeps account.
        judge: proposes to it, once; gives its newest verdict.
        kind: of the step.

    Raises:
        GuardFailed: the guard met an internal error.
        Exception: what it is sent by `throw`. What was committed is still under way then.
    """
    if guard.snapshot.screen is None and not guard.running and not kind.past:
        guard.observe(_looked((yield Look("judging"))).screen)
    verdict = judge()
    approved = False
    if not verdict.allowed and not kind.past:
        if verdict.level != "confirm":
            return StepOutcome(verdict, False)
        agreed = yield Ask(verdict)
        assert isinstance(agreed, Approval)
        approved = agreed.yes is True  # anything else is no
        if not approved:
            return StepOutcome(verdict, False, agreed.why)
    tries = 1
    while True:
        looked = _looked((yield Look("commit"))) if kind.looks else LookResult(guard.snapshot.screen)
        try:
            guard.commit(verdict, approved=approved, screen=looked.screen if kind.looks else None)
            break
        except NotAllowed as refused:
            newest = refused.verdict or verdict
            # while another action is under way this look is not its outcome
            if kind.looks and not guard.running and not kind.past:
                guard.observe(looked.screen)
            if guard.running or kind.past or verdict.binding or tries == TRIES:
                return StepOutcome(newest, False, str(refused), screen=looked.screen)
        # nothing is held back by a guard that only watches: it is judged on the screen as it is now
        tries += 1
        verdict = guard.propose(verdict.proposal, note=kind.note)
    delivery, after = Delivery(True), looked
    delivered: bool | None = None
    touched_state: Touched = ""
    problem = ""
    try:
        if kind.on_device:
            delivery, newer = yield from _delivered(guard, verdict, looked, kind)
            delivered, problem = delivery.delivered, delivery.problem
            if guard.recorder is not None and delivery.recorded:
                flags = {} if delivery.judged else {"judged": False}
                guard.recorder.delivered(delivered, delivery.problem, verdict, delivery.look, **flags)
            if delivery.error is not None:
                raise delivery.error
            after = newer or _looked((yield Look("end")))
            if not kind.past and delivered is True and not _by_device(delivery):
                touched_state, words = touched(verdict.proposal, looked.screen, after.screen)
                problem = problem or words
    except BaseException:
        # nobody has seen the outcome: the next look knows no more than this
        guard.interrupted(delivered, verdict)
        raise
    seen = replace(after.seen or KnownWorld(), touched=touched_state) if touched_state else after.seen
    delivered = delivery.delivered
    if not guard.runs(verdict):
        # another action has taken over: what is known of this one says nothing of that
        delivered, seen = None, after.seen
    observed = guard.observe(after.screen, delivered, seen=seen)
    problem = problem or observed.problem
    return StepOutcome(verdict, delivery.delivered is not False, problem, observed, after.screen)


def _delivered(
    guard: Judge, verdict: Verdict, looked: LookResult, kind: Kind
) -> Generator[Effect, Reply, tuple[Delivery, LookResult | None]]:
    """Deliver on a look that is young enough; what is known of it, and the look that shows that the screen changed."""
    if kind.looks and not kind.past and _too_old(guard.settings, looked):
        try:
            newer = _looked((yield Look("delivery")))
        except Exception as error:  # nothing was asked of the device
            return Delivery(False, problem_of(False, error)), None
        if newer.screen is None or looked.screen is None:
            return Delivery(False, problem_of(False, "the screen could not be taken")), newer
        if newer.screen.fingerprint != looked.screen.fingerprint:
            return Delivery(False, CHANGED), newer
        looked = LookResult(looked.screen, newer.at)
    delivery = yield Deliver(verdict, looked)
    assert isinstance(delivery, Delivery)
    return delivery, None


def _by_device(delivery: Delivery) -> bool:
    """Whether the device itself saw that what was judged was still there."""
    return delivery.look is not None and delivery.look.by_device


def _too_old(settings: Settings, looked: LookResult) -> bool:
    limit = settings.look_age
    # a guard that only watches holds nothing back
    return (
        limit is not None
        and settings.mode != "shadow"
        and time.monotonic() - looked.at > limit.total_seconds()
    )


def _looked(reply: Reply) -> LookResult:
    assert isinstance(reply, LookResult)
    return reply


# ---------------------------------------------------------------- who does what is asked for


class Turn:
    """A step that stops where somebody else acts, and goes on when they have.

        turn = Turn(guarded_step(guard, judge), answer)
        if turn.until_delivery():            # looked, judged, asked, committed, recorded
            ...                              # do it
            turn.reply(Delivery(True))
        acted = turn.end()

    Args:
        steps: of `guarded_step`.
        answer: does what is asked for; what it raises is raised by the step, too.

    Attributes:
        acted: the outcome; None while the step is not over.
    """

    def __init__(self, steps: Steps, answer: Callable[[Effect], Reply]) -> None:
        self.acted: StepOutcome | None = None
        self._steps = steps
        self._answer = answer
        self._wanted: Effect | None = None
        self._begun = False

    def until_delivery(self) -> Deliver | None:
        """Go on to the delivery; None: the step ended before it."""
        while (wanted := self.until_asked()) is not None:
            if isinstance(wanted, Deliver):
                return wanted
            self._answered(wanted)
        return None

    def until_asked(self) -> Ask | Deliver | None:
        """Go on to where the user is asked, or to the delivery if they are not; None: the step ended before that."""
        self._begin()
        while self._wanted is not None:
            if isinstance(self._wanted, Ask | Deliver):
                return self._wanted
            self._answered(self._wanted)
        return None

    def end(self) -> StepOutcome:
        """Go on to the end."""
        self._begin()
        while self._wanted is not None:
            self._answered(self._wanted)
        assert self.acted is not None
        return self.acted

    def reply(self, reply: Reply) -> None:
        """Answer what was asked for, and go on to the next thing that is."""
        self._go(lambda: self._steps.send(reply))

    def close(self) -> None:
        """Nobody goes on with it. What was committed is still under way."""
        self._begun, self._wanted = True, None
        self._steps.close()

    def _begin(self) -> None:
        if not self._begun:
            self._begun = True
            self._go(lambda: next(self._steps))

    def _answered(self, wanted: Effect) -> None:
        try:
            reply = self._answer(wanted)
        except BaseException as error:
            failed = error
        else:
            return self.reply(reply)
        return self._go(lambda: self._steps.throw(failed))

    def _go(self, resume: Callable[[], Effect]) -> None:
        self._wanted = None  # if this raises, nothing is asked for any more
        try:
            self._wanted = resume()
        except StopIteration as end:
            self.acted = end.value


def run(steps: Steps, answer: Callable[[Effect], Reply]) -> StepOutcome:
    """Do a whole step at once. Raises what `guarded_step` raises."""
    return Turn(steps, answer).end()


@dataclass(frozen=True, slots=True)
class OnPhone:
    """Does all that a step asks for.

    Attributes:
        look: takes a screen.
        perform: acts, on the screen as it was judged.
        ask: puts a verdict to the user.
        seen_at: when the screen was taken that was given last, by the monotonic clock.
        look_again: takes a screen before the delivery and at the end, if `look` may give one that was taken before.
    """

    look: Callable[[], Screen]
    perform: Callable[[Screen | None], None]
    ask: Callable[[Verdict], Approval]
    seen_at: Callable[[], float] = time.monotonic
    look_again: Callable[[], Screen] | None = None

    def __call__(self, effect: Effect) -> Reply:
        match effect:
            case Look(before):
                again = self.look_again if before in ("delivery", "end") else None
                with reading():  # to look is not part of an action
                    screen = (again or self.look)()
                return LookResult(screen, self.seen_at())
            case Ask(verdict):
                return self.ask(verdict)
            case Deliver(verdict, looked):
                return sent_by(lambda: self.perform(looked.screen), looked.at, verdict.read)


def sent_by(perform: Callable[[], None], looked_at: float, about: Sequence[Cells] = ()) -> Delivery:
    """Send an input, and say what is known of its delivery.

    Who raises an error without an attribute `delivered` gives no account of it: the step ends with that error.
    """
    with sending(about) as sent:
        sent.looked(looked_at)
        try:
            perform()
        except Exception as error:
            known = Delivery.of(sent, error)
            if hasattr(error, "delivered"):
                return known
            return Delivery(known.delivered, known.problem, known.look, error)
        return Delivery.of(sent, None)
