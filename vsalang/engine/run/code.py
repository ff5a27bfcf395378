"""The generated code of a program as functions: made when a session first maintains something."""

import linecache
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from vsalang.engine.api import EngineError
from vsalang.engine.plan import CodeText, Plan

_LOCK: Final = threading.Lock()

Readers: TypeAlias = tuple[tuple[int, int, Callable[..., None]], ...]
"""Who is passed the changes of one alpha memory: node, sign, function(state, tuples, sign, out)."""


@dataclass(slots=True)
class Code:
    """The functions of a program.

    Attributes:
        filename: what tracebacks call the text.
        users: the readers of each alpha memory.
        full: for each node the functions(state, out) that find every derivation.
        support: for each table of a recursive component the functions(state, row, level) that look for a derivation
            from rows of lower levels.
        writers: for tables of at most one row, by table and column: the function(state, new row, old row) that updates
            the alpha memories which read the cell.
        inside: for each recursive component and each of its tables the alpha memories that its own rules read, with
            the functions to be called.
    """

    filename: str
    users: list[Readers]
    full: dict[int, tuple[Callable[..., None], ...]] = field(default_factory=dict)
    support: dict[int, tuple[Callable[..., bool], ...]] = field(default_factory=dict)
    writers: dict[tuple[int, int], Callable[..., None]] = field(default_factory=dict)
    inside: dict[int, dict[int, list[tuple[int, list[Callable[..., None]]]]]] = field(default_factory=dict)

    def __del__(self) -> None:
        if linecache is not None:  # the interpreter is not shutting down
            linecache.cache.pop(self.filename, None)


def code_of(plan: Plan, notify: Callable[..., None]) -> Code:
    """The code of a plan, made if there is none yet. Safe from any thread.

    Args:
        plan: of the program.
        notify: what generated code calls when a write changes an alpha memory.

    Raises:
        EngineError: the plan was not compiled to the end.
    """
    found: Code | None = plan.code
    if found is None:
        with _LOCK:
            found = plan.code
            if found is None:
                if plan.generate is None:
                    raise EngineError("the plan has no code generator: it was not compiled to the end")
                found = plan.code = _load(plan, plan.generate(plan), notify)
    return found


def _load(plan: Plan, made: CodeText, notify: Callable[..., None]) -> Code:
    """Run the text, and look up what its functions are for."""
    namespace: dict[str, Any] = {**made.constants, "notify": notify}
    exec(compile(made.text, made.filename, "exec"), namespace)
    linecache.cache[made.filename] = (
        len(made.text),
        None,
        made.text.splitlines(keepends=True),
        made.filename,
    )
    users: list[list[tuple[int, int, Callable[..., None]]]] = [[] for _ in plan.alphas]
    for alpha, node, sign, name in made.deltas:
        users[alpha].append((node, sign, namespace[name]))
    code = Code(made.filename, [tuple(found) for found in users])
    for place, name in made.writers.items():
        code.writers[place] = namespace[name]
    for node, name in made.full:
        code.full[node] = (*code.full.get(node, ()), namespace[name])
    for table, name in made.support:
        code.support[table] = (*code.support.get(table, ()), namespace[name])
    for node, net in plan.nets.items():
        if net.kind == "recursive":
            code.inside[node] = {
                table: [
                    (alpha, functions)
                    for alpha in plan.tables[table].alphas
                    if (functions := [each for user, _, each in code.users[alpha] if user == node])
                ]
                for table in plan.nodes[node].members
            }
    for number, name in made.alphas.items():
        plan.alphas[number].fn = namespace[name]
    return code
