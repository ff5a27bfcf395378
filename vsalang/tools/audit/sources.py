"""Finds the recorded walks in files and folders, and hashes what they say, so that no walk is judged twice."""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import field
from pathlib import Path
from typing import Final

from vsalang.agents.walks import WalkError, format_of, mobilerisk
from vsalang.agents.walks import steps as plain_steps
from vsalang.base.records import dataclass
from vsalang.base.source.opening import open_regular

_DEPTH: Final = 6
_MAX_FILES: Final = 200_000
_ENDS: Final = tuple(f"{end}{packed}" for end in (".jsonl", ".json", ".yaml") for packed in ("", ".gz"))
_BLOCK: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Source:
    """A file or folder with walks of one format, all read together.

    Attributes:
        path: as it is named in messages.
        format: of `vsalang.agents.walks.FORMATS`.
    """

    path: str
    format: str


@dataclass(frozen=True, slots=True)
class SkippedFile:
    """A file or folder that was left out, and why."""

    path: str
    why: str


@dataclass(frozen=True, slots=True)
class SourceList:
    """What there is below some paths.

    Attributes:
        sources: in the order of the paths, then of their names.
        skipped: files that were found in folders and hold no walks.
        broken: what was named and holds no walks, or cannot be read.
    """

    sources: tuple[Source, ...]
    skipped: tuple[SkippedFile, ...] = ()
    broken: tuple[SkippedFile, ...] = field(default=())


def find(paths: Iterable[str | Path]) -> SourceList:
    """The sources in files and folders, folders in folders included; each once."""
    sources: dict[Path, Source] = {}
    skipped: list[SkippedFile] = []
    broken: list[SkippedFile] = []
    for path in paths:
        try:
            for place, format in _below(Path(path), skipped, 0):
                sources.setdefault(place.resolve(), Source(str(place), format))
        except WalkError as error:
            broken.append(SkippedFile(str(path), str(error)))
        except OSError as error:
            broken.append(SkippedFile(str(path), f"cannot read {path}: {error.strerror}"))
    return SourceList(tuple(sources.values()), tuple(skipped), tuple(broken))


def _below(path: Path, skipped: list[SkippedFile], depth: int) -> Iterator[tuple[Path, str]]:
    if not path.is_dir():
        yield _named(path)
        return
    if mobilerisk.recognises(path, ""):
        for folder in mobilerisk.folders(path):
            yield folder, "mobilerisk"
        return
    try:
        yield path, format_of(path)
        return
    except WalkError:
        pass  # no walk itself, but walks may be in it
    before = len(skipped)
    nothing = True
    for count, inner in enumerate(sorted(path.iterdir())):
        if count > _MAX_FILES:
            raise WalkError(f"{path} holds more than {_MAX_FILES} files: name its folders one by one")
        if inner.is_dir():
            if depth < _DEPTH and not inner.is_symlink() and not inner.name.startswith("."):
                try:
                    for each in _below(inner, skipped, depth + 1):
                        nothing = False
                        yield each
                except WalkError:
                    pass  # a folder without walks
        elif inner.name.endswith(_ENDS):
            try:
                yield _named(inner)
                nothing = False
            except WalkError as error:
                skipped.append(SkippedFile(str(inner), str(error)))
    if nothing and depth == 0 and len(skipped) == before:
        raise WalkError(
            f"{path} holds no walks: name a folder of MobileRisk, a run of DroidBot, or files of walks or journals"
        )


def _named(path: Path) -> tuple[Path, str]:
    format = format_of(path)
    return (path.parent, format) if format == "mobilerisk" else (path, format)


def digest_of(source: Source) -> str:
    """SHA-256 (hexadecimal) of all that the walks of a source say, pictures aside.

    Raises:
        WalkError: it is broken in a way that already shows here.
        OSError: it cannot be read.
    """
    path = Path(source.path)
    total = hashlib.sha256(f"{source.format}\n{path.parent.name}/{path.name}\n".encode("utf-8", "replace"))
    for file in _files(path, source.format):
        name = str(file.relative_to(path)) if file.is_relative_to(path) else str(file)
        total.update(f"{name}\n".encode("utf-8", "replace"))
        single = hashlib.sha256()
        with open_regular(file) as stream:
            while block := stream.read(_BLOCK):
                single.update(block)
        total.update(single.digest())
    return total.hexdigest()


def _files(path: Path, format: str) -> Iterator[Path]:
    if format == "mobilerisk":
        yield from mobilerisk.trace_files(path)
        base = mobilerisk.base_of(path)
        if base is not None:
            yield base
    elif format == "steps":
        yield path
        yield from plain_steps.screens_of(path)
    elif path.is_dir():
        files = sorted(file for file in path.rglob("*") if file.is_file())
        if len(files) > _MAX_FILES:
            raise WalkError(f"{path} holds more than {_MAX_FILES} files")
        yield from files
    else:
        yield path
