"""Trains the weights of the linear scorer by V-Droid's pairwise loss (P3, formula 3), with numpy alone.

Each step weighs the same, however many candidates it has. All of it is deterministic.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from benchmarks.rank.recorded import RecordedStep

Matrix = NDArray[np.float64]

ROUNDS: Final = 200
RATE: Final = 0.1
DECAY: Final = 0.0003
"""The strength of the penalty on squared weights."""


@dataclass(frozen=True, slots=True)
class Data:
    """Steps as numbers: the differences of each pair, and the step that it belongs to."""

    names: tuple[str, ...]
    differences: Matrix
    weights: Matrix


def names_of(steps: Sequence[RecordedStep], least: int = 1) -> tuple[str, ...]:
    """The names of the features that at least so many steps have."""
    seen: dict[str, set[tuple[str, int]]] = {}
    for step in steps:
        for row in step.rows:
            for name in row:
                seen.setdefault(name, set()).add((step.task, step.number))
    return tuple(sorted(name for name, places in seen.items() if len(places) >= least))


def matrix(step: RecordedStep, index: Mapping[str, int]) -> Matrix:
    """The features of a step's candidates, a row each."""
    table = np.zeros((len(step.rows), len(index)))
    for nth, row in enumerate(step.rows):
        for name, value in row.items():
            if name in index:
                table[nth, index[name]] = value
    return table


def pairs_of(steps: Sequence[RecordedStep], names: Sequence[str], most: int | None = None) -> Data:
    """The pairs of steps: what was done against each other candidate; at most so many, taken in order."""
    index = {name: nth for nth, name in enumerate(names)}
    tables: list[Matrix] = []
    weights: list[float] = []
    for step in steps:
        others = [nth for nth in range(len(step.rows)) if nth not in step.gold]
        if not step.gold or not others:
            continue
        table = matrix(step, index)
        for gold in step.gold:
            tables.append(table[gold] - table[others])
            weights += [1 / (len(others) * len(step.gold))] * len(others)
        if most is not None and len(weights) >= most:
            break
    differences = np.concatenate(tables)[:most] if tables else np.zeros((0, len(names)))
    return Data(tuple(names), differences, np.array(weights[: len(differences)]))


def train(data: Data, rounds: int = ROUNDS, rate: float = RATE, decay: float = DECAY) -> Matrix:
    """The weights that make the pairwise loss least: Adam over all pairs at once, from zero."""
    weights = np.zeros(len(data.names))
    first, second = np.zeros_like(weights), np.zeros_like(weights)
    total = data.weights.sum() or 1.0
    for turn in range(1, rounds + 1):
        margins = data.differences @ weights
        pull = data.weights / (1 + np.exp(np.clip(margins, -50, 50)))
        gradient = -(pull @ data.differences) / total + decay * weights
        first = 0.9 * first + 0.1 * gradient
        second = 0.999 * second + 0.001 * gradient**2
        step = first / (1 - 0.9**turn) / (np.sqrt(second / (1 - 0.999**turn)) + 1e-9)
        weights = weights - rate * step
    return weights
