"""A program in, what holds in all its states out: the solver, and proofs that a guard has run."""
