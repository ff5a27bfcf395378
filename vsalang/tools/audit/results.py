"""A file with the result of each source that was audited, a JSON object a line: a run goes on where it stopped."""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from vsalang.base.source.locking import lock_file
from vsalang.base.source.opening import open_regular, refuse_irregular
from vsalang.tools.audit.judging import Audited, as_data, from_data

_BEGIN: Final = b'{"audit": 1, "key": "'
_LARGEST_LINE: Final = 256 * 1024 * 1024


class ResultsError(Exception):
    """A file of results cannot be used."""


class Results:
    """What is known, and what is added; nobody else may use the file meanwhile.

    A line is appended whole, once its source was audited. A process that is killed leaves at most one line that is cut
    off; the next run drops it. Only the places of lines are kept in memory.

    Args:
        place: the file; it is made if it is not there.

    Raises:
        ResultsError: it is a link, it cannot be read or written, another run has it, or a line is not one of ours.
    """

    def __init__(self, place: Path) -> None:
        self.place = place
        self._lines: dict[str, tuple[int, int]] = {}
        try:
            if place.is_symlink():
                raise ResultsError(f"{place} is a link: name the file itself")
            if place.exists():
                refuse_irregular(place)
            self._number = os.open(place, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise ResultsError(f"{place} cannot be used: {(error.strerror or str(error)).lower()}") from error
        try:
            lock_file(self._number)
            self._end = self._read()
        except OSError as error:
            self.close()
            why = "another run is using it" if isinstance(error, BlockingIOError) else str(error)
            raise ResultsError(f"{place} cannot be used: {why}") from error
        except ResultsError:
            self.close()
            raise

    def __len__(self) -> int:
        return len(self._lines)

    def __contains__(self, key: str) -> bool:
        return key in self._lines

    def get(self, key: str) -> tuple[Audited, ...] | None:
        """The result with this key; None if it is not known.

        Raises:
            ResultsError: the line cannot be read any more.
        """
        found = self._lines.get(key)
        if found is None:
            return None
        try:
            data = json.loads(os.pread(self._number, found[1], found[0]))
            return tuple(from_data(each) for each in data["traces"])
        except (OSError, ValueError, TypeError, KeyError, RecursionError) as error:
            raise ResultsError(
                f"{self.place}: a line is no result of an audit: {error}; name another file"
            ) from error

    def add(self, key: str, found: Sequence[Audited]) -> None:
        """Append the result of a source, unless it is known.

        Raises:
            ResultsError: it cannot be written.
        """
        if key in self._lines:
            return
        data: dict[str, Any] = {"audit": 1, "key": key, "traces": [as_data(each) for each in found]}
        line = (json.dumps(data, ensure_ascii=False) + "\n").encode("utf-8", "replace")
        rest = line
        try:
            while rest:
                rest = rest[os.write(self._number, rest) :]
        except OSError as error:
            raise ResultsError(f"{self.place} cannot be written: {error.strerror}") from error
        self._lines[key] = (self._end, len(line))
        self._end += len(line)

    def close(self) -> None:
        """Let others use the file."""
        os.close(self._number)

    def _read(self) -> int:
        """Index the whole lines, drop one that is cut off, and give the length of the file."""
        at = 0
        with open_regular(self.place) as file:
            while line := file.readline(_LARGEST_LINE):
                if not (
                    line.startswith(_BEGIN) or _BEGIN.startswith(line)
                ):  # nothing of others is thrown away
                    raise ResultsError(
                        f"{self.place}, line {len(self._lines) + 1}: this is no result of an audit; name another file"
                    )
                if not line.endswith(b"\n"):
                    os.ftruncate(self._number, at)
                    return at
                key, quote, _ = line[len(_BEGIN) :].partition(b'"')
                if not quote:
                    raise ResultsError(f"{self.place}: a line has no key; name another file")
                self._lines[key.decode("ascii", "replace")] = (at, len(line))
                at += len(line)
        return at
