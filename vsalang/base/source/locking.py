"""Holds a file for one writer."""

import os
import time
from pathlib import Path


def lock_file(fd: int) -> None:
    """Hold the file for this writer until it is closed or the process ends.

    Raises:
        OSError: another one holds it.
    """
    try:
        import fcntl
    except ImportError:  # Windows
        import msvcrt

        # far behind the end, so that readers are not kept away
        os.lseek(fd, 2**62, os.SEEK_SET)
        msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        return
    fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)


def held(place: Path, patience: float) -> int:
    """The descriptor of a file that is held for this writer until it is closed; the file is made if it is not there.

    Args:
        place: the file.
        patience: seconds to wait for another writer.

    Raises:
        TimeoutError: another one holds it all that time.
        OSError: it cannot be opened.
    """
    number = os.open(place, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
    until = time.monotonic() + patience
    try:
        while True:
            try:
                lock_file(number)
                return number
            except OSError as error:
                if time.monotonic() > until:
                    raise TimeoutError(f"another process holds {place}") from error
                time.sleep(0.02)
    except BaseException:
        os.close(number)
        raise
