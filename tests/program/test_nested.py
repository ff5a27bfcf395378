"""`Forest` and `NestedRows`: what lies inside what, without the pairs being made."""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vsalang.program.nested import Forest, NestedRows


@st.composite
def parents(draw: Any) -> dict[int, int | None]:
    """Nodes, each of which hangs in none or in one that stands before it."""
    found: dict[int, int | None] = {}
    for number in draw(st.permutations(range(1, draw(st.integers(0, 8)) + 1))):
        found[number] = draw(st.sampled_from([None, *found]))
    return found


def pairs(of: dict[int, int | None]) -> set[tuple[int, int]]:
    """(node, outer): by hand."""
    found = {(node, node) for node in of}
    while more := {(n, of[o]) for n, o in found if of[o] is not None} - found:
        found |= more  # type: ignore[arg-type]
    return found


def inside(of: dict[int, int | None]) -> NestedRows:
    return NestedRows(Forest(of), {node: (node,) for node in of}, inner=0, outer=1)


def part(of: dict[int, int | None], said: dict[int, str]) -> NestedRows:
    return NestedRows(Forest(of), {node: (node, said.get(node)) for node in of}, inner=1, outer=0)


@given(parents())
def test_the_pairs_are_those_of_the_parents(of: dict[int, int | None]) -> None:
    forest, rows = Forest(of), inside(of)
    assert set(rows) == pairs(of)
    assert len(list(rows)) == len(rows) == len(pairs(of))
    for node in of:
        assert {(node, outer) for outer in forest.around(node)} == {p for p in pairs(of) if p[0] == node}
        assert {(inner, node) for inner in forest.inside(node)} == {p for p in pairs(of) if p[1] == node}
        assert set(rows.find(0, node)) == {p for p in pairs(of) if p[0] == node}
        assert set(rows.find(1, node)) == {p for p in pairs(of) if p[1] == node}
    for outer in (*of, 99):
        for node in (*of, 99):
            assert ((node, outer) in rows) == ((node, outer) in pairs(of))


@given(parents(), parents(), st.dictionaries(st.integers(1, 8), st.sampled_from("ab")), st.data())
def test_what_changed_covers_every_difference(
    of: dict[int, int | None], earlier: dict[int, int | None], said: dict[int, str], data: st.DataObject
) -> None:
    before = {**said, **data.draw(st.dictionaries(st.integers(1, 8), st.sampled_from("ab"), max_size=2))}
    if data.draw(st.booleans()):
        earlier = of
    now, old = part(of, said), part(earlier, before)
    changes = now.changed(old)
    if changes is None:
        assert set(now) == set(old)
        return
    come = {row for group in changes.added for row in group.rows()}
    gone = {row for group in changes.removed for row in group.rows()}
    assert come >= set(now) - set(old)
    assert gone >= set(old) - set(now)
    assert changes.size == len(come) + len(gone)
    assert set(now) == (set(old) - gone) | come


@pytest.mark.parametrize("of", [{1: 1}, {1: 2, 2: 1}, {1: 2}])
def test_what_is_no_forest_is_refused(of: dict[int, int | None]) -> None:
    with pytest.raises(ValueError, match="does not hang in a tree"):
        Forest(of)


def test_other_values_find_what_equals_them() -> None:
    rows = inside({1: None, 2: 1})
    assert rows.find(1, Decimal(1)) == [(1, 1), (2, 1)]
    assert rows.find(0, Decimal("1.5")) == rows.find(0, "1") == rows.find(0, None) == []
    assert ("1", 1) not in rows
    assert (1,) not in rows
