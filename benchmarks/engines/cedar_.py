"""Cedar (`cedarpy`): policies parsed once; a request carries all cells; the permits that fit are the answer."""

from collections.abc import Callable
from typing import Any

import cedarpy

from benchmarks.engines.pydatalog_best import plain_value
from benchmarks.workloads import Work
from benchmarks.workloads.w2 import CellAtom, HeadAtom, Spec

NAME = "Cedar"
CANNOT = {
    "w3": "no recursion, no joins over a set of nodes",
    "w4": "no recursion",
    "w5": "no past",
    "w5_data": "no past",
}
Step = Callable[[Any], Any]

COMMON = 'context has restaurant && context.restaurant == "R" && context has date && context.date == 20260401'
EARLY = f"{COMMON} && context has time && context.time < 1140"
W1 = "\n".join(
    f'@id("{name}") permit(principal, action, resource) when {{ {EARLY} && {last} }};'
    for name, last in (
        ("May", "context has available && context.available"),
        ("Done", "context has success && context.success"),
        ("Nothing", "context has available && !context.available"),
    )
)
FORM = ("restaurant", "date", "time", "available", "success")


def asking(policies: str, context: dict[str, Any]) -> Callable[[], Any]:
    parsed, nothing = cedarpy.PolicySet.from_str(policies), cedarpy.Entities.from_json_str("[]")
    request = {
        "principal": {"type": "Agent", "id": "a"},
        "action": {"type": "Action", "id": "ask"},
        "resource": {"type": "Phone", "id": "p"},
        "context": context,
    }
    decide = cedarpy.is_authorized

    def ask() -> Any:
        return decide(request, parsed, nothing).diagnostics.id_annotations_by_reason.values()

    return ask


def w1(work: Work) -> Step:
    context: dict[str, Any] = {}
    ask = asking(W1, context)

    def step(event: Any) -> Any:
        cell, value = event
        if value is None:
            context.pop(FORM[cell], None)
        else:
            context[FORM[cell]] = value if value.__class__ is bool else plain_value(value)
        return ask()

    return step


def literal(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(value)


def written(atom: CellAtom) -> str:
    """An atom in Cedar; regular expressions, which it has not, are a Boolean of the context that Python computes."""
    cell, op, value = f"context.c{atom.cell}", atom.op, atom.value
    if op == "known":
        return f"context has c{atom.cell}"
    if op == "unknown":
        return f"!(context has c{atom.cell})"
    negated = op.startswith("not ")
    if op.endswith("matches"):
        test = f"context.{regex(atom)}"
    elif op.endswith("contains"):
        test = f'{cell} like "*{value}*"'
    elif op.endswith("in.."):
        test = f"({cell} >= {value[0]} && {cell} <= {value[1]})"
    elif op.endswith("in"):
        test = f"[{', '.join(map(literal, value))}].contains({cell})"
    else:
        test = f"{cell} {'==' if op == '=' else op} {literal(value)}"
    return f"(context has c{atom.cell} && {'!' if negated else ''}({test}))"


def regex(atom: CellAtom) -> str:
    return "m" + "".join(f"{ord(one):x}" for one in f"{atom.cell}{atom.value}")


def w2(work: Work) -> Step:
    """There are no derived relations: a head that depends on another is written out in full."""
    import re

    spec: Spec = work.spec
    bodies: list[str] = []
    patterns: dict[int, dict[str, Any]] = {}
    for clauses in spec.heads:
        parts = []
        for body in clauses:
            atoms = []
            for atom in body:
                if isinstance(atom, HeadAtom):
                    atoms.append(f"{'!' if atom.negated else ''}({bodies[atom.head]})")
                else:
                    atoms.append(written(atom))
                    if atom.op.endswith("matches"):
                        patterns.setdefault(atom.cell, {})[regex(atom)] = re.compile(atom.value).search
            parts.append(f"({' && '.join(atoms)})")
        bodies.append(" || ".join(parts))
    policies = "\n".join(
        f'@id("H{head}") permit(principal, action, resource) when {{ {body} }};'
        for head, body in enumerate(bodies)
    )
    context: dict[str, Any] = {}
    ask = asking(policies, context)

    def step(event: Any) -> Any:
        cell, value = event
        name = f"c{cell}"
        if value is None:
            context.pop(name, None)
        else:
            context[name] = value
            for key, search in patterns.get(cell, {}).items():
                context[key] = search(value) is not None
        return ask()

    return step


def w6(work: Work) -> Step:
    steps = [w1(work) for _ in range(work.spec)]

    def step(event: Any) -> Any:
        return steps[event[0]](event[1])

    return step
