"""Brings files of journals into a store; one that cannot be used is named, and the others are taken all the same."""

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Final, Literal

from vsalang.base.records import dataclass
from vsalang.guard.journal.file import JournalError
from vsalang.screen.secrets import Redactor
from vsalang.tools.fleet.rows import SessionRows, read_rows
from vsalang.tools.fleet.schema import StoreError
from vsalang.tools.fleet.store import PART_BYTES, Store

SUFFIX: Final = ".jsonl"
"""How the names of journals in a folder end."""
_DEPTH: Final = 20


@dataclass(frozen=True, slots=True)
class Import:
    """The result of one journal.

    Attributes:
        path: the file.
        result: ``new``, ``grown`` or ``known``; ``broken``: it was left out.
        problem: why it was left out.
        torn: whether a crash had cut its last line off.
    """

    path: str
    result: Literal["new", "grown", "known", "broken"]
    problem: str = ""
    torn: bool = False


def journals_in(paths: Iterable[str]) -> Iterator[str]:
    """The files that paths name; of a folder those whose names end like a journal's, in the order of their names.

    Raises:
        StoreError: a folder holds none, or cannot be read.
    """
    for path in paths:
        if not Path(path).is_dir():
            yield path
            continue
        is_empty = True
        for folder, folders, files in os.walk(path, onerror=_unread):
            folders[:] = sorted(folders) if len(Path(folder).relative_to(path).parts) < _DEPTH else []
            for name in sorted(files):
                if name.endswith(SUFFIX):
                    is_empty = False
                    yield str(Path(folder, name))
        if is_empty:
            raise StoreError(f"{path} holds no journals", f"their names end with {SUFFIX}")


def _unread(error: OSError) -> None:
    raise StoreError(f"cannot read {error.filename}: {(error.strerror or str(error)).lower()}") from error


def import_journals(
    store: Store,
    paths: Iterable[str],
    tenant: str = "",
    *,
    torn: bool = False,
    redactor: Callable[[], Redactor] | None = None,
) -> Iterator[Import]:
    """Import journals; tells of each as soon as it is in the store for good, or left out.

    Args:
        store: where to.
        paths: the files.
        tenant: whose they are.
        torn: also take journals of which a crash cut the last line off, without that.
        redactor: makes what replaces the secrets of one journal; None: they stay.

    Raises:
        StoreError: the store cannot be read or written.
    """
    waiting: list[tuple[str, SessionRows]] = []
    for path in paths:
        try:
            rows = read_rows(path, tenant, redactor() if redactor is not None else None)
        except JournalError as error:
            yield Import(path, "broken", str(error))
            continue
        if rows.torn and not torn:
            line = len(rows.rows) + 1
            problem = f"{path}, line {line}: the line was cut off while it was written; the lines before it are whole"
            yield Import(path, "broken", problem, torn=True)
            continue
        waiting.append((path, rows))
        if sum(each.size for _, each in waiting) >= PART_BYTES:
            yield from _add(store, waiting)
            waiting = []
    yield from _add(store, waiting)


def _add(store: Store, waiting: list[tuple[str, SessionRows]]) -> Iterator[Import]:
    relations = store.add(rows for _, rows in waiting)
    for (path, rows), relation in zip(waiting, relations, strict=True):
        if relation == "forked":
            problem = (
                f"{path}: it begins as a session of the store and goes on otherwise: one of them was changed"
            )
            yield Import(path, "broken", problem)
        elif relation == "redacted":
            problem = (
                f"{path}: it has grown, and its secrets are replaced in the store: --redact takes it so again"
            )
            yield Import(path, "broken", problem)
        else:
            yield Import(path, relation, torn=rows.torn)
