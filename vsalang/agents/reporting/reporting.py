"""A guard that apps report to: what they say of themselves is seen, and what they ask before they act is judged."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Unpack

from vsalang.agents.reporting.changes import Batch, Change, predicted
from vsalang.agents.reporting.errors import MessageRefused
from vsalang.base.records import dataclass
from vsalang.engine.explain.match import known_cells
from vsalang.guard import Asker, Guard, KnownWorld, ObservationResult, Phone, Proposal, Verdict
from vsalang.guard.session import Options
from vsalang.guard.step import (
    Approval,
    Ask,
    Delivery,
    Effect,
    Kind,
    Look,
    LookResult,
    Reply,
    Turn,
    guarded_step,
)
from vsalang.program.action import Action
from vsalang.program.delivery import reading
from vsalang.program.ir import Program
from vsalang.program.screen import Screen
from vsalang.program.values import same

MOST_WAITING = 10_000
"""So many changes may wait for the outcome of the action under way; what comes then is refused."""


@dataclass(frozen=True, slots=True)
class ReportOutcome:
    """The outcome of a report: `point` is the history point it made; None: it waits for the next observation."""

    point: int | None
    observed: ObservationResult | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to an app that asked before an action.

    Attributes:
        verdict: the judgement.
        proceed: whether the app may do it now.
        id: names the action until the app has reported its result; 0 if it may not, or another one accounts for it.
        joined: it is what the agent's action under way was judged as, and allowed; that one accounts for it.
    """

    verdict: Verdict
    proceed: bool
    id: int = 0
    joined: bool = False


@dataclass(frozen=True, slots=True)
class _AppAction:
    """The action under way is an app's own, which it asked about."""

    id: int
    package: str
    turn: Turn


class _ReportState:
    """What apps reported and asked since the last observation: input of a guard in addition to the screen.

    Attributes:
        waiting: reports that arrived while an action was under way; None: there are none.
        count: how many changes they tell.
        asked: the action under way, if an app asked about it.
        joined: what apps were allowed to do while an agent's action was under way.
        looked: the newest look.
    """

    def __init__(self) -> None:
        self.waiting: Batch | None = None
        self.count = 0
        self.asked: _AppAction | None = None
        self.joined: tuple[Action, ...] = ()
        self.looked: LookResult | None = None
        self._ending: _AppAction | None = None

    def wait(self, changes: list[Change]) -> None:
        """Keep a report until the next observation.

        Raises:
            Refused: too much waits.
        """
        count = (self.count if self.waiting is not None else 0) + len(changes)
        if count > MOST_WAITING:
            raise MessageRefused("busy", "too many reports wait for the outcome of the action under way")
        self.waiting, self.count = (self.waiting or Batch()).add(changes), count

    def turn_over(self) -> _AppAction | None:
        """The turn that an app asked for ends; also what was joined to an agent's."""
        asked, self.asked, self.joined = self.asked, None, ()
        return asked

    # ------------------------------------------------------------------ what a guard asks (see `Others`)

    def seen(
        self, screen: Screen | None, delivered: bool | None, seen: KnownWorld | None
    ) -> tuple[bool | None, KnownWorld | None]:
        """What apps reported since the last action began is seen with the screen."""
        if self.asked is not None or self.joined:
            # What the caller knows is of its own action, which ended when the app asked; or the app was allowed to go
            # on with it, whatever the outcome of the input, and may still do so.
            delivered = None
            seen = replace(seen, touched="") if seen is not None else None
        self.looked = LookResult(screen)
        self._ending = self.turn_over()
        waiting, self.waiting = self.waiting, None
        return delivered, seen if waiting is None else _together(waiting.seen(), seen or KnownWorld())

    def observed(self) -> None:
        """The result of an action was seen before the app that asked about it reported it."""
        ending, self._ending = self._ending, None
        if ending is not None:
            ending.turn.close()

    def delivered(self, delivered: bool | None) -> bool | None:
        """What an app was allowed to do may be done, whatever the outcome of the input."""
        return None if self.joined else delivered


