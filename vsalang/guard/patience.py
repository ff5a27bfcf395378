"""Holds a similarity backend to what engines rely on: it answers in time, and a pair has one answer in a session."""

import threading

from vsalang.program.similarity import (
    AssumedPairs,
    Behind,
    FoldedEquality,
    Similarity,
    behind,
    name_of,
    problem_of,
)


class SimilarityTimeout(Exception):
    """The backend of ``~=`` gave no answer in time. What needed the answer is blocked."""


def patient(similarity: Similarity, seconds: float | None) -> Similarity:
    """A backend that answers as this one does, or raises `SimilarityTimeout` when its time is over.

    What it has said of a pair holds for the session, also that it does not know. Backends that compute their answers
    are left as they are.
    """
    if isinstance(similarity, FoldedEquality | AssumedPairs):
        return similarity
    return _Patient(similarity, seconds)


class _Patient:
    """Asks in a thread of its own, one question at a time; an answer that comes too late counts for nothing."""

    def __init__(self, similarity: Similarity, seconds: float | None) -> None:
        self._similarity = similarity
        self._seconds = seconds
        self._asking: threading.Thread | None = None
        self._answers: dict[tuple[str, str], bool | None] = {}
        self.name = name_of(similarity)

    @property
    def problem(self) -> str:
        """Why it could not answer a question; see `vsalang.program.similarity.problem_of`."""
        return problem_of(self._similarity)

    def behind(self, text: str, constant: str) -> Behind:
        """What is behind an answer."""
        return behind(self._similarity, text, constant)

    def similar(self, text: str, constant: str) -> bool | None:
        """See `Similarity`. Raises `SimilarityTimeout`, and what the backend raises."""
        pair = (text, constant)
        if pair not in self._answers:
            self._answers[pair] = self._ask(text, constant)
        return self._answers[pair]

    def _ask(self, text: str, constant: str) -> bool | None:
        if self._asking is not None and self._asking.is_alive():
            raise SimilarityTimeout("the backend of ~= still has not answered the question before")
        answers: list[bool | None] = []
        errors: list[BaseException] = []

        def ask() -> None:
            try:
                answers.append(self._similarity.similar(text, constant))
            except BaseException as error:
                errors.append(error)

        self._asking = threading.Thread(target=ask, daemon=True, name="similarity")
        self._asking.start()
        self._asking.join(self._seconds)
        if errors:
            raise errors[0]
        if not answers:
            raise SimilarityTimeout(f"the backend of ~= gave no answer in {self._seconds:g} seconds")
        return answers[0]
