"""Recorded tasks that harm nobody: where do policies object all the same?

    .venv/bin/python -m benchmarks.benign [--policy FILE].. [--level confirm] [--jobs 2]

Judges the 158 tasks of DroidTask and the distinct screens of runs of DroidBot in `../shared/data`, prints each alarm
with its reason, and how many there are. Without the data it says so and measures nothing. The policies are those named,
else the default pack `std.policies.all`; without either it says so. The same by hand:

    vsac audit ../shared/data/trajectories/droidtask --benign
    vsac audit ../shared/data/utg --benign --states
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from vsalang.cli.audit_report import as_text
from vsalang.cli.common import shipped_modules
from vsalang.risk.audit import LEVELS, Audit, Options, find, report, run
from vsalang.semantics import load_text

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT.parent / "shared" / "data"
TASKS = DATA / "trajectories" / "droidtask"
RUNS = DATA / "utg"
MAIN = 'policy benign "What is recorded harms nobody"\n'


def default() -> tuple[str, ...]:
    """The file of the default pack, if it comes with this version."""
    found = shipped_modules().get("std.policies.all")
    return (str(found),) if found is not None else ()


def audited(paths: Sequence[Path], policies: Sequence[str], *, states: bool, level: str, jobs: int) -> Audit:
    """An audit of walks that are safe."""
    program = load_text(MAIN, file="<benign>", policies=policies).checked()
    assert level in LEVELS
    options = Options(program, level, states=states, benign=True)  # type: ignore[arg-type]
    found = find(paths)
    return report(found, run(found.sources, options, "benchmark", jobs=jobs))


def main() -> None:
    """Judge the tasks, then the screens."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--policy", action="append", default=[])
    parser.add_argument("--level", choices=LEVELS, default="confirm")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    policies = options.policy or default()
    if not policies or not DATA.is_dir():
        print(f"skipped: there are no walks in {DATA}" if policies else "skipped: name a policy")
        return
    in_force = {
        "policies": [{"file": file, "digest": ""} for file in policies],
        "spec": None,
        "level": options.level,
    }
    for name, path, states in (("tasks", TASKS, False), ("screens", RUNS, True)):
        audit = audited([path], policies, states=states, level=options.level, jobs=options.jobs)
        print(f"== {name}\n{as_text(audit, in_force, color=False)}")


if __name__ == "__main__":
    main()
