"""The guard as programs use it: the transition system, with a device, questions to the user, and guarded functions."""

import contextlib
import datetime as dt
import functools
import inspect
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, Self, TypedDict, TypeVar, Unpack, overload

from vsalang.core.action import Action
from vsalang.core.delivery import sending_anywhere
from vsalang.core.ir import Program
from vsalang.core.screen import Screen
from vsalang.core.similarity import Similarity
from vsalang.engine.api import Evaluator
from vsalang.guard.acting import ActionBlocked, Phone, kind_of, on_phone
from vsalang.guard.asking import AnswerRefused, Asker, Question, put
from vsalang.guard.judging import Watch
from vsalang.guard.machine import Machine
from vsalang.guard.observing import Seen
from vsalang.guard.recorder import Recorder
from vsalang.guard.settings import Settings
from vsalang.guard.step import Acted, Agreed, Deliver, Delivery, Kind, OnPhone, Turn, guarded_step, run
from vsalang.guard.verdict import NotAllowed, Observed, Proposal, Verdict
from vsalang.names import EngineName

if TYPE_CHECKING:
    from vsalang.guard.feedback import Form

P = ParamSpec("P")
R = TypeVar("R")

Proposes = Callable[..., Action | Proposal]
"""Says what a call of a function proposes; it is given the call's arguments."""
TakeScreen = Callable[[], Screen]
"""Takes a screen."""


_NO = {
    "no": "the user said no",
    "timeout": "nobody answered in time",
    "withdrawn": "what was asked about was overtaken by something else",
    "unasked": "nobody could be asked",
}


class Options(TypedDict, total=False):
    """What a guard may be given by name; see `vsalang.guard.machine.Machine`."""

    today: dt.date | None
    clock: Callable[[], dt.datetime] | None
    engine: EngineName
    settings: Settings | None
    similarity: Similarity | None
    evaluator: Evaluator | None
    recorder: Recorder | None
    watch: Watch | None
    language: str


