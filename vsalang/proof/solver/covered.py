"""Clauses that add nothing: whatever one permits, other clauses of the same kind permit as well."""

from collections.abc import Collection, Iterator

import z3

from vsalang.program.ir import License, Program, Rule
from vsalang.proof.solver.dead import licensing
from vsalang.proof.solver.query import NoAnswer, Query
from vsalang.proof.solver.results import CoveredClause, OpenPoint, UnsupportedConstruct
from vsalang.proof.solver.scan import MOST_ROWS, size
from vsalang.proof.solver.sorts import disj, neg

WHAT = "whether other clauses permit all that it permits"


def covered_clauses(
    program: Program, *, rows: int = 0, timeout: int = 10_000, dead: Collection[str] = ()
) -> Iterator[CoveredClause | OpenPoint]:
    """The clauses of the main spec that others cover, each with these.

    Only clauses that share one licence, or need none, are asked: `done`, `allow each`, `allow either`. Of any others
    each has a number of its own.

    Args:
        rows: slots per relation; 0 makes as many as the rules' atoms need, up to `scan.MOST_ROWS`.
        timeout: milliseconds for each question to the solver.
        dead: ids of rules that can never hold; nothing is said of them.
    """
    reported: set[str] = set()
    for rule in program.rules:
        others = [
            other for other in rivals(program, rule) if other.id not in dead and other.id not in reported
        ]
        if rule.module != program.main or rule.id in dead or not others:
            continue
        try:
            result = _covered(program, rule, others, rows, timeout)
        except UnsupportedConstruct:
            continue  # said of the rule itself: it was not analysed
        except NoAnswer as error:
            yield error.undecided(rule.id, WHAT)
            continue
        if result is not None:
            reported.add(rule.id)  # of two that say the same one is left
            yield result


def rivals(program: Program, rule: Rule) -> list[Rule]:
    """The other clauses of a spec that are charged to the licence that a clause is charged to."""
    head = rule.head
    if not isinstance(head, License) or rule.span is None:
        return []
    if head.atom.relation != "finish" and head.quota.kind not in ("each", "either"):
        return []
    return [
        other
        for other in program.rules
        if other.id != rule.id
        and other.module == rule.module
        and isinstance(other.head, License)
        and other.head.atom.relation == head.atom.relation
        and other.head.quota.kind == head.quota.kind
    ]


def _covered(
    program: Program, rule: Rule, others: list[Rule], rows: int, timeout: int
) -> CoveredClause | None:
    sizes = [size(program, item) for item in (rule, *others)]
    needed = sum(one.rows for one in sizes)
    slots = rows or min(needed, MOST_ROWS)
    bound = None if all(one.exact for one in sizes) and slots >= needed else slots
    query = Query(program, [rule, *others], slots, timeout)
    cut: list[str] = []
    holds = licensing(query, rule, cut)
    marks, formulas = [], []
    for number, other in enumerate(others):
        mark = z3.Bool(f"without {number}")
        marks.append(mark)
        formulas.append(disj([neg(mark), neg(licensing(query, other, cut, tracked=False))]))
    if cut:
        return None
    solver = query.solver([holds, *formulas])
    conditions = [mark for mark, _ in query.tracker.marks.values()]
    if query.check(solver, [*conditions, *marks]):
        return None
    core = query.core(solver, [*conditions, *marks])
    by = tuple(
        other.id for mark, other in zip(marks, others, strict=True) if any(mark.eq(one) for one in core)
    )
    return CoveredClause(rule.id, by, bound) if by else None
