"""Sends a journal that is still being written: whole lines, in order, each until the server says that it keeps it.

What is sent was forced to the disk before: else the server could keep lines that a power cut takes from the journal,
and a session that goes on from there would have two pasts.
"""

import json
import os
import random
from pathlib import Path
from typing import Final

from vsalang.base.source.opening import open_regular
from vsalang.tools.fleet.live.client import Client, ServerAway, ServerRefused

MOST_BYTES: Final = 256 * 1024
"""Of one delivery, unless one line alone is longer."""
MOST_LINE: Final = 7_000_000
MOST_GAPS: Final = 3
"""So often in a row the server may ask for other lines than those that it said come next."""
PAUSES: Final = (0.2, 0.5, 1.0, 2.0, 5.0)
"""Seconds to wait after one failure, two, .. (exponential backoff, with jitter)."""


class Sender:
    """The lines of one journal.

    Args:
        client: speaks to the server.
        journal: the file; it may still be empty.

    Attributes:
        session: its name at the server; empty until there is a first line.
        sent: bytes that the server keeps.
        ending: why the server ends the session; empty: it does not.
    """

    def __init__(self, client: Client, journal: Path) -> None:
        self._client = client
        self._journal = journal
        self.session = ""
        self.sent = 0
        self.ending = ""
        self._number: int | None = None
        self._failures = self._gaps = 0

    @property
    def size(self) -> int:
        """How long the journal is now."""
        try:
            return self._journal.stat().st_size
        except OSError:
            return 0

    @property
    def done(self) -> bool:
        """Whether the server keeps all whole lines."""
        return self._number is not None and not self._next()

    def step(self) -> bool:
        """Send what comes next. Returns whether there was nothing to send.

        Raises:
            ServerAway: it was not taken.
            ServerRefused: it is not taken.
        """
        if not self.session:
            first = self._lines(0, 1)
            if not first:
                return True
            try:
                self.session = str(json.loads(first[0])["hash"])
            except (ValueError, LookupError, TypeError) as error:
                raise ValueError("line 1: this is not a journal") from error
        if self._number is None:
            self._begin()
        lines = self._next()
        if not lines:
            return True
        try:
            self._took(self._post(b"".join(lines)), sum(map(len, lines)))
        except ServerRefused as error:
            if error.code != "gap":
                raise
            self._gaps += 1
            if self._gaps > MOST_GAPS:
                raise ServerRefused(
                    f"the server asks again and again for lines that {self._journal.name} does not have in that place: "
                    "a line of the journal is missing, or the server is not one of fleets",
                    "gaps",
                    error.data,
                ) from error
            self._begin()  # it keeps less than it said: the store was put back
        return False

    def beat(self) -> None:
        """Ask whether the session is to end. Raises as `step`."""
        if self.session and self._number is not None:
            self._post(b"")

    def pause(self) -> float:
        """How many seconds to wait after a failure."""
        pause = PAUSES[min(self._failures, len(PAUSES) - 1)]
        self._failures += 1
        return pause * random.uniform(0.7, 1.3)

    def _begin(self) -> None:
        """Find out what the server keeps, and skip that."""
        number = self._post(b"")
        self.sent = 0
        with open_regular(self._journal) as file:
            for _ in range(number):
                self.sent += len(file.readline())
        self._number = number

    def _post(self, body: bytes) -> int:
        answer = self._client.post(f"/v1/journal/{self.session}", body)
        self._failures = 0
        self.ending = str(answer.get("end", ""))[:400]
        number = answer.get("number")
        return number if isinstance(number, int) and number >= 0 else 0

    def _took(self, number: int, size: int) -> None:
        self._number = number
        self.sent += size
        self._gaps = 0

    def _next(self) -> list[bytes]:
        return self._lines(self.sent, MOST_BYTES)

    def _lines(self, begin: int, most: int) -> list[bytes]:
        """Whole lines from a place on: as many as fit, at least one if there is one."""
        try:
            with open_regular(self._journal) as file:
                file.seek(begin)
                lines: list[bytes] = []
                size = 0
                while (line := file.readline(MOST_LINE)).endswith(b"\n"):
                    if lines and size + len(line) > most:
                        break
                    lines.append(line)
                    size += len(line)
                    if size >= most:
                        break
                if len(line) >= MOST_LINE:
                    raise ServerRefused("a line of the journal is too long to be sent", "too_large", {})
                if lines:
                    _force(file.fileno())
                return lines
        except OSError:
            return []


def _force(number: int) -> None:
    """Force a file to the disk. Raises `ServerAway`: its lines are not sent now."""
    try:
        os.fsync(number)
    except OSError as error:
        raise ServerAway(
            f"nothing is sent, since the journal cannot be forced to the disk ({error.strerror or error})"
        ) from error
