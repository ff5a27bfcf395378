"""The interface of a language model for the encoder: it gets messages and returns one answer."""

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any, Final, Protocol
from typing import Literal as OneOf

from vsalang.base.records import dataclass

_MOST_TOKENS: Final = 10**12
Role = OneOf["system", "user", "assistant"]


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation.

    Attributes:
        pictures: as PNG; they come after the text.
    """

    role: Role
    content: str
    pictures: tuple[bytes, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of a model.

    Attributes:
        text: the answer, which is not trusted.
        model: the model's own name of itself; may be empty.
        usage: tokens by name, as far as the back end counts them.
        stored: nobody was asked: the answer was given before.
    """

    text: str
    model: str = ""
    usage: Mapping[str, int] = field(default_factory=dict)
    stored: bool = False


class ModelError(Exception):
    """A model could not be asked, or gave no usable answer. `hint` says what may help; may be empty."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class UnusableAnswer(ModelError):
    """A model answered, but its answer cannot be used: it is cut off, refused or empty. Asking again may help.

    Attributes:
        usage: tokens by name, as far as the back end counts them.
    """

    def __init__(self, message: str, hint: str = "", usage: Mapping[str, int] | None = None) -> None:
        super().__init__(message, hint)
        self.usage = usage or {}


def readable(text: str) -> str:
    """The text without halves of surrogate pairs: JSON can hold them, and no file can."""
    return text.encode("utf-8", "replace").decode("utf-8")


def seconds(number: float) -> str:
    """So many seconds, for messages."""
    return f"{number:g} second{'' if number == 1 else 's'}"


def counts(usage: Any) -> dict[str, int]:
    """The tokens by name in the usage that an endpoint tells; what is not such a number is left out.

    Those in an inner table are called ``table.name``.
    """
    counts: dict[str, int] = {}
    for name, value in usage.items() if isinstance(usage, dict) else ():
        inner = (
            {f"{name}.{key}": each for key, each in value.items()}
            if isinstance(value, dict)
            else {name: value}
        )
        for key, each in inner.items():
            if isinstance(each, int) and not isinstance(each, bool) and 0 <= each <= _MOST_TOKENS:
                counts[readable(str(key))] = each
    return counts


class Model(Protocol):
    """A back end.

    >>> class Canned:
    ...     name = "canned"
    ...
    ...     def ask(self, messages):
    ...         return Answer('spec hello "Say yes" allow answer(text = "yes"). done when answer earlier.')
    """

    @property
    def name(self) -> str:
        """Its name in messages."""

    def ask(self, messages: Sequence[Message]) -> Answer:
        """Answer a conversation that ends with a user's message.

        Raises:
            UnusableAnswer: the answer is cut off, refused or empty; the encoder asks again.
            ModelError: there is no answer: the back end cannot be reached, or does not take the request.
        """


class Backend(Model, Protocol):
    """A model at a place that is named to the user."""

    @property
    def endpoint(self) -> str:
        """The place, without anything secret."""

    @property
    def exposes_key(self) -> bool:
        """Whether a key is sent over an unencrypted connection that leaves this machine."""

    @property
    def parameters(self) -> Mapping[str, Any]:
        """What is sent in addition to the messages and changes the answers."""

    def redact(self, text: str) -> str:
        """The text without the key."""
