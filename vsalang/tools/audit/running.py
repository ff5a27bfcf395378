"""Audits many sources in several processes, and gives the results in order; what is known is not done again."""

import hashlib
import multiprocessing
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Final

from vsalang.agents.walks import FORMATS, BaseMissing, WalkError
from vsalang.agents.walks.recorded_walk import Walk
from vsalang.base.records import dataclass
from vsalang.base.source.results import Results
from vsalang.guard.courses import Courses
from vsalang.program.text import line
from vsalang.screen.secrets import Lexicon, Redactor
from vsalang.tools.audit.alarms import Facts, Options, WalkAudit, audit
from vsalang.tools.audit.sources import Source, digest_of

_AHEAD: Final = 8
"""So many sources wait in line for each process."""


class AuditError(Exception):
    """The audit cannot go on."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of one source.

    Attributes:
        traces: its walks that were judged.
        skipped: why it was left out: it continues a recorded walk that is not here.
        problem: why it could not be read.
        known: it was audited before, and its result was kept.
    """

    source: Source
    traces: tuple[WalkAudit, ...] = ()
    skipped: str = ""
    problem: str = ""
    known: bool = False


def run(
    sources: Sequence[Source],
    options: Options,
    version: str,
    *,
    jobs: int = 1,
    results: Results[Sequence[WalkAudit]] | None = None,
    facts: Facts | None = None,
) -> Iterator[Outcome]:
    """Audit sources; the outcomes come in the order of the sources, whatever the number of processes.

    Args:
        sources: what is read.
        options: how it is judged.
        version: of vsalang, part of the key under which results are kept.
        jobs: how many processes; 1 works in this one.
        results: keeps what was done; what it knows is not done again. What could not be read is not kept.
        facts: who adds facts to each step; with it, only this process works and nothing is kept.

    Raises:
        AuditError: a process ended before its work was done.
        ResultsError: a result cannot be kept.
    """
    keyed = results is not None and facts is None
    if jobs <= 1 or len(sources) <= 1 or facts is not None:
        courses = Courses()
        for source in sources:
            key = _key(source, options, version) if keyed else ""
            yield _kept(results, key, source) or _keep(results, key, one(source, options, facts, courses))
        return
    context = multiprocessing.get_context("spawn")
    waiting: deque[tuple[str, Outcome | Future[Outcome]]] = deque()
    with ProcessPoolExecutor(
        min(jobs, len(sources)), mp_context=context, initializer=_begin, initargs=(options,)
    ) as pool:
        try:
            for source in sources:
                key = _key(source, options, version) if keyed else ""
                waiting.append((key, _kept(results, key, source) or pool.submit(_work, source)))
                if len(waiting) >= jobs * _AHEAD:
                    yield _ended(results, waiting.popleft())
            while waiting:
                yield _ended(results, waiting.popleft())
        except BrokenProcessPool as error:
            raise AuditError("a process ended before its work was done: memory may be short") from error
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def one(
    source: Source, options: Options, facts: Facts | None = None, courses: Courses | None = None
) -> Outcome:
    """Audit the walks of one source; what cannot be read is the outcome's `problem`.

    Args:
        courses: the outcome of the same in sources before this one; None: nothing did.
    """
    courses = courses or Courses()
    try:
        walks: tuple[Walk, ...] = FORMATS[source.format].read(Path(source.path))
        return Outcome(source, tuple(audit(walk, options, facts, courses) for walk in walks if walk.steps))
    except BaseMissing as error:
        return Outcome(source, skipped=line(str(error), 1000))
    except WalkError as error:
        hide = Redactor(options.redact, Lexicon(options.lexicon)).text
        return Outcome(source, problem=line(hide(str(error)), 1000))
    except OSError as error:
        return Outcome(source, problem=line(f"cannot read {source.path}: {error.strerror}", 1000))


_begun: list[tuple[Options, Courses]] = []


def _begin(options: Options) -> None:
    """Called once in each process."""
    _begun[:] = [(options, Courses())]


def _work(source: Source) -> Outcome:
    options, courses = _begun[0]
    return one(source, options, courses=courses)


def _key(source: Source, options: Options, version: str) -> str:
    """By what a result is known again: what the walks say, by what they were judged, and how; empty: it has none."""
    try:
        key = digest_of(source)
    except (OSError, WalkError):
        return ""  # reading it will say why
    how = (
        *(options.program.digest, options.level, options.package, options.states, options.benign),
        *(options.lexicon, options.redact),
    )
    whole = "\n".join(map(str, (version, source.path, key, *how)))
    return hashlib.sha256(whole.encode("utf-8", "replace")).hexdigest()


def _kept(results: Results[Sequence[WalkAudit]] | None, key: str, source: Source) -> Outcome | None:
    audits = results.get(key) if results is not None and key else None
    return Outcome(source, tuple(audits), known=True) if audits is not None else None


def _keep(results: Results[Sequence[WalkAudit]] | None, key: str, outcome: Outcome) -> Outcome:
    """Keep what is whole: what failed is tried again."""
    whole = outcome.traces and not any(trace.problem for trace in outcome.traces)
    if results is not None and key and whole and not outcome.known:
        results.add(key, outcome.traces)
    return outcome


def _ended(
    results: Results[Sequence[WalkAudit]] | None, waiting: "tuple[str, Outcome | Future[Outcome]]"
) -> Outcome:
    key, outcome = waiting
    return _keep(results, key, outcome if isinstance(outcome, Outcome) else outcome.result())
