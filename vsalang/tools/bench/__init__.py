"""Measures a program of the user's: what a turn costs, what each rule adds, what a session needs, how long it compiles.

>>> from vsalang.tools.bench import Plan, measure
>>> from vsalang.language.semantics import load
>>> loaded = load("spec.vsa")                                             # doctest: +SKIP
>>> report = measure(loaded.program, loaded.own, Plan(events=500))        # doctest: +SKIP
>>> print(f"{report.turn.median * 1e6:.0f} µs")                           # doctest: +SKIP
93 µs
"""

from vsalang.tools.bench.cost import BenchError, Cost, Plan, Report, RuleCost
from vsalang.tools.bench.measure import measure
from vsalang.tools.bench.render import as_json, as_text

__all__ = ["BenchError", "Cost", "Plan", "Report", "RuleCost", "as_json", "as_text", "measure"]
