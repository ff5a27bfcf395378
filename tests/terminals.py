"""Questions on a terminal: waiting for one, and the code that it asks for."""

import fcntl
import os
import struct
import subprocess
import termios
import time
from collections.abc import Mapping, Sequence
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from tests import processes


class Typed(StringIO):
    """What somebody types who sits at a terminal, in the place of standard input."""

    def isatty(self) -> bool:
        return True


QUESTION = r"Type ([a-z0-9]{4}) to agree; anything else is a no"


def spawn(
    words: Sequence[object], *, cwd: Path | str = processes.ROOT, env: Mapping[str, str] | None = None
) -> Any:
    """Start ``python WORDS...`` on a terminal of its own: as `pexpect.spawn` of it would be."""
    fdpexpect = pytest.importorskip("pexpect.fdpexpect")
    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 300, 0, 0))
    process = processes.Process(
        words, cwd=cwd, env=env, stdin=theirs, stdout=theirs, stderr=theirs, session=True
    )
    os.close(theirs)

    class Terminal(fdpexpect.fdspawn):
        exitstatus: int | None = None

        def send(self, s: Any) -> int:
            """Type, a moment after what was read: who asks drops what was typed while it wrote the question."""
            time.sleep(0.15)
            return int(super().send(s))

        def sendintr(self) -> None:
            self.send("\x03")

        def close(self) -> None:
            """Hang up; what has not ended by then ends thereby."""
            super().close()
            self.exitstatus = process.wait(60)

    return Terminal(ours, timeout=60, encoding="utf-8")


def code(terminal: Any) -> str:
    """Wait for a question; the code that it asks for."""
    terminal.expect(QUESTION)
    return str(terminal.match.group(1))


def without_terminal(
    words: Sequence[object], *, env: Mapping[str, str] | None = None, **options: Any
) -> "subprocess.CompletedProcess[str]":
    """Run ``python WORDS...`` without a terminal, wherever the tests run."""
    return processes.run(words, session=True, env={**os.environ, **(env or {})}, **options)
