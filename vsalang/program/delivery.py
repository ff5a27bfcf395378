"""Whether anything of an action has left this machine: one place that knows; whatever sends reports to it.

Who carries an action out opens a `sending`; whatever sends says `leaving` right before its first byte. What was sent
may arrive, whatever fails afterwards: an error can say that nothing was delivered only as long as nothing has left.
"""

import contextlib
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextvars import ContextVar
from typing import Final

from vsalang.base.records import dataclass
from vsalang.program.screen import Cells


@dataclass(frozen=True, slots=True)
class LastLook:
    """How old the last look at the screen was when the first byte of an action left.

    Attributes:
        age: in milliseconds, from the end of the look.
        by_device: whether the device itself finds what was judged in the moment it acts, or does nothing.
    """

    age: int
    by_device: bool = False


_LONGEST: Final = 60
_NOT_DELIVERED: Final = "not delivered: "
_NOT_KNOWN: Final = "it is not known whether it arrived: "


def problem_of(delivered: bool | None, error: object) -> str:
    """What is recorded of an action that failed on its way out; `delivered`: whether it arrived, None if not known."""
    return f"{_NOT_DELIVERED if delivered is False else _NOT_KNOWN}{error}"


def cause_of(problem: str) -> str:
    """The error in what `problem_of` made, without the words about the delivery."""
    return problem.removeprefix(_NOT_DELIVERED).removeprefix(_NOT_KNOWN)


class Sending:
    """One action on its way out.

    Attributes:
        about: the nodes that must still show, as they were judged (`vsalang.guard.say.verdict.Verdict.read`).
    """

    def __init__(self, outer: "Sending | None" = None, about: Sequence[Cells] = ()) -> None:
        self._departures = 0
        self.about: tuple[Cells, ...] = tuple(about) or (outer.about if outer is not None else ())
        self._seen: tuple[float, bool] | None = None
        self._look: LastLook | None = None
        self._outer = outer

    def looked(self, at: float, by_device: bool = False) -> None:
        """The screen was looked at then, by the monotonic clock; what left before that does not count for it."""
        self._seen = at, by_device
        if self._outer is not None:
            self._outer.looked(at, by_device)

    @property
    def left(self) -> bool:
        """Whether anything of it has left this machine, and was not refused as a whole (`refusable`)."""
        return self._departures > 0

    @property
    def last_look(self) -> LastLook | None:
        """The last look before the first byte left; None: nothing left, or nobody said that they looked."""
        return self._look

    def leaving(self) -> "list[Sending]":
        """The next byte leaves this machine; returns the blocks that it may be a part of, as often as each is told."""
        self._note()
        if self._outer is not None:
            return [self, *self._outer.leaving()]
        # of what a thread that was started elsewhere sends nobody knows to which block it belongs
        blocks = tuple(_BLOCKS)
        for block in blocks:
            block._note()
        return [self, *blocks]

    def _note(self) -> None:
        if not self.left and self._seen is not None:
            at, by_device = self._seen
            self._look = LastLook(max(0, round((time.monotonic() - at) * 1000)), by_device)
        self._departures += 1

    def _refused(self) -> None:
        self._departures -= 1
        if not self.left:
            self._look = None

    def delivered(self, error: BaseException) -> bool | None:
        """What is known of the delivery after an error: False if certainly nothing was sent, None if that is not known.

        The error's own word (an attribute `delivered` that is False) counts only if nothing has left.
        """
        return False if getattr(error, "delivered", None) is False and not self.left else None


class _Nowhere(Sending):
    """What is sent to look: nothing of an action leaves by it."""

    def leaving(self) -> list[Sending]:
        """Nothing is noted."""
        return []


class _OneRequest(Sending):
    """A request that may be refused as a whole."""

    def __init__(self, outer: Sending) -> None:
        super().__init__(outer)
        self._blocks: list[Sending] = []

    def leaving(self) -> list[Sending]:
        blocks = super().leaving()
        self._blocks += blocks
        return blocks

    def take_back(self) -> None:
        """It was refused: what left of it counts as if it had not."""
        for block in self._blocks:
            block._refused()
        self._blocks = []


