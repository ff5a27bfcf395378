"""Standard input and output as the pipes of a protocol, which nothing else reads or writes meanwhile."""

import contextlib
import os
import sys
from collections.abc import Callable, Iterator
from functools import partial
from typing import BinaryIO


@contextlib.contextmanager
def standard_pipes() -> Iterator[tuple[BinaryIO, Callable[[bytes], None]]]:
    """Standard input for this block alone, and what writes all of some bytes to standard output.

    What is printed meanwhile, by this program or one that it starts, goes to standard error; what is read is empty.
    """
    sys.stdout.flush()
    kept = os.dup(0), os.dup(1)
    try:
        _point(0, os.open(os.devnull, os.O_RDONLY))
        try:
            _point(1, os.dup(2))
        except OSError:  # this program has no standard error
            _point(1, os.open(os.devnull, os.O_WRONLY))
        with os.fdopen(kept[0], "rb", closefd=False) as read:
            yield read, partial(_write, kept[1])
    finally:
        with contextlib.suppress(OSError):
            sys.stdout.flush()
        for number, wire in enumerate(kept):
            _point(number, wire)


def _write(number: int, data: bytes) -> None:
    while data:
        data = data[os.write(number, data) :]


def _point(number: int, to: int) -> None:
    """Make one descriptor the same as another, which is closed."""
    os.dup2(to, number)
    os.close(to)
