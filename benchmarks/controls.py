"""How much a reduction leaves out of real screens, and how much processor time that and a delta of two screens take.

.venv/bin/python -m benchmarks.controls [--dumps FOLDER]
"""

import argparse
import statistics
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from benchmarks.dumps import FOLDER
from benchmarks.measure.certificates import certificate_times
from benchmarks.measure.control import delta_times, reduction
from vsalang.screen.tree import Tree, load_dump, read_tree, unpack


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--dumps", type=Path, default=FOLDER)
    options = parser.parse_args()
    paths = sorted(options.dumps.glob("*.xml*"))
    if not paths:
        raise SystemExit(f"no UI dumps in {options.dumps}: name a folder with --dumps")
    found = reduction(read_tree(path) for path in paths)
    print(f"{found.screens} dumps, {found.nodes} nodes\n\n| level | nodes kept | fewer |\n|---|---|---|")
    for level, count in found.kept.items():
        print(f"| `{level}` | {count} | {1 - count / found.nodes:.1%} |")
    print(f"\nvisible nodes that can be acted on and are in no unit: {found.lost}")
    compared = delta_times(_neighbours(paths))
    for what, each in (
        ("all controls of a screen", found.times),
        ("the delta of two neighbours", compared),
        ("its certificate, in a session that has seen the first one", certificate_times(_neighbours(paths))),
    ):
        slow = sorted(each)[int(0.95 * (len(each) - 1))]
        print(
            f"{what}: median {statistics.median(each):.2f} ms, 95 % below {slow:.2f} ms, {max(each):.2f} ms at most"
        )


def _neighbours(paths: list[Path]) -> Iterator[tuple[Tree, Tree]]:
    """Each screen and the next, as a session has them: nothing was computed of them before."""
    for before, after in pairwise(unpack(path.read_bytes()) for path in paths):
        yield load_dump(before), load_dump(after)


if __name__ == "__main__":
    main()
