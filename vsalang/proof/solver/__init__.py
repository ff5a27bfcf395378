"""What holds in all states: analyses of core programs by Z3 (extra ``smt``).

>>> from vsalang.language.semantics import load_text
>>> from vsalang.proof.solver import Dead, analyse
>>> program = load_text('spec a "x"\\nallow answer(text = "1", text = "2").\\ndone when answer earlier.').program
>>> found = analyse(program, lambda world, rules: frozenset())
>>> [result.rule for result in found if isinstance(result, Dead)]
['a:1', 'a:2']

Nothing here imports Z3 before `analyse` runs, nor ever an engine: the interpreter is given as a function.
"""

from collections.abc import Callable, Iterator

from vsalang.program.ir import Program
from vsalang.proof.solver.results import (
    Alive,
    BlockedClause,
    Clash,
    Commit,
    Conflict,
    ContestedClause,
    CoveredClause,
    Dead,
    Disagreement,
    Early,
    ForbiddenClause,
    Missing,
    OpenPoint,
    Replay,
    Result,
    UnsupportedConstruct,
    Vacuous,
    World,
)

__all__ = [
    "Alive",
    "BlockedClause",
    "Clash",
    "Commit",
    "Conflict",
    "ContestedClause",
    "CoveredClause",
    "Dead",
    "Disagreement",
    "Early",
    "ForbiddenClause",
    "Missing",
    "OpenPoint",
    "Replay",
    "Result",
    "UnsupportedConstruct",
    "Vacuous",
    "World",
    "analyse",
]


def analyse(
    program: Program,
    replay: Replay,
    *,
    rows: int = 0,
    timeout: float = 10.0,
    progress: Callable[[str], None] | None = None,
) -> Iterator[Result]:
    """Ask every question of the main module and the policies in force.

    Dead rules, contracts that say nothing, effects that can conflict; of a spec then forbidden clauses, states in which
    a policy forbids what it allows, clauses that add nothing, ends that come too early, and missing branches.

    Args:
        program: checked.
        replay: which of the given rules hold in a world, by the interpreter.
        rows: how many rows a relation may have; 0: as many as each rule needs, up to 5.
        timeout: seconds for each question to the solver.
        progress: is told what is being looked at.

    Raises:
        Disagreement: the solver and the interpreter differ; one of them is wrong.
        ImportError: Z3 is not installed.
    """
    from vsalang.proof.solver.branches import missing_branches
    from vsalang.proof.solver.contested import contested_clauses
    from vsalang.proof.solver.contracts import vacuous_contracts
    from vsalang.proof.solver.covered import covered_clauses
    from vsalang.proof.solver.dead import Queries, analysed, dead_rule
    from vsalang.proof.solver.early import early_ends
    from vsalang.proof.solver.effects import conflicting_effects
    from vsalang.proof.solver.forbidden import forbidden_clauses

    tell = progress or (lambda text: None)
    modules = frozenset(name for name, info in program.modules.items() if info.kind == "policy") | {
        program.main
    }
    milliseconds = max(1, round(timeout * 1000))
    rules = analysed(program, modules)
    dead: set[str] = set()
    queries = Queries(program, rules, milliseconds)
    for number, rule in enumerate(rules, 1):
        tell(f"rule {number} of {len(rules)}: {rule.id}")
        answer = dead_rule(program, rule, rows=rows, timeout=milliseconds, replay=replay, queries=queries)
        if isinstance(answer, Dead):
            dead.add(rule.id)
        yield answer
    tell("contracts")
    yield from vacuous_contracts(program, modules, rows=rows, timeout=milliseconds)
    tell("effects")
    yield from conflicting_effects(program, replay, rows=rows, timeout=milliseconds)
    if program.modules[program.main].kind == "spec":
        tell("clauses that are forbidden")
        nothing = set(dead)
        for result in forbidden_clauses(program, rows=rows, timeout=milliseconds, dead=dead):
            nothing.add(result.rule)
            yield result
        tell("what policies forbid")
        yield from contested_clauses(program, replay, rows=rows, timeout=milliseconds, without=nothing)
        tell("clauses that add nothing")
        yield from covered_clauses(program, rows=rows, timeout=milliseconds, dead=dead)
        tell("ends that come too early")
        yield from early_ends(program, replay, rows=rows, timeout=milliseconds, without=nothing)
        tell("missing branches")
        yield from missing_branches(program, replay, rows=rows, timeout=milliseconds, dead=dead)
