"""Standard input and output as the pipes of a protocol, which nothing else reads or writes meanwhile."""

import contextlib
import os
import sys
from collections.abc import Callable, Iterator
from functools import partial
from typing import BinaryIO

from vsalang.agents.mcp.messages import LONGEST_LINE


@contextlib.contextmanager
def standard_pipes() -> Iterator[tuple[Iterator[bytes], Callable[[bytes], None]]]:
    """The lines of standard input for this block alone, and what writes all of some bytes to standard output.

    What is printed meanwhile, by this program or one that it starts, goes to standard error; what is read is empty.
    """
    sys.stdout.flush()
    kept = os.dup(0), os.dup(1)
    try:
        for wire in kept:  # else a pause of the client looks like its end
            os.set_blocking(wire, True)
        _point(0, os.open(os.devnull, os.O_RDONLY))
        try:
            _point(1, os.dup(2))
        except OSError:  # this program has no standard error
            _point(1, os.open(os.devnull, os.O_WRONLY))
        with os.fdopen(kept[0], "rb", closefd=False) as read:
            yield lines_of(read), partial(_write, kept[1])
    finally:
        with contextlib.suppress(OSError):
            sys.stdout.flush()
        for number, wire in enumerate(kept):
            _point(number, wire)


def open_streams() -> None:
    """See to it that nothing else becomes a standard stream: a program may be started without some of them.

    Raises:
        ValueError: standard input or output is closed.
    """
    for name in ("stdin", "stdout"):
        if getattr(sys, name) is None:
            raise ValueError(
                f"standard {name.removeprefix('std')}put is closed, and the client talks over it"
            )
    if sys.stderr is None:
        number = os.open(os.devnull, os.O_WRONLY)
        os.set_inheritable(number, True)
        sys.stderr = os.fdopen(number, "w", encoding="utf-8")


def lines_of(read: BinaryIO) -> Iterator[bytes]:
    """Its lines; of one that is too long a part that is too long, too."""
    while line := read.readline(LONGEST_LINE + 1):
        rest = line
        while len(rest) > LONGEST_LINE and not rest.endswith(b"\n"):
            rest = read.readline(LONGEST_LINE + 1)
        yield line


def _write(number: int, data: bytes) -> None:
    while data:
        data = data[os.write(number, data) :]


def _point(number: int, to: int) -> None:
    """Make one descriptor the same as another, which is closed."""
    os.dup2(to, number)
    os.close(to)
