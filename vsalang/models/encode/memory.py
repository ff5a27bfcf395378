"""The file that keeps experience: a SQLite database of the user, which nobody else may read (`source.database`)."""

import datetime as dt
import json
import re
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any, Final, cast

from vsalang.base.source.database import Database, Format, data_file
from vsalang.models.encode.experience import LONGEST_SPEC, App, Confirmed, Experience

VERSION: Final = 1
"""The version of the table."""
MOST_ENTRIES: Final = 1000
"""Of more entries the oldest are removed."""

_TABLE: Final = """CREATE TABLE entries (
  id TEXT PRIMARY KEY,
  instruction TEXT NOT NULL,
  spec TEXT NOT NULL,
  apps TEXT NOT NULL,
  relations TEXT NOT NULL,
  confirmed TEXT NOT NULL,
  journal TEXT NOT NULL,
  model TEXT NOT NULL,
  added TEXT NOT NULL
) WITHOUT ROWID"""


_FORMAT: Final = Format(
    0x7673616D,  # "vsam"
    VERSION,
    (_TABLE,),
    "move it away and add the specs again; `vsac encode --no-memory` does without it",
)


def usual_place() -> Path:
    """Where the memory is if nothing else is said: ``~/.local/share/vsalang/memory.sqlite``.

    Raises:
        StoreError: the user has no home.
    """
    return data_file("memory.sqlite", "name a file with --memory; `vsac encode --no-memory` does without one")


class Memory:
    """Experience in a file. A file that does not exist is empty; the first entry creates it.

    Args:
        path: the file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.file = Database(path, _FORMAT)

    def entries(self) -> tuple[Experience, ...]:
        """All entries, the newest first.

        Raises:
            StoreError: the file cannot be read.
        """
        if self.file.absent:
            return ()
        with self.file.open(write=False) as database:
            if database is None:
                return ()
            rows = database.execute(
                "SELECT * FROM entries ORDER BY added DESC, id LIMIT ?", (MOST_ENTRIES,)
            ).fetchall()
        return tuple(self._entry(row) for row in rows)

    def add(self, entry: Experience) -> tuple[str, ...]:
        """Add an entry, in place of one with the same spec; the ids of those that were removed to make room.

        Raises:
            StoreError: the file cannot be written.
        """
        self.file.create()
        with self.file.open(write=True) as database:
            assert database is not None
            database.execute("INSERT OR REPLACE INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", _row(entry))
            old = database.execute(
                "SELECT id FROM entries WHERE id <> ? ORDER BY added DESC, id LIMIT -1 OFFSET ?",
                (entry.id, MOST_ENTRIES - 1),
            ).fetchall()
            database.executemany("DELETE FROM entries WHERE id = ?", old)
        return tuple(str(name) for (name,) in old)

    def delete(self, ids: Collection[str]) -> None:
        """Delete entries.

        Raises:
            StoreError: the file cannot be written.
        """
        if ids:
            with self.file.open(write=True) as database:
                assert database is not None
                database.executemany("DELETE FROM entries WHERE id = ?", [(name,) for name in ids])

    def _entry(self, row: Sequence[Any]) -> Experience:
        """The entry of a row, in which anything may be written.

        Raises:
            StoreError: it is not an entry.
        """
        try:
            return _read(row)
        except (ValueError, TypeError, KeyError, OverflowError, RecursionError) as error:
            name = row[0] if isinstance(row[0], str) else type(row[0]).__name__
            raise self.file.damaged(f"the entry {name[:40]!r} cannot be read") from error


def _row(entry: Experience) -> tuple[str, ...]:
    apps = [{"name": app.name, "digest": app.digest, "file": app.file} for app in entry.apps]
    cells = (
        entry.id,
        entry.instruction,
        entry.spec,
        json.dumps(apps),
        json.dumps(entry.relations),
        entry.confirmed,
        entry.journal,
        entry.model,
        entry.added.isoformat(),
    )
    # half a surrogate pair, which an answer may have as the model's name, is not a text of a database
    return tuple(cell.encode("utf-8", "replace").decode("utf-8") for cell in cells)


def _read(row: Sequence[Any]) -> Experience:
    """The entry of a row. Raises ValueError, TypeError and the like if it is none."""
    name, instruction, spec, apps, relations, confirmed, journal, model, added = map(_text, row)
    if (
        not re.fullmatch(r"[0-9a-f]{12}", name)
        or confirmed not in ("completed", "user")
        or len(spec) > LONGEST_SPEC
    ):
        raise ValueError("no entry")
    return Experience(
        name,
        instruction,
        spec,
        tuple(App(_text(app["name"]), _text(app["digest"]), _text(app["file"])) for app in _list(apps)),
        tuple(_text(relation) for relation in _list(relations)),
        cast(Confirmed, confirmed),
        journal,
        model,
        dt.datetime.fromisoformat(added).astimezone(dt.UTC),
    )


def _list(text: str) -> list[Any]:
    value = json.loads(text)
    if not isinstance(value, list):
        raise TypeError("not a list")
    return value


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("not a text")
    return value
