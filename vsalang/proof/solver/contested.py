"""States in which a policy forbids what a clause permits, though something of the clause is left elsewhere."""

from collections.abc import Collection, Iterator

from vsalang.program.ir import Judge, License, Program, Rule
from vsalang.proof.solver.bodies import Reader
from vsalang.proof.solver.dead import licensing
from vsalang.proof.solver.query import NoAnswer, Query
from vsalang.proof.solver.results import ContestedClause, OpenPoint, Replay, UnsupportedConstruct
from vsalang.proof.solver.scan import MOST_ROWS, asks_other, occurrences, size
from vsalang.proof.solver.sorts import disj, neg
from vsalang.proof.solver.ways import Branch

WHAT = "whether a policy forbids it in some states"


def contested_clauses(
    program: Program,
    replay: Replay,
    *,
    rows: int = 0,
    timeout: int = 10_000,
    without: Collection[str] = (),
) -> Iterator[ContestedClause | OpenPoint]:
    """For each clause of the spec and each `deny` of a policy in force a state in which both hold, if there is one.

    The spec's own `deny` rules and those of apps are not asked: they say what the author of the spec knows.

    Args:
        replay: the interpreter; every state is put to it before it is given.
        rows: slots per relation; 0 makes as many as the rules' atoms need, up to `scan.MOST_ROWS`.
        timeout: milliseconds for each question to the solver.
        without: ids of rules of which nothing is asked: they never hold, or all that they permit is forbidden.

    Raises:
        Disagreement: in a state of the solver's the interpreter finds that one of the two does not hold.
    """
    denies = [
        rule
        for rule in program.rules
        if isinstance(rule.head, Judge)
        and rule.head.level == "deny"
        and program.modules[rule.module].kind == "policy"
        and rule.id not in without
    ]
    for clause in program.rules:
        if clause.module != program.main or clause.id in without or not isinstance(clause.head, License):
            continue
        if clause.head.atom.relation == "finish":
            continue
        for deny in denies:
            if asks_other(program, deny, clause.head.atom.relation):
                continue
            result: ContestedClause | OpenPoint | None
            try:
                result = _contested(program, clause, deny, replay, rows, timeout)
            except UnsupportedConstruct:
                continue  # said of the rule itself: it was not analysed
            except NoAnswer as error:
                result = error.undecided(clause.id, WHAT)
            if result is not None:
                yield result


def _contested(
    program: Program, clause: Rule, deny: Rule, replay: Replay, rows: int, timeout: int
) -> ContestedClause | None:
    assert isinstance(clause.head, License)
    slots = rows or min(size(program, clause).rows + size(program, deny).rows, MOST_ROWS)
    query = Query(program, [clause, deny], slots, timeout)
    holds = licensing(query, clause, [])
    ways = Reader(query.state, cut=[], counts=occurrences(deny)).body(deny.body, Branch({}))
    # one proposal may be two actions; what is forbidden then is the other one
    alone = [
        neg(slot.present)
        for (kind, name), made in query.state.made.items()
        if kind == "now" and program.relation(name).sort == "action"
        for number, slot in enumerate(made)
        if number or name != clause.head.atom.relation
    ]
    solver = query.solver([holds, disj([way.guard for way in ways]), *alone], realistic=True)
    world = query.of_both(solver, (clause.id, deny.id), replay)
    return ContestedClause(clause.id, deny.id, world) if world is not None else None
