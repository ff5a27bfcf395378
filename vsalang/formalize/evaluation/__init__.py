"""Measures specs that a model wrote against gold specs and tests: folders, scores, statistics, runs that go on.

>>> from pathlib import Path
>>> from vsalang.formalize.evaluation import Figures, Order, outcome, read_cases, Scored
>>> cases = read_cases([Path("benchmarks/encode")])
>>> order = Order(cases[0], 1, 1)
>>> scored = Scored(order.case, 1, (outcome(order, encoder.encoded(order)),))
>>> Figures.of([scored], 1).confusion.accuracy
"""

from vsalang.core.shares import Share
from vsalang.formalize.evaluation.checking import check_gold
from vsalang.formalize.evaluation.encoding import Encoded, Encoder, Order
from vsalang.formalize.evaluation.folders import META, Case, Fault, FoldersError, read_cases
from vsalang.formalize.evaluation.gold import GoldOutcome, Objection, gold_outcome, objection
from vsalang.formalize.evaluation.results import Results, ResultsError
from vsalang.formalize.evaluation.running import GIVES_UP_AFTER, run_orders
from vsalang.formalize.evaluation.scoring import Figures, Outcome, Scored, confusion, outcome
from vsalang.formalize.evaluation.shares import Confusion, majority
from vsalang.formalize.evaluation.warm import memories

__all__ = [
    "GIVES_UP_AFTER",
    "META",
    "Case",
    "Confusion",
    "Encoded",
    "Encoder",
    "Fault",
    "Figures",
    "FoldersError",
    "GoldOutcome",
    "Objection",
    "Order",
    "Outcome",
    "Results",
    "ResultsError",
    "Scored",
    "Share",
    "check_gold",
    "confusion",
    "gold_outcome",
    "majority",
    "memories",
    "objection",
    "outcome",
    "read_cases",
    "run_orders",
]
