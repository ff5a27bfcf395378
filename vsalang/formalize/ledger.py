"""Counts what the calls of one task cost: of the model that writes, in all samples, and of the one that reads."""

import threading
import time
from collections.abc import Mapping, Sequence
from typing import Final

from vsalang.formalize.model import Answer, Message, Model, UnusableAnswer
from vsalang.records import dataclass

_INPUT: Final = ("prompt_tokens", "input_tokens")
_OUTPUT: Final = ("completion_tokens", "output_tokens")


@dataclass(frozen=True, slots=True)
class Spent:
    """What the calls cost so far.

    Attributes:
        calls: how often a model was asked, whatever came of it.
        input: tokens that were sent.
        output: tokens that were answered.
        seconds: how long the calls took.
    """

    calls: int = 0
    input: int = 0
    output: int = 0
    seconds: float = 0.0

    @property
    def tokens(self) -> int:
        """All tokens."""
        return self.input + self.output


def tokens(usage: Mapping[str, int]) -> tuple[int, int]:
    """The tokens sent and answered in the usage that an endpoint tells; each kind of server names them otherwise."""
    sent = next((usage[name] for name in _INPUT if name in usage), 0)
    answered = next((usage[name] for name in _OUTPUT if name in usage), None)
    if answered is None:
        answered = max(0, usage.get("total_tokens", 0) - sent)
    return sent, answered


class Ledger:
    """Counts the calls of the models that it watches."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._spent = Spent()

    @property
    def spent(self) -> Spent:
        """What was spent so far."""
        with self._lock:
            return self._spent

    def watch(self, model: Model) -> Model:
        """The model, with each of its calls counted here."""
        return _Watched(model, self)

    def add(self, usage: Mapping[str, int], seconds: float) -> None:
        """Count one call."""
        sent, answered = tokens(usage)
        with self._lock:
            old = self._spent
            self._spent = Spent(old.calls + 1, old.input + sent, old.output + answered, old.seconds + seconds)


@dataclass(frozen=True, slots=True)
class _Watched:
    model: Model
    ledger: Ledger

    @property
    def name(self) -> str:
        return self.model.name

    def ask(self, messages: Sequence[Message]) -> Answer:
        begun = time.monotonic()
        usage: Mapping[str, int] = {}
        try:
            answer = self.model.ask(messages)
            usage = answer.usage
            return answer
        except UnusableAnswer as error:
            usage = error.usage
            raise
        finally:
            self.ledger.add(usage, time.monotonic() - begun)
