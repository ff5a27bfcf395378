"""w4: what can be reached from the start in a directed graph with cycles; an edge comes or goes, or the start moves."""

import random
from typing import TypeAlias

from benchmarks.workloads import Work, checked

SEED = 4
Event: TypeAlias = tuple[str, int, int]
"""``+ a b`` an edge comes, ``- a b`` an edge goes, ``start n 0``."""


def graph(rng: random.Random, nodes: int, count: int) -> set[tuple[int, int]]:
    """Every node is opened from an earlier one; the other edges go anywhere."""
    edges = {(rng.randrange(node), node) for node in range(1, nodes)}
    while len(edges) < count:
        edges.add((rng.randrange(nodes), rng.randrange(nodes)))
    return edges


def work(count: int = 2000, nodes: int = 150, edges: int = 510) -> Work:
    """`spec` is the list of the first edges; the start is node 0."""
    rng = random.Random(SEED)
    now = graph(rng, nodes, edges)
    first = sorted(now)
    events: list[Event] = []
    for _ in range(count):
        if rng.random() < 0.1:
            events.append(("start", rng.randrange(nodes), 0))
        elif rng.random() < 0.5 + (len(now) - edges) / 40:
            gone = rng.choice(sorted(now))
            now.remove(gone)
            events.append(("-", *gone))
        else:
            while (edge := (rng.randrange(nodes), rng.randrange(nodes))) in now:
                pass
            now.add(edge)
            events.append(("+", *edge))
    return Work("w4", checked("w4"), ("Reach",), events, first)
