"""Writing results: files in one piece, and never over another file unasked; lines that do not steer the terminal."""

import json
import os
import tempfile
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from vsalang.cli.common import Failure
from vsalang.diagnostics.display import unsteered
from vsalang.source.files import real_path
from vsalang.source.printable import must_escape


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
    """Write a file in one piece: whoever looks sees the old one or the whole new one."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
        umask = os.umask(0)
        os.umask(umask)
        Path(temporary).chmod(0o666 & ~umask)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def echo(text: str = "", *, nl: bool = True, err: bool = False, color: bool | None = None) -> None:
    """Print lines for people: whatever they hold, nothing in them steers the terminal but our own styles."""
    click.echo(unsteered(text), nl=nl, err=err, color=color)


def json_text(data: object, *, indent: int | None = None, default: Callable[[Any], Any] | None = None) -> str:
    """Data as JSON that may be shown on a terminal: readable, and what must not be printed as it is, as ``\\uXXXX``."""
    text = json.dumps(data, ensure_ascii=False, indent=indent, default=default)
    if text.isascii():
        return text.replace("\x7f", "\\u007f")
    # outside of strings JSON has only ASCII, and there only line breaks are not printable
    return "".join(json.dumps(char)[1:-1] if char != "\n" and must_escape(char) else char for char in text)
