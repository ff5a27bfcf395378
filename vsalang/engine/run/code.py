"""The generated code of a program as functions: each part is made when a session first needs it.

Most strata of a large program are never maintained, and their code is never made.
"""

import linecache
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from vsalang.engine.api import EngineError
from vsalang.engine.plan import CodePart, CodeText, Plan, StratumNet
from vsalang.engine.steps import Anti, Join

_LOCK: Final = threading.RLock()

Readers: TypeAlias = tuple[tuple[int, int, Callable[..., None], tuple[int, ...]], ...]
"""Who is passed the changes of one alpha memory: stratum, sign, function(state, tuples, sign, out), and the alpha
memories that the function joins."""
Writer: TypeAlias = Callable[..., None]


@dataclass(slots=True)
class Code:
    """The functions of a program, as far as they were needed.

    Attributes:
        notify: what generated code calls when a write changes an alpha memory.
        users: the readers of each alpha memory, in order of the strata.
        tallies: for each table whose rows are counted the strata, with the function(state, added, removed, out) that is
            passed its changes.
        full: for each stratum the functions(state, out) that find every derivation.
        support: for each table of a recursive component the functions(state, row, level) that look for a derivation
            from rows of lower levels.
        writers: for tables of at most one row, by table and column: the function(state, new row, old row) that updates
            the alpha memories which read the cell; None if none does. What is missing was not asked for (`writer_of`).
        inside: for each recursive component and each of its tables the alpha memories that its own rules read, with
            the functions to be called.
        alphas: the alpha memories whose functions are code already.
        filenames: what tracebacks call the texts.
    """

    notify: Callable[..., None]
    users: list[Readers]
    tallies: dict[int, tuple[tuple[int, Callable[..., None]], ...]] = field(default_factory=dict)
    full: dict[int, tuple[Callable[..., None], ...]] = field(default_factory=dict)
    support: dict[int, tuple[Callable[..., bool], ...]] = field(default_factory=dict)
    writers: dict[tuple[int, int], Writer | None] = field(default_factory=dict)
    inside: dict[int, dict[int, list[tuple[int, list[Callable[..., None]]]]]] = field(default_factory=dict)
    alphas: set[int] = field(default_factory=set)
    filenames: list[str] = field(default_factory=list)

    def __del__(self) -> None:
        if linecache is not None:  # the interpreter is not shutting down
            for filename in self.filenames:
                linecache.cache.pop(filename, None)


def code_of(plan: Plan, notify: Callable[..., None], stratum: int) -> Code:
    """The code of a plan, with that of a stratum that can be maintained. Safe from any thread.

    Args:
        plan: of the program.
        notify: what generated code calls when a write changes an alpha memory.
        stratum: whose code must be there.

    Raises:
        EngineError: the plan was not compiled to the end.
    """
    code: Code | None = plan.code
    if code is None or stratum not in code.full:
        with _LOCK:
            code = plan.code
            if code is None:
                code = Code(notify, [()] * len(plan.alphas))
            if stratum not in code.full:
                _add_stratum(plan, code, stratum)
            plan.code = code
    return code


def writer_of(plan: Plan, code: Code, table: int, column: int) -> Writer | None:
    """The function that updates the alpha memories which read a cell; None if none does. Safe from any thread."""
    cell = (table, column)
    with _LOCK:
        if cell not in code.writers:
            readers = (plan.alphas[index].columns for index in plan.tables[table].alphas)
            if any(columns is None or column in columns for columns in readers):
                _add(plan, code, CodePart(cells=[cell], name=f"cell {table}.{column}"))
            else:
                code.writers[cell] = None
        return code.writers[cell]


def _add_stratum(plan: Plan, code: Code, stratum: int) -> None:
    net = plan.nets[stratum]
    alphas = sorted(set(_alphas(net)) - code.alphas)
    code.alphas.update(alphas)
    namespace, made = _add(plan, code, CodePart(alphas=alphas, strata=[stratum], name=f"stratum {stratum}"))
    for alpha, user, sign, name, joined in made.deltas:
        readers = [*code.users[alpha], (user, sign, namespace[name], joined)]
        code.users[alpha] = tuple(sorted(readers, key=lambda reader: reader[0]))
    for table, user, name in made.tallies:
        code.tallies[table] = (*code.tallies.get(table, ()), (user, namespace[name]))
    for table, name in made.support:
        code.support[table] = (*code.support.get(table, ()), namespace[name])
    if net.kind == "recursive":
        code.inside[stratum] = {
            table: [
                (alpha, functions)
                for alpha in plan.tables[table].alphas
                if (functions := [each for user, _, each, _ in code.users[alpha] if user == stratum])
            ]
            for table in plan.strata[stratum].members
        }
    code.full[stratum] = tuple(
        namespace[name] for _, name in made.full
    )  # last: others may look without the lock


def _alphas(net: StratumNet) -> Iterator[int]:
    """The alpha memories that the code of a stratum reads."""
    for rule in net.rules:
        bodies = [
            rule.body,
            *(delta.body for delta in rule.deltas),
            *([rule.support] if rule.support else []),
        ]
        for body in bodies:
            yield from (step.alpha for step in body.steps if isinstance(step, Join | Anti))


def _add(plan: Plan, code: Code, part: CodePart) -> tuple[dict[str, Any], CodeText]:
    """Run the text of a part."""
    if plan.generate is None:
        raise EngineError("the plan has no code generator: it was not compiled to the end")
    made = plan.generate(plan, part)
    namespace: dict[str, Any] = {**made.constants, "notify": code.notify}
    exec(compile(made.text, made.filename, "exec"), namespace)
    lines = made.text.splitlines(keepends=True)
    linecache.cache[made.filename] = (len(made.text), None, lines, made.filename)
    code.filenames.append(made.filename)
    for place, name in made.writers.items():
        code.writers[place] = namespace[name]
    for number, name in made.alphas.items():
        plan.alphas[number].fn = namespace[name]
    return namespace, made
