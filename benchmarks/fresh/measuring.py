"""Judges the items of the fresh set, in one process or several."""

import multiprocessing
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path

from benchmarks.fresh.judging import Judged, charter_program, judge, policies_program
from benchmarks.fresh.make.source import Item
from benchmarks.fresh.totals import Result
from vsalang.program.ir import Program

CHUNK = 8
"""So many items are judged at a time."""


@cache
def _policies() -> Program:
    return policies_program()


def measured(
    place: Path,
    chosen: Sequence[Item],
    *,
    with_policies: bool,
    with_charters: bool,
    joined: bool = False,
    jobs: int = 1,
) -> list[Result]:
    """Judge items, in their order.

    Args:
        place: the folder of the set.
        chosen: what is judged.
        with_policies: under the policies.
        with_charters: under their charters.
        joined: the charter and the policies are one program; the policies alone are not measured.
        jobs: so many processes.
    """
    works = [
        (place, chosen[start : start + CHUNK], with_policies, with_charters, joined)
        for start in range(0, len(chosen), CHUNK)
    ]
    if jobs < 2:
        return [result for work in works for result in _job(work)]
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn")) as pool:
        return [result for part in pool.map(_job, works) for result in part]


def _job(work: tuple[Path, Sequence[Item], bool, bool, bool]) -> list[Result]:
    place, chosen, with_policies, with_charters, joined = work
    results = []
    for item in chosen:
        walk = place / f"{'unsafe' if item.unsafe else 'safe'}_fresh" / item.walk
        if joined:  # what the policies say is in what the charter's program says
            said: Judged | None = Judged(item.name, None)
        else:
            said = judge(item, walk, _policies(), charter=False) if with_policies else None
        results.append(Result(item, said, _by_charter(item, walk, joined) if with_charters else None))
    return results


def _by_charter(item: Item, walk: Path, joined: bool) -> Judged:
    try:
        program = charter_program(item, joined=joined)
    except ValueError:
        return Judged(item.name, None, problem="the charter does not compile")
    return judge(item, walk, program, charter=True)
