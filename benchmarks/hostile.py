"""Hostile programs and screens: how long they take, how much memory, and that they end: an answer or a refusal.

.venv/bin/python benchmarks/hostile.py [--seconds 5]
"""

import argparse
import datetime as dt
import time
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from vsalang.engine import Budget, BudgetExceeded, open_session
from vsalang.language.semantics import load_text
from vsalang.program.ir import Program

TODAY = dt.date(2026, 4, 1)
HEAD = """app hostile package "com.example.hostile"

state Item key (node) {
  node: Number
  parent: Number
  text: Text
  clickable: Bool
}
state Edge key (a, b) {
  a: Number
  b: Number
}
"""
ABOVE = """
define Above(node = ?n, above = ?a) when Item(node = ?n, parent = ?a).
define Above(node = ?n, above = ?a) when Above(node = ?n, above = ?m), Item(node = ?m, parent = ?a).
"""
WORDS = """
define Order(node = ?n) when Item(node = ?n, text contains "order").
define Number(node = ?n) when Item(node = ?n, text matches /(a+b?)+c/).
define Twice(text = ?t) when Item(node = ?a, text = ?t), Item(node = ?b, text = ?t), ?a != ?b.
"""
BOMB = (
    "\ndefine Bomb() when "
    + ", ".join(f"Edge(a = ?a{i}, b = ?b{i})" for i in range(9))
    + ", "
    + ", ".join(f"?b{i} < ?a{i + 1}" for i in range(8))
    + ".\n"
)
CYCLE = """
define Reach(a = ?a, b = ?b) when Edge(a = ?a, b = ?b).
define Reach(a = ?a, b = ?b) when Reach(a = ?a, b = ?m), Reach(a = ?m, b = ?b).
"""


def program(text: str) -> Program:
    """The program of a text."""
    place = Path.cwd() / "hostile.vsa"
    loaded = load_text(HEAD + text, file="hostile.vsa", path=place)
    if loaded.program is None:
        raise SystemExit("\n".join(item.message for item in loaded.diagnostics))
    return loaded.program


def items(count: int, parent: Callable[[int], int], text: str = "row") -> Iterator[tuple[Any, ...]]:
    """Nodes of a tree."""
    return ((n, parent(n), f"{text} {n}", n % 2 == 0) for n in range(count))


CASES: dict[str, tuple[str, str, list[list[tuple[Any, ...]]], tuple[str, ...]]] = {
    "10,000 nodes, 10 deep": (
        ABOVE + WORDS,
        "hostile.Item",
        [
            list(items(10_000, lambda n: n - n % 10 + max(n % 10 - 1, 0), word))
            for word in ("order", "row", "x")
        ],
        ("Order", "Twice", "Above"),
    ),
    "a text of 1 MB": (
        WORDS,
        "hostile.Item",
        [[(1, 0, "ab" * 524_288 + end, True)] for end in ("", "order", "c")],
        ("Order", "Number", "Twice"),
    ),
    "a tree 5,000 deep": (
        ABOVE,
        "hostile.Item",
        [list(items(n, lambda k: k - 1)) for n in (50, 5000, 50)],
        ("Above",),
    ),
    "a join of nine": (BOMB, "hostile.Edge", [[(n, n) for n in range(k)] for k in (3, 60, 3)], ("Bomb",)),
    "closure of a cycle": (
        CYCLE,
        "hostile.Edge",
        [[(n, (n + 1) % k) for n in range(k)] for k in (20, 400, 20)],
        ("Reach",),
    ),
}


def main() -> None:
    """Run every case three times in one session each: small, hostile, small again."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=5.0, help="budget of one call")
    options = parser.parse_args()
    for name, (text, slot, states, relations) in CASES.items():
        session = open_session(program(text), today=TODAY, budget=Budget(seconds=options.seconds))
        for rows in states:
            tracemalloc.start()
            begin = time.perf_counter()
            said = []
            try:
                session.assign(slot, rows)
                for relation in relations:
                    try:
                        said.append(f"{relation} {len(session.rows(f'hostile.{relation}')):,}")
                    except BudgetExceeded as error:
                        said.append(f"{relation} refused ({error})")
            except BudgetExceeded as error:
                said.append(f"refused ({error})")
            took, peak = time.perf_counter() - begin, tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            print(f"{name:<24} {len(rows):>6,} rows {took:7.2f} s {peak / 1e6:7.1f} MB  {'; '.join(said)}")


if __name__ == "__main__":
    main()
