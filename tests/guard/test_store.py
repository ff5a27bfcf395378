"""The store: how writes replace, keep, conflict and end completeness."""

from hypothesis import given
from hypothesis import strategies as st

from tests.guard.programs import Build, relation
from vsalang.guard.world.beliefs import CellWrite, RowDelete, World, apply, completed, without_rows
from vsalang.program import ir

N, T = ir.NUMBER, ir.TEXT
PROGRAM = Build(
    "a",
    relation("a.Key", "state", {"k": T, "x": N, "y": N}, key=("k",)),
    relation("a.One", "state", {"x": N, "y": N}),
    relation("a.View", "view", {"x": N, "y": N}),
    relation("a.Row", "list", {"g": T, "x": N}, within=("g",)),
    relation("a.Item", "list", {"g": T, "k": T, "x": N}, within=("g",), key=("k",)),
    a="app",
).program()
TIMED = frozenset(PROGRAM.relations)
"""All of them: what is done with points is what is tested."""


def write(
    world: World, name: str, point: int = 1, *, observing: bool = False, keep: bool = False, **cells: object
) -> World:
    found = apply(
        PROGRAM, world, [CellWrite(f"a.{name}", cells, keep)], [], point, observing=observing, timed=TIMED
    )  # type: ignore[arg-type]
    assert not found.conflicts and not found.skipped
    return found.world


def rows(world: World, name: str) -> set[tuple[object, ...]]:
    return set(world.rows(f"a.{name}"))


def test_a_state_keeps_and_a_view_replaces() -> None:
    world = write(write(World(), "One", x=1), "One", y=2)
    assert rows(world, "One") == {(1, 2)}
    world = write(write(World(), "View", x=1), "View", y=2)
    assert rows(world, "View") == {(None, 2)}
    world = write(write(World(), "View", x=1), "View", y=2, keep=True)
    assert rows(world, "View") == {(1, 2)}


def test_stamps_are_of_the_cells() -> None:
    world = write(write(World(), "One", 3, x=1), "One", 7, y=2)
    assert [entry.points for entry in world.table("a.One").rows.values()] == [(3, 7)]
    world = write(world, "One", 9, x=None)
    assert [entry.points for entry in world.table("a.One").rows.values()] == [(0, 7)]


def test_deletes_come_first() -> None:
    world = write(World(), "Key", k="a", x=1, y=1)
    moved = apply(
        PROGRAM,
        world,
        [CellWrite("a.Key", {"k": "a", "x": 2})],
        [RowDelete("a.Key", {"k": "a"})],
        2,
        observing=False,
        timed=TIMED,
    )
    assert rows(moved.world, "Key") == {("a", 2, None)}
    assert rows(world, "Key") == {("a", 1, 1)}  # the old world is as it was


def test_two_values_conflict_and_equal_ones_do_not() -> None:
    twice = [CellWrite("a.One", {"x": 1}), CellWrite("a.One", {"x": 2})]
    found = apply(PROGRAM, World(), twice, [], 1, observing=True, timed=TIMED)
    assert [c.values for c in found.conflicts] == [(1, 2)]
    assert rows(found.world, "One") == {(None, None)}
    assert not apply(PROGRAM, World(), twice[:1] * 2, [], 1, observing=True, timed=TIMED).conflicts


def test_a_row_that_cannot_be_told_ends_completeness() -> None:
    world = completed(World(), PROGRAM.relation("a.Key"), {})
    found = apply(
        PROGRAM, world, [CellWrite("a.Key", {"k": None, "x": 1})], [], 1, observing=True, timed=TIMED
    )
    assert len(found.skipped) == 1
    assert not found.world.table("a.Key").complete


def test_a_new_row_ends_the_completeness_that_covers_it() -> None:
    relation_ = PROGRAM.relation("a.Key")
    world = completed(completed(World(), relation_, {"k": "a"}), relation_, {"k": "b"})
    world = write(world, "Key", k="a", x=1, observing=True, timed=TIMED)
    assert world.table("a.Key").complete == {("b", None, None)}


