"""Writing result files: in one piece, and never over another file unasked."""

import os
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from vsalang.cli.common import Failure
from vsalang.source.files import real_path


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
