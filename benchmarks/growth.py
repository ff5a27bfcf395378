"""Growth: the cost of an event as the program or the data grow while what it touches does not; a table and a plot.

    .venv/bin/python -m benchmarks.growth [--json FILE] [--plot build/growth.svg]

Rules: w2 with ten to ten thousand rules and cells in proportion, so that a cell touches as much in each. Rows:
`rows.vsa` with a hundred to a hundred thousand orders, of which one changes; the answer keeps its size. Past: our
memory after so many events of w5.
"""

import argparse
import gc
import importlib
import json
import random
import statistics
import sys
import time
import tracemalloc
from pathlib import Path
from typing import Any

from benchmarks.compare import plain
from benchmarks.engines import python_, vsalang_
from benchmarks.workloads import Work, by_name, rows, w2

RULES = (10, 100, 1000, 10_000)
ROWS = (100, 1000, 10_000, 100_000)
POINTS = (1000, 10_000, 100_000)
ENGINES = {
    "rules": ("vsalang_", "python_", "pydatalog_best", "clingo_", "clips_", "sqlite_"),
    "rows": ("vsalang_", "python_", "pydatalog_best", "sqlite_"),
}

COLOURS = {
    "vsalang": "#c22f2f",
    "Python": "#555555",
    "pyDatalog, at its best": "#1f77b4",
    "clingo": "#ff9d2e",
    "CLIPS": "#2ca02c",
    "sqlite": "#9467bd",
}


def measured(engine: str, name: str, work: Work, seconds: float) -> dict[str, float]:
    """Median and p95 in µs, after the answers were compared with Python's for as long."""
    module = importlib.import_module(f"benchmarks.engines.{engine}")
    begin = time.perf_counter()
    step, right = getattr(module, name)(work), getattr(python_, name)(work)
    opening = time.perf_counter() - begin
    times: list[float] = []
    clock = time.perf_counter
    if name == "w2":  # whatever an engine sets up on first use: each cell is written three times
        kinds = work.spec.kinds
        rng, end = random.Random(9), clock() + 30
        for event in [(cell, w2.value(rng, kinds[cell])) for _ in range(3) for cell in range(len(kinds))]:
            step(event)
            right(event)
            if clock() > end:
                print(f"{module.NAME} is not warm after 30 s", file=sys.stderr)
                break
    end = clock() + seconds
    for number, event in enumerate(work.events):
        begin = clock()
        answer = step(event)
        took = clock() - begin
        if number < 300 and plain(work, answer) != plain(work, right(event)):
            raise SystemExit(f"{module.NAME} answers {name} wrongly at event {number}")
        if number >= 50:
            times.append(took)
            if clock() > end and len(times) > 20:
                break
    return {
        "median_us": statistics.median(times) * 1e6,
        "p95_us": sorted(times)[int(0.95 * (len(times) - 1))] * 1e6,
        "open_s": opening,
        "events": len(times),
    }


def grow(axis: str, sizes: tuple[int, ...], seconds: float, engines: tuple[str, ...]) -> list[dict[str, Any]]:
    found = []
    for size in sizes:
        begin = time.perf_counter()
        if axis == "rules":
            work = w2.growing(size)
        else:
            work = rows.work(2000, size)
        loading = time.perf_counter() - begin
        for engine in engines:
            if engine == "sqlite_" and axis == "rules" and size > 500:
                continue  # a table has at most 2,000 columns
            gc.collect()
            result = measured(engine, "w2" if axis == "rules" else "rows", work, seconds)
            name = importlib.import_module(f"benchmarks.engines.{engine}").NAME
            found.append({"axis": axis, "size": size, "engine": name, "load_s": loading, **result})
            print(f"{axis} {size} {name}: {result['median_us']:.1f} µs", file=sys.stderr)
    return found


