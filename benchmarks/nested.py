"""What does a look cost whose rules ask what lies inside what (`Inside`, `Part`)? Real screens, with the engine alone.

    .venv/bin/python -m benchmarks.nested [--dumps FOLDER] [--count 20] [--looks 10]

Screens as in `benchmarks.dumps`: 200 to 500 nodes, joined from real dumps. *First*: a session's first look. *Changed*:
one node shows another text. *Another*: a screen that has nothing in common with the one before. Reading the dump is not
counted; telling the engine what it shows, and the answers of four rules, are.
"""

import argparse
import random
import statistics
import time
from pathlib import Path

from benchmarks.dumps import FOLDER, chosen, one_changed
from benchmarks.workloads import TODAY
from vsalang.engine import open_session
from vsalang.guard.world.moments import Moments
from vsalang.guard.world.rule_book import rule_book
from vsalang.language.semantics import load_text
from vsalang.program.ir import Program
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import Tree, load_dump

SOURCE = """spec nested_r "What lies inside what"
import std.tree

define Row(row = ?r, text = ?t) when Node(node = ?r, clickable = true), Part(of = ?r, class = "TextView", text = ?t).
define Held(node = ?n, row = ?r)
  when Node(node = ?n, class = "ImageView"), Inside(node = ?n, of = ?r), Node(node = ?r, clickable = true).
define Shared(a = ?a, b = ?b)
  when Node(node = ?a, class = "CheckBox"), Inside(node = ?a, of = ?r), Node(node = ?r, scrollable = true),
       Inside(node = ?b, of = ?r), Node(node = ?b, class = "Button").
define Listed(list = ?l, text = ?t) when Node(node = ?l, scrollable = true), Part(of = ?l, id = "title", text = ?t).
done when Row(text = "a"), Held(node = 1), Shared(a = 1), Listed(text = "a").
"""
NAMES = ("Row", "Held", "Shared", "Listed")


def program() -> Program:
    """The rules that are asked."""
    loaded = load_text(SOURCE, path=Path("nested_r.vsa"))
    assert loaded.program is not None, [item.message for item in loaded.diagnostics]
    return loaded.program


class Looker:
    """A session and what is told to it."""

    def __init__(self, made: Program) -> None:
        self.session = open_session(made, today=TODAY)
        self.moments = Moments(made, self.session, rule_book(made))
        self.points = 0

    def look(self, tree: Tree) -> tuple[float, int]:
        """Tell a screen and ask all rules: seconds of the processor, and how many rows there were."""
        self.points += 1
        screen = TreeScreen(tree)
        begin = time.process_time()
        self.moments.screen(screen, self.points)
        rows = sum(len(self.session.rows(f"nested_r.{name}")) for name in NAMES)
        return time.process_time() - begin, rows


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--dumps", type=Path, default=FOLDER)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--looks", type=int, default=10)
    options = parser.parse_args()
    made, rng = program(), random.Random(1)
    dumps = chosen(options.dumps, options.count)
    if not dumps:
        raise SystemExit(f"no dumps of 200 to 500 nodes are to be had from {options.dumps}")
    found: dict[str, list[tuple[float, int]]] = {"first": [], "changed": [], "another": []}
    nodes: list[int] = []
    other = Looker(made)
    for data in dumps:
        tree = load_dump(data)
        nodes.append(len(tree.nodes))
        looker = Looker(made)
        found["first"].append(looker.look(tree))
        last = tree
        for _ in range(options.looks):
            last = load_dump(one_changed(data, rng), after=last)
            found["changed"].append(looker.look(last))
        found["another"].append(other.look(load_dump(data)))
    print(f"{len(dumps)} screens of {min(nodes)} to {max(nodes)} nodes\n")
    print("| look | median ms | 95 % below | rows |\n|---|---|---|---|")
    for name, each in found.items():
        times = sorted(seconds * 1000 for seconds, _ in each)
        rows = sum(count for _, count in each)
        print(
            f"| {name} | {statistics.median(times):.2f} | {times[int(0.95 * len(times)) - 1]:.2f} | {rows} |"
        )


if __name__ == "__main__":
    main()
