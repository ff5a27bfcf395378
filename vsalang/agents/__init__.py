"""Agents: where proposals come from, and the loop that guards them on a device."""

from vsalang.agents.loop import Step, run_agent
from vsalang.agents.script import AgentError, Proposed, ScriptedAgent, read_action

__all__ = ["AgentError", "Proposed", "ScriptedAgent", "Step", "read_action", "run_agent"]
