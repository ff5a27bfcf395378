"""A control of which the screen does not tell what it does in, an answer about it out: of a model, or of what came.

Answers are kept by app, version, control and screen. Until a person accepts one it only adds duty.
"""

from typing import TYPE_CHECKING

from vsalang.base.lazily import names_of

if TYPE_CHECKING:
    from vsalang.models.effects.answer import Answer, NoAnswer, read_answer
    from vsalang.models.effects.asking import Asker
    from vsalang.models.effects.control import ControlKey, control_key
    from vsalang.models.effects.kept import AnswerFile, KeptAnswer
    from vsalang.models.effects.live import LiveAnswers

_PLACES = {
    "Answer": "answer",
    "AnswerFile": "kept",
    "Asker": "asking",
    "ControlKey": "control",
    "KeptAnswer": "kept",
    "LiveAnswers": "live",
    "NoAnswer": "answer",
    "control_key": "control",
    "read_answer": "answer",
}
__all__ = [
    "Answer",
    "AnswerFile",
    "Asker",
    "ControlKey",
    "KeptAnswer",
    "LiveAnswers",
    "NoAnswer",
    "control_key",
    "read_answer",
]

__getattr__ = names_of(__name__, _PLACES)
