"""Lets a device do what was judged: looks again, commits, performs, and takes in what came of it."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from vsalang.core.action import DEVICE_ACTIONS, GESTURES, Action
from vsalang.core.delivery import LastLook, reading, sending
from vsalang.core.screen import Cells, Screen, Unresolved
from vsalang.core.text import canonical
from vsalang.guard.observing import Seen
from vsalang.guard.touched import touched
from vsalang.guard.verdict import NotAllowed, Observed, Verdict

if TYPE_CHECKING:
    from vsalang.guard.api import Guard

_TRIES = 3
"""In the mode ``shadow``: so often a proposal is judged on a screen that changed before it is given up."""


class Phone(Protocol):
    """What a guard asks of a device (`vsalang.device.Device` is one)."""

    def observe(self) -> Screen:
        """One look at the device."""
        ...

    def perform(self, action: Action, target: Cells) -> None:
        """Carry out what was judged.

        An error with an attribute `delivered` says whether the input reached the device: False if nothing of it has
        left this machine, None if that is not known. Who says `vsalang.core.delivery.leaving` before the first byte
        leaves cannot say False after it.
        """
        ...


@dataclass(frozen=True, slots=True)
class Acted:
    """One proposal and what became of it.

    Attributes:
        verdict: the newest on it.
        performed: whether it was carried out (also `finish` and `give_up`, which the device does not see).
        problem: why an allowed action was not carried out, or whether its delivery is uncertain; else empty.
        observed: what was seen after it; None if nothing was carried out.
    """

    verdict: Verdict
    performed: bool
    problem: str = ""
    observed: Observed | None = None


class ActionBlocked(NotAllowed):
    """An action that may not be done now. `feedback` says why, in words for the agent."""

    def __init__(self, verdict: Verdict, problem: str = "") -> None:
        self.feedback = _feedback(verdict, problem)
        super().__init__(self.feedback.rstrip(), verdict)


def _feedback(verdict: Verdict, problem: str) -> str:
    if problem and verdict.allowed:
        return problem  # it is no matter of the rules
    from vsalang.guard.feedback import verdict_text

    try:
        text = verdict_text(verdict)
    except Exception:
        # it is not let through for want of words
        text = "\n".join([verdict.level, *(reason.message for reason in verdict.reasons)])
    return f"{problem}\n{text}" if problem else text


def carry_out(
    guard: "Guard",
    phone: Phone,
    action: Action,
    verdict: Verdict,
    screen: Screen,
    *,
    approved: bool = False,
    note: str = "",
    told: Callable[[bool | None, str, Verdict, LastLook | None], None] | None = None,
) -> tuple[Acted, Screen]:
    """Commit a verdict, let the device act, and observe; gives what became of it, and the newest screen.

    Args:
        guard: gave the verdict.
        phone: does what was judged.
        action: what it does.
        verdict: the guard's newest.
        screen: as last seen.
        approved: the user agreed.
        note: for the journal, should it be judged again.
        told: is told what became of the delivery of what was committed, and how old the last look was.

    Raises:
        GuardFailed: the guard met an internal error.
        Exception: what the device raises when it is looked at, and what it raises without word of the delivery. What
            was committed is still under way then.
    """
    on_device = action.name not in DEVICE_ACTIONS - {"shell", "install", "push_file"}
    # the screen that was judged must be the screen that is acted on, or on which the task ends
    looks = action.name != "give_up"
    current = phone.observe() if looks else screen
    seen = _seen_at(phone)
    tries = 1
    while True:
        try:
            guard.commit(verdict, approved=approved, screen=current if looks else None)
            break
        except NotAllowed as refused:
            if guard.running:  # somebody else's action: this look is not its outcome
                return Acted(refused.verdict or verdict, False, str(refused)), current
            guard.observe(current)
            if verdict.binding or tries == _TRIES:
                return Acted(refused.verdict or verdict, False, str(refused)), current
        # nothing is held back by a guard that only watches: it is judged on the screen as it is now
        tries += 1
        verdict = guard.propose(verdict.proposal, note=note)
        current = phone.observe() if looks else current
        seen = _seen_at(phone)
    problem = ""
    delivered: bool | None = True
    if on_device:
        with sending() as sent:
            try:
                with reading():
                    seen, _ = seen_of_late(guard, phone.observe, current, seen, lambda: _seen_at(phone))
                sent.looked(seen)
                phone.perform(action, target(current, action))
            except Exception as error:
                nowhere = isinstance(error, Unresolved) and not sent.left
                delivered = False if nowhere else sent.delivered(error)
                words = "not delivered" if delivered is False else "it is not known whether it arrived"
                problem = f"{words}: {error}"
                if not hasattr(error, "delivered") and not isinstance(error, Unresolved):
                    if told is not None:
                        told(None, problem, verdict, sent.last_look)
                    raise
        if told is not None:
            told(delivered, problem, verdict, sent.last_look)
    after = phone.observe() if on_device else current
    seen_then = None
    if on_device and delivered is True and not (sent.last_look is not None and sent.last_look.by_device):
        became, words = touched(verdict.proposal, current, after)
        problem = problem or words
        seen_then = Seen(touched=became) if became else None
    observed = guard.observe(after, delivered, seen=seen_then)
    return Acted(verdict, delivered is not False, problem, observed), after


class Changed(Exception):
    """What was judged is not on the screen any more: nothing was sent. `screen`: as it is now."""

    delivered: bool | None = False

    def __init__(self, screen: Screen) -> None:
        super().__init__("the screen changed between the verdict and the device: look again")
        self.screen = screen


def seen_of_late(
    guard: "Guard",
    look: Callable[[], Screen],
    current: Screen,
    seen: float,
    seen_at: Callable[[], float] = time.monotonic,
) -> tuple[float, Screen]:
    """Look at the screen once more if the last look is older than `Settings.look_age` lets it be.

    Args:
        look: takes a screen.
        current: the screen that was committed on.
        seen: when it was looked at, by the monotonic clock.
        seen_at: when the newest screen was looked at.

    Returns:
        When the screen was looked at last, and what it showed.

    Raises:
        Changed: it shows something else than was committed on.
    """
    limit = guard.settings.look_age
    # a guard that only watches holds nothing back
    if limit is None or guard.settings.mode == "shadow" or time.monotonic() - seen <= limit.total_seconds():
        return seen, current
    newer = look()
    if newer.fingerprint != current.fingerprint:
        raise Changed(newer)
    return seen_at(), newer


def _seen_at(phone: Phone) -> float:
    """When the screen was looked at that `observe` gave, by the monotonic clock: now, if the phone does not say."""
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
