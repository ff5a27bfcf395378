"""The scorers that ask a model: for each candidate yes or no, one list with letters, or a number of a pooling server.

A model is asked for one token, and the probabilities that the server tells are read; nothing that it writes is used in
any other way. A request that fails ends the scoring: scores of some candidates only would prefer these.
"""

import math
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final, Protocol

from vsalang.base.records import dataclass
from vsalang.models.client.language_model import Message, ModelError, counts
from vsalang.models.client.usage import tokens
from vsalang.models.rank.linear import LinearScorer
from vsalang.models.rank.prompts import LETTERS, list_messages, prompts
from vsalang.models.rank.scorer import Decision, Score, Scorer, ScorerError, Scores, ranking
from vsalang.program.text import safe

TOP: Final = 20
"""So many tokens are asked for with their probability: the limit of many servers."""
BATCH: Final = 16
"""So many texts go to a pooling server at once (V-Droid's code)."""
WORKERS: Final = 8
"""So many requests are under way at once, after a first one that fills the server's prefix cache."""
_YES: Final = frozenset({"yes", "y"})
_NO: Final = frozenset({"no", "n"})
_AROUND: Final = " \t\r\n\u2581\u0120\u010a\"'`*.,:;!()[]"
"""What tokens carry around a word: blanks as tokenizers write them, quotes, marks."""
_SMALLEST: Final = 1e-9
"""A probability that is not told is not taken for less."""


class TokenModel(Protocol):
    """What is asked for one token; `vsalang.models.client.openai_model.OpenAIModel` is one."""

    @property
    def name(self) -> str: ...

    def next_token(self, messages: Sequence[Message], top: int) -> Any: ...


class PoolingModel(Protocol):
    """What gives texts numbers; `vsalang.models.client.openai_model.OpenAIModel` is one."""

    @property
    def name(self) -> str: ...

    def classify(self, texts: Sequence[str]) -> Any: ...


@dataclass(frozen=True, slots=True)
class _TokenShares:
    """What a server told of the next token: the probability of each that it named, and what the request cost."""

    tokens: tuple[tuple[str, float], ...]
    sent: int
    cached: int

    def of(self, words: frozenset[str]) -> float:
        """The probability of all spellings of some words."""
        return sum(share for token, share in self.tokens if token.strip(_AROUND).casefold() in words)

    @property
    def rest(self) -> float:
        """The probability of all that was not named."""
        return max(_SMALLEST, 1 - sum(share for _, share in self.tokens))


class OpenAIScorer:
    """Asks about each candidate whether it helps, and takes log p(yes) - log p(no), over all spellings that are told.

    If one of the two words is not among the tokens that the server names, the score is a bound: the word has at most
    the probability that is left. If both are not, the candidate has no score.

    Args:
        model: makes a model; each worker has its own.
        workers: how many requests are under way at once.
    """

    def __init__(self, model: Callable[[], TokenModel], *, workers: int = WORKERS) -> None:
        self._make = model
        self._models = [model()]
        self._workers = workers

    @property
    def name(self) -> str:
        return f"openai: {self._models[0].name}"

    def score(self, decision: Decision) -> Scores:
        asked = prompts(decision)
        first, *others = asked.order
        answers = {first: self._ask(0, asked.messages(first))}
        # the first request fills the prefix cache of the server
        shares = [
            others[nth :: self._workers] for nth in range(self._workers) if others[nth :: self._workers]
        ]
        while len(self._models) < len(shares):
            self._models.append(self._make())

        failed = threading.Event()

        def ask(worker: int) -> dict[int, _TokenShares]:
            mine: dict[int, _TokenShares] = {}
            for nth in shares[worker]:
                if failed.is_set():  # there will be no scores: what is left need not be asked
                    break
                try:
                    mine[nth] = self._ask(worker, asked.messages(nth))
                except BaseException:
                    failed.set()
                    raise
            return mine

        if shares:
            with ThreadPoolExecutor(len(shares)) as pool:
                for part in pool.map(ask, range(len(shares))):
                    answers |= part
        values = tuple(_yes_or_no(answers[nth]) for nth in range(len(decision.candidates)))
        if all(value.value is None for value in values):
            raise ScorerError(
                f"{self.name} said neither yes nor no to any candidate",
                "a reasoning model thinks first: name another one, or turn its thinking off",
            )
        return Scores(values, self.name, *_cost(answers.values()), len(answers))

    def _ask(self, worker: int, messages: Sequence[Message]) -> _TokenShares:
        return _asked(self._models[worker], messages)


