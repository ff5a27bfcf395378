"""Reads the output of the commands of the trace. Pure; file names, settings and packages are not trusted."""

import ipaddress
import re
from collections.abc import Mapping
from dataclasses import field, replace
from types import MappingProxyType
from typing import Final

from vsalang.core.screen import Cells
from vsalang.core.text import canonical
from vsalang.core.values import NONE, Value
from vsalang.records import dataclass

MOST_FILES: Final = 5000
"""How many files are read from one listing; nothing is known of the others."""
MOST_ROWS: Final = 5000
"""How many rows are read of each other relation."""
LONGEST: Final = 4000
"""A value longer than this is unknown."""

_NOTHING: Final[Mapping[str, str]] = MappingProxyType({})
_PACKAGE: Final = r"[A-Za-z]\w*(?:\.\w+)*"


@dataclass(frozen=True, slots=True)
class Entry:
    """One file of a listing: its size in bytes, and when it was changed (as the phone writes it)."""

    size: int
    changed: str


@dataclass(frozen=True, slots=True)
class Listing:
    """The files of one observation.

    Attributes:
        entries: path -> file.
        whole: whether these are all files; if not, a missing path means nothing.
        known: path -> SHA-256 (hexadecimal) of the content.
    """

    entries: Mapping[str, Entry]
    whole: bool
    known: Mapping[str, str] = field(default_factory=lambda: _NOTHING)

    def hashed(self, known: Mapping[str, str]) -> "Listing":
        """A copy with these hashes."""
        return replace(self, known=MappingProxyType(dict(known)))

    def kept(self, new: "Listing") -> dict[str, str]:
        """The hashes that are still valid in a later listing: those of unchanged files."""
        return {path: sha for path, sha in self.known.items() if new.entries.get(path) == self.entries[path]}

    def cells(self) -> list[Cells]:
        """Rows of the relation ``File``."""
        return [_row(path=path, sha256=self.known.get(path)) for path in self.entries]


@dataclass(frozen=True, slots=True)
class Change:
    """A file that is new, deleted, or changed."""

    path: str
    kind: str

    def cells(self, old: Listing | None, new: Listing) -> Cells | None:
        """A row of ``FileChanged``; None if only its time changed. `none` is the hash of a file that does not exist."""
        before: Value | None = NONE if self.kind == "new" else (old.known.get(self.path) if old else None)
        after: Value | None = NONE if self.kind == "gone" else new.known.get(self.path)
        if before is not None and before == after:
            return None
        row: dict[str, Value] = {"path": canonical(self.path)}
        row |= {} if before is None else {"before": before}
        row |= {} if after is None else {"after": after}
        return row


def changes(old: Listing, new: Listing) -> tuple[Change, ...]:
    """The certain differences: a path that one of them lacks counts only if that one is whole."""
    found = [
        Change(path, "changed")
        for path, entry in new.entries.items()
        if path in old.entries and old.entries[path] != entry
    ]
    if old.whole:
        found += [Change(path, "new") for path in new.entries if path not in old.entries]
    if new.whole:
        found += [Change(path, "gone") for path in old.entries if path not in new.entries]
    return tuple(found)


def files(text: str, word: str, *, whole: bool) -> Listing | None:
    """A listing by ``find -printf 'WORD %s %T@ %p\\n'``; None if no line is part of one."""
    entries: dict[str, Entry] = {}
    plain = re.compile(
        rf"{re.escape(word)} (\d{{1,18}}) (-?\d{{1,18}}(?:\.\d+)?) (/[^\x00-\x1f\x7f]{{1,1023}})"
    )
    for line in text.split("\n"):
        if not line:
            continue
        found = plain.fullmatch(line)
        if found is None or found[3] in entries:
            whole = False  # a name with a line break in it, or an error
        elif len(entries) == MOST_FILES:
            whole = False
            break
        else:
            entries[found[3]] = Entry(int(found[1]), found[2])
    return Listing(MappingProxyType(entries), whole) if entries or whole else None


def quoted(path: str) -> str:
    """A path as one word of the phone's shell."""
    return "'" + path.replace("'", "'\\''") + "'"


