"""What a guard needs of a device and of other actors, and the error that says why an action is blocked."""

import time
from collections.abc import Callable
from typing import Protocol

from vsalang.guard.say.verdict import NotAllowed, Verdict
from vsalang.guard.step import Acted as Acted
from vsalang.guard.step import Agreed, Deliver, Kind, OnPhone, Turn
from vsalang.guard.world.observing import Seen
from vsalang.program.action import DEVICE_ACTIONS, GESTURES, Action
from vsalang.program.screen import Cells, Screen, Unresolved
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
        self, screen: Screen | None, delivered: bool | None, seen: Seen | None
    ) -> tuple[bool | None, Seen | None]:
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
        return problem  # it is no matter of the rules
    from vsalang.guard.say.feedback import verdict_text

    try:
        text = verdict_text(verdict)
    except Exception:
        # that there are no words for it is no reason to allow it
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


def on_phone(phone: Phone, action: Action, ask: Callable[[Verdict], Agreed]) -> OnPhone:
    """The function that carries out the effects of a step on a phone.

    Args:
        phone: is looked at, and carries the action out.
        action: what was proposed.
        ask: puts a verdict to the user.
    """

    def perform(screen: Screen | None) -> None:
        if screen is None:
            raise Unresolved("no screen was taken")
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
