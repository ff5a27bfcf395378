"""A file with the results of a long run, a JSON object a line: the next run goes on where this one stopped."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

from vsalang.base.records import dataclass
from vsalang.base.source.locking import lock_file
from vsalang.base.source.opening import open_regular, refuse_irregular

_LARGEST_LINE: Final = 256 * 1024 * 1024
Result = TypeVar("Result")


class ResultsError(Exception):
    """A file of results cannot be used."""


@dataclass(frozen=True, slots=True)
class Form(Generic[Result]):
    """How results of one type are written.

    Attributes:
        what: whose results they are, for messages: "an audit".
        begin: how every line begins, up to the text of its key, which `encode` must keep to.
        encode: a result and its key as JSON data: a table that holds the key as ``key``.
        decode: the result that such data is; anything may be in it. It raises ValueError, TypeError or KeyError for
            what is not a result.
        at: what stands between the file and the number of a line in messages.
        checked: whether every line is decoded when a file is opened, and not only when it is asked for.
    """

    what: str
    begin: bytes
    encode: Callable[[str, Result], dict[str, Any]]
    decode: Callable[[Any], Result]
    at: str = ":"
    checked: bool = False


class Results(Generic[Result]):
    """What is known, and what is added; nobody else may use the file meanwhile.

    A line is appended whole, once its result is there. A process that is killed leaves at most one line that is cut
    off; the next run drops it. Only the places of lines are kept in memory.

    Args:
        place: the file; it is made if it is not there.
        form: what it holds.
        restart: forget what it holds.

    Raises:
        ResultsError: it is a link, it cannot be read or written, another run has it, or a line is not of this form.
    """

    def __init__(self, place: Path, form: Form[Result], *, restart: bool = False) -> None:
        self.place = place
        self._form = form
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
            self._end = self._read(restart=restart)
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

    def get(self, key: str) -> Result | None:
        """The result with this key; None if it is not known.

        Raises:
            ResultsError: the line cannot be read any more.
        """
        span = self._lines.get(key)
        if span is None:
            return None
        try:
            return self._form.decode(json.loads(os.pread(self._number, span[1], span[0])))
        except (OSError, ValueError, TypeError, KeyError, RecursionError) as error:
            raise ResultsError(
                f"{self.place}: a line is not a result of {self._form.what}: {error}; name another file"
            ) from error

    def add(self, key: str, result: Result) -> None:
        """Append a result, unless its key is known.

        Raises:
            ResultsError: it cannot be written.
        """
        if key in self._lines:
            return
        data = json.dumps(self._form.encode(key, result), ensure_ascii=False) + "\n"
        line = rest = data.encode("utf-8", "replace")
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

    def _read(self, *, restart: bool) -> int:
        """Index the whole lines, drop one that is cut off, and give the length of the file."""
        at = 0
        with open_regular(self.place) as file:
            for number, line in enumerate(iter(lambda: file.readline(_LARGEST_LINE), b""), 1):
                whole = line.endswith(b"\n") and not restart
                if whole and self._form.checked:
                    key = self._checked(line, number)
                else:
                    key = self._key(line, number, whole=whole)
                if not whole:
                    os.ftruncate(self._number, at)
                    return at
                self._lines[key] = (at, len(line))
                at += len(line)
        return at

    def _key(self, line: bytes, number: int, *, whole: bool) -> str:
        begin = self._form.begin
        if not (line.startswith(begin) or begin.startswith(line)):  # nothing of others is thrown away
            raise self._wrong(number)
        key, quote, _ = line[len(begin) :].partition(b'"')
        if whole and not quote:
            raise ResultsError(f"{self.place}: a line has no key; name another file")
        return key.decode("ascii", "replace")

    def _checked(self, line: bytes, number: int) -> str:
        try:
            data = json.loads(line)
            self._form.decode(data)
            return str(data["key"])
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise self._wrong(number, f" ({error})") from error

    def _wrong(self, number: int, why: str = "") -> ResultsError:
        place = f"{self.place}{self._form.at}{number}"
        return ResultsError(f"{place}: this is not a result of {self._form.what}{why}; name another file")
