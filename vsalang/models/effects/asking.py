"""Asks a model what a control does. Whatever goes wrong is `NoAnswer`: the control stays unknown."""

import secrets
from collections.abc import Callable, Mapping
from typing import Final

from vsalang.models.client.language_model import Model, ModelError
from vsalang.models.effects.answer import Answer, NoAnswer, read_answer
from vsalang.models.effects.prompt import Question, messages
from vsalang.program.text import line

MOST: Final = 200
"""So many questions are asked in one session; an app can make new controls without end."""


class Asker:
    """A model that is asked what controls do.

    Args:
        model: answers.
        kinds: the effects, and what each is.
        nonce: makes the number that each answer must repeat.

    Attributes:
        asked: how many questions were asked.
    """

    def __init__(
        self, model: Model, kinds: Mapping[str, str], nonce: Callable[[], str] = lambda: secrets.token_hex(8)
    ) -> None:
        self.asked = 0
        self._model = model
        self._kinds = dict(kinds)
        self._nonce = nonce

    def ask(self, question: Question) -> Answer | NoAnswer:
        """What the model says; never raises an `Exception`."""
        if self.asked >= MOST:
            return NoAnswer(f"{MOST} questions were asked in this session already")
        self.asked += 1
        nonce = self._nonce()
        try:
            answer = self._model.ask(messages(question, nonce, self._kinds))
            return read_answer(answer.text, nonce, answer.model or self._model.name, self._kinds)
        except ModelError as error:
            return NoAnswer(line(str(error), 300))
        except Exception as error:
            return NoAnswer(line(f"{type(error).__name__}: {error}", 300))
