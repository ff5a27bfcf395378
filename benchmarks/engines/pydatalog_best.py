"""pyDatalog at its best: clauses built beforehand, only changed facts go in, only dependent heads are asked."""

import datetime as dt
from collections.abc import Callable
from typing import Any

from pyDatalog import pyDatalog, pyEngine
from pyDatalog.Logic import Logic

from benchmarks.engines.atoms import alphas, clauses, readers
from benchmarks.workloads import Work
from benchmarks.workloads.w2 import Spec

NAME = "pyDatalog, at its best"
CANNOT = {"w5": "it has no time", "w5_data": "it has no time"}
Step = Callable[[Any], Any]

W1 = """
common('x') <= form('restaurant', 'R') & form('date', 20260401) & form('time', T) & (T < 1140)
may('x') <= form('available', 'yes') & common('x')
done('x') <= form('success', 'yes') & common('x')
nothing('x') <= form('available', 'no') & common('x')
"""
W3 = """
above(N, A) <= parent(N, A)
above(N, A) <= above(N, M) & parent(M, A)
marked(N) <= clickable(N) & enabled(N) & above(N, A) & ordered(A)
row(L, C) <= recycler(L) & parent(C, L) & group(C)
twice(T) <= text(A, T) & text(B, T) & (A != B)
stuck(N) <= clickable(N) & above(N, A) & disabled(A)
"""
W4 = """
reach(N) <= start(N)
reach(M) <= reach(N) & edge(N, M)
"""


def w2_rules(spec: Spec) -> str:
    """All clauses. What is negated comes last in a body, what is a head before it."""
    return "\n".join(
        f"h{head}('x') <= {' & '.join(sorted(body, key=lambda atom: 'ah~'.index(atom[0])))}"
        for head, body in clauses(spec, "a{}('x')", "h{}('x')", "~h{}('x')")
    )


def plain_value(value: Any) -> Any:
    """A value as pyDatalog can hold it exactly: no dates, no Booleans."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dt.date):
        return value.year * 10000 + value.month * 100 + value.day
    if isinstance(value, dt.time):
        return value.hour * 60 + value.minute
    return value


def features(row: Any) -> list[tuple[Any, ...]]:
    """What w3's rules need of a row, as facts."""
    node, text = row[0], row[5]
    made: list[tuple[Any, ...]] = []
    if row[1] is not None:
        made.append(("parent", node, row[1]))
    if row[7]:
        made.append(("clickable", node))
    if row[8] is not None:
        made.append(("enabled" if row[8] else "disabled", node))
    if row[3] in ("RecyclerView", "ViewGroup"):
        made.append(("recycler" if row[3] == "RecyclerView" else "group", node))
    if text is not None:
        made.append(("text", node, text))
        if "order" in text:
            made.append(("ordered", node))
    return made


def owned(step: Step) -> Step:
    """A step in the logic that is this thread's now: other sessions may put theirs in place meanwhile."""
    local, mine = Logic.tl, Logic.tl.logic

    def switched(event: Any) -> Any:
        local.logic = mine
        return step(event)

    return switched


def literal(name: str, terms: list[Any]) -> Any:
    predicate = pyEngine.Pred(name, len(terms))
    predicate.prearity = len(terms)
    return pyEngine.Literal(predicate, terms)


class Store:
    """Rules and facts of one logic; a clause is built once for each fact."""

    def __init__(self, rules: str, arities: dict[str, int]) -> None:
        self.logic = Logic()
        for name, arity in arities.items():  # asking what was never declared raises
            pyEngine.assert_(self.clause(name, *["?"] * arity))
            pyEngine.retract(self.clause(name, *["?"] * arity))
        pyDatalog.load(rules)
        self.clauses: dict[Any, Any] = {}

    @staticmethod
    def clause(name: str, *values: Any) -> Any:
        terms = [pyEngine.Const(value) for value in values]
        return pyEngine.Clause(literal(name, terms), [])

    def known(self, fact: tuple[Any, ...]) -> Any:
        made = self.clauses.get(fact)
        if made is None:
            made = self.clauses[fact] = self.clause(*fact)
        return made

    def add(self, fact: tuple[Any, ...]) -> None:
        pyEngine.assert_(self.known(fact))

    def remove(self, fact: tuple[Any, ...]) -> None:
        pyEngine.retract(self.known(fact))

    @staticmethod
    def question(name: str, arity: int) -> Any:
        return literal(name, [pyEngine.Var(f"V{n}") for n in range(arity)])

    @staticmethod
    def closed(name: str) -> Any:
        return literal(name, [pyEngine.Const("x")])


