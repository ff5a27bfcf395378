"""Rego (`regopy`, rego-cpp): a bundle compiled once; the input carries all cells; the answer is a set as JSON."""

import json
from collections.abc import Callable
from typing import Any

from regopy import Input, Interpreter

from benchmarks.engines.cedar_ import FORM, literal
from benchmarks.engines.pydatalog_best import plain_value
from benchmarks.workloads import Work
from benchmarks.workloads.w2 import CellAtom, HeadAtom

NAME = "Rego"
CANNOT = {
    "w3": "rules may not be recursive",
    "w5": "no past",
    "w5_data": "no past",
}
Step = Callable[[Any], Any]

W1 = """package w1
import rego.v1
common if { input.restaurant == "R"; input.date == 20260401; input.time < 1140 }
holds contains "May" if { common; input.available == true }
holds contains "Done" if { common; input.success == true }
holds contains "Nothing" if { common; input.available == false }
"""


def asking(module: str, query: str, data: dict[str, Any]) -> Callable[[], Any]:
    rego = Interpreter()
    rego.add_module("workload", module)
    rego.set_input(Input(data))
    bundle = rego.build(query)

    def ask() -> Any:
        rego.set_input(Input(data))
        return json.loads(str(rego.query_bundle(bundle)))["expressions"][0]

    return ask


def w1(work: Work) -> Step:
    data: dict[str, Any] = {}
    ask = asking(W1, "data.w1.holds", data)

    def step(event: Any) -> Any:
        cell, value = event
        if value is None:
            data.pop(FORM[cell], None)
        else:
            data[FORM[cell]] = value if value.__class__ is bool else plain_value(value)
        return ask()

    return step


def written(atom: CellAtom) -> str:
    cell, op, value = f"input.c{atom.cell}", atom.op, atom.value
    if op == "known":
        return f"input.k{atom.cell}"
    if op == "unknown":
        return f"not input.k{atom.cell}"
    known = f"input.k{atom.cell}; "
    negated = "not " if op.startswith("not ") else ""
    if op.endswith("matches"):
        return f"{known}{negated}regex.match(`{atom.value}`, {cell})"
    if op.endswith("contains"):
        return f'{known}{negated}contains({cell}, "{value}")'
    if op == "in..":
        return f"{cell} >= {value[0]}; {cell} <= {value[1]}"
    if op == "not in..":
        return f"not inside({cell}, {value[0]}, {value[1]}); {known}true"
    if op.endswith("in"):
        return f"{known}{negated}{cell} in {{{', '.join(map(literal, value))}}}"
    return f"{cell} {'==' if op == '=' else op} {literal(value)}"


def w2(work: Work) -> Step:
    lines = [
        "package w2",
        "import rego.v1",
        "inside(value, low, high) if { value >= low; value <= high }",
    ]
    for head, clauses in enumerate(work.spec.heads):
        for body in clauses:
            atoms = (
                f"{'not ' if atom.negated else ''}h{atom.head}"
                if isinstance(atom, HeadAtom)
                else written(atom)
                for atom in body
            )
            lines.append(f"h{head} if {{ {'; '.join(atoms)} }}")
        lines.append(f'holds contains "H{head}" if h{head}')
    data: dict[str, Any] = {}
    ask = asking("\n".join(lines), "data.w2.holds", data)

    def step(event: Any) -> Any:
        cell, value = event
        if value is None:
            data.pop(f"c{cell}", None)
            data.pop(f"k{cell}", None)
        else:
            data[f"c{cell}"] = value
            data[f"k{cell}"] = True  # a false cell and a missing one are alike to `not`
        return ask()

    return step


def w4(work: Work) -> Step:
    """By the built-in function `graph.reachable`: rules of one's own may not be recursive."""
    module = "package w4\nimport rego.v1\nholds := graph.reachable(input.graph, {input.start})\n"
    graph: dict[str, list[str]] = {str(node): [] for node in range(1 + max(max(edge) for edge in work.spec))}
    for a, b in work.spec:
        graph[str(a)].append(str(b))
    data: dict[str, Any] = {"graph": graph, "start": "0"}
    ask = asking(module, "data.w4.holds", data)

    def step(event: Any) -> Any:
        kind, a, b = event
        if kind == "+":
            graph[str(a)].append(str(b))
        elif kind == "-":
            graph[str(a)].remove(str(b))
        else:
            data["start"] = str(a)
        return [int(node) for node in ask()]

    return step


def w6(work: Work) -> Step:
    steps = [w1(work) for _ in range(work.spec)]

    def step(event: Any) -> Any:
        return steps[event[0]](event[1])

    return step
