"""Names of files from the root of the repository, and what stays of a finding when lines move."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from vsalang.base.diagnostics.diagnostic import Diagnostic
from vsalang.base.source import Source, Span
from vsalang.base.source.files import real_path


def repository(folder: Path) -> Path:
    """The root of the repository that a folder is in; the folder itself if it is in none."""
    here = real_path(folder)
    return next((each for each in (here, *here.parents) if (each / ".git").exists()), here)


def from_root(file: str, root: Path) -> str:
    """The name of a file as services find it: seen from the root of the repository, with slashes.

    A file elsewhere keeps its absolute name, and a name that is not that of a file (``<stdin>``) stays.

    Args:
        file: its name, seen from the working folder.
        root: the root of the repository.
    """
    if not file or file.startswith("<"):
        return file
    place = real_path(Path.cwd() / file)
    return place.relative_to(root).as_posix() if place.is_relative_to(root) else file.replace("\\", "/")


def seen_from(
    items: Iterable[Diagnostic], sources: Mapping[str, Source], root: Path
) -> tuple[list[Diagnostic], Mapping[str, Source]]:
    """Findings and their files, with each file named from the root of the repository."""
    names = {file: from_root(file, root) for file in sources}

    def named(file: str) -> str:
        return names.setdefault(file, from_root(file, root)) if file else file

    def moved(span: Span) -> Span:
        return Span(named(span.file), span.start, span.end)

    renamed = [
        replace(
            item,
            span=moved(item.span) if item.span is not None else None,
            file=named(item.file),
            labels=tuple(replace(label, span=moved(label.span)) for label in item.labels),
            fixes=tuple(
                replace(fix, edits=tuple(replace(edit, span=moved(edit.span)) for edit in fix.edits))
                for fix in item.fixes
            ),
        )
        for item in items
    ]
    return renamed, {names[file]: source for file, source in sources.items()}


def fingerprints(
    items: Iterable[Diagnostic], sources: Mapping[str, Source]
) -> Iterator[tuple[Diagnostic, str]]:
    """Each finding with its fingerprint: it stays when lines are added or removed before it.

    It is made of the code, the file, the text of the line without its blanks, and the number of the finding among those
    that have all this in common.
    """
    seen: Counter[str] = Counter()
    for item in items:
        source = sources.get(item.where)
        line = ""
        if source is not None and item.span is not None:
            line = "".join(source.line(source.position(item.span.start).line).split())
        name = "\0".join((item.code, item.where, line))
        seen[name] += 1
        yield item, hashlib.sha256(f"{name}\0{seen[name]}".encode(errors="surrogateescape")).hexdigest()[:32]
