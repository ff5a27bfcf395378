"""A screen and a task in, the possible actions out, in an order: what logic leaves of them, and what a scorer prefers.

Nothing here permits anything: whatever a scorer says, what is chosen is judged by the guard like any proposal.
"""

from vsalang.models.rank.candidate import (
    CANDIDATE_KINDS,
    Candidate,
    CandidateKind,
    DroppedAction,
    Enumeration,
    JudgedCandidate,
    Need,
)
from vsalang.models.rank.linear import LinearScorer
from vsalang.models.rank.pairs import Pair, RunStep, StepLabels, labels, pairs, proof_of, write_pairs
from vsalang.models.rank.scorer import (
    Decision,
    Fallback,
    RankedCandidate,
    Ranking,
    Score,
    Scorer,
    ScorerError,
    Scores,
    rank,
    ranking,
)
from vsalang.models.rank.situation import AppChoice, PastStep, Situation

__all__ = [
    "CANDIDATE_KINDS",
    "AppChoice",
    "Candidate",
    "CandidateKind",
    "Decision",
    "DroppedAction",
    "Enumeration",
    "Fallback",
    "JudgedCandidate",
    "LinearScorer",
    "Need",
    "Pair",
    "PastStep",
    "RankedCandidate",
    "Ranking",
    "RunStep",
    "Score",
    "Scorer",
    "ScorerError",
    "Scores",
    "Situation",
    "StepLabels",
    "labels",
    "pairs",
    "proof_of",
    "rank",
    "ranking",
    "write_pairs",
]