def hashes(text: str, wanted: frozenset[str]) -> dict[str, str]:
    """The hashes that ``sha256sum`` printed for these files."""
    found = re.findall(r"^([0-9a-f]{64})  (/.*)$", text, re.MULTILINE)
    return {path: sha for sha, path in found if path in wanted}


def permissions(text: str, package: str) -> list[Cells]:
    """The permissions of a package in ``dumpsys package PACKAGE``; one printed as granted and as denied is unknown."""
    block = re.search(
        rf"^  Package \[{re.escape(package)}\] \([0-9a-f]+\):\n((?: {{4,}}.*\n|\n)*)",
        text + "\n",
        re.MULTILINE,
    )
    if block is None:
        return []
    granted: dict[str, set[bool]] = {}
    for found in re.finditer(
        r"^ {6,}([A-Za-z][\w.-]*): granted=(true|false)(?:, flags=\[[^\]\n]*\])?$", block[1], re.MULTILINE
    ):
        granted.setdefault(found[1], set()).add(found[2] == "true")
    return [
        {
            "package": package,
            "name": canonical(name),
            **({"granted": said == {True}} if len(said) == 1 else {}),
        }
        for name, said in list(granted.items())[:MOST_ROWS]
    ]


def is_table(text: str) -> bool:
    """Whether it is a table of ``/proc/net``; without permission to read it, the output is empty."""
    return "local_address" in text.split("\n", 1)[0]


def owners(text: str) -> dict[int, str | None]:
    """User id -> package, from ``pm list packages -U``; None if several packages have it."""
    found: dict[int, str | None] = {}
    for package, uid in re.findall(
        rf"^package:({_PACKAGE}) uid:(\d+)(?:,.*)?$", text, re.MULTILINE | re.ASCII
    ):
        found[int(uid)] = None if int(uid) in found else package
    return found


_CONNECTED: Final = frozenset({"01", "02"})
"""The states that have a remote side: connected, connecting."""
_LINE: Final = re.compile(
    r"^ *\d+: [0-9A-F]+:[0-9A-F]{4} ([0-9A-F]{8}|[0-9A-F]{32}):([0-9A-F]{4}) ([0-9A-F]{2}) \S+ \S+ \S+ +(\d+) ",
    re.MULTILINE,
)


def connections(text: str, owner: Mapping[int, str | None]) -> list[Cells]:
    """Rows of ``Network`` from ``/proc/net/tcp`` and ``tcp6``."""
    rows: dict[tuple[str, int, str | None], Cells] = {}
    for address, port, state, uid in _LINE.findall(text):
        if state not in _CONNECTED or len(rows) == MOST_ROWS:
            continue
        host, number, package = _host(address), int(port, 16), owner.get(int(uid))
        rows[host, number, package] = {**_row(package=package, host=host), "port": number}
    return list(rows.values())


def _host(address: str) -> str:
    """An address as the kernel writes it: words of four bytes, each in the order of the machine (little-endian)."""
    data = b"".join(bytes.fromhex(address[at : at + 8])[::-1] for at in range(0, len(address), 8))
    if len(data) == 4:
        return str(ipaddress.IPv4Address(data))
    six = ipaddress.IPv6Address(data)
    return str(six.ipv4_mapped or six)


def settings(text: str, namespace: str) -> list[Cells]:
    """Rows of ``Setting`` from ``settings list``. A value with a line break, or printed twice, is unknown."""
    values: dict[str, str | None] = {}
    last = ""
    for line in text.split("\n"):
        key, equals, value = line.partition("=")
        if equals and re.fullmatch(r"[A-Za-z_][\w.:/-]{0,199}", key, re.ASCII):
            values[key] = None if key in values or len(value) > LONGEST else value
            last = key
        elif line and last:
            values[last] = None
    return [
        {"namespace": namespace, "key": key, **({} if value is None else {"value": canonical(value)})}
        for key, value in list(values.items())[:MOST_ROWS]
    ]


def _row(**cells: str | None) -> dict[str, Value]:
    return {name: canonical(text) for name, text in cells.items() if text is not None}
