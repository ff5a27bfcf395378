"""Tasks that may be finished by what a screen happens to show, though nothing was done and something could be.

What is lasting is another matter: an alarm that is set already need not be set again.
"""

from collections.abc import Collection, Iterator

from vsalang.program.ir import License, Program, Rule
from vsalang.program.walk import relations
from vsalang.proof.solver.dead import licensing
from vsalang.proof.solver.query import NoAnswer, Query
from vsalang.proof.solver.results import Early, OpenPoint, Replay, UnsupportedConstruct
from vsalang.proof.solver.scan import MOST_ROWS, size, spent_by, with_definitions
from vsalang.proof.solver.sorts import neg

WHAT = "whether the task may be finished before what it allows was done"


def early_ends(
    program: Program,
    replay: Replay,
    *,
    rows: int = 0,
    timeout: int = 10_000,
    without: Collection[str] = (),
) -> Iterator[Early | OpenPoint]:
    """For each `done` of the spec that depends only on what a screen shows, a state in which it holds,
    nothing was done, and an `allow` still applies.

    Where no `allow` applies the task is over because there is nothing to do; that is as it should be.

    Args:
        replay: the interpreter; every state is put to it before it is given.
        rows: slots per relation; 0 makes as many as the rules' atoms need, up to `scan.MOST_ROWS`.
        timeout: milliseconds for each question to the solver.
        without: ids of rules of which nothing is asked: they never hold, or all that they permit is forbidden.

    Raises:
        Disagreement: in a state of the solver's the interpreter finds that one of the two does not hold.
    """
    clauses = [
        rule
        for rule in program.rules
        if isinstance(rule.head, License) and rule.module == program.main and rule.id not in without
    ]
    ends = [
        rule
        for rule in clauses
        if _action(rule) == "finish" and rule.span and _reads_screen_only(program, rule)
    ]
    for end in ends:
        for clause in clauses:
            if _action(clause) == "finish":
                continue
            try:
                result: Early | OpenPoint | None = _early(program, end, clause, replay, rows, timeout)
            except UnsupportedConstruct:
                continue  # said of the rule itself: it was not analysed
            except NoAnswer as error:
                result = error.undecided(end.id, WHAT)
            if result is not None:
                yield result
                break


def _action(rule: Rule) -> str:
    assert isinstance(rule.head, License)
    return rule.head.atom.relation


def _reads_screen_only(program: Program, rule: Rule) -> bool:
    """Whether all that a clause reads is what a screen shows."""
    read = relations(tuple(r.body for r in with_definitions(program, [rule])))
    sorts = {program.relations[name].sort for name in read} - {"derived"}
    return bool(sorts) and sorts <= {"view", "observed", "screen"} and not spent_by([rule])


def _early(
    program: Program, end: Rule, clause: Rule, replay: Replay, rows: int, timeout: int
) -> Early | None:
    slots = rows or min(size(program, end).rows + size(program, clause).rows, MOST_ROWS)
    query = Query(program, [end, clause], slots, timeout)
    holds = [licensing(query, rule, []) for rule in (end, clause)]
    nothing = [
        neg(slot.present)
        for (kind, _), made in query.state.made.items()
        if kind == "commits"
        for slot in made
    ]
    idle = [neg(flag) for flag in query.state.spent_flags.values()]
    solver = query.solver([*holds, *nothing, *idle], realistic=True)
    world = query.of_both(solver, (end.id, clause.id), replay)
    return Early(end.id, clause.id, world) if world is not None else None
