"""The fresh judging sets, written by people who had not read the rules that they measure: they are closed."""

import gzip
import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from benchmarks import kept
from benchmarks.fresh.make.charters import text_of
from benchmarks.fresh.make.source import Charter, Item, WalkText, read
from benchmarks.fresh.make.traces import build, folder_of
from benchmarks.planted.make import folders
from benchmarks.planted.make.scenes import SceneError

HERE = Path(__file__).parent
FROZEN = "digests.txt"
"""A line for each file of a set: the digest of what is made of it, and its name."""


@dataclass(frozen=True, slots=True)
class JudgingSet:
    """A set of items.

    Attributes:
        name: of the set.
        sources: the folder of its files; recorded answers of a model that wrote its charters lie there, too.
        digests: the file of its digests.
    """

    name: str
    sources: Path
    digests: Path

    @property
    def files(self) -> tuple[Path, ...]:
        """The files with its items."""
        return tuple(path for path in sorted(self.sources.glob("*.txt")) if path.name != FROZEN)


FIRST = JudgingSet("first", HERE / "items", HERE / FROZEN)
LATER = (
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
    "thirteenth",
    "fourteenth",
)
"""The sets that were written later, in this order; each has a folder of its name."""
SETS = (FIRST, *(JudgingSet(name, HERE / name, HERE / name / FROZEN) for name in LATER))
NAMES = ", ".join(each.name for each in SETS)

__all__ = [
    "FIRST",
    "LATER",
    "NAMES",
    "SETS",
    "Item",
    "JudgingSet",
    "WalkText",
    "digests",
    "files",
    "folder",
    "folder_of",
    "has_charters",
    "is_open",
    "items",
    "known_digests",
    "set_of",
]


def set_of(name: str) -> JudgingSet:
    """The set with a name; other names are those of folders, each with the files and digests of a set."""
    known = {each.name: each for each in SETS}
    return known.get(name) or JudgingSet(name, Path(name), Path(name) / FROZEN)


@cache
def _contents(which: JudgingSet) -> tuple[tuple[Item, ...], tuple[WalkText, ...]]:
    if not which.files:
        raise SceneError(f"{which.sources} has no file of items; the sets are {NAMES}")
    found, walks = read(which.files)
    return tuple(found), tuple(walks)


def items(which: JudgingSet = FIRST) -> tuple[Item, ...]:
    """All items. Raises `SceneError`."""
    return _contents(which)[0]


def has_charters(which: JudgingSet = FIRST) -> bool:
    """Whether the author of a set wrote charters, too. Raises `SceneError`."""
    return any(item.charter != Charter() for item in items(which))


def is_open(item: Item) -> bool:
    """Whether an item is of the half of its set that was read after a run of the whole set.

    Drawn by lot: the last bit of the first byte of a digest of the name, without what tells wordings and twins apart.
    """
    name = item.name[:5] if item.name.startswith("h") else re.match(r"[a-z]\d+", item.name)[0]  # type: ignore[index]
    return not hashlib.sha256(name.encode()).digest()[0] & 1


@cache
def files(which: JudgingSet = FIRST) -> dict[str, bytes]:
    """The walks as files by their names, unpacked, and an author's charters as `charters/NAME.vsa`.

    Raises:
        SceneError: a source is written wrong.
    """
    found, walks = _contents(which)
    charters = {f"charters/{item.name}.vsa": text_of(item).encode() for item in found}
    return build(list(walks)) | (charters if has_charters(which) else {})


def digests(which: JudgingSet = FIRST) -> dict[str, str]:
    """The digest of what is made of each file of a set, by its name.

    Walks count, instructions and labels, and charters as they are written in the source: how a charter is printed
    depends on the language. Raises `SceneError`.
    """
    found, walks = _contents(which)
    made = files(which)
    states = {path.name: hashlib.sha256(path.read_bytes()) for path in which.files}
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


def known_digests(which: JudgingSet = FIRST) -> dict[str, str]:
    """The digests that the repository has."""
    lines = (line.split("  ") for line in which.digests.read_text(encoding="utf-8").splitlines())
    return {name: digest for digest, name in lines}


def folder(where: Path | None = None, which: JudgingSet = FIRST) -> Path:
    """The folder with the walks and the charters: the one that was kept, or made now.

    Raises:
        DriftError: something else is made than its digests say.
        SceneError: a source is written wrong.
        OSError: it cannot be kept.
    """
    made = digests(which)
    if made != known_digests(which):
        raise kept.DriftError(
            f"{which.digests} has other digests. This set is closed: nobody changes it once it was measured"
        )
    wanted = files(which)

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
