"""Permission never grows by not looking: what a licence certainly answers holds plainly however the unseen turns out.

A small world leaves cells unknown and relations incomplete. A completion gives every unknown cell a value and adds rows
that could have been unseen. Whatever the certain reading answers in the world must hold, plainly read, in all of them.
"""

import datetime as dt
import itertools
import os
import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from tests.engine.agreeing import evaluator
from tests.engine.generators import (
    BASE,
    BELIEVED,
    VALUES,
    completeness,
    last_seen,
    programs,
    rows_of,
    slots_used,
    wrapped,
)
from tests.engine.worlds import NOON, a, allow, c, first, listing, program
from tests.thorough import times
from vsalang.engine.api import Commit, Evaluator, TimedRow
from vsalang.program.ir import Constraint, Judge, License, Lit, Program, Relation, Rule, Var
from vsalang.program.values import NONE
from vsalang.program.walk import parts

EXAMPLES = int(os.environ.get("VSALANG_EXAMPLES", times(25, 150)))
COMPLETIONS = 60
ENGINES = ("reference", "incremental")

World = dict[str, list[Any]]

# what an unseen cell may hold: the values that programs mention, one that they do not, and none
MORE: dict[str, list[Any]] = {
    "Number": [9],
    "Text": ["zz 7"],
    "Bool": [],
    "Date": [dt.date(2027, 1, 1)],
    "Time": [dt.time(23, 30)],
    "Duration": [dt.timedelta(days=2)],
    "enum": [],
    "set": [frozenset({"zz"})],
}


def options(rel: Relation, attr: str) -> list[Any]:
    kind = rel.attr(attr).type.kind
    if attr == "at":
        return [1, 2, 3, 4]
    return [*VALUES[kind], *MORE[kind], NONE]


@st.composite
def worlds(draw: Any, made: Program) -> World:
    """Rows of what the program reads, some of it complete; commits; proposals."""
    found: World = {"finish": [()], "Pay": draw(rows_of(BASE["Pay"], most=2))}
    for name in slots_used(made):
        found[name] = draw(rows_of(BASE[name], most=2, unknown=15))
        if name in BELIEVED and draw(st.integers(0, 3)):
            found[f"complete {name}"] = draw(completeness(BASE[name]))
        if BASE[name].sort == "list":
            found[f"seen {name}"] = draw(last_seen(found[name]))
    commits = draw(rows_of(BASE["Pay"], most=2))
    found["commits Pay"] = [Commit(number, number, row) for number, row in enumerate(commits, 1)]
    return found


# ---------------------------------------------------------------- completions


def keys_of(rel: Relation, row: tuple[Any, ...]) -> list[tuple[Any, ...]]:
    """What no two rows of the relation share."""
    if rel.name == "Node":
        return [(row[0],)]
    keys = [("identity", *(row[rel.column(name)] for name in rel.identity))]
    if rel.sort == "list":
        keys.append(("place", *(row[rel.column(name)] for name in (*rel.within, "at"))))
    return keys


def consistent(rel: Relation, rows: list[tuple[Any, ...]]) -> bool:
    keys = [key for row in rows for key in set(keys_of(rel, row))]
    return len(keys) == len(set(keys))


def may_be_unseen(world: World, rel: Relation, row: tuple[Any, ...]) -> bool:
    """Whether nothing says that the relation is complete for this row."""
    covered = any(
        all(cell is None or cell == mine for cell, mine in zip(given, row, strict=True))
        for given in world.get(f"complete {rel.name}", [])
    )
    return not covered


def extra_rows(world: World, rel: Relation, rng: random.Random) -> list[tuple[Any, ...]]:
    """Up to two rows that nobody saw."""
    if rel.name in ("App", "Goto", "Clock") or rel.sort == "gesture":
        return []
    single = rel.sort in ("state", "view") and not rel.key
    count = rng.choice([0, 1] if single else [0, 1, 1, 2])
    if single and world[rel.name]:
        return []
    rows = []
    for _ in range(count):
        keys = {*rel.identity, "node"}
        row = tuple(
            rng.choice([x for x in options(rel, at.name) if x is not NONE or at.name not in keys])
            for at in rel.attrs
        )
        if may_be_unseen(world, rel, row):
            rows.append(row)
    return rows


