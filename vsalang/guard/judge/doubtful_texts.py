"""Finds texts that rules compare by ``~=``, and of which nobody can say what they are similar to (`guard.md#P5`)."""

from vsalang.guard.judge.judgement import NameJudgement
from vsalang.guard.say.verdict import Reason
from vsalang.program.phrases import say
from vsalang.program.similarity import doubtful
from vsalang.program.text import safe


def ask_texts(judgement: NameJudgement) -> None:
    """P5, doubt: ask for a confirmation if a text that a rule compares is in doubt: the rule may be silent only because
    of it. The first such text is named."""
    tools, context = judgement.whole.tools, judgement.whole.context
    for name, attr in tools.book.compared:
        column = tools.program.relation(name).column(attr)
        texts = {cell for row in tools.answers.rows(name) if isinstance(cell := row[column], str)}
        for text in sorted(texts):
            if why := doubtful(context.similarity, text):
                words = say("reason.doubtful", text=safe(text), why=why)
                judgement.reasons.append(Reason("doubtful", "confirm", words, names=frozenset({name, attr})))
                return
