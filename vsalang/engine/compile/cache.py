"""Compiled programs, shared by all sessions of a program: one plan each, the latest used are kept.

Many small specs of one app share what is compiled of the app, too. Everything is kept in memory only: a plan is made
of functions, and functions are not read from files.
"""

import threading
from collections import OrderedDict
from typing import Final

from vsalang.engine.compile.context import Context
from vsalang.engine.compile.program import compile_program, compile_rules, shared_part
from vsalang.engine.plan import Plan
from vsalang.program.ir import Program

MOST: Final = 64
"""So many plans are kept; sessions keep theirs alive longer."""

MOST_BASES: Final = 8
"""So many sets of apps are kept compiled; one is a few megabytes."""

_LOCK: Final = threading.Lock()
_PLANS: "OrderedDict[str, list[Plan]]" = OrderedDict()
_BASES: list[Context] = []
"""The latest used last."""


def plan_of(program: Program) -> Plan:
    """The plan of a program, compiled if no plan of an equal program is kept.

    Programs are looked up by their hash and then compared: two programs that differ never share a plan, whatever
    their hashes say. Safe from any thread.

    Raises:
        EngineError: the program is not stratified, or a body is not safe.
    """
    with _LOCK:
        cached_plans = _PLANS.get(program.digest, [])
        for plan in cached_plans:
            if plan.program is program or plan.program == program:
                _PLANS.move_to_end(program.digest)
                return plan
        plan = compile_program(program, _base(program))
        plans = _PLANS.setdefault(program.digest, [])
        plans.append(plan)
        del plans[:-4]
        _PLANS.move_to_end(program.digest)
        while len(_PLANS) > MOST:
            _PLANS.popitem(last=False)
        return plan


def _base(program: Program) -> Context | None:
    """What is compiled of the apps and modules of a program, shared by all programs in which these are the same."""
    part = shared_part(program)
    if part is None:
        return None
    for number, base in enumerate(_BASES):
        # rule by rule and relation by relation: what is equal by its hash only is not shared
        if base.program.rules == part.rules and base.program.relations == part.relations:
            _BASES.append(_BASES.pop(number))
            return base
    base = compile_rules(part)
    _BASES.append(base)
    del _BASES[:-MOST_BASES]
    return base


def forget() -> None:
    """Keep no plan any longer."""
    with _LOCK:
        _PLANS.clear()
        _BASES.clear()