def test_rows_below_a_changed_one_are_forgotten() -> None:
    world = World()
    for at in (1, 2, 3):
        world = write(world, "Row", g="p", at=at, x=at, observing=True, timed=TIMED)
        world = write(world, "Row", g="q", at=at, x=at, observing=True, timed=TIMED)
    world = completed(world, PROGRAM.relation("a.Row"), {"g": "p"})
    world = write(world, "Row", g="p", at=2, x=9, observing=True, timed=TIMED)
    assert {row for row in rows(world, "Row") if row[0] == "p"} == {("p", 1, 1), ("p", 9, 2)}
    assert len({row for row in rows(world, "Row") if row[0] == "q"}) == 3
    assert not world.table("a.Row").complete


def _items(*keys: str) -> World:
    world = World()
    for at, key in enumerate(keys, 1):
        world = write(world, "Item", g="p", k=key, x=at, at=at, observing=True, timed=TIMED)
    return world


def test_a_new_row_with_key_leaves_others_known() -> None:
    """Else a `deny` about a row that is still there would be silent after it."""
    world = completed(_items("milk", "bread"), PROGRAM.relation("a.Item"), {"g": "p"})
    world = write(world, "Item", g="p", k="tea", x=9)
    assert rows(world, "Item") == {("p", "milk", 1, None), ("p", "bread", 2, None), ("p", "tea", 9, None)}
    assert not world.table("a.Item").complete


def test_a_row_put_in_a_place_moves_others() -> None:
    world = write(_items("milk", "bread", "rice"), "Item", g="p", k="tea", x=9, at=2)
    assert rows(world, "Item") == {
        ("p", "milk", 1, 1),
        ("p", "bread", 2, None),
        ("p", "rice", 3, None),
        ("p", "tea", 9, 2),
    }


def test_a_row_with_key_is_removed_alone() -> None:
    found = apply(
        PROGRAM,
        _items("milk", "bread", "rice"),
        [],
        [RowDelete("a.Item", {"g": "p", "k": "bread"})],
        1,
        observing=False,
        timed=TIMED,
    )
    assert rows(found.world, "Item") == {("p", "milk", 1, 1), ("p", "rice", 3, None)}


def test_a_removed_row_stays_removed_where_another_comes() -> None:
    found = apply(
        PROGRAM,
        _items("milk", "bread"),
        [CellWrite("a.Item", {"g": "p", "k": "tea", "x": 9, "at": 1})],
        [RowDelete("a.Item", {"g": "p", "k": "milk"})],
        1,
        observing=False,
        timed=TIMED,
    )
    assert {row[1] for row in rows(found.world, "Item")} == {"bread", "tea"}


def test_a_moved_row_is_not_among_all_that_show() -> None:
    """Who says that the list was seen as a whole says that it is gone; what an action wrote to it does not show it."""
    world = write(_items("milk", "bread"), "Item", g="p", k="tea", x=9)
    world = write(world, "Item", g="p", k="milk", x=5)
    world = write(world, "Item", g="p", k="tea", x=9, at=1, observing=True, timed=TIMED)
    assert {row[1] for row in rows(world, "Item")} == {"tea", "bread"}
    narrower = completed(world, PROGRAM.relation("a.Item"), {"g": "p", "x": 2})
    assert {row[1] for row in rows(narrower, "Item")} == {"tea"}
    other = completed(world, PROGRAM.relation("a.Item"), {"g": "p", "x": 7})
    assert {row[1] for row in rows(other, "Item")} == {"tea", "bread"}
    world = completed(world, PROGRAM.relation("a.Item"), {"g": "p"})
    assert {row[1] for row in rows(world, "Item")} == {"tea"}


def test_a_row_seen_where_one_was_moved_counts() -> None:
    """As it would have without the action; rows of which it shows nothing stay."""
    world = write(_items("milk", "bread"), "Item", g="p", k="tea", x=9)
    world = write(world, "Item", g="p", k="rice", x=7, at=1, observing=True, timed=TIMED)
    assert {row[1] for row in rows(world, "Item")} == {"bread", "tea", "rice"}
    seen_again = write(_items("milk", "bread"), "Item", g="p", k="tea", x=9)
    seen_again = write(seen_again, "Item", g="p", k="milk", x=1, at=2, observing=True, timed=TIMED)
    seen_again = write(seen_again, "Item", g="p", k="rice", x=7, at=1, observing=True, timed=TIMED)
    assert {row[1] for row in rows(seen_again, "Item")} == {"milk", "tea", "rice"}