_BLOCKS: Final[set[Sending]] = set()
"""The blocks of code that are under way: they may send from any thread."""
_SENDING: Final[ContextVar[Sending | None]] = ContextVar("sending", default=None)


@contextlib.contextmanager
def sending(about: Sequence[Cells] = ()) -> Iterator[Sending]:
    """While it lasts an action is carried out by this thread, or by tasks that it starts. May be nested.

    Args:
        about: the nodes that must still show when it is sent: the sender may check that.
    """
    begun = Sending(_SENDING.get(), about)
    token = _SENDING.set(begun)
    try:
        yield begun
    finally:
        _SENDING.reset(token)


@contextlib.contextmanager
def sending_anywhere(about: Sequence[Cells] = ()) -> Iterator[Sending]:
    """While it lasts an action is carried out by somebody else's code, in whatever threads it uses.

    Threads do not inherit what `sending` notes. So whatever leaves meanwhile, and is not part of a look or of another
    such action in the same thread, counts as a part of it.

    Args:
        about: see `sending`; in other threads nobody knows of it.
    """
    with sending(about) as begun:
        _BLOCKS.add(begun)
        try:
            yield begun
        finally:
            _BLOCKS.discard(begun)


@contextlib.contextmanager
def reading() -> Iterator[None]:
    """While it lasts this thread only asks: what it sends is not part of an action."""
    token = _SENDING.set(_Nowhere())
    try:
        yield
    finally:
        _SENDING.reset(token)


@contextlib.contextmanager
def refusable(*refusals: type[Exception]) -> Iterator[None]:
    """While it lasts this thread sends one request, after which the receiver has done all of it, or has refused it.

    Args:
        refusals: the errors that say that the receiver understood the request, and certainly did nothing. One of them
            leaves as it is; nothing of the request counts as sent then. What was sent before it counts.
    """
    request = _OneRequest(_SENDING.get() or Sending())
    token = _SENDING.set(request)
    try:
        yield
    except refusals:
        request.take_back()
        raise
    finally:
        _SENDING.reset(token)


def looked(at: float | None = None, *, by_device: bool = False) -> None:
    """Say that the screen was just looked at, for the action under way; without one it says nothing.

    Args:
        at: when, by the monotonic clock; None: now.
        by_device: the device itself will compare once more, in the moment it acts.
    """
    begun = _SENDING.get()
    if begun is not None:
        begun.looked(time.monotonic() if at is None else at, by_device)


def about() -> tuple[Cells, ...]:
    """The nodes that must still show when the action under way is sent; none if nobody told them."""
    begun = _SENDING.get()
    return begun.about if begun is not None else ()


def alike(row: Cells, judged: Cells) -> bool:
    """Whether a row of ``Node`` is as it was judged; an empty text was judged to be none."""
    return all(row.get(name, "") == value for name, value in judged.items())


def unlike(judged: Sequence[Cells], readings: Sequence[Sequence[Cells]]) -> Cells | None:
    """The first node that does not show any more as it was judged, or less often; None: all do.

    Args:
        judged: see `about`.
        readings: the rows of ``Node`` of one look, in each of its readings: one is enough.
    """
    for row, count in Counter(tuple(row.items()) for row in judged).items():
        was = dict(row)
        if not any(sum(alike(now, was) for now in rows) >= count for rows in readings):
            return was
    return None


def not_as_judged(judged: Cells) -> str:
    """Why nothing is sent, where a node does not show any more as it was judged."""
    words = next(
        (str(judged[name]) for name in ("text", "desc", "resource_id") if judged.get(name)), "a node"
    )
    words = words if len(words) <= _LONGEST else words[:_LONGEST] + "..."
    return f"what the action is about is not what was judged: {words!r} does not show any more as it did"


def leaving() -> None:
    """Say right before something is sent that it leaves this machine. Without an action under way it says nothing."""
    (_SENDING.get() or Sending()).leaving()
