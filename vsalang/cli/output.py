"""Writing result files: in one piece, and never over another file unasked."""

import os
import tempfile
from pathlib import Path

from vsalang.cli.common import Failure


def refuse_to_replace(output: str | None, force: bool) -> None:
    """Stop before any work if the output file exists.

    Raises:
        Failure: it does, and `force` is not given.
    """
    if output is not None and Path(output).exists() and not force:
        raise Failure(f"{output} exists already", "choose another name, or replace it with --force")


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
