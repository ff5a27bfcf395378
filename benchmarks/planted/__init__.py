"""The planted set of risky and harmless traces: its parts are made of their scenes when they are needed."""

import gzip
import hashlib
import re
import zlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from benchmarks import kept
from benchmarks.planted.make import folders
from benchmarks.planted.make.folders import CATEGORIES, PARTS

HERE = Path(__file__).parent
DIGESTS = HERE / "digests.txt"
"""A line for each file of scenes: the digest of the traces that are made of it, and ``PART/CATEGORY``."""


@cache
def folder(part: str, where: Path | None = None) -> Path:
    """The traces of a part as folders of MobileRisk's format: those that were kept, or made now.

    Args:
        part: one of `PARTS`.
        where: the folder in which they are kept, if not the usual one; only this user may have access to it.

    Raises:
        DriftError: the scenes make other traces than `DIGESTS` says.
        SceneError: a scene is written wrong.
        OSError: they cannot be kept.
    """
    wanted = known_digests(part)

    def right(path: Path) -> bool:
        try:
            return path.is_dir() and digests(part, _read(path)) == wanted
        except (OSError, EOFError, zlib.error):  # a screen cannot be unpacked
            return False

    def make(path: Path) -> None:
        files = folders.build(part)
        made = digests(part, files)
        if differ := sorted(
            name for name in made.keys() | wanted.keys() if made.get(name) != wanted.get(name)
        ):
            raise kept.DriftError(
                f"{DIGESTS} has other digests of what is made of {', '.join(differ)}: the scenes (in "
                f"{HERE / 'make'}), or what makes screens of them, have changed. If that is meant: "
                "python -m benchmarks.planted.make"
            )
        folders.write(files, path)

    return kept.kept(where or kept.place("planted"), f"{part}-{_version(part, wanted)}", right, make)


def known_digests(part: str) -> dict[str, str]:
    """The digests of a part that the repository has, by ``PART/CATEGORY``; other lines are left out."""
    lines = re.findall(
        rf"^([0-9a-f]{{64}})  ({part}/\w+)$", DIGESTS.read_text(encoding="utf-8"), re.MULTILINE
    )
    return {name: digest for digest, name in lines}


def digests(part: str, files: Mapping[str, bytes]) -> dict[str, str]:
    """The digest of the traces of each category, by ``PART/CATEGORY``.

    Screens count as they are unpacked: versions of zlib pack them differently.
    """
    lines: dict[str, list[str]] = {}
    for name in sorted(files):
        category = name.partition("/")[0].partition("_")[2]
        lines.setdefault(f"{part}/{category}", []).append(
            f"{hashlib.sha256(files[name]).hexdigest()}  {name}\n"
        )
    return {name: hashlib.sha256("".join(each).encode()).hexdigest() for name, each in lines.items()}


def _read(place: Path) -> dict[str, bytes]:
    """The files of a folder with their names as `build` gives them, which gives no name that ends with ``.gz``."""
    found = {}
    for path in place.rglob("*"):
        if path.is_file():
            name, content = path.relative_to(place).as_posix(), path.read_bytes()
            if name.endswith(".xml.gz"):
                name, content = name.removesuffix(".gz"), gzip.decompress(content)
            elif name.endswith(".xml"):
                name += ", not packed"
            found[name] = content
    return found


def _version(part: str, wanted: Mapping[str, str]) -> str:
    """Changes with scenes, too, so that a change which has no digest yet is seen."""
    state = hashlib.sha256(repr(sorted(wanted.items())).encode())
    for path in (*sorted(folders.HERE.glob("*.*")), *sorted((folders.HERE / part).glob("*.txt"))):
        state.update(hashlib.sha256(path.read_bytes()).digest())
    return state.hexdigest()[:12]


__all__ = ["CATEGORIES", "DIGESTS", "PARTS", "digests", "folder", "known_digests"]
