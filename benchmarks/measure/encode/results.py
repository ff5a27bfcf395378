"""A file with the result of each spec that was asked for, a JSON object a line: a run goes on where it stopped."""

import json
import os
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, Final

from benchmarks.measure.encode.encoding import Encoded
from vsalang.base.source.locking import lock_file
from vsalang.base.source.opening import read_regular, refuse_irregular

_LARGEST: Final = 256 * 1024 * 1024
_BEGIN: Final = b'{"key": "'
_TEXTS: Final = ("key", "case", "text", "model")
_LISTS: Final = ("doubts", "problems")
_NUMBERS: Final = ("number", "sample", "rounds", "calls", "input", "output", "waited", "worked", "stale")


class ResultsError(Exception):
    """A file of results cannot be used."""


class Results:
    """What is known, and what is added; nobody else may use the file meanwhile.

    Args:
        place: the file; it is made if it is not there.
        restart: forget what it holds.

    Raises:
        ResultsError: it is a link, it cannot be read or written, another run has it, or a line is not one of ours.
            A last line that is not whole is dropped: the run that wrote it was stopped.
    """

    def __init__(self, place: Path, *, restart: bool = False) -> None:
        self.place = place
        self._found: dict[str, Encoded] = {}
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
            self._read(restart=restart)
        except OSError as error:
            self.close()
            why = "another run is using it" if isinstance(error, BlockingIOError) else str(error)
            raise ResultsError(f"{place} cannot be used: {why}") from error
        except ResultsError:
            self.close()
            raise

    def __len__(self) -> int:
        return len(self._found)

    def get(self, key: str) -> Encoded | None:
        """The result of the order with this digest."""
        return self._found.get(key)

    def add(self, encoded: Encoded) -> None:
        """Write down the result of an order, unless it is known."""
        if encoded.key in self._found:
            return
        self._found[encoded.key] = encoded
        line = json.dumps(asdict(encoded), ensure_ascii=False) + "\n"
        data = line.encode("utf-8", "replace")
        try:
            while data:
                data = data[os.write(self._number, data) :]
        except OSError as error:
            raise ResultsError(f"{self.place} cannot be written: {error.strerror}") from error

    def close(self) -> None:
        """Let others use the file."""
        os.close(self._number)

    def _read(self, *, restart: bool) -> None:
        data = read_regular(self.place, _LARGEST)
        whole = data[: data.rfind(b"\n") + 1]
        cut = data if restart else data[len(whole) :]
        if not (cut.startswith(_BEGIN) or _BEGIN.startswith(cut)):  # nothing of others is thrown away
            number = 1 if restart else whole.count(b"\n") + 1
            raise ResultsError(
                f"{self.place}:{number}: this is no result of an evaluation; name another file"
            )
        if restart:
            os.ftruncate(self._number, 0)
            return
        for number, line in enumerate(whole.splitlines(), 1):
            try:
                found = _encoded(json.loads(line))
            except (ValueError, TypeError, RecursionError) as error:
                raise ResultsError(
                    f"{self.place}:{number}: this is no result of an evaluation ({error}); name another file"
                ) from error
            self._found[found.key] = found
        if cut:
            os.ftruncate(self._number, len(whole))


def _encoded(data: Any) -> Encoded:
    if not isinstance(data, dict):
        raise ValueError("no object")
    odd = sorted({field.name for field in fields(Encoded)} ^ set(data))
    odd += [name for name in _TEXTS if not isinstance(data.get(name), str)]
    odd += [name for name in _NUMBERS if not isinstance(data.get(name), int | float)]
    odd += [name for name in _LISTS if not isinstance(data.get(name), list)]
    odd += ["cost"] * (not isinstance(data.get("cost"), float | int | None))
    if odd or data["number"] not in (1, 2):
        raise ValueError(f"its {(odd or ['number'])[0]} is wrong")
    return Encoded(**{**data, "doubts": tuple(data["doubts"]), "problems": tuple(data["problems"])})
