"""How fast a file is read: to the tree, by the shipped parser, and by textX with a naive grammar of the language.

    .venv/bin/python benchmarks/parsing.py [--lines 2000] [--runs 15]

The file is made of the items of the shipped `.vsa` files, over and over. It is measured as it is written, and dense:
without comments and empty lines. Both parsers read it in one process by turns, so that both see the same machine; the
parse cache is not used. Times are those of the processor, so that other processes count less. Before anything is timed
both must find the same items.
"""

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from itertools import cycle
from pathlib import Path
from typing import Any

from vsalang.base.source import Source
from vsalang.language.syntax import parser
from vsalang.language.syntax.scan import without_comments

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("app_specs", "stdlib", "vsalang/models/encode/templates/examples")


def text_of(lines: int, *, dense: bool) -> str:
    """A file of at least this many lines, ending with an item."""
    bodies = []
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.vsa")):
            text = path.read_text(encoding="utf-8")
            module = parser.parse(Source.from_text(text)).module
            assert module is not None, path
            first = min((item.span.start for item in module.items), default=len(text))
            start = text.rfind("\n\n", 0, first) + 2 if "\n\n" in text[:first] else first
            start = max([start, *(item.span.end for item in module.imports)])
            if dense:
                text = without_comments(text) or ""
            kept = [line.rstrip() for line in text[start:].strip("\n").split("\n")]
            bodies.append([line for line in kept if line] if dense else [*kept, ""])
    found = ['app long package "com.example.long" "A long module"']
    for body in cycle(bodies):
        if len(found) >= lines:
            return "\n".join(found) + "\n"
        found += body
    raise AssertionError


def naive() -> Callable[[str], Any]:
    """textX with the grammar that one would write first."""
    from textx import metamodel_from_file

    metamodel = metamodel_from_file(str(ROOT / "benchmarks" / "naive.tx"), autokwd=True)
    return lambda text: metamodel.model_from_str(text)


def ours(text: str) -> Any:
    """The shipped parser, without its cache."""
    parsed = parser.read(Source.from_text(text))
    assert not parsed.diagnostics
    return parsed.module


def measure(calls: dict[str, Callable[[str], Any]], text: str, runs: int) -> dict[str, list[float]]:
    """Seconds of the processor that each call takes, by turns."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(runs):
        for name, call in calls.items():
            start = time.process_time()
            call(text)
            times[name].append(time.process_time() - start)
    return times


def main() -> int:
    """Print one table."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--lines", type=int, default=2000)
    options.add_argument("--runs", type=int, default=15)
    given = options.parse_args()
    calls = {"vsalang": ours, "naive grammar, textX": naive()}
    print("| file | parser | median | quarter to three quarters | lines/s | ratio |")
    print("|---|---|---|---|---|---|")
    for kind in ("as written", "dense"):
        text = text_of(given.lines, dense=kind == "dense")
        counts = {name: len(call(text).items) for name, call in calls.items()}
        if len(set(counts.values())) != 1:
            print(f"the parsers disagree on how many items there are: {counts}", file=sys.stderr)
            return 1
        lines = text.count("\n")
        times = measure(calls, text, given.runs)
        base = statistics.median(times["vsalang"])
        for name, seconds in times.items():
            low, middle, high = statistics.quantiles(seconds, n=4)
            print(
                f"| {lines:,} lines, {len(text):,} characters, {kind} | {name} | {middle * 1000:.0f} ms "
                f"| {low * 1000:.0f} to {high * 1000:.0f} ms | {lines / middle:,.0f} | {middle / base:.1f} |"
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
