"""How well actions are ranked: candidates, the linear scorer, prompts and pairs, on recorded tasks and real screens."""
