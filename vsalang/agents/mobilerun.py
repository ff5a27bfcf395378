"""`vsalang.agents.adapters.mobilerun.driver`, by the name that programs import it by."""

from vsalang.agents.adapters.mobilerun.driver import CALLS, READS, complete, guarded_driver, look

__all__ = ["CALLS", "READS", "complete", "guarded_driver", "look"]
