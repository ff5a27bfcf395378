"""Rival engines, one module each: `NAME`, and for each workload that it can express a function ``w1(work)`` and so on.

Such a function prepares the engine and returns ``step(event) -> answer``: one update, and the whole answer as Python
values. `CANNOT` says why a workload is missing. Answers are compared after `workloads`' plain forms: names of heads, or
for w3 the four sets of rows in the order of `Work.relations`, for w4 the nodes, for `w5_data` the four sets of rows.
"""
