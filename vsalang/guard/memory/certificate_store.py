"""The memory of certificates: a SQLite database of the user (`vsalang.base.source.database`).

Kept is only what certainly had its effect: a certificate of an action that arrived, on screens that were seen whole and
at rest. What was recorded as a walk is kept if the user says so: nobody knows whether its screens were at rest, and its
certificate goes on saying that. An entry is found by its key, and lowered by those of the same key that tell otherwise.
"""

import datetime as dt
import hashlib
import json
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias, cast

from vsalang.base.records import dataclass
from vsalang.base.source.database import Database, Format, data_file
from vsalang.guard.memory.certificate import Certificate
from vsalang.guard.memory.certificate_document import NoCertificate, document, read
from vsalang.guard.memory.certificate_keys import control_hash, screen_hash
from vsalang.guard.memory.certifying import RECORDED
from vsalang.guard.memory.expecting import agreed
from vsalang.program.screen import Cells
from vsalang.program.similarity import DEFAULT, Similarity, similar
from vsalang.program.values import Value
from vsalang.screen.control import Transition
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import Node

VERSION: Final = 1
"""The version of the table."""
MOST_ENTRIES: Final = 5000
"""Of more entries the oldest are removed."""
MAX_AGE: Final = dt.timedelta(days=90)
"""An entry that is older is not used."""

How: TypeAlias = Literal["screen", "control", "task"]
"""By what an entry was found: the very screen, the control on another one, or what the user had said."""

_TABLE: Final = """CREATE TABLE certificates (
  id TEXT PRIMARY KEY,
  package TEXT NOT NULL,
  screen TEXT NOT NULL,
  control TEXT NOT NULL,
  gesture TEXT NOT NULL,
  module TEXT NOT NULL,
  effect TEXT NOT NULL,
  added TEXT NOT NULL,
  document TEXT NOT NULL
) WITHOUT ROWID"""
_INDEXES: Final = (
    "CREATE INDEX screens ON certificates (screen)",
    "CREATE INDEX controls ON certificates (control, gesture)",
)
_FORMAT: Final = Format(
    0x76736163,  # "vsac"
    VERSION,
    (_TABLE, *_INDEXES),
    "move it away: `vsac memory certificates add JOURNAL` adds what journals hold again",
)


def usual_place() -> Path:
    """Where certificates are kept if nothing else is said: ``~/.local/share/vsalang/certificates.sqlite``.

    Raises:
        StoreError: the user has no home.
    """
    return data_file("certificates.sqlite", "name a file with --memory")


@dataclass(frozen=True, slots=True)
class Entry:
    """A certificate that is kept.

    Attributes:
        id: 12 hexadecimal digits of what it says.
        added: when, in UTC.
        expired: why it is not used; empty if it is.
    """

    id: str
    certificate: Certificate
    added: dt.datetime
    expired: str = ""


@dataclass(frozen=True, slots=True)
class Addition:
    """Whether a certificate was kept.

    Attributes:
        id: of its entry.
        new: whether it was not known already.
    """

    id: str
    new: bool


@dataclass(frozen=True, slots=True)
class Hit:
    """What is remembered of a gesture: the newest certificate of this effect.

    Attributes:
        how: by what it was found.
        times: how often the gesture had this effect.
        trust: the share of the memories of this key that tell the same: a contradiction lowers it.
    """

    entry: Entry
    how: How
    times: int
    trust: float


