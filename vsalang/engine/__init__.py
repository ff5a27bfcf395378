"""The engine: evaluators of core programs behind one interface (`vsalang.engine.api`).

The incremental evaluator decides; pyDatalog is a second, complete back end. What both are held to is the reference
evaluator of the tests (`tests.oracle`).

>>> import datetime as dt
>>> from vsalang.program.ir import TEXT, Atom, Attr, Constraint, Judge, Lit, Program, Relation, Rule, Var
>>> name = Relation("Open", "view", (Attr("name", TEXT),))
>>> rule = Rule("W1", Judge("warn", ("open: ", Var("n"))), (Lit(Atom("Open", (Constraint("name", "=", Var("n")),))),))
>>> session = open_session(Program("p", {}, {"Open": name}, (rule,), ""), today=dt.date(2026, 4, 1))
>>> session.assign("Open", [("Settings",)])
>>> [answer.values for answer in session.answers("W1")]
[('Settings',)]
>>> savepoint = session.savepoint()
>>> session.assign("Open", [])
>>> session.answers("W1")
frozenset()
>>> session.rollback(savepoint)
>>> session.rows("Open")
frozenset({('Settings',)})
"""

import datetime as dt

from vsalang.base.names import DEFAULT_ENGINE, ENGINES, FORMER_ENGINES, EngineName
from vsalang.engine.api import (
    Answer,
    Budget,
    BudgetExceeded,
    Commit,
    EngineError,
    Evaluator,
    Input,
    Opens,
    Row,
    TimedRow,
)
from vsalang.program.ir import Program
from vsalang.program.similarity import Similarity

__all__ = [
    "Answer",
    "Budget",
    "BudgetExceeded",
    "Commit",
    "EngineError",
    "Evaluator",
    "Input",
    "Opens",
    "Row",
    "TimedRow",
    "open_session",
]


def open_session(
    program: Program,
    *,
    engine: EngineName | Opens = DEFAULT_ENGINE,
    today: dt.date,
    similarity: Similarity | None = None,
    budget: Budget | None = None,
) -> Evaluator:
    """A new session of an evaluator. Sessions share nothing but the program.

    Args:
        program: a checked program.
        engine: ``incremental`` decides; ``pydatalog`` needs the extra of that name and lives in a process of its own,
            which is ended when it does not answer in time. A function opens an evaluator of the caller's.
        today: the day of the instruction.
        similarity: who answers ``~=``; default: `vsalang.program.similarity.DEFAULT`.
        budget: bounds on rows, past bindings and derivation steps; default: `Budget()`.

    Raises:
        EngineError: no such engine, its package is not installed, or the program cannot be evaluated.
    """
    bounds = budget or Budget()
    if callable(engine):
        return engine(program, today=today, similarity=similarity, budget=bounds)
    if engine == "incremental":
        from vsalang.engine.incremental import IncrementalEvaluator

        return IncrementalEvaluator(program, today=today, similarity=similarity, budget=bounds)
    if engine == "pydatalog":
        from vsalang.engine.pydatalog.worker import PyDatalogWorker

        return PyDatalogWorker(program, today=today, similarity=similarity, budget=bounds)
    raise EngineError(_unknown(engine))


def _unknown(name: object) -> str:
    former = f"; {FORMER_ENGINES[name]}" if isinstance(name, str) and name in FORMER_ENGINES else ""
    return f"there is no engine {name!r}: {', '.join(ENGINES[:-1])} or {ENGINES[-1]}{former}"
