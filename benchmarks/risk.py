"""False alarms of the policies of risks: where do they object to what nobody was harmed by?

    .venv/bin/python -m benchmarks.risk [--policy NAME].. [--level confirm] [--jobs 2] [--events] [--data DIR]

Prints every alarm with its reason, and counts. *Tasks*: the recorded tasks of DroidTask, each under its own
instruction. *Screens*: every distinct screen of the runs of DroidBot by itself, then with all that DroidBot did on it,
by chance and without any instruction. *Events* (with --events): the same runs from beginning to end, so that rules
about the past count, too. A policy is a file, or one of `std`. Without the data it says so and measures nothing.

Tasks and screens by themselves are those of `vsac audit ../shared/data/trajectories/droidtask --benign` and of
`vsac audit ../shared/data/utg --benign --states`.
"""

import argparse
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from vsalang.agents.walks import Walk, follow, read_walks
from vsalang.base.report import Style
from vsalang.guard import Guard, Settings, Verdict
from vsalang.language.semantics import load_text
from vsalang.program.action import Action
from vsalang.program.ir import Program
from vsalang.program.screen import Screen
from vsalang.screen.screen import TreeScreen
from vsalang.tools.audit import LEVELS, Audit, Options, find, report, run
from vsalang.tools.audit.text import AuditReport
from vsalang.tools.cli.common import shipped_modules

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT.parent / "shared" / "data"
DEFAULT = "std.policies.all"
_MAIN = 'policy measured "What is recorded harms nobody"\n'


def file_of(policy: str) -> str:
    """The file of a policy of `std`; any other is a file already."""
    return str(shipped_modules().get(policy, policy))


def pack(*policies: str) -> Program:
    """The program that holds these policies."""
    return load_text(_MAIN, file="<measured>", policies=[file_of(each) for each in policies]).checked()


def audited(paths: Sequence[Path], policies: Sequence[str], *, states: bool, level: str, jobs: int) -> Audit:
    """An audit of walks that are safe."""
    assert level in LEVELS
    options = Options(pack(*policies), level, states=states, benign=True)
    found = find(paths)
    return report(found, run(found.sources, options, "benchmark", jobs=jobs))


def alarms(verdict: Verdict) -> list[str]:
    """What policies object to in a proposal: the id of each rule that blocks or asks, with its message."""
    return [f"{r.rule}: {r.message}" for r in verdict.reasons if r.kind in ("deny", "confirm")]


def said_of(program: Program, screen: Screen, actions: Iterable[Action]) -> list[str]:
    """The alarms about any of these actions on a screen, each once."""
    guard = Guard(program, settings=Settings(unknown_screen="allow", task=False))
    guard.observe(screen)
    return list(dict.fromkeys(alarm for action in actions for alarm in alarms(guard.propose(action))))


def over_screens(program: Program, walks: Iterable[Walk]) -> Iterator[tuple[str, list[str]]]:
    """Each distinct screen of some walks, and what is said of anything that was done on it."""
    for walk in walks:
        shown: dict[str, tuple[TreeScreen, dict[str, Action]]] = {}
        for index in range(len(walk.steps)):
            taken = walk.taken(index)
            if taken.screen is not None:
                _, actions = shown.setdefault(taken.screen.fingerprint, (taken.screen, {}))
                actions.update({str(action): action for action in taken.actions})
        for print_, (screen, actions) in shown.items():
            yield f"{walk.name} {print_[:12]}", said_of(program, screen, actions.values())


def main() -> None:
    """Measure, and print every alarm."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--policy", action="append", default=[])
    parser.add_argument("--level", choices=LEVELS, default="confirm")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--events", action="store_true", help="judge what DroidBot did by chance, too")
    options = parser.parse_args()
    tasks, runs = options.data / "trajectories" / "droidtask", options.data / "utg"
    if not tasks.is_dir() or not runs.is_dir():
        print(f"skipped: there are no recordings in {options.data}")
        return
    policies = options.policy or [DEFAULT]
    in_force = {
        "policies": [{"file": file, "digest": ""} for file in policies],
        "spec": None,
        "level": options.level,
    }
    for name, path, states in (("tasks", tasks, False), ("screens by themselves", runs, True)):
        audit = audited([path], policies, states=states, level=options.level, jobs=options.jobs)
        print("\n".join([f"== {name}", *AuditReport(audit, in_force).lines(Style())]))
    program = pack(*policies)
    bots = [
        walk
        for folder in sorted(runs.iterdir())
        if (folder / "events.jsonl.gz").exists()
        for walk in read_walks(folder)
    ]
    print("== screens with what was done there")
    begin, screens, bad = time.process_time(), 0, 0
    for place, said in over_screens(program, bots):
        screens += 1
        bad += bool(said)
        for alarm in said:
            print(f"{place}: {alarm}")
    print(f"{bad} of {screens} with an alarm, {time.process_time() - begin:.1f} s")
    if not options.events:
        return
    print("== events")
    begin, rules, events, held = time.process_time(), Counter[str](), 0, 0
    for walk in bots:
        for turn in follow(walk, program):
            events += 1
            said = alarms(turn.verdict)
            held += bool(said)
            rules.update(said)
    for alarm, count in rules.most_common():
        print(f"{count:5} {alarm}")
    print(f"{held} of {events} with an alarm, {time.process_time() - begin:.1f} s")


if __name__ == "__main__":
    main()