def fillings(rel: Relation, row: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    """Every way to give the unknown cells of a row a value."""
    return itertools.product(
        *(
            [cell] if cell is not None else options(rel, at.name)
            for at, cell in zip(rel.attrs, row, strict=True)
        )
    )


def made_room(rel: Relation, world: World, rows: list[tuple[Any, ...]], index: int) -> bool:
    """Let a row whose place was not known push down those that stand there; False if it cannot stand there.

    It cannot where another row was seen with it or after it.
    """
    at, within = rel.column("at"), [rel.column(name) for name in rel.within]
    seen = {timestamped.row: timestamped.points[0] for timestamped in world.get(f"seen {rel.name}", [])}

    def there(row: tuple[Any, ...], place: Any, other: tuple[Any, ...]) -> bool:
        return other[at] == place and all(other[column] == row[column] for column in within)

    row, moving = rows[index], index
    if not isinstance(row[at], int):
        return True
    for known in world[rel.name]:
        if there(row, row[at], known) and seen.get(known, -1) >= seen.get(world[rel.name][index], 99):
            return False
    place = row[at]
    while True:
        below = [i for i, other in enumerate(rows) if i != moving and there(row, place, other)]
        if not below:
            return True
        place, moving = place + 1, below[0]
        rows[moving] = (*rows[moving][:at], place, *rows[moving][at + 1 :])


def completions(world: World, rng: random.Random, *, pushing: bool) -> Iterator[World]:
    """Completions of the world: all fillings of its unknown cells if they are few, else a sample; unseen rows too.

    Args:
        pushing: rows of lists whose place is not known may push others down (programs that read no positions).
    """
    open_rows = [
        (relation, index)
        for relation in world
        for index in range(len(world[relation]))
        if not relation.startswith(("complete ", "seen ")) and is_open(world[relation][index])
    ]
    choices = []
    for relation, index in open_rows:
        entry = world[relation][index]
        rel = BASE[relation.rpartition(" ")[2]]
        row = entry.row if isinstance(entry, Commit) else entry
        choices.append(
            [replace(entry, row=x) if isinstance(entry, Commit) else x for x in fillings(rel, row)]
        )
    total = 1
    for choice in choices:
        total *= len(choice)
    if total <= COMPLETIONS:
        picked: Iterator[tuple[Any, ...]] = itertools.product(*choices)
        picked = itertools.chain(picked, ([rng.choice(x) for x in choices] for _ in range(COMPLETIONS)))  # type: ignore[assignment]
    else:
        picked = (tuple(rng.choice(x) for x in choices) for _ in range(2 * COMPLETIONS))
    for number, filling in enumerate(picked):
        found = {relation: list(rows) for relation, rows in world.items()}
        for (relation, index), row in zip(open_rows, filling, strict=True):
            found[relation][index] = row
        placeless = [
            (BASE[relation], index)
            for relation, index in open_rows
            if relation in BASE and BASE[relation].sort == "list" and world[relation][index][-1] is None
        ]
        if (
            pushing
            and number % 2
            and not all(made_room(rel, world, found[rel.name], i) for rel, i in placeless)
        ):
            continue
        for relation in world:
            if relation in BASE and BASE[relation].sort != "action" and number:
                for row in extra_rows(world, BASE[relation], rng):
                    if consistent(BASE[relation], [*found[relation], row]):
                        found[relation].append(row)
        if all(
            consistent(BASE[relation], found[relation])
            for relation in found
            if relation in BASE and BASE[relation].identity
        ):
            yield found


def reads_positions(made: Program) -> bool:
    """Whether a rule says something of the place of a row other than that it is among the first."""
    return any(
        constraint.attr == "at"
        for rule in made.rules
        for literal in (*rule.body, *rule.extra)
        for constraint in parts(literal)
        if isinstance(constraint, Constraint)
    )


def is_open(entry: Any) -> bool:
    return None in (entry.row if isinstance(entry, Commit) else entry)


# ---------------------------------------------------------------- the property


def session(made: Program, engine: str) -> Evaluator:
    found = evaluator(made, engine)
    found.now(NOON)
    found.point(1)
    found.point(2)
    return found


def plainly(made: Program) -> Program:
    """The program in which every licence has become a judgement: pattern and body plainly read."""
    rules = tuple(plain_rule(rule) if isinstance(rule.head, License) else rule for rule in made.rules)
    return replace(made, rules=rules)


def plain_rule(rule: Rule) -> Rule:
    assert isinstance(rule.head, License)
    pattern = rule.head.atom
    names = sorted({x.term.name for x in pattern.constraints if isinstance(x.term, Var)})
    body = tuple(replace(x, reading="plain") if hasattr(x, "reading") else x for x in rule.body)
    return replace(rule, head=Judge("deny", tuple(map(Var, names))), body=(Lit(pattern), *body))


def fill(engine: Evaluator, world: World) -> None:
    for relation, rows in world.items():
        engine.assign(relation, rows)


@pytest.mark.slow
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(st.data())
def test_what_is_certain_holds_in_every_completion(data: st.DataObject) -> None:
    check_completions(data, data.draw(programs(temporal=False, licences=3) | wrapped()))


@pytest.mark.slow
@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data(), n=st.integers(1, 3), price=st.integers(1, 2), name=st.sampled_from(["a", "b 2"]))
def test_the_first_rows_are_the_first_in_every_completion(
    data: st.DataObject, n: int, price: int, name: str
) -> None:
    """Rows without positions, gaps, and rows that push others down, where random programs seldom look."""
    choosing = c("price", data.draw(st.sampled_from(["=", "<="])), price)
    made = program(
        allow(a("Pay", who="?t"), first(n, a("K", choosing, id="?t")), rule="one of them"),
        allow(a("finish"), first(n, a("K", choosing), (c("id", "=", name),)), rule="each of them"),
    )
    rows: dict[Any, tuple[Any, ...]] = {}
    for key in ("a", "b 2", "zz 7"):
        at = data.draw(st.sampled_from([1, 2, 3, None]))
        rows[key if at is None else at] = (key, data.draw(st.sampled_from([1, 1, 2, None])), at)
    seen = [TimedRow(row, (data.draw(st.integers(1, 3)),)) for row in rows.values()]
    world: World = {"finish": [()], "Pay": [(key, None) for key in ("a", "b 2")], "K": list(rows.values())}
    world |= {"seen K": seen, "complete K": data.draw(st.sampled_from([[], [(None, None, None)]]))}
    check_completions(data, made, world)


