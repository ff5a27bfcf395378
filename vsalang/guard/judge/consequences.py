"""Asks whether what the proposed actions will write contradicts itself (`guard.md#P8`)."""

from vsalang.guard.judge.judgement import NameJudgement
from vsalang.guard.judge.predict import contradictions
from vsalang.guard.world.beliefs import apply


def ask_consequences(judgement: NameJudgement) -> None:
    """P8 Consequences: find two values for one cell, and rows that cannot be told, in what the actions will write."""
    state, program = judgement.whole.state, judgement.whole.tools.program
    if judgement.writes or judgement.deletes:
        after = apply(
            program,
            judgement.applied.world,
            judgement.writes,
            judgement.deletes,
            state.points + 2,
            observing=False,
            timed=judgement.whole.tools.book.timed,
        )
        judgement.reasons += contradictions(program, after)
