"""Agents: where proposals come from, and the loop that guards them on a device."""

from vsalang.agents.loop import Step, run_agent
from vsalang.agents.proposed import AgentError, Proposed, read_action
from vsalang.agents.script import ScriptedAgent
from vsalang.agents.steps import Observation, run_steps

__all__ = [
    "AgentError",
    "Observation",
    "Proposed",
    "ScriptedAgent",
    "Step",
    "read_action",
    "run_agent",
    "run_steps",
]
