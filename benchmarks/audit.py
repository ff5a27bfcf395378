"""Recorded walks judged again under a policy: how many steps a second?

    .venv/bin/python -m benchmarks.audit [FOLDER] [--rounds 5] [--profile]

What `vsac record SPEC --walk PATH` does without `-o`: `vsalang.agents.walks.follow` with no journal. The walks are
those of FOLDER, by default DroidTask in `../shared/data`; without them it says so and measures nothing. All screens are
read before the time is taken, with the rows of their nodes. Times are of the processor, of one thread; the best round
counts. Two programs: the policy `careful`, which looks at every gesture and at every text that is shown, and
`reserve_r`, whose app is none of the walks'.
"""

import argparse
import cProfile
import pstats
import time
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

from vsalang.agents.walks import Walk, WalkStep, follow, read_walks
from vsalang.language.semantics import load
from vsalang.program.ir import Program

ROOT = Path(__file__).resolve().parent.parent
WALKS = ROOT.parent / "shared" / "data" / "trajectories" / "droidtask"
PROGRAMS = ("careful", "reserve_r")


@dataclass(frozen=True, slots=True, eq=False)
class StoredStep:
    """A step that was read before."""

    step: WalkStep

    def taken(self, package: str) -> WalkStep:
        """See `vsalang.agents.walks.Step.taken`."""
        return self.step


def read(folder: Path) -> list[Walk]:
    """All walks of a folder, with their screens and the rows of the nodes."""
    found = []
    for file in sorted(folder.glob("*.jsonl.gz")):
        for walk in read_walks(file):
            steps = [walk.taken(index) for index in range(len(walk.steps))]
            for step in steps:
                if step.screen is not None:
                    step.screen.rows("Node")
            found.append(replace(walk, steps=[StoredStep(step) for step in steps]))
    return found


def audit(walks: list[Walk], program: Program) -> Counter[str]:
    """Judge every action; how often each level was given."""
    return Counter(turn.verdict.level for walk in walks for turn in follow(walk, program))


def main() -> None:
    """Read, then measure each program."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", nargs="?", type=Path, default=WALKS)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--profile", action="store_true", help="say where the time goes")
    options = parser.parse_args()
    if not options.folder.is_dir():
        print(f"skipped: there are no walks in {options.folder}")
        return
    walks = read(options.folder)
    screens = [walk.taken(index).screen for walk in walks for index in range(len(walk.steps))]
    nodes = [len(screen.tree.nodes) for screen in screens if screen is not None]
    steps = sum(len(walk.steps) for walk in walks)
    print(f"{len(walks)} walks, {steps} steps, {sum(nodes) / max(1, len(nodes)):.0f} nodes a screen")
    for name in PROGRAMS:
        program = load(ROOT / "app_specs" / "examples" / f"{name}.vsa").checked()
        levels = audit(walks, program)  # compiled, and hot
        times = []
        for _ in range(options.rounds):
            begin = time.process_time()
            if audit(walks, program) != levels:
                raise SystemExit("two rounds gave different verdicts")
            times.append(time.process_time() - begin)
        judged = sum(levels.values())
        said = ", ".join(f"{count} {level}" for level, count in sorted(levels.items()))
        print(
            f"{name:<10} {judged / min(times):8,.0f} steps/s   {min(times) / judged * 1e6:6,.0f} µs   ({said})"
        )
        if options.profile:
            profile = cProfile.Profile()
            profile.runcall(audit, walks, program)
            pstats.Stats(profile).sort_stats("tottime").print_stats(25)


if __name__ == "__main__":
    main()
