"""The pyDatalog back end: the same plans, joined, negated and recursed over by pyDatalog in a process of its own."""
