"""What a language model is to the encoder: messages in, one answer out. Any back end that can do that will do."""

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
    """What a model answered.

    Attributes:
        text: the answer; nobody vouches for anything in it.
        model: the model that says it answered; may be empty.
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
        """What people call it, for messages."""

    def ask(self, messages: Sequence[Message]) -> Answer:
        """Answer a conversation that ends with a user's message.

        Raises:
            ModelError: there is no usable answer: the back end cannot be reached, refuses, was cut off, is empty.
        """
