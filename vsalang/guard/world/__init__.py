"""Observations in, the belief state out: facts, moments, contracts and their outcomes."""
