"""A model whose answers are kept in a folder, so that the same question is asked, and paid for, once."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from vsalang.base.records import dataclass
from vsalang.models.client.kept import KeptAnswers, digest_of
from vsalang.models.client.language_model import Answer, Backend, Message, ModelError, UnusableAnswer, counts

_LARGEST: Final = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class StoredAnswers:
    """A model whose answers are kept: each in a file named by the digest of model, parameters and messages.

    What cannot be read, is another's, or is about another request counts as not kept. An answer that cannot be used is
    kept too, but asked for again unless `only`.

    Attributes:
        model: is asked where there is no answer.
        folder: where they are kept; only the user may read it.
        sample: the number of the conversation: each has answers of its own.
        only: never ask `model`.
    """

    model: Backend
    folder: Path
    sample: int = 1
    only: bool = False

    @property
    def name(self) -> str:
        """The name of the model."""
        return self.model.name

    @property
    def endpoint(self) -> str:
        return self.model.endpoint

    @property
    def exposes_key(self) -> bool:
        """Whether the model's key is exposed."""
        return self.model.exposes_key and not self.only

    @property
    def parameters(self) -> dict[str, Any]:
        return dict(self.model.parameters)

    def redact(self, text: str) -> str:
        """The text without the model's key."""
        return self.model.redact(text)

    def ask(self, messages: Sequence[Message]) -> Answer:
        """The answer that is kept, else the model's; see `Model.ask`."""
        request = {
            "model": self.name,
            "sample": self.sample,
            "parameters": self.parameters,
            "messages": [[m.role, m.content] for m in messages],
        }
        digest = digest_of(request)
        kept = self._kept(digest, request)
        if isinstance(kept, Answer):
            return kept
        if self.only:
            raise kept or ModelError(
                f"no answer to this request is kept in {self.folder}",
                "the task, the prompts or the model are others than then; ask with --cache without --offline",
            )
        try:
            answer = self.model.ask(messages)
        except UnusableAnswer as error:
            failure = {"message": str(error), "hint": error.hint, "usage": dict(error.usage)}
            self._keep(digest, {**request, "unusable": failure})
            raise
        data = {"text": answer.text, "model": answer.model, "usage": dict(answer.usage)}
        self._keep(digest, {**request, "answer": data})
        return answer

    @property
    def _answers(self) -> KeptAnswers:
        return KeptAnswers(self.folder, _LARGEST)

    def _kept(self, digest: str, request: dict[str, Any]) -> Answer | UnusableAnswer | None:
        data = self._answers.get(digest)
        if not isinstance(data, dict) or any(data.get(name) != value for name, value in request.items()):
            return None
        answer_data: Any = data.get("answer")
        if _texts(answer_data, "text", "model"):
            return Answer(
                answer_data["text"], answer_data["model"], counts(answer_data.get("usage")), stored=True
            )
        failure: Any = data.get("unusable")
        if _texts(failure, "message", "hint"):
            return UnusableAnswer(failure["message"], failure["hint"], counts(failure.get("usage")))
        return None

    def _keep(self, digest: str, data: dict[str, Any]) -> None:
        text = json.dumps(data, ensure_ascii=False)
        if self.redact(text) != text:
            return  # a key is not kept anywhere
        try:
            self._answers.keep(digest, data)
        except OSError as error:
            raise ModelError(f"the answer cannot be kept in {self.folder}: {error}") from error


@dataclass(frozen=True, slots=True)
class OfflineModel:
    """A model that nobody asks: it stands for the one whose answers are kept."""

    name: str
    endpoint: str
    parameters: Mapping[str, Any]

    @property
    def exposes_key(self) -> bool:
        """False: no key is sent."""
        return False

    def redact(self, text: str) -> str:
        """The text: there is no key."""
        return text

    def ask(self, messages: Sequence[Message]) -> Answer:
        """Raise `ModelError`."""
        raise ModelError(f"{self.name} is not asked")


def _texts(data: Any, *names: str) -> bool:
    return isinstance(data, dict) and all(isinstance(data.get(name), str) for name in names)