def test_a_row_seen_where_another_was_counts() -> None:
    """Then nobody knows whether the row that stood there is still in the list."""
    world = write(_items("milk", "bread"), "Item", g="p", k="tea", x=9, at=1, observing=True, timed=TIMED)
    assert rows(world, "Item") == {("p", "tea", 9, 1)}


def test_reading_an_unread_cell_changes_no_list() -> None:
    world = write(World(), "Row", g="p", at=1, observing=True, timed=TIMED)
    world = completed(
        write(world, "Row", g="p", at=2, x=2, observing=True, timed=TIMED),
        PROGRAM.relation("a.Row"),
        {"g": "p"},
    )
    world = write(world, "Row", g="p", at=1, x=1, observing=True, timed=TIMED)
    assert rows(world, "Row") == {("p", 1, 1), ("p", 2, 2)}
    assert world.table("a.Row").complete


def test_an_effect_may_name_a_keyed_row_by_position() -> None:
    world = write(World(), "Item", g="p", k="a", at=1, observing=True, timed=TIMED)
    world = write(world, "Item", g="p", at=1, x=5)
    assert rows(world, "Item") == {("p", "a", 5, 1)}
    found = apply(
        PROGRAM,
        world,
        [CellWrite("a.Item", {"g": "p", "at": 2, "x": 5})],
        [],
        1,
        observing=False,
        timed=TIMED,
    )
    assert len(found.skipped) == 1


def test_what_is_seen_to_be_gone_leaves_completeness() -> None:
    relation_ = PROGRAM.relation("a.Key")
    world = completed(write(World(), "Key", k="a", x=1), relation_, {})
    world = without_rows(world, relation_, {"x": 1})
    assert rows(world, "Key") == set() and world.table("a.Key").complete
    assert without_rows(world, relation_, {"x": 1}) is world


CELLS = st.dictionaries(st.sampled_from(("x", "y")), st.one_of(st.none(), st.integers(0, 2)), min_size=1)
STEPS = st.lists(
    st.lists(st.tuples(st.sampled_from("ab"), CELLS), min_size=1, max_size=3), min_size=1, max_size=4
)


@given(STEPS, st.booleans())
def test_the_order_of_writes_in_a_step_never_matters(
    steps: list[list[tuple[str, dict[str, int | None]]]], observing: bool
) -> None:
    one = two = World()
    for point, step in enumerate(steps, 1):
        writes = [CellWrite("a.Key", {"k": key, **cells}) for key, cells in step]
        first = apply(PROGRAM, one, writes, [], point, observing=observing, timed=TIMED)
        second = apply(PROGRAM, two, writes[::-1], [], point, observing=observing, timed=TIMED)
        assert bool(first.conflicts) == bool(second.conflicts)
        one, two = first.world, second.world
        assert one.table("a.Key") == two.table("a.Key")
        for entry in one.table("a.Key").rows.values():
            assert all(
                (cell is None) == (stamp == 0) for cell, stamp in zip(entry.cells, entry.points, strict=True)
            )


def test_what_is_written_again_stays_the_same() -> None:
    """Points are kept of timed relations only; and 1 is not True."""
    world = write(World(), "Key", k="a", x=1, y=2)
    again = [CellWrite("a.Key", {"k": "a", "x": 1})]
    assert apply(PROGRAM, world, again, [], 5, observing=True, timed=frozenset()).world is not world
    untimed = apply(PROGRAM, World(), again, [], 1, observing=True, timed=frozenset()).world
    assert apply(PROGRAM, untimed, again, [], 7, observing=True, timed=frozenset()).world is untimed
    assert apply(PROGRAM, untimed, again, [], 7, observing=True, timed=TIMED).world is not untimed
    other = [CellWrite("a.Key", {"k": "a", "x": True})]
    changed = apply(PROGRAM, untimed, other, [], 7, observing=True, timed=frozenset()).world
    assert [row[1] for row in changed.rows("a.Key")] == [True] and changed is not untimed
    assert completed(completed(untimed, PROGRAM.relation("a.Key"), {}), PROGRAM.relation("a.Key"), {}) == (
        completed(untimed, PROGRAM.relation("a.Key"), {})
    )
