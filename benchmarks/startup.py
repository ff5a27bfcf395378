"""How long the commands take that people wait for, side by side with a bare interpreter; medians of warm runs.

.venv/bin/python benchmarks/startup.py [--runs 15] [--json]
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VSAC = ["-m", "vsalang.tools.cli.main"]
CASES = {
    "python -c pass": ["-c", "pass"],
    "python -c 'import click'": ["-c", "import click"],
    "vsac --help": [*VSAC, "--help"],
    "vsac check reserve_r.vsa": [*VSAC, "check", "app_specs/examples/reserve_r.vsa"],
    "the same, nothing cached": [*VSAC, "check", "app_specs/examples/reserve_r.vsa"],
    "vsac lint reserve_r.vsa": [*VSAC, "lint", "app_specs/examples/reserve_r.vsa"],
    "vsac test reserve_r.vsa": [*VSAC, "test", "app_specs/examples/reserve_r.vsa"],
}
HEAVY = ("z3", "openai", "pyDatalog", "uiautomator2", "lxml", "PIL", "pygls", "torch")


def seconds(args: list[str], env: dict[str, str]) -> float:
    """The wall time of one run."""
    begin = time.perf_counter()
    subprocess.run([sys.executable, *args], cwd=ROOT, env=env, check=True, capture_output=True)
    return time.perf_counter() - begin


def heavy(args: list[str]) -> list[str]:
    """Which heavy libraries a run imports."""
    shown = subprocess.run(
        [sys.executable, "-X", "importtime", *args], cwd=ROOT, check=True, capture_output=True, text=True
    ).stderr
    names = {line.rsplit("|", 1)[-1].strip().partition(".")[0] for line in shown.splitlines() if "|" in line}
    return sorted(names & set(HEAVY))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    rows = []
    for name, args in CASES.items():
        env = {**os.environ, "VSALANG_CACHE": "off"} if "nothing cached" in name else dict(os.environ)
        env.pop("PYTHONDONTWRITEBYTECODE", None)  # installed programs have their modules compiled
        seconds(args, env)  # warm the disk
        times = [seconds(args, env) for _ in range(options.runs)]
        rows.append(
            {
                "case": name,
                "median_ms": round(statistics.median(times) * 1000, 1),
                "p95_ms": round(sorted(times)[int(0.95 * (len(times) - 1))] * 1000, 1),
                "heavy": heavy(args),
            }
        )
    base = rows[0]["median_ms"]
    if options.json:
        print(json.dumps(rows, indent=2))
        return
    print(f"{'case':<28} {'median':>9} {'p95':>9} {'ratio':>7}  heavy libraries imported")
    for row in rows:
        times = f"{row['median_ms']:>6} ms {row['p95_ms']:>6} ms {row['median_ms'] / base:>7.1f}"
        print(f"{row['case']:<28} {times}  {', '.join(row['heavy']) or '-'}")


if __name__ == "__main__":
    main()
