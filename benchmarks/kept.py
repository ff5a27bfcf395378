"""What benchmarks make once and keep: each thing is checked before it is used, and made again if it is not right.

It lies in the virtual environment of this checkout, else in the user's cache folder; in either case in a folder that
only this user can write.
"""

import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from vsalang.base.source.locking import lock_file
from vsalang.base.source.private import home_folder, own_folder

ROOT = Path(__file__).resolve().parents[1]
VERSIONS = 3
"""So many versions of a thing are kept; if there are more, the oldest are deleted."""


class DriftError(Exception):
    """What was made is not what its digest in the repository says; the message says how to go on."""


def place(name: str) -> Path:
    """The folder in which things of this kind are kept.

    Raises:
        OSError: the user has no home.
    """
    prefix = Path(sys.prefix).resolve()
    if prefix.is_relative_to(ROOT):
        return prefix / "var" / "vsalang" / name
    cache = home_folder("XDG_CACHE_HOME", ".cache")
    if cache is None:
        raise OSError("benchmarks keep nothing: the user has no home, and XDG_CACHE_HOME names no folder")
    return cache / "vsalang" / name


def kept(folder: Path, name: str, right: Callable[[Path], bool], make: Callable[[Path], None]) -> Path:
    """The file or folder of this name: as it lies there if it is right, else made by one process, the others wait.

    Args:
        folder: where it is kept.
        name: ``THING-VERSION``.
        right: whether what lies at a path may be used; nothing may lie there.
        make: makes it at a path. What it raises is passed on, and nothing is kept.

    Raises:
        OSError: the folder cannot be used, or others can use it, too.
    """
    own_folder(folder)
    path = folder / name
    if right(path):
        return path
    with _alone(folder):
        if not right(path):  # else another process made it meanwhile
            for left in folder.glob("new.*"):  # by a process that was killed
                shutil.rmtree(left)
            with tempfile.TemporaryDirectory(prefix="new.", dir=folder) as work:
                made = Path(work, "made")
                make(made)
                if path.exists():
                    path.rename(Path(work, "wrong"))
                made.rename(path)
            _tidy(path)
    return path


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Wait until no other process makes anything in the folder."""
    number = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
    with os.fdopen(number, "rb"):
        told = False
        while True:
            try:
                lock_file(number)
                break
            except (BlockingIOError, PermissionError):  # the latter on Windows
                if not told:
                    print(
                        f"another process makes what is missing in {folder}: waiting",
                        file=sys.stderr,
                        flush=True,
                    )
                told = True
                time.sleep(0.1)
        yield


def _tidy(path: Path) -> None:
    thing = path.name.rpartition("-")[0]
    others = [other for other in path.parent.glob(f"{thing}-*") if other != path]
    for old in sorted(others, key=lambda other: other.stat().st_mtime)[: -VERSIONS + 1]:
        if old.is_dir():
            shutil.rmtree(old)
        else:
            old.unlink()
