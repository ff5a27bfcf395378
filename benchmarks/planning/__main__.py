"""The measures P1 to P8 of maps, ways, targets, hints and plans, as one table.

.venv/bin/python -m benchmarks.planning [--only P3 ..] [--data FOLDER] [--graphs N] [--maps N] [--json]

    P1  are ways the cheapest? Random maps against exhaustive search; recorded and random ones against Fast Downward
    P2  how long does one way take, on 10,000 screens, and by Fast Downward on 1,000?
    P3  runs of DroidBot: a map of a random half of the sessions, its ways tried on the steps of the other half
    P4  DroidTask: a map of the exploration and of the other tasks: is the last screen known, and is there a way?
    P5  is the screen of a task found by the words of its instruction, and by its spec?
    P6  steps to a screen with hints and without: logs of DroidBot as machines, and simulated phones, guarded
    P7  plans and ways, run again by the guard, with and without policies
    P8  hints on wrong maps

P3, P4, the words of P5, and the logs of P6 and P8 need recordings that are not part of the repository
(`CONTRIBUTING.md`, "Data for tests"); Fast Downward is an extra (`pip install 'vsalang[pddl]'`). What is not there is
said, and its rows are left out. The exit status is 0 if it ran, whatever was reached.
"""

import argparse
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.planning import guard, halves, hints, maps, phones, specs, tasks
from benchmarks.planning.rows import DATA, Missing, Row, table, tell

MEASURES = ("P1", "P2", "P3", "P4", "P5", "P6", "P7", "P8")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--graphs", type=int, default=10_000, help="random maps against exhaustive search")
    parser.add_argument("--maps", type=int, default=20, help="random maps against Fast Downward")
    parser.add_argument("--only", nargs="+", choices=MEASURES, default=MEASURES)
    parser.add_argument("--table", action="store_true", help="print the table (it always is, without --json)")
    parser.add_argument("--json", action="store_true", help="print the rows as JSON")
    options = parser.parse_args()
    begin = time.perf_counter()
    rows = [row for row in measured(options) if row.measure in options.only]
    rows.sort(key=lambda row: row.measure)
    if options.json:
        print(json.dumps([row.data() for row in rows], indent=1, ensure_ascii=False))
    else:
        print(table(rows))
    tell(f"{time.perf_counter() - begin:.0f} s")


def measured(options: argparse.Namespace) -> Iterator[Row]:
    logs = options.data / "utg"
    parts: tuple[tuple[str, Callable[[], Iterator[Row]]], ...] = (
        ("P1", lambda: maps.ways(options.graphs)),
        ("P1", lambda: maps.planner_lengths(logs, options.maps)),
        ("P2", maps.speed),
        ("P3", lambda: halves.halves(logs)),
        ("P4", lambda: tasks.tasks(options.data)),
        ("P5", lambda: tasks.target(options.data)),
        ("P5", specs.by_spec),
        ("P6 P8", lambda: hints.hints(logs)),
        ("P6", phones.guarded),
        ("P7", guard.plans),
        ("P7", guard.routes),
    )
    for names, part in parts:
        if not {*names.split()} & {*options.only}:
            continue
        tell(f"{names}: begun")
        try:
            yield from part()
        except Missing as error:
            tell(f"{names}: left out: {error}")


if __name__ == "__main__":
    main()
