"""The trace of the system between two observations, as facts: files, permissions, connections, settings.

Off by default. It is read by shell commands that only read, each limited in time and size. What an answer lacks is
unknown: a relation that could not be read is not given, and a file that is missing in a listing that was cut off is
not reported as deleted. Each line of an answer begins with a random word that is new for each command, so that the
name of a file or the value of a setting cannot be mistaken for a line.
"""

import re
import secrets
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Literal, cast, get_args

from vsalang.core.screen import Cells
from vsalang.device.errors import DeviceError
from vsalang.device.uiautomator import tracetext
from vsalang.device.uiautomator.adb import read_shell
from vsalang.device.uiautomator.tracetext import Change, Listing, changes
from vsalang.records import dataclass

Kind = Literal["files", "permissions", "connections", "settings"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
"""The kinds of traces."""

SECONDS: Final = 10.0
"""How long one command may take, in seconds."""
BYTES: Final = 4 << 20
"""How long one answer may be."""
MOST_HASHED: Final = 200
"""How many files are hashed in one observation; those that changed come first."""
LARGEST: Final = 4 << 20
"""A file larger than this, in bytes, is not hashed."""
HASHED_BYTES: Final = 32 << 20
"""How many bytes are hashed in one observation."""
NAMESPACES: Final = ("system", "secure", "global")
_ROOT: Final = re.compile(r"/(?!$)[\w./-]+", re.ASCII)


@dataclass(frozen=True, slots=True)
class Tracing:
    """Which traces of the system are read.

    Attributes:
        kinds: of `KINDS`.
        roots: the folders whose files are listed, absolute.
    """

    kinds: frozenset[Kind] = frozenset()
    roots: tuple[str, ...] = ("/sdcard/",)

    def __post_init__(self) -> None:
        for root in self.roots:
            if not _ROOT.fullmatch(root) or ".." in root.split("/"):
                raise DeviceError(f"a folder whose files are traced is absolute and plain, not {root!r}")

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

    def take(self, package: str | None) -> Mapping[str, Sequence[Cells]]:
        """The facts, relation by relation; one that could not be read is left out.

        Args:
            package: the app in the foreground: permissions are read of the apps that were in the foreground.

        Raises:
            Exception: as adbutils raises it when the device cannot be reached.
        """
        found: dict[str, Sequence[Cells]] = {}
        kinds = self._tracing.kinds
        if "files" in kinds:
            found |= self._take_files()
        if "permissions" in kinds:
            found |= self._take_permissions(package)
        if "connections" in kinds:
            found |= self._take_connections()
        if "settings" in kinds:
            found |= self._take_settings()
        return found

    def _ask(self, *commands: str) -> tuple[list[str], bool]:
        """The output of each command, and whether it is complete and no command failed."""
        mark = f"--{secrets.token_hex(8)}--"
        line = "; ".join(f"{command} 2>/dev/null; echo {mark}$?" for command in commands)
        text, whole = read_shell(self._device, line, seconds=SECONDS, most=BYTES)
        parts = re.split(rf"{mark}(\d+)\n?", text)
        statuses = parts[1::2]
        answers = (parts[0::2] + [""] * len(commands))[: len(commands)]
        return answers, whole and statuses == ["0"] * len(commands)

    # ------------------------------------------------------------------ files

    def _take_files(self) -> dict[str, Sequence[Cells]]:
        word = secrets.token_hex(8)
        form = f"{word} %s %T@ %p\\n"
        commands = [f"find {root} -xdev -type f -printf '{form}'" for root in self._tracing.roots]
        answers, whole = self._ask(*commands)
        new = tracetext.files("\n".join(answers), word, whole=whole)
        if new is None:
            return {}
        old = self._files
        changed = changes(old, new) if old is not None else ()
        hashes = self._hash(new, [change.path for change in changed])
        new = new.hashed({**(old.kept(new) if old is not None else {}), **hashes})
        self._files = new
        rows = [change.cells(old, new) for change in changed]
        return {"File": new.cells(), "FileChanged": [row for row in rows if row is not None]}

    def _hash(self, listing: Listing, first: Iterable[str]) -> dict[str, str]:
        """Hashes of the files that changed, then of those without a known hash, within the limits."""
        known = self._files.kept(listing) if self._files is not None else {}
        order = dict.fromkeys([*first, *(path for path in listing.entries if path not in known)])
        wanted: list[str] = []
        left = HASHED_BYTES
        for path in order:
            entry = listing.entries.get(path)
            if entry is None or entry.size > LARGEST or entry.size > left or len(wanted) == MOST_HASHED:
                continue
            wanted.append(path)
            left -= entry.size
        if not wanted:
            return {}
        paths = " ".join(tracetext.quoted(path) for path in wanted)
        answers, _ = self._ask(f"sha256sum -- {paths}")
        return tracetext.hashes(answers[0], frozenset(wanted))

    # ------------------------------------------------------------------ the others

    def _take_permissions(self, package: str | None) -> dict[str, Sequence[Cells]]:
        if package is not None and re.fullmatch(r"[A-Za-z]\w*(?:\.\w+)*", package, re.ASCII):
            self._packages = [package, *(p for p in self._packages if p != package)][:8]
        if not self._packages:
            return {}
        rows: list[Cells] = []
        for name in self._packages:
            answers, whole = self._ask(f"dumpsys package {name}")
            if not whole:
                return {}
            rows += tracetext.permissions(answers[0], name)
        return {"Permission": rows}

    def _take_connections(self) -> dict[str, Sequence[Cells]]:
        answers, whole = self._ask("cat /proc/net/tcp", "cat /proc/net/tcp6", "pm list packages -U")
        if not whole:
            return {}
        four, six, owners = answers
        if not (tracetext.is_table(four) and tracetext.is_table(six)):
            return {}
        return {"Network": tracetext.connections(f"{four}\n{six}", tracetext.owners(owners))}

    def _take_settings(self) -> dict[str, Sequence[Cells]]:
        answers, whole = self._ask(*(f"settings list {space}" for space in NAMESPACES))
        if not whole:
            return {}
        return {
            "Setting": [
                row
                for space, answer in zip(NAMESPACES, answers, strict=True)
                for row in tracetext.settings(answer, space)
            ]
        }


__all__ = ["BYTES", "KINDS", "SECONDS", "Change", "Kind", "Tracer", "Tracing"]
