"""Clauses in vain: whatever an `allow` permits, a `deny` of the spec, a policy or an app forbids."""

from collections.abc import Collection, Iterator
from typing import Any

import z3

from vsalang.program.ir import Judge, License, Program, Rule
from vsalang.program.polarity import polarity
from vsalang.proof.solver.bodies import Reader
from vsalang.proof.solver.dead import licensing
from vsalang.proof.solver.query import NoAnswer, Query
from vsalang.proof.solver.results import ForbiddenClause, OpenPoint, UnsupportedConstruct
from vsalang.proof.solver.scan import MOST_ROWS, asks_other, occurrences, size
from vsalang.proof.solver.sorts import disj, neg
from vsalang.proof.solver.ways import MODE_OF, Branch

WHAT = "whether something that it allows is not forbidden"


def forbidden_clauses(
    program: Program, *, rows: int = 0, timeout: int = 10_000, dead: Collection[str] = ()
) -> Iterator[ForbiddenClause | OpenPoint]:
    """The clauses of the main spec of which nothing is left, each with the `deny` rules that together forbid it all.

    A `deny` that the solver cannot read, or not to the end of a recursion, is left out, and so is one that asks for
    another action: without them fewer clauses are found to be forbidden, never more.

    Args:
        rows: slots per relation; 0 makes as many as the rules' atoms need, up to `scan.MOST_ROWS`.
        timeout: milliseconds for each question to the solver.
        dead: ids of rules that can never hold; nothing is said of them.
    """
    denies = [r for r in program.rules if isinstance(r.head, Judge) and r.head.level == "deny" and r.span]
    if not denies:
        return
    for rule in program.rules:
        if rule.module != program.main or rule.id in dead or not isinstance(rule.head, License):
            continue
        if rule.head.atom.relation == "finish" or rule.span is None:
            continue
        try:
            near = [deny for deny in denies if not asks_other(program, deny, rule.head.atom.relation)]
            result = _forbidden(program, rule, near, rows, timeout) if near else None
        except UnsupportedConstruct:
            continue  # said of the rule itself: it was not analysed
        except NoAnswer as error:
            result = error.undecided(rule.id, WHAT)
        if result is not None:
            yield result


def _forbidden(
    program: Program, rule: Rule, denies: list[Rule], rows: int, timeout: int
) -> ForbiddenClause | OpenPoint | None:
    sizes = [size(program, item) for item in (rule, *denies)]
    needed = sum(one.rows for one in sizes)
    slots = rows or min(needed, MOST_ROWS)
    bound = None if all(one.exact for one in sizes) and slots >= needed else slots
    query = Query(program, [rule, *denies], slots, timeout)
    cut: list[str] = []
    holds = licensing(query, rule, cut)
    spared: list[tuple[Any, Rule]] = []
    formulas = []
    for number, deny in enumerate(denies):
        inner: list[str] = []
        try:
            mode = MODE_OF[polarity(deny)]
            reader = Reader(query.state, mode=mode, cut=inner, counts=occurrences(deny))
            ways = reader.body(deny.body, Branch({}))
        except UnsupportedConstruct:
            continue
        if inner:
            continue
        mark = z3.Bool(f"spared {number}")
        spared.append((mark, deny))
        formulas.append(disj([neg(mark), neg(disj([way.guard for way in ways]))]))
    if cut or not spared:
        return None
    solver = query.solver([holds, *formulas])
    clashes = [mark for mark, _ in query.tracker.marks.values()]
    if not query.check(solver, clashes):
        return None  # it can never hold by itself: a dead rule is said to be dead
    marks = [mark for mark, _ in spared]
    if query.check(solver, [*clashes, *marks]):
        return None
    core = query.core(solver, [*clashes, *marks])
    guilty = tuple(deny.id for mark, deny in spared if any(mark.eq(one) for one in core))
    return ForbiddenClause(rule.id, guilty, bound) if guilty else None
