"""The last step: the order of evaluation, the readers of alpha memories and tables, the levels of histories."""

from vsalang.engine.compile.strata import components_of, topological
from vsalang.engine.plan import Plan


def finish(plan: Plan) -> None:
    """Fill in what follows from the strata: orders, users, cells, keys, levels of the history."""
    for name, number in plan.inputs.items():
        relation = plan.program.relations.get(name.relation)
        if relation is None or name.kind not in ("rows", "before"):
            continue
        if not relation.key and relation.sort in ("state", "view"):
            for column, attr in enumerate(relation.attrs):
                plan.cells[str(name), attr.name] = (number, column)
        elif relation.key:
            plan.keys[number] = tuple(map(relation.column, relation.key))
    for spec in list(plan.strata):
        waiting, done = list(spec.timestamped), set()
        while waiting:
            table = waiting.pop()
            if table not in done:
                done.add(table)
                reads = plan.strata[plan.timestamps[table].stratum]
                spec.tables |= {table, *reads.tables}
                spec.alphas |= reads.alphas
                spec.clock = spec.clock or reads.clock
                waiting.extend(reads.timestamped)
    for spec in list(plan.strata):
        waiting, done = list(spec.inside), set()
        while waiting:
            stratum = waiting.pop()
            if stratum not in done:
                done.add(stratum)
                reads = plan.strata[stratum]
                spec.tables |= reads.tables
                spec.alphas |= reads.alphas
                spec.clock = spec.clock or reads.clock
                waiting.extend(reads.inside)
    needs: list[set[int]] = []
    for number, spec in enumerate(plan.strata):
        tables = spec.tables | {plan.alphas[alpha].table for alpha in spec.alphas}
        needs.append({n for t in tables if (n := plan.tables[t].stratum) is not None and n != number})
        own = set(spec.members)
        alphas = sorted(alpha for alpha in spec.alphas if plan.alphas[alpha].table not in own)
        spec.reads = (tuple(alphas), tuple(sorted(spec.tables - own)))
    order = topological(needs)
    below: list[set[int]] = [set() for _ in needs]
    rank = {stratum: index for index, stratum in enumerate(order)}
    for stratum in order:
        for other in needs[stratum]:
            below[stratum] |= below[other] | {other}
    for stratum, spec in enumerate(plan.strata):
        spec.below = tuple(sorted(below[stratum], key=rank.__getitem__))
    alpha_direct: list[set[int]] = [set() for _ in plan.alphas]
    table_direct: list[set[int]] = [set() for _ in plan.tables]
    clock: set[int] = set()
    for stratum, spec in enumerate(plan.strata):
        for alpha in spec.alphas:
            alpha_direct[alpha].add(stratum)
        for table in spec.tables:
            table_direct[table].add(stratum)
        if spec.clock:
            clock.add(stratum)
    plan.alpha_readers = [tuple(sorted(readers)) for readers in alpha_direct]
    plan.table_readers = [tuple(sorted(readers)) for readers in table_direct]
    plan.clock_readers = tuple(sorted(clock))
    users: list[set[int]] = [set() for _ in needs]
    for stratum, need in enumerate(needs):
        for other in need:
            users[other].add(stratum)
    plan.stratum_users = [tuple(sorted(each)) for each in users]
    plan.rank = [rank[stratum] for stratum in range(len(needs))]
    plan.by_rank = list(order)
    plan.flags = bytearray(_is_flag(plan, stratum) for stratum in range(len(needs)))
    _order_histories(plan)


def _is_flag(plan: Plan, stratum: int) -> bool:
    net = plan.nets.get(stratum)
    if net is None or net.kind != "derived":
        return False
    table = plan.tables[net.rules[0].table]
    # (a tuple that has the row in it is not empty, although the row is)
    return table.arity == 0 and not any(plan.alphas[index].names for index in table.alphas)


def _order_histories(plan: Plan) -> None:
    """Give each history a level: those it reads come before it; a cycle shares one level."""
    by_table = {history.table: index for index, history in enumerate(plan.histories)}
    by_table |= {window.table: by_table[window.source] for window in plan.windows}
    graph: dict[str, set[str]] = {}
    for index, history in enumerate(plan.histories):
        spec = plan.strata[history.stratum]
        tables: set[int] = set()
        for stratum in (history.stratum, *spec.below):
            reads = plan.strata[stratum]
            tables |= reads.tables | {plan.alphas[alpha].table for alpha in reads.alphas}
        graph[str(index)] = {str(by_table[table]) for table in tables if table in by_table}
    components = components_of(graph)
    for index, history in enumerate(plan.histories):
        history.level = components[str(index)][0]
    levels: dict[int, list[int]] = {}
    for index, history in enumerate(plan.histories):
        levels.setdefault(history.level, []).append(index)
    for _, members in sorted(levels.items()):
        cyclic = any(str(other) in graph[str(index)] for index in members for other in members)
        for index in members:
            plan.histories[index].cyclic = cyclic
        plan.levels.append((tuple(plan.histories[index] for index in members), cyclic))
