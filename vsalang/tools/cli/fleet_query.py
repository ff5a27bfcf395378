"""``vsac fleet query``: asks a store a question that is ready, or one in SQL."""

import datetime as dt
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from vsalang.base.diagnostics.display import safe
from vsalang.base.options import argument, option
from vsalang.base.records import dataclass
from vsalang.base.report import Report, Style
from vsalang.tools.cli import frame
from vsalang.tools.cli.common import Failure
from vsalang.tools.cli.dumps import table
from vsalang.tools.cli.fleet_import import store_option
from vsalang.tools.fleet.questions import NAMES, TITLES, Answer, ask
from vsalang.tools.fleet.schema import StoreError
from vsalang.tools.fleet.store import Store
from vsalang.tools.fleet.views import connect, rows

_LONGEST: Final = 300
_BAR: Final = 40


@dataclass(frozen=True, slots=True)
class QueryOptions:
    """What is asked of which store."""

    question: str | None = argument("QUESTION", required=False, choices=NAMES)
    store: str = store_option()
    sql: str | None = option(
        "--sql",
        metavar="SELECT",
        help="Ask this in place of QUESTION.",
        excludes={"QUESTION": "one is asked"},
    )
    tenant: str | None = option("--tenant", metavar="NAME", help="Only sessions of this tenant.")
    days: int = option("--days", default=7, least=1, metavar="N", help="How long a week is, for `changes`.")
    most: int = option("--most", default=50, least=1, metavar="N", help="How many rows are shown.")


@frame.as_command("text", "json", "chart", one_of=("QUESTION", "--sql"))
def command(options: QueryOptions) -> Report:
    """Ask a store a question.

    QUESTION is one of blocked-rules, silent-rules (that never fired), contracts (that were violated, by app and
    version), alarms (by category and effect), changes (since last week). The views for --sql are sessions, steps,
    verdicts, reasons, alarms, edges, effects, and records, of which they are made.

    Exit status: 0; 2 it could not be answered.
    """
    try:
        connection = connect(Store(Path(options.store), make=False), options.tenant)
        try:
            if options.question is not None:
                return AnswerReport(
                    ask(connection, options.question, options.days), options.most, options.question
                )
            columns, answer = rows(connection, options.sql or "")
            return AnswerReport(Answer(tuple(columns), tuple(answer)), options.most)
        finally:
            connection.close()
    except StoreError as error:
        raise Failure(str(error), error.hint) from error


@dataclass(frozen=True, slots=True)
class AnswerReport(Report):
    """An answer.

    Attributes:
        answer: its rows.
        most: how many are shown.
        name: of the question; empty: it was asked in SQL.
    """

    answer: Answer
    most: int
    name: str = ""

    def data(self) -> object:
        """The rows by column."""
        visible = self.answer.rows[: self.most]
        return {
            "version": 1,
            "question": self.name or None,
            "rows": [
                {name: _value(value) for name, value in zip(self.answer.columns, row, strict=True)}
                for row in visible
            ],
            "left_out": len(self.answer.rows) - len(visible),
        }

    def lines(self, style: Style) -> Iterator[str]:
        """A table."""
        names = self.answer.columns
        visible = [
            {name: _text(value) for name, value in zip(names, row, strict=True)}
            for row in self.answer.rows[: self.most]
        ]
        numbers = {
            name
            for index, name in enumerate(names)
            if all(isinstance(row[index], int | float) for row in self.answer.rows)
        }
        if self.name:
            yield style(TITLES[self.name], bold=True)
        yield table(names, visible, cut={*names} - numbers, right=numbers).rstrip("\n")
        yield from self._end()

    def document(self, format: str, style: Style) -> str:
        """The chart: a bar for each row."""
        answer = self.answer
        visible = [dict(zip(answer.columns, row, strict=True)) for row in answer.rows[: self.most]]
        value = answer.value or answer.columns[-1]
        if not all(isinstance(row[value], int | float) for row in visible):
            raise Failure(f"a chart needs numbers, and {value} has none", "name a number last in the query")
        label = answer.label or answer.columns[:-1]
        bars = [(" ".join(_text(row[name]) for name in label), row[value]) for row in visible]
        width = max((len(text) for text, _ in bars), default=0)
        largest = max((abs(number) for _, number in bars), default=0) or 1
        lines = [
            f"{text:<{width}}  {number:>8}  {'█' * max(round(_BAR * abs(number) / largest), 1 if number else 0)}"
            for text, number in bars
        ]
        return "".join(f"{line.rstrip()}\n" for line in (*(lines or ["no rows"]), *self._end()))

    def _end(self) -> Iterator[str]:
        left = len(self.answer.rows) - self.most
        if left > 0:
            yield f"and {left} more: --most"
        if self.answer.note:
            yield safe(self.answer.note, _LONGEST)


def _value(value: Any) -> Any:
    if isinstance(value, dt.datetime | dt.date | dt.time):
        return value.isoformat()
    if isinstance(value, list | tuple):
        return [_value(each) for each in value]
    if isinstance(value, dict):
        return {str(name): _value(each) for name, each in value.items()}
    return value if isinstance(value, int | float | str) or value is None else str(value)


def _text(value: Any) -> str:
    value = _value(value)
    return "" if value is None else safe(value if isinstance(value, str) else str(value), _LONGEST)
