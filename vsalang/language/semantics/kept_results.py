"""Keeps what a command said about a file, by the content of all that it read: a file in which nothing changed is not
looked at again.

For `vsac check`, `lint`, `test` and `fmt --check` only, and only where they found nothing wrong; never for a program
that decides about a phone. What is kept is authenticated as the trees are (`vsalang.language.syntax.cache`), in the
same folder.
"""

import hashlib
import json
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, Final

from vsalang.base.config import config_for
from vsalang.base.records import dataclass
from vsalang.base.source import SourceError, private, read_source
from vsalang.base.source.files import real_path
from vsalang.language.semantics import Loaded
from vsalang.language.semantics.loader import Loading
from vsalang.language.semantics.report import Report
from vsalang.language.syntax.cache import folder_of_cache

_LARGEST: Final = 64_000_000
_MOST: Final = 5000
"""Of so many files results are kept."""


@dataclass(frozen=True, slots=True)
class Inputs:
    """What a result depends on.

    Attributes:
        texts: the digest of each file, by its path.
        imports: which file each import led to: the importing file, the name, the file.
    """

    texts: tuple[tuple[str, str], ...]
    imports: tuple[tuple[str, str, str], ...]


def inputs_of(loaded: Loaded) -> Inputs | None:
    """The inputs of a program; None if something of it is not a file."""
    sources = list(loaded.sources.values())
    if any(source.path is None for source in sources):
        return None
    imports = [
        (_path(unit.source.path), item.name.text, _path(target.source.path))
        for unit in loaded.units
        for item in unit.tree.imports
        if (target := unit.imports.get(item.alias.text if item.alias else item.name.text)) is not None
    ]
    return Inputs(tuple((_path(each.path), each.digest) for each in sources), tuple(imports))


def _path(path: Path | None) -> str:
    return str(real_path(path)) if path is not None else ""


class KeptResults:
    """The results of one command with its options.

    Args:
        command: its name.
        options: everything else that a result depends on.
    """

    def __init__(self, command: str, options: str = "") -> None:
        self._place = f"{_version()} {command} {options}"
        name = hashlib.sha256(f"{command} {options}".encode()).hexdigest()[:16]
        folder = folder_of_cache()
        self._file = folder / f"{name}.results" if folder is not None else None
        self._entries: dict[str, Any] = {}
        self._digests: dict[str, str] = {}
        self._changed = False
        if self._file is not None:
            with suppress(OSError, ValueError):
                key = private.key_of(self._file.parent)
                body = private.sealed(key, self._place, private.read(self._file, _LARGEST)) if key else None
                entries = json.loads(body) if body else {}
                self._entries = entries if isinstance(entries, dict) else {}

    def get(self, file: str) -> Any:
        """What was kept of a file; None if nothing was, or if something that it depends on has changed."""
        try:
            texts, imports, config, data = self._entries[_path(Path(file))]
            settings = config_for(file)
            same = (
                config == self._config(settings.file)
                and all(self._digest(path) == digest for path, digest in texts)
                and all(
                    self._leads(importer, name, settings.search) == path for importer, name, path in imports
                )
            )
        except (KeyError, TypeError, ValueError, OSError, SourceError):
            return None
        return data if same else None

    def put(self, file: str, inputs: Inputs | None, data: Any) -> None:
        """Keep what was said about a file; `data` is not None."""
        if self._file is None or inputs is None:
            return
        with suppress(SourceError, OSError):
            config = self._config(config_for(file).file)
            self._entries[_path(Path(file))] = [inputs.texts, inputs.imports, config, data]
            self._changed = True

    def save(self) -> None:
        """Write what is new, if the folder is this user's alone."""
        if not self._changed or self._file is None:
            return
        while len(self._entries) > _MOST:
            del self._entries[next(iter(self._entries))]
        with suppress(OSError):
            self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            key = private.key_of(self._file.parent, make=True)
            if key is not None:
                body = json.dumps(self._entries, separators=(",", ":")).encode()
                private.write(self._file, private.seal(key, self._place, body) + b"\n" + body)

    def _digest(self, path: str) -> str:
        if path not in self._digests:
            self._digests[path] = read_source(path).digest
        return self._digests[path]

    def _config(self, file: Path | None) -> str:
        return f"{file} {self._digest(str(file))}" if file is not None else ""

    @staticmethod
    def _leads(importer: str, name: str, search: tuple[Path, ...]) -> str:
        return _path(Loading(Report(trial=True), tuple(search)).find(name, Path(importer)))


@cache
def _version() -> str:
    """A hash of this package's files: another version says other things."""
    digest = hashlib.sha256(b"results 1\n")
    root = Path(__file__).resolve().parents[2]
    for file in sorted(each for each in root.rglob("*") if each.suffix in (".py", ".toml", ".j2")):
        state = file.stat()
        digest.update(f"{file.relative_to(root)} {state.st_size} {state.st_mtime_ns}\n".encode())
    return digest.hexdigest()[:16]