def _cost(answers: Any) -> tuple[int, int]:
    each = list(answers)
    return sum(one.sent for one in each), sum(one.cached for one in each)


def _asked(model: TokenModel, messages: Sequence[Message]) -> _TokenShares:
    try:
        return token_shares(model.next_token(messages, TOP), model.name)
    except ModelError as error:
        raise ScorerError(str(error), error.hint) from error


def token_shares(data: Any, model: str) -> _TokenShares:
    """The probabilities in a chat completion.

    Raises:
        ScorerError: there are none.
    """
    choice = _first(data.get("choices")) if isinstance(data, dict) else None
    message = choice.get("message") if isinstance(choice, dict) else None
    logprobs = choice.get("logprobs") if isinstance(choice, dict) else None
    place = _first(logprobs.get("content")) if isinstance(logprobs, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        raise ScorerError(f"{model} answered with JSON that is not a chat completion")
    named = place.get("top_logprobs") if isinstance(place, dict) else None
    if not isinstance(place, dict) or not isinstance(named, list) or not named:
        thinks = any(message.get(key) for key in ("reasoning_content", "reasoning"))
        hint = (
            "a reasoning model thinks before it answers: turn its thinking off, or name another model"
            if thinks
            else "name a server that tells log probabilities, or use the scorer linear"
        )
        raise ScorerError(f"{model} tells no log probabilities of its answer", hint)
    shares: dict[str, float] = {}
    for each in (place, *named):
        token = each.get("token") if isinstance(each, dict) else None
        value = each.get("logprob") if isinstance(each, dict) else None
        share = _share(value)
        if isinstance(token, str) and share is not None:
            shares[token] = share
    if not shares or sum(shares.values()) > 1 + _SLACK:
        raise ScorerError(f"{model} tells log probabilities that are more than 1 in sum")
    spent = tokens(counts(data.get("usage")))
    return _TokenShares(tuple(shares.items()), spent.input if spent else 0, spent.cached if spent else 0)


def _share(logprob: Any) -> float | None:
    """The probability of which a server told the logarithm; None: it is not a probability."""
    if not isinstance(logprob, int | float) or isinstance(logprob, bool):
        return None
    return math.exp(min(0.0, logprob)) if math.isfinite(logprob) and logprob <= _ROUNDING else None


_ROUNDING: Final = 1e-3
_SLACK: Final = 0.02
"""So much more than 1 the probabilities may be in sum: servers round."""


def _first(data: Any) -> Any:
    return data[0] if isinstance(data, list) and data else None


def _yes_or_no(shares: _TokenShares) -> Score:
    yes, no = shares.of(_YES), shares.of(_NO)
    if not yes and not no:
        seen = ", ".join(safe(token, 20) for token, _ in shares.tokens[:3])
        return Score(None, why=f"the model said neither yes nor no, but {seen}")
    if not yes:
        return Score(math.log(shares.rest) - math.log(no), "at most", "yes is not among the tokens named")
    if not no:
        return Score(math.log(yes) - math.log(shares.rest), "at least", "no is not among the tokens named")
    return Score(math.log(yes) - math.log(no), why=f"p(yes) {yes:.3f}, p(no) {no:.3f}")


class ListScorer:
    """Asks once which of all candidates helps most, and once with the list turned round: models prefer places.

    A candidate's score is the mean of the two log probabilities of its letters. Of more candidates than there are
    letters only those are listed that another scorer puts first; the others have no score.

    Args:
        model: is asked.
        before: orders the candidates where there are too many.
    """

    def __init__(self, model: TokenModel, before: Scorer | None = None) -> None:
        self._model = model
        self._before = before or LinearScorer()

    @property
    def name(self) -> str:
        return f"list: {self._model.name}"

    def score(self, decision: Decision) -> Scores:
        listed = self._listed(decision)
        turned = listed[::-1]
        answers = [_asked(self._model, list_messages(decision, order)) for order in (listed, turned)]
        values: list[Score] = []
        for nth in range(len(decision.candidates)):
            if nth not in listed:
                values.append(Score(None, why="there are more candidates than letters"))
                continue
            pair = [
                _letter(each, order.index(nth)) for each, order in zip(answers, (listed, turned), strict=True)
            ]
            values.append(_mean(*pair))
        if not any(each.of(frozenset(LETTERS.lower())) for each in answers):
            raise ScorerError(
                f"{self.name} named no letter", "a reasoning model thinks first: turn its thinking off"
            )
        return Scores(tuple(values), self.name, *_cost(answers), len(answers))

    def _listed(self, decision: Decision) -> list[int]:
        everything = list(range(len(decision.candidates)))
        if len(everything) <= len(LETTERS):
            return everything
        order = ranking(decision, self._before.score(decision))
        best = {one.candidate.key for one in order.ranked[: len(LETTERS)]}
        return [nth for nth in everything if decision.candidates[nth].key in best]


def _letter(shares: _TokenShares, at: int) -> Score:
    share = shares.of(frozenset({LETTERS[at].lower()}))
    return Score(math.log(share)) if share else Score(math.log(shares.rest), "at most")


def _mean(one: Score, other: Score) -> Score:
    assert one.value is not None and other.value is not None
    exact = one.bound == other.bound == "exact"
    why = "" if exact else "its letter is not among the tokens named"
    return Score((one.value + other.value) / 2, "exact" if exact else "at most", why)


class PoolingScorer:
    """Scores each prompt by a model with a scalar head, behind vLLM's ``/classify``.

    The value of one class is the score; of two classes the score is the log of the second over the first.

    Args:
        model: is asked.
    """

    def __init__(self, model: PoolingModel) -> None:
        self._model = model

    @property
    def name(self) -> str:
        return f"pooling: {self._model.name}"

    def score(self, decision: Decision) -> Scores:
        asked = prompts(decision)
        first, *others = asked.order
        # the first request fills the prefix cache of the server
        batches = [[first], *(others[at : at + BATCH] for at in range(0, len(others), BATCH))]
        by_index: dict[int, Score] = {}
        sent = cached = 0
        for batch in batches:
            try:
                data = self._model.classify([asked.text(nth) for nth in batch])
            except ModelError as error:
                raise ScorerError(str(error), error.hint) from error
            by_index |= dict(zip(batch, _classes(data, len(batch), self.name), strict=True))
            spent = tokens(counts(data.get("usage")))
            sent, cached = sent + (spent.input if spent else 0), cached + (spent.cached if spent else 0)
        values = tuple(by_index[nth] for nth in range(len(decision.candidates)))
        return Scores(values, self.name, sent, cached, len(batches))


def _classes(data: Any, count: int, name: str) -> list[Score]:
    rows = data.get("data") if isinstance(data, dict) else None
    if not isinstance(rows, list) or len(rows) != count:
        raise ScorerError(
            f"{name} did not answer with one value for each prompt",
            "is the server a pooling server, and its model one for classification?",
        )
    ordered: dict[int, Score] = {}
    for at, row in enumerate(rows):
        place = row.get("index", at) if isinstance(row, dict) else at
        ordered[place if isinstance(place, int) else at] = _class_score(row)
    if sorted(ordered) != list(range(count)) or all(one.value is None for one in ordered.values()):
        raise ScorerError(f"{name} gave no values", "its model must have one class, or two: no and yes")
    return [ordered[at] for at in range(count)]


def _class_score(row: Any) -> Score:
    probs: Any = row.get("probs") if isinstance(row, Mapping) else None
    numbers = [
        float(each)
        for each in (probs if isinstance(probs, list) else [])
        if isinstance(each, int | float) and not isinstance(each, bool) and math.isfinite(each)
    ]
    if not isinstance(probs, list) or len(numbers) != len(probs) or len(numbers) not in (1, 2):
        return Score(None, why="the server gave no value")
    if len(numbers) == 1:
        return Score(numbers[0])
    no, yes = numbers
    if 0 <= no <= 1 and 0 <= yes <= 1 and abs(no + yes - 1) < _SLACK:
        return Score(math.log(max(yes, _SMALLEST)) - math.log(max(no, _SMALLEST)))
    return Score(yes - no)  # before the activation, the difference is the log of the quotient
