"""Takes in the lines of journals that devices send: checks their chains, and keeps them before it says so.

What is sent twice is kept once: a line is known by its number and its hash. A session belongs to the device that began
it. A line that does not follow what is kept is refused, and an alarm says so.
"""

import asyncio
import datetime as dt
import json
import logging
import math
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from vsalang.base.records import dataclass
from vsalang.guard.journal.file import START, JournalError, Record, checked_line
from vsalang.tools.fleet.live.access import Holder
from vsalang.tools.fleet.live.intake_store import Chunk, Delivery, IntakeError, IntakeStore
from vsalang.tools.fleet.live.session_summary import Alarm, SessionSummary

log = logging.getLogger("vsalang.tools.fleet")

MOST_BODY: Final = 8_000_000
"""Bytes of one delivery."""
MOST_OVER: Final = 10_000
"""So many sessions that are over are held and listed; older ones are in the store."""
PACE: Final = 0.025
"""Seconds between the beginnings of two transactions: under load each takes in what came meanwhile."""
EVERYBODY: Final = "all devices"
"""What the device is called that an alarm about many is about."""


class DeliveryRefused(Exception):
    """A delivery that is not kept.

    Attributes:
        code: ``gap`` (send what comes after `number`), ``forked``, ``invalid``, ``foreign``, ``quota``, ``busy``,
            ``unkept``.
        number: of the last line that is kept.
        head: the hash of that line.
    """

    def __init__(self, code: str, message: str, number: int = 0, head: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.number = number
        self.head = head


@dataclass(frozen=True, slots=True)
class Receipt:
    """What is kept of a session.

    Attributes:
        number: of the last line.
        head: its hash.
        ending: who ends the session, and why; empty: nobody does.
    """

    number: int
    head: str
    ending: str = ""


@dataclass(frozen=True, slots=True)
class Arrival:
    """Lines that were kept."""

    summary: SessionSummary
    records: tuple[Record, ...]
    alarms: tuple[Alarm, ...]


class Intake:
    """The sessions of all devices.

    Args:
        store: where they are kept.
        arrived: is told, in the event loop, of what was kept.
        most_waiting: bytes that may wait to be kept; more are refused as ``busy``.
        committed: is told of each transaction: when it began (nanoseconds since 1970), of how many deliveries and
            bytes it was, and whether it failed.
        quota: how many bytes of lines, and how many sessions, are kept of one device.

    Attributes:
        sessions: all that are known, by tenant and session.
        heard: when something came of a session, by the monotonic clock.
        kept: how many lines were kept since the start.
        repeated: how many of those that were sent were kept already.
        waiting: bytes that wait to be kept.
    """

    def __init__(
        self,
        store: IntakeStore,
        arrived: Callable[[Arrival], None],
        most_waiting: int = 64_000_000,
        committed: Callable[[int, int, int, bool], None] = lambda *_: None,
        quota: tuple[float, float] = (math.inf, math.inf),
    ) -> None:
        self.store = store
        self.sessions: dict[tuple[str, str], SessionSummary] = {
            each.key: each for each in store.summaries(MOST_OVER)
        }
        self.heard: dict[tuple[str, str], float] = {}
        self.kept = self.repeated = self.waiting = 0
        self._arrived = arrived
        self._most_waiting = most_waiting
        self._committed = committed
        self._quota = quota
        self._used: dict[tuple[str, str], list[int]] = {name: [*used] for name, used in store.used().items()}
        self._beyond: set[tuple[str, str]] = set()
        self._turns: dict[tuple[str, str], tuple[asyncio.Lock, int]] = {}
        self._queue: list[tuple[Delivery, asyncio.Future[None]]] = []
        self._work = asyncio.Event()
        self._writer = ThreadPoolExecutor(1, "vsalang-fleet-store")

    async def accept(self, device: Holder, session: str, body: bytes) -> Receipt:
        """Keep the lines of a delivery; an empty one asks what is kept.

        Raises:
            DeliveryRefused: nothing of it is kept.
        """
        if len(session) != 64 or not session.isalnum():
            raise DeliveryRefused("invalid", "a session is named by the hash of its first line")
        key = (device.tenant, session)
        if not body:
            known = self._of(device, key)
            if known is not None:
                self.heard[key] = time.monotonic()
            return receipt_of(known)
        if self.waiting + len(body) > self._most_waiting:
            raise DeliveryRefused("busy", "earlier lines are still being kept: send these again later")
        self.waiting += len(body)
        try:
            async with self._turn(key):
                return await self._accept(device, session, body, self._of(device, key))
        finally:
            self.waiting -= len(body)

    async def raise_alarm(
        self, key: tuple[str, str], level: str, kind: str, text: str, *, rule: str = "", category: str = ""
    ) -> None:
        """Keep an alarm of the server's own about a session. Raises `DeliveryRefused`."""
        async with self._turn(key):
            await self._raise(self.sessions[key], level, kind, text, rule, category)

    async def raise_for(self, tenant: str, level: str, text: str, rule: str, category: str) -> None:
        """Keep an alarm about many devices of a tenant. Raises `DeliveryRefused`."""
        everybody = SessionSummary(
            tenant, "", EVERYBODY, at=dt.datetime.now(dt.UTC).isoformat(timespec="seconds")
        )
        alarm = everybody.raised(level, "fleet", text, rule, category)
        await self._keep(Delivery(None, everybody, (alarm,)))
        self._arrived(Arrival(everybody, (), (alarm,)))

    async def end(self, key: tuple[str, str], why: str) -> None:
        """Have a session ended: its device is told with the next receipt, again and again until it is over.

        Raises:
            DeliveryRefused: that could not be kept.
        """
        async with self._turn(key):
            summary = (self.sessions.get(key) or self._recalled(key) or SessionSummary(*key, "")).copy()
            summary.ending = why
            await self._keep(Delivery(None, summary))
            self.sessions[key] = summary
            self._arrived(Arrival(summary, (), ()))

    async def run(self) -> None:
        """Write what waits, until it is cancelled: all that came meanwhile in one transaction."""
        loop = asyncio.get_running_loop()
        begun = -PACE
        while True:
            await self._work.wait()
            if (early := begun + PACE - loop.time()) > 0:
                await asyncio.sleep(early)
            begun = loop.time()
            self._work.clear()
            queue, self._queue = self._queue, []
            if not queue:
                continue
            error: DeliveryRefused | None = None
            since = time.time_ns()
            try:
                self.store.prepare([delivery for delivery, _ in queue])
                await loop.run_in_executor(self._writer, self.store.commit)
            except IntakeError as failed:
                error = DeliveryRefused("unkept", str(failed))
            except Exception:  # whatever one delivery holds, the next are kept
                log.exception("lines could not be kept")
                error = DeliveryRefused("unkept", "an internal error; nothing was kept")
            size = sum(len(each.chunk.lines) for each, _ in queue if each.chunk is not None)
            self._committed(since, len(queue), size, error is not None)
            for _, future in queue:
                if future.done():
                    continue
                if error is None:
                    future.set_result(None)
                else:
                    future.set_exception(error)

    def close(self) -> None:
        """Let the writer go."""
        self._writer.shutdown()

    # ------------------------------------------------------------------ how

    def _turn(self, key: tuple[str, str]) -> "_Turn":
        """One change of a session after the other."""
        return _Turn(self._turns, key)

    async def _raise(
        self, known: SessionSummary, level: str, kind: str, text: str, rule: str = "", category: str = ""
    ) -> None:
        summary = known.copy()
        alarm = summary.raised(level, kind, text, rule, category)
        await self._keep(Delivery(None, summary, (alarm,)))
        self.sessions[summary.key] = summary
        self._arrived(Arrival(summary, (), (alarm,)))

    async def _accept(
        self, device: Holder, session: str, body: bytes, known: SessionSummary | None
    ) -> Receipt:
        number, head = (known.number, known.head) if known is not None else (0, START)
        lines = body.splitlines(keepends=True)
        if not lines[-1].endswith(b"\n"):
            raise DeliveryRefused("invalid", "the last line is not whole", number, head)
        first = number + 1 if _follows(lines[0], head) else _number(lines[0])
        if first > number + 1:
            raise DeliveryRefused("gap", f"line {number + 1} comes next", number, head)
        old = min(number - first + 1, len(lines))
        if old > 0 and known is not None and not self._same(known, first + old - 1, lines[old - 1]):
            await self._raise(
                known, "block", "forked", f"another line {first + old - 1} was sent than the one that is kept"
            )
            raise DeliveryRefused("forked", "these lines are not those that are kept", number, head)
        self.repeated += max(old, 0)
        new = lines[max(old, 0) :]
        if not new:
            self.heard[(device.tenant, session)] = time.monotonic()
            return receipt_of(known)
        records: list[Record] = []
        try:
            for nth, raw in enumerate(new, number + 1):
                records.append(checked_line(raw, nth, head, f"line {nth}"))
                head = records[-1].hash
        except JournalError as error:
            if known is not None:
                await self._raise(known, "block", "forked", str(error))
            raise DeliveryRefused("invalid", str(error), number) from error
        if known is None and (records[0].hash != session or records[0].kind != "session"):
            raise DeliveryRefused("invalid", "the first line is not that of this session")
        # what others see changes only when it is kept
        summary = known.copy() if known is not None else SessionSummary(device.tenant, session, device.name)
        alarms = tuple(alarm for record in records for alarm in summary.add(record))
        size = sum(map(len, new))
        await self._check_quota(device, size, known is None)
        chunk = Chunk(
            device.tenant, session, number + 1, number + len(new), b"".join(new) if old > 0 else body
        )
        summary.bytes += len(chunk.lines)
        used = self._used.setdefault((device.tenant, device.name), [0, 0])
        used[0], used[1] = used[0] + size, used[1] + (known is None)  # also what is on its way counts
        try:
            await self._keep(Delivery(chunk, summary, alarms))
        except BaseException:
            used[0], used[1] = used[0] - size, used[1] - (known is None)
            raise
        self.sessions[summary.key] = summary
        self.heard[summary.key] = time.monotonic()
        if summary.over:
            self.forget()
        self.kept += len(new)
        self._arrived(Arrival(summary, tuple(records), alarms))
        return receipt_of(summary)

    async def _check_quota(self, device: Holder, size: int, begins: bool) -> None:
        """Refuse what is more than is kept of one device; people are told once. Raises `DeliveryRefused`."""
        name = (device.tenant, device.name)
        used = self._used.get(name, [0, 0])
        if used[0] + size <= self._quota[0] and used[1] + begins <= self._quota[1]:
            return
        what = (
            f"{self._quota[1]} sessions"
            if used[1] + begins > self._quota[1]
            else f"{self._quota[0] // 2**20} MiB"
        )
        text = f"{device.name} has {what} here, and no more are kept of one device"
        if name not in self._beyond:
            self._beyond.add(name)
            await self.raise_for(device.tenant, "warn", text, "", "")
        raise DeliveryRefused(
            "quota",
            f"{text}: who runs the server can allow more (vsac fleet serve --device-mib, --device-sessions)",
        )

    def _same(self, known: SessionSummary, number: int, raw: bytes) -> bool:
        """Whether a line is the one that is kept: byte for byte, which its chain needs for all before it."""
        kept = self.store.lines(known.tenant, known.session, number)
        return kept[: len(raw)] == raw

    def _of(self, device: Holder, key: tuple[str, str]) -> SessionSummary | None:
        """A session that a device may go on with. Raises `DeliveryRefused`: another one began it."""
        known = self.sessions.get(key) or self._recalled(key)
        if known is not None and known.device != device.name:
            raise DeliveryRefused("foreign", "another device began this session")
        return known

    def _recalled(self, key: tuple[str, str]) -> SessionSummary | None:
        """A session that is over, and not held any more."""
        summary = self.store.summary(*key)
        if summary is not None:
            self.sessions[key] = summary
        return summary

    def forget(self) -> None:
        """Hold no more than the newest of the sessions that are over; all of them are in the store."""
        over = [each for each in self.sessions.values() if each.over]
        if len(over) <= MOST_OVER + MOST_OVER // 4:
            return
        for each in sorted(over, key=lambda each: each.at)[: len(over) - MOST_OVER]:
            del self.sessions[each.key]
            self.heard.pop(each.key, None)

    async def _keep(self, delivery: Delivery) -> None:
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._queue.append((delivery, future))
        self._work.set()
        await future


class _Turn:
    """Somebody's turn to change a session; locks that nobody uses are not kept."""

    __slots__ = ("_key", "_lock", "_turns")

    def __init__(self, turns: dict[tuple[str, str], tuple[asyncio.Lock, int]], key: tuple[str, str]) -> None:
        self._turns, self._key = turns, key

    async def __aenter__(self) -> None:
        self._lock, users = self._turns.get(self._key) or (asyncio.Lock(), 0)
        self._turns[self._key] = self._lock, users + 1
        try:
            await self._lock.acquire()
        except BaseException:
            self._leave()
            raise

    async def __aexit__(self, *_: object) -> None:
        self._lock.release()
        self._leave()

    def _leave(self) -> None:
        # a lock that is free for a moment may have others that wait for it
        _, users = self._turns[self._key]
        if users > 1:
            self._turns[self._key] = self._lock, users - 1
        else:
            del self._turns[self._key]


def receipt_of(summary: SessionSummary | None) -> Receipt:
    """What is kept of a session; None: nothing is."""
    if summary is None:
        return Receipt(0, "")
    return Receipt(summary.number, summary.head, "" if summary.over else summary.ending)


def _follows(raw: bytes, head: str) -> bool:
    """Whether a line probably follows the one with a hash: it need not be read twice then."""
    return f'"prev": "{head}"'.encode() in raw


def _number(raw: bytes) -> int:
    """The number that a line gives itself. Raises `DeliveryRefused`."""
    try:
        number = json.loads(raw)["n"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise DeliveryRefused("invalid", "the first line is not a line of a journal") from error
    if not isinstance(number, int) or isinstance(number, bool) or number < 1:
        raise DeliveryRefused("invalid", "the first line has no number")
    return number
