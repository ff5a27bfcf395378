"""Measures candidates, prompts, the linear scorer and labels on recorded tasks and real screens; trains the weights.

.venv/bin/python -m benchmarks.rank [--only candidates,demos,prefill,ranking,charters,curve,labels] [--write]

The recordings are not part of the repository (CONTRIBUTING.md, "Data for tests").
"""

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from benchmarks.dumps import FOLDER
from benchmarks.rank import figures
from benchmarks.rank.action_space import of_dumps, of_steps, touches_of_dumps
from benchmarks.rank.demos import DEMOS, DemoStep, demo_steps
from benchmarks.rank.figures import Outcome, app_left_out, trained
from benchmarks.rank.prefill import prefill
from benchmarks.rank.recorded import CLOSED, RecordedStep, recorded_steps
from benchmarks.tasks.recordings import DATA, read_tasks
from vsalang.models.rank.linear import WEIGHTS, shipped_weights, weights_text
from vsalang.models.rank.pairs import flagged, labels, pairs

CURVE: Final = (250, 500, 1_000, 2_000, 4_000)
"""Numbers of pairs."""


@dataclass
class Measured:
    """The recorded steps, read when they are needed, and once."""

    _models: dict[str, figures.Model] = field(default_factory=dict)

    @cached_property
    def plain(self) -> list[RecordedStep]:
        """Without a guard."""
        return list(recorded_steps(read_tasks()))

    @cached_property
    def charters(self) -> list[RecordedStep]:
        """What the guard leaves of them under the charter of each task."""
        return list(recorded_steps(read_tasks(), charters=True))

    def shipped(self) -> figures.Model:
        """The shipped weights."""
        return figures.Model(shipped_weights(), 0)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default=",".join(PARTS), metavar="PART,..", help="What is measured.")
    parser.add_argument("--write", action="store_true", help="Train the shipped weights, and write them.")
    options = parser.parse_args()
    if not DATA.is_dir():
        raise SystemExit(f"the recorded tasks are not in {DATA}: nothing was measured")
    unknown = [name for name in options.only.split(",") if name not in PARTS]
    if unknown:
        parser.error(f"{unknown[0]} is not a part; there are {', '.join(PARTS)}")
    measured = Measured()
    if options.write:
        write(measured)
        return
    for name in options.only.split(","):
        print(f"\n== {name}\n", flush=True)
        PARTS[name](measured)


def write(measured: Measured) -> None:
    """Train on the apps that are not closed, without and with charters, and write the weights."""
    steps = [step for step in (*measured.plain, *measured.charters) if step.app not in CLOSED]
    model = trained(steps)
    about = {
        "made_by": "python -m benchmarks.rank --write",
        "data": "DroidTask (AutoDroid), recorded walks, without and with the charters of benchmarks/tasks/charters",
        "apps": sorted({step.app for step in steps}),
        "left_out": sorted(CLOSED),
        "pairs": model.pairs,
    }
    WEIGHTS.write_text(weights_text(model.weights, about), encoding="utf-8")
    print(f"{WEIGHTS}: {len(model.weights)} weights from {model.pairs} pairs of {len(steps)} steps")


# ---------------------------------------------------------------- the parts


def candidates_part(measured: Measured) -> None:
    print("| candidates of a screen: mean / median / 90 % / most | screens | V-Droid's code | ours | share |")
    print("|---|---|---|---|---|")
    dumps = sorted(FOLDER.glob("*.xml*"))
    if dumps:
        print(of_dumps(dumps).line("UI dumps"))
    print(of_steps(measured.plain).line("steps of DroidTask"))
    print(
        of_steps(measured.plain, answered=False).line(
            "the same without an answer, which its tasks do not take"
        )
    )
    acting = [step for step in measured.plain if not step.finish]
    kept = sum(bool(step.gold) for step in acting)
    print(f"\nrecorded action among them: {kept} of {len(acting)} ({kept / len(acting):.2%})")
    for step in acting:
        if not step.gold:
            print(f"  not: {step.task}, step {step.number + 1}")
    if dumps:
        found = touches_of_dumps(dumps)
        print(
            f"\ntexts of dumps that are called one touch: {found.joined}, right: {found.right}; missed: {found.missed}"
        )


def prefill_part(measured: Measured) -> None:
    print("| prompts | characters a step | share |\n|---|---|---|")
    for name, value, share in prefill(measured.plain).rows():
        print(f"| {name} | {value} | {share:.2%} |")


def demos_part(measured: Measured) -> None:
    print("| recorded agent | steps | candidates left: mean, most | its action a candidate | left |")
    print("|---|---|---|---|---|")
    both: list[DemoStep] = []
    for demo in DEMOS:
        steps = demo_steps(*demo)
        both += steps
        print(_demo(demo[0], steps))
    print(_demo("together", both))


def _demo(name: str, steps: Sequence[DemoStep]) -> str:
    left = [step.left for step in steps]
    found, kept = sum(step.found for step in steps), sum(step.kept for step in steps)
    return f"| {name} | {len(steps)} | {sum(left) / len(left):.1f}, {max(left)} | {found} | {kept} |"


