"""Risk: what harm an agent does on a phone. The judge is in `vsalang.risk.judge`."""
