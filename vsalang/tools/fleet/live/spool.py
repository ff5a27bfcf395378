"""Of which journals something is left to be sent: a small file each, in a folder of this user alone.

The journal itself is what is spooled. A file here names it, the server, and the file of the token.
"""

import hashlib
import json
from contextlib import suppress
from pathlib import Path

from vsalang.base.records import dataclass
from vsalang.base.source import private

_LARGEST = 20_000


@dataclass(frozen=True, slots=True)
class SpoolEntry:
    """A journal of which something may be left.

    Attributes:
        place: the file that says so.
        url: of the server.
        token_file: where the device's token is.
        problem: why the server does not take it; empty: it was only away.
    """

    place: Path
    url: str
    token_file: str
    journal: Path
    problem: str = ""


class Spool:
    """The folder. Raises `OSError`: it cannot be made, or belongs to others, too."""

    def __init__(self, folder: Path) -> None:
        private.own_folder(folder)
        self._folder = folder

    def add(self, url: str, token_file: str, journal: Path) -> Path:
        """Say that something of a journal may be left; returns the file that says so. Raises `OSError`."""
        journal = journal.absolute()
        name = hashlib.sha256(f"{url}\n{journal}".encode()).hexdigest()[:32]
        place = self._folder / f"{name}.json"
        self._write(
            place, {"url": url, "token_file": str(Path(token_file).absolute()), "journal": str(journal)}
        )
        return place

    def keep(self, place: Path, problem: str) -> None:
        """The server does not take a journal: say why. Raises `OSError`."""
        entry = self._read(place)
        if entry is not None:
            data = {"url": entry.url, "token_file": entry.token_file, "journal": str(entry.journal)}
            self._write(place, {**data, "problem": problem})

    def remove(self, place: Path) -> None:
        """Nothing is left of a journal."""
        with suppress(OSError):
            place.unlink()

    def left(self) -> list[SpoolEntry]:
        """The journals of which something may be left."""
        entries = (self._read(place) for place in sorted(self._folder.glob("*.json")))
        return [entry for entry in entries if entry is not None]

    def _write(self, place: Path, data: dict[str, str]) -> None:
        private.write(place, json.dumps(data).encode() + b"\n")

    def _read(self, place: Path) -> SpoolEntry | None:
        with suppress(OSError, ValueError, KeyError, TypeError, AttributeError):
            data = json.loads(private.read(place, _LARGEST))
            texts = {name: str(data[name]) for name in ("url", "token_file", "journal")}
            return SpoolEntry(
                place, texts["url"], texts["token_file"], Path(texts["journal"]), str(data.get("problem", ""))
            )
        return None


def default_spool() -> Path:
    """``~/.local/state/vsalang/fleet``. Raises `OSError`: the user has no home."""
    base = private.home_folder("XDG_STATE_HOME", ".local/state")
    if base is None:
        raise OSError("the spool has no place: the user has no home, and XDG_STATE_HOME names no folder")
    return base / "vsalang" / "fleet"
