"""Audits a store by Apache Spark: the same function by session, on whatever batches Spark cuts the parts into."""

import json
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from vsalang.tools.fleet.auditing import (
    AuditTask,
    Engine,
    PartAudit,
    auditor_of,
    checked,
    rows_of_batches,
)
from vsalang.tools.fleet.judging import READ, sessions_of
from vsalang.tools.fleet.schema import StoreError
from vsalang.tools.fleet.store import Part
from vsalang.tools.fleet.summary import Summary, as_data, from_data, summary_of

if TYPE_CHECKING:
    import pyarrow as pa

LOCAL: Final = "local[2]"
"""The cluster where none is named: this process, with two workers."""
_WAVE: Final = 4
"""So many parts for each worker are judged before what was found is kept: a run that is killed loses so much."""


def spark(master: str, batch: int = 1000) -> Engine:
    """Judges by Spark.

    Args:
        master: the address of a cluster, such as ``spark://host:7077``, or ``local[N]``. Its workers need the same
            Python with vsalang, and the folder of the store at the same place.
        batch: so many rows Spark hands over at a time. A session may be cut at the end of a batch: it is put together
            again.
    """

    def work(task: AuditTask, parts: Sequence[Part]) -> Iterator[PartAudit]:
        from py4j.protocol import Py4JError
        from pyspark.errors import PySparkException

        if not parts:
            return
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        try:
            session = _session(master, batch)
            try:
                size = max(session.sparkContext.defaultParallelism, 1) * _WAVE
                left = iter(parts)
                while wave := list(islice(left, size)):
                    yield from _wave(session, task, wave)
            finally:
                session.stop()
        except (Py4JError, PySparkException) as error:
            reason = next((text for text in str(error).splitlines() if text.strip()), type(error).__name__)
            raise StoreError(
                f"Spark could not judge: {reason}", f"is a cluster running at {master}?"
            ) from error

    return work


def _session(master: str, batch: int) -> Any:
    from pyspark.sql import SparkSession

    builder: Any = SparkSession.builder
    settings = {
        "spark.sql.execution.arrow.maxRecordsPerBatch": str(batch),
        "spark.sql.session.timeZone": "UTC",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "ERROR",
    }
    if master.startswith("local"):  # nobody else needs to reach this process
        settings |= dict.fromkeys(("spark.driver.host", "spark.driver.bindAddress"), "127.0.0.1")
    builder = builder.master(master).appName("vsac fleet audit")
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def _wave(session: Any, task: AuditTask, parts: Sequence[Part]) -> Iterator[PartAudit]:
    """The summaries of some parts, by one job."""
    paths = [(Path(task.folder).resolve() / part.name).as_uri() for part in parts]
    rows = session.read.parquet(*paths).select(*READ, "_metadata.file_name")
    summaries = dict.fromkeys((part.name for part in parts), Summary())
    for name, text in rows.mapInArrow(Worker(task), "part string, summary string").collect():
        summaries[name] += from_data(json.loads(text))
    for part in parts:
        yield part, checked(part, summaries[part.name])


class Worker:
    """What a worker of Spark runs: batches of rows in, a summary of each part out.

    Args:
        task: how sessions are judged.
    """

    def __init__(self, task: AuditTask) -> None:
        self.task = task

    def __call__(self, batches: "Iterable[pa.RecordBatch]") -> "Iterator[pa.RecordBatch]":
        """Judge the sessions of some partition of the rows."""
        import pyarrow as pa

        auditor = auditor_of(self.task)
        for name, rows in groupby(rows_of_batches(batches), key=lambda row: row["file_name"]):
            summary = summary_of(map(auditor.audit, sessions_of(rows)))
            data = {"part": [name], "summary": [json.dumps(as_data(summary))]}
            yield pa.RecordBatch.from_pydict(data)
