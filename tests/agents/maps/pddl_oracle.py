"""Whether what we print is PDDL: the parser of the package `pddl` (MIT) says it."""

import importlib.util
from functools import cache
from typing import Any

import pytest

needs_planner = pytest.mark.skipif(
    importlib.util.find_spec("up_fast_downward") is None,
    reason="Fast Downward is not installed: vsalang[pddl]",
)


@cache
def _parsers() -> tuple[Any, Any]:
    from pddl.parser.domain import DomainParser
    from pddl.parser.problem import ProblemParser

    return DomainParser(), ProblemParser()


def oracle(domain: str, problem: str) -> None:
    """Read a domain and a problem.

    That parser wants `:numeric-fluents` where costs differ; by PDDL 3.1 `:action-costs` is enough, and Fast Downward
    does not know the other word.
    """
    pytest.importorskip("pddl")
    domains, problems = _parsers()
    read = domains(domain.replace(":action-costs", ":action-costs :numeric-fluents"))
    assert problems(problem).domain_name == read.name
