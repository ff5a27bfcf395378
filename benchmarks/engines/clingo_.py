"""clingo, multi-shot: grounded once, facts are external atoms, each event is a few assignments and one solve."""

from collections.abc import Callable
from typing import Any

import clingo

from benchmarks.engines.atoms import alphas, clauses
from benchmarks.engines.pydatalog_best import features
from benchmarks.workloads import TODAY, Work

NAME = "clingo"
CANNOT = {"w5": "grounded for each point of time it would grow for ever", "w5_data": "as w5"}
Step = Callable[[Any], Any]

W1 = """
#external restaurant. #external date. #external early. #external available. #external unavailable. #external success.
common :- restaurant, date, early.
h("May") :- common, available.
h("Done") :- common, success.
h("Nothing") :- common, unavailable.
#show h/1.
"""
TESTS: tuple[tuple[tuple[str, Callable[[Any], bool]], ...], ...] = (
    (("restaurant", lambda value: value == "R"),),
    (("date", lambda value: value == TODAY),),
    (("early", lambda value: value is not None and value.hour < 19),),
    (("available", lambda value: value is True), ("unavailable", lambda value: value is False)),
    (("success", lambda value: value is True),),
)


def grounded(text: str) -> clingo.Control:
    control = clingo.Control()
    control.add("base", [], text)
    control.ground([("base", [])])
    return control


def symbol(value: Any) -> clingo.Symbol:
    if isinstance(value, int):
        return clingo.Number(value)
    return clingo.Function(value) if value in ("yes", "no") else clingo.String(value)


def answer_atoms(control: clingo.Control) -> Callable[[], Any]:
    """Solve and give the shown atoms."""
    found: list[Any] = []

    def keep(model: clingo.Model) -> None:
        found[:] = model.symbols(shown=True)

    solve = control.solve

    def ask() -> Any:
        solve(on_model=keep)
        return found

    return ask


def w1(work: Work) -> Step:
    """Python says which comparisons of the written cell hold, as in w2; what did not flip is not solved again."""
    control = grounded(W1)
    ask, assign = answer_atoms(control), control.assign_external
    literals = {str(atom.symbol): atom.literal for atom in control.symbolic_atoms if atom.is_external}
    tests = [[(literals[name], test) for name, test in cell] for cell in TESTS]
    truth = dict.fromkeys(literals.values(), False)
    names = {clingo.Function("h", [clingo.String(name)]): name for name in work.relations}
    kept: list[str] = []

    def step(event: Any) -> Any:
        nonlocal kept
        cell, value = event
        flipped = False
        for literal, test in tests[cell]:
            holds = test(value)
            if truth[literal] is not holds:
                truth[literal] = holds
                assign(literal, holds)
                flipped = True
        if flipped:
            kept = [names[one] for one in ask()]
        return kept

    return step


def w2(work: Work) -> Step:
    spec = work.spec
    truth, flips = alphas(spec)
    lines = [f"#external a(0..{len(truth) - 1}). #show h/1."]
    for head, body in clauses(spec, "a({})", "h({})", "not h({})"):
        lines.append(f"h({head}) :- {', '.join(body)}.")
    control = grounded("\n".join(lines))
    atoms = {
        atom.symbol.arguments[0].number: atom.literal for atom in control.symbolic_atoms.by_signature("a", 1)
    }
    ask, assign = answer_atoms(control), control.assign_external
    for number, holds in enumerate(truth):
        assign(atoms[number], holds)
    names = {clingo.Function("h", [clingo.Number(head)]): f"H{head}" for head in range(len(spec.heads))}
    kept = [names[one] for one in ask()]

    def step(event: Any) -> Any:
        nonlocal kept
        changed = flips(event)
        if changed:
            for number, holds in changed:
                assign(atoms[number], holds)
            kept = [names[one] for one in ask()]
        return kept

    return step


W3 = """
above(N, A) :- parent(N, A).
above(N, A) :- above(N, M), parent(M, A).
marked(N) :- clickable(N), enabled(N), above(N, A), ordered(A).
rows(L, K) :- recycler(L), K = #count { C : parent(C, L), group(C) }.
twice(T) :- text(A, T), text(B, T), A < B.
stuck(N) :- clickable(N), above(N, A), disabled(A).
#show marked/1. #show rows/2. #show twice/1. #show stuck/1.
"""


def w3(work: Work) -> Step:
    """Nodes and texts are not known beforehand, and what was grounded stays: each event grounds the tree again."""
    now = {
        row[0]: [clingo.Function(fact[0], list(map(symbol, fact[1:]))) for fact in features(row)]
        for row in work.spec
    }

    def step(event: Any) -> Any:
        for old, new in event:
            if new is None:
                del now[old[0]]
            else:
                now[new[0]] = [
                    clingo.Function(fact[0], list(map(symbol, fact[1:]))) for fact in features(new)
                ]
        control = clingo.Control(logger=lambda code, message: None)
        control.add("base", [], W3)
        with control.backend() as backend:
            for facts in now.values():
                for fact in facts:
                    backend.add_rule([backend.add_atom(fact)])
        control.ground([("base", [])])
        answer: dict[str, list[Any]] = {"marked": [], "rows": [], "twice": [], "stuck": []}
        for one in answer_atoms(control)():
            arguments = one.arguments
            name = one.name
            if name == "rows":
                answer[name].append((arguments[0].number, arguments[1].number))
            else:
                answer[name].append(arguments[0].string if name == "twice" else arguments[0].number)
        return list(answer.values())

    return step


def w4(work: Work) -> Step:
    """Externals for every edge that ever occurs: a little more than a driver could know."""
    edges = {*work.spec, *((a, b) for kind, a, b in work.events if kind == "+")}
    nodes = 1 + max(max(edge) for edge in edges)
    lines = [f"#external start(0..{nodes - 1}). #show reach/1."]
    lines += [f"#external edge({a}, {b})." for a, b in edges]
    lines.append("reach(N) :- start(N). reach(M) :- reach(N), edge(N, M).")
    control = grounded("\n".join(lines))
    edge = {
        (atom.symbol.arguments[0].number, atom.symbol.arguments[1].number): atom.literal
        for atom in control.symbolic_atoms.by_signature("edge", 2)
    }
    begin = {
        atom.symbol.arguments[0].number: atom.literal
        for atom in control.symbolic_atoms.by_signature("start", 1)
    }
    ask, assign = answer_atoms(control), control.assign_external
    for pair in work.spec:
        assign(edge[pair], True)
    assign(begin[0], True)
    names = {clingo.Function("reach", [clingo.Number(node)]): node for node in range(nodes)}
    now = 0

    def step(event: Any) -> Any:
        nonlocal now
        kind, a, b = event
        if kind == "+":
            assign(edge[a, b], True)
        elif kind == "-":
            assign(edge[a, b], False)
        else:
            assign(begin[now], False)
            now = a
            assign(begin[a], True)
        return [names[one] for one in ask()]

    return step


def w6(work: Work) -> Step:
    steps = [w1(work) for _ in range(work.spec)]

    def step(event: Any) -> Any:
        return steps[event[0]](event[1])

    return step