def past(points: tuple[int, ...]) -> list[dict[str, Any]]:
    """Our memory and time after so many events."""
    found: list[dict[str, Any]] = []
    for name in ("w5", "w5_data"):
        work = by_name(name, points[-1])
        tracemalloc.start()
        step = getattr(vsalang_, name)(work)
        clock, last = time.perf_counter, 0
        for size in points:
            for event in work.events[last : size - 500]:
                step(event)
            gc.collect()
            memory = tracemalloc.get_traced_memory()[0]
            times = []
            for event in work.events[size - 500 : size]:
                begin = clock()
                step(event)
                times.append(clock() - begin)
            last = size
            found.append(
                {
                    "axis": name,
                    "size": size,
                    "bytes": memory,
                    "median_traced_us": statistics.median(times) * 1e6,
                }
            )
        tracemalloc.stop()
    return found


def plot(found: list[dict[str, Any]], path: str) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, both = pyplot.subplots(1, 2, figsize=(10, 4.6), sharey=True)
    lines = {}
    for axes, axis, words in zip(
        both, ("rules", "rows"), ("rules in the program", "rows in the data"), strict=True
    ):
        for name in dict.fromkeys(one["engine"] for one in found if one["axis"] == axis):
            line = [
                (one["size"], one["median_us"])
                for one in found
                if one["axis"] == axis and one["engine"] == name
            ]
            width = 3 if name == "vsalang" else 1.4
            (lines[name],) = axes.plot(
                *zip(*line, strict=True), marker="o", label=name, linewidth=width, color=COLOURS[name]
            )
        axes.set(xscale="log", yscale="log", xlabel=words)
        axes.grid(True, which="major", alpha=0.3)
    both[0].set_ylabel("median µs per event")
    figure.suptitle("One event, as what it does not touch grows")
    figure.legend(
        handles=list(lines.values()), loc="lower center", ncols=len(lines), fontsize=9, frameon=False
    )
    figure.tight_layout(rect=(0, 0.06, 1, 1))
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)


def table(found: list[dict[str, Any]]) -> str:
    lines = []
    for axis in ("rules", "rows"):
        mine = [one for one in found if one["axis"] == axis]
        sizes = list(dict.fromkeys(one["size"] for one in mine))
        lines += [
            f"| {axis} | " + " | ".join(f"{size:,}" for size in sizes) + " |",
            "|---" * (len(sizes) + 1) + "|",
        ]
        for name in dict.fromkeys(one["engine"] for one in mine):
            cells = {one["size"]: one["median_us"] for one in mine if one["engine"] == name}
            shown = [f"{cells[size]:,.1f}" if size in cells else "–" for size in sizes]
            lines.append(f"| {name} | " + " | ".join(shown) + " |")
        lines.append("")
    kept = [one for one in found if "bytes" in one]
    if kept:
        sizes = list(dict.fromkeys(one["size"] for one in kept))
        lines += [
            "| events | " + " | ".join(f"{size:,}" for size in sizes) + " |",
            "|---" * (len(sizes) + 1) + "|",
        ]
        for name in dict.fromkeys(one["axis"] for one in kept):
            cells = [f"{one['bytes'] / 1024:,.0f} KB" for one in kept if one["axis"] == name]
            lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json")
    parser.add_argument("--plot", help="an SVG or PNG file")
    parser.add_argument("--seconds", type=float, default=1.0, help="for each engine and size")
    parser.add_argument("--most", type=int, default=100_000, help="the largest size")
    parser.add_argument("--from", dest="source", help="plot and print what --json wrote, and measure nothing")
    options = parser.parse_args()
    if options.source:
        with open(options.source, encoding="utf-8") as file:  # noqa: PTH123
            found = json.load(file)
    else:
        found = []
        for axis, sizes in (("rules", RULES), ("rows", ROWS)):
            found += grow(
                axis, tuple(size for size in sizes if size <= options.most), options.seconds, ENGINES[axis]
            )
        found += past(tuple(size for size in POINTS if size <= options.most))
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:  # noqa: PTH123
            json.dump(found, file, indent=1)
    if options.plot:
        plot(found, options.plot)
    print(table(found), flush=True)
    import os

    os._exit(0)  # CLIPS complains about environments that are still in use


if __name__ == "__main__":
    main()
