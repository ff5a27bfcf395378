"""Graphs of names: which can be reached, which depend on themselves, and an order in which the others come first."""

from collections.abc import Iterable, Mapping


def reachable(starts: Iterable[str], graph: Mapping[str, Iterable[str]]) -> set[str]:
    """The nodes that can be reached from some nodes, these included.

    Args:
        graph: the successors of a node; one that is missing has none.
    """
    names: set[str] = set()
    waiting = list(starts)
    while waiting:
        node = waiting.pop()
        if node not in names:
            names.add(node)
            waiting.extend(graph.get(node, ()))
    return names


def components(nodes: Iterable[str], graph: Mapping[str, Iterable[str]]) -> list[list[str]]:
    """The strongly connected components, each after those it has edges to (Tarjan 1972, without recursion).

    Args:
        nodes: where to begin, in this order.
        graph: the successors of a node; one that is missing has none.
    """
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    on_stack: set[str] = set()
    stack: list[str] = []
    result: list[list[str]] = []
    for root in nodes:
        if root in index:
            continue
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        work = [(root, iter(graph.get(root, ())))]
        while work:
            node, successors = work[-1]
            for successor in successors:
                if successor not in index:
                    index[successor] = low[successor] = len(index)
                    stack.append(successor)
                    on_stack.add(successor)
                    work.append((successor, iter(graph.get(successor, ()))))
                    break
                if successor in on_stack:
                    low[node] = min(low[node], index[successor])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    component: list[str] = []
                    while not component or component[-1] != node:
                        component.append(stack.pop())
                        on_stack.discard(component[-1])
                    result.append(component)
    return result