class Guard(Machine):
    """Judges what an agent proposes against a program, and keeps account of what ran and what was seen.

        guard = Guard(program)
        guard.observe(screen)
        verdict = guard.propose(Action("tap", {"id": "reserve_button"}))
        if verdict.allowed:
            guard.commit()                # raises NotAllowed if it may not be
            ...                           # let the device do it
            guard.observe(new_screen)

    With a device the guard observes and acts itself:

        with Guard(program, device) as guard:
            done = guard.step(Action("tap", {"id": "reserve_button"}))

    Calls from several threads wait for one another; one action is under way at a time.

    Args:
        program: the task with its apps, and the policies in force.
        device: what `step`, `acting` and functions under `action` look at and act on.
        ask: puts questions to the user, in the mode ``ask``; None: somebody calls `answer`.
        options: see `Machine`.
    """

    def __init__(
        self,
        program: Program,
        device: Phone | None = None,
        *,
        ask: Asker | None = None,
        **options: Unpack[Options],
    ) -> None:
        super().__init__(program, **options)
        if ask is not None and self.settings.mode != "ask":
            raise ValueError('a guard asks the user in the mode "ask" only: Settings(mode="ask")')
        self._phone = device
        self._asker = ask
        self._question: Question | None = None
        self._shown: Question | None = None
        self._closed = False
        self._deaf = False  # the call that would ask was cancelled: nobody waits for an answer
        self._agreed: Verdict | None = None
        self._acting = threading.RLock()  # a device is used by one thread at a time

    # ------------------------------------------------------------------ a session

    def use(self, device: Phone) -> None:
        """From now on look at this device and act on it."""
        with self._acting:
            self._phone = device

    def __enter__(self) -> Self:
        """The session; with a device its first look is taken."""
        if self._phone is not None and self.snapshot.screen is None:
            self.observe(self._phone.observe())
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the session: from now on everything is blocked. May be called twice.

        It is recorded, if it can be. The device and the journal are not closed.
        """
        with self._lock:
            self._pending = self._warned = None
            self._finished = True
            self._overtaken()
            if self._recorder is not None and not self._closed:
                with contextlib.suppress(Exception):  # blocked it is in any case
                    self._recorder.closed()
            self._closed = True

    # ------------------------------------------------------------------ feedback

    def feedback(self, verdict: Verdict, *, form: "Form" = "long", folder: Path | None = None) -> str:
        """What a verdict says to the agent, in the guard's language; see `vsalang.guard.feedback.verdict_text`."""
        from vsalang.guard.feedback import verdict_text

        return verdict_text(verdict, language=self.language, folder=folder, form=form)

    def roadmap_text(self, *, form: "Form" = "long", folder: Path | None = None) -> str:
        """What the task still needs, in the guard's language. Raises what `roadmap` raises."""
        from vsalang.guard.feedback import roadmap, roadmap_text

        legs = roadmap(self.program, self.roadmap(), today=self.today, language=self.language)
        return roadmap_text(legs, language=self.language, folder=folder, form=form)

    # ------------------------------------------------------------------ observe

    _joint = False
    """Whether others than the one who acts may end a turn (an app that reports what it does)."""

    def observe(
        self, screen: Screen | None, delivered: bool | None = True, *, seen: Seen | None = None
    ) -> Observed:
        """See `Machine.observe`. While a step or a block is under way, other threads wait until it has ended."""
        if self._joint:
            return super().observe(screen, delivered, seen=seen)
        with self._acting:
            return super().observe(screen, delivered, seen=seen)

    # ------------------------------------------------------------------ commit, and the user's word

    def commit(
        self, verdict: Verdict | None = None, *, approved: bool = False, screen: Screen | None = None
    ) -> None:
        """Commit what was judged; from here to the next `observe` it is under way.

        Args:
            verdict: the newest verdict of this guard; None: that one.
            approved: the user agreed to exactly this; it is judged again. In the mode ``ask`` nobody's word counts but
                the user's: the guard asks them now, if `ask` did not.
            screen: the screen as it is now: it must show what the verdict was given on.

        Raises:
            NotAllowed: the verdict is not the newest, does not allow it, is too old, the screen has changed, or the
                user did not agree.
        """
        if verdict is None:
            with self._lock:
                if self._pending is None:
                    raise NotAllowed("there is no fresh verdict: propose it again")
                verdict = self._pending[1]
        asks = self.settings.mode == "ask" and verdict.level == "confirm"
        if asks:
            approved = self._agreed is verdict or self.ask(verdict)
        with self._lock:
            # one answer is good for one commit
            approved = approved is True and (not asks or self._agreed is verdict)
            self._agreed = None
            try:
                super().commit(verdict, approved=approved, screen=screen)
            except NotAllowed as refused:
                if asks and refused.verdict is verdict:
                    raise NotAllowed(self._said or str(refused), verdict) from refused
                raise

    def ask(self, verdict: Verdict | None = None) -> bool:
        """Ask the user about a verdict `confirm`, and wait for the answer; True if they agreed in time.

        A yes is good for the next commit of this very verdict. About one verdict the user is asked once: after a no it
        must be proposed again. Nothing is asked in other modes than ``ask``.

        Args:
            verdict: the newest verdict of this guard; None: that one.
        """
        with self._lock:
            newest = self._pending[1] if self._pending is not None else None
            verdict = newest if verdict is None else verdict
            if verdict is None or verdict is not newest or self.settings.mode != "ask" or self._deaf:
                return False
            if self._question is not None and self._question.verdict is verdict:
                return self._agreed is verdict  # it is asked about once
            if verdict.level != "confirm":
                return False
            question = self._question = Question(verdict, self.settings.ask_timeout, self._uncounted)
        outcome = put(question, self._asker)
        with self._lock:
            if self._recorder is not None:
                try:
                    self._recorder.answered(outcome == "yes", outcome, verdict)
                except Exception:
                    return False  # what cannot be recorded may not happen
            newest = self._pending[1] if self._pending is not None else None
            if outcome == "yes" and newest is verdict and not self._deaf:
                self._agreed = verdict
                return True
            return False

    @property
    def _said(self) -> str:
        """Why the answer to the question asked last was no yes."""
        outcome = self._question.outcome if self._question is not None else None
        return _NO.get(str(outcome), "")

    @property
    def question(self) -> Question | None:
        """What the user is being asked; None if nothing is."""
        question = self._question
        if question is None or question.outcome is not None:
            return None
        self._shown = question
        return question

    def answer(self, agreed: bool, question: Question | None = None) -> None:
        """Say what the user answered to a question. Anything but True is a no.

        Args:
            agreed: what they said.
            question: what they were shown; None: what was last read from `question`, and before that the first one.
                A question that nobody has read is not answered by what was said to another.

        Raises:
            AnswerRefused: nothing was asked, it was answered, its time is over, or it was overtaken.
        """
        question = question or self._shown or self._question
        if question is None:
            raise AnswerRefused("nothing was asked")
        self._shown = question
        question.answer(agreed)

    def _uncounted(self, verdict: Verdict, agreed: bool, problem: str) -> None:
        if self._recorder is not None:
            with contextlib.suppress(Exception):  # it counts for nothing in any case
                self._recorder.answered(agreed, "", verdict, problem)

    def _overtaken(self) -> None:
        self._agreed = None
        if self._question is not None:
            self._question.withdraw()

    # ------------------------------------------------------------------ acting

    def step(
        self,
        action: Action,
        claims: Sequence[Action] = (),
        *,
        note: str = "",
        approved: bool = False,
    ) -> Acted:
        """Judge an action, and let the device do it if it may be done: propose, commit, perform, observe.

        Args:
            action: a gesture or device action, or `finish`.
            claims: critical actions that the agent says this is.
            note: the agent's own word, for the journal.
            approved: the user agreed (not in the mode ``ask``: there the guard asks).

        Raises:
            ValueError: the guard has no device.
            GuardFailed: an internal error; from now on everything is blocked.
            Exception: what the device raises when it cannot be looked at; what was committed is still `running`.
        """
        if self._phone is None:
            raise ValueError("the guard has no device: Guard(program, device)")
        with self._acting:
            return run(
                guarded_step(self, lambda: self.propose(action, claims, note=note), kind_of(action, note)),
                on_phone(self._phone, action, lambda verdict: self.agreed(verdict, approved)),
            )

    def agreed(self, verdict: Verdict, approved: bool = False) -> Agreed:
        """What the user says to a verdict ``confirm``: in the mode ``ask`` they are asked now.

        Args:
            verdict: the newest.
            approved: they have agreed already (not in the mode ``ask``).
        """
        if self.settings.mode != "ask":
            return Agreed(approved is True)
        yes = self.ask(verdict)
        return Agreed(yes, "" if yes else self._said)

    @contextlib.contextmanager
    def acting(
        self,
        action: Action | Proposal,
        claims: Sequence[Action] = (),
        *,
        look: TakeScreen | None = None,
        note: str = "",
        approved: bool = False,
    ) -> Iterator[Verdict]:
        """Judge an action before a block of code that does it, and take in afterwards what came of it.

            with guard.acting(Action("tap", {"id": "reserve_button"})):
                phone.tap(...)

        If the block raises, it is not known whether the action arrived, unless the error says so (`Phone.perform`).

        Args:
            action: what the block does.
            claims: critical actions that the agent says this is.
            look: takes a screen; None: the guard's device does.
            note: the agent's own word, for the journal.
            approved: the user agreed (not in the mode ``ask``: there the guard asks).

        Raises:
            ActionBlocked: it may not be done; the block does not run.
            ValueError: there is nothing to take screens with.
            GuardFailed: an internal error; from now on everything is blocked.
        """
        turn = self.turn(action, claims, self._look(look), note=note, approved=approved)
        with self._acting:
            deliver = begun(turn)
            with sending_anywhere() as sent:
                sent.looked(deliver.looked.at)
                try:
                    yield deliver.verdict
                except Exception as error:
                    failed: Exception | None = error
                except BaseException:
                    turn.close()  # whoever looks next does not know whether it arrived
                    raise
                else:
                    failed = None
            turn.reply(Delivery.of(sent, failed))
            turn.end()
            if failed is not None:
                raise failed

    def turn(
        self,
        action: Action | Proposal,
        claims: Sequence[Action],
        look: TakeScreen,
        *,
        note: str = "",
        approved: bool = False,
    ) -> Turn:
        """A step that somebody else delivers; see `acting`."""
        steps = guarded_step(self, lambda: self.propose(action, claims, note=note), Kind(note=note))

        def ask(verdict: Verdict) -> Agreed:
            # in a block it is the verdict that says why
            return Agreed(self.agreed(verdict, approved).yes)

        return Turn(steps, OnPhone(look, lambda screen: None, ask))

    def _look(self, look: TakeScreen | None) -> TakeScreen:
        if look is not None:
            return look
        if self._phone is None:
            raise ValueError("there is nothing to take screens with: give the guard a device, or name `look`")
        return self._phone.observe

    @overload
    def action(self, function: Callable[P, R], /) -> Callable[P, R]: ...

    @overload
    def action(
        self,
        /,
        *,
        name: str = "",
        proposes: Proposes | None = None,
        claims: Sequence[Action] = (),
        look: TakeScreen | None = None,
        note: str = "",
    ) -> Callable[[Callable[P, R]], Callable[P, R]]: ...

    def action(
        self,
        function: Callable[..., Any] | None = None,
        /,
        *,
        name: str = "",
        proposes: Proposes | None = None,
        claims: Sequence[Action] = (),
        look: TakeScreen | None = None,
        note: str = "",
    ) -> Any:
        """Decorate a function that does something on the device: each call is judged first, and observed afterwards.

            @guard.action
            def tap(x: int, y: int) -> None: ...

        A call proposes the action of the function's name with the call's arguments; those that are None are left out.

        Args:
            function: the function, if nothing else is said.
            name: the action's name, if it is not the function's.
            proposes: says what a call proposes, if it is not its arguments.
            claims: critical actions that each call is.
            look: takes a screen; None: the guard's device does.
            note: for the journal.

        The decorated function raises `ActionBlocked`, with feedback, instead of doing what may not be done.
        """

        def decorate(function: Callable[..., R]) -> Callable[..., R]:
            if inspect.iscoroutinefunction(function):
                raise TypeError("a coroutine function needs an AsyncGuard")
            if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
                raise TypeError("a generator does its work after the turn: decorate a function that does it")
            said = proposal_of(function, name, proposes)
            taking = self._look(look)

            @functools.wraps(function)
            def guarded(*args: Any, **kwargs: Any) -> R:
                with self.acting(said(*args, **kwargs), claims, look=taking, note=note):
                    result = function(*args, **kwargs)
                    if (
                        inspect.isawaitable(result)
                        or inspect.isgenerator(result)
                        or inspect.isasyncgen(result)
                    ):
                        if hasattr(result, "close"):
                            result.close()
                        raise TypeError(
                            f"{function.__name__} put its work off: it must be done when it returns"
                        )
                    return result

            return guarded

        return decorate if function is None else decorate(function)


def begun(turn: Turn) -> Deliver:
    """Go on to where a block of code may begin.

    Raises:
        ActionBlocked: it may not.
    """
    deliver = turn.until_delivery()
    if deliver is None:
        acted = turn.end()
        raise ActionBlocked(acted.verdict, acted.problem)
    return deliver


def proposal_of(function: Callable[..., Any], name: str, proposes: Proposes | None) -> Proposes:
    """What says what a call of a function proposes."""
    if proposes is not None:
        return proposes
    signature = inspect.signature(function)
    if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in signature.parameters.values()):
        raise TypeError(f"{function.__name__} takes any arguments: say by `proposes` which action a call is")

    def said(*args: Any, **kwargs: Any) -> Action:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        given = {key: value for key, value in bound.arguments.items() if value is not None}
        return Action(name or function.__name__, given)

    return said
