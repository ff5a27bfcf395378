"""`vsalang.agents.adapters.androidworld`, by the name that programs import it by."""

from vsalang.agents.adapters.androidworld import GuardedAgent, GuardedEnv, look

__all__ = ["GuardedAgent", "GuardedEnv", "look"]