FORM = ("restaurant", "date", "time", "available", "success")
RESTING = (("May", "Done", "Nothing"),) * 3 + (("May", "Nothing"), ("Done",))


def w1(work: Work) -> Step:
    store = Store(W1, {"form": 2, "common": 1, "may": 1, "done": 1, "nothing": 1})
    questions = {name: store.closed(name.lower()) for name in work.relations}
    kept: list[Any] = [None] * 5
    holding: set[str] = set()

    def step(event: Any) -> Any:
        cell, value = event
        fact = None if value is None else ("form", FORM[cell], plain_value(value))
        if fact != kept[cell]:
            if kept[cell] is not None:
                store.remove(kept[cell])
            if fact is not None:
                store.add(fact)
            kept[cell] = fact
            for name in RESTING[cell]:
                if questions[name].ask():
                    holding.add(name)
                else:
                    holding.discard(name)
        return holding

    return owned(step)


def w2(work: Work) -> Step:
    spec: Spec = work.spec
    truth, flips = alphas(spec)
    names = [f"h{head}" for head in range(len(spec.heads))]
    store = Store(w2_rules(spec), dict.fromkeys([*names, *(f"a{n}" for n in range(len(truth)))], 1))
    facts = [(f"a{number}", "x") for number in range(len(truth))]
    for number, holds in enumerate(truth):
        if holds:
            store.add(facts[number])
    questions = [store.closed(name) for name in names]
    of_atoms, of_heads = readers(spec)
    holding = {f"H{head}" for head, question in enumerate(questions) if question.ask()}

    def step(event: Any) -> Any:
        todo: set[int] = set()
        for number, holds in flips(event):
            if holds:
                store.add(facts[number])
            else:
                store.remove(facts[number])
            todo.update(of_atoms[number])
        while todo:  # a head depends on earlier ones only
            head = min(todo)
            todo.remove(head)
            before = len(holding)
            if questions[head].ask():
                holding.add(f"H{head}")
            else:
                holding.discard(f"H{head}")
            if len(holding) != before:
                todo.update(of_heads[head])
        return holding

    return owned(step)


ITEM = {
    "parent": 2,
    "clickable": 1,
    "enabled": 1,
    "disabled": 1,
    "recycler": 1,
    "group": 1,
    "text": 2,
    "ordered": 1,
}


def w3(work: Work) -> Step:
    store = Store(W3, {**ITEM, "above": 2, "marked": 1, "row": 2, "twice": 1, "stuck": 1})
    for item in work.spec:
        for fact in features(item):
            store.add(fact)
    lists = {item[0] for item in work.spec if item[3] == "RecyclerView"}
    marked, row = store.question("marked", 1), store.question("row", 2)
    twice, stuck = store.question("twice", 1), store.question("stuck", 1)

    def step(event: Any) -> Any:
        for old, new in event:
            before, after = features(old) if old else [], features(new) if new else []
            for fact in before:
                if fact not in after:
                    store.remove(fact)
            for fact in after:
                if fact not in before:
                    store.add(fact)
        counts = dict.fromkeys(lists, 0)  # no list comes or goes in this workload
        for one, _ in row.ask() or ():
            counts[one] += 1
        return marked.ask() or (), counts.items(), twice.ask() or (), stuck.ask() or ()

    return owned(step)


def w4(work: Work) -> Step:
    store = Store(W4, {"start": 1, "edge": 2, "reach": 1})
    for edge in work.spec:
        store.add(("edge", *edge))
    store.add(("start", 0))
    reach, start = store.question("reach", 1), 0

    def step(event: Any) -> Any:
        nonlocal start
        kind, a, b = event
        if kind == "+":
            store.add(("edge", a, b))
        elif kind == "-":
            store.remove(("edge", a, b))
        else:
            store.remove(("start", start))
            start = a
            store.add(("start", a))
        return reach.ask() or ()

    return owned(step)


def w6(work: Work) -> Step:
    """A logic for each session, put in place by hand (`Logic(saved)` would copy it)."""
    made = [w1(work) for _ in range(work.spec)]

    def step(event: Any) -> Any:
        return made[event[0]](event[1])

    return step


def rows(work: Work) -> Step:
    rules = "bad(O, T) <= blocked(C) & order(O, C, T) & (T > 90)"
    store = Store(rules, {"blocked": 1, "order": 3, "bad": 2})
    for row in work.spec[0]:
        if row[2]:
            store.add(("blocked", row[0]))
    for row in work.spec[1]:
        store.add(("order", *row))
    bad = store.question("bad", 2)

    def step(event: Any) -> Any:
        store.remove(("order", *event[0]))
        store.add(("order", *event[1]))
        return bad.ask() or ()

    return owned(step)
