"""Figures of the linear scorer: each app ranked by weights that were trained on the others."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.rank.recorded import RecordedStep
from benchmarks.rank.training import Matrix, names_of, pairs_of, train

MISSED = 1_000
"""The rank of an action that is not among the candidates."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one step was ranked.

    Attributes:
        rank: of what was done, from 0.
        margin: between the first two.
        count: how many candidates there were.
    """

    step: RecordedStep
    rank: int
    margin: float
    count: int


@dataclass(frozen=True, slots=True)
class Model:
    """Trained weights, by the names of features."""

    weights: Mapping[str, float]
    pairs: int

    def outcome(self, step: RecordedStep, *, finish_known: bool = False) -> Outcome:
        """Rank one step.

        Args:
            finish_known: somebody knows for certain when the task is done: then finish is done, and only then offered.
        """
        kept = list(range(len(step.rows)))
        if finish_known:
            if step.finish:
                return Outcome(step, 0, 1.0, 1)
            kept = [nth for nth in kept if step.decision.candidates[nth].kind != "finish"]
        scores = np.array(
            [
                sum(self.weights.get(name, 0.0) * value for name, value in step.rows[nth].items())
                for nth in kept
            ]
        )
        order = [kept[at] for at in np.argsort(-scores, kind="stable")]
        rank = next((at for at, nth in enumerate(order) if nth in step.gold), MISSED)
        return Outcome(step, rank, _margin(scores), len(kept))


def trained(steps: Sequence[RecordedStep], most: int | None = None) -> Model:
    """Weights trained on steps, by at most so many pairs."""
    names = names_of(steps, 2)
    data = pairs_of(steps, names, most)
    return Model(dict(zip(names, map(float, train(data)), strict=True)), len(data.differences))


def _margin(scores: Matrix) -> float:
    shares = np.exp(scores - scores.max())
    shares = np.sort(shares / shares.sum())[::-1]
    return float(shares[0] - shares[1]) if len(shares) > 1 else 1.0


def app_left_out(
    steps: Sequence[RecordedStep], *, finish_known: bool = False, most: int | None = None
) -> Iterator[Outcome]:
    """Each app ranked by weights that were trained on the steps of all others.

    Args:
        most: train on at most so many pairs, of steps in an order that is drawn once.
    """
    for app in sorted({step.app for step in steps}):
        others = [step for step in steps if step.app != app]
        if most is not None:
            others = [others[nth] for nth in np.random.default_rng(0).permutation(len(others))]
        model = trained(others, most)
        for step in steps:
            if step.app == app:
                yield model.outcome(step, finish_known=finish_known)


def share(outcomes: Sequence[Outcome], top: int) -> float:
    """The share of steps in which what was done is among the first so many."""
    return sum(one.rank < top for one in outcomes) / len(outcomes)


def reciprocal(outcomes: Sequence[Outcome]) -> float:
    """The mean reciprocal rank."""
    return sum(1 / (one.rank + 1) for one in outcomes if one.rank < MISSED) / len(outcomes)


def area(outcomes: Sequence[Outcome]) -> float:
    """The area under the curve (AUC) of the margin as a sign of a wrong first candidate."""
    right = np.array([one.margin for one in outcomes if one.rank == 0])
    wrong = np.array([one.margin for one in outcomes if one.rank != 0])
    return float(np.mean([(right > each).mean() + 0.5 * (right == each).mean() for each in wrong]))


def flagged_half(outcomes: Sequence[Outcome]) -> tuple[float, float]:
    """If people look at the half with the smallest margins: the share of right steps in the rest, and of the wrong
    steps that they see."""
    order = sorted(outcomes, key=lambda one: one.margin)
    half = len(order) // 2
    rest, looked = order[half:], order[:half]
    wrong = sum(one.rank != 0 for one in order)
    return share(rest, 1), sum(one.rank != 0 for one in looked) / max(1, wrong)


def by_chance(outcomes: Sequence[Outcome]) -> float:
    """The share that is right if one is drawn."""
    return sum(len(one.step.gold) / one.count for one in outcomes) / len(outcomes)
