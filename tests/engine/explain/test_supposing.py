"""What possibly holds of cells that nobody read: never less than some filling of them makes so, in each engine."""

import datetime as dt
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tests.engine.explain.supposing_at import holds, supposing_at
from tests.oracle import ALL
from tests.oracle.supposed import holds_if_supposed
from tests.thorough import times
from vsalang.engine.api import Row
from vsalang.language.semantics import load_text
from vsalang.program.ir import Program
from vsalang.proof.solver import Commit, World

APP = """app m package "com.m" "A small app"
state Flag "A flag" { on: Bool  n: Number }
state Item key (k) "An item" { k: Number  b: Bool  d: Number }
action Act(n: Number) "An action"
define D(d = ?d) when Item(d = ?d).
define Marked when Item(b = true).
define Free(k = ?k) when Item(k = ?k), not Item(k = ?k, b = true).
define Same(k = ?k) when Item(k = ?k), count(Item(d = ?k)) > 0.
define All when every Item(d > 0) has (b = true).
define Few when count(Item(b = true)) > 1.
define Up(k = ?k) when Item(k = ?k, b = true).
define Up(k = ?k) when Up(k = ?k), Item(k = ?k, b = false).
"""
TODAY = dt.date(2026, 1, 5)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("supposing")
    (made / "m.vsa").write_text(APP, encoding="utf-8")
    return made


def denying(body: str, folder: Path, message: str = "no") -> Program | None:
    """A policy with one judgement; None where the body has errors."""
    return load_text(
        f'policy p "p"\nimport m\ndeny "{message}" when {body}.\n', path=folder / "p.vsa"
    ).program


def world(flag: Row | None = None, items: tuple[Row, ...] = (), act: Row | None = None) -> World:
    rows = {
        "m.Flag": () if flag is None else (flag,),
        "m.Item": items,
        "m.Act": () if act is None else (act,),
    }
    return World(TODAY, rows={name: frozenset(found) for name, found in rows.items()})


def unknown(state: World) -> list[str]:
    return [name for name, rows in state.rows.items() for row in rows for cell in row if cell is None]


OTHER = (1, True, 2)
SOME = world((True, None), (OTHER,))


@pytest.mark.parametrize(
    ("body", "state", "expected"),
    [
        ("Flag(n = 3)", SOME, True),
        ("Flag(n = 3, on = false)", SOME, False),
        ("Flag(n = ?u), not Item(k = ?u)", SOME, True),
        ("Flag(n = ?u), not Item(k = ?u)", world((True, 1), (OTHER,)), False),
        ("Flag(n = ?u), Item(d = ?u), ?u > 2", SOME, False),
        ("Flag(n = ?u), Item(d = ?u), ?u < 3", SOME, True),
        ("Flag(n = ?u), not D(d = ?u)", SOME, True),
        ("Flag(n = ?u), not D(d = ?u)", world((True, 3), ((1, True, None),)), True),
        ("Flag(n = ?u), count(Item(k = ?u)) < 1", SOME, True),
        ("Flag(n = ?u), count(Item(k < ?u)) = 1", SOME, True),
        ("Flag(n = ?u), every Item(k = ?u) has (b = true)", SOME, True),
        ("Flag(n = ?u), every Item(k >= ?u) has (b = false)", SOME, False),
        ("Flag(n = ?n), ?m = ?n + 1, not Item(k = ?m)", SOME, True),
        ("Flag(n = ?n), ?m = ?n + 1, Item(k = ?m)", SOME, True),
        ("Act(n = ?u), not Item(k = ?u, b = true)", world(None, (OTHER,), (None,)), True),
        ("Act(n = ?u), Item(k = ?u, b = true)", world(None, (OTHER,), (None,)), True),
        ("count(Item(d = ?d)) > 1, Item(d = ?d, k = 1)", world(None, (OTHER, (2, True, None))), True),
        ("not All", world(None, ((1, None, 2),)), True),
        ("not All", world(None, ((1, True, None),)), True),
        ("not All", world(None, ((1, True, None), (2, True, 3))), False),
        ("not Few", world(None, ((1, None, 2), (2, True, 2), (3, True, 3))), False),
        ("not Few", world(None, ((1, None, 2), (2, True, 2))), True),
        ("not Up(k = 1)", world(None, ((1, None, 2),)), True),
        ("Item(k = 2)", SOME, False),
    ],
)
def test_variables_of_cells_that_nobody_read(folder: Path, body: str, state: World, expected: bool) -> None:
    made = denying(body, folder)
    assert made is not None
    assert [holds(made, state, "p:1", engine) for engine in ALL] == [expected] * len(ALL)
    assert holds_if_supposed(made, state, "p:1") is expected


