"""Publishes the events of a gate: as JSON documents, and in a file that an agent or its harness can read."""

import datetime as dt
import json
import os
import threading
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from vsalang.base.source import Source
from vsalang.base.source.private import open_to_append
from vsalang.guard.say.verdict_document import document
from vsalang.phone.gate.events import GateEvent
from vsalang.program.phrases import FIRST
from vsalang.screen.secrets import Redactor

VERSION: Final = 1
"""The version of the documents; it rises if a field is removed or changes its meaning, not with new fields."""


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
        "verdict": document(event.verdict, sources=sources, language=language, hint=event.hint)
        if event.verdict is not None
        else None,
        **({"hint": event.hint.line(language)} if event.hint is not None else {}),
    }


class FeedbackFile:
    """A file of JSON documents, one on each line, each written at once. A context manager.

    Args:
        path: created if it does not exist, else appended to; not a link. Only its owner may read it.
        redactor: replaces the secrets in every document; None: they are written as they are.

    Raises:
        OSError: it cannot be written.
    """

    def __init__(self, path: str | Path, redactor: Redactor | None = None) -> None:
        self.path = Path(path).absolute()
        self._file = open_to_append(self.path)  # the agent may have made a link to a file of the user
        self._redactor = redactor
        self._lock = threading.Lock()
        self._open = True

    def write(self, data: Mapping[str, Any]) -> None:
        """Append a document. Raises `OSError`."""
        with self._lock:
            if not self._open:
                return
            content = data if self._redactor is None else self._redactor.data(data)
            line = json.dumps(content, ensure_ascii=True, separators=(",", ":")).encode() + b"\n"
            while line:  # one call, unless the disk is full or there is a signal
                line = line[os.write(self._file, line) :]

    def close(self) -> None:
        """Close the file; later documents are discarded. May be called twice."""
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
