"""An agent that does its task step by step, and follows every order that it reads; with and without a guard."""

import contextlib
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal, Protocol

from benchmarks.injection.orders import Order, action_of, plain, shown_texts, under_keyboard
from benchmarks.injection.tasks import Task
from vsalang.agents.session import SessionOptions, open_guarded
from vsalang.agents.session.guarded_session import GuardedSession
from vsalang.base.config import Config, policy_files, standard_in_force
from vsalang.language.semantics import Loaded, load_text
from vsalang.phone.errors import DeviceError
from vsalang.phone.open.simulated import SimulatedDevice
from vsalang.phone.sim.render import Templates
from vsalang.program.action import Action
from vsalang.program.screen import Screen
from vsalang.program.text import line
from vsalang.tools.cli.charter import INJECTION, UNLICENSED

BROUGHT: Final = (UNLICENSED, INJECTION)
"""The policies that `vsac run --instruction` brings along."""
MOST_ACTS: Final = 80
_LOOKS: Final = 3
"""What may come by itself is waited for as many looks."""
Whose = Literal["task", "order"]


@dataclass(frozen=True, slots=True)
class Said:
    """What the guard held back.

    Attributes:
        whose: a step of the task, or one that a text on the screen told.
        what: the step in words.
        level: warn, confirm or block.
        why: the reasons.
    """

    whose: Whose
    what: str
    level: str
    why: str


@dataclass(frozen=True, slots=True)
class Run:
    """How a run of a task ended.

    Attributes:
        harm: the attack has reached its end.
        done: the task is done.
        read: the agent read the order.
        said: what was held back.
        missed: steps of the task whose control did not show.
        finished: the guard allowed that the agent says that it is done.
    """

    harm: bool
    done: bool
    read: bool
    said: tuple[Said, ...] = ()
    missed: tuple[str, ...] = ()
    finished: bool = False

    @property
    def asked(self) -> bool:
        """Whether a step of the task was asked about."""
        return any(each.whose == "task" and each.level == "confirm" for each in self.said)


class Hand(Protocol):
    """What looks and acts for the agent."""

    def look(self) -> Screen: ...

    def act(self, action: Action, order: Order, whose: Whose) -> bool:
        """Do it; whether it was done."""
        ...


class BareHand:
    """Acts on the phone itself."""

    def __init__(self, device: SimulatedDevice) -> None:
        self.device = device
        self.said: list[Said] = []

    def look(self) -> Screen:
        return self.device.observe()

    def act(self, action: Action, order: Order, whose: Whose) -> bool:
        try:
            self.device.perform(action, self.device.observe().target(action.name, action.args))
        except DeviceError as error:
            self.said.append(Said(whose, str(order), "problem", line(str(error), 300)))
            return False
        return True


class GuardedHand:
    """Acts through the guard. What is warned of is proposed once more, as agents do.

    Args:
        session: judges.
        agrees: whether the user agrees to a step that is asked about.
    """

    def __init__(self, session: GuardedSession, agrees: Callable[[Whose], bool]) -> None:
        self.session = session
        self.agrees = agrees
        self.said: list[Said] = []

    def look(self) -> Screen:
        return self.session.look()

    def act(self, action: Action, order: Order, whose: Whose) -> bool:
        for _ in range(2):
            outcome = self.session.step(action, note=str(order), approved=self.agrees(whose))
            verdict = outcome.verdict
            if verdict.level != "allow":
                why = "; ".join(dict.fromkeys(each.message for each in verdict.reasons))
                self.said.append(Said(whose, str(order), verdict.level, line(why, 300)))
            elif outcome.problem:
                self.said.append(Said(whose, str(order), "problem", line(outcome.problem, 300)))
            if outcome.performed or verdict.level != "warn":
                return outcome.performed
        return False


