"""Keeps the vectors of texts in a SQLite database that only the user may read, so that none is asked for twice."""

import hashlib
import os
import sqlite3
import threading
from array import array
from pathlib import Path
from typing import Final

from vsalang.base.source import private
from vsalang.models.similarity.errors import SimilarityError

_TABLE: Final = (
    "CREATE TABLE IF NOT EXISTS vectors (digest BLOB PRIMARY KEY, vector BLOB NOT NULL) WITHOUT ROWID"
)
_APPLICATION: Final = 0x76736165  # "vsae": PRAGMA application_id, https://sqlite.org/fileformat.html
MOST: Final = 100_000
"""Of more vectors, all are removed: they are only remembered."""
_SECONDS: Final = 2.0


class Vectors:
    """Vectors by the digest of a model and a text; the texts themselves are not kept.

    What cannot be read counts as not kept; what cannot be written is not kept.

    Args:
        path: the file; it is created if there is none.
        model: whose vectors they are: the address of the endpoint and the name of the model.

    Raises:
        SimilarityError: the file is another's, open to others, or no such database.
    """

    def __init__(self, path: Path, model: str) -> None:
        self._model = model
        self._lock = threading.Lock()
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            os.close(private.open_to_append(path))
            # one question at a time is asked, each in a thread of its own
            self._database = sqlite3.connect(
                path, timeout=_SECONDS, isolation_level=None, check_same_thread=False
            )
            self._database.execute("PRAGMA trusted_schema = OFF")  # https://sqlite.org/security.html
            application = self._database.execute("PRAGMA application_id").fetchone()[0]
            names = {name for (name,) in self._database.execute("SELECT name FROM sqlite_master")}
            if (names and application != _APPLICATION) or not names <= {"vectors"}:
                raise SimilarityError(f"{path} is the database of another program")
            self._database.execute(f"PRAGMA application_id = {_APPLICATION}")
            self._database.execute(_TABLE)
        except (OSError, sqlite3.Error) as error:
            raise SimilarityError(f"vectors cannot be kept in {path}: {error}") from error

    def get(self, text: str) -> "array[float] | None":
        """The vector of a text, if it is kept."""
        try:
            with self._lock:
                row = self._database.execute(
                    "SELECT vector FROM vectors WHERE digest = ?", (self._digest(text),)
                ).fetchone()
        except sqlite3.Error:
            return None
        if row is None or not isinstance(row[0], bytes) or len(row[0]) % 4:
            return None
        vector = array("f")
        vector.frombytes(row[0])
        return vector

    def put(self, vectors: dict[str, "array[float]"]) -> None:
        """Keep the vectors of texts."""
        rows = [(self._digest(text), vector.tobytes()) for text, vector in vectors.items()]
        try:
            with self._lock:
                if self._database.execute("SELECT count(*) FROM vectors").fetchone()[0] + len(rows) > MOST:
                    self._database.execute("DELETE FROM vectors")
                self._database.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", rows)
        except sqlite3.Error:
            return

    def close(self) -> None:
        self._database.close()

    def _digest(self, text: str) -> bytes:
        return hashlib.sha256(f"{self._model}\0{text}".encode("utf-8", "surrogatepass")).digest()
