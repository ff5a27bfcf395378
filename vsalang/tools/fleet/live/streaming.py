"""Rules over many devices by Apache Spark, for streams that one server does not carry (``transformWithState``).

Needs the extra ``spark``. What judges is what a server uses (`TenantWatch`, `RuleBook`, `SessionSummary`), on lines of
journals that are checked against their chains. The state of a tenant is in Spark's store, which is RocksDB, and so
outlives a restart.

    spark = SparkSession.builder.config(STORE, ROCKSDB)...
    lines = spark.readStream.format("kafka")...            # columns: see COLUMNS
    raised = alarms_of(lines, ["across_devices.vsa"])       # a streaming DataFrame, as ALARMS says
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from pyspark.sql import DataFrame, Row
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle

from vsalang.guard.journal.file import MAX_LINE, START, JournalError, checked_line
from vsalang.program.text import line
from vsalang.tools.fleet.live.fleet_rules import Pattern, RuleBook, TenantWatch, read_rules, running_row
from vsalang.tools.fleet.live.session_summary import SessionSummary

STORE: Final = "spark.sql.streaming.stateStore.providerClass"
ROCKSDB: Final = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
"""The setting, and the value of it, that ``transformWithState`` needs."""
COLUMNS: Final = "tenant string, device string, session string, at double, line string"
"""What comes in: whose line it is, the hash of the journal's first line, when it arrived (seconds since 1970), and the
line as the journal has it."""
ALARMS: Final = (
    "tenant string, at double, level string, kind string, rule string, category string, text string"
)
"""What comes out. `kind` is ``fleet`` for what a rule says, ``forked`` for lines that do not follow those before."""
_ALARM: Final[Any] = Row(*(column.split()[0] for column in ALARMS.split(", ")))
KEPT_MS: Final = 24 * 3600 * 1000
"""So long a session of which nothing is heard is known."""


def alarms_of(
    lines: DataFrame, rules: Iterable[str | Path] = (), *, silent: float = 30.0, tick: float = 1.0
) -> DataFrame:
    """What rules over many devices say of a stream of journal lines.

    Args:
        lines: a streaming DataFrame with `COLUMNS`; the lines of a session in order, repeated ones are passed over.
        rules: files of policies, at the same place for each worker; none: those that ship.
        silent: seconds after which a session of which nothing is heard counts as silent.
        tick: seconds after which a tenant is judged again if nothing arrives; 0: only when something does.

    Returns:
        A streaming DataFrame with `ALARMS`: each pattern once, for as long as it holds.
    """
    processor = RuleProcessor(tuple(map(str, rules)), silent, tick)
    return lines.groupBy("tenant").transformWithState(processor, ALARMS, "Append", "ProcessingTime")


@lru_cache(maxsize=4)
def _book(rules: tuple[str, ...]) -> RuleBook:
    """The rules in this process: all rows of a tenant are given each time, so that one book serves all tenants."""
    return RuleBook(read_rules(map(Path, rules)))


class RuleProcessor(StatefulProcessor):  # type: ignore[misc, unused-ignore]
    """Judges the sessions of one tenant.

    Args:
        rules, silent, tick: as of `alarms_of`.
    """

    def __init__(self, rules: tuple[str, ...], silent: float, tick: float) -> None:
        self._rules, self._silent, self._tick = rules, silent, tick

    def init(self, handle: StatefulProcessorHandle) -> None:
        self._handle = handle
        self._watch = handle.getValueState("watch", "data string")
        self._sessions = handle.getMapState(
            "sessions", "session string", "data string, heard double", ttlDurationMs=KEPT_MS
        )

    def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
        (tenant,) = key
        watch, changed, now = self._read(), dict[str, SessionSummary](), 0.0
        heard: dict[str, float] = {}
        for row in sorted(rows, key=lambda row: (row.at, row.session, _number(row.line))):
            summary = changed.get(row.session) or self._session(row.session)
            if summary is None:
                summary = SessionSummary(tenant, row.session, row.device)
            now, heard[row.session] = row.at, row.at
            changed[row.session] = summary
            raw = row.line.encode("utf-8", "replace") + b"\n"
            if _number(row.line) <= summary.number:
                continue  # it came before
            try:
                record = _checked(raw, row, summary)
            except JournalError as error:
                text = line(f"{row.device}: {error}", 400)
                yield _alarm(tenant, now, "block", "forked", "", "", text)
                continue
            watch.take(row.at, summary, summary.add(record))
        for session, summary in changed.items():
            self._sessions.updateValue((session,), (json.dumps(summary.to_json()), heard[session]))
        yield from self._judged(tenant, watch, now)
        self._wake(timerValues)

    def handleExpiredTimer(self, key: Any, timerValues: Any, expiredTimerInfo: Any) -> Iterator[Row]:
        (tenant,) = key
        watch = self._read()
        yield from self._judged(tenant, watch, timerValues.getCurrentProcessingTimeInMs() / 1000)
        if watch.alarms or watch.holding or any(True for _ in self._sessions.iterator()):
            self._wake(timerValues)

    def close(self) -> None:
        """Nothing is held."""

    # ------------------------------------------------------------------ how

    def _judged(self, tenant: str, watch: TenantWatch, now: float) -> Iterator[Row]:
        running = []
        for _, (data, heard) in self._sessions.iterator():
            summary = SessionSummary(**json.loads(data))
            if not summary.over:
                state = "silent" if now - heard > self._silent else summary.state
                running.append(running_row(summary, state))
        patterns: Sequence[Pattern] = _book(self._rules).patterns(watch.rows(now), running)
        for pattern in watch.fresh(patterns):
            yield _alarm(tenant, now, pattern.level, "fleet", pattern.rule, pattern.category, pattern.text)
        alarms = [(at, {**row, "number": str(row["number"])}) for at, row in watch.alarms]
        self._watch.update((json.dumps([alarms, sorted(watch.holding)]),))

    def _read(self) -> TenantWatch:
        kept = self._watch.get() if self._watch.exists() else None
        if kept is None:
            return TenantWatch()
        alarms, holding = json.loads(kept[0])
        rows = ((at, {**row, "number": Decimal(row["number"])}) for at, row in alarms)
        return TenantWatch(rows, map(tuple, holding))

    def _session(self, session: str) -> SessionSummary | None:
        kept = self._sessions.getValue((session,)) if self._sessions.containsKey((session,)) else None
        return None if kept is None else SessionSummary(**json.loads(kept[0]))

    def _wake(self, timer_values: Any) -> None:
        if self._tick > 0:
            for timer in list(self._handle.listTimers()):
                self._handle.deleteTimer(timer)
            at = timer_values.getCurrentProcessingTimeInMs() + int(1000 * self._tick)
            self._handle.registerTimer(at)


def _alarm(*values: object) -> Row:
    """A row of `ALARMS`."""
    row: Row = _ALARM(*values)
    return row


def _checked(raw: bytes, row: Row, summary: SessionSummary) -> Any:
    """The record of a line that comes next. Raises `JournalError`: it does not."""
    number = summary.number + 1
    record = checked_line(raw, number, summary.head or START, f"line {number}")
    if number == 1 and (record.hash != row.session or record.kind != "session"):
        raise JournalError("line 1: it is not the first line of this session")
    if row.device != summary.device:
        raise JournalError(f"line {number}: {summary.device} began this session")
    return record


def _number(text: str) -> int:
    """The number that a line gives itself; a large one if it gives none: it is refused then."""
    try:
        number = json.loads(text)["n"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return MAX_LINE
    return number if isinstance(number, int) and not isinstance(number, bool) else MAX_LINE
