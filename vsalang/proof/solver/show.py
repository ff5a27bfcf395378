"""Conditions and states as they stand in `.vsa` source."""

import datetime as dt
from collections.abc import Iterable

from vsalang.program import ir
from vsalang.program.ir import Constraint, Literal, Program, Relation, Type
from vsalang.program.show import Notation, short_name, value_source
from vsalang.program.values import Value, show
from vsalang.proof.solver.results import Row, World

WRITTEN = Notation(implied=False)
"""Prints conditions as their author wrote them: without what the checker put in."""


def value(item: Value | None, kind: Type, today: dt.date | None = None) -> str:
    """A value as it is written; dates near `today` by it."""
    if isinstance(item, dt.date) and today is not None:
        days = (item - today).days
        if abs(days) <= 31:
            return "today" if days == 0 else f"today {'+' if days > 0 else '-'} {abs(days)}d"
    return "unknown" if item is None else value_source(item, kind)


def condition(item: Literal | Constraint) -> str:
    """A literal or constraint as it stands in a file."""
    return WRITTEN.constraint(item) if isinstance(item, Constraint) else WRITTEN.condition(item)


def head(rule: ir.Rule) -> str:
    """What a rule does, as people call it: ``allow Reserve``, ``done``, ``deny``."""
    match rule.head:
        case ir.License(atom) if atom.relation != "finish":
            return f"allow {short_name(atom.relation)}"
        case ir.Judge(level):
            return level
        case ir.Expect():
            return "expect"
        case other:
            return WRITTEN.head(other).partition("(")[0]


# ---------------------------------------------------------------- states


def fact(rel: Relation, row: Row, today: dt.date) -> str:
    """A row as a fact; cells that are unknown are left out."""
    cells = [
        f"{attr.name} = {value(cell, attr.type, today)}"
        for attr, cell in zip(rel.attrs, row, strict=True)
        if cell is not None
    ]
    return rel.short + (f"({', '.join(cells)})" if cells else "")


def state(program: Program, world: World) -> tuple[str, ...]:
    """A state as the steps of a test: what was done, what is believed, what is seen."""
    lines: list[str] = []
    for name, commits in sorted(world.commits.items()):
        lines += [f"attempt {fact(program.relation(name), commit.row, world.today)}." for commit in commits]
    lines += [f"observe screen {short_name(name)}." for name in sorted(world.screens)]
    for name, rows in sorted(world.rows.items()):
        rel = program.relation(name)
        believed = rel.sort in ("state", "view", "list", "observed", "derived")
        word = "given" if rel.sort == "state" else "observe" if believed else "attempt"
        word = "" if name == "finish" else f"{word} "
        lines += [f"{word}{text}." for text in _facts(rel, rows, world.today)]
    for name, rows in sorted(world.before.items()):
        lines += [f"before: {text}." for text in _facts(program.relation(name), rows, world.today)]
    for name, rows in sorted(world.complete.items()):
        if any(set(row) == {None} for row in rows):
            lines.append(f"// all of {short_name(name)} was seen")
            continue
        lines += [f"observe complete {text}." for text in _facts(program.relation(name), rows, world.today)]
    lines += [
        f"assume {show(text)} {'~=' if answer else '!~='} {show(constant)}."
        for text, constant, answer in world.similar
    ]
    return tuple(lines)


def _facts(rel: Relation, rows: Iterable[Row], today: dt.date) -> list[str]:
    return sorted(fact(rel, row, today) for row in rows)
