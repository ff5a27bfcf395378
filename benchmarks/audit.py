"""Recorded walks judged again under a policy: what does a step cost, on how many cores, in how much memory?

    .venv/bin/python -m benchmarks.audit [FOLDER] [--rounds 5] [--jobs 2] [--profile]

What `vsac record SPEC --walk PATH` does without `-o`: `vsalang.agents.walks.follow` with no journal. The walks are
those of FOLDER, by default DroidTask in `../shared/data`; without them it says so and measures nothing. All screens are
read before the time is taken, with the rows of their nodes; reading them is shown apart. Times are of the processor, of
one thread, as ratios to a fixed piece of Python work (`benchmarks.ratio`); the best round counts. Each round begins
with nothing known (`vsalang.guard.courses`). *Known*: it goes through the same walks as the round before. *All
different*: no two screens of the walks show the same, so that nothing that is known of one helps with another. *Alone*:
nothing that is known of one walk helps with the next, and each opens an evaluator of its own. Three programs: the
policy `careful`, which looks at every gesture and at every text that is shown and reads nothing of the past,
`reserve_r`, whose app is not in the walks, and all shipped policies.

With --jobs the walks are audited in so many processes, too (`vsac audit --jobs`), by the clock on the wall: on a
machine that does other work that says little. Memory is what the process grew by while it audited the walks again.
"""

import argparse
import cProfile
import pstats
import resource
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from benchmarks.ratio import Line, Watch, quiet, show
from vsalang.agents.walks import Walk, WalkStep, follow, read_walks
from vsalang.guard.courses import Courses
from vsalang.language.semantics import load, load_text
from vsalang.program.ir import Program
from vsalang.screen.screen import TreeScreen
from vsalang.tools.audit import Options, find, run
from vsalang.tools.cli.common import shipped_modules

ROOT: Final = Path(__file__).resolve().parent.parent
WALKS: Final = ROOT.parent / "shared" / "data" / "trajectories" / "droidtask"
EXAMPLES: Final = ROOT / "app_specs" / "examples"
ALL: Final = "std.policies.all"
UNIT: Final = 135e-6
"""Seconds that the fixed piece of work takes on the machine for which steps a second are wanted."""


@dataclass(frozen=True, slots=True, eq=False)
class StoredStep:
    """A step that was read before."""

    step: WalkStep

    def taken(self, package: str) -> WalkStep:
        """See `vsalang.agents.walks.Step.taken`."""
        return self.step


def programs() -> dict[str, Program]:
    """The programs that judge, by name."""
    everything = load_text(
        'policy measured "All that ships"\n', file="<measured>", policies=[str(shipped_modules()[ALL])]
    )
    named = {name: load(EXAMPLES / f"{name}.vsa").checked() for name in ("careful", "reserve_r")}
    return {**named, ALL: everything.checked()}


def read(folder: Path, watch: Watch | None = None) -> list[Walk]:
    """All walks of a folder, with their screens and the rows of the nodes."""
    watch = watch or Watch()
    found = []
    for file in sorted(folder.glob("*.jsonl.gz")):
        for walk in read_walks(file):
            steps = [
                watch.run("reading", lambda walk=walk, index=index: taken(walk, index))  # type: ignore[misc]
                for index in range(len(walk.steps))
            ]
            found.append(replace(walk, steps=[StoredStep(step) for step in steps]))
    return found


def taken(walk: Walk, index: int) -> WalkStep:
    """A step with its screen, the fingerprint and the rows of its nodes."""
    step = walk.taken(index)
    if step.screen is not None:
        step.screen.rows("Node")
        step.screen.content  # noqa: B018 - it is kept, and so is the fingerprint
    return step


def different(walks: list[Walk]) -> list[Walk]:
    """The walks with screens of which no two show the same: each says its number in its first node."""
    number = 0
    made = []
    for walk in walks:
        steps = []
        for index in range(len(walk.steps)):
            step = walk.taken(index)
            if isinstance(step.screen, TreeScreen) and step.screen.tree.nodes:
                number += 1
                first, *others = step.screen.tree.nodes
                nodes = (replace(first, desc=f"{first.desc or ''} screen {number}"), *others)
                screen = TreeScreen(
                    replace(step.screen.tree, nodes=nodes), app=step.screen.app, now=step.screen.now
                )
                screen.rows("Node")
                screen.content  # noqa: B018 - it is kept
                step = replace(step, screen=screen)
            steps.append(StoredStep(step))
        made.append(replace(walk, steps=steps))
    return made


