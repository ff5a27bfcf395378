"""Simulated devices that send journals to a server in a process of its own, a page of its console, and kills.

A device is a task of asyncio over one connection that stays open: a step is a proposal, its commit, its outcome and a
look, four lines that are chained like those of a guard. What is not acknowledged is sent again, as the link does it.
"""

import asyncio
import datetime as dt
import json
import os
import random
import signal
import sqlite3
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from vsalang.base.collector import collect_seldom
from vsalang.guard.journal.file import START, _encoded
from vsalang.tools.fleet.live.access import ACCESS_FILE, Access, write_access
from vsalang.tools.fleet.live.sending import PAUSES

STEP: Final = ("propose", "commit", "outcome", "observe")
_VERDICT: Final = {
    "actions": [], "at": "2026-04-01T12:00:02", "binding": True, "fingerprint": "f" * 64, "flags": [], "level": "allow",
    "mode": "enforce", "overridden": False, "proposal": 'tap(text = "Next")', "reasons": [],
    "screens": ["apps.shop:Cart"],
}  # fmt: skip
_LOOK: Final = {
    "came_late": [], "clock": "2026-04-01T12:00:02", "conflicts": [], "contracts": [], "delivered": True,
    "differences": [],
    "point": 1, "recorded": [], "seen": None, "shown": ["apps.shop:Cart"], "taken_back": [], "today": "2026-04-01",
    "screen": {"fingerprint": "f" * 64, "id": "a" * 16, "numbers": list(range(60)), "settled": True},
}  # fmt: skip


class SimulatedJournal:
    """The lines of one device, chained."""

    def __init__(self, name: str) -> None:
        self.head, self.number = START, 0
        self.lines: list[bytes] = []
        self.add(
            "session",
            {"settings": {"mode": "enforce"}, "engine": "incremental", "spec": "shop", "device": name},
        )
        self.session = self.head

    def add(self, kind: str, data: dict[str, Any]) -> None:
        self.number += 1
        at = dt.datetime.now(dt.UTC).isoformat(timespec="milliseconds")
        line, self.head = _encoded(
            {"v": 3, "n": self.number, "kind": kind, "at": at, **data, "prev": self.head}
        )
        self.lines.append(line)

    def step(self) -> int:
        """One more step; the number of its last line."""
        number = self.number + 1
        self.add("propose", {"clock": _LOOK["clock"], "token": number, "note": "", "verdict": _VERDICT,
                             "proposal": {"gesture": {"action": "tap", "args": {"text": "Next"}}}})  # fmt: skip
        self.add(
            "commit", {"propose": number, "approved": False, "screen": "f" * 64, "clock": _LOOK["clock"]}
        )
        self.add("outcome", {"propose": number, "delivered": True, "problem": ""})
        self.add("observe", _LOOK)
        return self.number


@dataclass
class Results:
    """What was measured.

    Attributes:
        seconds: from the end of a step to the page's event, of each step that a page saw.
        sent: lines that devices wrote.
        failures: requests that were not answered, or refused for a while.
    """

    seconds: list[float] = field(default_factory=list)
    sent: int = 0
    steps: int = 0
    failures: int = 0
    kills: int = 0
    late: int = 0
    server_cpu: float = 0.0

    def percentile(self, share: float) -> float:
        rows = sorted(self.seconds)
        return rows[min(len(rows) - 1, int(share * len(rows)))] if rows else 0.0


class Device:
    """Sends one journal at a pace."""

    def __init__(self, name: str, token: str, load: "Load") -> None:
        self.journal, self.load = SimulatedJournal(name), load
        self._head = (
            f"POST /v1/journal/{self.journal.session} HTTP/1.1\r\nHost: 127.0.0.1:{load.port}\r\n"
            f"Authorization: Bearer {token}\r\nContent-Length: "
        )
        self.sent = 0
        self.times: dict[int, float] = {}
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self._failures = 0

    async def run(self, begin: float, until: float) -> None:
        await asyncio.sleep(max(0.0, begin - time.monotonic()))
        due = time.monotonic()
        while due < until:
            self.times[self.journal.step()] = time.monotonic()
            self.load.results.steps += 1
            await self._deliver()
            due += self.load.pace
            wait = due - time.monotonic()
            self.load.results.late += wait < 0
            await asyncio.sleep(max(0.0, wait))
        while self.sent < self.journal.number:
            await self._deliver()
            await asyncio.sleep(0.2)

    async def _deliver(self) -> None:
        """Send what is not acknowledged, once; a failure leaves it for the next time."""
        body = b"".join(self.journal.lines[self.sent :])
        try:
            async with asyncio.timeout(15):
                if self._streams is None:
                    self._streams = await asyncio.open_connection("127.0.0.1", self.load.port)
                reader, writer = self._streams
                writer.write(f"{self._head}{len(body)}\r\n\r\n".encode() + body)
                head = await reader.readuntil(b"\r\n\r\n")
                length = int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0])
                answer = json.loads(await reader.readexactly(length))
            if head.startswith(b"HTTP/1.1 200"):
                self.sent, self._failures = answer["number"], 0
                return
            if "number" in answer:
                self.sent = answer["number"]
        except (OSError, TimeoutError, asyncio.IncompleteReadError, ValueError):
            if self._streams is not None:
                self._streams[1].close()
                self._streams = None
        self.load.results.failures += 1
        pause = PAUSES[min(self._failures, len(PAUSES) - 1)]  # as the link does it: others are away, too
        self._failures += 1
        await asyncio.sleep(pause * random.uniform(0.7, 1.3))


