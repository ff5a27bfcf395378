"""Analyses: how long do the commands of the solver take, as the rules of a program double?

    .venv/bin/python -m benchmarks.analyses [--rules 25 50 ..] [--only COMMAND ..] [--profile COMMAND]

The programs are those of `benchmarks.loading`. The spec is compared with a version of which one edge was moved. Each
command runs in a process of its own; times are processor time of the command and of the processes that it starts.
"""

import argparse
import cProfile
import pstats
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.loading import write

SIZES = (25, 50, 100, 200)
COMMANDS = {
    "verify": ("verify", "task.vsa"),
    "verify, with the policy": ("verify", "task.vsa", "--policy", "owner.vsa"),
    "diff": ("diff", "task.vsa", "changed.vsa"),
    "conflicts": ("conflicts", "task.vsa", "owner.vsa"),
    "testgen": ("testgen", "task.vsa"),
    "probe": ("probe", "task.vsa"),
}


def program(folder: Path, rules: int) -> None:
    """The program of that size, and its spec with one edge moved."""
    write(folder, rules)
    text = (folder / "task.vsa").read_text(encoding="utf-8")
    (folder / "changed.vsa").write_text(text.replace("price <", "price <=", 1), encoding="utf-8")


def seconds(folder: Path, args: tuple[str, ...], limit: float) -> float | None:
    """Processor seconds of one command; none if it did not come to its end."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "vsalang.tools.cli.main", *args],
            cwd=folder,
            timeout=limit,
            capture_output=True,
        )
    except subprocess.TimeoutExpired:
        return None
    if done.returncode not in (0, 1):
        raise SystemExit(f"vsac {' '.join(args)}: {done.stderr.decode()}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def profiled(folder: Path, args: tuple[str, ...]) -> None:
    """Where one command spends its time, on standard error."""
    from vsalang.tools.cli.main import run as vsac

    profile = cProfile.Profile()
    profile.runcall(vsac, [str(folder / arg) if arg.endswith(".vsa") else arg for arg in args])
    stats = pstats.Stats(profile, stream=sys.stderr)
    stats.sort_stats("tottime").print_stats(25)
    stats.sort_stats("cumtime").print_stats(60)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rules", type=int, nargs="+", default=SIZES)
    parser.add_argument("--only", nargs="+", choices=COMMANDS, default=list(COMMANDS), metavar="COMMAND")
    parser.add_argument("--limit", type=float, default=600, help="seconds for one command")
    parser.add_argument("--profile", choices=COMMANDS, metavar="COMMAND")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folders = {size: Path(name) / str(size) for size in options.rules}
        for size, folder in folders.items():
            folder.mkdir()
            program(folder, size)
        if options.profile:
            profiled(folders[options.rules[-1]], COMMANDS[options.profile])
            return
        print("| processor seconds, rules | " + " | ".join(str(size) for size in options.rules) + " |")
        print("|---" * (len(options.rules) + 1) + "|")
        for command in options.only:
            row = [seconds(folder, COMMANDS[command], options.limit) for folder in folders.values()]
            cells = [f"more than {options.limit:g}" if one is None else f"{one:.1f}" for one in row]
            print(f"| {command} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
