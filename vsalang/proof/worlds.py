"""States that the solver made, put to the interpreter: which rules hold in them.

>>> from vsalang.proof.solver import analyse
>>> results = analyse(program, interpreter(program))
"""

import datetime as dt
from typing import TYPE_CHECKING, Any

from vsalang.base.names import DEFAULT_ENGINE, EngineName
from vsalang.engine import Opens
from vsalang.program.ir import Program

if TYPE_CHECKING:
    from vsalang.proof.solver import Replay, World


def interpreter(program: Program, engine: EngineName | Opens = DEFAULT_ENGINE) -> "Replay":
    """A function that says which of the given rules hold in a world, by one of the engines (or what a function opens).

    It raises `EngineError` where the engine cannot run the program or take the world.
    """

    def replay(world: "World", rules: tuple[str, ...]) -> frozenset[str]:
        session = session_at(program, world, engine)
        return frozenset(rule for rule in rules if session.answers(rule))

    return replay


def session_at(program: Program, world: "World", engine: EngineName | Opens = DEFAULT_ENGINE) -> Any:
    """A session of an engine at the world's moment, its commits made as long ago as the world says."""
    from vsalang.engine import Commit, Input, TimedRow, open_session
    from vsalang.program.similarity import AssumedPairs

    similarity = AssumedPairs(world.similar) if world.similar else None
    session = open_session(program, engine=engine, today=world.today, similarity=similarity)
    moment = dt.datetime.combine(world.today, dt.time(12, 0))
    clock = next(iter(world.rows.get("Clock", ())), None)
    if clock is not None:
        moment = dt.datetime.combine(
            clock[1] if isinstance(clock[1], dt.date) else world.today,
            clock[0] if isinstance(clock[0], dt.time) else dt.time(12, 0),
        )
    ages = sorted({commit.age for commits in world.commits.values() for commit in commits}, reverse=True)
    ledger: dict[str, list[Commit]] = {name: [] for name in world.commits}
    number = 0
    for point, age in enumerate(ages, 1):
        session.now(moment - age)
        for name, commits in world.commits.items():
            for commit in commits:
                if commit.age == age:
                    number += 1
                    ledger[name].append(Commit(number, point, commit.row))
            session.assign(Input(name, "commits"), ledger[name])
        session.point(point)
    session.now(moment)
    for name, rows in world.rows.items():
        session.assign(name, rows)
        if program.relation(name).sort == "list":  # all were seen at one time
            session.assign(Input(name, "last_seen"), [TimedRow(row, (len(ages) + 1,)) for row in rows])
    for name, rows in world.before.items():
        session.assign(Input(name, "before"), rows)
    for name, rows in world.complete.items():
        session.assign(Input(name, "complete"), rows)
    for name in world.screens:
        session.assign(Input(name, "shown"), [()])
    for name in world.spent:
        session.assign(Input(name, "exhausted"), [()])
    return session
