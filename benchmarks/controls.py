"""How much a reduction leaves out of real screens, and how long it takes.

.venv/bin/python -m benchmarks.controls [--dumps FOLDER]
"""

import argparse
import statistics
import time
from pathlib import Path

from benchmarks.dumps import FOLDER
from vsalang.control import LEVELS, controls, reduce
from vsalang.control.relevance import actionable
from vsalang.device.tree import read_tree


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--dumps", type=Path, default=FOLDER)
    options = parser.parse_args()
    paths = sorted(options.dumps.glob("*.xml*"))
    if not paths:
        raise SystemExit(f"no UI dumps in {options.dumps}: name a folder with --dumps")
    kept = dict.fromkeys(LEVELS, 0)
    nodes, lost, times = 0, 0, []
    for path in paths:
        tree = read_tree(path)
        nodes += tree.total
        begin = time.perf_counter()
        units = controls(tree)
        times.append((time.perf_counter() - begin) * 1000)
        held = {part.node.node for unit in units for part in unit.parts}
        lost += sum(1 for node in tree.nodes if actionable(node) and node.node not in held)
        for level in LEVELS:
            kept[level] += len(reduce(tree, level).entries)
    print(f"{len(paths)} dumps, {nodes} nodes\n\n| level | nodes kept | fewer |\n|---|---|---|")
    for level, count in kept.items():
        print(f"| `{level}` | {count} | {1 - count / nodes:.1%} |")
    slow = sorted(times)[int(0.95 * (len(times) - 1))]
    print(f"\nvisible nodes that can be acted on and are in no unit: {lost}")
    print(f"all controls of a screen: median {statistics.median(times):.2f} ms, 95 % below {slow:.2f} ms")


if __name__ == "__main__":
    main()
