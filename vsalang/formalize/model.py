"""The interface of a language model for the encoder: it gets messages and returns one answer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal as OneOf
from typing import Protocol

Role = OneOf["system", "user", "assistant"]


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation."""

    role: Role
    content: str


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of a model.

    Attributes:
        text: the answer, which is not trusted.
        model: the model's own name of itself; may be empty.
        usage: tokens by name, as far as the back end counts them.
    """

    text: str
    model: str = ""
    usage: Mapping[str, int] = field(default_factory=dict)


class ModelError(Exception):
    """A model could not be asked, or gave no usable answer. `hint` says what may help; may be empty."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


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
            ModelError: there is no usable answer: the back end cannot be reached, refuses, was cut off, is empty.
        """
