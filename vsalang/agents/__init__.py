"""Agents: where proposals come from, and the loop that guards them on a device.

Names are imported on first use: what reads the actions and trees of one framework (`adapters`) needs no loop.
"""

from typing import TYPE_CHECKING

from vsalang.base.lazily import names_of

if TYPE_CHECKING:
    from vsalang.agents.loop import Step as Step
    from vsalang.agents.loop import run_agent as run_agent
    from vsalang.agents.proposed import AgentError as AgentError
    from vsalang.agents.proposed import Proposed as Proposed
    from vsalang.agents.proposed import read_action as read_action
    from vsalang.agents.script import ScriptedAgent as ScriptedAgent
    from vsalang.agents.steps import Observation as Observation
    from vsalang.agents.steps import run_steps as run_steps

_EXPORTS = {
    "AgentError": "proposed",
    "Observation": "steps",
    "Proposed": "proposed",
    "ScriptedAgent": "script",
    "Step": "loop",
    "read_action": "proposed",
    "run_agent": "loop",
    "run_steps": "steps",
}
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


__getattr__ = names_of(__name__, _EXPORTS)
