"""Holds a file for one writer."""

import os


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
