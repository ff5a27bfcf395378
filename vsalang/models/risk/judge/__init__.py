"""A judge: a model that is asked whether an action does harm. Its answers are evidence, and only raise a verdict.

>>> from vsalang.models.risk.judge import Judge, Moment, Question
>>> judge = Judge(model)                                                   # doctest: +SKIP
>>> judge.ask(Question("Pay 5 euros", (Moment("Pay", "tap(label = \"Pay\")"),)))    # doctest: +SKIP
Opinion(concerns=(), reason='it is what the user asked for', model='gpt-4o')
"""

from typing import TYPE_CHECKING

from vsalang.base.lazily import names_of

if TYPE_CHECKING:
    from vsalang.models.risk.judge.answer import CATEGORIES, FORM, NoJudgement, Opinion, read_answer
    from vsalang.models.risk.judge.asking import Judge
    from vsalang.models.risk.judge.live import LiveJudge
    from vsalang.models.risk.judge.question import (
        MODES,
        Mode,
        Moment,
        Question,
        chosen,
        moment_of,
        screen_text,
    )
    from vsalang.models.risk.judge.rows import rows_of

_PLACES = {
    "CATEGORIES": "answer",
    "FORM": "answer",
    "Judge": "asking",
    "LiveJudge": "live",
    "MODES": "question",
    "Mode": "question",
    "Moment": "question",
    "NoJudgement": "answer",
    "Opinion": "answer",
    "Question": "question",
    "chosen": "question",
    "moment_of": "question",
    "read_answer": "answer",
    "rows_of": "rows",
    "screen_text": "question",
}
__all__ = [
    "CATEGORIES",
    "FORM",
    "MODES",
    "Judge",
    "LiveJudge",
    "Mode",
    "Moment",
    "NoJudgement",
    "Opinion",
    "Question",
    "chosen",
    "moment_of",
    "read_answer",
    "rows_of",
    "screen_text",
]

__getattr__ = names_of(__name__, _PLACES)
