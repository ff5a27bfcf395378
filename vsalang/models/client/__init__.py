"""A prompt in, the recorded answer of a model out: endpoints, prices, limits, answers kept."""
