"""Reasons in, sentences and documents out, for agents and people."""
