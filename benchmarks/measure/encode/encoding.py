"""Has a model write the spec of one instruction of a case, and says what the result is and what it cost."""

import hashlib
import json
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import field
from pathlib import Path
from typing import Final
from typing import Literal as OneOf

from benchmarks.measure.encode.folders import Case
from vsalang.base.records import dataclass
from vsalang.base.source import Source
from vsalang.language.semantics import Loaded, load_text
from vsalang.language.syntax import parse
from vsalang.models.client.language_model import Answer, Message, Model, ModelError, UnusableAnswer
from vsalang.models.client.ledger import Ledger
from vsalang.models.encode.answer_form import Form
from vsalang.models.encode.encoder import encode
from vsalang.models.encode.experience import Experience
from vsalang.models.encode.meaning import Meaning
from vsalang.models.encode.own_tests import run_tests
from vsalang.models.encode.prompting import Prompts
from vsalang.models.encode.task import Settings, Task

_NAMES: Final = ("task", "spec", "encoded")
"""Names for the spec; the first that no file of the folder has."""


@dataclass(frozen=True, slots=True)
class EncodingResult:
    """The result of asking for one spec.

    Attributes:
        key: the digest of all that decides what is asked: the opening messages, the templates, the model, its options.
        case: the case's name.
        number: of the instruction, 1 or 2.
        sample: of the conversation about this instruction, from 1.
        text: the spec; the last attempt if it was not accepted.
        doubts: about the meaning of an accepted spec.
        problems: of one that was not accepted.
        calls: how often a model was asked, the reader too; `input` and `output` are the tokens.
        cost: in US dollars; None if it is not known.
        waited: the milliseconds that models took, on the clock.
        worked: the milliseconds of the processor that everything else took.
        stale: how many recorded answers were given after another system message.
    """

    key: str
    case: str
    number: OneOf[1, 2]
    sample: int
    accepted: bool
    text: str
    rounds: int
    calls: int
    input: int
    output: int
    cost: float | None
    waited: float
    worked: float
    model: str = ""
    doubts: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    stale: int = 0


@dataclass(frozen=True, slots=True)
class Order:
    """One spec that is asked for, with what is remembered of other cases."""

    case: Case
    number: OneOf[1, 2]
    sample: int
    memory: tuple[Experience, ...] = ()

    @property
    def instruction(self) -> str:
        """What the user said."""
        return self.case.instructions[self.number - 1]

    @property
    def place(self) -> Path:
        """Where the spec would lie: next to the apps. It is not written."""
        return next(
            place
            for name in _NAMES
            if not (place := self.case.folder / f"{name}.vsa").exists() or name == _NAMES[-1]
        )

    def task(self) -> Task:
        """What is asked for. The gold has no part in it, but for the day of its run."""
        place = self.place
        return Task(self.instruction, self.case.apps, place.stem, place, self.case.search, self.case.moment)

    def loaded(self, text: str) -> Loaded:
        """A spec that was written for this, in a guard that knows all the apps.

        A spec need not import an app that it allows nothing in; the actions of that app are judged all the same.
        """
        place = self.place
        module = parse(Source.from_text(text, place.name)).module
        if module is not None:
            imported = {item.name.text for item in module.imports}
            more = "".join(f"\nimport {name}" for name in self.case.modules if name not in imported)
            text = text[: module.span.end] + more + text[module.span.end :]
        return load_text(text, file=place.name, path=place, search=self.case.search)