class CertificateStore:
    """Certificates in a file. A file that does not exist is empty; the first entry creates it.

    Args:
        path: the file.
        now: the time, in UTC.
    """

    def __init__(self, path: Path, now: dt.datetime | None = None) -> None:
        self.path = path
        self._file = Database(path, _FORMAT)
        self._now = now

    def add(self, certificate: Certificate, number: int = 0, *, recorded: bool = False) -> Addition | None:
        """Keep a certificate; None if it is not kept because its effect is not certain.

        The same certificate is kept once: a journal may be added twice.

        Args:
            number: of the verdict in its session, or of the step: it tells two actions at one time apart.
            recorded: keep also what is uncertain only because it is of a recorded walk.

        Raises:
            StoreError: the file cannot be written.
        """
        row = self._row(certificate, number, recorded)
        if row is None:
            return None
        self._file.create()
        with self._file.open(write=True) as database:
            assert database is not None
            new = database.execute(
                "INSERT OR IGNORE INTO certificates VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row
            ).rowcount
            database.execute(
                "DELETE FROM certificates WHERE id IN "
                "(SELECT id FROM certificates ORDER BY added DESC, id LIMIT -1 OFFSET ?)",
                (MOST_ENTRIES,),
            )
        return Addition(row[0], new > 0)

    def entries(self) -> tuple[Entry, ...]:
        """All entries, the newest first.

        Raises:
            StoreError: the file cannot be read.
        """
        rows = self._rows("ORDER BY added DESC, id")
        newest: dict[str, str] = {}
        for row in rows:
            if row[5]:
                newest.setdefault(row[1], row[5])
        return tuple(self._entry(row, changed=bool(row[5]) and newest[row[1]] != row[5]) for row in rows)

    def find(
        self,
        screen: TreeScreen,
        control: Node | None = None,
        intent: str | None = None,
        k: int = 5,
        *,
        module: str = "",
        similarity: Similarity = DEFAULT,
    ) -> list[Hit]:
        """What is remembered that may matter here: first of this very screen, then of the control, then of the task.

        Args:
            screen: what shows.
            control: only what was done with this node.
            intent: what the user wants: also what was done for tasks that are said alike.
            k: at most so many.
            module: a hash of the app's module: what was seen under another one does not count.
            similarity: who says which texts are similar.

        Raises:
            StoreError: the file cannot be read.
        """
        mine = None if control is None else control_hash(screen.tree, control)
        rows = [
            row for row in self._rows("ORDER BY added DESC, id") if row[5] == module and not self._old(row)
        ]
        here = [
            row for row in rows if row[2] == screen_hash(screen.tree) and (mine is None or row[3] == mine)
        ]
        hits = self._hits(here, "screen")
        if mine is not None:
            hits += self._hits([row for row in rows if row[3] == mine and row not in here], "control")
        if intent:
            taken = {id(row) for row in here}
            others = [row for row in rows if id(row) not in taken and (mine is None or row[3] != mine)]
            tasks = {self._entry(row).certificate.scope.task for row in others}
            alike = {task for task in tasks if task and similar(similarity, task, intent)}
            near = [row for row in others if self._entry(row).certificate.scope.task in alike]
            hits += self._hits(near, "task")
        return hits[:k]

    def tried(self, screen: TreeScreen, module: str = "", also: Certificate | None = None) -> list[Cells]:
        """The rows of ``Tried`` for a screen: what was done on this very screen, where the memories agree on it.

        A node that looks like others shares what is remembered of them.

        Args:
            screen: what shows.
            module: a hash of the app's module.
            also: what was just done, and is not kept yet.

        Raises:
            StoreError: the file cannot be read.
        """
        rows = [
            row
            for row in self._rows("WHERE screen = ? ORDER BY added DESC, id", screen_hash(screen.tree))
            if row[5] == module and not self._old(row)
        ]
        new = None if also is None else self._row(also, 0)
        if new is not None and new[2] == screen_hash(screen.tree) and new[5] == module:
            rows.insert(0, new)
        groups: dict[tuple[str, str], list[Any]] = {}
        for row in rows:
            groups.setdefault((row[3], row[4]), []).append(row)
        nodes: dict[str, list[int]] = {}
        for node in screen.tree.nodes if rows else ():
            nodes.setdefault(control_hash(screen.tree, node), []).append(node.node)
        control_cells: list[Cells] = []
        for (control, gesture), group in sorted(groups.items()):
            counts = _effects(group)
            effect = agreed(counts)
            if effect is None:
                continue
            last = max(self._last(row) for row in group if row[6] == effect)
            cells: dict[str, Value] = {
                "gesture": gesture,
                "effect": effect,
                "times": counts[effect],
                "last": last,
            }
            targets: Iterable[dict[str, Value]] = ({"node": number} for number in nodes.get(control, ()))
            control_cells += [{**target, **cells} for target in (targets if control else ({},))]
        return control_cells

    def forget(self, ids: Collection[str]) -> None:
        """Delete entries.

        Raises:
            StoreError: the file cannot be written.
        """
        if ids:
            with self._file.open(write=True) as database:
                assert database is not None
                database.executemany("DELETE FROM certificates WHERE id = ?", [(name,) for name in ids])

    # ------------------------------------------------------------------ rows

    def _row(self, certificate: Certificate, number: int, recorded: bool = False) -> tuple[str, ...] | None:
        """The row of a certificate; None if it is not kept."""
        key, effect = certificate.key, certificate.effect
        if (
            key is None
            or certificate.delivered is not True
            or effect.transition is None
            or not (effect.certain or (recorded and effect.doubt == RECORDED))
        ):
            return None
        document_text = json.dumps(document(certificate), sort_keys=True)
        return (
            hashlib.sha256(f"{number} {document_text}".encode()).hexdigest()[:12],
            key.package,
            key.screen,
            key.control,
            key.gesture,
            key.module,
            effect.transition,
            self._time().isoformat(),
            document_text,
        )

    def _rows(self, which: str, *values: str) -> list[Sequence[Any]]:
        if self._file.absent:
            return []
        with self._file.open(write=False) as database:
            if database is None:
                return []
            rows = database.execute(f"SELECT * FROM certificates {which}", values).fetchall()
        for row in rows:
            if not all(isinstance(cell, str) for cell in row):
                raise self._file.damaged("an entry holds what is not a text")
        return rows

    def _hits(self, rows: Sequence[Sequence[Any]], how: How) -> list[Hit]:
        """The newest of each key and effect, the most trusted first."""
        groups: dict[tuple[Any, ...], list[Sequence[Any]]] = {}
        for row in rows:
            groups.setdefault((row[3], row[4], *(() if how == "control" else (row[2],))), []).append(row)
        hits = []
        for group in groups.values():
            counts = _effects(group)
            for effect, times in counts.items():
                newest = next(row for row in group if row[6] == effect)
                hits.append(Hit(self._entry(newest), how, times, times / counts.total()))
        return sorted(hits, key=lambda hit: (-hit.trust, -hit.times, -hit.entry.added.timestamp()))

    def _entry(self, row: Sequence[Any], *, changed: bool = False) -> Entry:
        try:
            added = dt.datetime.fromisoformat(row[7]).astimezone(dt.UTC)
            certificate = read(json.loads(row[8]))
        except (NoCertificate, ValueError, OverflowError, RecursionError) as error:
            raise self._file.damaged(f"the entry {row[0][:40]!r} cannot be read") from error
        reason = "its app's module has changed since" if changed else ""
        if self._old(row):
            reason = f"it is older than {MAX_AGE.days} days"
        return Entry(row[0], certificate, added, reason)

    def _old(self, row: Sequence[Any]) -> bool:
        try:
            return self._time() - dt.datetime.fromisoformat(row[7]) > MAX_AGE
        except (ValueError, TypeError) as error:
            raise self._file.damaged(f"the entry {row[0][:40]!r} cannot be read") from error

    def _last(self, row: Sequence[Any]) -> dt.date:
        entry = self._entry(row)
        return (entry.certificate.at or entry.added).date()

    def _time(self) -> dt.datetime:
        return self._now or dt.datetime.now(dt.UTC)


def _effects(rows: Iterable[Sequence[Any]]) -> Counter[Transition]:
    return Counter(cast(Transition, row[6]) for row in rows)
