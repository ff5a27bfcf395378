"""A backend of ``~=`` that compares the embeddings of texts, which a model gives: similar from a score on.

The peer is not trusted and may be slow: each question takes a bounded time, many questions take a bounded time
together, and what is not a vector is not an answer. Without an answer nothing is similar and nothing dissimilar, and
the guard blocks.
"""

import math
import time
from array import array
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Final, Protocol

from vsalang.program.similarity import DEFAULT, LONGEST_ASKED, Behind, FoldedEquality

THRESHOLD: Final = 0.7
"""The score from which two texts are similar, as in the VeriSafe Agent paper (section 5.1)."""
MOST_DIMENSIONS: Final = 16_384
WINDOW: Final = 60.0
MOST_QUESTIONS: Final = 600
MOST_SECONDS: Final = 20.0
"""In any `WINDOW` of seconds so many questions are asked, and so many seconds waited."""
REST: Final = 30.0
"""After a failure nobody is asked for so many seconds."""

Vector = array  # of single-precision numbers


class Failure(Exception):
    """Why there is no vector."""


class VectorStore(Protocol):
    """Vectors that are remembered."""

    def get(self, text: str) -> "array[float] | None":
        """The vector of a text, if it is kept."""
        ...

    def put(self, vectors: dict[str, "array[float]"]) -> None:
        """Keep the vectors of texts."""
        ...


