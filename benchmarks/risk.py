"""False alarms of the policies of risks: how often do they hold back what nobody was harmed by?

    .venv/bin/python -m benchmarks.risk [--policy std.policies.all] [--data ../shared/data] [--events]

Three counts, each with every alarm and its reason. *Tasks*: the recorded tasks of DroidTask, judged step by step under
their own instruction; a task counts if a policy would have blocked a step or asked the user about it. *Screens*: every
distinct screen of the runs of DroidBot, each judged by itself: all that DroidBot did on it, by chance and without any
instruction, is proposed. *Events* (with --events): the same runs from beginning to end, so that rules about the past
count, too. Without the data it says so and measures nothing.
"""

import argparse
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from vsalang.agents.walks import Walk, follow, read_walks
from vsalang.core.action import Action
from vsalang.core.ir import Program
from vsalang.device.screen import TreeScreen
from vsalang.guard import Guard, Settings, Verdict
from vsalang.semantics import load_text

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT.parent / "shared" / "data"


def pack(name: str) -> Program:
    """The program that holds one policy."""
    return load_text(f'policy measured "What is measured"\nimport {name}\n').checked()


def alarms(verdict: Verdict) -> list[str]:
    """What policies object to in a proposal: the id of each rule that blocks or asks, with its message."""
    return [f"{r.rule}: {r.message}" for r in verdict.reasons if r.kind in ("deny", "confirm")]


def over_tasks(program: Program, walks: list[Walk]) -> Iterator[tuple[Walk, int, str]]:
    """Each alarm in recorded tasks."""
    for walk in walks:
        for number, turn in enumerate(follow(walk, program), 1):
            for alarm in alarms(turn.verdict):
                yield walk, number, alarm


def over_screens(program: Program, walks: list[Walk]) -> Iterator[tuple[str, list[str]]]:
    """Each distinct screen of some walks, and what is said of anything that was done on it."""
    for walk in walks:
        shown: dict[str, tuple[TreeScreen, dict[str, Action]]] = {}
        for index in range(len(walk.steps)):
            taken = walk.taken(index)
            if taken.screen is not None:
                _, actions = shown.setdefault(taken.screen.fingerprint, (taken.screen, {}))
                actions.update({str(action): action for action in taken.actions})
        for print_, (screen, actions) in shown.items():
            guard = Guard(program, settings=Settings(unknown_screen="allow", task=False))
            guard.observe(screen)
            said = [alarm for action in actions.values() for alarm in alarms(guard.propose(action))]
            yield f"{walk.name} {print_[:12]}", list(dict.fromkeys(said))


def main() -> None:
    """Measure, and print every alarm."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--policy", default="std.policies.all")
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--events", action="store_true", help="judge what DroidBot did by chance, too")
    options = parser.parse_args()
    tasks, runs = options.data / "trajectories" / "droidtask", options.data / "utg"
    if not tasks.is_dir() or not runs.is_dir():
        print(f"skipped: there are no recordings in {options.data}")
        return
    program = pack(options.policy)
    walks = [walk for file in sorted(tasks.glob("*.jsonl.gz")) for walk in read_walks(file)]
    begin = time.process_time()
    found = list(over_tasks(program, walks))
    for walk, step, alarm in found:
        print(f"{walk.name} step {step} ({walk.task}): {alarm}")
    told = len({walk.name for walk, _, _ in found})
    print(f"tasks: {told} of {len(walks)} with an alarm, {time.process_time() - begin:.1f} s")
    bots = [
        walk
        for folder in sorted(runs.iterdir())
        if (folder / "events.jsonl.gz").exists()
        for walk in read_walks(folder)
    ]
    begin, screens, bad = time.process_time(), 0, 0
    for place, said in over_screens(program, bots):
        screens += 1
        bad += bool(said)
        for alarm in said:
            print(f"{place}: {alarm}")
    print(f"screens: {bad} of {screens} with an alarm, {time.process_time() - begin:.1f} s")
    if not options.events:
        return
    begin, rules, events, held = time.process_time(), Counter[str](), 0, 0
    for walk in bots:
        for turn in follow(walk, program):
            events += 1
            said = alarms(turn.verdict)
            held += bool(said)
            for alarm in said:
                rules[alarm] += 1
    for alarm, count in rules.most_common():
        print(f"{count:5} {alarm}")
    print(f"events: {held} of {events} with an alarm, {time.process_time() - begin:.1f} s")


if __name__ == "__main__":
    main()
