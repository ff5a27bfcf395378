"""The files of the simulated phone: only those that were pushed or written, in memory."""

import threading

from vsalang.base.records import dataclass

MOST_BYTES = 256 << 20
_DIRECTORIES = (
    "/",
    "/data",
    "/data/local",
    "/data/local/tmp",
    "/sdcard",
    "/sdcard/Download",
    "/storage",
    "/tmp",
)
DIRECTORY_MODE = 0o40771


WRITABLE = ("data", "sdcard", "storage", "mnt", "tmp", "cache")
"""Where programs may write; everything else is the system's, and read-only."""


def writable(path: str) -> bool:
    """Whether a program may write a file or a directory there."""
    return _normal(path).split("/")[1] in WRITABLE


class NoSuchFile(Exception):
    """There is no file at that path."""


class NoSpace(Exception):
    """The phone's storage is full."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One file or directory: mode as in ``stat``, modification time in seconds, content (empty for a directory)."""

    mode: int
    mtime: int
    content: bytes = b""


class Files:
    """A flat map from absolute path to file; a directory exists if it was created or has a file below it."""

    def __init__(self) -> None:
        self._entries = {path: Entry(DIRECTORY_MODE, 0) for path in _DIRECTORIES}
        self._lock = threading.Lock()

    def stat(self, path: str) -> Entry | None:
        """The entry, None if there is none."""
        path = _normal(path)
        with self._lock:
            entry = self._entries.get(path)
            if entry is None and any(other.startswith(path + "/") for other in self._entries):
                return Entry(DIRECTORY_MODE, 0)
            return entry

    def read(self, path: str) -> bytes:
        """The content.

        Raises:
            NoSuchFile: there is none, or it is a directory.
        """
        entry = self.stat(path)
        if entry is None or is_directory(entry):
            raise NoSuchFile(path)
        return entry.content

    def write(self, path: str, content: bytes, mode: int = 0o100644, mtime: int = 0) -> None:
        """Create or replace a file.

        Raises:
            NoSpace: the files would take more than `MOST_BYTES`.
        """
        path = _normal(path)
        with self._lock:
            total = sum(len(e.content) for p, e in self._entries.items() if p != path) + len(content)
            if total > MOST_BYTES or len(self._entries) > 10_000:
                raise NoSpace(path)
            self._entries[path] = Entry(mode, mtime, content)

    def make_directory(self, path: str) -> None:
        """Create a directory, if it does not exist."""
        with self._lock:
            if len(self._entries) <= 10_000:
                self._entries.setdefault(_normal(path), Entry(DIRECTORY_MODE, 0))

    def remove(self, path: str, *, recursive: bool = False) -> bool:
        """Remove a file or a directory with all in it; whether it existed."""
        path = _normal(path)
        with self._lock:
            gone = [p for p in self._entries if p == path or (recursive and p.startswith(path + "/"))]
            if not recursive:
                gone = [p for p in gone if not is_directory(self._entries[p])]
            for p in gone:
                del self._entries[p]
            return bool(gone)

    def copy(self, path: str, target: str) -> None:
        """Copy a file, or a directory with all in it, to a new name.

        Raises:
            NoSpace: the files would take more than `MOST_BYTES`.
        """
        path, target = _normal(path), _normal(target)
        with self._lock:
            inside = {p: e for p, e in self._entries.items() if p == path or p.startswith(path + "/")}
        for old, entry in sorted(inside.items()):
            new = target + old[len(path) :]
            if is_directory(entry):
                self.make_directory(new)
            else:
                self.write(new, entry.content, entry.mode, entry.mtime)

    def entries(self) -> tuple[Entry, ...]:
        """All files and directories."""
        with self._lock:
            return tuple(self._entries.values())

    def list(self, path: str) -> dict[str, Entry]:
        """The names in a directory with their entries."""
        path = _normal(path).rstrip("/") + "/"
        names: dict[str, Entry] = {}
        with self._lock:
            for other, entry in sorted(self._entries.items()):
                if other.startswith(path) and other != path:
                    name, slash, _ = other[len(path) :].partition("/")
                    names.setdefault(name, Entry(DIRECTORY_MODE, 0) if slash else entry)
        return names


def is_directory(entry: Entry) -> bool:
    """Whether it is a directory."""
    return entry.mode & 0o170000 == 0o040000


def _normal(path: str) -> str:
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            parts = parts[:-1]
        elif part not in ("", "."):
            parts.append(part)
    return "/" + "/".join(parts)
