"""What possibly holds in a state that is given: as the guard asks it, of the answers of any engine."""

import datetime as dt

from tests.oracle import engine_of
from vsalang.base.names import EngineName
from vsalang.engine import Opens
from vsalang.engine.explain.definitions import Definitions
from vsalang.engine.explain.match import Facts, in_order
from vsalang.engine.explain.open_rows import Unread
from vsalang.engine.explain.supposing import Supposing
from vsalang.engine.explain.terms import Context
from vsalang.engine.pydatalog.backend import PyDatalogEvaluator
from vsalang.program.ir import Program
from vsalang.proof.solver import World
from vsalang.proof.worlds import session_at

NOON = dt.time(12)


def _here(engine: str) -> EngineName | Opens:
    """An engine in this process (what users get of pyDatalog lives in another one)."""
    return PyDatalogEvaluator if engine == "pydatalog" else engine_of(engine)  # type: ignore[return-value]


def supposing_at(program: Program, world: World, engine: str = "incremental") -> Supposing:
    """Who answers what possibly holds in a world; all that there is of its screen was read."""
    session = session_at(program, world, _here(engine))
    facts = Facts(
        program,
        Context(world.today, dt.datetime.combine(world.today, NOON)),
        in_order(session.rows),
        in_order(lambda name: world.before.get(name, ())),
        lambda name: world.complete.get(name, ()),
        lambda name: [commit.row for commit in world.commits.get(name, ())],
        lambda name: name in world.spent,
    )
    return Supposing(facts, Unread({}), Definitions(program))


def holds(program: Program, world: World, rule: str, engine: str = "incremental") -> bool:
    """Whether a rule that adds duty holds as the guard reads it: of what is known, or if something is supposed."""
    body = next(one.body for one in program.rules if one.id == rule)
    plain = session_at(program, world, _here(engine)).answers(rule)
    return bool(plain) or bool(supposing_at(program, world, engine).ways(body))