class Load:
    """A server under load.

    Args:
        folder: for its data.
        devices: how many.
        pace: seconds between two steps of one device.
        seconds: how long.
        kills: after how many seconds the server is killed, each time.
    """

    def __init__(
        self, folder: Path, devices: int, pace: float, seconds: float, kills: tuple[float, ...] = ()
    ) -> None:
        self.folder, self.pace, self.seconds, self.kills = folder, pace, seconds, kills
        self.results = Results()
        self.port = 0
        access, self.person = Access().with_new("page", "*", "see")
        self.tokens = []
        for number in range(devices):
            access, token = access.with_new(f"phone{number}", "main")
            self.tokens.append(token)
        folder.mkdir(mode=0o700, exist_ok=True)
        write_access(folder / ACCESS_FILE, access)
        self._process: asyncio.subprocess.Process | None = None
        self.devices: list[Device] = []

    async def run(self) -> Results:
        await self._start()
        self.devices = [Device(f"phone{number}", token, self) for number, token in enumerate(self.tokens)]
        collect_seldom()
        now = time.monotonic()
        until = now + self.pace + self.seconds
        random.seed(7)
        work = [
            asyncio.create_task(device.run(now + random.uniform(0, self.pace), until))
            for device in self.devices
        ]
        page = asyncio.create_task(self._page())
        for after in self.kills:
            await asyncio.sleep(max(0.0, now + after - time.monotonic()))
            await self._kill()
            self.results.kills += 1
            await self._start()
        await asyncio.gather(*work)
        await asyncio.sleep(1.0)
        page.cancel()
        await self._kill()
        self.results.sent = sum(device.journal.number for device in self.devices)
        return self.results

    def lost(self) -> int:
        """Journals that are not kept byte for byte, each line once."""
        database = sqlite3.connect(self.folder / "intake.db")
        kept: dict[str, list[bytes]] = {}
        for session, lines in database.execute("SELECT session, lines FROM chunks ORDER BY session, first"):
            kept.setdefault(session, []).append(lines)
        database.close()
        return sum(
            b"".join(kept.get(device.journal.session, ())) != b"".join(device.journal.lines)
            for device in self.devices
        )

    # ------------------------------------------------------------------ the server and a page

    async def _start(self) -> None:
        words = ["-m", "vsalang.tools.cli.main", "fleet", "serve", "--data", str(self.folder), "--json"]
        self._process = await asyncio.create_subprocess_exec(
            sys.executable, *words, "--port", str(self.port), stdout=asyncio.subprocess.PIPE
        )
        assert self._process.stdout is not None
        self.port = int(json.loads(await self._process.stdout.readline())["url"].rpartition(":")[2])
        self.results.server_cpu -= _cpu_of(self._process.pid)  # starting Python is not serving

    async def _kill(self) -> None:
        process = self._process
        assert process is not None
        self.results.server_cpu += _cpu_of(process.pid)
        process.send_signal(signal.SIGKILL)
        await process.wait()

    async def _page(self) -> None:
        """Read the console's events, as a page does, and again after the server was away."""
        by_session = {device.journal.session: device for device in self.devices}
        columns: list[str] = []
        while True:
            try:
                reader, writer = await asyncio.open_connection("127.0.0.1", self.port, limit=2**26)
                writer.write(
                    f"GET /api/events HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n"
                    f"Authorization: Bearer {self.person}\r\n\r\n".encode()
                )
                await reader.readuntil(b"\r\n\r\n")
                kind = b""
                while line := await reader.readline():
                    if line.startswith(b"event: "):
                        kind = line[7:].strip()
                    elif line.startswith(b"data: ") and kind == b"columns":
                        columns = json.loads(line[6:])
                    elif line.startswith(b"data: ") and kind == b"sessions":
                        now = time.monotonic()
                        session, number = columns.index("session"), columns.index("number")
                        for row in json.loads(line[6:]):
                            self._seen(by_session.get(row[session]), row[number], now)
            except (OSError, asyncio.IncompleteReadError):
                pass
            await asyncio.sleep(0.2)

    def _seen(self, device: Device | None, number: int, now: float) -> None:
        if device is not None:
            for last in [each for each in device.times if each <= number]:
                self.results.seconds.append(now - device.times.pop(last))


def every(seconds: float, until: float) -> tuple[float, ...]:
    """When the server is killed: every so many seconds, and not in the last moments; 0: never."""
    return (
        tuple(seconds * nth for nth in range(1, int(until / seconds) + 1) if seconds * nth < until)
        if seconds
        else ()
    )


def _cpu_of(process: int) -> float:
    """Seconds of processor time that a process has used."""
    ticks = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(ticks[11]) + int(ticks[12])) / os.sysconf("SC_CLK_TCK")
