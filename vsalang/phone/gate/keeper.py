"""Ends a group of processes if this process ends, whatever ends it, also SIGKILL.

A small shell process waits at the other end of a pipe. If this process ends without a word, the pipe ends, and the
group is ended: SIGTERM, then SIGKILL. It is in a session of its own, so that what is sent to our group does not end it.
"""

import contextlib
import os
import shutil
import subprocess
from typing import Final

_WAITS: Final = (
    'read -r word && exit 0; kill -s TERM -- "-$1" 2>/dev/null; kill -s CONT -- "-$1" 2>/dev/null; '
    'n=0; while kill -s 0 -- "-$1" 2>/dev/null && [ $n -lt 30 ]; do sleep 0.1; n=$((n + 1)); done; '
    'kill -s KILL -- "-$1" 2>/dev/null'
)


class Keeper:
    """Watches over one group of processes, until it is closed. Where there is no shell it does nothing.

    Args:
        group: its number.
    """

    def __init__(self, group: int) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        shell = shutil.which("sh")
        if shell is None or not hasattr(os, "killpg"):
            return
        with contextlib.suppress(OSError):
            self._process = subprocess.Popen(
                [shell, "-c", _WAITS, "keeper", str(group)],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )

    def close(self) -> None:
        """Watch no more: the group is ended in another way. May be called twice."""
        process, self._process = self._process, None
        if process is None or process.stdin is None:
            return
        with contextlib.suppress(OSError):
            process.stdin.write(b"closed\n")
            process.stdin.close()
        process.wait()
