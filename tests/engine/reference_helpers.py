"""Short ways to ask the reference evaluator, for tests written by hand."""

import datetime as dt
from typing import Any

from tests.engine.worlds import (
    NOON,
    TODAY,
    a,
    allow,
    ask,
    program,
)
from tests.oracle import ReferenceEvaluator
from vsalang.program.ir import (
    Literal,
    Rule,
)

MIN = dt.timedelta(minutes=1)


def start(*rules: Rule, derived: Any = None, **slots: Any) -> ReferenceEvaluator:
    engine = ReferenceEvaluator(program(*rules, derived=derived), today=TODAY)
    engine.now(NOON)
    fill(engine, **slots)
    return engine


def fill(engine: ReferenceEvaluator, **slots: Any) -> None:
    for name, rows in slots.items():
        engine.assign(name.replace("_", " "), rows)


def values(engine: ReferenceEvaluator, rule: str = "ask") -> set[Any]:
    return {answer.values for answer in engine.answers(rule)}


def asked(*body: Literal, derived: Any = None, rules: tuple[Rule, ...] = (), **slots: Any) -> set[Any]:
    return values(start(ask(*body), *rules, derived=derived, **slots))


def certain(*body: Literal, derived: Any = None, rules: tuple[Rule, ...] = (), **slots: Any) -> bool:
    engine = start(allow(a("finish"), *body), *rules, derived=derived, finish=[()], **slots)
    return bool(engine.answers("allow"))


YES = {()}
NO: set[Any] = set()
