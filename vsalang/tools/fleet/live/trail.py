"""The trail of a fleet server: who answered, ended and revoked what, when. Lines are added, and never changed.

It is a journal (`vsalang.guard.journal.file`): each line is chained to the one before by its hash, forced to the disk
before anything comes of it, and the head is kept outside of the folder. So nobody can change or take out a line
without being found out. One server writes it.
"""

import datetime as dt
import threading
from collections import deque
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from vsalang.guard.journal import Journal, JournalError, read_journal
from vsalang.guard.journal.journal_heads import Heads

TRAIL_FILE: Final = "trail.jsonl"
_SHOWN: Final = 500


class Trail:
    """The trail in a file.

    Args:
        path: the file; it is made with the first line.

        head: the hash of its last line, if the caller vouches for that: the trail was moved here.

    Raises:
        JournalError: it was changed, it or lines at its end are missing, or another server writes it.
    """

    def __init__(self, path: Path, head: str | None = None) -> None:
        self.path = path
        self._one = threading.Lock()
        self._newest: deque[dict[str, Any]] = deque(maxlen=_SHOWN)
        self._journal: Journal | None = None
        if path.exists():
            self._journal, records, _ = Journal.reopen(path, sync="all", head=head)
            for record in records:
                self._newest.append({"number": record.number, "kind": record.kind, **record.data})
        elif (kept := Heads(path, force=False).file).exists():
            raise JournalError(
                f"{path} is missing, and lines were written to it: put it back; or, if it was meant to go, remove its "
                f"head {kept}"
            )

    @property
    def head(self) -> str:
        """The hash of the last line: kept elsewhere, it shows that none was taken out."""
        return self._journal.head if self._journal is not None else ""

    def write(self, kind: str, by: str, data: Mapping[str, Any]) -> None:
        """Add a line: on the disk when this returns.

        Args:
            kind: ``login``, ``answer``, ``late``, ``end``, ``revoke``.
            by: the name of the person.

        Raises:
            JournalError: it cannot be written; what it would have said must not happen.
        """
        with self._one:
            if self._journal is None:
                self._journal = Journal(self.path, sync="all")
            at = dt.datetime.now(dt.UTC).isoformat(timespec="milliseconds")
            row = {"at": at, "by": by, **data}
            number = self._journal.write(kind, row)
            self._newest.append({"number": number, "kind": kind, **row})

    def newest(self, tenant: str, most: int = 200) -> list[dict[str, Any]]:
        """The newest lines that are about a tenant (``*``: all), the newest first."""
        with self._one:
            rows = [row for row in self._newest if tenant in ("*", row.get("tenant"))]
        return rows[::-1][:most]

    def close(self) -> None:
        """Let others write it; may be called twice."""
        if self._journal is not None:
            self._journal.close()


def trail_problem(path: Path) -> str:
    """What is wrong with a trail that no server writes now; empty: its chain is whole."""
    try:
        for _ in read_journal(path):
            pass
    except JournalError as error:
        return str(error)
    return ""
