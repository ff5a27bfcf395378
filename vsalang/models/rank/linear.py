"""The scorer that needs no model: a weighted sum of features, with shipped weights.

``weights.json`` is made by ``python -m benchmarks.rank --write`` from recorded tasks, by the pairwise loss of V-Droid
(formula 3). It says which apps the tasks are of; `benchmarks/rank/README.md` says which were left out.
"""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final

from vsalang.base.source.opening import read_regular
from vsalang.models.rank.features import Features, features
from vsalang.models.rank.scorer import Decision, Score, Scores

WEIGHTS: Final = Path(__file__).with_name("weights.json")
BY_HAND: Final[Mapping[str, float]] = {"planner's next step": 2.5, "wanted": 1.5}
"""Weights of what recorded tasks do not hold: about as much as a control that is called as the task says."""
_SHOWN: Final = 4
_MOST_FILE: Final = 1 << 20


class LinearScorer:
    """Scores candidates by a weighted sum of their features.

    Args:
        weights: name of a feature -> its weight; None: the shipped ones.
    """

    name: Final = "linear"

    def __init__(self, weights: Mapping[str, float] | None = None) -> None:
        self._weights = shipped_weights() if weights is None else weights

    def score(self, decision: Decision) -> Scores:
        """The scores of all candidates; `Score.why` names what counted most."""
        rows = features(decision)
        return Scores(tuple(self._score(row) for row in rows), self.name)

    def _score(self, row: Features) -> Score:
        return Score(weighted(self._weights, row), why=_why(self._weights, row))


def weighted(weights: Mapping[str, float], row: Features) -> float:
    """The weighted sum of a candidate's features."""
    return sum(weights.get(name, 0.0) * value for name, value in row.items())


def _why(weights: Mapping[str, float], row: Features) -> str:
    parts = [(weights.get(name, 0.0) * value, name) for name, value in row.items()]
    most = sorted((part for part in parts if part[0]), key=lambda part: (-abs(part[0]), part[1]))[:_SHOWN]
    return ", ".join(f"{name} {value:+.2f}" for value, name in most)


@cache
def shipped_weights() -> Mapping[str, float]:
    """Name of a feature -> its weight, of ``weights.json`` and those set by hand."""
    data: Mapping[str, Mapping[str, float]] = json.loads(read_regular(WEIGHTS, _MOST_FILE))
    return {**data["weights"], **BY_HAND}


def weights_text(weights: Mapping[str, float], about: Mapping[str, object]) -> str:
    """The text of a file of weights.

    Args:
        about: what a reader should know: what they were trained on.
    """
    rounded = {name: round(value, 4) for name, value in sorted(weights.items()) if abs(value) >= _LEAST}
    return json.dumps({"version": 1, **about, "weights": rounded}, indent=1, ensure_ascii=False) + "\n"


_LEAST: Final = 0.00005
