"""How much a reduction leaves out of real screens, and how much processor time that and a delta of two screens take.

.venv/bin/python -m benchmarks.controls [--dumps FOLDER]
"""

import argparse
import statistics
import time
from pathlib import Path

from benchmarks.dumps import FOLDER
from vsalang.control import LEVELS, controls, delta, reduce
from vsalang.control.relevance import actionable
from vsalang.tree import load_dump, read_tree, unpack


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
    nodes, lost, times, compared = 0, 0, [], []
    before = None
    for path in paths:
        tree = read_tree(path)
        nodes += tree.total
        begin = time.process_time()
        units = controls(tree)
        times.append((time.process_time() - begin) * 1000)
        if before is not None:
            # the trees anew, as a session has them: nothing was computed of them before
            pair = load_dump(before), load_dump(unpack(path.read_bytes()))
            begin = time.process_time()
            delta(*pair)
            compared.append((time.process_time() - begin) * 1000)
        before = unpack(path.read_bytes())
        held = {part.node.node for unit in units for part in unit.parts}
        lost += sum(1 for node in tree.nodes if actionable(node) and node.node not in held)
        for level in LEVELS:
            kept[level] += len(reduce(tree, level).entries)
    print(f"{len(paths)} dumps, {nodes} nodes\n\n| level | nodes kept | fewer |\n|---|---|---|")
    for level, count in kept.items():
        print(f"| `{level}` | {count} | {1 - count / nodes:.1%} |")
    print(f"\nvisible nodes that can be acted on and are in no unit: {lost}")
    for what, each in (("all controls of a screen", times), ("the delta of two neighbours", compared)):
        slow = sorted(each)[int(0.95 * (len(each) - 1))]
        print(
            f"{what}: median {statistics.median(each):.2f} ms, 95 % below {slow:.2f} ms, {max(each):.2f} ms at most"
        )


if __name__ == "__main__":
    main()