def check_completions(data: st.DataObject, made: Program, given: World | None = None) -> None:
    """What any of the engines answers certainly holds in all completions."""
    world = data.draw(worlds(made)) if given is None else given
    sessions = [session(made, engine) for engine in ENGINES]
    for certain in sessions:
        fill(certain, world)
    licences = [rule.id for rule in made.rules if isinstance(rule.head, License)]
    found = {
        rule: {answer.values for certain in sessions for answer in certain.answers(rule)} for rule in licences
    }
    screens = {certain.rows("Home") for certain in sessions}
    assert len(screens) == 1
    event(f"{sum(bool(x) for x in found.values())} licences hold")
    if not any(found.values()):
        return
    plain = session(plainly(made), "reference")
    rng = random.Random(data.draw(st.integers(0, 1000)))
    for completed in completions(world, rng, pushing=not reads_positions(made)):
        fill(plain, completed)
        if plain.rows("Home") not in screens:
            continue  # which screen shows is read plainly by definition, also in a licence
        for rule, values in found.items():
            missing = values - {answer.values for answer in plain.answers(rule)}
            assert not missing, f"{rule}: {missing}\n{listing(made)}\nworld {world}\ncompletion {completed}"


@pytest.mark.slow
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(st.data())
def test_seeing_less_never_answers_more(data: st.DataObject) -> None:
    """A cell that becomes unknown, a row of ``complete`` that goes: no licence gains an answer that did not hold."""
    made = data.draw(programs(temporal=False, licences=3))
    world = data.draw(worlds(made))
    licences = [rule.id for rule in made.rules if isinstance(rule.head, License)]
    sessions = [session(made, engine) for engine in ENGINES]
    for before in sessions:
        fill(before, world)
    held = [{rule: before.answers(rule) for rule in licences} for before in sessions]
    less = {relation: list(rows) for relation, rows in world.items()}
    inputs = [
        relation for relation in less if less[relation] and relation not in ("finish", "Pay", "commits Pay")
    ]
    if not inputs:
        return
    relation = data.draw(st.sampled_from(inputs))
    index = data.draw(st.integers(0, len(less[relation]) - 1))
    if relation.startswith(("complete ", "seen ")):
        del less[relation][index]
    else:
        rel = BASE[relation]
        keys = {*rel.identity, "node"}
        blind = [column for column, at in enumerate(rel.attrs) if at.name not in keys]
        column = data.draw(st.sampled_from(blind)) if blind else None
        if column is None:
            return
        row = less[relation][index]
        less[relation][index] = (*row[:column], None, *row[column + 1 :])
        if less[relation].count(less[relation][index]) > 1:
            return
    for before, had in zip(sessions, held, strict=True):
        fill(before, less)
        for rule in licences:
            gained = before.answers(rule) - had[rule]
            assert not gained, f"{rule}: {gained}\n{listing(made)}\nworld {world}\nunseen {relation} {index}"
