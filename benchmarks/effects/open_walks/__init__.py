"""Open walks with charters, for those who write rules of ``std.effects``: see the README of ``benchmarks.effects``."""