class ReportedGuard(Guard):
    """A guard that takes in what apps report, and answers what they ask before they act.

    Use it in the place of a `Guard`; an agent's loop sees no difference. Reports are seen: they have the authority of
    the observation rules of the app's module, no more. A report makes a history point of its own, or, while an
    action is under way, becomes part of the observation that tells its outcome.

        guard = ReportedGuard(program)
        guard.observe(screen)
        guard.report("com.opentable", changes)

    Args:
        program: see `Guard`.
        device: see `Guard`.
        ask: see `Guard`.
        options: see `vsalang.guard.session.Session`.

    Attributes:
        look: takes a screen; None: an agent's loop observes, and reports are seen together with its last screen.
    """

    def __init__(
        self,
        program: Program,
        device: Phone | None = None,
        *,
        ask: Asker | None = None,
        **options: Unpack[Options],
    ) -> None:
        self.look: Callable[[], Screen] | None = None
        self._reports = _ReportState()
        super().__init__(program, device, ask=ask, others=self._reports, **options)

    # ------------------------------------------------------------------ reports

    def report(
        self, package: str, changes: Iterable[Change], screens: frozenset[str] | None = None
    ) -> ReportOutcome:
        """Take in what an app says of itself.

        Args:
            package: the app's.
            changes: of relations that its module declares (`vsalang.agents.reporting.changes.read_changes` sees to it).
            screens: the screens that it shows now; only for guards without screens.

        Raises:
            Refused: too much waits, or screens are reported although they are seen.
            GuardFailed: an internal error; from now on everything is blocked.
        """
        items = list(changes)
        with self.session.lock:
            if screens is not None and not self._screenless:
                raise MessageRefused(
                    "forbidden", "which screens show is seen on the device: report states", "screens"
                )
            mine = self._reports.asked is not None and self._reports.asked.package == package
            if self.snapshot.screen is None or (self.running and not mine):
                if screens is not None:
                    raise MessageRefused(
                        "conflict", "an action is under way: report screens after it", "screens"
                    )
                self._reports.wait(items)
                return ReportOutcome(None)
            if self.look is None:
                self._check_views(items, self.screens if screens is None else screens)
            observed = self._report(items, screens, None)
            return ReportOutcome(observed.point, observed)

    def _check_views(self, changes: Iterable[Change], screens: frozenset[str]) -> None:
        """A view must not outlive its screen, so it cannot be reported without one.

        Raises:
            Refused: none of its screens shows.
        """
        for change in changes:
            relation = change.relation
            if relation.on and self.snapshot.screens_count and not screens.intersection(relation.on):
                names = ", ".join(self.program.relation(name).short for name in relation.on)
                raise MessageRefused(
                    "conflict", f"{relation.short} is a view on {names}, and no such screen shows now"
                )

    @property
    def _screenless(self) -> bool:
        """Whether no screens are taken: the last one says nothing at all."""
        screen = self.snapshot.screen
        return self.look is None and screen is not None and not screen.relations()

    def _report(
        self, changes: list[Change], screens: frozenset[str] | None, delivered: bool | None
    ) -> ObservationResult:
        """Observe what the app said, together with a new screen, if this session looks at screens."""
        looked = self._with_reports(changes, screens)
        asked = self._reports.turn_over()
        if asked is None:
            return self.observe(looked.screen, delivered, seen=looked.seen)
        asked.turn.reply(Delivery(delivered))
        asked.turn.reply(looked)
        observed = asked.turn.end().observed
        assert observed is not None  # it was committed
        return observed

    def _with_reports(self, changes: list[Change], screens: frozenset[str] | None) -> LookResult:
        """What the screen shows, and what apps reported."""
        if self.look is not None:
            self._reports.wait(changes)
            return self._newest()  # what waits is seen with it
        waiting, self._reports.waiting = self._reports.waiting, None
        if waiting is None:
            return LookResult(self.snapshot.screen, seen=Batch().add(changes).seen(screens))
        seen = waiting.add(changes).seen()
        return LookResult(self.snapshot.screen, seen=replace(seen, screens=screens))

    def _newest(self) -> LookResult:
        """A look, taken now."""
        assert self.look is not None
        with reading():
            self._reports.looked = LookResult(self.look())
        return self._reports.looked

    # ------------------------------------------------------------------ questions

    def before(
        self,
        package: str,
        action: Action | None,
        changes: Iterable[Change] = (),
        *,
        note: str = "",
    ) -> Answer:
        """Judge what an app is about to do. What it may do is committed: it is under way until `after`.

        While an agent's action is under way the app's word only adds to what was judged: what that action was
        allowed as may go on, once; anything else is judged for itself if the agent's action was not a critical one,
        and is blocked if it was. What the user must confirm is put to them in the mode ``ask``, and is not done in
        others.

        Args:
            package: the app's.
            action: the critical action, of those that its module declares.
            changes: what will change by it.
            note: the app's own word on it, for the journal.
        """
        writes, deletes = predicted(changes)
        proposal = Proposal(attempts=(action,) if action is not None else (), writes=writes, deletes=deletes)
        with self.session.lock:
            if self.session.running is not None and self._reports.asked is None:
                under_way = self.session.running.verdict
                known = self._accounting(action) if not writes and not deletes else None
                if known is not None:
                    if self.recorder is not None:
                        try:
                            self.recorder.delivered(None, "an app was allowed to do it", under_way)
                        except Exception:
                            return Answer(under_way, False)  # what cannot be recorded may not happen
                    self._reports.joined += (known,)
                    return Answer(under_way, True, joined=True)
                if self._harmless:
                    # The app reacts to a gesture that was allowed: that turn is over, and this is the next one.
                    self._report([], None, True)
            elif self.session.running is None and self.look is not None:
                looked = self._newest()
                self.observe(looked.screen)
                self._reports.looked = looked
            steps = guarded_step(self, lambda: self.propose(proposal, note=note), self._kind(note))
            turn = Turn(steps, self._look_for)
            asked = turn.until_asked()
            if not isinstance(asked, Ask):
                return self._going(package, turn)
        # While the user is asked, reports are taken in; they make the answer void.
        yes = self.settings.mode == "ask" and self.ask(asked.verdict)
        with self.session.lock:
            self._reports.looked = None  # in the time that the user took the screen may have changed
            turn.reply(Approval(yes))
            return self._going(package, turn)

    def _kind(self, note: str) -> Kind:
        """Without a device of its own the loop looks, and nothing can be compared here."""
        return Kind(looks=self.look is not None, note=note)

    def _look_for(self, effect: Effect) -> Reply:
        """Look, as a step asks for it. A look that was just taken serves; how old it may be the step knows."""
        assert isinstance(effect, Look)
        if self.look is None:
            return LookResult(self.snapshot.screen)
        if effect.before == "commit" and self._reports.looked is not None:
            return self._reports.looked
        return self._newest()

    def _accounting(self, action: Action | None) -> Action | None:
        """What runs under way as this one; each instance accounts for one question, and a mere claim for none."""
        assert self.session.running is not None
        if action is None or self.session.running.lost:
            return None
        for row in self.session.running.judged.runs.get(action.name, ()):
            known = Action(action.name, known_cells(self.program.relation(action.name), row))
            if known not in self._reports.joined and all(
                name in known.args and same(known.args[name], v) for name, v in action.args.items()
            ):
                return known
        return None

    @property
    def _harmless(self) -> bool:
        """Whether the action under way ran no critical action, and nothing that lasts is expected of it."""
        running, book = self.session.running, self.session.parts.judging.book
        return (
            running is not None
            and not running.lost
            and not self.finished
            and not running.verdict.actions
            and not running.judged.instances
            and all(item.rule.id in book.of_screens for item in running.judged.awaited)
        )

    def _going(self, package: str, turn: Turn) -> Answer:
        """The answer to an app: if it may go on, the step waits for what it says of that."""
        deliver = turn.until_delivery()
        if deliver is None:
            return Answer(turn.end().verdict, False)
        self._reports.asked = _AppAction(deliver.verdict.token, package, turn)
        return Answer(deliver.verdict, True, deliver.verdict.token)

    def after(
        self,
        package: str,
        id: int,
        changes: Iterable[Change] = (),
        *,
        performed: bool | None = True,
        screens: frozenset[str] | None = None,
    ) -> ObservationResult:
        """Process the result of an action that an app asked about.

        Args:
            package: the app's.
            id: of the answer.
            changes: what is so now.
            performed: False only if it certainly did nothing: its licence is there again. None: not known.
            screens: see `report`.

        Raises:
            Refused: it is not under way (any more), or it is another app's.
            GuardFailed: an internal error; from now on everything is blocked.
        """
        items = list(changes)
        with self.session.lock:
            asked = self._reports.asked
            if asked is None or asked.id != id or asked.package != package:
                raise MessageRefused(
                    "conflict",
                    "no action of this id is under way: its outcome has been observed; "
                    "report what is so now by update_state",
                    "id",
                )
            if screens is not None and not self._screenless:
                raise MessageRefused(
                    "forbidden", "which screens show is seen on the device: report states", "screens"
                )
            return self._report(items, screens, performed)

    def given_up(self, id: int) -> bool:
        """The app says no word of an action that it asked about: it counts as done. False if it is not under way."""
        with self.session.lock:
            if self._reports.asked is None or self._reports.asked.id != id:
                return False
            self._report([], None, None)
            return True


def _together(reported: KnownWorld, seen: KnownWorld) -> KnownWorld:
    """What apps reported, with what else the caller knows."""
    return replace(
        reported,
        writes=(*reported.writes, *seen.writes),
        gone=(*reported.gone, *seen.gone),
        complete=(*reported.complete, *seen.complete),
        screens=seen.screens,
        rules=seen.rules,
        touched=seen.touched,
    )
