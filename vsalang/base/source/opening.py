"""Opens regular files only, so that reading them always ends."""

import errno
import os
import re
import stat
from pathlib import Path
from typing import BinaryIO, Final

_HANDED_OVER: Final = re.compile(r"/dev/stdin|/dev/fd/[0-9]{1,6}", re.ASCII)
_KINDS: Final = (
    (stat.S_ISDIR, "is a directory"),
    (stat.S_ISFIFO, "is a named pipe"),
    (stat.S_ISSOCK, "is a socket"),
    (stat.S_ISCHR, "is a device"),
    (stat.S_ISBLK, "is a device"),
)


class NotRegular(OSError):
    """A path is not a regular file but a pipe, a device, a socket or a directory. Reading it may never end."""


def open_regular(path: str | os.PathLike[str], *, handed_over: bool = False, links: bool = True) -> BinaryIO:
    """Open a file for reading. It never waits: a pipe without a writer is refused too.

    Args:
        path: the file.
        handed_over: also accept ``/dev/stdin`` and ``/dev/fd/N`` (``<(command)`` of a shell), in exactly this spelling:
            the caller of the command chose them. Only for paths of a command line.
        links: whether the path may be a link to a file; not in a folder where others write.

    Raises:
        NotRegular: it is something else than a regular file.
        OSError: it cannot be opened.
        ValueError: the path is not valid.
    """
    name = os.fspath(path)
    if handed_over and _HANDED_OVER.fullmatch(name):
        return Path(name).open("rb")
    if not links and Path(name).is_symlink():
        raise NotRegular(errno.ELOOP, "it is a link, and what it names is not read", name)
    refuse_irregular(name)  # opening a device may already do something, such as rewind a tape
    # meanwhile the file may have been replaced: O_NONBLOCK does not wait for a pipe's writer
    flags = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    flags |= 0 if links else getattr(os, "O_NOFOLLOW", 0)
    number = os.open(name, flags | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0))
    try:
        refuse_irregular(number)
        return os.fdopen(number, "rb")
    except BaseException:
        os.close(number)
        raise


def refuse_irregular(path: str | os.PathLike[str] | int) -> None:
    """Raise what `open_regular` raises for a path, or an open file, that is not a regular file.

    Raises:
        NotRegular: it is something else.
        OSError: it is not there, or cannot be looked at.
    """
    mode = os.stat(path).st_mode  # noqa: PTH116 also of an open file
    if not stat.S_ISREG(mode):
        what = next((words for test, words in _KINDS if test(mode)), "is not a file")
        raise NotRegular(errno.EINVAL, f"it {what}, and only regular files are read", str(path))


def why_unread(error: OSError | UnicodeDecodeError) -> str:
    """Why a file was not read, as people read it: without the number of the error and the path."""
    return (
        (error.strerror or str(error)).lower() if isinstance(error, OSError) else f"not UTF-8: {error.reason}"
    )


def read_regular(
    path: str | os.PathLike[str], most: int, *, handed_over: bool = False, links: bool = True
) -> bytes:
    """The bytes of a file of at most `most` bytes; see `open_regular`.

    Raises:
        OSError: it cannot be read, is not a regular file, or is larger.
    """
    with open_regular(path, handed_over=handed_over, links=links) as stream:
        data = stream.read(most + 1)
    if len(data) > most:
        raise OSError(errno.EFBIG, f"larger than {most // 1024 // 1024} MiB", os.fspath(path))
    return data
