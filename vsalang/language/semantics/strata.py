"""Stratification: no relation may depend on its own negation, and recursion may do no arithmetic."""

from collections.abc import Iterable, Iterator
from itertools import pairwise
from operator import itemgetter
from typing import TypeVar

from vsalang.base.diagnostics import Label
from vsalang.base.records import dataclass
from vsalang.base.source import Span
from vsalang.language.semantics.report import Report
from vsalang.program import ir
from vsalang.program.graph import components
from vsalang.program.screen_rules import screen_of
from vsalang.program.walk import uses

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Edge:
    """`head` depends on `body`; `negative` if on its absence or on all of its rows."""

    head: str
    body: str
    negative: bool
    span: Span | None


def edges(rule: ir.Rule) -> Iterator[Edge]:
    """The dependencies of a rule that derives something."""
    match rule.head:
        case ir.Derive(atom) | ir.Recognize(atom):
            head = atom.relation
        case _:
            return
    for use in uses((*rule.body, *rule.extra)):
        yield Edge(head, use.atom.relation, not use.monotone, use.span)


def reads(literal: ir.Literal) -> Iterator[tuple[str, bool, Span | None]]:
    """The relations a literal reads, and whether it asks about absence or about all rows."""
    return ((use.atom.relation, not use.monotone, use.span) for use in uses((literal,)))


def check_strata(rules: Iterable[ir.Rule], report: Report) -> None:
    """Report each circle through a negation, and arithmetic in the head of a recursive rule."""
    rules = list(rules)
    numbered: dict[str, list[tuple[int, Edge]]] = {}  # by head, in the order of the rules
    deriving: dict[str, list[tuple[int, ir.Rule]]] = {}
    for number, rule in enumerate(rules):
        for edge in edges(rule):
            numbered.setdefault(edge.head, []).append((number, edge))
        if isinstance(rule.head, ir.Derive):
            deriving.setdefault(rule.head.atom.relation, []).append((number, rule))
    graph = {head: [edge.body for _, edge in own] for head, own in numbered.items()}
    for component in components(sorted(graph), graph):
        members = set(component)
        inner = _in_order(
            (n, e) for name in component for n, e in numbered.get(name, ()) if e.body in members
        )
        if not inner:
            continue
        bad = [e for e in inner if e.negative]
        if bad:
            _report_cycle(bad[0], inner, report)
            continue
        for rule in _in_order(one for name in component for one in deriving.get(name, ())):
            recursive = any(use.atom.relation in members for use in uses(rule.body))
            if recursive:
                _check_arithmetic(rule, report)


def _in_order(items_of: Iterable[tuple[int, Item]]) -> list[Item]:
    """Items sorted by the number of their rule; the order within a rule stays."""
    return [item for _, item in sorted(items_of, key=itemgetter(0))]


def _check_arithmetic(rule: ir.Rule, report: Report) -> None:
    assert isinstance(rule.head, ir.Derive)
    computed = {
        item.left.name
        for item in rule.body
        if isinstance(item, ir.Compare)
        and item.op == "="
        and isinstance(item.left, ir.Var)
        and _computes(item.right)
    }
    for c in rule.head.atom.constraints:
        if _computes(c.term) or (isinstance(c.term, ir.Var) and c.term.name in computed):
            report.error(
                "E0403",
                c.span or rule.span,
                f"`{label(rule.head.atom.relation)}` computes a new value from itself: it might never end",
                help="a recursive rule may only pass values on",
            )


def _computes(term: ir.Term | None) -> bool:
    return isinstance(term, ir.Fn) and term.name in ("+", "-", "*", "neg", "lower", "line", "flip")


def _report_cycle(bad: Edge, inner: list[Edge], report: Report) -> None:
    path = _path(bad.body, bad.head, inner)
    names = [bad.head, bad.body, *path]
    positive = {(edge.head, edge.body) for edge in inner if not edge.negative}
    chain = f"`{label(names[0])}` needs no `{label(names[1])}`" if len(names) > 1 else ""
    for left, right in pairwise(names[1:]):
        chain += f", `{label(left)}` needs {'' if (left, right) in positive else 'no '}`{label(right)}`"
    labels = [
        Label(edge.span, f"`{label(edge.head)}` depends on `{label(edge.body)}`")
        for edge in inner
        if edge.span and edge is not bad and edge.head in names and edge.body in names
    ][:3]
    report.error(
        "E0402",
        bad.span,
        f"`{label(bad.head)}` depends on its own absence",
        label="through this condition",
        labels=labels,
        help=chain,
    )


def _path(start: str, goal: str, inner: list[Edge]) -> list[str]:
    """A shortest way from `start` to `goal` along the edges, without `start`."""
    before: dict[str, str] = {start: ""}
    queue = [start]
    for node in queue:
        if node == goal:
            break
        for edge in inner:
            if edge.head == node and edge.body not in before:
                before[edge.body] = node
                queue.append(edge.body)
    path = [goal]
    while path[0] != start and before.get(path[0]):
        path.insert(0, before[path[0]])
    return path[1:] if path[0] == start else path


def label(relation: str) -> str:
    """A relation's name as its author wrote it."""
    name = screen_of(relation)
    if ":" in name:
        return "screen " + name.rpartition(":")[2]
    return name.rpartition(".")[2]
