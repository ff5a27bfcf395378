"""The store: parts of Parquet, each with whole sessions in one row group, and a list of the parts that count.

A part is written, forced to the disk, and counts once the list (``fleet.json``) names it. The list is replaced in one
piece: a writer that is killed leaves the store as it was before or after, and at most a file that nobody names. Writers
wait for each other; readers need not.
"""

import json
import os
import re
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, Self

from vsalang.base.records import dataclass
from vsalang.base.source import private
from vsalang.base.source.locking import held
from vsalang.base.source.opening import read_regular
from vsalang.tools.fleet.rows import SessionRows
from vsalang.tools.fleet.schema import SCHEMA_KEY, VERSION, StoreError, schema

if TYPE_CHECKING:
    import pyarrow as pa

PART_BYTES: Final = 32 * 1024 * 1024
"""About so many bytes of lines stand in a part, which is what one process reads at a time."""
PATIENCE: Final = 60.0
"""Seconds for which a writer waits for another."""
LIST_FILE: Final = "fleet.json"
_NAME: Final = re.compile(r"part-\w+\.parquet", re.ASCII)
_MOST: Final = 64 * 1024 * 1024
_PLAIN: Final = ("line", "hash", "number")
_LONG: Final = ("line", "sources")
Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Part:
    """A file of the store.

    Attributes:
        name: of the file.
        rows: how many records it holds.
        sessions: how many sessions.
        size: how long their lines are, in bytes.
    """

    name: str
    rows: int
    sessions: int
    size: int


Relation = Literal["new", "grown", "known", "forked", "redacted"]
"""What a session that is added is to the store.

It was not there; it was, with fewer lines; it was, with these lines or more; one that is there shares its beginning and
then goes on otherwise, so that it is left out; it has grown, and its secrets were replaced in the store and stand in
what is added, so that it is left out.
"""


