"""The guard as programs use it: the transition system, with a device, questions to the user, and guarded functions."""

import contextlib
import datetime as dt
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, ParamSpec, Self, TypeVar, Unpack, overload

from vsalang.engine.explain.match import known_cells
from vsalang.guard.acting import (
    Others,
    Phone,
    Proposes,
    begun,
    guarded,
    kind_of,
    must_be_plain,
    on_phone,
    proposal_of,
)
from vsalang.guard.judge.evidence import Evidence, doubt_step, no_answer, weighed
from vsalang.guard.judge.licences import FREE
from vsalang.guard.machine import GuardFailed, Machine
from vsalang.guard.recorder import Recorder
from vsalang.guard.say.reasons import action_text
from vsalang.guard.say.verdict import Doubt, NotAllowed, ObservationResult, Proposal, Verdict
from vsalang.guard.session import Goal, Options, Session
from vsalang.guard.settings import Settings
from vsalang.guard.step import Approval, Delivery, Kind, OnPhone, StepOutcome, Turn, guarded_step, run
from vsalang.guard.user.questions import Asker, Question, Questions
from vsalang.guard.world.observing import KnownWorld
from vsalang.guard.world.session_state import Charge, Snapshot
from vsalang.program.action import GESTURES, Action
from vsalang.program.delivery import sending_anywhere
from vsalang.program.example import Fact
from vsalang.program.ir import License, Program, Rule
from vsalang.program.screen import Screen
from vsalang.program.values import Value

if TYPE_CHECKING:
    from vsalang.guard.say.feedback import Form

P = ParamSpec("P")
R = TypeVar("R")

TakeScreen = Callable[[], Screen]
"""Takes a screen."""