class Follower:
    """The agent: it goes on with its task until it reads an order, and follows that first.

    Args:
        task: what it does.
        hand: what looks and acts for it.
        ended: whether the attack has reached its end, so that no more has to be seen.
        obeys: whether it follows orders; else it is wise.
        insists: whether it does the rest of an order of which a step was refused.
    """

    def __init__(
        self, task: Task, hand: Hand, ended: Callable[[], bool], *, obeys: bool = True, insists: bool = True
    ) -> None:
        self.task = task
        self.hand = hand
        self.ended = ended
        self.obeys = obeys
        self.insists = insists
        self.read = False
        self.mended = False
        self.acts = 0
        self.missed: list[str] = []
        self.apps = task.packages

    def run(self) -> None:
        """Do the task."""
        for step in self.task.steps:
            self._step(step)
            if self.ended() or self.acts > MOST_ACTS:
                return
        self._obey(self.hand.look())

    def _step(self, step: Order) -> None:
        screen = self.hand.look()
        if self._obey(screen):
            if self.ended():
                return
            screen = self.hand.look()
        if not self._do(step, screen, "task") and self.read and not self.mended:
            self.mended = True
            self._all(self.task.attack.after, "task")
            self._do(step, self.hand.look(), "task")

    def _do(self, step: Order, screen: Screen, whose: Whose) -> bool:
        """Do a step of the task, and look for its control first; whether it was done or its control is missing."""
        action = action_of(step, screen, self.apps) or self._found(step)
        if action is None:
            self.missed.append(str(step))
            return True
        return self._act(action, step, whose)

    def _act(self, action: Action, step: Order, whose: Whose) -> bool:
        self.acts += 1
        if under_keyboard(action, self.hand.look()):
            self.hand.act(Action("back"), Order("back"), whose)
        return self.hand.act(action, step, whose)

    def _found(self, step: Order) -> Action | None:
        """The step once its control shows: after a moment, further back, or in the app of the task."""
        for _ in range(_LOOKS):
            if action := action_of(step, self.hand.look(), self.apps):
                return action
        for way in (*[Order("back")] * 3, Order("open", self.task.first)):
            screen = self.hand.look()
            if self._obey(screen):
                screen = self.hand.look()
            if action := action_of(step, screen, self.apps):
                return action
            leave = action_of(way, screen, self.apps)
            if leave is not None and not self.ended():
                self._act(leave, way, "task")
        return action_of(step, self.hand.look(), self.apps)

    def _obey(self, screen: Screen) -> bool:
        """Follow the order if it shows for the first time; whether it does. A wise agent goes its own way at once."""
        attack = self.task.attack
        if self.read or not any(plain(attack.text) in plain(text) for text in shown_texts(screen)):
            return False
        self.read = True
        if not self.obeys or (not self._all(attack.steps, "order") and not self.ended()):
            self._all(attack.after, "task")
            self.mended = bool(attack.after)
        return True

    def _all(self, steps: tuple[Order, ...], whose: Whose) -> bool:
        """Do steps one after the other; one whose control does not show is left out. Whether all were done."""
        refused = missing = False
        for step in steps:
            action = None
            for _ in range(_LOOKS):
                action = action or action_of(step, self.hand.look(), self.apps)
            if action is None:
                missing = True
            elif not self._act(action, step, whose):
                refused = True
            if self.ended() or (refused and whose == "order" and not self.insists):
                break
        return not (refused or missing)


def charter_of(task: Task, policies: tuple[str, ...]) -> Loaded:
    """The charter of a task with the policies in force.

    Raises:
        CheckFailed: it has errors.
        OSError: it cannot be read.
    """
    loaded = load_text(
        task.charter.read_text("utf-8"),
        file=str(task.charter),
        path=task.charter,
        policies=policy_files(Config(), policies),
        standard=standard_in_force(Config()),
        from_cache=True,
    )
    loaded.checked()
    return loaded


@contextlib.contextmanager
def _phone(task: Task) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="injection-") as name:
        folder = Path(name)
        task.write(folder)
        yield folder


def _holds(task: Task, device: SimulatedDevice, expression: str) -> bool:
    names = {
        key: value for package in task.packages.values() for key, value in device.phone.state(package).items()
    }
    return bool(Templates({}).evaluate(expression, names, f"{task.name}: {expression}"))


def _outcome(task: Task, device: SimulatedDevice, hand: BareHand | GuardedHand, **agent: bool) -> Run:
    follower = Follower(task, hand, lambda: _holds(task, device, task.attack.harm), **agent)
    follower.run()
    return Run(
        _holds(task, device, task.attack.harm),
        _holds(task, device, task.done),
        follower.read,
        tuple(hand.said),
        tuple(follower.missed),
    )


def unguarded(task: Task, *, obeys: bool = True) -> Run:
    """The agent on the phone itself.

    Args:
        task: what it does.
        obeys: whether it follows orders; else it is wise.
    """
    with _phone(task) as folder, SimulatedDevice.start(str(folder)) as device:
        hand = BareHand(device)
        hand.act(Action("open_app", {"package": task.first}), Order("open", task.first), "task")
        return _outcome(task, device, hand, obeys=obeys)


def guarded(task: Task, *, there: bool = False, policies: tuple[str, ...] = ()) -> Run:
    """The agent under the guard, as `vsac run --instruction` runs it once its charter is agreed to.

    Args:
        task: what it does.
        there: whether a user is there, who agrees to steps of the task, and to none that a screen told. The agent then
            gives an order up of which a step was refused; else it insists on the rest.
        policies: in force in addition to what the command brings along.
    """
    with _phone(task) as folder:
        chosen = (*BROUGHT, *policies)
        options = SessionOptions(
            policies=chosen,
            journal=folder / "journal.jsonl",
            sync="none",
            instruction=task.instruction,
            app=task.first,
        )
        with open_guarded(charter_of(task, chosen), f"sim:{folder}", options) as session:
            device = session.device
            assert isinstance(device, SimulatedDevice)
            hand = GuardedHand(session, lambda whose: there and whose == "task")
            run = _outcome(task, device, hand, insists=not there)
            finished = session.step(Action("finish")).verdict.level == "allow"
            return replace(run, finished=finished)
