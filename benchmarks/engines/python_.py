"""Hand-written Python: what a programmer would write for one workload who may forget everything else; the floor."""

import datetime as dt
import re
from collections import Counter, defaultdict, deque
from collections.abc import Callable
from typing import Any

from benchmarks.workloads import TODAY, Work
from benchmarks.workloads.w2 import CellAtom, HeadAtom, Spec

NAME = "Python"
CANNOT: dict[str, str] = {}
Step = Callable[[Any], Any]
SEVEN = dt.time(19)


def w1(work: Work) -> Step:
    cells: list[Any] = [None] * 5

    def step(event: Any) -> Any:
        cells[event[0]] = event[1]
        restaurant, date, time, available, success = cells
        answer = []
        if restaurant == "R" and date == TODAY and time is not None and time < SEVEN:
            if available:
                answer.append("May")
            elif available is False:
                answer.append("Nothing")
            if success:
                answer.append("Done")
        return answer

    return step


def test(atom: CellAtom, cell: str) -> str:
    """The expression of one atom over a local variable."""
    op, value = atom.op, atom.value
    if op == "known":
        return f"{cell} is not None"
    if op == "unknown":
        return f"{cell} is None"
    if isinstance(value, bool):
        return f"{cell} is {value == (op == '=')}"
    if op == "=":
        return f"{cell} == {value!r}"
    if op in ("in", "not in"):
        body = f"{cell} {op} {{{', '.join(map(repr, value))}}}"
    elif op in ("in..", "not in.."):
        body = f"{'not ' if op[0] == 'n' else ''}({value[0]} <= {cell} <= {value[1]})"
    elif op.endswith("contains"):
        body = f"{value!r} {'not ' if op[0] == 'n' else ''}in {cell}"
    elif op.endswith("matches"):
        body = f"{'not ' if op[0] == 'n' else ''}re_search({value!r}, {cell})"
    else:
        body = f"{cell} {op} {value!r}"
    return f"{cell} is not None and {body}"


def affected(spec: Spec) -> list[list[int]]:
    """For each cell the heads that depend on it, in order."""
    cells: list[set[int]] = []
    for clauses in spec.heads:
        mine: set[int] = set()
        for body in clauses:
            for atom in body:
                mine |= cells[atom.head] if isinstance(atom, HeadAtom) else {atom.cell}
        cells.append(mine)
    return [[head for head, mine in enumerate(cells) if cell in mine] for cell in range(len(spec.kinds))]


def w2(work: Work) -> Step:
    """A function per cell: atoms of the cell are evaluated once, then the heads that depend on it, in order."""
    spec: Spec = work.spec
    patterns: dict[str, Any] = {}
    names: dict[CellAtom, str] = {}
    for clauses in spec.heads:
        for body in clauses:
            for atom in body:
                if isinstance(atom, CellAtom):
                    names.setdefault(atom, f"a{len(names)}")
                    if atom.op.endswith("matches"):
                        patterns[atom.value] = re.compile(atom.value).search
    lines = ["re_search = lambda pattern, text: patterns[pattern](text) is not None"]
    for atom, name in names.items():
        lines.append(f"{name} = {atom.op == 'unknown'}")

    def conjunction(body: Any) -> str:
        return " and ".join(
            f"{'not ' if atom.negated else ''}h{atom.head}" if isinstance(atom, HeadAtom) else names[atom]
            for atom in body
        )

    for head, clauses in enumerate(spec.heads):
        lines.append(f"h{head} = {' or '.join(conjunction(body) for body in clauses)}")
        lines.append(f"if h{head}: holding['H{head}'] = True")
    resting = affected(spec)
    for cell in range(len(spec.kinds)):
        mine = [(atom, name) for atom, name in names.items() if atom.cell == cell]
        lines.append(f"def cell{cell}(c):")
        if mine:
            lines.append(f"    global {', '.join(name for _, name in mine)}")
        changes = [f"    n{name} = {test(atom, 'c')}" for atom, name in mine]
        lines += changes
        if mine:
            lines.append("    if " + " and ".join(f"n{name} == {name}" for _, name in mine) + ": return")
            lines += [f"    {name} = n{name}" for _, name in mine]
        for head in resting[cell]:
            lines.append(f"    global h{head}")
        for head in resting[cell]:
            lines.append(f"    new = {' or '.join(conjunction(body) for body in spec.heads[head])}")
            lines.append(f"    if new != h{head}:")
            lines.append(f"        h{head} = new")
            lines.append(f"        if new: holding['H{head}'] = True")
            lines.append(f"        else: del holding['H{head}']")
        if not mine and not resting[cell]:
            lines.append("    pass")
    lines.append(f"functions = [{', '.join(f'cell{cell}' for cell in range(len(spec.kinds)))}]")
    # `global` must stand before the first use in a function: gather what follows `def` first.
    space: dict[str, Any] = {"patterns": patterns, "holding": {}}
    exec(compile("\n".join(hoist(lines)), "<w2>", "exec"), space)
    functions, holding = space["functions"], space["holding"]

    def step(event: Any) -> Any:
        functions[event[0]](event[1])
        return holding

    return step


def hoist(lines: list[str]) -> list[str]:
    """Put the `global` lines of each function first."""
    made: list[str] = []
    function: list[str] = []
    for line in [*lines, ""]:
        if function and not line.startswith(" "):
            made.append(function[0])
            made += sorted(function[1:], key=lambda one: not one.startswith("    global"))
            function = []
        if line.startswith("def ") or function:
            function.append(line)
        else:
            made.append(line)
    return made


