"""Risk: what harm an agent does on a phone: `judge` asks a model, `audit` judges recorded walks, `score` compares."""
