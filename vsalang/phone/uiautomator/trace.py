"""The trace of the system between two observations, as facts: files, permissions, connections, settings.

Off by default. It is read by shell commands that only read; one look has a budget of time for all of them, and each
answer a limit in size. What an answer lacks is unknown: a relation that could not be read is not given, `Traced` says
what was read whole, and `Untraced` what was not, and why. Each line of an answer begins with a random word that is new
for each command, so that the name of a file or the value of a setting cannot be mistaken for a line.
"""

import re
import secrets
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Literal, cast, get_args

from vsalang.base.records import dataclass
from vsalang.phone.errors import DeviceError
from vsalang.phone.uiautomator import tracefiles, tracetext
from vsalang.phone.uiautomator.adb import read_shell
from vsalang.phone.uiautomator.tracefiles import Listing
from vsalang.program.screen import Cells

Kind = Literal["files", "permissions", "connections", "settings"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
"""The kinds of traces."""

BUDGET: Final = 2.0
"""How long the trace of one look may take, in seconds."""
BYTES: Final = 4 << 20
"""How long one answer may be."""
MOST_HASHED: Final = 200
"""How many files are hashed in one observation; those that changed come first."""
LARGEST: Final = 4 << 20
"""A file larger than this, in bytes, is not hashed, unless another size is asked for."""
HASHED_BYTES: Final = 32 << 20
"""How many bytes are hashed in one observation."""
NAMESPACES: Final = ("system", "secure", "global")
_ROOT: Final = re.compile(r"/(?!$)[\w./-]+", re.ASCII)
_LEAST: Final = 0.05
"""With less time than this left, in seconds, no command is begun."""


@dataclass(frozen=True, slots=True)
class Tracing:
    """Which traces of the system are read.

    Attributes:
        kinds: of `KINDS`.
        roots: the folders whose files are listed, absolute.
        ignore: globs of files whose changes are not reported (`vsalang.phone.uiautomator.tracefiles.ignoring`).
        budget: how long the trace of one look may take, in seconds.
        hash_below: larger files, in bytes, are not hashed.
    """

    kinds: frozenset[Kind] = frozenset()
    roots: tuple[str, ...] = ("/sdcard/",)
    ignore: tuple[str, ...] = ()
    budget: float = BUDGET
    hash_below: int = LARGEST

    def __post_init__(self) -> None:
        for root in self.roots:
            if not _ROOT.fullmatch(root) or {"", ".", ".."} & set(root.strip("/").split("/")):
                raise DeviceError(f"a folder whose files are traced is absolute and plain, not {root!r}")
        tracefiles.ignoring(self.ignore)

    @property
    def folders(self) -> tuple[str, ...]:
        """The folders, each once and with ``/`` at the end: so a folder that is a link is followed."""
        return tuple(dict.fromkeys(root.rstrip("/") + "/" for root in self.roots))

    @classmethod
    def read(cls, text: str) -> "Tracing":
        """Parse an option such as ``files,settings``; ``all`` means every kind.

        Raises:
            DeviceError: it names an unknown kind.
        """
        names = [name.strip() for name in text.split(",") if name.strip()]
        if names == ["all"]:
            return cls(frozenset(KINDS))
        for name in names:
            if name not in KINDS:
                raise DeviceError(f"there is no trace of {name!r}; there are: {', '.join(KINDS)}")
        return cls(frozenset(cast("list[Kind]", names)))


class Tracer:
    """Reads the trace of one device; keeps the last answers."""

    def __init__(self, device: Any, tracing: Tracing) -> None:
        self._device = device
        self._tracing = tracing
        self._files: Listing | None = None
        self._packages: list[str] = []
        self._until = 0.0
        self._ignored = tracefiles.ignoring(tracing.ignore)

    def take(self, package: str | None) -> Mapping[str, Sequence[Cells]]:
        """The facts, relation by relation; one that could not be read is left out.

        Args:
            package: the app in the foreground: permissions are read of the apps that were in the foreground.

        Raises:
            Exception: as adbutils raises it when the device cannot be reached.
        """
        self._until = time.monotonic() + self._tracing.budget
        look_rows = _LookRows()
        kinds = self._tracing.kinds
        if "settings" in kinds:
            self._take_settings(look_rows)
        if "permissions" in kinds:
            self._take_permissions(package, look_rows)
        if "connections" in kinds:
            self._take_connections(look_rows)
        if "files" in kinds:  # last: they take what is left of the budget
            self._take_files(look_rows)
        return {**look_rows.rows, "Traced": look_rows.traced, "Untraced": look_rows.untraced}

    def _ask(self, *commands: str) -> tuple[list[str], list[int | None]]:
        """The output of each command, and its exit status; None if it was cut off or not begun."""
        left = self._until - time.monotonic()
        if left < _LEAST:
            return [""] * len(commands), [None] * len(commands)
        mark = f"--{secrets.token_hex(8)}--"
        line = "; ".join(f"{command}; echo {mark}$?" for command in commands)
        text, _ = read_shell(self._device, line, seconds=left, most=BYTES)
        parts = re.split(rf"{mark}(\d+)\n", text)
        statuses = [int(status) for status in parts[1::2]]
        lacking = len(commands) - len(statuses)
        answers = (parts[0::2] + [""] * len(commands))[: len(commands)]
        return answers, [*statuses[: len(commands)], *([None] * lacking)]

    # ------------------------------------------------------------------ files

    def _take_files(self, look_rows: "_LookRows") -> None:
        listings = [self._list(folder) for folder in self._tracing.folders]
        new = tracefiles.joined(listings)
        if not new.entries and not new.whole:
            look_rows.untraced += [
                {"relation": name, "within": folder, "why": why}
                for folder, why in new.holes.items()
                for name in ("File", "FileChanged")
            ]
            return
        old = self._files
        changed = tracefiles.changes(old, new) if old is not None else ()
        hashes = self._hash(new, [change.path for change in changed])
        new = new.hashed({**(old.kept(new) if old is not None else {}), **hashes})
        self._files = old.then(new) if old is not None else new
        look_rows.add(tracefiles.rows(old, new, self._ignored))

    def _list(self, folder: str) -> Listing:
        word = secrets.token_hex(8)
        listing, denied = tracefiles.commands(folder, word)
        answers, statuses = self._ask(listing)
        errors: list[str] = [""]
        whole = statuses[0] is not None
        if statuses[0]:
            errors, counts = self._ask(denied)
            whole = counts[0] is not None
        return tracefiles.files(folder, answers[0], errors[0], word, whole=whole, failed=bool(statuses[0]))

    def _hash(self, listing: Listing, first: Iterable[str]) -> dict[str, str]:
        """Hashes of the files that changed, then of those without a known hash, within the limits."""
        known = self._files.kept(listing) if self._files is not None else {}
        order = dict.fromkeys([*first, *(path for path in listing.entries if path not in known)])
        wanted: list[str] = []
        left = HASHED_BYTES
        for path in order:
            entry = listing.entries.get(path)
            if (
                entry is None
                or entry.size > self._tracing.hash_below
                or entry.size > left
                or len(wanted) == MOST_HASHED
            ):
                continue
            wanted.append(path)
            left -= entry.size
        if not wanted:
            return {}
        paths = " ".join(tracefiles.quoted(path) for path in wanted)
        answers, _ = self._ask(f"sha256sum -- {paths} 2>/dev/null")
        return tracefiles.hashes(answers[0], frozenset(wanted))

    # ------------------------------------------------------------------ the others

    def _take_permissions(self, package: str | None, look_rows: "_LookRows") -> None:
        if package is not None and re.fullmatch(r"[A-Za-z]\w*(?:\.\w+)*", package, re.ASCII):
            self._packages = [package, *(p for p in self._packages if p != package)][:8]
        rows: list[Cells] = []
        read = False
        for name in self._packages:
            answers, statuses = self._ask(f"dumpsys package {name} 2>/dev/null")
            if statuses != [0]:
                look_rows.hole("Permission", name, _why(statuses[0]))
                continue
            read = True
            rows += tracetext.permissions(answers[0], name)
            look_rows.part("Permission", name, tracetext.permissions_missing(answers[0], name))
        if read:
            look_rows.rows["Permission"] = rows

    def _take_connections(self, look_rows: "_LookRows") -> None:
        answers, statuses = self._ask(
            "cat /proc/net/tcp 2>/dev/null",
            "cat /proc/net/tcp6 2>/dev/null",
            "pm list packages -U 2>/dev/null",
        )
        four, six, owners = answers
        if statuses != [0, 0, 0] or not (tracetext.is_table(four) and tracetext.is_table(six)):
            failed = next((status for status in statuses if status != 0), 1)
            look_rows.hole("Network", None, _why(failed))
            return
        look_rows.rows["Network"] = tracetext.connections(f"{four}\n{six}", tracetext.owners(owners))

    def _take_settings(self, look_rows: "_LookRows") -> None:
        answers, statuses = self._ask(*(f"settings list {space} 2>/dev/null" for space in NAMESPACES))
        rows: list[Cells] = []
        for space, answer, status in zip(NAMESPACES, answers, statuses, strict=True):
            if status != 0:
                look_rows.hole("Setting", space, _why(status))
                continue
            rows += tracetext.settings(answer, space)
            look_rows.part("Setting", space, tracetext.settings_missing(answer))
        if any(status == 0 for status in statuses):
            look_rows.rows["Setting"] = rows


def _why(status: int | None) -> str:
    if status is None:
        return "cut off"
    return "no such command" if status == 127 else "the command failed"


class _LookRows:
    """The rows of one look, while they are collected."""

    def __init__(self) -> None:
        self.rows: dict[str, Sequence[Cells]] = {}
        self.traced: list[Cells] = []
        self.untraced: list[Cells] = []

    def add(self, rows: Mapping[str, Sequence[Cells]]) -> None:
        """Add the rows that files give."""
        self.rows |= {name: each for name, each in rows.items() if name not in ("Traced", "Untraced")}
        self.traced += rows["Traced"]
        self.untraced += rows["Untraced"]

    def part(self, relation: str, within: str, missing: str) -> None:
        """A part was read: whole if nothing is missing."""
        if missing:
            self.hole(relation, within, missing)
        else:
            self.traced.append({"relation": relation, "within": within})

    def hole(self, relation: str, within: str | None, why: str) -> None:
        """A part was not read, or not whole; None: nothing of the relation was read."""
        part = {} if within is None else {"within": within}
        self.untraced.append({"relation": relation, **part, "why": why})


__all__ = ["BUDGET", "BYTES", "KINDS", "Kind", "Tracer", "Tracing"]
