"""Properties of all trees: what shows lies inside what is around it; hits and relations agree with naive readings."""

from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vsalang.program.screen import UnresolvedTarget
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import DumpError, Tree, hit, load_dump

FLAG = st.sampled_from(["true", "false", "false"])
EDGE = st.integers(-5, 30)


@dataclass
class Made:
    """A tree as it was made up: what the naive readings read."""

    bounds: tuple[int, int, int, int]
    clickable: str
    scrollable: str
    order: int | None
    kids: list["Made"] = field(default_factory=list)
    number: int = 0

    def xml(self) -> str:
        left, top, right, bottom = self.bounds
        order = "" if self.order is None else f' drawing-order="{self.order}"'
        return (
            f'<node bounds="[{left},{top}][{right},{bottom}]" clickable="{self.clickable}" enabled="true" text="t" '
            f'scrollable="{self.scrollable}" long-clickable="false"{order}>{"".join(k.xml() for k in self.kids)}</node>'
        )


MADE = st.recursive(
    st.builds(Made, st.tuples(EDGE, EDGE, EDGE, EDGE), FLAG, FLAG, st.none() | st.integers(0, 3)),
    lambda kids: st.builds(
        Made, st.tuples(EDGE, EDGE, EDGE, EDGE), FLAG, FLAG, st.integers(0, 3), st.lists(kids, max_size=4)
    ),
    max_leaves=12,
)
WINDOWS = st.lists(MADE, min_size=1, max_size=2)


def load(windows: list[Made]) -> Tree:
    count = 0

    def walk(made: Made) -> None:
        nonlocal count
        count += 1
        made.number = count
        for kid in made.kids:
            walk(kid)

    for window in windows:
        walk(window)
    return load_dump(f"<hierarchy>{''.join(window.xml() for window in windows)}</hierarchy>")


def at(made: Made, x: int, y: int) -> list[Made]:
    """The nodes that hold a point, all nodes around them too, in the order in which they are drawn."""
    left, top, right, bottom = made.bounds
    if not (left <= x < right and top <= y < bottom):
        return []
    kids = made.kids
    if all(kid.order is not None for kid in kids):
        kids = sorted(kids, key=lambda kid: kid.order or 0)
    return [made, *(node for kid in kids for node in at(kid, x, y))]


def under(made: Made) -> set[int]:
    return {made.number}.union(*(under(kid) for kid in made.kids))


@pytest.mark.slow
@given(WINDOWS)
def test_what_shows_lies_inside_what_is_around_it(windows: list[Made]) -> None:
    tree = load(windows)
    for node in tree.nodes:
        assert node.left < node.right and node.top < node.bottom
        if node.parent is not None:
            outer = tree.by_number[node.parent]
            assert outer.left <= node.left and node.right <= outer.right
            assert outer.top <= node.top and node.bottom <= outer.bottom
            assert outer.node < node.node <= node.end <= outer.end and outer.draw < node.draw
    assert len({node.draw for node in tree.nodes}) == len(tree.nodes)


@given(WINDOWS, st.integers(-6, 31), st.integers(-6, 31))
def test_hits_agree_with_a_naive_reading(windows: list[Made], x: int, y: int) -> None:
    tree = load(windows)
    holding = [nodes for window in windows if (nodes := at(window, x, y))]
    found = hit(tree, x, y)
    if not holding:
        assert found is None
        return
    assert found is not None and found.leaf is not None and found.leaf.node == holding[0][-1].number
    takers = [next((n for n in reversed(nodes) if n.clickable == "true"), None) for nodes in holding]
    known = [taker for taker in takers if taker]
    assert (found.taker.node if found.taker else None) == (known[0].number if known else None)
    if not known:
        assert not found.covered
    elif takers[0] is None or len(known) > 1:
        assert found.covered
    else:
        later = holding[0][holding[0].index(takers[0]) + 1 :]
        assert found.covered == any(node.number not in under(takers[0]) for node in later)


@given(WINDOWS)
def test_every_shown_node_can_be_named_and_only_those(windows: list[Made]) -> None:
    tree = load(windows)
    screen = TreeScreen(tree)
    for number in range(1, tree.total + 2):
        try:
            cells = screen.target("tap", {"node": number})
        except UnresolvedTarget:
            assert number not in tree.by_number
        else:
            assert (cells["x"], cells["y"]) == tree.by_number[number].centre


@given(WINDOWS)
def test_relations_agree_with_naive_readings(windows: list[Made]) -> None:
    tree = load(windows)
    screen = TreeScreen(tree)
    parents = {node.node: node.parent for node in tree.nodes}

    def around(number: int | None) -> list[int]:
        return [] if number is None else [number, *around(parents[number])]

    inside = {(row["of"], row["node"]) for row in screen.rows("Inside")}
    assert inside == {(of, number) for number in parents for of in around(number)}
    assert {(row["of"], row["node"]) for row in screen.rows("Part")} == inside
    assert {(row["of"], row["node"]) for row in screen.rows("TextIn")} == inside
    for row in screen.rows("Next"):
        node, after = tree.by_number[row["node"]], tree.by_number[row["next"]]
        assert node.parent == after.parent
        between = [n for n in tree.nodes if n.parent == node.parent and node.node < n.node < after.node]
        assert not between
    assert len(screen.rows("Next")) == sum(
        len(kids) - 1 for p, kids in tree.children.items() if p is not None
    )
    fits = {row["node"] for row in screen.rows("Fits")}
    for number in fits:
        assert not any(tree.by_number[outer].scrollable for outer in around(number))
        assert not any(n.scrollable or n.cut for n in tree.inside(tree.by_number[number]))
    for row in screen.rows("Whole"):
        node = tree.by_number[row["node"]]
        assert node.parent is not None and not node.cut
        scrollers = [
            tree.by_number[outer] for outer in around(node.parent) if tree.by_number[outer].scrollable
        ]
        assert scrollers or node.parent in fits
        for outer in scrollers:
            inner_y = outer.top < node.top and node.bottom < outer.bottom
            inner_x = outer.left < node.left and node.right < outer.right
            assert inner_x or inner_y


@given(WINDOWS)
def test_the_same_tree_has_the_same_fingerprint_and_facts(windows: list[Made]) -> None:
    first, second = TreeScreen(load(windows)), TreeScreen(load(windows))
    assert first.fingerprint == second.fingerprint
    assert first.tree.nodes == second.tree.nodes


@given(st.binary(max_size=300) | st.text(max_size=300))
def test_no_data_whatsoever_raises_anything_but_dump_errors(data: bytes | str) -> None:
    try:
        load_dump(data)
    except DumpError as error:
        assert error.message


@given(MADE, st.data())
def test_no_damaged_dump_raises_anything_but_dump_errors(made: Made, data: st.DataObject) -> None:
    text = f"<hierarchy>{made.xml()}</hierarchy>"
    begin = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(begin, min(len(text), begin + 20)))
    damaged = text[:begin] + data.draw(st.text(max_size=5)) + text[end:]
    try:
        TreeScreen(load_dump(damaged)).rows("Node")
    except DumpError as error:
        assert error.message
