"""A whole evaluation: all specs of all cases, cold and then warm, scored against the gold."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal as OneOf

from benchmarks.measure.encode.encoding import Encoder, EncodingResult, Order
from benchmarks.measure.encode.folders import Case
from benchmarks.measure.encode.running import run_orders
from benchmarks.measure.encode.scoring import Figures, InstructionScores, Outcome, outcome
from benchmarks.measure.encode.warm import memories
from vsalang.base.records import dataclass
from vsalang.models.client.language_model import ModelError
from vsalang.models.encode.experience import Experience
from vsalang.program.shares import Share

Mode = OneOf["cold", "warm"]


@dataclass(frozen=True, slots=True)
class Part:
    """The result of the cold or the warm half of an evaluation.

    Attributes:
        scored: the instructions of which all samples were answered, in the order of the cases.
        failed: what the model could not answer, and why.
        left: how many specs were not asked for, because the model failed again and again.
    """

    mode: Mode
    samples: int
    scored: tuple[InstructionScores, ...]
    failed: tuple[tuple[Order, ModelError], ...] = ()
    left: int = 0

    @property
    def whole(self) -> bool:
        """Whether all that was to be asked for was answered."""
        return not self.failed and not self.left

    def figures(self, app: str | None = None, samples: int | None = None) -> Figures:
        """The figures of all cases, or of those of one app, by majority of the first so many samples."""
        chosen = [each for each in self.scored if app is None or each.case.app == app]
        return Figures.of(chosen, samples or self.samples)

    def apps(self) -> list[str]:
        """The apps, the one with the lowest accuracy first."""
        names = {each.case.app for each in self.scored}
        return sorted(names, key=lambda app: (self.figures(app).confusion.accuracy.value or 0.0, app))

    def majorities(self) -> dict[int, Share]:
        """The accuracy by majority of 1, 3, 5 .. samples, as far as there are so many."""
        return {n: self.figures(samples=n).confusion.accuracy for n in range(1, self.samples + 1, 2)}


def measured(
    cases: Sequence[Case],
    encoder: Encoder,
    *,
    samples: int = 1,
    jobs: int = 1,
    warm: bool = False,
    heard: Callable[[EncodingResult], None] = lambda encoded: None,
) -> list[Part]:
    """Ask for all specs and score them.

    Args:
        cases: whose gold was checked.
        encoder: asks for one spec.
        samples: how many specs are asked for of each instruction.
        jobs: how many at once.
        warm: afterwards ask again with what proved right for the other cases, unless something could not be answered.
        heard: is told of each spec, as soon as it is there.

    Raises:
        InputError, PromptError: an instruction, an app or a template cannot be used.
    """

    def part(mode: Mode, memory: Mapping[str, tuple[Experience, ...]]) -> Part:
        orders = [
            Order(case, number, sample, memory.get(case.name, ()))
            for sample in range(1, samples + 1)
            for case in cases
            for number in (1, 2)
        ]
        outcomes: dict[tuple[str, int], dict[int, Outcome]] = {}
        failed: list[tuple[Order, ModelError]] = []
        for order, found in run_orders(orders, encoder.encoded, jobs):
            if isinstance(found, ModelError):
                failed.append((order, found))
                continue
            heard(found)
            with encoder.turnstile:
                judged = outcome(order, found)
            outcomes.setdefault((order.case.name, order.number), {})[order.sample] = judged
        answered = sum(len(each) for each in outcomes.values())
        scored = tuple(_scored(cases, outcomes, samples))
        return Part(mode, samples, scored, tuple(failed), len(orders) - answered - len(failed))

    parts = [part("cold", {})]
    if warm and parts[0].whole:
        parts.append(part("warm", memories(cases, parts[0].scored)))
    return parts


def _scored(
    cases: Iterable[Case], outcomes: Mapping[tuple[str, int], Mapping[int, Outcome]], samples: int
) -> Iterable[InstructionScores]:
    for case in cases:
        for number in (1, 2):
            found = outcomes.get((case.name, number), {})
            if len(found) == samples:
                yield InstructionScores(case, number, tuple(found[sample] for sample in sorted(found)))
