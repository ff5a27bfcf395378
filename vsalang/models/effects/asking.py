"""Asks a model what a control does. Whatever goes wrong is `NoAnswer`: the control stays unknown."""

from collections.abc import Callable, Mapping
from typing import Final

from vsalang.models.client.kept import digest_of
from vsalang.models.client.language_model import Model, ModelError
from vsalang.models.effects.answer import Answer, Effect, NoAnswer, read_answer
from vsalang.models.effects.prompt import Question, messages
from vsalang.program.text import line

MOST: Final = 200
"""So many questions are asked in one session; an app can make new controls without end."""


def number_of(question: Question) -> str:
    """A number that only this question has: a hash of all of it, which nobody who writes a part of it can foresee.

    The same question has the same number, so a run that is repeated finds the answers of before.
    """
    return digest_of(
        [
            question.package,
            dict(question.control),
            question.screen,
            *filter(None, [question.after]),
            *([each.gesture, each.touched, each.others] for each in question.before),
        ]
    )[:32]


class Asker:
    """A model that is asked what controls do.

    Args:
        model: answers.
        effects: by name.
        nonce: makes the number that the answer to a question must repeat.

    Attributes:
        asked: how many questions were asked.
    """

    def __init__(
        self, model: Model, effects: Mapping[str, Effect], nonce: Callable[[Question], str] | None = None
    ) -> None:
        self.asked = 0
        self._model = model
        self._effects = dict(effects)
        self._nonce = nonce or number_of

    def ask(self, question: Question) -> Answer | NoAnswer:
        """What the model says; never raises an `Exception`."""
        if self.asked >= MOST:
            return NoAnswer(f"{MOST} questions were asked in this session already")
        self.asked += 1
        nonce = self._nonce(question)
        try:
            answer = self._model.ask(messages(question, nonce, self._effects))
            by = answer.model or self._model.name
            return read_answer(answer.text, nonce, by, self._effects, question.spots)
        except ModelError as error:
            return NoAnswer(line(str(error), 300))
        except Exception as error:
            return NoAnswer(line(f"{type(error).__name__}: {error}", 300))
