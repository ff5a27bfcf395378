"""The files of walks: read whole, bounded, plain or packed by gzip."""

import contextlib
import gzip
import json
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, Final

from vsalang.agents.walks.recorded_walk import WalkError
from vsalang.base.source.opening import open_regular

MAX_BYTES: Final = 64 * 1024 * 1024
"""A file that is larger, unpacked, is refused."""
MAX_FILES: Final = 100_000
"""A folder with more files is refused."""


@contextlib.contextmanager
def open_walk(path: Path) -> Iterator[BinaryIO | gzip.GzipFile]:
    """A file of a walk, unpacked if it is packed.

    Raises:
        OSError: it cannot be read, or is not a regular file.
    """
    with open_regular(path) as file:
        packed = file.read(2) == b"\x1f\x8b"
        file.seek(0)
        if not packed:
            yield file
            return
        with gzip.GzipFile(fileobj=file) as unpacked:
            yield unpacked


def read_bytes(path: Path, most: int) -> bytes:
    """What is in a file, unpacked if it is packed.

    Raises:
        WalkError: it cannot be read, is broken, or larger than that.
    """
    try:
        with open_walk(path) as file:
            data = file.read(most + 1)
    except (OSError, EOFError, ValueError, zlib.error) as error:
        raise WalkError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from error
    if len(data) > most:
        raise WalkError(f"{path} is larger than {most // 1024 // 1024} MiB")
    return data


def read_text(path: Path) -> str:
    """The text of a file.

    Raises:
        WalkError: it cannot be read, is too large, or is not UTF-8.
    """
    try:
        return read_bytes(path, MAX_BYTES).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise WalkError(f"cannot read {path}: it is not UTF-8") from error


def read_json(text: str, place: str) -> Any:
    """JSON data.

    Raises:
        WalkError: it is none.
    """
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise WalkError(f"{place}: not JSON: {error}") from error


def json_lines(path: Path) -> Iterator[tuple[str, Any]]:
    """The JSON objects of a file, one a line, each with its place.

    Raises:
        WalkError: a line is none.
    """
    for number, line in enumerate(read_text(path).split("\n"), 1):
        if line.strip():
            place = f"{path}, line {number}"
            yield place, read_json(line, place)


def numbered(folder: Path, kind: str) -> dict[int, Path]:
    """The files ``KIND/N.KIND`` or ``KIND_N.KIND`` of a folder by their numbers, packed or not; none if there are none.

    Raises:
        WalkError: there are too many.
    """
    files: dict[int, Path] = {}
    pattern = re.compile(rf"(?:{kind}_)?(\d{{1,6}})\.{kind}(?:\.gz)?", re.ASCII)
    places = [folder / kind] if (folder / kind).is_dir() else [folder]
    for place in places:
        for number, path in enumerate(sorted(place.iterdir())):
            if number >= MAX_FILES:
                raise WalkError(f"{place} holds more than {MAX_FILES} files")
            named = pattern.fullmatch(path.name)
            if named is not None and (place != folder or path.name.startswith(f"{kind}_")):
                files[int(named[1])] = path
    return files


def inside(folder: Path, name: str, what: str) -> Path:
    """A file in the folder of a walk: a walk of others makes us read nothing else.

    Args:
        what: the file is, for the message.

    Raises:
        WalkError: it lies elsewhere, or no file can be called so.
    """
    try:
        path, here = (folder / name).resolve(), folder.resolve()
    except (OSError, ValueError, RuntimeError) as error:
        raise WalkError(f"{name[:200]!r} is the name of no file") from error
    if not path.is_relative_to(here):
        raise WalkError(f"{what} {name[:200]!r} lies outside the folder of the walk")
    return path
