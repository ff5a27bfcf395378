"""Files that are made from others and not kept in the repository: pages of codes and policies, the grammar as a table.

A build makes them (`hatch_build.py`): in a wheel they stand among what ships, and an editable install has them in its
environment, below `site-packages`. The repository keeps one digest for each kind; files with another digest are never
used. `python -m scripts.generate` writes the files and the digests again.
"""

import hashlib
import os
import stat
from collections.abc import Mapping
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Final

from vsalang.base.resources import resource_dir
from vsalang.base.source.opening import read_regular

KINDS: Final = {
    "docs": ("reference/*/[ELVW][0-9][0-9][0-9][0-9].md", "reference/stdlib/policies/[a-z]*.md"),
    "grammars": ("vsa.json",),
}
"""The directory that ships -> patterns of those of its files that are generated."""
DIGESTS: Final = "generated.sha256"
"""The file of the digests, in `grammars`: a line ``DIGEST  KIND`` for each kind."""
FOLDER: Final = "vsalang_generated"
"""The folder of an environment that holds generated files."""

_LARGEST: Final = 1_000_000
_PACKAGE: Final = Path(__file__).resolve().parents[1]


def digest(files: Mapping[str, bytes]) -> str:
    """The SHA-256 of files: their names, relative to the directory that ships, and their bytes."""
    made = hashlib.sha256()
    for name, data in sorted(files.items()):
        made.update(f"{name} {len(data)}\n".encode() + data)
    return made.hexdigest()


def digests() -> dict[str, str]:
    """The digests that the repository keeps: kind -> digest.

    Raises:
        OSError: their file cannot be read.
    """
    text = read_regular(resource_dir("grammars") / DIGESTS, _LARGEST).decode(errors="replace")
    return {kind: digest for digest, _, kind in (line.partition("  ") for line in text.splitlines())}


def environments() -> list[Path]:
    """The folders of this environment in which generated files may lie; `scripts.generate` writes to the first."""
    import site  # Python has imported it already

    folders = site.getsitepackages()
    if site.ENABLE_USER_SITE:
        folders.append(site.getusersitepackages())
    return [Path(folder) / FOLDER for folder in folders]


def find(kind: str) -> tuple[Path, Mapping[str, bytes]] | None:
    """The folder that holds all generated files of a kind, and their bytes; None if they were not built.

    Args:
        kind: one of `KINDS`.

    Files whose digest is not the repository's are not found, nor is what others can write to.
    """
    wanted = digests().get(kind, "")
    places = [(resource_dir(kind), True)]
    places += [(folder / kind / wanted, False) for folder in environments()]
    for place, ships in places:
        try:
            if ships or _is_closed(place):
                files = _read(place, kind)
                if files and digest(files) == wanted:
                    return place, files
        except OSError:  # not there, or not to be read
            continue
    return None


def page(name: str) -> Path:
    """A page of the documentation in this installation.

    Args:
        name: its path in `docs`.

    Instead of a generated page that was not built, it is the index that lists it.
    """
    here = resource_dir("docs") / name
    if not any(PurePosixPath(name).match(pattern) for pattern in KINDS["docs"]):
        return here
    folder = _pages()
    if folder is not None and (folder / name).is_file():
        return folder / name
    index = here.with_name("index.md")
    return index if index.is_file() else here.with_name("README.md")


@cache
def _pages() -> Path | None:
    pages = find("docs")
    return pages[0] if pages is not None else None


def _read(place: Path, kind: str) -> dict[str, bytes]:
    paths = (path for pattern in KINDS[kind] for path in place.glob(pattern))
    return {path.relative_to(place).as_posix(): read_regular(path, _LARGEST) for path in paths}


def _is_closed(place: Path) -> bool:
    """Whether only the user, root, and who can write to this package too can write to a folder and to what it holds.

    Raises:
        OSError: it is not there.
    """
    if not hasattr(os, "geteuid"):
        return True  # Windows: the digest decides
    own = _PACKAGE.stat()
    owners = {0, os.geteuid(), own.st_uid}
    for path in (place.parent.parent, place.parent, place, *place.rglob("*")):
        state = path.lstat()
        group = 0 if own.st_mode & stat.S_IWGRP and own.st_gid == state.st_gid else stat.S_IWGRP
        open_to_others = state.st_mode & (group | stat.S_IWOTH)
        if stat.S_ISLNK(state.st_mode) or open_to_others or state.st_uid not in owners:
            return False
    return True
