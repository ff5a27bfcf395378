"""A task and a phone in, chosen actions out: logic leaves out what may not be done, and a scorer orders the rest.

    with open_guarded("quiet_evening.vsa", "sim:settings", SessionOptions(app="org.example.settings")) as session:
        agent = RankAgent(session.guard, session.device)
        for done in agent.run():
            print(done.step.proposed.action, done.choice.lines() if done.choice else done.undo)

Nothing here permits anything: each action is proposed, and judged like any other.
"""

from vsalang.agents.rank.agent import MOST_STEPS, RankAgent, RankOptions, RankStep
from vsalang.agents.rank.choosing import Choice, Option
from vsalang.agents.rank.recorded import RecordedDecision, recorded_decisions
from vsalang.agents.rank.runs import RecordedRun, read_run
from vsalang.agents.rank.undoing import NoUndo, PerformedStep, Undo, undo

__all__ = [
    "MOST_STEPS",
    "Choice",
    "NoUndo",
    "Option",
    "PerformedStep",
    "RankAgent",
    "RankOptions",
    "RankStep",
    "RecordedDecision",
    "RecordedRun",
    "Undo",
    "read_run",
    "recorded_decisions",
    "undo",
]
