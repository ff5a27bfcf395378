"""Makes a store of this version of one of an older version: its parts are written again, from the lines that they hold.

The list names the new parts, and the version, in one piece: a process that is killed leaves the store as it was or as
it is after it.
"""

from collections.abc import Iterator
from pathlib import Path

from vsalang.base.records import dataclass
from vsalang.guard.journal import JournalError
from vsalang.tools.fleet.judging import Row, sessions_of
from vsalang.tools.fleet.rows import rows_of, whole_line
from vsalang.tools.fleet.schema import VERSION, StoreError
from vsalang.tools.fleet.store import Store, table_of, version_of


@dataclass(frozen=True, slots=True)
class UpgradeResult:
    """What an upgrade did.

    Attributes:
        before: the version that it had.
        after: the version that it has.
        sessions: how many it holds.
        redacted: of how many the secrets were replaced: columns of later versions say nothing of them.
    """

    before: int
    after: int
    sessions: int
    redacted: int = 0


def upgrade(folder: Path) -> UpgradeResult:
    """Give a store the columns of this version.

    Args:
        folder: of the store.

    Raises:
        StoreError: it is of a newer version, cannot be read or written, or a session in it was changed.
    """
    before = version_of(folder)
    redacted = 0

    def newer(rows: list[Row]) -> Iterator[Row]:
        nonlocal redacted
        if rows[0]["redacted"]:
            redacted += 1
            yield from rows
            return
        lines = (whole_line(row).encode() for row in rows)
        try:
            yield from rows_of(f"session {rows[0]['session']}", lines, str(rows[0]["tenant"])).rows
        except JournalError as error:
            raise StoreError(str(error), "import its journals into a new store") from error

    with Store(folder, make=False, version=min(before, VERSION)) as store, store.writing():
        if before < VERSION:
            written = [
                store.write(
                    table_of(
                        [
                            row
                            for rows in sessions_of(store.table(part).to_pylist())
                            for row in newer(list(rows))
                        ]
                    ),
                    part.size,
                )
                for part in store.parts
            ]
            if [part.sessions for part in written] != [part.sessions for part in store.parts]:
                raise StoreError("sessions would be lost: this is a fault of vsac; nothing was changed")
            store.replace(written)
        return UpgradeResult(before, VERSION, sum(part.sessions for part in store.parts), redacted)