def ranking_part(measured: Measured) -> None:
    steps = measured.plain
    left_out = list(app_left_out(steps))
    _table(
        ("each app by weights of the others", left_out),
        ("the same, the end known", list(app_left_out(steps, finish_known=True))),
        *_by_split(measured, steps),
    )
    _apps(left_out)
    right, seen = figures.flagged_half(left_out)
    print(f"\nthe margin as a sign of a wrong choice: AUC {figures.area(left_out):.3f}")
    print(
        f"flagging the half with the smallest margins leaves {right:.1%} right, and shows {seen:.1%} of the wrong"
    )


def charters_part(measured: Measured) -> None:
    steps = measured.charters
    count = sum(len(step.rows) for step in steps) / len(steps)
    offered = sum(step.offered for step in steps) / len(steps)
    acting = [step for step in steps if not step.finish]
    ending = [step for step in steps if step.finish]
    share = of_steps(steps).share
    print(
        f"candidates a step: {offered:.1f} before the guard, {count:.1f} after it, {share:.3f} of V-Droid's"
    )
    print(f"recorded action left: {sum(bool(step.gold) for step in acting)} of {len(acting)}")
    print(f"recorded end left: {sum(bool(step.gold) for step in ending)} of {len(ending)}")
    outcomes = list(app_left_out(steps))
    left = [one for one in outcomes if one.step.gold]
    _table(
        ("each app by weights of the others", outcomes),
        ("the same, where the guard lets the recorded action through", left),
        *_by_split(measured, steps),
    )


def curve_part(measured: Measured) -> None:
    print("| pairs | first | among three | MRR |\n|---|---|---|---|")
    for most in (*CURVE, None):
        found = list(app_left_out(measured.plain, most=most))
        name = str(most) if most is not None else f"all (about {_pairs(measured.plain)})"
        print(f"| {name} | {_percent(found, 1)} | {_percent(found, 3)} | {figures.reciprocal(found):.3f} |")


def labels_part(measured: Measured) -> None:
    runs: dict[str, list[RecordedStep]] = {}
    for step in measured.charters:
        runs.setdefault(step.task, []).append(step)
    outcomes = {(one.step.task, one.step.number): one for one in app_left_out(measured.charters)}
    known = needed = made = hard = looked = 0
    for steps in runs.values():
        run = [step.run for step in steps]
        told = labels(run, steps[-1].proof)
        known += sum(not one.open for one in told)
        open_ = [one.step for one in told if one.open]
        needed += len(open_)
        looked += len(flagged({nth: outcomes[steps[nth].task, steps[nth].number].margin for nth in open_}))
        rows = list(pairs(run, told))
        made += len(rows)
        hard += sum(one.label == "blocked" for one in rows)
    total = known + needed
    print(f"steps labelled by proofs: {known} of {total} ({known / total:.1%}); by a person: {needed}")
    print(f"of these flagged by margin: {looked}")
    print(f"pairs without a person: {made}, of them certain by a block: {hard}")


PARTS: Final[dict[str, Callable[[Measured], None]]] = {
    "candidates": candidates_part,
    "demos": demos_part,
    "prefill": prefill_part,
    "ranking": ranking_part,
    "charters": charters_part,
    "curve": curve_part,
    "labels": labels_part,
}


def _pairs(steps: Sequence[RecordedStep]) -> int:
    return sum(len(step.gold) * (len(step.rows) - len(step.gold)) for step in steps)


def _by_split(measured: Measured, steps: Sequence[RecordedStep]) -> list[tuple[str, list[Outcome]]]:
    if not WEIGHTS.exists():
        return []
    model = measured.shipped()
    closed = [model.outcome(step) for step in steps if step.app in CLOSED]
    known = [model.outcome(step, finish_known=True) for step in steps if step.app in CLOSED]
    name = f"shipped weights, closed apps ({', '.join(CLOSED)})"
    return [(name, closed), (f"{name}, the end known", known)]


def _table(*rows: tuple[str, list[Outcome]]) -> None:
    print("| | steps | first | among three | MRR | by chance |\n|---|---|---|---|---|---|")
    for name, outcomes in rows:
        chance, rank = figures.by_chance(outcomes), figures.reciprocal(outcomes)
        print(
            f"| {name} | {len(outcomes)} | {_percent(outcomes, 1)} | {_percent(outcomes, 3)} | {rank:.3f} |"
            f" {chance:.1%} |"
        )


def _apps(outcomes: Sequence[Outcome]) -> None:
    apps = sorted({one.step.app for one in outcomes})
    shown = [(app, [one for one in outcomes if one.step.app == app]) for app in apps]
    print("\n" + ", ".join(f"{app} {_percent(mine, 1)}" for app, mine in shown))


def _percent(outcomes: Sequence[Outcome], top: int) -> str:
    return f"{figures.share(outcomes, top):.1%}"


if __name__ == "__main__":
    main()
