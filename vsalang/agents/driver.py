"""A guard in front of whatever drives a phone: each call of a driver is judged before it is made.

    driver = guarded(MyDriver(), Gate(guard, device.observe))
    driver.tap(360, 1430)               # raises ActionBlocked, with feedback, if it may not be done

A driver is an object whose methods act: `Driver` has their usual names. Its methods may be coroutine functions. Other
names are given in a table, see `GuardedDriver`.
"""

import asyncio
import contextlib
import inspect
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final, Protocol, TypeAlias, TypeVar, cast

from vsalang.guard import ActionBlocked
from vsalang.phone.gate import ActionRefused, Gate
from vsalang.phone.vocabulary import VocabularyError, base, keys
from vsalang.program.action import OFF_SCREEN, Action

D = TypeVar("D")
T = TypeVar("T")

Says: TypeAlias = Callable[..., Sequence[Action]]
"""What a call does, out of its arguments; nothing if it does nothing. Raises `VocabularyError` for what is none."""
OnBlock: TypeAlias = Callable[[ActionBlocked | ActionRefused], Any]


class Driver(Protocol):
    """The names by which `GuardedDriver` knows what acts. A driver need not have all of them.

    Places are pixels, times are seconds.
    """

    def tap(self, x: int, y: int) -> Any:
        """Tap a point."""

    def double_tap(self, x: int, y: int) -> Any:
        """Tap a point twice."""

    def long_press(self, x: int, y: int, seconds: float = 1.0) -> Any:
        """Touch a point for some time."""

    def swipe(self, x: int, y: int, x2: int, y2: int, seconds: float = 0.3) -> Any:
        """Move a finger from a point to another."""

    def input_text(self, text: str) -> Any:
        """Type into the focused field."""

    def press_key(self, key: str) -> Any:
        """Press a key by its Android name or code, such as ``ENTER``."""

    def back(self) -> Any:
        """Press Back."""

    def home(self) -> Any:
        """Press Home."""

    def open_app(self, package: str) -> Any:
        """Open an app as its icon does."""

    def wait(self, seconds: float = 1.0) -> Any:
        """Do nothing for some time."""

    def shell(self, command: str) -> Any:
        """Run a command on the phone."""


def whole(*places: object) -> None:
    """See that what says places on the screen says whole pixels: a driver may round a part of one either way.

    Raises:
        VocabularyError: it does not, or it is not a place.
    """
    for place in places:
        if Decimal(str(place)) != base.pixel(place, "the place"):
            raise VocabularyError(f"the place {place!r} is not a whole pixel: give a whole one")


def _long_press(x: int, y: int, seconds: float = 1.0) -> Sequence[Action]:
    whole(x, y)
    return base.touch(x, y, base.seconds(seconds, "seconds"))  # a short one is a tap


def _swipe(x: int, y: int, x2: int, y2: int, seconds: float = 0.3) -> Sequence[Action]:
    whole(x, y, x2, y2)
    return base.stroke(x, y, x2, y2, held=base.seconds(seconds, "seconds"))


def _point(name: str) -> Says:
    def says(x: int, y: int) -> Sequence[Action]:
        whole(x, y)
        return (Action(name, {"x": base.pixel(x, "x"), "y": base.pixel(y, "y")}),)

    return says


CALLS: Final[Mapping[str, Says]] = {
    "tap": _point("tap"),
    "double_tap": _point("double_tap"),
    "long_press": _long_press,
    "swipe": _swipe,
    "input_text": lambda text: base.typed(text),
    "press_key": lambda key: keys.pressed(key),
    "back": lambda: (Action("back"),),
    "home": lambda: (Action("home"),),
    "open_app": lambda package: (Action("open_app", {"package": base.package(package, "package")}),),
    "wait": lambda seconds=1.0: (base.wait(base.seconds(seconds, "seconds")),),
    "shell": lambda command: (base.shell_line(base.text(command, "command")),),
}
"""What the calls of a `Driver` do."""
READS: Final = ("observe", "screenshot", "dump", "size", "info")
"""What passes unjudged by default: it only looks."""


