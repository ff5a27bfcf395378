"""Analyses: how long do the commands of the solver take, as the rules of a program double?

    .venv/bin/python -m benchmarks.analyses [--rules 25 50 ..] [--only COMMAND ..] [--profile COMMAND]
    .venv/bin/python -m benchmarks.analyses --policies

The programs are those of `benchmarks.loading`. The spec is compared with a version of which one edge was moved. Each
command runs in a process of its own; times are processor time of the command and of the processes that it starts. With
`--policies`: `verify` of each shipped policy, and the wanted figure.
"""

import argparse
import cProfile
import json
import pstats
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.loading import write

SIZES = (25, 50, 100, 200)
COMMANDS = {
    "verify": ("prove", "verify", "task.vsa"),
    "verify, with the policy": ("prove", "verify", "task.vsa", "--policy", "owner.vsa"),
    "diff": ("prove", "diff", "task.vsa", "changed.vsa"),
    "conflicts": ("prove", "conflicts", "task.vsa", "owner.vsa"),
    "testgen": ("prove", "tests", "task.vsa"),
    "probe": ("prove", "probe", "task.vsa"),
}


POLICIES = Path(__file__).resolve().parents[1] / "stdlib" / "std" / "policies"
WANTED = 30
"""Processor seconds for `verify` of the largest shipped policy."""


def verify_policies(limit: float) -> None:
    """Print how long `verify` takes for each shipped policy, and what it left open."""
    print(f"| policy | processor seconds (wanted: {WANTED}) | questions left open |")
    print("|---|---|---|")
    for path in sorted(POLICIES.glob("*.vsa")):
        spent = seconds(path.parent, ("prove", "verify", path.name), limit)
        done = f"more than {limit:g}" if spent is None else f"{spent:.1f}"
        left = left_open(path) if spent is not None else "-"
        print(f"| {path.stem} | {done} | {left} |", flush=True)


def left_open(path: Path) -> str:
    """How many questions about a policy were not decided."""
    command = [sys.executable, "-m", "vsalang.tools.cli.main", "prove", "verify", path.name, "--json"]
    done = subprocess.run(command, cwd=path.parent, capture_output=True)
    found = [item["code"] for item in json.loads(done.stdout)["diagnostics"]]
    return str(sum(code in ("V0004", "V0005") for code in found))


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
    parser.add_argument("--policies", action="store_true", help="`verify` of each shipped policy")
    options = parser.parse_args()
    if options.policies:
        verify_policies(options.limit)
        return
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
