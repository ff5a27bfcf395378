"""Caches syntax trees on disk by the hash of their text, so that tools need not parse a file again.

Only `vsac check`, `test`, `lint` and the language server use the cache. A guard parses every file itself, because any
program of the same user can write to the cache. Entries are authenticated with a key in the same folder (HMAC-SHA256);
key and folder must belong to the user and be closed to all others, else nothing is read or written. An entry is JSON,
so reading one runs no code; an entry that does not fit is ignored. Only files without mistakes are cached.
``VSALANG_CACHE`` names another folder, or ``off``.
"""

import hashlib
import json
import os
from contextlib import suppress
from dataclasses import is_dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

from vsalang.base.resources import resource_dir
from vsalang.base.source import Source, Span, private
from vsalang.language.syntax import tree
from vsalang.program.codec import Trees

LARGEST = 1_000_000
"""A longer text is not cached."""
LARGEST_ENTRY = 64_000_000
"""A longer entry is not read."""
ENTRIES = 1000
"""The most entries; if there are more, the oldest are deleted."""

_TREES = Trees(
    (
        *(kind for _, kind in sorted(vars(tree).items()) if isinstance(kind, type) and is_dataclass(kind)),
        Span,
    ),
    lambda kind, field: kind is Span and field == "file",
)


def lookup(source: Source) -> tree.Module | None:
    """The cached tree of a text, else None."""
    folder = folder_of_cache()
    key = private.key_of(folder) if folder is not None and len(source.text) <= LARGEST else None
    if folder is None or key is None:
        return None
    try:
        data = private.read(folder / f"{source.digest}.json", LARGEST_ENTRY)
        body = private.sealed(key, _place(source.digest), data)
        if body is None:
            return None
        module = _decode(json.loads(body), source.file)
    except (OSError, ArithmeticError, ValueError, TypeError, IndexError, KeyError, RecursionError):
        return None
    return module if isinstance(module, tree.Module) else None


def keep(source: Source, module: tree.Module) -> None:
    """Cache the tree of a text. Nothing happens if the folder is not writable, or if other users could write to it."""
    folder = folder_of_cache()
    if folder is None or len(source.text) > LARGEST:
        return
    with suppress(OSError, RecursionError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        key = private.key_of(folder, make=True)
        if key is not None:
            body = json.dumps(_TREES.encode(module), separators=(",", ":")).encode()
            private.write(folder / f"{source.digest}.json", _seal(key, source.digest, body) + b"\n" + body)
            _tidy(folder)


def _tidy(folder: Path) -> None:
    entries = list(folder.glob("*.json"))
    if len(entries) > ENTRIES:
        entries.sort(key=lambda entry: entry.stat().st_mtime)
        for entry in entries[: len(entries) // 2]:
            entry.unlink(missing_ok=True)


def _seal(key: bytes, digest: str, body: bytes) -> bytes:
    """The authentication code of an entry."""
    return private.seal(key, _place(digest), body)


def _place(digest: str) -> str:
    return f"{_reader()} {digest}"


def folder_of_cache() -> Path | None:
    """The folder of this version's cache; None if there is none."""
    chosen = os.environ.get("VSALANG_CACHE", "")
    if chosen == "off":
        return None
    if chosen:
        return Path(chosen) / _reader()
    base = private.home_folder("XDG_CACHE_HOME", ".cache")
    return base / "vsalang" / _reader() if base is not None else None


@cache
def _reader() -> str:
    """A hash of the grammar and of this package: another version makes other trees."""
    digest = hashlib.sha256(b"sealed trees\n")
    for file in (resource_dir("grammars") / "vsa.tx", *sorted(Path(__file__).parent.glob("*.py"))):
        state = file.stat()
        digest.update(f"{file.name} {state.st_size} {state.st_mtime_ns}\n".encode())
    return digest.hexdigest()[:16]


def _decode(data: Any, file: str) -> Any:
    return _TREES.decode(data, {Span: partial(Span, file)})