@dataclass(frozen=True)
class Encoder:
    """Asks for specs; threads may share it.

    Attributes:
        model: makes the model for a conversation: that writes, or (True) that reads.
        identity: what else decides about answers: the model, its options, where it is asked.
        ledger: of the whole run: what may be spent.
        rounds: how often the model is asked at most.
        prompts: a folder whose templates take the place of ours.
        meaning: looks for doubts about the spec of an order, with the reader's model; None: nobody does.
        known: finds the result of the same order in an earlier run.
        form: in which form the model writes.
        turnstile: lets one thread into our code, while others wait for their model. Python runs
            one anyway, and Z3 is not made for threads.
    """

    model: Callable[[Order, bool], Model]
    identity: str
    ledger: Ledger
    rounds: int = 4
    prompts: Path | None = None
    meaning: Callable[[Order, Model], Meaning] | None = None
    known: Callable[[str], EncodingResult | None] = lambda key: None
    form: Form = "vsa"
    turnstile: threading.Lock = field(default_factory=threading.Lock)

    def encoded(self, order: Order) -> EncodingResult:
        """Ask for one spec.

        Raises:
            InputError, ModelError, PromptError: as `vsalang.models.encode.encode`.
        """
        with self.turnstile:
            return self._encoded(order)

    def _encoded(self, order: Order) -> EncodingResult:
        begun = time.thread_time()
        ledger = Ledger(prices=self.ledger.prices)
        models = [self.model(order, reads) for reads in (False, True)[: 1 + (self.meaning is not None)]]
        key = ""

        def first(messages: Sequence[Message]) -> None:
            nonlocal key
            key = self._key(order, messages)
            found = self.known(key)
            if found is not None:
                raise _KnownResult(found)

        watched = self.ledger.watch(models[0], "writer", order.sample)
        writes = _ReleasedModel(ledger.watch(watched), self.turnstile, first)
        watched = self.ledger.watch(models[-1], "reader", order.sample)
        reads = _ReleasedModel(ledger.watch(watched), self.turnstile)
        meaning = self.meaning(order, reads) if self.meaning is not None else None
        settings = Settings(self.rounds, run_tests, self.prompts, meaning, order.memory, self.form)
        try:
            result = encode(order.task(), writes, settings)
        except _KnownResult as known:
            return known.encoded
        failed = writes.failed or reads.failed
        if (
            failed is not None
        ):  # a user gets the spec with a doubt; here it would count as what the models can do
            raise failed
        spent = ledger.spent
        return EncodingResult(
            key,
            order.case.name,
            order.number,
            order.sample,
            result.accepted,
            result.text,
            len(result.rounds),
            spent.calls,
            spent.input,
            spent.output,
            spent.cost if spent.tokens else None,
            round(sum(each.waited for each in (writes, reads)) * 1000, 3),
            round((time.thread_time() - begun - sum(each.busy for each in (writes, reads))) * 1000, 3),
            result.rounds[-1].answer.model,
            tuple(f"{doubt.kind}: {doubt.message}" for doubt in result.doubts),
            tuple(problem.message for problem in result.problems),
            sum(getattr(model, "stale", 0) for model in models),
        )

    def _key(self, order: Order, opening: Sequence[Message]) -> str:
        parts = [
            self.identity,
            *map(str, (order.sample, self.rounds, self.meaning is not None)),
            *order.case.digests,
            *Prompts(self.prompts).sources(),
            *(f"{message.role} {message.content}" for message in opening),
        ]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


class _KnownResult(Exception):
    """The model need not be asked: the result of the same order is known."""

    def __init__(self, encoded: EncodingResult) -> None:
        super().__init__()
        self.encoded = encoded


class _ReleasedModel:
    """A model that is waited for outside of the turnstile.

    Args:
        first: sees its first question before it is asked.

    Attributes:
        waited: the seconds that its answers took.
        busy: the seconds of the processor that asking took.
        failed: why it gave no answer at last; None if it always did.
    """

    def __init__(
        self,
        model: Model,
        turnstile: threading.Lock,
        first: Callable[[Sequence[Message]], None] | None = None,
    ) -> None:
        self.name = model.name
        self.waited = 0.0
        self.busy = 0.0
        self.failed: ModelError | None = None
        self._model = model
        self._turnstile = turnstile
        self._first = first

    def ask(self, messages: Sequence[Message]) -> Answer:
        if self._first is not None:
            first, self._first = self._first, None
            first(messages)
        begun, busy = time.perf_counter(), time.thread_time()
        self._turnstile.release()
        try:
            return self._model.ask(messages)
        except UnusableAnswer:
            raise
        except ModelError as error:
            self.failed = error
            raise
        finally:
            self.waited += time.perf_counter() - begun
            self.busy += time.thread_time() - busy
            self._turnstile.acquire()
