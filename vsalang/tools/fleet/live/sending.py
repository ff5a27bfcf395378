"""Sends a journal that is still being written: whole lines, in order, each until the server says that it keeps it."""

import json
import random
from pathlib import Path
from typing import Final

from vsalang.base.source.opening import open_regular
from vsalang.tools.fleet.live.client import Client, ServerRefused

MOST_BYTES: Final = 256 * 1024
"""Of one delivery, unless one line alone is longer."""
MOST_LINE: Final = 7_000_000
_PAUSES: Final = (0.2, 0.5, 1.0, 2.0, 5.0)
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
        self._failures = 0

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
            self._begin()  # it keeps less than it said: the store was put back
        return False

    def beat(self) -> None:
        """Ask whether the session is to end. Raises as `step`."""
        if self.session and self._number is not None:
            self._post(b"")

    def pause(self) -> float:
        """How many seconds to wait after a failure."""
        pause = _PAUSES[min(self._failures, len(_PAUSES) - 1)]
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
                return lines
        except OSError:
            return []
