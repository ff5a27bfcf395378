"""Scores specs against the gold: the paper's confusion table, gold tests, and what the specs cost.

A spec without a file, because no attempt was accepted, is wrong in every respect: it lets no right run pass and objects
to no wrong one.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from benchmarks.measure.encode.encoding import EncodingResult, Order
from benchmarks.measure.encode.folders import Case
from benchmarks.measure.encode.gold import GoldOutcome, Objection, gold_outcome, no_outcome, objection
from benchmarks.measure.encode.shares import Confusion, majority, mean, median
from vsalang.base.records import dataclass
from vsalang.program.shares import Share


@dataclass(frozen=True, slots=True)
class Outcome:
    """One spec against the gold.

    Attributes:
        written: whether there is a spec.
        objection: to the run, if it objects.
        tests: the gold tests of its instruction.
    """

    encoded: EncodingResult
    written: bool
    objection: Objection | None
    tests: tuple[GoldOutcome, ...]

    def is_right(self, deadline: int | None) -> bool:
        """Whether it decides about the run as it should: it objects by the deadline, or without one lets it pass."""
        if deadline is None:
            return self.written and self.objection is None
        found = self.objection
        return self.written and found is not None and found.judged and found.step <= deadline


@dataclass(frozen=True, slots=True)
class InstructionScores:
    """The specs of one instruction, one for each sample.

    Attributes:
        number: of the instruction, 1 or 2.
    """

    case: Case
    number: int
    outcomes: tuple[Outcome, ...]

    @property
    def deadline(self) -> int | None:
        """By which step of the run the specs should object; None: they should let it pass."""
        return self.case.deadline if self.number == 2 else None

    def is_right(self, samples: int) -> bool:
        """Whether most of the first samples decide about the run as they should."""
        return majority([outcome.is_right(self.deadline) for outcome in self.outcomes[:samples]])

    def tests(self, samples: int) -> list[GoldOutcome]:
        """The gold tests, each passed if it is with most of the first samples."""
        found = []
        for several in zip(*(outcome.tests for outcome in self.outcomes[:samples]), strict=True):
            level, strict = majority([t.level for t in several]), majority([t.strict for t in several])
            why = next((t.why for t in several if t.level == level and t.strict == strict), several[0].why)
            found.append(GoldOutcome(several[0].name, level, strict, "" if strict else why))
        return found


def outcome(order: Order, encoded: EncodingResult) -> Outcome:
    """Run the gold with a spec."""
    gold = order.case.gold[order.number - 1].own
    loaded = order.loaded(encoded.text) if encoded.accepted else None
    if loaded is None or loaded.program is None:
        why = "there is no spec" if loaded is None else "the spec does not check any more"
        return Outcome(encoded, False, None, tuple(no_outcome(example, why) for example in gold))
    program = loaded.program
    return Outcome(
        encoded,
        True,
        objection(program, order.case.run),
        tuple(gold_outcome(program, example) for example in gold),
    )


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures of some instructions.

    Attributes:
        specs: how many instructions; `samples` specs were asked for of each.
        confusion: how the specs decided about the runs.
        level: gold tests passed by the level of verdicts; `strict`: as they are written.
        all_level, all_strict: specs that pass all their gold tests.
        written: specs that were accepted (of all samples).
        doubted: specs that were written and need a look.
        rounds: mean and median of what a spec took.
        worked: milliseconds of the processor for a spec, mean and median; `waited`: those that the models took.
        cost: of all specs in US dollars; None if it is not known.
    """

    specs: int
    samples: int
    confusion: Confusion
    level: Share
    strict: Share
    all_level: Share
    all_strict: Share
    written: Share
    doubted: int
    rounds: tuple[float | None, float | None]
    calls: int
    input: int
    output: int
    worked: tuple[float | None, float | None]
    waited: tuple[float | None, float | None]
    cost: float | None = None

    @classmethod
    def of(cls, scored: Sequence[InstructionScores], samples: int) -> "Figures":
        """The figures by majority of the first so many samples."""
        outcomes = [outcome for each in scored for outcome in each.outcomes[:samples]]
        encoded = [outcome.encoded for outcome in outcomes]
        tests = [each.tests(samples) for each in scored]
        costs = [each.cost for each in encoded if each.cost is not None]
        return cls(
            len(scored),
            samples,
            confusion(scored, samples),
            Share.over(test.level for several in tests for test in several),
            Share.over(test.strict for several in tests for test in several),
            Share.over(all(test.level for test in several) for several in tests),
            Share.over(all(test.strict for test in several) for several in tests),
            Share.over(outcome.written for outcome in outcomes),
            sum(bool(each.doubts) for each in encoded),
            _middle([each.rounds for each in encoded]),
            sum(each.calls for each in encoded),
            sum(each.input for each in encoded),
            sum(each.output for each in encoded),
            _middle([each.worked for each in encoded]),
            _middle([each.waited for each in encoded]),
            sum(costs) if costs and len(costs) == len(encoded) else None,
        )

    def data(self) -> dict[str, Any]:
        """As JSON data."""
        table = self.confusion
        return {
            "specs": self.specs,
            "samples": self.samples,
            "confusion": {"tp": table.tp, "fp": table.fp, "tn": table.tn, "fn": table.fn},
            "accuracy": table.accuracy.data(),
            "precision": table.precision.data(),
            "recall": table.recall.data(),
            "f1": table.f1,
            "right_runs_accepted": table.accepted.data(),
            "contradictions_caught": table.recall.data(),
            "gold_tests_by_level": self.level.data(),
            "gold_tests_strictly": self.strict.data(),
            "specs_by_level": self.all_level.data(),
            "specs_strictly": self.all_strict.data(),
            "written": self.written.data(),
            "need_a_look": self.doubted,
            "rounds": {"mean": self.rounds[0], "median": self.rounds[1]},
            "calls": self.calls,
            "tokens": {"input": self.input, "output": self.output},
            "cost": self.cost,
            "milliseconds": {"mean": self.worked[0], "median": self.worked[1]},
            "milliseconds_of_models": {"mean": self.waited[0], "median": self.waited[1]},
        }


def confusion(scored: Iterable[InstructionScores], samples: int) -> Confusion:
    """How often runs were objected to, rightly or not, by majority of the first so many samples."""
    counts = {(wrong, right): 0 for wrong in (True, False) for right in (True, False)}
    for each in scored:
        counts[each.deadline is not None, each.is_right(samples)] += 1
    return Confusion(
        tp=counts[True, True], fn=counts[True, False], tn=counts[False, True], fp=counts[False, False]
    )


def _middle(numbers: Sequence[float]) -> tuple[float | None, float | None]:
    return mean(numbers), median(numbers)
