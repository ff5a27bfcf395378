"""``--fix`` and ``--diff`` of commands that find something: write what is certain, or show it."""

import difflib
import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from vsalang.cli.common import Failure, use_color
from vsalang.source.opening import open_regular

if TYPE_CHECKING:
    from vsalang.diagnostics import Diagnostic
    from vsalang.diagnostics.fixes import Mended
    from vsalang.semantics import Loaded
    from vsalang.source import Source


def loader(file: str, policies: Iterable[str] = ()) -> "Callable[[str | None], Loaded]":
    """A function that loads a file named on the command line, or a text that stands in its place."""
    from vsalang.cli.common import read
    from vsalang.config import config_for
    from vsalang.semantics import load, load_text
    from vsalang.source.files import real_path

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
    """Standard input cannot be written to: a usage error says so."""
    if fix and "-" in files:
        raise click.UsageError("--fix cannot write to standard input: leave it out, or use --diff")


def mend_file(
    source: "Source", check: Callable[[str], "Sequence[Diagnostic]"], *, write: bool, show: bool = True
) -> "Mended":
    """Apply the fixes that need no choice, and write the file, or print what would change.

    Args:
        source: the file as it is.
        check: what is found in a text that stands in its place.
        write: whether to write it.
        show: whether the difference is printed if it is not written.

    Returns:
        the text, and the findings that were mended in it.
    """
    from vsalang.diagnostics.fixes import Mended, mend

    mended = mend(source.text, source.file, check)
    if mended.text == source.text:
        return Mended(source.text)
    if not write:
        if show:
            print_diff(source.file, source.text, mended.text)
    elif source.path is not None:
        try:
            replace_file(source.path, mended.text)
        except OSError as error:
            raise Failure(f"cannot write {source.file}: {(error.strerror or str(error)).lower()}") from None
    return mended


def told(count: int, left: int = 0) -> str:
    """How many findings were mended, and how many were left that offer a change, as a sentence; empty for none."""
    mended = f"mended {count} finding{'s' if count != 1 else ''}" if count or left else ""
    if not left:
        return mended
    what = "finding offers a change that needs" if left == 1 else "findings offer changes that need"
    return f"{mended}; {left} more {what} a choice or would not mend it alone: see `help:` above"


def replace_file(path: Path, text: str) -> None:
    """Write a file in one piece, with the permissions and the byte-order mark it has."""
    path = path.resolve()  # a link stays a link
    if not os.access(path, os.W_OK):
        raise PermissionError(13, "permission denied", str(path))
    mark = b"\xef\xbb\xbf"
    with open_regular(path) as stream:
        marked = stream.read(len(mark)) == mark
    mode = path.stat().st_mode & 0o7777
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write((mark if marked else b"") + text.encode("utf-8"))
        Path(temporary).chmod(mode)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def print_diff(file: str, before: str, after: str) -> None:
    """A unified diff on standard output, in which nothing can steer a terminal."""
    from vsalang.diagnostics.display import safe

    colors = {"@": "36", "-": "31", "+": "32"}
    lines = difflib.unified_diff(
        before.splitlines(), after.splitlines(), safe(file), f"{safe(file)} (mended)", lineterm=""
    )
    for line in lines:
        code = "1" if line.startswith(("---", "+++")) else colors.get(line[:1], "")
        if code and use_color(sys.stdout):
            click.echo(f"\x1b[{code}m{safe(line)}\x1b[0m", color=True)
        else:
            click.echo(safe(line) if sys.stdout.isatty() else line)
