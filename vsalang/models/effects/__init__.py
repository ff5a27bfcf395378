"""A control of which the screen does not tell what it does in, an answer about it out: of a model, or of what came.

Answers are kept by app, version, control and screen. Until a person accepts one it only adds duty.
"""

from typing import TYPE_CHECKING

from vsalang.base.lazily import names_of

if TYPE_CHECKING:
    from vsalang.models.effects.answer import Answer, Argument, Effect, NoAnswer, read_answer
    from vsalang.models.effects.asking import Asker
    from vsalang.models.effects.control import ControlKey, control_key
    from vsalang.models.effects.kept import AnswerFile, KeptAnswer
    from vsalang.models.effects.live import LiveAnswers

_PLACES = {
    "Answer": "answer",
    "AnswerFile": "kept",
    "Argument": "answer",
    "Asker": "asking",
    "ControlKey": "control",
    "Effect": "answer",
    "KeptAnswer": "kept",
    "LiveAnswers": "live",
    "NoAnswer": "answer",
    "control_key": "control",
    "read_answer": "answer",
}
__all__ = [
    "Answer",
    "AnswerFile",
    "Argument",
    "Asker",
    "ControlKey",
    "Effect",
    "KeptAnswer",
    "LiveAnswers",
    "NoAnswer",
    "control_key",
    "read_answer",
]

__getattr__ = names_of(__name__, _PLACES)
