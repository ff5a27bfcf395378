"""Says on standard error how ``vsac encode`` gets on, and writes it to the trace."""

from typing import Any

import click

from vsalang.base.diagnostics.display import count, safe, safe_lines
from vsalang.models.encode import (
    Backend,
    ResponseFormat,
    ReviewEnd,
    RoundEnd,
    RoundStart,
    Trace,
    response_schema,
)
from vsalang.models.encode.report import problem_data


def say(text: str) -> None:
    """Print a line on standard error; nothing in it can steer the terminal."""
    click.echo(safe(text), err=True)


def show(piece: str) -> None:
    """Print a piece of an answer, as it arrives."""
    click.echo("\n".join(safe_lines(piece)), nl=False, err=True)


def response_format() -> ResponseFormat:
    """The schema of answers in JSON; that a server does not take it is said once."""

    def refused(why: str) -> None:
        say(f"the server does not hold the model to the form of answers: {why}")

    return ResponseFormat("spec", response_schema(), refused)


class Listener:
    """Reports progress on standard error, and writes the events to the trace.

    Args:
        model: is asked.
        trace: where events are written; None: nowhere.
        streams: whether answers are shown while they arrive.
        reviews: whether the meaning of what is accepted is looked at.
    """

    def __init__(self, model: Backend, trace: Trace | None, *, streams: bool, reviews: bool) -> None:
        self.model = model
        self.trace = trace
        self.streams = streams
        self.reviews = reviews
        self.sample = 1
        self.last = ""
        self._looked = ""

    def __call__(self, event: RoundStart | RoundEnd | ReviewEnd) -> None:
        """Report an event of `vsalang.models.encode.encode`."""
        prefix = f"round {event.number} of {event.of}"
        if isinstance(event, RoundStart):
            say(f"{prefix}: asking {self.model.name} at {self.model.endpoint} ...")
        elif isinstance(event, ReviewEnd):
            doubts = event.review.doubts
            say(f"{prefix}: reviewed: {count(len(doubts), 'doubt') if doubts else 'no doubt'}")
            doubt_data = [{"kind": d.kind, "message": d.message, "quote": d.quote or None} for d in doubts]
            self._record("review", event.number, doubts=doubt_data)
        else:
            self._answered(prefix, event)

    def _answered(self, prefix: str, event: RoundEnd) -> None:
        this = event.round
        if self.streams:
            click.echo(err=True)
        self.last = this.text or self.last
        what = count(len(this.problems), "error") if this.problems else "accepted"
        if this.fixed:
            what += f" ({count(len(this.fixed), 'mistake')} fixed)"
        again = ", asking again" if event.again else ""
        looks = ""
        if (
            self.reviews and not this.problems and this.text != self._looked
        ):  # the same spec is looked at once
            looks, self._looked = ", looking at its meaning ..", this.text
        say(f"{prefix}: {what}{again}{looks}")
        self._record(
            "answer",
            event.number,
            text=this.text,
            fixed=[{"code": item.code, "message": item.message} for item in this.fixed],
            problems=[problem_data(problem) for problem in this.problems],
            accepted=not this.problems,
        )

    def _record(self, kind: str, number: int, **data: Any) -> None:
        if self.trace is not None:
            self.trace.event(kind, sample=self.sample, round=number, **data)