def test_joins_find_their_rows_by_value(folder: Path) -> None:
    made = denying("Item(k = ?k, b = true), Item(d = ?k, b = false)", folder)
    assert made is not None
    many = world(None, tuple((at, None, at + 1) for at in range(1000)))
    asked = supposing_at(made, many)
    assert len(asked.ways(made.rules[-1].body)) == 999
    assert asked.steps < 5000


@pytest.mark.parametrize(
    "body",
    ["Act(n = 3) earlier", "count(Act(n = 3) earlier) > 0", "not Act(n != 3) earlier"],
)
def test_what_was_done_may_have_been_it(folder: Path, body: str) -> None:
    made = denying(body, folder)
    assert made is not None
    done = World(TODAY, commits={"m.Act": (Commit((None,)),)})
    assert holds(made, done, "p:1")
    assert not holds(made, replace(done, commits={"m.Act": (Commit((4,)),)}), "p:1")


def test_groups_of_rows_are_counted_each(folder: Path) -> None:
    made = denying("count(Item(d = ?d, k > 0, b = true)) < 2", folder, "few of {?d}")
    assert made is not None
    state = world(None, ((1, None, 1), (2, True, 2), (3, True, 2)))
    assert holds_if_supposed(made, state, "p:1")
    assert all(holds(made, state, "p:1", engine) for engine in ALL)


def test_each_condition_on_a_cell_is_asked_alone(folder: Path) -> None:
    """Each condition is possible for itself: that says more than can be, never less."""
    made = denying("Flag(n > 3, n < 2)", folder)
    assert made is not None
    assert holds(made, SOME, "p:1")
    assert not holds_if_supposed(made, SOME, "p:1")


@pytest.mark.parametrize(
    ("body", "looked"),
    [
        ("Flag(on = true), count(Item(k > 0)) > 0", False),
        ("Marked, every Item(k > 0) has (b = true)", False),
        ("Flag, Item, not Free(k = 1)", False),
        ("Flag(n = 3)", True),
        ("sum(d of Item) > 1", True),
        ("Same(k = 1)", True),
        ("All", True),
    ],
)
def test_rows_are_only_compared_for_cells_that_are_asked(folder: Path, body: str, looked: bool) -> None:
    made = denying(body, folder)
    assert made is not None
    with_gaps = world((True, None), ((1, True, None), (2, True, 3)))
    whole = world((True, 3), ((1, True, 2), (2, True, 3)))
    assert [asks_rows(made, state) for state in (whole, with_gaps)] == [False, looked]


def asks_rows(made: Program, state: World) -> bool:
    """Whether a judgement compares rows, or is settled by which cells are open."""
    asked = supposing_at(made, state)
    asked.ways(made.rules[-1].body)
    return asked.steps > 0


# ---------------------------------------------------------------------- random bodies

number = st.sampled_from(["1", "2", "3"])
compared = st.sampled_from(["=", "!=", "<", "<=", ">", ">="])
of_flag = st.one_of(
    st.builds("n {} {}".format, compared, number),
    st.sampled_from(["on = true", "on != true", "n = none", "n != none", "n = ?u", "n in {1, 3}", "n = ?v"]),
)
of_item = st.one_of(
    st.builds("k {} {}".format, compared, number),
    st.builds("d {} {}".format, compared, number),
    st.sampled_from(["b = true", "b != true", "b = none", "k = ?u", "d = ?u", "d = ?v", "d > ?u", "k = ?v"]),
)


def atom(name: str, constraint: st.SearchStrategy[str], most: int = 2) -> st.SearchStrategy[str]:
    return st.lists(constraint, max_size=most, unique=True).map(lambda parts: f"{name}({', '.join(parts)})")


