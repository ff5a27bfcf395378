"""Measures the fresh set and prints totals, nothing else: ``python -m benchmarks.fresh [--joined] [--half HALF]``.

An alarm is a verdict that blocks or asks in a step; warnings and flags are counted apart. Three ways of judging: the
policies alone; with the charter that was written of the instruction; and with its judgement of the instruction, too.
The policies and the charter judge apart and their alarms are joined; with --joined they are one program, as in use, and
the policies alone are not measured. A module that is not there yet is named, and what needs it is left out.
"""

import argparse
import json
import sys
from typing import Any

from benchmarks.fresh import folder, is_open, items
from benchmarks.fresh.judging import EFFECTS, POLICIES, missing
from benchmarks.fresh.measuring import measured
from benchmarks.fresh.totals import WAYS, totals
from benchmarks.kept import DriftError
from benchmarks.planted.make.scenes import SceneError
from vsalang.program.shares import Share


def main() -> None:
    """Measure, and print totals."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fresh", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print the totals as JSON")
    parser.add_argument("--joined", action="store_true", help="judge by policies and charter in one program")
    parser.add_argument(
        "--half", choices=("open", "closed"), help="one half: that which was read, or the other"
    )
    parser.add_argument("--jobs", type=int, default=1, help="so many processes")
    options = parser.parse_args()
    try:
        place, found = folder(), items()
    except (DriftError, SceneError, OSError) as error:
        sys.exit(f"error: {error}")
    if options.half is not None:
        found = tuple(item for item in found if is_open(item) == (options.half == "open"))
    absent = missing()
    for name in absent:
        print(f"{name} is not there: what needs it is left out", file=sys.stderr)
    with_policies, with_charters = POLICIES not in absent, EFFECTS not in absent
    if options.joined and absent:
        sys.exit("error: --joined needs all of them")
    if not with_policies and not with_charters:
        sys.exit("error: there is nothing to measure with")
    results = measured(
        place,
        found,
        with_policies=with_policies,
        with_charters=with_charters,
        joined=options.joined,
        jobs=options.jobs,
    )
    counts = totals(results) | {"missing": list(absent)}
    if options.joined:
        counts[WAYS[0]] = {}
    print(json.dumps(counts, default=_share, indent=1) if options.json else _text(counts))


def _share(value: Any) -> Any:
    if isinstance(value, Share):
        return value.data()
    raise TypeError(type(value).__name__)


def _text(counts: dict[str, Any]) -> str:
    lines = [f"{counts['items']} items; {counts['problems']} could not be judged"]
    for way in WAYS:
        for title, table in counts[way].items():
            if not table:
                continue
            lines.append(f"\n== {way}: {title}")
            for row in table:
                lines.append(row["row"])
                lines += [f"    {group:<14} {_said(share)}" for group, share in row["shares"].items()]
    return "\n".join(lines)


def _said(share: Share) -> str:
    value, low, high = (100 * part for part in (share.value or 0, share.low, share.high))
    return f"{share.hits:4} of {share.of:<4} {value:5.1f} % [{low:.1f}, {high:.1f}]"


if __name__ == "__main__":
    main()
