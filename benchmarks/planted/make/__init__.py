"""Makes the planted set from scenes: `open`, `held`, `more` and `fresh` here have those of the part of that name."""
