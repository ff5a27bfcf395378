"""Migration hints: what people write who come from another language, and what to write here instead.

`checks.finding` is the entry: it asks the `table` of patterns (by `matching`), then checks that need code. It is
imported only for a file with a mistake.
"""
