"""Measures specs that a model wrote against gold specs and tests: folders, scores, statistics, runs that go on.

>>> from pathlib import Path
>>> from benchmarks.measure.encode import Figures, Order, outcome, read_cases, Scored
>>> cases = read_cases([Path("benchmarks/encode")])
>>> order = Order(cases[0], 1, 1)
>>> scored = Scored(order.case, 1, (outcome(order, encoder.encoded(order)),))
>>> Figures.of([scored], 1).confusion.accuracy
"""

from benchmarks.measure.encode.checking import check_gold
from benchmarks.measure.encode.encoding import Encoder, EncodingResult, Order
from benchmarks.measure.encode.folders import META, Case, Fault, FoldersError, read_cases
from benchmarks.measure.encode.gold import GoldOutcome, Objection, gold_outcome, objection
from benchmarks.measure.encode.results import open_results
from benchmarks.measure.encode.running import GIVES_UP_AFTER, run_orders
from benchmarks.measure.encode.scoring import Figures, InstructionScores, Outcome, confusion, outcome
from benchmarks.measure.encode.shares import Confusion, majority
from benchmarks.measure.encode.warm import memories
from vsalang.program.shares import Share

__all__ = [
    "GIVES_UP_AFTER",
    "META",
    "Case",
    "Confusion",
    "Encoder",
    "EncodingResult",
    "Fault",
    "Figures",
    "FoldersError",
    "GoldOutcome",
    "InstructionScores",
    "Objection",
    "Order",
    "Outcome",
    "Share",
    "check_gold",
    "confusion",
    "gold_outcome",
    "majority",
    "memories",
    "objection",
    "open_results",
    "outcome",
    "read_cases",
    "run_orders",
]