class Store:
    """A folder with journals of many devices as rows.

    Args:
        folder: where it is; made if it is not there.
        make: whether it may be made.
        version: of the columns; an older one is for `vsalang.tools.fleet.upgrading`.

    Raises:
        StoreError: it cannot be used.
    """

    def __init__(self, folder: Path, *, make: bool = True, version: int = VERSION) -> None:
        self.folder = folder
        if make:
            try:
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            except OSError as error:
                raise StoreError(
                    f"{folder} cannot be made: {(error.strerror or str(error)).lower()}"
                ) from error
        elif not (folder / LIST_FILE).is_file():
            raise StoreError(
                f"{folder} is not a store", "make one: vsac fleet import JOURNAL.. --store FOLDER"
            )
        self.version = version
        self._known: dict[Key, tuple[str, int, str]] = {}
        self._redacted: set[Key] = set()
        self._read: set[str] = set()
        self.parts: tuple[Part, ...] = ()
        self.refresh()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._known.clear()

    def refresh(self) -> None:
        """Read which parts count now.

        Raises:
            StoreError: the list cannot be read, or is of another version.
        """
        place = self.folder / LIST_FILE
        try:
            version, parts = _listed(place)
        except FileNotFoundError:
            version, parts = self.version, ()
        if version != self.version:
            raise StoreError(
                f"{self.folder} is a store of version {version}, and this version of vsac reads {VERSION}",
                "update vsac" if version > VERSION else f"run `vsac fleet upgrade {self.folder}`",
            )
        if not all(_NAME.fullmatch(part.name) for part in parts):
            raise StoreError(f"{place} is not the list of a store: a part has the name of another file")
        self.parts = parts

    def path(self, part: Part) -> Path:
        """Where a part is."""
        return self.folder / part.name

    def table(self, part: Part, columns: Sequence[str] | None = None) -> "pa.Table":
        """A part as a table.

        Args:
            part: which.
            columns: these alone; None: all.

        Raises:
            StoreError: it cannot be read, or is of another version.
        """
        import pyarrow as pa
        import pyarrow.parquet as pq

        place = self.path(part)
        try:
            with pq.ParquetFile(place, page_checksum_verification=True) as file:
                stated = (file.schema_arrow.metadata or {}).get(SCHEMA_KEY)
                if stated != str(self.version).encode():
                    raise StoreError(f"{place} is not a part of a store of version {self.version}")
                return file.read(columns=None if columns is None else list(columns), use_threads=False)
        except (OSError, pa.ArrowException) as error:
            raise StoreError(
                f"cannot read {place}: {error}", "if the store was compacted meanwhile, run the command again"
            ) from error

    # ------------------------------------------------------------------ adding

    def add(self, sessions: Iterable[SessionRows]) -> tuple[Relation, ...]:
        """Add sessions, all or none of them, and say of each what it was to the store; none is added twice.

        Raises:
            StoreError: the store cannot be read or written.
        """
        with self.writing():
            relations: list[Relation] = []
            wanted: dict[Key, SessionRows] = {}
            replaced: dict[str, set[Key]] = {}
            for each in sessions:
                key = (str(each.rows[0]["tenant"]), each.session)
                there = self._there(key, wanted)
                relation = "new" if there is None else self._relation(key, there, each)
                relations.append(relation)
                if relation in ("new", "grown"):
                    wanted[key] = each
                if relation == "grown" and key in self._known:
                    replaced.setdefault(self._known[key][2], set()).add(key)
            changed = [
                self._without(part, replaced[part.name]) for part in self.parts if part.name in replaced
            ]
            written = [part for part in changed if part is not None]
            if wanted:
                rows = [row for each in wanted.values() for row in each.rows]
                written.append(self.write(table_of(rows), sum(each.size for each in wanted.values())))
            if written or replaced:
                self.replace([*(part for part in self.parts if part.name not in replaced), *written])
        return tuple(relations)

    def _there(self, key: Key, wanted: Mapping[Key, SessionRows]) -> tuple[str, int] | None:
        if key in wanted:
            return wanted[key].head, len(wanted[key].rows)
        known = self._known.get(key)
        return None if known is None else known[:2]

    def _relation(self, key: Key, there: tuple[str, int], new: SessionRows) -> Relation:
        """What a session is to one that is there, given its head and how many lines that has."""
        head, lines = there
        if lines <= len(new.rows):
            same = new.rows[lines - 1]["hash"] == head
            if not same or lines == len(new.rows):
                return "known" if same else "forked"
            return "redacted" if key in self._redacted and not new.rows[0]["redacted"] else "grown"
        part = next(
            (each for each in self.parts if key in self._known and each.name == self._known[key][2]), None
        )
        if part is None:
            return "known"  # the longer one was added at the same time
        import pyarrow.compute as pc

        table = self.table(part, ("tenant", "session", "number", "hash"))
        here = pc.and_(pc.equal(table["tenant"], key[0]), pc.equal(table["session"], key[1]))
        line = table.filter(pc.and_(here, pc.equal(table["number"], len(new.rows))))
        return "known" if line["hash"].to_pylist() == [new.head] else "forked"

    def _without(self, part: Part, keys: set[Key]) -> Part | None:
        """A part written again without some sessions; None if nothing is left."""
        import pyarrow as pa

        table = self.table(part)
        pairs = zip(table["tenant"].to_pylist(), table["session"].to_pylist(), strict=True)
        left = table.filter(pa.array([pair not in keys for pair in pairs]))
        if not left.num_rows:
            return None
        return self.write(left, part.size * left.num_rows // table.num_rows)

    def write(self, table: "pa.Table", size: int) -> Part:
        """Write a part that does not count yet.

        Args:
            table: its rows, whole sessions.
            size: how long their lines are.

        Raises:
            StoreError: it cannot be written.
        """
        import pyarrow as pa
        import pyarrow.parquet as pq

        part = Part(f"part-{uuid.uuid4().hex}.parquet", table.num_rows, _sessions(table), size)
        place = self.path(part)
        try:
            with os.fdopen(os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                pq.write_table(
                    table,
                    file,
                    row_group_size=max(table.num_rows, 1),
                    compression="zstd",
                    use_dictionary=[name for name in table.column_names if name not in _PLAIN],
                    dictionary_pagesize_limit=PART_BYTES,
                    # the least and the largest of texts as long as lines would be copied into the page's head
                    write_statistics=[name for name in table.column_names if name not in _LONG],
                    write_page_checksum=True,
                )
                file.flush()
                os.fsync(file.fileno())
        except (OSError, pa.ArrowException) as error:
            place.unlink(missing_ok=True)
            raise StoreError(f"cannot write {place}: {error}") from error
        return part

    def replace(self, parts: Sequence[Part]) -> None:
        """Let these parts count, and no others; the files of those that do not count any more go.

        Raises:
            StoreError: the list cannot be written.
        """
        rows = [
            {"name": part.name, "rows": part.rows, "sessions": part.sessions, "size": part.size}
            for part in parts
        ]
        data = json.dumps({"version": VERSION, "parts": rows}, indent=1).encode()
        try:
            private.write(self.folder / LIST_FILE, data, force=True)
            private.sync_folder(self.folder)
        except OSError as error:
            raise StoreError(f"cannot write {self.folder / LIST_FILE}: {error.strerror}") from error
        gone = {part.name for part in self.parts} - {part.name for part in parts}
        self.parts, self.version = tuple(parts), VERSION
        self._index()
        for name in gone:
            (self.folder / name).unlink(missing_ok=True)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Hold the store for this writer, with the newest list."""
        place = self.folder / "fleet.lock"
        try:
            number = held(place, PATIENCE)
        except TimeoutError as error:
            raise StoreError(f"another process writes to {self.folder}", "wait for it, or end it") from error
        except OSError as error:
            raise StoreError(f"cannot write {place}: {(error.strerror or str(error)).lower()}") from error
        try:
            self.refresh()
            self._index()
            yield
        finally:
            os.close(number)

    def _index(self) -> None:
        """Learn which sessions the parts hold, of those that are not known yet."""
        names = {part.name for part in self.parts}
        if self._read - names:
            self._known = {key: value for key, value in self._known.items() if value[2] in names}
        for part in self.parts:
            if part.name in self._read:
                continue
            columns = ("tenant", "session", "head", "lines", "redacted")
            table = self.table(part, (*columns, "number"))
            first = table.filter(_first(table))
            for tenant, session, head, lines, redacted in zip(
                *(first[name].to_pylist() for name in columns), strict=True
            ):
                self._known[tenant, session] = head, lines, part.name
                (self._redacted.add if redacted else self._redacted.discard)((tenant, session))
        self._read = names


def version_of(folder: Path) -> int:
    """The version of a store's columns. Raises `StoreError`: it is not a store, or its list cannot be read."""
    try:
        return _listed(folder / LIST_FILE)[0]
    except FileNotFoundError as error:
        raise StoreError(f"{folder} is not a store") from error


def _listed(place: Path) -> tuple[int, tuple[Part, ...]]:
    """The version and the parts that a list names. Raises `StoreError`, `FileNotFoundError`."""
    try:
        data = json.loads(read_regular(place, _MOST))
        version = data["version"]
        parts = tuple(
            Part(str(each["name"]), int(each["rows"]), int(each["sessions"]), int(each["size"]))
            for each in data["parts"]
        )
        if not isinstance(version, int) or version < 1:
            raise ValueError("its version is not a number from 1")
    except FileNotFoundError:
        raise
    except OSError as error:
        raise StoreError(f"cannot read {place}: {(error.strerror or str(error)).lower()}") from error
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise StoreError(f"{place} is not the list of a store: {error}") from error
    return version, parts


def _first(table: "pa.Table") -> Any:
    import pyarrow.compute as pc

    return pc.equal(table["number"], 1)


def _sessions(table: "pa.Table") -> int:
    return int(_first(table).cast("int64").to_numpy().sum()) if table.num_rows else 0


def table_of(rows: Sequence[Mapping[str, Any]]) -> "pa.Table":
    """Rows as a table with all columns."""
    import pyarrow as pa

    return pa.Table.from_pylist(list(rows), schema=schema())
