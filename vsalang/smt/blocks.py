"""A state of the solver's as a `test` block: what is given and seen, what was done, the proposal, what is expected.

Whoever shows a block runs it first (`vsalang.guard.run_example`): what was done before has to be allowed by the guard
as well, which a state alone does not say.
"""

import datetime as dt
from collections import Counter

from vsalang.core.ir import Program, Relation
from vsalang.core.show import short_name, value_source
from vsalang.core.text import quote
from vsalang.core.vocabulary import screen_of
from vsalang.smt.results import Row, Unsupported, World

_GIVEN = ("state", "list", "observed")


def test_block(program: Program, world: World, name: str, expected: str) -> str:
    """The test in which the state's proposal gets the verdict that is expected (``allow``, ``block because licence``).

    Raises:
        Unsupported: the state is none that a test can begin with, or nothing is proposed in it.
    """
    if any(world.before.values()):
        raise Unsupported("a state before the inputs that is not the one after them")
    named = _Names(program)
    lines = [f"clock {world.today.isoformat()} {_time(world)}."]
    lines += [
        f"assume {quote(text)} {'~=' if answer else '!~='} {quote(constant)}."
        for text, constant, answer in world.similar
        if text != constant
    ]
    rows = {program.relation(name): sorted(found, key=repr) for name, found in sorted(world.rows.items())}
    for rel, found in rows.items():
        if any(row[rel.column(key)] is None for row in found for key in rel.identity):
            raise Unsupported(f"a row of `{rel.short}` of which it is not known which one it is")
        if rel.sort in _GIVEN and rel.name != "Clock":
            lines += [f"given {named.fact(rel, row)}." for row in found]
    for action, commits in sorted(world.commits.items()):
        lines += [f"attempt {named.fact(program.relation(action), commit.row)}." for commit in commits]
    lines += [f"observe screen {named.screen(screen)}." for screen in sorted(world.screens)]
    for rel, found in rows.items():
        if rel.sort == "view":
            lines += [f"observe {named.fact(rel, row)}." for row in found]
    for relation, patterns in sorted(world.complete.items()):
        rel = program.relation(relation)
        word = "complete" if rel.identity else "no"
        seen = bool(world.rows.get(relation)) and not rel.identity
        lines += [f"observe {word} {named.fact(rel, row)}." for row in sorted(patterns, key=repr) if not seen]
    lines.append(f"{_proposal(rows, named)}{'' if expected == 'allow' else f' => {expected}'}.")
    body = "".join(f"  {line}\n" for line in lines)
    return f"test {quote(name)} for {program.main} {{\n{body}}}\n"


def _proposal(rows: dict[Relation, list[Row]], named: "_Names") -> str:
    gestures = [(rel, row) for rel, found in rows.items() if rel.sort == "gesture" for row in found]
    actions = [(rel, row) for rel, found in rows.items() if rel.sort == "action" for row in found]
    if len(gestures) > 1 or not (gestures or actions):
        raise Unsupported("a state with no proposal, or with more than one")
    if gestures:
        return named.fact(*gestures[0])
    steps = ["finish" if rel.name == "finish" else f"attempt {named.fact(rel, row)}" for rel, row in actions]
    return steps[0] if len(steps) == 1 else f"step {{ {'. '.join(steps)}. }}"


def _time(world: World) -> str:
    for row in world.rows.get("Clock", ()):
        return next((value_source(cell, None) for cell in row if isinstance(cell, dt.time)), "12:00")
    return "12:00"


class _Names:
    """Names as short as they can be: with their module where two relations would be called the same."""

    def __init__(self, program: Program) -> None:
        self._often = Counter(short_name(name) for name in program.relations)

    def of(self, name: str) -> str:
        """A relation's name."""
        return short_name(name) if self._often[short_name(name)] == 1 else name

    def screen(self, name: str) -> str:
        """A screen's name."""
        short = screen_of(name).replace(":", ".")
        return short_name(name) if self._often[short_name(name)] == 1 else short

    def fact(self, rel: Relation, row: Row) -> str:
        """A row as a fact; cells that are unknown are left out."""
        cells = [
            f"{attr.name} = {value_source(cell, attr.type)}"
            for attr, cell in zip(rel.attrs, row, strict=True)
            if cell is not None
        ]
        return self.of(rel.name) + (f"({', '.join(cells)})" if cells else "")
