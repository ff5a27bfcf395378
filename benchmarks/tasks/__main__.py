"""Recorded tasks under charters: do right walks go through, and are wrong ones held back before their harm?

    .venv/bin/python -m benchmarks.tasks [--only right,sibling] [--modules] [--answers DIR] [--list] [--json] [--jobs 2]

Each of the 158 recorded tasks of DroidTask has a charter, written from its instruction alone (`charters/`). The
recorded walk is judged by it; then wrong walks that were made from it (`changes.py`), with a fixed seed. A walk goes on
whatever is said of it, so that one question does not hide another. Without the recordings it says so and measures
nothing.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Final

from benchmarks.effects.answers import AnswersError, RecordedModel, Tally, add_options, recorded_model
from benchmarks.tasks.changes import CHANGES, SEED, wrong_walks
from benchmarks.tasks.figures import (
    RIGHT,
    WANTED,
    Outcome,
    as_data,
    held_anyhow,
    held_where_right_passes,
    kinds_of_needless,
    needless,
    right_rows,
    shown,
    wrong_rows,
)
from benchmarks.tasks.labels import ANSWERS, WEIGHTS, Effect, main_effect, read_effects
from benchmarks.tasks.recordings import DATA, Task, read_tasks
from benchmarks.tasks.replay import judged, load_charter
from vsalang.language.semantics import load
from vsalang.program.example import LEVELS, Level
from vsalang.tools.cli.common import shipped_modules

KINDS: Final = (RIGHT, *CHANGES)
NAMES: Final[Mapping[str, str]] = {
    "row": "another row",
    "value": "another value",
    "sibling": "the step of a sibling task",
    "more": "one effect too many",
    "early": "finished too early",
    "all": "all",
}


def outcomes_of(
    task: Task,
    tasks: Sequence[Task],
    effects: Mapping[str, tuple[Effect, ...]],
    only: Sequence[str] = KINDS,
    *,
    modules: Sequence[str] = (),
    seed: int = SEED,
    unknown: Level = "confirm",
    model: RecordedModel | None = None,
) -> list[Outcome]:
    """The walks of one task, judged.

    Args:
        task: whose charter is in force.
        tasks: all of them, for siblings.
        effects: what the right walks do.
        only: the walks that are judged: of `KINDS`.
        modules: app modules in force beside the charter.
        seed: of the lot by which wrong walks are made.
        unknown: what a touch asks for of which nobody knows what it does.
        model: is asked about such controls; None: nobody is.
    """
    program = load_charter(task, modules)
    found = []
    right = judged(task, task.frames, program, unknown, model)
    endless = any(said.step == len(task.frames) - 1 for said in right)
    if RIGHT in only:
        main = main_effect(effects.get(task.name, ()))
        kind, weight = (main.kind, main.weight) if main is not None else ("", "")
        found.append(Outcome(task.name, RIGHT, kind, weight, 0, 0, "", right))
    for wrong in wrong_walks(task, tasks, effects, seed):
        if wrong.change in only:
            said = judged(task, wrong.frames, program, unknown, model)
            found.append(
                Outcome(
                    task.name,
                    wrong.change,
                    wrong.kind,
                    wrong.weight,
                    wrong.begins,
                    wrong.harm,
                    wrong.said,
                    said,
                    wrong.change == "early" and endless,
                )
            )
    return found


def modules_of(tasks: Sequence[Task]) -> Mapping[str, tuple[str, ...]]:
    """The shipped app modules that know an app of a task; tasks without one are left out."""
    packages = {
        name: load(path).checked().modules[name].packages
        for name, path in shipped_modules().items()
        if name.startswith("apps.")
    }
    found = {}
    for task in tasks:
        shown = {task.package, *(owner for frame in task.frames if (owner := frame.owner))}
        names = tuple(sorted(name for name, known in packages.items() if shown & set(known)))
        if names:
            found[task.name] = names
    return found


def run(
    tasks: Sequence[Task],
    effects: Mapping[str, tuple[Effect, ...]],
    only: Sequence[str] = KINDS,
    *,
    modules: Mapping[str, tuple[str, ...]] | None = None,
    jobs: int = 1,
    seed: int = SEED,
    unknown: Level = "confirm",
    model: RecordedModel | None = None,
) -> list[Outcome]:
    """Judge the walks of all tasks; with `modules`, of those that have one. `model` then has the tally of all."""
    chosen = [task for task in tasks if modules is None or task.name in modules]
    work = [
        partial(
            outcomes_of,
            task,
            _siblings(task, tasks),
            effects,
            only,
            modules=(modules or {}).get(task.name, ()),
            seed=seed,
            unknown=unknown,
            model=model,
        )
        for task in chosen
    ]
    if jobs == 1:
        return [outcome for each in work for outcome in each()]
    found: list[Outcome] = []
    with ProcessPoolExecutor(jobs) as pool:
        for outcomes, tally in pool.map(_call, work):
            found += outcomes
            if model is not None:
                model.tally = model.tally.with_all(tally)
    return found


def _siblings(task: Task, tasks: Sequence[Task]) -> list[Task]:
    return [each for each in tasks if each.app == task.app]


def _call(work: "partial[list[Outcome]]") -> tuple[list[Outcome], Tally]:
    """The outcomes, and what the model of this process was asked."""
    outcomes = work()
    model: RecordedModel | None = work.keywords["model"]
    return outcomes, model.tally if model is not None else Tally()


def lines(
    outcomes: Sequence[Outcome], effects: Mapping[str, tuple[Effect, ...]], only: Sequence[str]
) -> Iterator[str]:
    """The tables."""
    if RIGHT in only:
        title = "right walks without a needless block or question"
        yield f"| {title} (wanted: {WANTED[RIGHT]:.0%}) | all count | without unknown controls |"
        yield "|---|---|---|"
        for name, share, less in right_rows(outcomes, effects):
            yield f"| {name} | {shown(share)} | {shown(less)} |"
        reasons = kinds_of_needless(outcomes, effects).most_common()
        yield ""
        yield "needless, by reason: " + (", ".join(f"{kind} {count}" for kind, count in reasons) or "none")
    changes = [change for change in CHANGES if change in only]
    for unknown, words in ((True, "all count"), (False, "without unknown controls")) if changes else ():
        wanted = ", ".join(f"{word} {WANTED[word]:.0%}" for word in ("grave", "minor"))
        yield ""
        yield f"| wrong walks held back before their harm, {words} (wanted: {wanted}) | {' | '.join(WEIGHTS)} |"
        yield "|---|" + "---|" * len(WEIGHTS)
        for name, shares in wrong_rows(outcomes, unknown=unknown):
            if name in (*changes, "all"):
                yield f"| {NAMES[name]} | {' | '.join(shown(shares[weight]) for weight in WEIGHTS)} |"
    if changes:
        if RIGHT in only:
            told = [shown(held_where_right_passes(outcomes, effects, weight)) for weight in WEIGHTS]
            yield f"| all, of tasks whose right walk goes through | {' | '.join(told)} |"
        anyhow = [shown(held_anyhow(outcomes, weight)) for weight in WEIGHTS]
        yield f"| all, also by what the right walk is asked | {' | '.join(anyhow)} |"


def listed(outcomes: Sequence[Outcome], effects: Mapping[str, tuple[Effect, ...]]) -> Iterator[str]:
    """Every needless question, and every wrong walk that was not held back."""
    for each in outcomes:
        if each.change == RIGHT:
            for said in needless(each, effects.get(each.task, ()), unknown=True):
                why = "; ".join(said.messages)
                yield f"{each.task} step {said.step + 1}: {said.level} ({', '.join(said.kinds)}) {said.action}: {why}"
        elif not each.held(unknown=True):
            harm = f"{each.weight} {each.kind}, step {each.harm + 1}"
            yield f"{each.task} {NAMES[each.change]} ({harm}): passes: {each.what}"


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default=",".join(KINDS), help=f"of {', '.join(KINDS)}")
    parser.add_argument("--task", action="append", default=[], help="only these tasks, such as calendar-2")
    parser.add_argument(
        "--modules", action="store_true", help="only tasks of which a shipped module knows an app"
    )
    parser.add_argument("--list", action="store_true", help="print what is needless, and what passes")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seed", type=int, default=SEED, help="of the lot by which wrong walks are made")
    parser.add_argument(
        "--unknown", choices=LEVELS, default="confirm", help="what an unknown control asks for"
    )
    add_options(parser)
    parser.add_argument("--data", type=Path, default=DATA)
    options = parser.parse_args()
    only = [each.strip() for each in options.only.split(",")]
    if unknown := [each for each in only if each not in KINDS]:
        parser.error(f"there is no {unknown[0]}; there are {', '.join(KINDS)}")
    if not options.data.is_dir():
        print(f"skipped: there are no recorded tasks in {options.data}")
        return 0
    try:
        model = recorded_model(options.answers, options.ask)
    except (AnswersError, OSError) as error:
        parser.error(str(error))
    tasks = read_tasks(options.data, ANSWERS)
    effects = read_effects()
    modules = modules_of(tasks) if options.modules else None
    if options.task:
        wanted = {*options.task}
        if absent := wanted - {task.name for task in tasks}:
            parser.error(f"there is no task {sorted(absent)[0]}")
        modules = {name: (modules or {}).get(name, ()) for name in options.task}
    outcomes = run(
        tasks,
        effects,
        only,
        modules=modules,
        jobs=options.jobs,
        seed=options.seed,
        unknown=options.unknown,
        model=model,
    )
    if model is not None:
        print(model.tally.said(len(model.answers)), file=sys.stderr)
    if options.json:
        print(json.dumps(as_data(outcomes, effects), indent=1, ensure_ascii=False))
        return 0
    print("\n".join(lines(outcomes, effects, only)))
    if options.list:
        print("\n".join(["", *listed(outcomes, effects)]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
