"""Writes results, and asks: files in one piece, never over others unasked; lines in which nothing steers a terminal."""

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vsalang.base.diagnostics.display import json_escaped, safe, unsteered
from vsalang.base.source.files import real_path
from vsalang.base.source.opening import open_regular
from vsalang.tools.cli.common import Failure, use_color

if TYPE_CHECKING:
    from vsalang.screen.secrets import Redactor


def redactor_in_force() -> "Redactor | None":
    """What replaces secrets in what this command prints; None: nothing does."""
    redactor: Redactor | None = getattr(
        sys.stderr, "redactor", None
    )  # of `vsac mcp` only this stream is for people
    return redactor


def redacted(text: str) -> str:
    """A text without its secrets, where this command replaces them; asked before a text is broken into lines."""
    redactor = redactor_in_force()
    return redactor.text(text) if redactor is not None else text


def echo_json(data: object, *, err: bool = False) -> None:
    """Print data as a line of JSON. Where this command replaces secrets, only texts change: names and numbers stay."""
    stream: Any = sys.stderr if err else sys.stdout
    redactor = getattr(stream, "redactor", None)
    if redactor is None:
        click.echo(json_text(data), err=err)
    else:
        click.echo(json_text(redactor.data(data)), file=stream.stream)


def print_json(data: object) -> None:
    """Print data as readable JSON, without secrets where this command replaces them."""
    stream: Any = sys.stdout
    redactor = getattr(stream, "redactor", None)
    if redactor is None:
        click.echo(json_text(data, indent=2))
    else:
        click.echo(json_text(redactor.data(data), indent=2), file=stream.stream)


def refuse_to_replace(output: str | None, force: bool) -> None:
    """Stop before any work if the output file exists.

    Raises:
        Failure: it does, and `force` is not given.
    """
    if output is not None and Path(output).exists() and not force:
        raise Failure(f"{output} exists already", "choose another name, or replace it with --force")


def refuse_to_lose(output: str | None, read: Iterable[str | Path]) -> None:
    """Stop before an output takes the place of a file that was read, or of any .vsa file.

    Raises:
        Failure: it would.
    """
    if output is None or not Path(output).exists():
        return
    place = Path(output)
    hint = "name another file for the output"
    if ".vsa" in (place.suffix.lower(), real_path(place).suffix.lower()):
        raise Failure(f"{output} is a .vsa file: no output is written over it", hint)
    for file in read:
        with suppress(OSError, ValueError):  # what is not there cannot be lost
            if place.samefile(file):
                raise Failure(f"{output} is read here: no output is written over it", hint)


def write_text(path: Path, text: str) -> None:
    """Write a file in one piece: a reader sees the old text or the whole new one. A device or a pipe stays one."""
    if path.exists() and not path.is_file():  # nothing may take the place of /dev/null
        path.write_text(text, encoding="utf-8")
        return
    umask = os.umask(0)
    os.umask(umask)
    _write(path, text.encode("utf-8"), 0o666 & ~umask, Path.replace)


def write_new(path: Path, text: str) -> None:
    """Write a file in one piece, if there is none of its name, even one that was made meanwhile.

    Raises:
        Failure: there is one.
    """
    umask = os.umask(0)
    os.umask(umask)
    _write(path, text.encode("utf-8"), 0o666 & ~umask, _link)


def replace_file(path: Path, data: bytes) -> None:
    """Write a file that exists in one piece, with the permissions it has; a link stays a link.

    Raises:
        PermissionError: it may not be written to.
    """
    path = path.resolve()
    if not os.access(path, os.W_OK):
        raise PermissionError(13, "permission denied", str(path))
    _write(path, data, path.stat().st_mode & 0o7777, Path.replace)


def append_text(path: Path, text: str) -> None:
    """Write an existing file again, with a text added after an empty line at its end."""
    with open_regular(path) as stream:
        before = stream.read().decode("utf-8")
    replace_file(path, f"{before.rstrip(chr(10))}\n\n{text}".encode())


def _write(path: Path, data: bytes, mode: int, put: Callable[[Path, Path], object]) -> None:
    """Write a temporary file, which `put` then gives its name."""
    import tempfile  # slow to import, and most commands write no file

    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:  # which names the temporary file, that nobody asked for
        error.filename = str(path)
        raise
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        temporary.chmod(mode)
        put(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def _link(temporary: Path, path: Path) -> None:
    """Give the finished file its name, if no file has it."""
    exists = Failure(f"{path} exists already", "choose another name, or replace it with --force")
    try:
        os.link(temporary, path)
    except FileExistsError as error:
        raise exists from error
    except OSError as error:  # a file system without links
        if os.path.lexists(path):
            raise exists from error
        temporary.replace(path)


def print_diff(file: str, before: str, after: str, what: str) -> None:
    """Print a unified diff; with colours, or on a terminal, nothing in it can steer the terminal.

    Args:
        what: what was done to the text after it: ``formatted``.
    """
    color = use_color(sys.stdout)
    for line in _diff(safe(file), before, after, what):
        if color:
            code = "1" if line.startswith(("---", "+++")) else _DIFF_COLORS.get(line[:1], "")
            text = safe(line.removesuffix("\r"))
            click.echo(f"\x1b[{code}m{text}\x1b[0m" if code else text, color=True)
        else:
            click.echo(safe(line) if sys.stdout.isatty() else line)


_DIFF_COLORS = {"@": "36", "-": "31", "+": "32"}


def _diff(file: str, before: str, after: str, what: str) -> Iterator[str]:
    """The lines of a unified diff, without their line breaks."""
    import difflib  # slow to import, and most commands print no diff

    for line in difflib.unified_diff(_lines(before), _lines(after), file, f"{file} ({what})", "", ""):
        yield line.removesuffix("\n")
        if not line.endswith("\n"):
            yield "\\ No newline at end of file"


def _lines(text: str) -> list[str]:
    """The lines with their breaks; unlike `str.splitlines`, only at line feeds."""
    return [line for line in text.replace("\n", "\n\0").split("\0") if line]


def echo(text: str = "", *, nl: bool = True, err: bool = False, color: bool | None = None) -> None:
    """Print lines for people: nothing in them can steer the terminal, except our own styles."""
    click.echo(unsteered(text), nl=nl, err=err, color=color)


def json_text(data: object, *, indent: int | None = None, default: Callable[[Any], Any] | None = None) -> str:
    """Data as readable JSON for a terminal: characters that must not be printed are written as ``\\uXXXX``."""
    return json_escaped(json.dumps(data, ensure_ascii=False, indent=indent, default=default))


def ask_if_meant(question: str) -> bool | None:
    """What the person at the terminal answers to a yes-no question; None if they cannot say.

    Raises:
        click.Abort: nobody is there, or they interrupt.
    """
    echo(question, err=True)
    answer = click.prompt("   y, n, or Enter if you cannot say", default="", show_default=False, err=True)
    word = str(answer).strip().lower()
    return word.startswith("y") if word in ("y", "yes", "n", "no") else None
