"""What a guard needs of those who act: of a device, of other actors, and of functions that do something on a device.

`ActionBlocked` says why an action is blocked.
"""

import functools
import inspect
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, Protocol, TypeVar

from vsalang.guard.say.verdict import NotAllowed, Proposal, Verdict
from vsalang.guard.step import Approval, Deliver, Kind, OnPhone, Turn
from vsalang.guard.step import StepOutcome as StepOutcome
from vsalang.guard.world.observing import KnownWorld
from vsalang.program.action import DEVICE_ACTIONS, GESTURES, Action
from vsalang.program.screen import Cells, Screen, UnresolvedTarget
from vsalang.program.text import canonical


class Phone(Protocol):
    """What a guard needs of a device (`vsalang.phone.Device` is one)."""

    def observe(self) -> Screen:
        """One look at the device."""
        ...

    def perform(self, action: Action, target: Cells) -> None:
        """Carry out what was judged.

        An error with an attribute `delivered` says whether the input reached the device: False if nothing of it has
        left this machine, None if that is not known. Who says `vsalang.program.delivery.leaving` before the first byte
        leaves cannot say False after it.
        """
        ...


class Others(Protocol):
    """Others who act and observe in the same session, such as apps that report
    (`vsalang.agents.reporting.ReportedGuard`).

    They may end a turn in which another one acts. Each method is called with the session's lock held.
    """

    def seen(
        self, screen: Screen | None, delivered: bool | None, seen: KnownWorld | None
    ) -> tuple[bool | None, KnownWorld | None]:
        """The delivery, and what is known besides the screen, to use for this observation."""
        ...

    def observed(self) -> None:
        """Called after the observation."""
        ...

    def delivered(self, delivered: bool | None) -> bool | None:
        """Whether the action under way was delivered, if the one who acts is gone and said this."""
        ...


class ActionBlocked(NotAllowed):
    """An action that may not be done now. `feedback` says why, in words for the agent."""

    def __init__(self, verdict: Verdict, problem: str = "") -> None:
        self.feedback = _feedback(verdict, problem)
        super().__init__(self.feedback.rstrip(), verdict)


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


def _feedback(verdict: Verdict, problem: str) -> str:
    if problem and verdict.allowed:
        return problem  # it is not a matter of the rules
    from vsalang.guard.say.feedback import verdict_text

    try:
        text = verdict_text(verdict)
    except Exception:
        # a verdict without words is not a reason to allow it
        text = "\n".join([verdict.level, *(reason.message for reason in verdict.reasons)])
    return f"{problem}\n{text}" if problem else text


def kind_of(action: Action, note: str = "") -> Kind:
    """What kind of step an action makes on a device.

    Args:
        action: any.
        note: for the journal, should it be judged again.
    """
    on_device = action.name not in DEVICE_ACTIONS - {"shell", "install", "push_file"}
    # the screen that was judged must be the screen that is acted on, or on which the task ends
    return Kind(on_device, looks=action.name != "give_up", note=note)


def on_phone(phone: Phone, action: Action, ask: Callable[[Verdict], Approval]) -> OnPhone:
    """The function that carries out the effects of a step on a phone.

    Args:
        phone: is looked at, and carries the action out.
        action: what was proposed.
        ask: puts a verdict to the user.
    """

    def perform(screen: Screen | None) -> None:
        if screen is None:
            raise UnresolvedTarget("no screen was taken")
        phone.perform(action, target(screen, action))

    return OnPhone(phone.observe, perform, ask, lambda: seen_at(phone))


def seen_at(phone: object) -> float:
    """When the screen that `observe` gave was taken, by the monotonic clock: now, if the phone does not say."""
    at = getattr(phone, "seen_at", None)
    return at if isinstance(at, float) else time.monotonic()


def target(screen: Screen, action: Action) -> Cells:
    """What takes an action, as it was judged.

    Raises:
        Unresolved: nothing, or several things, could.
    """
    if action.name not in GESTURES:
        # what was judged is the canonical text
        return {name: canonical(v) if isinstance(v, str) else v for name, v in action.args.items()}
    return dict(screen.target(action.name, action.args))


# ---------------------------------------------------------------------- functions that act


R = TypeVar("R")

Proposes = Callable[..., Action | Proposal]
"""Says what a call of a function proposes; it is given the call's arguments."""


def must_be_plain(function: Callable[..., Any]) -> None:
    """Raise `TypeError` if a function does not do its work before it returns."""
    if inspect.iscoroutinefunction(function):
        raise TypeError("a coroutine function needs an AsyncGuard")
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        raise TypeError("a generator does its work after the turn: decorate a function that does it")


def guarded(
    function: Callable[..., R], acting: Callable[..., AbstractContextManager[Verdict]]
) -> Callable[..., R]:
    """A plain function each call of which runs inside a guarded block.

    Args:
        function: does something on the device.
        acting: the block of a call; it is given the call's arguments.
    """

    @functools.wraps(function)
    def called(*args: Any, **kwargs: Any) -> R:
        with acting(*args, **kwargs):
            result = function(*args, **kwargs)
            if inspect.isawaitable(result) or inspect.isgenerator(result) or inspect.isasyncgen(result):
                if hasattr(result, "close"):
                    result.close()
                raise TypeError(f"{function.__name__} put its work off: it must be done when it returns")
            return result

    return called


def proposal_of(function: Callable[..., Any], name: str, proposes: Proposes | None) -> Proposes:
    """The function that says what a call of a function proposes."""
    if proposes is not None:
        return proposes
    signature = inspect.signature(function)
    if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in signature.parameters.values()):
        raise TypeError(f"{function.__name__} takes any arguments: say by `proposes` which action a call is")

    def action_of(*args: Any, **kwargs: Any) -> Action:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        arguments = {key: value for key, value in bound.arguments.items() if value is not None}
        return Action(name or function.__name__, arguments)

    return action_of
