"""Asks whether what a gesture writes leads to what the task still needs (`guard.md#P6`)."""

from vsalang.guard.judge.judgement import NameJudgement


def ask_frontier(judgement: NameJudgement) -> None:
    """P6 Frontier: warn of what is written off the track, unless an action was recognised or is attempted.

    A claim takes no duty away: what somebody only claims to do is asked about anyway.
    """
    whole, tools = judgement.whole, judgement.whole.tools
    if not judgement.own:
        judgement.reasons += tools.analysis.frontier.judge(
            judgement.applied.changes, whole.state.grants, whole.context, tools.answers
        )
