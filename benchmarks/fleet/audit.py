"""What does an audit of many sessions cost, and how does it grow? Processor time, memory, bytes on the disk.

    .venv/bin/python -m benchmarks.fleet.audit 100 1000 10000
    .venv/bin/python -m benchmarks.fleet.audit --random 300 3000
    .venv/bin/python -m benchmarks.fleet.audit --journal session.jsonl --policy new.vsa 100 1000

Copies of recorded sessions (without --journal: six small ones of a shop) get devices and hash chains of their own. With
--random N there are N of the shop, each of six random buttons and with times of its own. Each size is measured in a
process of its own: the peak of its memory is its own, too.
"""

import argparse
import json
import multiprocessing
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.tools.fleet.journals import BUTTONS, LABELS, record
from vsalang.guard.journal.file import START, read_journal
from vsalang.language.semantics import load_text
from vsalang.tools.fleet.auditing import AuditTask, local, run
from vsalang.tools.fleet.judging import Policies, policies_of
from vsalang.tools.fleet.rows import rows_of
from vsalang.tools.fleet.store import PART_BYTES, Store
from vsalang.tools.fleet.summary import Summary

TAPS = (
    LABELS,
    ("Next", "Pay 5", "Pay 20", "Next", "Next", "Next"),
    ("Pay 5", "Pay 900", "Pay 900", "Next", "Share data", "Next"),
    ("Next",) * 6,
    ("Share data", "Pay data", "Next", "Pay 500", "Next", "Next"),
    ("Pay 20", "Next", "Pay 5", "Pay 500", "Pay 900", "Share data"),
)


def random_taps(number: int) -> list[tuple[str, ...]]:
    """So many sessions of six taps, the same in every run."""
    draw = random.Random(35)
    return [tuple(draw.choice(BUTTONS) for _ in range(6)) for _ in range(number)]


def copies(journals: Sequence[Path], number: int) -> Iterator[list[bytes]]:
    """So many journals, each with a device of its own and a chain that fits."""
    recorded = [[(each.kind, dict(each.data)) for each in read_journal(path)] for path in journals]
    for copy in range(number):
        previous, lines = START, []
        for at, (kind, data) in enumerate(recorded[copy % len(recorded)], 1):
            if at == 1:
                data = {**data, "device": f"phone-{copy}"}
            line, previous = encoded({"v": 3, "n": at, "kind": kind, **data, "prev": previous})
            lines.append(line)
        yield lines


def encoded(data: dict[str, object]) -> tuple[bytes, str]:
    """The line of a record, and its hash: as a journal writes it."""
    from vsalang.guard.journal import file

    return file._encoded(data)


def measured(
    journals: Sequence[Path], policy: Path, number: int, jobs: int, folder: Path
) -> dict[str, float]:
    store = Store(folder / "store")
    waiting, size, importing, steps = [], 0, 0.0, 0
    for lines in copies(journals, number):
        begin = time.process_time()
        rows = rows_of("a copy", lines)
        steps += sum("step" in row for row in rows.rows)
        waiting.append(rows)
        size += rows.size
        if sum(each.size for each in waiting) >= PART_BYTES:
            store.add(waiting)
            waiting = []
        importing += time.process_time() - begin
    begin = time.process_time()
    store.add(waiting)
    importing += time.process_time() - begin
    while_importing = peak()

    loaded = load_text('policy audit ""\n', file="<audit>", policies=[policy])
    task = AuditTask(str(store.folder), policies_of(loaded, [policy], ()), Policies(None))
    used = processor_time()
    began = time.monotonic()
    total = sum((summary for _, summary in run(store, task, "0", local(jobs))), Summary())
    took = time.monotonic() - began
    for process in multiprocessing.active_children():
        process.join()  # only then their time counts
    used = processor_time() - used
    assert total.sessions == number and not total.unjudged, total.problems
    on_disk = sum(path.stat().st_size for path in store.folder.glob("part-*"))
    return {
        "sessions": number,
        "steps": total.steps,
        "parts": len(store.parts),
        "lines_mb": size / 1e6,
        "disk_mb": on_disk / 1e6,
        "import_ms": 1e3 * importing / number,
        "audit_ms": 1e3 * used / number,
        "step_ms": 1e3 * used / total.steps,
        "wall_ms": 1e3 * took / number,
        "import_mb": while_importing,
        "audit_mb": peak(),
        "worker_mb": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1e3,
        "changes": sum(each.steps for _, each in total.changes),
    }


def processor_time() -> float:
    """Of this process and those that it waited for."""
    each = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in each)


def peak() -> float:
    """The most memory that this process had, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sizes", nargs="+", type=int)
    parser.add_argument("--journal", type=Path, nargs="*", default=[])
    parser.add_argument("--policy", type=Path)
    parser.add_argument("--random", type=int, default=0, metavar="N", help="N sessions of random taps")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--one", action="store_true", help="measure here, and print JSON")
    options = parser.parse_args()
    if not options.one:
        for number in options.sizes:
            given = [("--jobs", options.jobs), ("--random", options.random)]
            words = [str(word) for pair in given for word in pair]
            words += ["--policy", str(options.policy)] if options.policy else []
            words += ["--journal", *map(str, options.journal)] if options.journal else []
            print(json.dumps(told(words, number)), flush=True)
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        journals, policy = options.journal, options.policy
        if not journals:
            walks = random_taps(options.random) if options.random else TAPS
            journals = [record(folder / f"{n}.jsonl", taps) for n, taps in enumerate(walks)]
            policy = policy or folder / "rules" / "new.vsa"
        figures = measured(journals, policy, options.sizes[0], options.jobs, folder)
        print(json.dumps({name: round(value, 2) for name, value in figures.items()}))


def told(words: list[str], number: int) -> object:
    command = [sys.executable, "-m", "benchmarks.fleet.audit", "--one", str(number), *words]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


if __name__ == "__main__":
    main()