class GuardedDriver:
    """A driver whose calls pass the gate. What it does not know, it does not have: nothing goes around the guard.

    Args:
        driver: what acts.
        gate: judges.
        calls: method -> what a call of it does, if the methods are others than those of `Driver`.
        reads: attributes and methods that pass unjudged.
        on_block: gives what a call returns that may not be made; None: it raises.
        what: whose the driver is, for messages.

    Calls raise:
        ActionBlocked, ActionRefused: it may not be made, unless there is `on_block`; `feedback` says why.
        Exception: what the driver raises.
    """

    def __init__(
        self,
        driver: object,
        gate: Gate,
        *,
        calls: Mapping[str, Says] = CALLS,
        reads: Collection[str] = READS,
        on_block: OnBlock | None = None,
        what: str = "driver",
    ) -> None:
        self._driver = driver
        self._gate = gate
        self._calls = dict(calls)
        self._reads = frozenset(reads)
        self._on_block = on_block
        self._what = what

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if name in self._calls:
            method = getattr(self._driver, name)
            call = self._later if inspect.iscoroutinefunction(method) else self._now
            return _behind(method, lambda *args, **kwargs: call(name, method, *args, **kwargs))
        if name in self._reads:
            value = getattr(self._driver, name)
            return (
                _behind(value, lambda *args, **kwargs: value(*args, **kwargs)) if callable(value) else value
            )
        raise AttributeError(
            f"a guarded {self._what} has no {name!r}: what it does is not known (name it in `calls` or `reads`)"
        )

    def _now(self, name: str, method: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        try:
            actions = self._actions_of(name, args, kwargs)
            if not actions or not seen_by_phone(actions):
                if actions:
                    self._gate.act(actions, _nothing)
                return method(*args, **kwargs)
            return self._gate.act(actions, lambda: self._done(name, method(*args, **kwargs)))
        except (ActionBlocked, ActionRefused) as blocked:
            return self._blocked(blocked)

    def _done(self, name: str, result: Any) -> Any:
        """Its work must be done when it returns, because then the screen is looked at."""
        if inspect.isawaitable(result) or inspect.isgenerator(result) or inspect.isasyncgen(result):
            if hasattr(result, "close"):
                result.close()
            raise TypeError(
                f"{name} of the {self._what} put its work off: make it a function or a coroutine function"
            )
        return result

    async def _later(
        self, name: str, method: Callable[..., Awaitable[Any]], *args: Any, **kwargs: Any
    ) -> Any:
        try:
            actions = self._actions_of(name, args, kwargs)
            if not actions or not seen_by_phone(actions):
                if actions:
                    await asyncio.to_thread(self._gate.act, actions, _nothing)
                return await method(*args, **kwargs)
            return await act_async(self._gate, actions, lambda: method(*args, **kwargs))
        except (ActionBlocked, ActionRefused) as blocked:
            return self._blocked(blocked)

    def _actions_of(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Sequence[Action]:
        try:
            actions = tuple(self._calls[name](*args, **kwargs))
            if len(actions) > 1 and not all(seen_by_phone([action]) for action in actions):
                raise VocabularyError("it ends or answers, and does something else too")
        except Exception as error:  # what cannot be said cannot be judged
            raise self._gate.refuse(f"{self._what}: {name}", f"{name} is not understood: {error}") from error
        return actions

    def _blocked(self, blocked: ActionBlocked | ActionRefused) -> Any:
        if self._on_block is None:
            raise blocked
        return self._on_block(blocked)


def _behind(method: Callable[..., Any], call: Callable[..., Any]) -> Callable[..., Any]:
    """A function that looks like a method, and does not lead to it or to its driver: not even by `inspect.unwrap`."""

    def function(*args: Any, **kwargs: Any) -> Any:
        return call(*args, **kwargs)

    async def coroutine(*args: Any, **kwargs: Any) -> Any:
        return await call(*args, **kwargs)

    wrapped: Any = coroutine if inspect.iscoroutinefunction(method) else function
    for name in ("__name__", "__qualname__", "__doc__"):
        if isinstance(doc := getattr(method, name, None), str):
            setattr(wrapped, name, doc)
    with contextlib.suppress(TypeError, ValueError):
        wrapped.__signature__ = inspect.signature(method)
    return cast(Callable[..., Any], wrapped)


def guarded(driver: D, gate: Gate, **options: Any) -> D:
    """A `GuardedDriver` that type checkers take for the driver. Options as there."""
    return cast(D, GuardedDriver(driver, gate, **options))


def seen_by_phone(actions: Sequence[Action]) -> bool:
    """Whether something happens on the phone; a gate does not forward what does not: the end, or an answer."""
    return any(action.name not in OFF_SCREEN for action in actions)


def _nothing() -> None:
    return None


async def act_async(
    gate: Gate, actions: Sequence[Action], forward: Callable[[], Awaitable[T]], *, note: str = ""
) -> T:
    """`Gate.act` for a request that is made by a coroutine: it runs in this event loop, the gate waits in a thread.

    If this is cancelled, the request may still be made: it is not known whether it arrived.

    Raises:
        ActionBlocked, ActionRefused: as `Gate.act`.
        Exception: what the coroutine raises.
    """
    loop = asyncio.get_running_loop()

    async def run() -> T:
        return await forward()

    def wait() -> T:
        return asyncio.run_coroutine_threadsafe(run(), loop).result()

    return await asyncio.to_thread(gate.act, actions, wait, note=note)
