"""Says on standard error how ``vsac encode`` gets on, and writes the transcript."""

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

from vsalang.cli.common import count
from vsalang.cli.encode_report import problem_data

if TYPE_CHECKING:
    from vsalang.formalize import Answered, Asking, Backend, Reviewed


def say(text: str) -> None:
    """Print a line on standard error; nothing in it can steer the terminal."""
    from vsalang.diagnostics.display import safe

    click.echo(safe(text), err=True)


def show(piece: str) -> None:
    """Print a piece of an answer, as it arrives."""
    from vsalang.diagnostics.display import safe_lines

    click.echo("\n".join(safe_lines(piece)), nl=False, err=True)


class Listener:
    """Reports progress on standard error, and writes the transcript line by line."""

    def __init__(self, model: "Backend", transcript: Path | None, *, force: bool, streams: bool) -> None:
        self.model = model
        self.streams = streams
        self.last = ""
        self._transcript = transcript
        self._force = force
        self._stream: TextIO | None = None

    def __call__(self, event: "Asking | Answered | Reviewed") -> None:
        """Report an event of `vsalang.formalize.encode`."""
        from vsalang.formalize import Asking, Reviewed

        prefix = f"round {event.number} of {event.of}"
        if isinstance(event, Reviewed):
            self._reviewed(prefix, event)
            return
        if isinstance(event, Asking):
            say(f"{prefix}: asking {self.model.name} at {self.model.endpoint} ...")
            messages = [{"role": m.role, "content": m.content} for m in event.messages]
            self._record(
                "request",
                round=event.number,
                model=self.model.name,
                endpoint=self.model.endpoint,
                messages=messages,
            )
            return
        this = event.round
        if self.streams:
            click.echo(err=True)
        self.last = this.text or self.last
        what = count(len(this.problems), "error") if this.problems else "accepted"
        if this.fixed:
            what += f" ({count(len(this.fixed), 'mistake')} mended)"
        say(f"{prefix}: {what}{', asking again' if event.again else ''}")
        self._record(
            "answer",
            round=event.number,
            model=this.answer.model,
            content=this.answer.text,
            usage=dict(this.answer.usage),
            text=this.text,
            fixed=[{"code": item.code, "message": item.message} for item in this.fixed],
            problems=[problem_data(problem) for problem in this.problems],
            accepted=not this.problems,
        )

    def _reviewed(self, prefix: str, event: "Reviewed") -> None:
        doubts = event.review.doubts
        say(f"{prefix}: reviewed: {count(len(doubts), 'doubt') if doubts else 'no doubt'}")
        self._record(
            "review",
            round=event.number,
            exchanges=[
                {
                    "messages": [{"role": m.role, "content": m.content} for m in each.messages],
                    "content": each.answer,
                }
                for each in event.review.exchanges
            ],
            doubts=[{"kind": d.kind, "message": d.message, "quote": d.quote or None} for d in doubts],
        )

    def failed(self, message: str) -> None:
        """Record that the conversation ended with an error."""
        self._record("error", message=message)

    def close(self) -> None:
        """Close the transcript."""
        if self._stream is not None:
            self._stream.close()

    def _record(self, kind: str, **data: Any) -> None:
        if self._transcript is None:
            return
        if self._stream is None:
            # The instruction is private: only the user may read it.
            flags = os.O_WRONLY | os.O_CREAT | (os.O_TRUNC if self._force else os.O_EXCL)
            self._stream = os.fdopen(
                os.open(self._transcript, flags, 0o600), "w", encoding="utf-8", newline="\n"
            )
        self._stream.write(self.model.redact(json.dumps({"event": kind, **data}, ensure_ascii=False)) + "\n")
        self._stream.flush()
