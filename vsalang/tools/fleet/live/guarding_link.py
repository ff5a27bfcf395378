"""The guard's end of the link to a fleet server: starts the link's process, and hears what it says."""

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from vsalang.base.records import dataclass
from vsalang.guard.user.answering import AnsweringProgram
from vsalang.tools.fleet.live.link import LAST, Lines

_GRACE: Final = 2.0


@dataclass(frozen=True, slots=True)
class FleetPlace:
    """Where a session's journal is sent.

    Attributes:
        url: of the server, as `vsalang.tools.fleet.live.client.checked_url` gives it.
        token_file: of the device's token.
        spool: the folder that says what is left to be sent.
        asks: whether the server answers the guard's questions: the device's owner says so.
    """

    url: str
    token_file: Path
    spool: Path
    asks: bool = False


class GuardLink:
    """The link of one guarded session. The guard waits for it only after the session is over.

    Args:
        place: where the journal is sent.
        tell: is told of problems, in a sentence.

    Attributes:
        answering: asks the server; None: it is not asked.
    """

    def __init__(self, place: FleetPlace, tell: Callable[[str], None]) -> None:
        self._place = place
        self._tell = tell
        self._process: subprocess.Popen[bytes] | None = None
        ours, self._theirs = socket.socketpair()
        self._control = Lines(ours)
        self._asked: socket.socket | None = None
        self.answering: AnsweringProgram | None = None
        if place.asks:
            end, self._asked = socket.socketpair()
            self.answering = AnsweringProgram(end, f"the fleet server {place.url}", tell)

    def begin(self, journal: Path, ended: Callable[[str], None]) -> None:
        """Start sending a journal.

        Args:
            journal: of the session.
            ended: is told, in a thread of its own, why the server ends the session.

        Raises:
            OSError: the process cannot be started.
        """
        theirs = [self._theirs, *([self._asked] if self._asked is not None else [])]
        numbers = [each.fileno() for each in theirs]
        # a session of its own: Ctrl-C is for the agent and the guard, and the link sends what they say of it
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "vsalang.tools.fleet.live.link", *map(str, numbers)],
            pass_fds=numbers,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        for each in theirs:
            each.close()
        self._control.write(
            {
                "kind": "start",
                "url": self._place.url,
                "token_file": str(self._place.token_file.absolute()),
                "journal": str(journal.absolute()),
                "spool": str(self._place.spool),
            }
        )
        threading.Thread(target=self._listen, args=(ended,), daemon=True, name="fleet-link").start()

    def close(self) -> None:
        """The session is over: wait a little until the rest is sent. What is not stays in the spool."""
        if self.answering is not None:
            self.answering.close()
        self._control.write({"kind": "over"})
        if self._process is not None:
            try:
                self._process.wait(LAST + _GRACE)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        else:
            self._theirs.close()

    def _listen(self, ended: Callable[[str], None]) -> None:
        while (message := self._control.read()) is not None:
            kind = message.get("kind")
            if kind == "end":
                with suppress(Exception):  # an error here must not keep later messages away
                    ended(str(message.get("why", "")))
            elif kind == "note":
                self._tell(str(message.get("text", "")))


def token_problem(path: Path) -> str:
    """Why a file of a token cannot be used; empty: it can."""
    from vsalang.tools.fleet.live.client import read_token

    try:
        read_token(path)
    except (OSError, ValueError) as error:
        text = os.strerror(error.errno) if isinstance(error, OSError) and error.errno else str(error)
        return f"{path}: {text}" if isinstance(error, OSError) else text
    return ""
