"""Counts what the calls of one task cost, by all its models, and asks nothing more when a budget is used up."""

import threading
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from vsalang.base.options import option
from vsalang.base.records import dataclass
from vsalang.models.client.language_model import (
    Answer,
    Backend,
    Message,
    Model,
    ModelError,
    UnusableAnswer,
    seconds,
)
from vsalang.models.client.prices import Prices
from vsalang.models.client.usage import tokens

if TYPE_CHECKING:
    from vsalang.models.client.trace import Trace

Role = Literal["writer", "reader", "judge"]
"""Who is asked: the model that writes a spec, the one that compares it with the instruction, or one that judges."""


class BudgetUsedUp(ModelError):
    """A model is not asked, because a budget is used up."""


@dataclass(frozen=True, slots=True)
class Spending:
    """What the calls cost so far. Answers that were stored count as when they were given.

    Attributes:
        calls: how often a model was asked, whatever the result.
        stored: how many of the answers were stored, so that nobody was asked.
        input: tokens that were sent.
        output: tokens that were answered.
        cached: tokens of `input` that the server found in its own cache.
        cost: US dollars; None if a call's cost is not known. Calls without an answer are not counted.
        uncounted: how many answers came without their tokens.
        seconds: how long the calls took.
    """

    calls: int = 0
    stored: int = 0
    input: int = 0
    output: int = 0
    cached: int = 0
    cost: float | None = 0.0
    uncounted: int = 0
    seconds: float = 0.0

    @property
    def tokens(self) -> int:
        return self.input + self.output


@dataclass(frozen=True, slots=True)
class Budget:
    """What may be spent; None: no bound. Each is looked at before a call, so the last call may pass it.

    Attributes:
        tokens: of all answers.
        seconds: since the first call, whatever they were spent on.
        cost: in US dollars.
    """

    tokens: int | None = option(
        "--budget-tokens", least=1, metavar="N", help="Ask no more after so many tokens, sent and answered."
    )
    seconds: float | None = option(
        "--budget-seconds", least=0, above=True, metavar="SECONDS", help="Ask no more after this time."
    )
    cost: float | None = option(
        "--budget-cost",
        least=0,
        above=True,
        metavar="DOLLARS",
        help="Ask no more after this cost, in US dollars.",
    )


class Ledger:
    """Counts the calls of the models that it watches.

    Args:
        budget: what may be spent.
        prices: what tokens cost; those that come with vsac if left out.
        trace: writes down each call.
    """

    def __init__(
        self, budget: Budget | None = None, prices: Prices | None = None, trace: "Trace | None" = None
    ) -> None:
        self.budget = budget or Budget()
        self.prices = prices or Prices.read()
        self.trace = trace
        self._lock = threading.Lock()
        self._spent = Spending()
        self._paid = Spending()
        self._begun: float | None = None

    @property
    def spent(self) -> Spending:
        """What was spent so far."""
        with self._lock:
            return self._spent

    def watch(self, model: Model, role: Role = "writer", sample: int = 1) -> Model:
        """The model, with each of its calls counted here.

        Args:
            sample: the number of the conversation, for the trace.
        """
        return _MeteredModel(model, self, role, sample)

    def begin(self) -> None:
        """Make sure that one more call may be made.

        Raises:
            BudgetUsedUp: it may not.
        """
        with self._lock:
            self._begun = self._begun if self._begun is not None else time.monotonic()
            passed, paid = time.monotonic() - self._begun, self._paid
        budget = self.budget
        if budget.seconds is not None and passed >= budget.seconds:
            raise _used_up(seconds(budget.seconds), "--budget-seconds")
        if budget.tokens is not None and paid.tokens >= budget.tokens:
            raise _used_up(f"{budget.tokens:,} tokens", "--budget-tokens")
        if paid.uncounted and (budget.tokens is not None or budget.cost is not None):
            raise BudgetUsedUp(
                "the endpoint does not say how many tokens it used, so no budget of tokens or cost can be kept",
                "leave out --budget-tokens and --budget-cost; --max-rounds and --budget-seconds bound the work",
            )
        if budget.cost is not None and (paid.cost is None or paid.cost >= budget.cost):
            raise _used_up(f"{budget.cost:g} US dollars", "--budget-cost")

    def needs_price(self, model: Backend) -> None:
        """Make sure that a budget of cost can be kept for a model.

        Raises:
            ModelError: its price is not known.
        """
        if self.budget.cost is not None and self.prices.of(model.name, model.endpoint) is None:
            raise ModelError(
                f"what {model.name} at {model.endpoint} costs is not known, so no budget of cost can be kept",
                "give its price in a file: --prices",
            )

    def add(
        self, model: Model, usage: Mapping[str, int] | None, seconds: float, *, stored: bool = False
    ) -> None:
        """Count one call.

        Args:
            usage: what the endpoint told; None if there was no answer.
            stored: the answer was stored, so nothing was paid for it now.
        """
        cost: float | None = 0.0
        counted = tokens(usage) if usage is not None else None
        if usage is not None:
            price = self.prices.of(model.name, str(getattr(model, "endpoint", "")))
            cost = price.of(counted) if price is not None and counted is not None else None
        call = Spending(
            1,
            int(stored),
            counted.input if counted is not None else 0,
            counted.output if counted is not None else 0,
            counted.cached if counted is not None else 0,
            cost,
            int(usage is not None and counted is None),
            seconds,
        )
        with self._lock:
            self._spent = _sum(self._spent, call)
            if not stored:
                self._paid = _sum(self._paid, call)


def _sum(one: Spending, other: Spending) -> Spending:
    cost = None if one.cost is None or other.cost is None else one.cost + other.cost
    return Spending(
        one.calls + other.calls,
        one.stored + other.stored,
        one.input + other.input,
        one.output + other.output,
        one.cached + other.cached,
        cost,
        one.uncounted + other.uncounted,
        one.seconds + other.seconds,
    )


def _used_up(what: str, option: str) -> BudgetUsedUp:
    return BudgetUsedUp(f"the budget of {what} is used up", f"give more with {option}")


@dataclass(frozen=True, slots=True)
class _MeteredModel:
    model: Model
    ledger: Ledger
    role: Role
    sample: int

    @property
    def name(self) -> str:
        return self.model.name

    @property
    def endpoint(self) -> str:
        return str(getattr(self.model, "endpoint", ""))

    def ask(self, messages: Sequence[Message]) -> Answer:
        self.ledger.begin()
        call = (
            self.ledger.trace.call(self.model, self.role, self.sample, messages)
            if self.ledger.trace
            else None
        )
        begun = time.monotonic()
        try:
            answer = self.model.ask(messages)
        except ModelError as error:
            seconds = time.monotonic() - begun
            usage = error.usage if isinstance(error, UnusableAnswer) else None
            self.ledger.add(self.model, usage, seconds)
            if call is not None:
                call.failed(error, seconds)
            raise
        seconds = time.monotonic() - begun
        self.ledger.add(self.model, answer.usage, seconds, stored=answer.stored)
        if call is not None:
            call.answered(answer, seconds)
        return answer
