"""Who must know of what: the order of evaluation, the readers of atoms and tables, the levels of what is remembered."""

from vsalang.engine.compile.strata import components_of, topological
from vsalang.engine.plan import Kernel


def finish(kernel: Kernel) -> None:
    """Fill in what follows from the nodes: orders, users, cells, keys, levels of the past."""
    for slot, number in kernel.slots.items():
        relation = kernel.program.relations.get(slot.removeprefix("before "))
        if relation is not None and not relation.key and relation.sort in ("state", "view"):
            for column, attr in enumerate(relation.attrs):
                kernel.cells[slot, attr.name] = (number, column)
        elif relation is not None and relation.key:
            kernel.keys[number] = tuple(map(relation.column, relation.key))
    for spec in list(kernel.nodes):
        waiting, done = list(spec.stamped), set()
        while waiting:
            table = waiting.pop()
            if table not in done:
                done.add(table)
                reads = kernel.nodes[kernel.stamps[table].node]
                spec.tables |= {table, *reads.tables}
                spec.alphas |= reads.alphas
                spec.clock = spec.clock or reads.clock
                waiting.extend(reads.stamped)
    for spec in list(kernel.nodes):
        waiting, done = list(spec.inside), set()
        while waiting:
            node = waiting.pop()
            if node not in done:
                done.add(node)
                reads = kernel.nodes[node]
                spec.tables |= reads.tables
                spec.alphas |= reads.alphas
                spec.clock = spec.clock or reads.clock
                waiting.extend(reads.inside)
    needs: list[set[int]] = []
    for number, spec in enumerate(kernel.nodes):
        tables = spec.tables | {kernel.alphas[alpha].table for alpha in spec.alphas}
        needs.append({n for t in tables if (n := kernel.tables[t].node) is not None and n != number})
        own = set(spec.members)
        alphas = sorted(alpha for alpha in spec.alphas if kernel.alphas[alpha].table not in own)
        spec.reads = (tuple(alphas), tuple(sorted(spec.tables - own)))
    order = topological(needs)
    below: list[set[int]] = [set() for _ in needs]
    rank = {node: index for index, node in enumerate(order)}
    for node in order:
        for other in needs[node]:
            below[node] |= below[other] | {other}
    for node, spec in enumerate(kernel.nodes):
        spec.below = tuple(sorted(below[node], key=rank.__getitem__))
    alpha_direct: list[set[int]] = [set() for _ in kernel.alphas]
    table_direct: list[set[int]] = [set() for _ in kernel.tables]
    clock: set[int] = set()
    for node, spec in enumerate(kernel.nodes):
        for alpha in spec.alphas:
            alpha_direct[alpha].add(node)
        for table in spec.tables:
            table_direct[table].add(node)
        if spec.clock:
            clock.add(node)
    kernel.alpha_readers = [tuple(sorted(readers)) for readers in alpha_direct]
    kernel.table_readers = [tuple(sorted(readers)) for readers in table_direct]
    kernel.clock_readers = tuple(sorted(clock))
    users: list[set[int]] = [set() for _ in needs]
    for node, need in enumerate(needs):
        for other in need:
            users[other].add(node)
    kernel.node_users = [tuple(sorted(each)) for each in users]
    kernel.rank = [rank[node] for node in range(len(needs))]
    kernel.by_rank = list(order)
    kernel.flags = bytearray(
        node in kernel.nets
        and kernel.nets[node].kind == "derived"
        and kernel.tables[kernel.nets[node].rules[0].table].arity == 0
        for node in range(len(needs))
    )
    _order_pasts(kernel)


def _order_pasts(kernel: Kernel) -> None:
    """Give each memory of the past a level: those it reads come before it; a cycle shares one level."""
    by_table = {past.table: index for index, past in enumerate(kernel.pasts)}
    by_table |= {window.table: by_table[window.source] for window in kernel.windows}
    graph: dict[str, set[str]] = {}
    for index, past in enumerate(kernel.pasts):
        spec = kernel.nodes[past.node]
        tables: set[int] = set()
        for node in (past.node, *spec.below):
            reads = kernel.nodes[node]
            tables |= reads.tables | {kernel.alphas[alpha].table for alpha in reads.alphas}
        graph[str(index)] = {str(by_table[table]) for table in tables if table in by_table}
    components = components_of(graph)
    for index, past in enumerate(kernel.pasts):
        past.level = components[str(index)][0]
    levels: dict[int, list[int]] = {}
    for index, past in enumerate(kernel.pasts):
        levels.setdefault(past.level, []).append(index)
    for _, members in sorted(levels.items()):
        cyclic = any(str(other) in graph[str(index)] for index in members for other in members)
        for index in members:
            kernel.pasts[index].cyclic = cyclic
        kernel.levels.append((tuple(kernel.pasts[index] for index in members), cyclic))
