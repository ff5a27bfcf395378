"""How long `vsac test`, `check` and `lint` take for many small specs of one app (the shipped `settings`).

.venv/bin/python benchmarks/many.py [--specs 60] [--runs 3] [--against OTHER/.venv/bin/python]

Processor time of whole processes, medians; `--against` measures another checkout's interpreter by turns.
"""

import argparse
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TEST = 'test "not yet" {\n  finish => block.\n}\n'


def write(folder: Path, count: int) -> list[str]:
    """Write small specs of one app; their names."""
    text = (ROOT / "app_specs/examples/quiet_evening.vsa").read_text(encoding="utf-8")
    text = re.sub(r"^import (\w+)$", r"import apps.\1 as \1", text.split("\ntest ")[0], flags=re.M)
    names = []
    for number in range(count):
        name = f"task{number}.vsa"
        spec = re.sub(
            r"^spec .*$", f'spec task{number} "Turn the theme dark, task {number}"', text, flags=re.M
        )
        (folder / name).write_text(f"{spec}\n{TEST}", encoding="utf-8")
        names.append(name)
    return names


def seconds(python: str, folder: Path, args: list[str]) -> float:
    """Processor time of one run."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    env = {**os.environ, "VSALANG_CACHE": str(folder / "cache")}
    done = subprocess.run(
        [python, "-m", "vsalang.tools.cli.main", *args], cwd=folder, env=env, capture_output=True, text=True
    )
    if done.returncode:
        raise SystemExit(done.stdout + done.stderr)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--specs", type=int, default=60)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--against", metavar="PYTHON")
    options = parser.parse_args()
    pythons = [sys.executable, *([options.against] if options.against else [])]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = write(folder, options.specs)
        print(
            f"{options.specs} specs; processor seconds" + (", this and the other" if options.against else "")
        )
        for command in ("test", "check", "lint"):
            args = [command, "-q", *files]
            for python in pythons:
                seconds(python, folder, args)  # the first run fills the cache
            times: list[list[float]] = [[] for _ in pythons]
            for _ in range(options.runs):
                for number, python in enumerate(pythons):
                    times[number].append(seconds(python, folder, args))
            print(f"vsac {command:<6}" + "".join(f"{statistics.median(found):>9.2f}" for found in times))


if __name__ == "__main__":
    main()
