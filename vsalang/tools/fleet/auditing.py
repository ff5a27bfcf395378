"""Audits all sessions of a store: part by part, in several processes or by Spark; what is known is not done again."""

import hashlib
import json
import multiprocessing
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from vsalang.base.records import dataclass
from vsalang.base.source.results import Form, Results
from vsalang.tools.fleet.judging import READ, Auditor, Policies, sessions_of
from vsalang.tools.fleet.schema import StoreError
from vsalang.tools.fleet.store import Part, Store
from vsalang.tools.fleet.summary import Summary, as_data, from_data, summary_of

_BATCH: Final = 64
"""So many rows of a part are Python objects at a time."""


@dataclass(frozen=True, slots=True)
class AuditTask:
    """What is judged.

    Attributes:
        folder: of the store.
        new: the policies that are asked about.
        old: what they are compared with.
    """

    folder: str
    new: Policies
    old: Policies


PartAudit = tuple[Part, Summary]
Engine = Callable[[AuditTask, Sequence[Part]], Iterator[PartAudit]]
"""Judges parts; gives the summary of each once, in any order."""


def open_results(place: Path) -> Results[Summary]:
    """The summaries of parts in a file, which is made if it is not there; see `Results`.

    Raises:
        ResultsError: it cannot be used.
    """
    return Results(place, _FORM)


def run(
    store: Store, task: AuditTask, version: str, engine: Engine, results: Results[Summary] | None = None
) -> Iterator[PartAudit]:
    """Judge all sessions of a store; each part comes once, as soon as its summary is kept.

    Args:
        store: whose sessions are judged.
        task: how.
        version: of vsalang, part of the key under which results are kept.
        engine: who works.
        results: keeps what was done; what it knows is not done again.

    Raises:
        StoreError: the store cannot be read, a session is not whole, or a process ended before its work was done.
        ResultsError: a result cannot be kept.
    """
    keys = {part.name: _key(part, task, version) for part in store.parts}
    left = []
    for part in store.parts:
        known = results.get(keys[part.name]) if results is not None else None
        if known is None:
            left.append(part)
        else:
            yield part, known
    for part, summary in engine(task, left):
        if results is not None:
            results.add(keys[part.name], summary)
        yield part, summary


def _key(part: Part, task: AuditTask, version: str) -> str:
    """A part never changes, and another one has another name."""
    whole = json.dumps([version, part.name, part.rows, task.new.digest, task.old.digest])
    return hashlib.sha256(whole.encode()).hexdigest()


def _encode(key: str, summary: Summary) -> dict[str, Any]:
    return {"fleet audit": 1, "key": key, "summary": as_data(summary)}


def _decode(data: Any) -> Summary:
    return from_data(data["summary"])


_FORM: Final = Form("an audit of a store", b'{"fleet audit": 1, "key": "', _encode, _decode, at=", line ")


# ---------------------------------------------------------------- in processes of this machine


def local(jobs: int) -> Engine:
    """Judges in so many processes of this machine; 1: in this one. A part is read by one process."""

    def work(task: AuditTask, parts: Sequence[Part]) -> Iterator[PartAudit]:
        if jobs <= 1 or len(parts) <= 1:
            for part in parts:
                yield part, audit_part(task, part)
            return
        context = multiprocessing.get_context("spawn")
        waiting: deque[tuple[Part, Future[Summary]]] = deque()
        with ProcessPoolExecutor(min(jobs, len(parts)), mp_context=context) as pool:
            try:
                for part in parts:
                    waiting.append((part, pool.submit(audit_part, task, part)))
                    if len(waiting) > 2 * jobs:
                        yield _ended(waiting.popleft())
                while waiting:
                    yield _ended(waiting.popleft())
            except BrokenProcessPool as error:
                raise StoreError("a process ended before its work was done", "memory may be short") from error
            finally:
                pool.shutdown(wait=False, cancel_futures=True)

    return work


@lru_cache(maxsize=1)
def auditor_of(task: AuditTask) -> Auditor:
    """What judges in this process: the programs that it made serve for the next part, too."""
    return Auditor(task.new, task.old)


def audit_part(task: AuditTask, part: Part) -> Summary:
    """The summary of one part.

    Raises:
        StoreError: it cannot be read, or is not whole.
    """
    batches = Store(Path(task.folder), make=False).table(part, READ).to_batches(max_chunksize=_BATCH)
    return checked(part, summary_of(map(auditor_of(task).audit, sessions_of(rows_of_batches(batches)))))


def rows_of_batches(batches: Iterable[Any]) -> Iterator[dict[str, Any]]:
    """The rows of Arrow's batches, one after the other, wherever one batch ends."""
    for batch in batches:
        yield from batch.to_pylist()


def checked(part: Part, summary: Summary) -> Summary:
    """The summary of a part, if it is about each of its sessions once.

    Raises:
        StoreError: it is not.
    """
    if summary.sessions != part.sessions:
        raise StoreError(
            f"{part.name} holds {part.sessions} sessions, and {summary.sessions} were judged",
            "this is a fault of the store or of vsac: its result would be wrong",
        )
    return summary


def _ended(waiting: tuple[Part, "Future[Summary]"]) -> PartAudit:
    return waiting[0], waiting[1].result()