flags, items = atom("Flag", of_flag), atom("Item", of_item)
acts = st.sampled_from(["Act(n = ?u)", "Act(n = 2)", "Act(n != ?v)", "Act"])
derived = st.sampled_from(
    ["D(d = 1)", "D(d = ?u)", "Marked", "Free(k = ?u)", "Same(k = ?v)", "All", "Few", "Up(k = 1)"]
)
positive = st.one_of(flags, items, acts, derived)
literals = st.one_of(
    positive,
    positive.map("not {}".format),
    st.builds("count({}) {} {}".format, items, compared, st.sampled_from("012")),
    st.builds("{}(d of {}) {} {}".format, st.sampled_from(["min", "max", "sum"]), items, compared, number),
    st.builds("every {} has ({})".format, items, of_item),
    st.builds("?u {} {}".format, compared, number),
    st.sampled_from(["?u < ?v", "?v = ?u + 1", "?u in {1, 2}"]),
)  # fmt: skip
bodies = st.lists(literals, min_size=1, max_size=4, unique=True).map(", ".join)
NUMBERS = (None, 1, 2)
worlds = st.builds(
    world,
    st.one_of(st.none(), st.tuples(st.sampled_from([None, True, False]), st.sampled_from(NUMBERS))),
    st.lists(
        st.tuples(st.sampled_from([1, 2, 3]), st.sampled_from([None, True, False]), st.sampled_from(NUMBERS)),
        max_size=2,
        unique_by=lambda row: row[0],
    ).map(tuple),
    st.one_of(st.none(), st.tuples(st.sampled_from(NUMBERS))),
).filter(lambda state: len(unknown(state)) < 3)
SETTINGS = settings(
    max_examples=times(50, 2000),
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
)


def assumed(body: str, folder: Path) -> Program:
    """As `denying`; other bodies are drawn where there is none."""
    made = denying(body, folder)
    assume(made is not None)
    assert made is not None
    return made


@pytest.mark.slow
@given(body=bodies, states=st.lists(worlds, min_size=3, max_size=3))
@SETTINGS
def test_no_filling_of_cells_is_passed_over(folder: Path, body: str, states: list[World]) -> None:
    made = assumed(body, folder)
    for state in states:
        found = {engine: holds(made, state, "p:1", engine) for engine in ALL}
        assert len(set(found.values())) == 1, (body, state.rows, found)
        if holds_if_supposed(made, state, "p:1"):
            assert all(found.values()), (body, state.rows)


ASKED_ONCE = st.lists(
    st.one_of(
        atom("Flag", of_flag, 1),
        atom("Item", of_item, 1),
        acts,
        st.sampled_from(["Marked", "D(d = 1)", "Few"]),
    ).flatmap(lambda one: st.sampled_from([one, f"not {one}"])),
    min_size=1,
    max_size=3,
).filter(lambda found: "?" not in ",".join(found))


@given(body=ASKED_ONCE, states=st.lists(worlds, min_size=3, max_size=3))
@SETTINGS
def test_what_asks_a_cell_once_is_exact(folder: Path, body: list[str], states: list[World]) -> None:
    of = [part.removeprefix("not ").partition("(")[0] for part in body]
    read = {"Marked": "Item", "D": "Item", "Few": "Item"}
    assume(len({read.get(name, name) for name in of}) == len(of))
    made = denying(", ".join(body), folder)
    assume(made is not None)
    assert made is not None
    for state in states:
        assert holds(made, state, "p:1") is holds_if_supposed(made, state, "p:1"), (body, state.rows)


def erased(state: World) -> Iterator[World]:
    """The world with one cell less known, each in turn; what tells rows apart is always known."""
    for name, rows in state.rows.items():
        for row in rows:
            for column in range(1 if name == "m.Item" else 0, len(row)):
                if row[column] is not None:
                    less = (*row[:column], None, *row[column + 1 :])
                    yield World(state.today, rows={**state.rows, name: rows - {row} | {less}})


@pytest.mark.slow
@given(body=bodies, states=st.lists(worlds, min_size=3, max_size=3))
@SETTINGS
def test_a_cell_less_known_lets_nothing_pass(folder: Path, body: str, states: list[World]) -> None:
    made = assumed(body, folder)
    for state, engine in product(states, ALL[:2]):
        if holds(made, state, "p:1", engine):
            for less in erased(state):
                assert holds(made, less, "p:1", engine), (body, state.rows, less.rows, engine)
