"""Answers that were given in an earlier run: a model that repeats them, and is asked nothing that was not asked then.

They are read from the files that ``--endpoint-dir`` and ``--trace`` write: ``000001.request.json`` with
``000001.answer.json`` or ``000001.answer.txt`` next to it. What is kept for long may stand in one file, `LINES`.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from vsalang.base.records import dataclass
from vsalang.base.source.opening import read_regular
from vsalang.models.client.file_model import answer_beside
from vsalang.models.client.language_model import Answer, Message, ModelError, UnusableAnswer

_LARGEST: Final = 8 * 1024 * 1024
_END: Final = ".request.json"

LINES: Final = "answers.jsonl"
"""A file with a JSON object in each line: a request as ``--endpoint-dir`` writes it, and its ``answer``, a text."""

Question = tuple[int, str]
"""The sample, and the messages without the system's: it is the same for all questions, and an answer stays an answer to
its question when a sentence in it changes."""


@dataclass(frozen=True, slots=True)
class _RecordedAnswer:
    """An answer, and the digest of the system messages that it was given after; None if that is not known."""

    answer: Answer | UnusableAnswer
    system: str | None


@dataclass(frozen=True)
class Recording:
    """What was asked and answered in earlier runs.

    Attributes:
        folder: where it was read from.
        name: of the model that answered; if there are several, ``recorded``.
    """

    folder: Path
    name: str
    answers: Mapping[Question, tuple[_RecordedAnswer, ...]]

    @classmethod
    def read(cls, folder: Path) -> "Recording":
        """All requests with an answer in a folder and below.

        Raises:
            ModelError: there is no such folder, no answer in it, or a file that cannot be read.
        """
        if not folder.is_dir():
            raise ModelError(f"{folder} is not a folder", "name one that --endpoint-dir or --trace wrote")
        answers: dict[Question, list[_RecordedAnswer]] = {}
        names: set[str] = set()
        for request, answer in (*_files(folder), *_lines(folder)):
            messages = [Message(m["role"], m["content"]) for m in request["messages"]]
            system = _system(messages) if any(m.role == "system" for m in messages) else None
            answers.setdefault(_question(messages, request.get("sample", 1)), []).append(
                _RecordedAnswer(answer, system)
            )
            if isinstance(answer, Answer):
                names.add(answer.model or str(request.get("model", "")))
        if not answers:
            raise ModelError(
                f"no answer is recorded in {folder}", "name one that --endpoint-dir or --trace wrote"
            )
        name = names.pop() if len(names) == 1 else "recorded"
        return cls(
            folder,
            name,
            {question: tuple(recorded_answers) for question, recorded_answers in answers.items()},
        )

    def model(self, sample: int = 1) -> "Replaying":
        """A model for one conversation: the one of this number about its instruction."""
        return Replaying(self, sample)


class Replaying:
    """A model that repeats what was answered. Asked the same twice, it goes on to the next answer, if there is one.

    Attributes:
        stale: how many answers had been given after other system messages.
    """

    exposes_key: Final = False
    parameters: Final[Mapping[str, Any]] = MappingProxyType({})

    def __init__(self, recording: Recording, sample: int) -> None:
        self.name = recording.name
        self.endpoint = str(recording.folder)
        self.stale = 0
        self._recording = recording
        self._sample = sample
        self._asked: Counter[Question] = Counter()

    def redact(self, text: str) -> str:
        """The text: there is no key."""
        return text

    def ask(self, messages: Sequence[Message]) -> Answer:
        """The recorded answer; see `Model.ask`."""
        question = _question(messages, self._sample)
        recorded_answers = self._recording.answers.get(question)
        if recorded_answers is None:
            last = messages[-1].content.strip().splitlines()
            raise ModelError(
                f"no answer to this request is recorded in {self.endpoint}: {' '.join(last[:3])[:120]} ..",
                "the instruction, the app or the prompt was another then; ask a model",
            )
        recorded = recorded_answers[min(self._asked[question], len(recorded_answers) - 1)]
        self._asked[question] += 1
        self.stale += recorded.system not in (None, _system(messages))
        if isinstance(recorded.answer, UnusableAnswer):
            raise UnusableAnswer(str(recorded.answer), recorded.answer.hint, recorded.answer.usage)
        return recorded.answer


def _files(folder: Path) -> Iterator[tuple[Mapping[str, Any], Answer | UnusableAnswer]]:
    """Each request in a file of its own that has an answer."""
    for place in sorted(folder.rglob(f"*{_END}")):
        request = _request(_text(place), str(place))
        answer = _answer(place)
        if answer is not None:
            yield request, answer


def _lines(folder: Path) -> Iterator[tuple[Mapping[str, Any], Answer]]:
    """The requests and answers of `LINES` in a folder and below."""
    for place in sorted(folder.rglob(LINES)):
        for number, line in enumerate(_text(place).splitlines(), 1):
            request = _request(line, f"{place}:{number}")
            if not isinstance(request.get("answer"), str):
                raise ModelError(f"{place}:{number} has no answer", "each line needs messages and an answer")
            yield request, Answer(request["answer"])


def _question(messages: Sequence[Message], sample: int) -> Question:
    return sample, json.dumps([[m.role, m.content] for m in messages if m.role != "system"])


def _system(messages: Sequence[Message]) -> str:
    texts = [m.content for m in messages if m.role == "system"]
    return hashlib.sha256(json.dumps(texts).encode()).hexdigest()


def _answer(request: Path) -> Answer | UnusableAnswer | None:
    try:
        return answer_beside(request)
    except UnusableAnswer as error:  # the encoder asked again, and does so now
        return error


def _request(text: str, place: str) -> Mapping[str, Any]:
    try:
        data: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ModelError(f"{place} cannot be read: {error}") from error
    messages = data.get("messages") if isinstance(data, dict) else None
    if not isinstance(messages, list) or not all(_is_message(each) for each in messages):
        raise ModelError(f"{place} is not a request: it has no messages")
    if type(data.get("sample", 1)) is not int:
        raise ModelError(f"{place} is not a request: its sample is not a number")
    return dict(data)


def _text(place: Path) -> str:
    try:
        return read_regular(place, _LARGEST).decode("utf-8")
    except (OSError, ValueError) as error:
        raise ModelError(f"{place} cannot be read: {error}") from error


def _is_message(data: Any) -> bool:
    return (
        isinstance(data, dict)
        and isinstance(data.get("content"), str)
        and data.get("role") in ("system", "user", "assistant")
    )
