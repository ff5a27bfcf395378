"""Looks after a store: makes few large parts of many, lets go of what is old or secret, and gives journals back."""

import datetime as dt
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from vsalang.base.records import dataclass
from vsalang.guard.journal import JournalError
from vsalang.screen.secrets import Redactor
from vsalang.tools.fleet.judging import Row, sessions_of
from vsalang.tools.fleet.rows import rows_of, whole_line
from vsalang.tools.fleet.schema import StoreError
from vsalang.tools.fleet.store import PART_BYTES, Part, Store, table_of

if TYPE_CHECKING:
    pass

_SMALL: Final = PART_BYTES // 2
"""A part below that is put together with others."""


@dataclass(frozen=True, slots=True)
class CompactionResult:
    """The result of looking after a store.

    Attributes:
        before, after: how many parts there were, and are.
        dropped: how many sessions are gone because they were old.
        redacted: of how many the secrets were replaced.
        sessions: how many are left.
    """

    before: int
    after: int
    dropped: int
    redacted: int
    sessions: int


def compact(
    store: Store, older_than: dt.datetime | None = None, redactor: Callable[[], Redactor] | None = None
) -> CompactionResult:
    """Put small parts together; let go of sessions whose last record is older, and of secrets.

    Args:
        store: is written again, in one piece: others see it as it was or as it is.
        older_than: a time; None: all sessions stay.
        redactor: makes what replaces the secrets of one session; None: they stay.

    Raises:
        StoreError: it cannot be read or written.
    """
    counts = {"dropped": 0, "redacted": 0}

    def kept(part: Part) -> Iterator[Sequence[Row]]:
        for rows in sessions_of(store.table(part).to_pylist()):
            newest = max((row["written"] for row in rows if row["written"] is not None), default=None)
            if older_than is not None and newest is not None and newest < older_than:
                counts["dropped"] += 1
            elif redactor is not None and not rows[0]["redacted"]:
                counts["redacted"] += 1
                yield _redacted(rows, redactor())
            else:
                yield rows

    with store.writing():
        before = store.parts
        changing = older_than is not None or redactor is not None
        left = [part for part in before if not changing and part.size >= _SMALL]
        taken = [part for part in before if part not in left]
        written: list[Part] = []
        if len(taken) > 1 or changing:
            written = list(_written(store, (rows for part in taken for rows in kept(part))))
        if written or changing:
            store.replace([*left, *written])
        for path in store.folder.glob("part-*.parquet"):  # what a killed writer left
            if path.name not in {part.name for part in store.parts}:
                path.unlink(missing_ok=True)
        sessions = sum(part.sessions for part in store.parts)
        return CompactionResult(
            len(before), len(store.parts), counts["dropped"], counts["redacted"], sessions
        )


def _written(store: Store, sessions: Iterable[Sequence[Row]]) -> Iterator[Part]:
    waiting: list[Row] = []
    size = 0
    for rows in sessions:
        waiting += rows
        size += sum(len(row["line"]) for row in rows)
        if size >= PART_BYTES:
            yield store.write(table_of(waiting), size)
            waiting, size = [], 0
    if waiting:
        yield store.write(table_of(waiting), size)


def _redacted(rows: Sequence[Row], redactor: Redactor) -> list[Row]:
    lines = [whole_line(row).encode() for row in rows]
    try:
        return list(rows_of(f"session {rows[0]['session']}", lines, str(rows[0]["tenant"]), redactor).rows)
    except JournalError as error:
        raise StoreError(str(error), "import its journals into a new store") from error


def journal_lines(store: Store, session: str) -> list[str]:
    """The lines of the journal of a session.

    Args:
        session: the hash of its first line, or how that begins.

    Raises:
        StoreError: there is none, there are several, or its secrets were replaced.
    """
    from vsalang.tools.fleet.views import connect, rows

    connection = connect(store)
    try:
        query = "SELECT DISTINCT tenant, session FROM records WHERE number = 1 AND starts_with(session, $begin) LIMIT 2"
        keys = rows(connection, query, {"begin": session})[1]
        if len(keys) != 1:
            many = "several sessions begin with" if keys else "there is no session"
            raise StoreError(
                f"{many} {session[:64]}", "vsac fleet query --sql 'SELECT * FROM sessions' lists them"
            )
        columns, lines = rows(
            connection,
            """SELECT line, cut, sources, first_value(redacted) OVER (ORDER BY number) AS redacted
               FROM records WHERE tenant = $tenant AND session = $session ORDER BY number""",
            dict(zip(("tenant", "session"), keys[0], strict=True)),
        )
    finally:
        connection.close()
    records = [dict(zip(columns, each, strict=True)) for each in lines]
    if records[0]["redacted"]:
        raise StoreError(f"the secrets of {session[:64]} were replaced: its journal is not there any more")
    return [whole_line(record) for record in records]