def w3(work: Work) -> Step:
    """The tree as dictionaries; each answer is kept, and a subtree is walked only when a flag above it flips."""
    rows: dict[int, Any] = {}
    children: dict[Any, set[int]] = defaultdict(set)
    above: dict[Any, tuple[bool, bool]] = {None: (False, False)}  # some ancestor is ordered, is disabled
    texts: Counter[str] = Counter()
    twice: set[str] = set()
    groups: Counter[int] = Counter()
    lists: set[int] = set()
    marked: set[int] = set()
    stuck: set[int] = set()

    def below(row: Any) -> tuple[bool, bool]:
        ordered, disabled = above[row[0]]
        return ordered or (row[5] is not None and "order" in row[5]), disabled or row[8] is False

    def judge(row: Any) -> None:
        node = row[0]
        ordered, disabled = above[node]
        if row[7] and row[8] and ordered:
            marked.add(node)
        else:
            marked.discard(node)
        if row[7] and disabled:
            stuck.add(node)
        else:
            stuck.discard(node)

    def walk(node: int) -> None:
        flags = below(rows[node])
        for child in children.get(node, ()):
            if above.get(child) != flags:
                above[child] = flags
                judge(rows[child])
                walk(child)

    def leave(row: Any) -> None:
        text = row[5]
        if text is not None:
            texts[text] -= 1
            if texts[text] == 1:
                twice.discard(text)
            elif not texts[text]:
                del texts[text]

    def enter(row: Any) -> None:
        text = row[5]
        if text is not None:
            texts[text] += 1
            if texts[text] == 2:
                twice.add(text)

    def change(old: Any, new: Any) -> None:
        if old is not None and new is not None and old[1:4] == new[1:4]:
            if old[5] != new[5]:
                leave(old)
                enter(new)
        else:
            if old is not None:
                node, parent = old[0], old[1]
                leave(old)
                children[parent].discard(node)
                if old[3] == "ViewGroup":
                    groups[parent] -= 1
                lists.discard(node)
            if new is not None:
                node, parent = new[0], new[1]
                enter(new)
                children[parent].add(node)
                if new[3] == "ViewGroup":
                    groups[parent] += 1
                elif new[3] == "RecyclerView":
                    lists.add(node)
        if new is None:
            node = old[0]
            del rows[node], above[node]
            marked.discard(node)
            stuck.discard(node)
            return
        node, parent = new[0], new[1]
        rows[node] = new
        above[node] = below(rows[parent]) if parent is not None else above[None]
        judge(new)
        if children.get(node):
            walk(node)

    for row in work.spec:
        change(None, row)

    def step(event: Any) -> Any:
        for old, new in event:
            change(old, new)
        return marked, [(one, groups[one]) for one in lists], twice, stuck

    return step


def w4(work: Work) -> Step:
    """Adjacency sets and a tree of what was reached from where: only the loss of an edge of the tree begins again."""
    targets: dict[int, set[int]] = defaultdict(set)
    for a, b in work.spec:
        targets[a].add(b)
    start = 0
    via: dict[int, int] = {}

    def extend(first: int, source: int) -> None:
        via[first] = source
        todo = [first]
        while todo:
            a = todo.pop()
            for b in targets[a]:
                if b not in via:
                    via[b] = a
                    todo.append(b)

    extend(start, -1)

    def step(event: Any) -> Any:
        nonlocal start
        kind, a, b = event
        if kind == "+":
            targets[a].add(b)
            if a in via and b not in via:
                extend(b, a)
            return via
        if kind == "-":
            targets[a].discard(b)
            if via.get(b) != a:
                return via
        else:
            start = a
        via.clear()
        extend(start, -1)
        return via

    return step


def w5(work: Work) -> Step:
    row: list[Any] = [None] * 4
    number = 0
    banked = charged = False
    locked = steady = -1_000_000

    def step(event: Any) -> Any:
        nonlocal number, banked, locked, charged, steady
        number += 1
        row[event[0]] = event[1]
        if row[3] == "bank":
            banked = True
        if row[0]:
            locked = number
        charged = row[0] is True or (charged and row[1] is True)
        if not row[2]:
            steady = number + 1
        elif steady < 0:
            steady = number
        answer = []
        if banked:
            answer.append("Banked")
        if number - locked <= 30:
            answer.append("Recently")
        if charged:
            answer.append("Charged")
        if number - steady >= 10:
            answer.append("Steady")
        return answer

    return step


def w5_data(work: Work) -> Step:
    row: list[Any] = [None] * 4
    number = began = 0
    seen: set[str] = set()
    last: dict[str, int] = {}
    queue: deque[tuple[int, str]] = deque()
    app: str | None = None
    since = False

    def step(event: Any) -> Any:
        nonlocal number, began, app, since
        number += 1
        row[event[0]] = event[1]
        if row[3] != app:
            app, began, since = row[3], number, False
        if app is not None:
            seen.add(app)
            last[app] = number
            queue.append((number, app))
        while queue and number - queue[0][0] > 30:
            time, name = queue.popleft()
            if last[name] == time:
                del last[name]
        since = app is not None and (row[0] is True or (since and row[2] is True))
        staying = (app,) if app is not None and number - began >= 5 else ()
        return seen, last.keys(), staying, (app,) if since else ()

    return step


def w6(work: Work) -> Step:
    steps = [w1(work) for _ in range(work.spec)]

    def step(event: Any) -> Any:
        return steps[event[0]](event[1])

    return step


def rows(work: Work) -> Step:
    blocked = {row[0] for row in work.spec[0] if row[2]}
    bad = {row[0]: row[2] for row in work.spec[1] if row[1] in blocked and row[2] > 90}

    def step(event: Any) -> Any:
        number, customer, total = event[1]
        if customer in blocked and total > 90:
            bad[number] = total
        else:
            bad.pop(number, None)
        return bad.items()

    return step
