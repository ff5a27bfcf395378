"""Reports: results before they are printed, as lines for people and as data for programs."""

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from typing import Final

_COLORS: Final = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")


@dataclasses.dataclass(frozen=True, slots=True)
class Style:
    """How a report looks on this terminal.

    Attributes:
        color: whether there are colours.
    """

    color: bool = False

    def __call__(
        self, text: str, *, fg: str | None = None, bold: bool | None = None, dim: bool | None = None
    ) -> str:
        """A text in a colour (``red``, ``cyan``, ..), bold or dim; as it is where there are no colours.

        Raises:
            ValueError: there is no such colour.
        """
        if not self.color or not text:
            return text
        codes = [30 + _COLORS.index(fg)] if fg is not None else []
        for wanted, on, off in ((bold, 1, 22), (dim, 2, 22)):
            if wanted is not None:
                codes.append(on if wanted else off)
        return "".join(f"\x1b[{code}m" for code in codes) + text + "\x1b[0m"


class Report:
    """A result, before it is printed.

    Attributes:
        status: the exit status of the command that prints it: 0 all is well, 1 it found errors, 2 it could not work.
    """

    status: int = 0

    def data(self) -> object:
        """The result for programs, as JSON values."""
        raise NotImplementedError(f"{type(self).__name__} has no JSON")

    def lines(self, style: Style) -> Iterable[str]:
        """The result for people, line by line."""
        raise NotImplementedError(f"{type(self).__name__} has no text")

    def notes(self, style: Style) -> Iterable[str]:
        """What is said on standard error after the result, in every format."""
        return ()

    def document(self, format: str, style: Style) -> str:
        """The result in a format other than ``text`` and ``json``, with its last line break."""
        raise NotImplementedError(f"{type(self).__name__} has no {format}")


@dataclasses.dataclass(frozen=True, slots=True)
class Result(Report):
    """A report of functions, for results that need no class of their own.

    Attributes:
        values: the result for programs.
        text: the result for people.
        status: the exit status.
        remarks: what is said on standard error after it.
    """

    values: Callable[[], object]
    text: Callable[[Style], Iterable[str]]
    status: int = 0
    remarks: Sequence[str] = ()

    def data(self) -> object:
        """The result for programs."""
        return self.values()

    def lines(self, style: Style) -> Iterable[str]:
        """The result for people."""
        return self.text(style)

    def notes(self, style: Style) -> Iterable[str]:
        """What is said after it."""
        return self.remarks
