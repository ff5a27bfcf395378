"""Shows the progress of a long run in a line on standard error, if that is a terminal."""

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Final, TypeVar

import click

from vsalang.base.diagnostics.display import safe

T = TypeVar("T")
PATIENCE: Final = 1.0
"""Shorter runs, in seconds, show no progress."""
_WIDTH: Final = 24
_ERASE: Final = "\r\x1b[2K"


class Progress:
    """Counts what is done. Nothing is printed unless standard error is a terminal and the run takes a while.

    Args:
        total: how much there is to do.
        what: the unit, in the plural.
    """

    def __init__(self, total: int, what: str) -> None:
        self.total = total
        self.what = what
        self.done = 0
        self._begun = time.monotonic()
        self._is_shown = False
        stream = sys.stderr
        self._wanted = total > 1 and stream is not None and stream.isatty()

    def over(self, items: Iterable[T]) -> Iterator[T]:
        """The items, each counted when the next one is asked for. The line is gone at the end."""
        try:
            for item in items:
                yield item
                self.step()
        finally:
            self.clear()

    def step(self, number: int = 1) -> None:
        """Count one more item, or several."""
        self.done += number
        if self._wanted and self.done < self.total and time.monotonic() - self._begun >= PATIENCE:
            full = _WIDTH * self.done // self.total
            bar = "█" * full + "░" * (_WIDTH - full)
            self._write(f"{_ERASE}{bar} {self.done}/{self.total} {self.what}")
            self._is_shown = True

    def clear(self) -> None:
        """Erase the line, before something else is printed."""
        if self._is_shown:
            self._write(_ERASE)
            self._is_shown = False

    @staticmethod
    def _write(text: str) -> None:
        click.echo(text, nl=False, err=True, color=True)


def teller() -> Callable[[str], None]:
    """Shows a text on standard error in place of the one before, if a person watches; an empty one leaves nothing."""
    is_terminal = sys.stderr.isatty()

    def tell(text: str) -> None:
        if is_terminal:
            click.echo(f"{_ERASE}{safe(text[:100])}", nl=False, err=True, color=True)

    return tell


@contextmanager
def telling() -> Iterator[Callable[[str], None]]:
    """Shows on standard error what is being done, if a person watches; leaves nothing behind."""
    tell = teller()
    try:
        yield tell
    finally:
        tell("")
