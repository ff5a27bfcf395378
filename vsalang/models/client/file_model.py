"""A model that is asked by files: each request is a file in a folder, and somebody puts the answer next to it."""

import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from vsalang.base.source import private
from vsalang.base.source.opening import read_regular
from vsalang.models.client.language_model import (
    Answer,
    Message,
    ModelError,
    UnusableAnswer,
    counts,
    readable,
    seconds,
)
from vsalang.models.client.trace import request_data

_LARGEST: Final = 8 * 1024 * 1024
_PAUSE: Final = 0.1
_MOST_REQUESTS: Final = 999_999


class FileModel:
    """Writes ``000001.request.json`` and waits for ``000001.answer.json`` or ``000001.answer.txt``.

    A request holds ``model`` and ``messages`` (each with ``role`` and ``content``). An answer in JSON holds ``text``,
    and may hold ``model`` and ``usage``; one in text is the text. Write an answer under another name, then rename it,
    since a file of that name is read at once. Requests that are there are never overwritten, and one that has an
    answer already is not asked again: so a run can be repeated from its files.

    Args:
        folder: where the files are; it must be there.
        name: the model's name in requests and messages.
        timeout: how long an answer is waited for, in seconds.
        sample: the number of the conversation; from the second on it is in the request, so each gets its own answers.

    Raises:
        ModelError: there is no such folder.
    """

    exposes_key: Final = False
    parameters: Final[Mapping[str, Any]] = MappingProxyType({})

    def __init__(self, folder: Path, *, name: str = "files", timeout: float = 120.0, sample: int = 1) -> None:
        if not folder.is_dir():
            raise ModelError(f"{folder} is not a folder", "make it first")
        self.name = name
        self.endpoint = str(folder)
        self._folder = folder
        self._timeout = timeout
        self._sample = sample
        self._asked: set[Path] = set()

    def redact(self, text: str) -> str:
        """The text: there is no key."""
        return text

    def ask(self, messages: Sequence[Message]) -> Answer:
        """Write the request, and wait for its answer; see `Model.ask`."""
        place = self._request(request_data(self, messages, self._sample))
        end = time.monotonic() + self._timeout
        while (answer := answer_beside(place)) is None:
            if time.monotonic() > end:
                raise ModelError(
                    f"nobody answered {place} within {seconds(self._timeout)}",
                    f"write {_named(place, 'answer.txt').name} next to it, or give more time with --timeout",
                )
            time.sleep(_PAUSE)
        return answer

    def _request(self, request: dict[str, Any]) -> Path:
        """The request's file: one of an earlier run that asks the same, else a new one."""
        text = json.dumps(request, ensure_ascii=False, indent=1) + "\n"
        try:
            for number in range(1, _MOST_REQUESTS):
                place = self._folder / f"{number:06}.request.json"
                if place not in self._asked and (_written(place, text) or _same(place, request)):
                    break
            else:
                raise ModelError(f"{self._folder} is full of requests")
        except OSError as error:
            raise ModelError(f"the request cannot be written to {self._folder}: {error}") from error
        self._asked.add(place)
        return place


def answer_beside(request: Path) -> Answer | None:
    """The answer to a request in a file, None if there is none yet. Who answered is known only if the answer says it.

    Raises:
        UnusableAnswer: it is empty, or a trace says that it could not be used.
        ModelError: it cannot be read.
    """
    for ending, read in (("answer.json", _of_json), ("answer.txt", _of_text), ("error.json", _of_error)):
        place = _named(request, ending)
        try:
            # not through a link: who answers could have it read, and sent back, what only we may read
            data = read_regular(place, _LARGEST, links=False).decode("utf-8")
        except FileNotFoundError:
            continue
        except (OSError, UnicodeDecodeError) as error:
            raise ModelError(f"{place} cannot be read: {error}") from error
        answer = read(data, place)
        if answer is None:
            continue
        if not answer.text.strip():
            raise UnusableAnswer(f"the answer in {place} is empty", usage=answer.usage)
        return answer
    return None


def _named(request: Path, ending: str) -> Path:
    return request.with_name(request.name.removesuffix("request.json") + ending)


def _of_text(data: str, place: Path) -> Answer:
    return Answer(data)


def _of_error(data: str, place: Path) -> None:
    """Raise the `UnusableAnswer` of a trace; of any other error nothing is known about the answer."""
    content = _json(data, place)
    if isinstance(content, dict) and content.get("unusable") is True:
        why, hint = (readable(str(content.get(key, ""))) for key in ("error", "hint"))
        raise UnusableAnswer(why, hint, counts(content.get("usage")))


def _of_json(data: str, place: Path) -> Answer:
    content = _json(data, place)
    if not isinstance(content, dict) or not isinstance(content.get("text"), str):
        raise ModelError(f"{place} has no text", '{"text": "..."} is an answer')
    model = content.get("model")
    return Answer(
        readable(content["text"]),
        readable(model) if isinstance(model, str) else "",
        counts(content.get("usage")),
    )


def _json(data: str, place: Path) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError) as error:
        raise ModelError(f"{place} is not JSON: {error}") from error


def _written(place: Path, text: str) -> bool:
    """Write a request, unless there is one; also while others write theirs."""
    if place.exists():
        return False
    try:
        private.write(place, text.encode("utf-8"), new=True)
    except FileExistsError:  # somebody was faster, perhaps with the same request
        return False
    return True


def _same(place: Path, request: dict[str, Any]) -> bool:
    """Whether a file holds this request, whatever else it says (see `vsalang.models.client.trace`)."""
    try:
        data: Any = json.loads(read_regular(place, _LARGEST))
    except (ValueError, RecursionError):
        return False
    wanted = {"sample": 1, **request}
    return isinstance(data, dict) and all({"sample": 1, **data}.get(name) == wanted[name] for name in wanted)
