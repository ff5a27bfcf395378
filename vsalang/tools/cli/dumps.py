"""What commands about UI dumps share: a dump is read or a message says why not, and tables that fit the terminal."""

import os
import shutil
import sys
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Final

import click

from vsalang.base.diagnostics.display import columns
from vsalang.tools.cli.common import EXIT_FAILED, EXIT_FINDINGS, EXIT_OK, use_color

if TYPE_CHECKING:
    from vsalang.screen.screen import TreeScreen

_NARROWEST: Final = 8
_WIDEST_CUT: Final = 4000
_SHORT: Final = 60
"""So many characters of a label are shown, as in certificates."""


def load_screen(path: str) -> "tuple[TreeScreen | None, int]":
    """The screen of a dump (None after an error, which was shown), and the exit status."""
    from vsalang.screen.screen import TreeScreen
    from vsalang.screen.tree import MAX_BYTES, DumpError, load_tree, read_tree, unpack

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


def complain(kind: str, message: str) -> None:
    """Write an error or a note to standard error."""
    from vsalang.base.diagnostics.display import safe

    if use_color(sys.stderr):
        kind = click.style(kind, fg="red" if kind == "error" else "cyan", bold=True)
    click.echo(f"{kind}: {safe(message)}", err=True, color=True)


def quoted(text: str) -> str:
    """Untrusted text in quotes, as it may be shown."""
    from vsalang.program.text import safe

    return safe(text, _WIDEST_CUT)


def short(text: str) -> str:
    """Words of a screen in quotes, cut: a page of text is one label to a reader of lines."""
    from vsalang.program.text import safe

    return safe(text, _SHORT)


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