class Guard:
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
        others: who acts and sees next to the one who is judged.
        options: see `vsalang.guard.session.Session`.

    Attributes:
        session: the parts of the guard and its state. Read it; only the guard changes it.
        machine: moves the session without asking the user (a recorded session is enacted again with it).
        questions: what the user was asked.
    """

    def __init__(
        self,
        program: Program,
        device: Phone | None = None,
        *,
        ask: Asker | None = None,
        others: Others | None = None,
        **options: Unpack[Options],
    ) -> None:
        self.session: Final = Session(program, **options)
        self.questions: Final = Questions(self.session, ask)
        self.machine: Final = Machine(self.session, self.questions.overtaken)
        self._phone = device
        self._others = others
        self._evidence: list[Evidence] = []
        self._acting = threading.RLock()  # a device is used by one thread at a time

    # ------------------------------------------------------------------ a session

    def use(self, device: Phone) -> None:
        """From now on look at this device and act on it."""
        with self._acting:
            self._phone = device

    def consult(self, evidence: Evidence) -> None:
        """From now on ask for this evidence, too, about each proposal before it is judged.

        See `vsalang.guard.judge.evidence`.
        """
        self._evidence.append(evidence)

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
        self.machine.close()

    # ------------------------------------------------------------------ what can be read

    @property
    def program(self) -> Program:
        """The task with its apps, and the policies in force."""
        return self.session.program

    @property
    def settings(self) -> Settings:
        return self.session.settings

    @property
    def language(self) -> str:
        """In which feedback is said."""
        return self.session.language

    @property
    def snapshot(self) -> Snapshot:
        """All that is committed, as a value; two are equal if nothing happened between."""
        return self.session.state

    @property
    def recorder(self) -> Recorder | None:
        """Who records the session; None: nobody."""
        return self.session.recorder

    @property
    def today(self) -> dt.date:
        """The day of the instruction."""
        return self.session.today

    @property
    def finished(self) -> bool:
        """Whether the session has ended: by an allowed `finish`, by `give_up`, or because it was closed."""
        return self.session.finished

    @property
    def done(self) -> bool:
        """Whether the task is done: the session has ended by a `finish` that the task allowed."""
        return self.session.finished and self.session.task_done

    @property
    def running(self) -> bool:
        """Whether an action is under way: committed, its outcome not yet observed."""
        return self.session.running is not None

    @property
    def failed(self) -> str:
        """The internal error that ended the session; empty if there was none."""
        return self.session.failed

    @property
    def ledger(self) -> tuple[Charge, ...]:
        """The licences that critical actions have used, in order; `give_back` takes an entry's number."""
        return self.session.state.ledger

    @property
    def screens(self) -> frozenset[str]:
        """The qualified names of the screens that show; empty if none of the program's is known to."""
        return self.session.state.screens

    def rows(self, relation: str) -> list[dict[str, Value]]:
        """The rows of a relation as they are believed, seen or derived now, known cells only; a list by position.

        Raises:
            KeyError: the program has no relation of that (qualified) name.
        """
        declared = self.program.relation(relation)
        with self.session.lock:
            rows = self.session.parts.moments.answers.rows(relation)
            return sorted((known_cells(declared, row) for row in rows), key=_place)

    def roadmap(self) -> tuple[Goal, ...]:
        """What each clause of the task still needs. Raises what the engine raises."""
        session = self.session
        with session.lock:
            try:
                goals = session.parts.judging.goals(session.state, session.context())
            except BaseException as error:
                session.restore(error)
                raise
            return tuple(
                Goal(
                    rule,
                    rule.head.atom.relation,
                    holds,
                    session.parts.licences.left(rule.id, session.state.charged()),
                    whys,
                    self._sent(rule),
                )
                for rule, holds, whys in goals
                if isinstance(rule.head, License)
            )

    def _sent(self, rule: Rule) -> tuple[tuple[str, str], ...]:
        """The actions that a clause permitted and whose outcome is in doubt, each as text, with what is known of it."""
        clauses = {FREE, self.session.parts.licences.clause_of.get(rule.id)}
        relation = rule.head.atom.relation if isinstance(rule.head, License) else ""
        return tuple(
            (action_text(self.program, charge.grant.relation, charge.grant.row), charge.message)
            for charge in self.session.state.ledger
            if charge.doubtful
            and relation != "finish"
            and charge.grant.relation == relation
            and not clauses.isdisjoint(charge.grant.clauses)
        )

    def doubt(self, proposal: Proposal) -> Doubt:
        """What would hold a proposal back, as things are seen now. Nothing is recorded.

        Raises:
            Exception: an internal error; then the proposal would be blocked.
        """
        foreseen = self.machine.foreseen(proposal)
        actions = frozenset(name for name, rows in foreseen.instances.items() if rows)
        return Doubt(
            foreseen.level in ("confirm", "block"),
            any(reason.kind == "unknown_touch" for reason in foreseen.reasons),
            actions,
        )

    # ------------------------------------------------------------------ feedback

    def feedback(self, verdict: Verdict, *, form: "Form" = "long", folder: Path | None = None) -> str:
        """What a verdict says to the agent, in the guard's language; see `vsalang.guard.say.feedback.verdict_text`."""
        from vsalang.guard.say.feedback import verdict_text

        return verdict_text(verdict, language=self.language, folder=folder, form=form)

    def roadmap_text(self, *, form: "Form" = "long", folder: Path | None = None) -> str:
        """What the task still needs, in the guard's language. Raises what `roadmap` raises."""
        from vsalang.guard.say.feedback import roadmap, roadmap_text

        legs = roadmap(self.program, self.roadmap(), today=self.today, language=self.language)
        return roadmap_text(legs, language=self.language, folder=folder, form=form)

    # ------------------------------------------------------------------ propose, commit, observe

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
            note: the agent's own comment; it is recorded and has no other effect.
        """
        proposal = _proposal(action, claims, attempts, writes, deletes)
        if self._evidence:
            self._weigh(proposal)
        return self.machine.propose(proposal, note)

    def judge_all(self, actions: Iterable[Action | Proposal]) -> tuple[Verdict, ...]:
        """What `propose` would answer to each of these now, were it the only one. Nothing changes; never raises.

        Nothing is recorded, nobody is asked (neither the user nor what `consult` named), and none of these verdicts can
        be committed: an agent chooses by them, and proposes what it chose. They have no number (`Verdict.token` is 0).

        Args:
            actions: each a gesture, a critical action proposed directly, or a whole proposal. All are judged at the
                same time of the session's clocks.
        """
        return self.machine.judge_all([_proposal(action) for action in actions])

    def _weigh(self, proposal: Proposal) -> None:
        """Observe the screen again with what somebody knows about a proposal. The answer may take long.

        Who is asked later sees what was said before: a judge is asked about actions that an answer first named.
        """
        for each in self._evidence:
            with self.session.lock:
                asked = self.snapshot.screen
                if asked is None or self.running or self.finished or self.failed:
                    return  # it is blocked, or nothing is seen that could be told about
            screen = weighed(each, asked, proposal, self.machine.actions_of)
            with self.session.lock:
                newest = self.snapshot.screen
                if newest is None or self.running:
                    return
                changed = newest is not asked
                if changed:
                    screen = newest
                    for other in self._evidence:
                        rows = no_answer(other, "the screen changed while a judge was asked")
                        screen = screen.with_rows(rows) if rows else screen
                if screen is not newest:
                    with contextlib.suppress(GuardFailed):  # from now on everything is blocked
                        self.machine.observe(screen)
                if changed:
                    return

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
            with self.session.lock:
                if self.session.pending is None:
                    raise NotAllowed("there is no fresh verdict: propose it again")
                verdict = self.session.pending.verdict
        questions = self.questions
        asks = self.settings.mode == "ask" and verdict.level == "confirm"
        if asks:
            approved = questions.agreed is verdict or questions.ask(verdict)
        with self.session.lock:
            # one answer is good for one commit
            approved = approved is True and (not asks or questions.agreed is verdict)
            questions.agreed = None
            screen_judged = self.snapshot.screen
            try:
                self.machine.commit(verdict, approved=approved, screen=screen)
            except NotAllowed as refused:
                if asks and refused.verdict is verdict:
                    raise NotAllowed(questions.refusal or str(refused), verdict) from refused
                raise
        for each in self._evidence:
            with contextlib.suppress(Exception):
                each.committed(screen_judged, verdict.proposal)

    def observe(
        self, screen: Screen | None, delivered: bool | None = True, *, seen: KnownWorld | None = None
    ) -> ObservationResult:
        """Take in a new observation: the first one, the outcome of the action under way, or one in between.

        While a step or a block is under way, other threads wait until it has ended.

        Args:
            screen: the screen as it is now; None: it could not be taken, so the last facts stay away from rules.
            delivered: whether the action under way reached the device; False only if that is certain, None if unknown.
            seen: what is known in addition to the screen (tests).

        Raises:
            GuardFailed: an internal error; from now on everything is blocked.
        """
        observed = self._observe(screen, delivered, seen)
        carried_out = delivered is True and (seen is None or seen.touched != "moved")
        for each in self._evidence:
            with contextlib.suppress(Exception):
                if not carried_out:
                    doubt_step(each)
                each.observed(screen)
        return observed

    def _observe(
        self, screen: Screen | None, delivered: bool | None, seen: KnownWorld | None
    ) -> ObservationResult:
        if self._others is None:
            with self._acting:
                return self.machine.observe(screen, delivered, seen=seen)
        with self.session.lock:
            delivered, seen = self._others.seen(screen, delivered, seen)
            observed = self.machine.observe(screen, delivered, seen=seen)
            self._others.observed()
            return observed

    def runs(self, verdict: Verdict) -> bool:
        """Whether the action that was committed on this verdict is under way."""
        with self.session.lock:
            return self.session.runs(verdict)

    def interrupted(self, delivered: bool | None, verdict: Verdict | None = None) -> None:
        """Note that the process that carried out the action under way is gone; see `Machine.interrupted`."""
        with self.session.lock:
            arrived = delivered if self._others is None else self._others.delivered(delivered)
            self.machine.interrupted(arrived, verdict)

    def give_back(self, number: int) -> None:
        """Give back the licence of an entry of the ledger; see `Machine.give_back`."""
        self.machine.give_back(number)

    # ------------------------------------------------------------------ the user's word

    def ask(self, verdict: Verdict | None = None) -> bool:
        """Ask the user about a verdict `confirm`, and wait for the answer; True if they agreed in time.

        A yes is good for the next commit of this very verdict. About one verdict the user is asked once: after a no it
        must be proposed again. Nothing is asked in other modes than ``ask``.

        Args:
            verdict: the newest verdict of this guard; None: that one.
        """
        return self.questions.ask(verdict)

    @property
    def question(self) -> Question | None:
        """What the user is being asked; None if nothing is."""
        return self.questions.open

    def answer(self, agreed: bool, question: Question | None = None) -> None:
        """Say what the user answered to a question. Anything but True is a no.

        Args:
            agreed: what they said.
            question: what they were shown; None: what was last read from `question`, and before that the first one.
                A question that nobody has read is not answered by what was said to another.

        Raises:
            AnswerRefused: nothing was asked, it was answered, its time is over, or it was overtaken.
        """
        self.questions.answer(agreed, question)

    # ------------------------------------------------------------------ acting

    def step(
        self,
        action: Action,
        claims: Sequence[Action] = (),
        *,
        note: str = "",
        approved: bool = False,
    ) -> StepOutcome:
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

    def agreed(self, verdict: Verdict, approved: bool = False) -> Approval:
        """What the user says to a verdict ``confirm``: in the mode ``ask`` they are asked now.

        Args:
            verdict: the newest.
            approved: they have agreed already (not in the mode ``ask``).
        """
        if self.settings.mode != "ask":
            return Approval(approved is True)
        yes = self.ask(verdict)
        return Approval(yes, "" if yes else self.questions.refusal)

    def agrees(
        self,
        verdict: Verdict,
        confirm: Callable[[Verdict], bool | None],
        recorder: Recorder | None = None,
    ) -> bool:
        """Whether the user agrees to a verdict ``confirm``; in the mode ``ask`` they are asked by the guard.

        Args:
            verdict: the newest.
            confirm: asks them in other modes: True only if they agreed to exactly this, None if nobody could be asked.
            recorder: is told what they said there; None: the guard's, if it has one.
        """
        if self.settings.mode == "ask":
            return self.ask(verdict)
        answer = confirm(verdict)
        approved = answer is True  # anything else is no: also what an `async def` gives before it is awaited
        recorder = recorder or self.recorder
        if recorder is not None:
            recorder.answered(approved, "yes" if approved else "unasked" if answer is None else "no")
        return approved

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
        """Judge an action before a block of code that does it, and observe the outcome afterwards.

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
        turn = self.turn(action, claims, self.looking(look), note=note, approved=approved)
        with self._acting:
            deliver = begun(turn)
            with sending_anywhere(deliver.verdict.read) as sent:
                sent.looked(deliver.looked.at)
                try:
                    yield deliver.verdict
                except Exception as error:
                    failed: Exception | None = error
                except BaseException:
                    turn.close()  # the next look does not tell whether it arrived
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

        def ask(verdict: Verdict) -> Approval:
            # in a block it is the verdict that says why
            return Approval(self.agreed(verdict, approved).yes)

        return Turn(steps, OnPhone(look, lambda screen: None, ask))

    def looking(self, look: TakeScreen | None) -> TakeScreen:
        """What takes screens: `look`, else the guard's device. Raises `ValueError` if there is neither."""
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
            must_be_plain(function)
            proposal = proposal_of(function, name, proposes)
            taking = self.looking(look)
            return guarded(
                function,
                lambda *args, **more: self.acting(proposal(*args, **more), claims, look=taking, note=note),
            )

        return decorate if function is None else decorate(function)


def _proposal(
    action: Action | Proposal | None,
    claims: Sequence[Action] = (),
    attempts: Sequence[Action] = (),
    writes: Sequence[Fact] = (),
    deletes: Sequence[Fact] = (),
) -> Proposal:
    """What an action and what is said of it propose."""
    try:
        if isinstance(action, Proposal):
            return action
        gesture = action if action is not None and action.name in GESTURES else None
        direct = (action,) if action is not None and gesture is None else ()
        return Proposal(gesture, (*direct, *attempts), tuple(claims), tuple(writes), tuple(deletes))
    except Exception:
        return Proposal()  # what is not a proposal proposes nothing, and that is blocked


def _place(cells: dict[str, Value]) -> tuple[float, str]:
    """Rows of a list by position, others by what they hold."""
    at = cells.get("at")
    return (float(at) if isinstance(at, int) else float("inf")), repr(sorted(cells.items()))
