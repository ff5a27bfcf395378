"""The native relations, a file for each standard module: what is observed of a phone, and what can be done with it."""
