"""What commands about UI dumps share: a dump is read or a message says why not, and tables that fit the terminal."""

import os
import shutil
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import click

from vsalang.base.diagnostics.display import columns, safe
from vsalang.base.report import Report, Result, Style
from vsalang.screen.quoting import quoted
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import MAX_BYTES, DumpError, load_tree, read_tree, unpack
from vsalang.tools.cli.common import EXIT_FAILED, EXIT_FINDINGS, EXIT_OK, use_color

_NARROWEST: Final = 8


def load_screen(path: str) -> tuple[TreeScreen | None, int]:
    """The screen of a dump (None after an error, which was shown), and the exit status."""
    try:
        if path == "-":
            data = sys.stdin.buffer.read(MAX_BYTES + 1)
            return TreeScreen(load_tree(unpack(data, name="<stdin>"), name="<stdin>")), EXIT_OK
        return TreeScreen(read_tree(path)), EXIT_OK
    except DumpError as error:
        complain("error", str(error))
        return None, EXIT_FINDINGS
    except (OSError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        complain("error", f"cannot read {os.fsdecode(path)}: {reason.lower()}")
        return None, EXIT_FAILED


class Part(NamedTuple):
    """What a command shows of one dump.

    Attributes:
        data: for programs, next to the file's name.
        lines: for people.
    """

    data: Mapping[str, Any]
    lines: Callable[[Style], Iterable[str]]


def each_dump(
    paths: Sequence[str], part: Callable[[TreeScreen], Part], refusals: tuple[type[Exception], ...] = ()
) -> Report:
    """A report of several dumps; those that cannot be read are told on standard error.

    Args:
        paths: the dumps, or ``-``.
        part: what is shown of one.
        refusals: what it raises where a dump does not hold what is asked for.
    """
    status, parts = EXIT_OK, []
    for path in paths:
        screen, failed = load_screen(path)
        status = max(status, failed)
        if screen is None:
            continue
        name = screen.tree.name
        for note in screen.tree.notes:
            complain("note", f"{name}: {note}")
        try:
            parts.append((name, part(screen)))
        except refusals as error:
            status = max(status, EXIT_FINDINGS)
            message = str(error)
            complain("error", message if message.startswith(name) else f"{name}: {message}")

    def text(style: Style) -> Iterator[str]:
        for number, (name, one) in enumerate(parts):
            if len(paths) > 1:
                yield ("\n" if number else "") + style(f"== {quoted(name)}", bold=True)
            yield from one.lines(style)

    return Result(lambda: [{"file": name, **one.data} for name, one in parts], text, status)


def complain(kind: str, message: str) -> None:
    """Write an error or a note to standard error."""
    if use_color(sys.stderr):
        kind = click.style(kind, fg="red" if kind == "error" else "cyan", bold=True)
    click.echo(f"{kind}: {safe(message)}", err=True, color=True)


def table(
    names: Sequence[str], rows: Sequence[Mapping[str, str]], *, cut: Collection[str], right: Collection[str]
) -> str:
    """Aligned columns under a heading.

    Args:
        cut: the columns that are narrowed on a terminal until a line fits.
        right: the columns of numbers.
    """
    if not rows:
        return "no rows\n"
    widths = {name: max(len(name), *(columns(row.get(name, "")) for row in rows)) for name in names}
    if sys.stdout.isatty():
        _fit(widths, shutil.get_terminal_size().columns, cut)
    lines = [
        styled("  ".join(_padded(name, widths[name], name in right) for name in names).rstrip(), bold=True)
    ]
    for row in rows:
        cells = (
            _padded(_cut(row.get(name, ""), widths[name]), widths[name], name in right) for name in names
        )
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines) + "\n"


def _fit(widths: dict[str, int], columns: int, cut: Collection[str]) -> None:
    """Make the widest text columns narrower until the line fits or no column can be narrower."""
    over = sum(widths.values()) + 2 * (len(widths) - 1) - columns
    elastic = [name for name in widths if name in cut]
    while over > 0 and elastic:
        widest = max(elastic, key=lambda name: widths[name])
        if widths[widest] <= _NARROWEST:
            return
        second = max((widths[name] for name in elastic if name != widest), default=_NARROWEST)
        give = min(over, max(1, widths[widest] - max(second, _NARROWEST)))
        widths[widest] -= give
        over -= give


def _cut(text: str, width: int) -> str:
    if columns(text) <= width:
        return text
    kept: list[str] = []
    room = width - 1
    for char in text:
        room -= columns(char)
        if room < 0:
            break
        kept.append(char)
    return "".join(kept) + "…"


def _padded(text: str, width: int, right: bool) -> str:
    blanks = " " * (width - columns(text))
    return blanks + text if right else text + blanks


def styled(text: str, *, bold: bool = False, dim: bool = False, fg: str | None = None) -> str:
    """The text bold, dim or coloured, where colours are wanted."""
    return click.style(text, fg=fg, bold=bold or None, dim=dim or None) if use_color() else text