def audit(walks: list[Walk], program: Program, courses: Courses | None) -> Counter[str]:
    """Judge every action; how often each level was given."""
    return Counter(turn.verdict.level for walk in walks for turn in follow(walk, program, courses=courses))


def x_of(
    walks: list[Walk], program: Program, rounds: int, begin: Callable[[], Courses | None]
) -> tuple[float, Counter[str]]:
    """What a step costs, and how often each level was given; the best of the rounds.

    Args:
        begin: what is known when a round begins.
    """
    levels = audit(walks, program, begin())  # compiled, and hot
    steps = sum(levels.values())
    best = float("inf")
    for _ in range(rounds):
        watch, given, courses = Watch(), Counter[str](), begin()
        for walk in walks:  # one by one, by turns with the fixed piece of work
            given += watch.run("walk", lambda walk=walk, known=courses: audit([walk], program, known))  # type: ignore[misc]
        if given != levels:
            raise SystemExit("two rounds gave different verdicts")
        best = min(best, sum(watch.times["walk"]) / watch.middle() / steps)
    return best, levels


def on_cores(folder: Path, program: Program, jobs: int) -> float:
    """How many times as fast the walks are audited in several processes, by the clock on the wall."""
    sources, seconds = find([folder]).sources, []
    for count in (1, jobs):
        begin = time.perf_counter()
        outcomes = list(run(sources, Options(program), "benchmark", jobs=count))
        seconds.append(time.perf_counter() - begin)
        if any(outcome.problem for outcome in outcomes):
            raise SystemExit("a walk cannot be audited")
    return seconds[0] / seconds[1]


def main() -> None:
    """Read, then measure each program."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", nargs="?", type=Path, default=WALKS)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=1, help="also audit in so many processes")
    parser.add_argument("--profile", action="store_true", help="say where the time goes")
    options = parser.parse_args()
    if not options.folder.is_dir():
        print(f"skipped: there are no walks in {options.folder}")
        return
    watch = Watch()
    walks = read(options.folder, watch)
    screens = [walk.taken(index).screen for walk in walks for index in range(len(walk.steps))]
    nodes = [len(screen.tree.nodes) for screen in screens if screen is not None]
    steps = sum(len(walk.steps) for walk in walks)
    prints = {screen.fingerprint for screen in screens if screen is not None}
    print(
        f"{len(walks)} walks, {steps} steps, {sum(nodes) / max(1, len(nodes)):.0f} nodes a screen, "
        f"{len(prints)} different screens"
    )
    quiet()
    lines = [Line("reading a screen, its fingerprint and rows", watch.x("reading"))]
    apart = different(walks)
    for name, program in programs().items():
        wanted = 0.9 if name == "careful" else 1 / 1500 / UNIT
        known = Courses()
        for what, these, begin in (
            (", alone", walks, lambda: None),
            ("", walks, Courses),
            (", known", walks, lambda known=known: known),
            (", all different", apart, Courses),
        ):
            x, levels = x_of(these, program, options.rounds, begin)
            said = ", ".join(f"{count} {level}" for level, count in sorted(levels.items()))
            rate = f"{1 / x / UNIT:,.0f} steps/s where the unit takes {UNIT * 1e6:.0f} µs ({said})"
            goal = None if what == ", alone" else round(wanted, 2)
            lines.append(Line(f"{name}, a step{what}", x, goal, note=rate))
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for _ in range(3):
            audit(walks, program, Courses())
        grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
        lines.append(Line(f"{name}, memory of three more audits", grown, of="MB"))
        if options.jobs > 1:
            times = on_cores(options.folder, program, options.jobs)
            lines.append(Line(f"{name}, {options.jobs} processes against one", times, of="times", more=True))
        if options.profile:
            profile = cProfile.Profile()
            profile.runcall(audit, walks, program, Courses())
            pstats.Stats(profile).sort_stats("tottime").print_stats(25)
    show(lines)


if __name__ == "__main__":
    main()
