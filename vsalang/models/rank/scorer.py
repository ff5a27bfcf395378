"""How candidates are ordered: the interface of scorers, scores, and the order that they give."""

import math
from collections.abc import Sequence
from typing import Any, Final, Literal, Protocol, TypeAlias

from vsalang.base.records import dataclass
from vsalang.models.rank.candidate import Candidate
from vsalang.models.rank.situation import Situation
from vsalang.program.text import line

Bound: TypeAlias = Literal["exact", "at most", "at least"]
"""Whether a score is the value itself, or only bounds it: the server did not tell the probability of the other word."""


@dataclass(frozen=True, slots=True)
class Decision:
    """A choice that is to be made. Its candidates are those that the guard does not block.

    Attributes:
        situation: the task, the screen, what was done.
        candidates: at least one.
    """

    situation: Situation
    candidates: tuple[Candidate, ...]


@dataclass(frozen=True, slots=True)
class Score:
    """The score of a candidate.

    Attributes:
        value: greater is better: log-odds, so that the softmax of the scores is a probability; None: there is none.
        bound: what `value` says.
        why: what spoke for and against it, or why there is no score; may be empty.
    """

    value: float | None
    bound: Bound = "exact"
    why: str = ""


@dataclass(frozen=True, slots=True)
class Fallback:
    """A scorer that gave no scores, and another that was asked in its place. A journal can hold it.

    Attributes:
        scorer: which one.
        why: what happened, one line.
        hint: what may help; may be empty.
    """

    scorer: str
    why: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Scores:
    """What a scorer said.

    Attributes:
        values: one for each candidate of the decision, in its order.
        scorer: whose they are.
        tokens: that were sent; 0: none, or nobody counted.
        cached: those of them that the server had in its cache.
        requests: how many were sent.
        fallbacks: who was asked before, in order, and why they gave none.
    """

    values: tuple[Score, ...]
    scorer: str
    tokens: int = 0
    cached: int = 0
    requests: int = 0
    fallbacks: tuple[Fallback, ...] = ()


class ScorerError(Exception):
    """A scorer gave no scores. `hint` says what may help; may be empty."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class Scorer(Protocol):
    """Scores candidates. It is not trusted: whatever it says, only what the guard allows is done."""

    @property
    def name(self) -> str:
        """Its name in messages."""
        ...

    def score(self, decision: Decision) -> Scores:
        """The scores of all candidates.

        Raises:
            ScorerError: there are none.
        """
        ...


@dataclass(frozen=True, slots=True)
class RankedCandidate:
    """A candidate with its score, and the share of the softmax over all scores."""

    candidate: Candidate
    score: Score
    probability: float

    def to_json(self) -> dict[str, Any]:
        """The same as JSON values."""
        return {
            **self.candidate.to_json(),
            "score": self.score.value,
            "bound": self.score.bound,
            "why": self.score.why,
            "probability": round(self.probability, 6),
        }


@dataclass(frozen=True, slots=True)
class Ranking:
    """Candidates, the best first.

    Attributes:
        ranked: all of them; those without a score come last. Of equal scores the earlier candidate comes first.
        scores: what the scorer said.
    """

    ranked: tuple[RankedCandidate, ...]
    scores: Scores

    @property
    def best(self) -> RankedCandidate:
        """The first."""
        return self.ranked[0]

    @property
    def margin(self) -> float:
        """By how much the first is more probable than the second: 0 (a tie) to 1; 1 if there is no other, 0 if
        the first has no score."""
        if self.best.score.value is None:
            return 0.0
        return self.best.probability - (self.ranked[1].probability if len(self.ranked) > 1 else 0.0)

    @property
    def entropy(self) -> float:
        """Of the probabilities, as a share of the greatest possible: 0 (certain) to 1 (V-Droid's formula 7)."""
        shares = [one.probability for one in self.ranked if one.probability > 0]
        if len(self.ranked) < 2 or not shares:
            return 0.0 if shares else 1.0
        return -sum(share * math.log(share) for share in shares) / math.log(len(self.ranked))


_LONGEST: Final = 300


def ranking(decision: Decision, scores: Scores) -> Ranking:
    """The candidates in the order of their scores.

    A value that is not a finite number counts as none.

    Raises:
        ScorerError: there are not as many scores as candidates, or no candidate.
    """
    if not decision.candidates or len(scores.values) != len(decision.candidates):
        raise ScorerError(
            f"{scores.scorer} gave {len(scores.values)} scores for {len(decision.candidates)} candidates"
        )
    values = [_finite(score) for score in scores.values]
    shares = probabilities([score.value for score in values])
    ranked = [RankedCandidate(*each) for each in zip(decision.candidates, values, shares, strict=True)]
    order = sorted(
        ranked, key=lambda one: -math.inf if one.score.value is None else one.score.value, reverse=True
    )
    return Ranking(tuple(order), scores)


def probabilities(values: Sequence[float | None]) -> list[float]:
    """The softmax of scores; what has none has the share 0."""
    known = [value for value in values if value is not None]
    if not known:
        return [0.0 for _ in values]
    top = max(known)
    powers = [0.0 if value is None else math.exp(value - top) for value in values]
    total = sum(powers)
    return [power / total for power in powers]


def _finite(score: Score) -> Score:
    if score.value is None or math.isfinite(score.value):
        return score
    return Score(None, why="its score is not a number")


def rank(decision: Decision, scorers: Sequence[Scorer]) -> Ranking:
    """Order the candidates by the first scorer that gives scores; the others are asked in its place, in order.

    Raises:
        ScorerError: none of them gave any; the message names each.
    """
    failed: list[Fallback] = []
    for scorer in scorers:
        try:
            scores = scorer.score(decision)
            order = ranking(decision, scores)
            if order.best.score.value is None:
                raise ScorerError("no candidate got a score")
        except ScorerError as error:
            failed.append(Fallback(scorer.name, str(error), error.hint))
            continue
        except Exception as error:
            # A scorer is not trusted: one that breaks is one that gave no scores.
            failed.append(
                Fallback(scorer.name, f"it failed: {line(str(error) or type(error).__name__, _LONGEST)}")
            )
            continue
        return Ranking(order.ranked, _with_fallbacks(scores, failed))
    reasons = "; ".join(f"{one.scorer}: {one.why}" for one in failed) or "there is no scorer"
    raise ScorerError(
        f"the candidates cannot be ranked: {reasons}", next((one.hint for one in failed if one.hint), "")
    )


def _with_fallbacks(scores: Scores, failed: Sequence[Fallback]) -> Scores:
    return Scores(
        scores.values,
        scores.scorer,
        scores.tokens,
        scores.cached,
        scores.requests,
        (*failed, *scores.fallbacks),
    )
