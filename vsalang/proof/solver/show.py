"""Conditions and states as they stand in `.vsa` source."""

import datetime as dt
from collections.abc import Iterable

from vsalang.program.example import near
from vsalang.program.ir import Constraint, Literal, Program, Relation
from vsalang.program.show import Notation, row_source, short_name
from vsalang.program.values import show
from vsalang.proof.solver.results import Row, World

WRITTEN = Notation(implied=False)
"""Prints conditions as their author wrote them: without what the checker put in."""


def condition(item: Literal | Constraint) -> str:
    """A literal or constraint as it stands in a file."""
    return WRITTEN.constraint(item) if isinstance(item, Constraint) else WRITTEN.condition(item)


# ---------------------------------------------------------------- states


def fact(rel: Relation, row: Row, today: dt.date) -> str:
    """A row as a fact; cells that are unknown are left out."""
    cells = zip((attr.name for attr in rel.attrs), row, strict=True)
    return row_source(rel, {name: near(cell, today) for name, cell in cells if cell is not None})


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
