"""The fresh judging set, written before the rules over effects by somebody who had not read them: it is closed."""

import gzip
import hashlib
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from benchmarks import kept
from benchmarks.fresh.make.charters import text_of
from benchmarks.fresh.make.source import Item, WalkText, read
from benchmarks.fresh.make.traces import build, folder_of
from benchmarks.planted.make import folders

HERE = Path(__file__).parent
ITEMS = HERE / "items"
DIGESTS = HERE / "digests.txt"
"""A line for each file of `items`: the digest of what is made of it, and its name."""

__all__ = [
    "DIGESTS",
    "Item",
    "WalkText",
    "digests",
    "files",
    "folder",
    "folder_of",
    "is_open",
    "items",
    "known_digests",
]


@cache
def _contents() -> tuple[tuple[Item, ...], tuple[WalkText, ...]]:
    found, walks = read(sorted(ITEMS.glob("*.txt")))
    return tuple(found), tuple(walks)


def items() -> tuple[Item, ...]:
    """All items. Raises `SceneError`."""
    return _contents()[0]


def is_open(item: Item) -> bool:
    """Whether an item is of the half that was read on 2026-11-29, after the last run of the whole set.

    Drawn by lot: the last bit of the first byte of a digest of the name, without what tells wordings and twins apart.
    """
    name = item.name[:5] if item.name.startswith("h") else re.match(r"[a-z]\d+", item.name)[0]  # type: ignore[index]
    return not hashlib.sha256(name.encode()).digest()[0] & 1


@cache
def files() -> dict[str, bytes]:
    """The walks as files by their names, unpacked, and the charters as `charters/NAME.vsa`. Raises `SceneError`."""
    found, walks = _contents()
    charters = {f"charters/{item.name}.vsa": text_of(item).encode() for item in found}
    return build(list(walks)) | charters


def digests() -> dict[str, str]:
    """The digest of what is made of each file of `items`, by its name.

    Walks count, instructions and labels, and charters as they are written in the source: how a charter is printed
    depends on the language. Raises `SceneError`.
    """
    found, walks = _contents()
    made = files()
    states = {path.name: hashlib.sha256(path.read_bytes()) for path in sorted(ITEMS.glob("*.txt"))}
    by_folder: dict[str, list[str]] = {}
    for name in sorted(made):
        by_folder.setdefault("/".join(name.split("/")[:2]), []).append(name)
    source = {walk.name: walk.place.partition(":")[0] for walk in walks}
    for walk in walks:
        for name in by_folder[folder_of(walk)]:
            states[source[walk.name]].update(name.encode() + hashlib.sha256(made[name]).digest())
    for item in found:
        states[source[item.walk]].update(repr(item).encode())
    return {name: state.hexdigest() for name, state in states.items()}


def known_digests() -> dict[str, str]:
    """The digests that the repository has."""
    lines = (line.split("  ") for line in DIGESTS.read_text(encoding="utf-8").splitlines())
    return {name: digest for digest, name in lines}


def folder(where: Path | None = None) -> Path:
    """The folder with the walks and the charters: the one that was kept, or made now.

    Raises:
        DriftError: something else is made than `DIGESTS` says.
        SceneError: a source is written wrong.
        OSError: it cannot be kept.
    """
    made = digests()
    if made != known_digests():
        raise kept.DriftError(
            f"{DIGESTS} has other digests. This set is closed: nobody changes it once it was measured"
        )
    wanted = files()

    def right(path: Path) -> bool:
        return path.is_dir() and dict(_read(path)) == wanted

    state = hashlib.sha256("".join(f"{name}{digest}" for name, digest in sorted(made.items())).encode())
    state.update("".join(text for name, text in _charters(wanted)).encode())
    return kept.kept(
        where or kept.place("fresh"),
        f"fresh-{state.hexdigest()[:12]}",
        right,
        lambda path: folders.write(wanted, path),
    )


def _charters(made: dict[str, bytes]) -> Iterator[tuple[str, str]]:
    for name, content in made.items():
        if name.startswith("charters/"):
            yield name, content.decode()


def _read(place: Path) -> Iterator[tuple[str, bytes]]:
    for path in place.rglob("*"):
        if path.is_file():
            name, content = path.relative_to(place).as_posix(), path.read_bytes()
            packed = name.endswith(".xml.gz")
            yield (name.removesuffix(".gz"), gzip.decompress(content)) if packed else (name, content)
