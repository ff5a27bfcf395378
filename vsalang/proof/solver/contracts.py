"""Contracts that say nothing: what they expect can never be so, or is always so."""

from collections.abc import Iterator
from dataclasses import replace

from vsalang.program.ir import Expect, Program, Rule, Type, Var
from vsalang.program.walk import atoms, binds, outer_variables
from vsalang.proof.solver.bodies import Reader
from vsalang.proof.solver.query import NoAnswer, Query
from vsalang.proof.solver.results import OpenPoint, UnsupportedConstruct, Vacuous
from vsalang.proof.solver.scan import MOST_ROWS, occurrences, size
from vsalang.proof.solver.sorts import FALSE, disj, neg
from vsalang.proof.solver.ways import Branch

WHAT = "whether what it expects can be so, and can be otherwise"


def vacuous_contracts(
    program: Program, modules: frozenset[str], *, rows: int = 0, timeout: int = 10_000
) -> Iterator[Vacuous | OpenPoint]:
    """The contracts of these modules that can never be met, and those that are always met.

    What is expected is read after the action, its condition before: what the condition binds may be any values.

    Args:
        rows: slots per relation; 0 makes as many as the rules' atoms need, up to `scan.MOST_ROWS`.
        timeout: milliseconds for each question to the solver.
    """
    for rule in program.rules:
        if isinstance(rule.head, Expect) and rule.module in modules and rule.span is not None:
            try:
                result: Vacuous | OpenPoint | None = _vacuous(program, rule, rows, timeout)
            except UnsupportedConstruct as error:
                result = OpenPoint(rule.id, WHAT, "unsupported", str(error))
            except NoAnswer as error:
                result = error.undecided(rule.id, WHAT)
            if result is not None:
                yield result


def _vacuous(program: Program, rule: Rule, rows: int, timeout: int) -> Vacuous | None:
    assert isinstance(rule.head, Expect)
    expected = rule.head.literals
    alone = replace(rule, body=expected)
    needed = size(program, alone)
    slots = rows or min(needed.rows, MOST_ROWS)
    bound = None if needed.exact and slots >= needed.rows else slots
    query = Query(program, [alone], slots, timeout)
    types = _types(program, rule)
    names: frozenset[str] = frozenset().union(*map(binds, rule.body))
    env = {}
    for name in sorted(names & frozenset().union(*map(outer_variables, expected))):
        if name not in types:
            return None
        env[name] = replace(query.state.cell(f"given {name}", types[name], known=True), none=FALSE)
    cut: list[str] = []
    for tracker in (query.tracker, None):
        reader = Reader(query.state, tracker=tracker, cut=cut, counts=occurrences(alone))
        ways = disj(way.guard for way in reader.body(expected, Branch(env, used={} if tracker else None)))
        if cut:
            return None
        solver = query.solver([ways if tracker else neg(ways)])
        marks = [mark for mark, _ in query.tracker.marks.values()]
        if not query.check(solver, marks):
            if not tracker:
                return Vacuous(rule.id, True, (), bound)
            clashes = tuple(query.tracker.marks[str(mark)][1] for mark in query.core(solver, marks))
            return Vacuous(rule.id, False, clashes, bound)
    return None


def _types(program: Program, rule: Rule) -> dict[str, Type]:
    """The types of the variables that cells give values to."""
    return {
        c.term.name: program.relation(atom.relation).attr(c.attr).type
        for atom in atoms(rule.body)
        for c in atom.constraints
        if c.op == "=" and isinstance(c.term, Var)
    }
