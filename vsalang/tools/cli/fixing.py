"""``--fix`` and ``--diff`` of commands that report findings: applies the fixes that need no choice, or shows them."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from vsalang.base.source.opening import open_regular
from vsalang.tools.cli.common import Failure
from vsalang.tools.cli.output import print_diff, replace_file

if TYPE_CHECKING:
    from vsalang.base.diagnostics import Diagnostic
    from vsalang.base.diagnostics.fixes import Fixed
    from vsalang.base.source import Source
    from vsalang.language.semantics import Loaded

_MARK = b"\xef\xbb\xbf"
"""The byte-order mark that a file may begin with; it is kept."""


def loader(file: str, policies: Iterable[str] = ()) -> "Callable[[str | None], Loaded]":
    """A function that loads a file of the command line, or a text in its place."""
    from vsalang.base.config import config_for
    from vsalang.base.source.files import real_path
    from vsalang.language.semantics import load, load_text
    from vsalang.tools.cli.common import read

    if file == "-":
        place = Path.cwd() / "<stdin>"
        search = config_for(place).search
        given = read("-").text
        return lambda text: load_text(
            given if text is None else text, file="<stdin>", path=place, search=search, from_cache=True
        )
    search = config_for(file).search
    path = real_path(file)
    return lambda text: load(
        file,
        policies=policies,
        search=search,
        overlay={} if text is None else {path: text},
        from_cache=True,
    )


def refuse_stdin(files: Sequence[str], fix: bool) -> None:
    """Refuse to fix standard input, which cannot be written to."""
    if fix and "-" in files:
        raise click.UsageError("--fix cannot write to standard input: leave it out, or use --diff")


def fix_file(
    source: "Source", check: Callable[[str], "Sequence[Diagnostic]"], *, write: bool, show: bool = True
) -> "Fixed":
    """Apply the fixes that need no choice, and write the file, or print what would change.

    Args:
        source: the file as it is.
        check: the findings in a text that replaces the file's.
        write: whether to write it.
        show: whether the difference is printed if it is not written.

    Returns:
        the text, and the findings that were fixed in it.
    """
    from vsalang.base.diagnostics.fixes import Fixed, apply_fixes

    fixed = apply_fixes(source.text, source.file, check)
    if fixed.text == source.text:
        return Fixed(source.text)
    if not write:
        if show:
            print_diff(source.file, source.text, fixed.text, "fixed")
    elif source.path is not None:
        try:
            with open_regular(source.path) as stream:
                mark = _MARK if stream.read(len(_MARK)) == _MARK else b""
            replace_file(source.path, mark + fixed.text.encode("utf-8"))
        except OSError as error:
            raise Failure(f"cannot write {source.file}: {(error.strerror or str(error)).lower()}") from None
    return fixed


def fix_summary(count: int, left: int = 0) -> str:
    """A sentence on how many findings were fixed, and how many of the others offer a change; empty if none."""
    fixed = f"fixed {count} finding{'s' if count != 1 else ''}" if count or left else ""
    if not left:
        return fixed
    what = "finding offers a change that needs" if left == 1 else "findings offer changes that need"
    return f"{fixed}; {left} more {what} a choice or would not be enough alone: see `help:` above"
