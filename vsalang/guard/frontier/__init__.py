"""A proposal and the clauses of the task in: whether it is progress, and what is left to do."""
