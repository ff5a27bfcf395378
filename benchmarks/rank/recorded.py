"""The recorded tasks of DroidTask as decisions: at each step the candidates, their features, and what was done."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from benchmarks.tasks.recordings import Task, timed
from benchmarks.tasks.replay import load_charter
from vsalang.agents.rank.recorded import recorded_decisions
from vsalang.agents.walks import Walk
from vsalang.models.rank.features import Features, features
from vsalang.models.rank.pairs import RunStep
from vsalang.models.rank.scorer import Decision
from vsalang.models.rank.situation import AppChoice

CLOSED: Final = ("dialer", "gallery", "music")
"""The apps whose walks nobody looked at while features and words were written; the shipped weights are not trained on
them either."""


@dataclass(frozen=True, slots=True)
class RecordedStep:
    """One step of a recorded task.

    Attributes:
        task, app, number: which one; the number from 0.
        decision: the situation and its candidates.
        gold: the candidates that do what was done; none: it is not among them.
        rows: the features of each candidate.
        finish: whether the walk ends with it.
        offered: how many candidates there were before a guard judged them.
        html: the screen as DroidTask writes it, without indentation.
        run: the step as `vsalang.models.rank.pairs` reads it.
        proof: of the end that the guard permitted; empty: this is not one.
    """

    task: str
    app: str
    number: int
    decision: Decision
    gold: tuple[int, ...]
    rows: tuple[Features, ...]
    finish: bool
    offered: int
    html: str
    run: RunStep
    proof: frozenset[str]


def recorded_steps(tasks: Iterable[Task], *, charters: bool = False) -> Iterator[RecordedStep]:
    """The steps of tasks, the history being what was recorded.

    Args:
        charters: leave out what the guard blocks under the charter of the task (`benchmarks/tasks/charters`).

    Raises:
        WalkError: a step is not understood.
    """
    for task in tasks:
        walk = Walk(task.app, task.instruction, timed(task.frames, task.at), task.name, task.name)
        program = load_charter(task) if charters else None
        apps = () if charters else (AppChoice(task.package),)
        for step in recorded_decisions(walk, package=task.package, program=program, apps=apps):
            html = task.frames[step.number].state
            yield RecordedStep(
                task.name,
                task.app,
                step.number,
                step.decision,
                step.gold,
                features(step.decision),
                step.action.name == "finish",
                step.offered,
                "\n".join(line.strip() for line in html.splitlines()),
                step.run,
                step.proof,
            )
