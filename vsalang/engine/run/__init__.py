"""Runs a query plan: the state of one session, and the functions that change it and answer from it."""
