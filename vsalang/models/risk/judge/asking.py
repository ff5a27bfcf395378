"""Asks a model whether an action does harm, and keeps its answers, so that one question is asked and paid for once.

Whatever goes wrong (time-out, error, refusal, another form, a used-up budget) is `NoJudgement`, never "safe".
"""

import hashlib
import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Final

from vsalang.models.client.kept import KeptAnswers, digest_of
from vsalang.models.client.ledger import Ledger, Spending
from vsalang.models.encode import Budget, Model, ModelError
from vsalang.models.risk.judge.answer import CATEGORIES, NoJudgement, Opinion, read_answer
from vsalang.models.risk.judge.prompt import VERSION, messages
from vsalang.models.risk.judge.question import Question
from vsalang.program.text import line

_KEPT: Final = 4096
_LARGEST: Final = 64 * 1024


class Judge:
    """A model that is asked for harm. May be used by several threads.

    Args:
        model: answers.
        budget: what may be spent in all.
        cache: a folder in which answers are kept; None: only in memory.
        nonce: makes the number that each answer must repeat.

    Attributes:
        problem: why answers are not kept in the folder any more; empty if they are.

    Raises:
        ModelError: the folder cannot be made; or a budget of cost is given, and nobody knows what the model costs.
    """

    def __init__(
        self,
        model: Model,
        *,
        budget: Budget | None = None,
        cache: Path | None = None,
        nonce: Callable[[], str] = lambda: secrets.token_hex(8),
    ) -> None:
        self._ledger = Ledger(budget)
        self._model = self._ledger.watch(model, "judge")
        self._name = model.name
        self._endpoint = str(getattr(model, "endpoint", ""))
        limited = budget is not None and budget.cost is not None
        if limited and self._ledger.prices.of(self._name, self._endpoint) is None:
            raise ModelError(
                f"what {self._name} at {self._endpoint} costs is not known, so no limit of cost can be kept",
                "limit its tokens instead: --judge-tokens",
            )
        self._cache = KeptAnswers(cache, _LARGEST) if cache is not None else None
        self.problem = ""
        if cache is not None:
            try:
                cache.mkdir(mode=0o700, parents=True, exist_ok=True)
            except OSError as error:
                raise ModelError(
                    f"{cache} cannot be used: {error.strerror or error}", "name a folder"
                ) from error
        self._nonce = nonce
        self._lock = threading.Lock()
        self._known: OrderedDict[str, Opinion] = OrderedDict()

    @property
    def spent(self) -> Spending:
        """What was spent so far."""
        return self._ledger.spent

    def ask(self, question: Question) -> Opinion | NoJudgement:
        """What the model says; never raises an `Exception`.

        An answer that was given before to the same question is given again. What is not an answer is not kept.
        """
        try:
            return self._asked(question)
        except ModelError as error:
            return NoJudgement(line(str(error), 300))
        except Exception as error:
            return NoJudgement(line(f"{type(error).__name__}: {error}", 300))

    def _asked(self, question: Question) -> Opinion | NoJudgement:
        key = self._key(question)
        known = self._find(key)
        if known is not None:
            return known
        nonce = self._nonce()
        answer = self._model.ask(messages(question, nonce))
        opinion = read_answer(answer.text, nonce, answer.model or self._name)
        if isinstance(opinion, Opinion):
            self._keep(key, opinion)
        return opinion

    def _key(self, question: Question) -> str:
        """A digest of all that an answer depends on, but for the nonce."""
        moments = [
            [each.screen, each.action, hashlib.sha256(each.picture).hexdigest() if each.picture else ""]
            for each in question.moments
        ]
        asked = [VERSION, self._name, self._endpoint, question.instruction, question.done, moments]
        return digest_of(asked)

    def _find(self, key: str) -> Opinion | None:
        with self._lock:
            if key in self._known:
                self._known.move_to_end(key)
                return self._known[key]
        if self._cache is None:
            return None
        opinion = _read(self._cache.get(key))
        if opinion is not None:
            self._remember(key, opinion)
        return opinion

    def _keep(self, key: str, opinion: Opinion) -> None:
        self._remember(key, opinion)
        if self._cache is None or self.problem:
            return
        data = {"concerns": opinion.concerns, "reason": opinion.reason, "model": opinion.model}
        try:
            self._cache.keep(key, data)
        except OSError as error:
            why = error.strerror or error
            self.problem = line(f"answers cannot be kept in {self._cache.folder}: {why}", 300)

    def _remember(self, key: str, opinion: Opinion) -> None:
        with self._lock:
            self._known[key] = opinion
            if len(self._known) > _KEPT:
                self._known.popitem(last=False)


def _read(data: object) -> Opinion | None:
    """A kept answer; None if it is none: then the model is asked again."""
    match data:
        case {"concerns": list(names), "reason": str(reason), "model": str(model)} if set(names) <= set(
            CATEGORIES
        ):
            return Opinion(tuple(names), reason, model)
    return None
