"""An agent that chooses instead of generating: it enumerates what could be done, logic prunes, a scorer orders.

    agent = RankAgent(guard, device, task="Turn on the dark theme")
    for done in agent.run():
        print(done.step.verdict.level, done.choice)

Every action goes through `vsalang.agents.run_agent`, and so through the guarded step. The agent may be as wrong as it
likes: nothing that the guard blocks is done.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import field, replace
from functools import partial
from typing import Any, Final, TypeAlias

from vsalang.agents.loop import Confirm, Step, nobody, run_agent
from vsalang.agents.proposed import Proposed
from vsalang.agents.rank.choosing import Barred, Choice, Chooser, Option, Picks
from vsalang.agents.rank.completing import Completer, Fills
from vsalang.agents.rank.demanded import Demands
from vsalang.agents.rank.planning import Planner, nobody_plans
from vsalang.agents.rank.remembering import Notes, StepMemory
from vsalang.agents.rank.undoing import TAKES_BACK, NoUndo, PerformedStep, Undo, is_undone, undo
from vsalang.base.diagnostics.display import count
from vsalang.base.records import dataclass
from vsalang.guard import Guard
from vsalang.guard.journal import Recorder
from vsalang.guard.memory import certify
from vsalang.guard.memory.certificate_keys import screen_hash
from vsalang.guard.world.news import same
from vsalang.models.rank import AppChoice, Candidate, PastStep, Scorer
from vsalang.models.rank.enumerating import apps_of
from vsalang.models.rank.linear import LinearScorer
from vsalang.models.rank.situation import past_step
from vsalang.phone.protocol import Device
from vsalang.screen.control import delta
from vsalang.screen.screen import TreeScreen

MOST_STEPS: Final = 30
"""So many actions are proposed (as V-Droid's run has it)."""
MOST_TIMES: Final = 3
"""So often the same is done on one place; then it is tried there no more."""
MOST_SCROLLS: Final = 10
"""The same for what scrolls: a long list needs more."""
MOST_UNDO: Final = 3
"""So many acts are proposed to take one step back."""


@dataclass(frozen=True, slots=True)
class RankOptions:
    """What an agent may be given.

    Attributes:
        scorers: order the candidates, the first that gives scores; `LinearScorer` is asked last in any case.
        planner: knows the next steps on a map; they are a feature, and permit nothing.
        model: its name, and what says values that no clause names; None: nobody is asked.
        user: says values that neither clauses nor the model know; None: nobody is asked.
        picks: the user picks where it is not sure what is best; None: nobody is asked.
        ask_below: the user is asked if the best is more probable than the second by less than this.
        notes: writes a further line of memory for each step.
        apps: those that may be opened; None: those of the task's modules.
        undoes: whether a step that went wrong is taken back.
        most: so many actions are proposed.
    """

    scorers: tuple[Scorer, ...] = ()
    planner: Planner = nobody_plans
    model: tuple[str, Fills] | None = None
    user: Fills | None = None
    picks: Picks | None = None
    ask_below: float = 0.0
    notes: Notes | None = None
    apps: tuple[AppChoice, ...] | None = None
    undoes: bool = True
    most: int = MOST_STEPS


DEFAULTS: Final = RankOptions()


@dataclass(frozen=True, slots=True)
class RankStep:
    """A step of the agent.

    Attributes:
        step: what was proposed, and its outcome.
        choice: why; None: it takes an earlier step back.
        undo: the act that takes an earlier step back, and why that one was wrong.
        remembered: the line of memory; empty: it was not carried out.
    """

    step: Step
    choice: Choice | None = None
    undo: tuple[Undo, str] | None = None
    remembered: str = ""

    def lines(self) -> list[str]:
        """Why it was proposed, for people."""
        if self.undo is not None:
            act, why = self.undo
            return [f"{TAKES_BACK}: {act.text}, for {why}"]
        return self.choice.lines() if self.choice is not None else []

    def to_json(self) -> dict[str, Any]:
        """Why it was proposed, as JSON values."""
        undone = None
        if self.undo is not None:
            act, why = self.undo
            undone = {"action": str(act.action), "way": act.way, "text": act.text, "why": why}
        choice = self.choice.to_json() if self.choice is not None else None
        return {"choice": choice, "undo": undone, "remembered": self.remembered}


@dataclass(slots=True, eq=False)
class _Wrong:
    """A step that is being taken back: what it was, why it was wrong, where it stands in the history, acts left."""

    performed: PerformedStep
    why: str
    number: int
    screens: frozenset[str]
    left: int = MOST_UNDO


@dataclass(slots=True, eq=False)
class _Pending:
    """What is proposed now, and what showed before it."""

    before: TreeScreen
    screens: frozenset[str]
    choice: Choice | None = None
    option: Option | None = None
    undo: tuple[Undo, str] | None = None


_Place: TypeAlias = tuple[str, str]
"""A place (`screen_hash`, or a fingerprint), and the key of a candidate with what it says."""


@dataclass(slots=True, eq=False)
class _Attempts:
    """What is not tried again: where, and why."""

    barred: dict[_Place, str] = field(default_factory=dict)
    times: Counter[_Place] = field(default_factory=Counter)

    def on(self, screen: object) -> Barred:
        """Why candidates are not tried on a screen."""
        return partial(self.why, screen) if isinstance(screen, TreeScreen) else lambda candidate: ""

    def why(self, screen: TreeScreen, candidate: Candidate) -> str:
        """Why a candidate is not tried on a screen; empty: it may be."""
        name = _name(candidate)
        for place in (screen_hash(screen.tree), screen.fingerprint):
            if (place, name) in self.barred:
                return self.barred[place, name]
        most = MOST_SCROLLS if candidate.kind == "scroll" else MOST_TIMES
        if self.times[screen_hash(screen.tree), name] >= most:
            return f"it was done here {count(most, 'time')}"
        return ""


def _name(candidate: Candidate) -> str:
    """A candidate, with what it types or says."""
    return f"{candidate.key}|{candidate.action.args.get('value', '')}|{candidate.action.args.get('text', '')}"


class RankAgent:
    """Runs a task on a device: chooses, proposes, and takes back what went wrong.

    Args:
        guard: fresh, or resumed; its first observation is made by `run`.
        device: what acts.
        task: what the user asked for; None: what the guard's session says.
        options: see there.

    Attributes:
        stopped: why it proposes nothing more; empty while it does, and if the task is over.
        memory: what it remembers of its steps.
    """

    def __init__(
        self, guard: Guard, device: Device, *, task: str | None = None, options: RankOptions = DEFAULTS
    ) -> None:
        self.guard = guard
        self.device = device
        self.stopped = ""
        program = guard.program
        task = task if task is not None else guard.session.instruction or program.modules[program.main].doc
        self.memory = StepMemory(task, options.notes)
        self._options = options
        demands = Demands(program)
        completer = Completer(demands, guard, options.model, options.user)
        self._completer = completer
        self._chooser = Chooser(
            guard,
            (*options.scorers, LinearScorer()),
            demands,
            completer,
            task,
            apps_of(program) if options.apps is None else options.apps,
            options.planner,
            options.picks,
            options.ask_below,
        )
        self._history: list[PastStep] = []
        self._tried = _Attempts()
        self._pending: _Pending | None = None
        self._wrong: _Wrong | None = None
        self._last: _Wrong | None = None
        self._packages = {p for info in program.modules.values() for p in info.packages}

    @property
    def history(self) -> tuple[PastStep, ...]:
        """The steps that were chosen and carried out."""
        return tuple(self._history)

    def run(
        self, *, recorder: Recorder | None = None, confirm: Confirm = nobody, first: int = 1
    ) -> Iterator[RankStep]:
        """Go on until the task is over, nothing is left to do, or `RankOptions.most` actions were proposed.

        Args:
            recorder, confirm, first: as of `vsalang.agents.run_agent`.

        Raises:
            DeviceError: the device cannot be looked at, or was lost.
            GuardFailed: the guard met an internal error, or could not record what it saw.
            JournalError: the journal cannot be written.
        """
        steps = run_agent(
            self.guard, self.device, self._proposals(), recorder=recorder, confirm=confirm, first=first
        )
        for step in steps:
            yield self._took(step)

    # ------------------------------------------------------------------ what is proposed

    def _proposals(self) -> Iterator[Proposed]:
        for _ in range(self._options.most):
            proposed = self._next()
            if proposed is None:
                return
            yield proposed
        self.stopped = f"it proposes at most {count(self._options.most, 'action')}"

    def _next(self) -> Proposed | None:
        """The next act that takes a step back, else what is chosen; None: nothing, and `stopped` says why."""
        taking_back = self._take_back()
        if taking_back is not None:
            return taking_back
        screen = self.guard.snapshot.screen
        while True:
            choice = self._chooser.choose(self._history, self.memory.lines, self._tried.on(screen))
            if isinstance(choice, str):
                self.stopped = choice
                return None
            dead_end = self._dead_end(choice)
            if dead_end is not None:
                return dead_end
            if choice.best is None:
                self.stopped = choice.problem
                return None
            filled = self._filled(choice, choice.best)
            if filled is not None:
                break
        choice, option = filled
        self._pending = _Pending(choice.situation.screen, self.guard.screens, choice=choice, option=option)
        return Proposed(option.candidate.action, note=choice.note)

    def _filled(self, choice: Choice, option: Option) -> tuple[Choice, Option] | None:
        """The choice with all that it needs, judged again; None: nobody says it, or then it is blocked."""
        candidate, screen = option.candidate, choice.situation.screen
        if candidate.needs is None:
            return choice, option
        done, problems = self._completer.by_asking(choice.situation, candidate)
        if done is None:
            self._tried.barred[screen.fingerprint, _name(candidate)] = (
                "; ".join(problems) or "nobody says what"
            )
            return None
        (verdict,) = self.guard.judge_all([done.candidate.proposal])
        if verdict.level in ("block", "warn") or self._tried.why(screen, done.candidate):
            why = "; ".join(reason.message for reason in verdict.reasons) or "it was done here before"
            self._tried.barred[screen.fingerprint, _name(candidate)] = f"what {done.by} said: {why}"
            return None
        filled = replace(option, candidate=done.candidate, verdict=verdict, completed=done)
        options = tuple(filled if one is option else one for one in choice.options)
        problem = "; ".join(text for text in (choice.problem, *problems) if text)
        return replace(choice, options=options, problem=problem), filled

    # ------------------------------------------------------------------ taking back

    def _take_back(self) -> Proposed | None:
        """The next act that takes a wrong step back; None: there is none (any more)."""
        wrong = self._wrong
        screen = self.guard.snapshot.screen
        if wrong is None or not isinstance(screen, TreeScreen):
            return None
        next_act = (
            undo(wrong.performed, screen, self.guard, wrong.screens)
            if wrong.left
            else NoUndo("unknown", f"it was tried {MOST_UNDO} times")
        )
        if isinstance(next_act, NoUndo):
            self._wrong = None
            return None
        wrong.left -= 1
        self._pending = _Pending(screen, self.guard.screens, undo=(next_act, wrong.why))
        return Proposed(next_act.action, note=f"{TAKES_BACK} ({next_act.text}): {wrong.why}")

    def _dead_end(self, choice: Choice) -> Proposed | None:
        """Where nothing of the screen itself may be done, the step that led here is taken back, once."""
        last, self._last = self._last, None
        on_screen = any(one.candidate.unit is not None for one in choice.options)
        ends = choice.best is not None and choice.best.candidate.kind in ("finish", "answer")
        if last is None or on_screen or ends or not self._options.undoes:
            return None
        self._wrong = last
        last.why = "nothing on this screen may be done"
        return self._take_back()

    def _went_wrong(self, step: Step, performed: PerformedStep) -> str:
        """Why a step went wrong, as far as anybody can tell; empty: it did not."""
        observed = step.observed
        if observed is not None:
            violated = [one.reason.message for one in observed.contracts if one.outcome == "violated"]
            if violated:
                return f"not as expected: {violated[0]}"
        was, now = _package(performed.before), _package(performed.after)
        gesture = performed.gesture
        meant = gesture is not None and gesture.name in ("open_app", "home")
        if not meant and was in self._packages and now is not None and now not in self._packages:
            return f"it left the app for {now}"
        return ""

    # ------------------------------------------------------------------ the outcome

    def _took(self, step: Step) -> RankStep:
        """Keep account of a step."""
        pending, self._pending = self._pending, None
        assert pending is not None
        if not step.performed:
            self._refused(step, pending)
            return RankStep(step, pending.choice, pending.undo)
        remembered = self._remember(step, pending)
        after = self.guard.snapshot.screen
        if pending.undo is not None:
            self._took_back(after)
        elif pending.option is not None and isinstance(after, TreeScreen):
            self._did(step, pending, pending.option.candidate, after)
        return RankStep(step, pending.choice, pending.undo, remembered)

    def _refused(self, step: Step, pending: _Pending) -> None:
        if pending.undo is not None:
            self._wrong = None
        elif pending.option is not None:
            name = _name(pending.option.candidate)
            if step.verdict.allowed:  # the screen changed: it may be tried again, but not for ever
                self._tried.times[screen_hash(pending.before.tree), name] += 1
            else:
                self._tried.barred[screen_hash(pending.before.tree), name] = (
                    f"it was refused: {step.verdict.level}"
                )
        screen = self.device.observe()
        if not same(self.guard.snapshot.screen, screen):
            self.guard.observe(screen)

    def _remember(self, step: Step, pending: _Pending) -> str:
        observed = step.observed
        certificate = certify(
            step.verdict,
            pending.before,
            self.guard.snapshot.screen,
            self.guard.program,
            contracts=observed.contracts if observed is not None else (),
            delivered=None if step.problem else True,
        )
        return self.memory.add(certificate).line

    def _did(self, step: Step, pending: _Pending, candidate: Candidate, after: TreeScreen) -> None:
        value = pending.option.completed.value if pending.option and pending.option.completed else ""
        performed = PerformedStep(step.verdict, pending.before, after, step.problem)
        changed = None
        if candidate.kind not in ("finish", "answer"):
            scrolled = candidate.kind in ("scroll", "swipe")
            changed = delta(pending.before.tree, after.tree, scrolled=scrolled).transition
        self._history.append(past_step(pending.before, candidate, value, changed))
        name = _name(candidate)
        self._tried.times[screen_hash(pending.before.tree), name] += 1
        if changed == "NoChange":
            self._tried.barred[pending.before.fingerprint, name] = "it changed nothing here"
        wrong = _Wrong(performed, self._went_wrong(step, performed), len(self._history) - 1, pending.screens)
        self._last = wrong
        if wrong.why and self._options.undoes:
            self._wrong = wrong

    def _took_back(self, after: object) -> None:
        wrong = self._wrong
        if wrong is None or not isinstance(after, TreeScreen) or not is_undone(wrong.performed, after):
            return
        step = self._history[wrong.number]
        self._history[wrong.number] = replace(step, undone=True)
        self._tried.barred[screen_hash(wrong.performed.before.tree), self._undone_name(wrong)] = (
            f"it was taken back: {wrong.why}"
        )
        self._wrong = None

    def _undone_name(self, wrong: _Wrong) -> str:
        step = self._history[wrong.number]
        gesture = wrong.performed.gesture
        args = gesture.args if gesture is not None else {}
        return f"{step.key}|{args.get('value', '')}|{args.get('text', '')}"


def _package(screen: TreeScreen) -> str | None:
    return screen.app[0] if screen.app is not None else None