class Embeddings:
    """Texts are similar if the cosine of their embeddings reaches the threshold, or if they are without it.

    Args:
        ask: gives what the model answers for some texts, as the data of OpenAI's embeddings; it raises if it cannot.
        name: the backend's name, for verdicts and journals.
        threshold: the score from which texts are similar.
        offline: who is asked before: what is similar without a model needs no request.
        kept: remembers vectors.
        clock: seconds that only grow.

    Attributes:
        problem: the first failure; empty if there was none.
    """

    def __init__(
        self,
        ask: Callable[[Sequence[str]], Any],
        *,
        name: str,
        threshold: float = THRESHOLD,
        offline: FoldedEquality = DEFAULT,
        kept: VectorStore | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if not 0 < threshold <= 1:
            raise ValueError("the threshold is above 0 and at most 1")
        self.name = name
        self.problem = ""
        self._ask = ask
        self._threshold = threshold
        self._offline = offline
        self._kept = kept
        self._clock = clock
        self._near: dict[str, array[float]] = {}
        self._behind: dict[tuple[str, str], Behind] = {}
        self._asked: deque[tuple[float, float]] = deque()  # when, and how long it took
        self._rests_until = -math.inf

    def similar(self, text: str, constant: str) -> bool | None:
        """Whether the score reaches the threshold; None if it could not be found out, or one text is too long."""
        if self._offline.similar(text, constant):
            self._behind[text, constant] = Behind(self._offline.name)
            return True
        if not (_says_something(text) and _says_something(constant)):
            self._behind[text, constant] = Behind(self._offline.name)
            return False
        if max(len(text), len(constant)) > LONGEST_ASKED:
            # no failure: a long text on a screen must not end the session; the guard asks while it shows
            self._behind[text, constant] = Behind(
                f"{self.name}, not asked about more than {LONGEST_ASKED} characters"
            )
            return None
        try:
            score = self._score(text, constant)
        except Failure as failure:
            why = Behind(self.name, problem=str(failure))
            self.problem = self.problem or str(why)
            self._behind[text, constant] = why
            return None
        self._behind[text, constant] = Behind(self.name, score, self._threshold)
        return score >= self._threshold

    def behind(self, text: str, constant: str) -> Behind:
        """The score of two texts, or why there is none."""
        return self._behind.get((text, constant), Behind(self.name))

    def _score(self, text: str, constant: str) -> float:
        here, there = self._vectors((text, constant))
        if len(here) != len(there):
            raise Failure("it gives vectors of different lengths")
        cosine = math.fsum(a * b for a, b in zip(here, there, strict=True)) / (_length(here) * _length(there))
        return round(min(max(cosine, -1.0), 1.0), 6)

    def _vectors(self, texts: tuple[str, str]) -> tuple["array[float]", "array[float]"]:
        vectors = {text: vector for text in texts if (vector := self._known(text)) is not None}
        missing = [text for text in dict.fromkeys(texts) if text not in vectors]
        if missing:
            vectors |= self._request_vectors(missing)
        self._near = {texts[1]: vectors[texts[1]]}  # constants come again, texts seldom
        return vectors[texts[0]], vectors[texts[1]]

    def _known(self, text: str) -> "array[float] | None":
        if text in self._near:
            return self._near[text]
        vector = self._kept.get(text) if self._kept is not None else None
        return vector if vector is not None and _usable(vector) else None

    def _request_vectors(self, texts: list[str]) -> dict[str, "array[float]"]:
        """Ask for vectors, if there is time for it."""
        now = self._clock()
        while self._asked and self._asked[0][0] < now - WINDOW:
            self._asked.popleft()
        if now < self._rests_until:
            raise Failure(f"it failed less than {REST:g} seconds ago, and is not asked again yet")
        if len(self._asked) >= MOST_QUESTIONS or sum(took for _, took in self._asked) >= MOST_SECONDS:
            raise Failure(f"too much was asked within {WINDOW:g} seconds")
        try:
            vectors = _read(self._answer(texts), len(texts))
        except Exception as error:
            self._rests_until = self._clock() + REST
            raise Failure(str(error) or type(error).__name__) from error
        finally:
            self._asked.append((now, self._clock() - now))
        new_vectors = dict(zip(texts, vectors, strict=True))
        if self._kept is not None:
            self._kept.put(new_vectors)
        return new_vectors

    def _answer(self, texts: list[str]) -> Any:
        """What is answered, the second time if not the first: connections are lost now and then."""
        try:
            return self._ask(texts)
        except Exception:
            return self._ask(texts)


def _read(data: Any, count: int) -> list["array[float]"]:
    """The vectors in the answer of an endpoint, in the order of the texts.

    Raises:
        Failure: it has not one vector for each text, or something in them is not a number.
    """
    items = data.get("data") if isinstance(data, dict) else None
    if not isinstance(items, list) or len(items) != count:
        raise Failure("its answer has not one vector for each text")
    vectors: dict[int, array[float]] = {}
    for place, item in enumerate(items):
        numbers = item.get("embedding") if isinstance(item, dict) else None
        index = item.get("index", place) if isinstance(item, dict) else None
        if not isinstance(numbers, list) or not isinstance(index, int) or isinstance(index, bool):
            raise Failure("its answer has something that is not a vector")
        if not 0 < len(numbers) <= MOST_DIMENSIONS:
            raise Failure(f"it gives a vector of {len(numbers)} numbers; 1 to {MOST_DIMENSIONS} are read")
        if not all(isinstance(n, int | float) and not isinstance(n, bool) and abs(n) < 1e18 for n in numbers):
            raise Failure("it gives a vector with something in it that is not a number")
        vectors[index] = array("f", numbers)
        if not _usable(vectors[index]):
            raise Failure("it gives a vector that is nothing but zeros")
    if set(vectors) != set(range(count)):
        raise Failure("its answer has not one vector for each text")
    return [vectors[index] for index in range(count)]


def _says_something(text: str) -> bool:
    """Whether a model can have an embedding of it: servers refuse empty texts and halves of characters."""
    return any(map(str.isalnum, text)) and not any("\ud800" <= char <= "\udfff" for char in text)


def _usable(vector: "array[float]") -> bool:
    return 0 < len(vector) <= MOST_DIMENSIONS and 0 < _length(vector) < math.inf


def _length(vector: "array[float]") -> float:
    return math.sqrt(math.fsum(n * n for n in vector))
