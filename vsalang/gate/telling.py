"""What a gate tells others: events as JSON documents, and a file that an agent or its harness can follow."""

import datetime as dt
import json
import os
import threading
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from vsalang.gate.events import GateEvent
from vsalang.guard.document import document
from vsalang.guard.texts import FIRST
from vsalang.source import Source
from vsalang.source.private import open_to_append

VERSION: Final = 1
"""Raised when a field goes or means something else; new fields do not raise it."""


def event_document(
    event: GateEvent, *, sources: Mapping[str, Source] | None = None, language: str = FIRST
) -> dict[str, Any]:
    """An event as JSON data.

    Args:
        event: any.
        sources: the text of the program's files, so that places have lines and columns.
        language: of the verdict's sentences.
    """
    return {
        "version": VERSION,
        "kind": "event",
        "number": event.number,
        "at": dt.datetime.fromtimestamp(event.at, dt.UTC).isoformat(timespec="milliseconds"),
        "request": event.what,
        "outcome": event.outcome,
        "delivered": event.delivered,
        "problem": event.problem,
        "feedback": event.feedback,
        "actions": [str(action) for action in event.actions],
        "verdict": document(event.verdict, sources=sources, language=language)
        if event.verdict is not None
        else None,
    }


class FeedbackFile:
    """A file of JSON documents, one a line, each written at once and whole. A context manager.

    Args:
        path: made if it is not there, appended to if it is; not a link. Only its owner may read it.

    Raises:
        OSError: it cannot be written.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path).absolute()
        self._file = open_to_append(
            self.path
        )  # the agent may have left a link there, to a file of the user's
        self._lock = threading.Lock()
        self._open = True

    def write(self, data: Mapping[str, Any]) -> None:
        """Append a document. Raises `OSError`."""
        line = json.dumps(data, ensure_ascii=True, separators=(",", ":")).encode() + b"\n"
        with self._lock:
            if not self._open:
                return
            while line:  # one call, unless the disk is full or a signal comes
                line = line[os.write(self._file, line) :]

    def close(self) -> None:
        """Close the file; what is written after that is lost. May be called twice."""
        with self._lock:
            if self._open:
                self._open = False
                os.close(self._file)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
