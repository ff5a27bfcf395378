"""Shell commands of the simulated phone in, what they print and change out."""
