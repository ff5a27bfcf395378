"""Writes down a run: each call of a model in two files, and its result. Only the user may read them."""

import json
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO

from vsalang.base.diagnostics.display import json_escaped
from vsalang.base.records import dataclass
from vsalang.base.source import private
from vsalang.models.client.language_model import Answer, Message, Model, ModelError, UnusableAnswer


class TraceError(Exception):
    """A trace cannot be written there."""


class Trace:
    """A folder with ``000001.request.json`` and ``000001.answer.json`` (or ``000001.error.json``) for each call.

    The files have the form that `FileModel` reads, so a run can be repeated from them. ``run.jsonl`` holds the events
    of the run, one a line.

    Args:
        folder: where to write; it is made, and must be empty.
        redact: takes keys out of a text.

    Raises:
        TraceError: it cannot be made, or holds something.
    """

    def __init__(self, folder: Path, redact: Callable[[str], str]) -> None:
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if any(folder.iterdir()):
                raise TraceError(f"{folder} is not empty: a trace is written to a folder of its own")
        except OSError as error:
            raise TraceError(f"no trace can be written to {folder}: {error}") from error
        self.folder = folder
        self._redact = redact
        self._lock = threading.Lock()
        self._calls = 0
        self._events: TextIO | None = None

    def call(self, model: Model, role: str, sample: int, messages: Sequence[Message]) -> "Call":
        """Write down a request."""
        with self._lock:
            self._calls += 1
            number = self._calls
        self.write(number, "request", request_data(model, messages, sample, role=role))
        return Call(self, number)

    def event(self, kind: str, **data: Any) -> None:
        """Write down an event."""
        text = self._text({"event": kind, **data})
        with self._lock:
            if self._events is None:  # not earlier: a run that cannot begin leaves the folder empty
                opened = private.open_to_append(self.folder / "run.jsonl")
                self._events = os.fdopen(opened, "w", encoding="utf-8")
            self._events.write(text + "\n")
            self._events.flush()

    def write(self, number: int, what: str, data: Mapping[str, Any]) -> None:
        """Write one file of a call."""
        text = self._text(data, indent=1) + "\n"
        private.write(self.folder / f"{number:06}.{what}.json", text.encode("utf-8"))

    def _text(self, data: Mapping[str, Any], indent: int | None = None) -> str:
        return json_escaped(self._redact(json.dumps(data, ensure_ascii=False, indent=indent)))

    def close(self) -> None:
        if self._events is not None:
            self._events.close()


@dataclass(frozen=True, slots=True)
class Call:
    """A call that is written down."""

    trace: Trace
    number: int

    def answered(self, answer: Answer, seconds: float) -> None:
        self.trace.write(
            self.number,
            "answer",
            {
                "text": answer.text,
                "model": answer.model,
                "usage": dict(answer.usage),
                "stored": answer.stored,
                "seconds": round(seconds, 3),
            },
        )

    def failed(self, error: ModelError, seconds: float) -> None:
        """Write down why there is none."""
        usage = dict(error.usage) if isinstance(error, UnusableAnswer) else {}
        data = {
            "error": str(error),
            "hint": error.hint,
            "unusable": isinstance(error, UnusableAnswer),
            "usage": usage,
            "seconds": round(seconds, 3),
        }
        self.trace.write(self.number, "error", data)


def request_data(
    model: Model, messages: Sequence[Message], sample: int, *, role: str | None = None
) -> dict[str, Any]:
    """A request as JSON data."""
    data: dict[str, Any] = {"model": model.name}
    if sample > 1:
        data["sample"] = sample
    if role is not None:
        data |= {
            "role": role,
            "endpoint": getattr(model, "endpoint", ""),
            "parameters": dict(getattr(model, "parameters", {})),
        }
    data["messages"] = [{"role": m.role, "content": m.content} for m in messages]
    return data
