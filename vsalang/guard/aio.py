"""The guard for asynchronous programs: judging, devices and questions run in threads, the event loop goes on."""

import asyncio
import contextlib
import functools
import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ParamSpec, Self, TypeVar, Unpack, overload

from vsalang.guard.acting import Phone, Proposes, begun, proposal_of
from vsalang.guard.api import Guard, TakeScreen
from vsalang.guard.say.verdict import ObservationResult, Proposal, Verdict
from vsalang.guard.session import Goal, Options
from vsalang.guard.step import Delivery, StepOutcome
from vsalang.guard.user.questions import Asker, Question
from vsalang.guard.world.observing import KnownWorld
from vsalang.program.action import Action
from vsalang.program.delivery import sending_anywhere
from vsalang.program.example import Fact
from vsalang.program.ir import Program
from vsalang.program.screen import Screen

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")

AsyncAsker = Callable[[Question], Awaitable[bool | None]]
"""As `Asker`, and a coroutine function: it runs in the event loop that the guard was made in."""

_THREADS = 8
_POLL = 0.02
"""Seconds between looks for questions of a call that was cancelled."""


class AsyncGuard:
    """A `Guard` whose methods are coroutines. One action is under way at a time, as there.

        async with AsyncGuard(program, device) as guard:
            done = await guard.step(Action("tap", {"id": "reserve_button"}))

    A call that is cancelled ends when what it began has ended, for a thread cannot be stopped halfway; `running` then
    says whether something was committed.

    Args:
        program: the task with its apps, and the policies in force.
        device: as of a `Guard`; it is used in threads, by one at a time.
        ask: puts questions to the user, in the mode ``ask``: a function, or a coroutine function.
        options: see `vsalang.guard.session.Session`.

    Attributes:
        guard: the guard that judges; what of it changes nothing may be read at any time.
    """

    def __init__(
        self,
        program: Program,
        device: Phone | None = None,
        *,
        ask: Asker | AsyncAsker | None = None,
        **options: Unpack[Options],
    ) -> None:
        self.guard = Guard(program, device, ask=_in_loop(ask), **options)
        self._threads = ThreadPoolExecutor(_THREADS, "vsalang-guard")
        self._turn = asyncio.Lock()
        self._holder: asyncio.Task[Any] | None = None

    async def _run(self, function: Callable[..., T], *args: Any, **kwargs: Any) -> T:
        """Run something in a thread, to its end."""
        call = functools.partial(function, *args, **kwargs)
        future = asyncio.get_running_loop().run_in_executor(self._threads, call)
        cancelled: asyncio.CancelledError | None = None
        while not future.done():
            try:
                await asyncio.wait([future], timeout=None if cancelled is None else _POLL)
            except asyncio.CancelledError as error:
                cancelled = error
                self.guard.questions.deaf = True
            if cancelled is not None and (question := self.guard.question) is not None:
                question.withdraw()  # nobody waits for the answer any more, of later questions neither
        if cancelled is not None:
            self.guard.questions.deaf = False
            future.exception()  # seen
            raise cancelled
        return future.result()

    # ------------------------------------------------------------------ a session

    async def __aenter__(self) -> Self:
        await self._run(self.guard.__enter__)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        await self._run(self.guard.close)
        self._threads.shutdown(wait=False)

    @property
    def finished(self) -> bool:
        return self.guard.finished

    @property
    def running(self) -> bool:
        return self.guard.running

    async def roadmap(self) -> tuple[Goal, ...]:
        return await self._run(self.guard.roadmap)

    # ------------------------------------------------------------------ propose, commit, observe

    async def propose(
        self,
        action: Action | Proposal | None = None,
        claims: Sequence[Action] = (),
        *,
        attempts: Sequence[Action] = (),
        writes: Sequence[Fact] = (),
        deletes: Sequence[Fact] = (),
        note: str = "",
    ) -> Verdict:
        return await self._run(
            self.guard.propose, action, claims, attempts=attempts, writes=writes, deletes=deletes, note=note
        )

    async def judge_all(self, actions: Iterable[Action | Proposal]) -> tuple[Verdict, ...]:
        return await self._run(self.guard.judge_all, actions)

    async def commit(
        self, verdict: Verdict | None = None, *, approved: bool = False, screen: Screen | None = None
    ) -> None:
        async with self._mine():
            await self._run(self.guard.commit, verdict, approved=approved, screen=screen)

    async def observe(
        self, screen: Screen | None, delivered: bool | None = True, *, seen: KnownWorld | None = None
    ) -> ObservationResult:
        async with self._mine():
            return await self._run(self.guard.observe, screen, delivered, seen=seen)

    async def give_back(self, number: int) -> None:
        async with self._mine():
            await self._run(self.guard.give_back, number)

    @contextlib.asynccontextmanager
    async def _mine(self) -> AsyncIterator[None]:
        """A turn of this task: inside its own block at once, else when no other task's step or block is under way."""
        if self._holder is not None and self._holder is asyncio.current_task():
            yield
            return
        async with self._turn:
            yield

    async def ask(self, verdict: Verdict | None = None) -> bool:
        return await self._run(self.guard.ask, verdict)

    def answer(self, agreed: bool, question: Question | None = None) -> None:
        self.guard.answer(agreed, question)

    # ------------------------------------------------------------------ acting

    async def step(
        self,
        action: Action,
        claims: Sequence[Action] = (),
        *,
        note: str = "",
        approved: bool = False,
    ) -> StepOutcome:
        """See `Guard.step`. Steps of several tasks wait for one another; within a block of its own it is blocked."""
        async with self._mine():
            return await self._run(self.guard.step, action, claims, note=note, approved=approved)

    @contextlib.asynccontextmanager
    async def acting(
        self,
        action: Action | Proposal,
        claims: Sequence[Action] = (),
        *,
        look: TakeScreen | None = None,
        note: str = "",
        approved: bool = False,
    ) -> AsyncIterator[Verdict]:
        """See `Guard.acting`. Blocks of several tasks wait for one another; within a block of its own it is blocked."""
        turn = self.guard.turn(action, claims, self.guard.looking(look), note=note, approved=approved)
        async with self._mine():
            deliver = await self._run(begun, turn)
            self._holder = asyncio.current_task()
            failed: BaseException | None = None
            try:
                with sending_anywhere(deliver.verdict.read) as sent:
                    sent.looked(deliver.looked.at)
                    yield deliver.verdict
            except (Exception, asyncio.CancelledError) as error:
                # also of a task that was cancelled: its outcome is observed before anything else is done
                failed = error
            except BaseException:
                turn.close()  # the next look does not tell whether it arrived
                raise
            finally:
                self._holder = None

            def end() -> None:
                turn.reply(Delivery.of(sent, failed))
                turn.end()

            await self._run(end)
            if failed is not None:
                raise failed

    @overload
    def action(
        self, function: Callable[P, Coroutine[Any, Any, R]], /
    ) -> Callable[P, Coroutine[Any, Any, R]]: ...

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
    ) -> Callable[[Callable[P, Coroutine[Any, Any, R]]], Callable[P, Coroutine[Any, Any, R]]]: ...

    def action(
        self,
        function: Callable[..., Coroutine[Any, Any, Any]] | None = None,
        /,
        *,
        name: str = "",
        proposes: Proposes | None = None,
        claims: Sequence[Action] = (),
        look: TakeScreen | None = None,
        note: str = "",
    ) -> Any:
        """Decorate a coroutine function that does something on the device; see `Guard.action`."""

        def decorate(
            function: Callable[..., Coroutine[Any, Any, R]],
        ) -> Callable[..., Coroutine[Any, Any, R]]:
            if not inspect.iscoroutinefunction(function):
                raise TypeError("an AsyncGuard decorates coroutine functions: `async def`")
            proposal = proposal_of(function, name, proposes)
            taking = self.guard.looking(look)

            @functools.wraps(function)
            async def guarded(*args: Any, **kwargs: Any) -> R:
                async with self.acting(proposal(*args, **kwargs), claims, look=taking, note=note):
                    return await function(*args, **kwargs)

            return guarded

        return decorate if function is None else decorate(function)


def _in_loop(ask: Asker | AsyncAsker | None) -> Asker | None:
    """A coroutine function as a function that a thread may call."""
    if ask is None or not inspect.iscoroutinefunction(ask):
        return ask  # type: ignore[return-value]
    loop = asyncio.get_running_loop()

    def asked(question: Question) -> bool | None:
        coroutine: Coroutine[Any, Any, bool | None] = ask(question)
        future = asyncio.run_coroutine_threadsafe(coroutine, loop)
        try:
            return future.result(question.left.total_seconds())
        finally:
            future.cancel()  # nobody waits for it any more

    return asked
