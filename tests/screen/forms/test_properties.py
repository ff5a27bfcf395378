"""Properties of all trees and of recorded screens: no error, the same each time, one role a node, bounded work."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.effects.screens import read_screens, readable
from benchmarks.effects.touches import read_touches
from tests.screen.control.making import node, page
from tests.screen.forms.shapes import button, field, said
from tests.thorough import some
from vsalang.program.vocabulary import NATIVE
from vsalang.screen.forms import RELATIONS, rows_of
from vsalang.screen.forms.content import LONGEST
from vsalang.screen.tree import Tree, load_tree

TEXTS = st.sampled_from(
    [
        *("", "OK", "Cancel", "Total", "$5", "1,248 selected", "2 / 17", "Select all", "Dismiss", "7"),
        *("a" * 400, "取消", "\ue02a", "-", "12.11.2026"),
    ]
)
CLASSES = st.sampled_from(
    ["View", "Button", "EditText", "CheckBox", "Switch", "RecyclerView", "ImageView", "Dialog", "WebView", ""]
)
NAMES = ["", "button1", "button3", "parentPanel", "title", "toolbar", "touch_outside", "save_x"]
IDS = st.sampled_from([name and f"a:id/{name}" for name in NAMES])
FLAG = st.sampled_from(["true", "false", ""])
EDGE = st.sampled_from([0, 60, 500, 1020, 1080, 2400])

NODES = st.recursive(
    st.tuples(CLASSES, IDS, TEXTS, TEXTS, FLAG, FLAG, FLAG, FLAG, EDGE, EDGE, EDGE, EDGE).map(
        lambda made: (made, [])
    ),
    lambda kids: st.tuples(
        st.tuples(CLASSES, IDS, TEXTS, TEXTS, FLAG, FLAG, FLAG, FLAG, EDGE, EDGE, EDGE, EDGE),
        st.lists(kids, max_size=5),
    ),
    max_leaves=20,
)


def xml(made: tuple[tuple[str | int, ...], list[object]]) -> str:
    (cls, name, text, desc, clickable, checkable, checked, scrollable, *edges), kids = made
    left, right = sorted(map(int, edges[:2]))
    top, bottom = sorted(map(int, edges[2:]))
    return node(
        str(cls),
        *(xml(kid) for kid in kids),  # type: ignore[arg-type]
        at=(left, top, right, bottom),
        resource_id=str(name),
        text=str(text),
        content_desc=str(desc),
        clickable=str(clickable),
        checkable=str(checkable),
        checked=str(checked),
        scrollable=str(scrollable),
        password=str(checked),
    )


def check(tree: Tree) -> None:
    """All relations of a tree can be made, and say what they may say."""
    again = Tree(tree.nodes, tree.windows, tree.total, partial=tree.partial)
    for name, relation in NATIVE["std.forms"].items():
        rows = list(rows_of(name, tree))
        assert rows == list(rows_of(name, again))
        columns = {attr.name for attr in relation.attrs}
        assert all(row.keys() <= columns for row in rows)
        if relation.key:
            assert all(row.keys() >= set(relation.key) for row in rows)
            keys = Counter(tuple(row[part] for part in relation.key) for row in rows)
            assert not keys or max(keys.values()) == 1, name
        for row in rows:
            for part in ("node", "root"):
                assert row.get(part, 0) == 0 or row[part] in tree.by_number
            longest = LONGEST if name == "Form" else 400
            assert all(len(value) <= longest for value in row.values() if isinstance(value, str))


@given(st.lists(NODES, min_size=1, max_size=3))
def test_any_tree_has_the_same_rows_again(
    windows: list[tuple[tuple[str | int, ...], list[object]]],
) -> None:
    check(load_tree(f"<hierarchy>{''.join(xml(made) for made in windows)}</hierarchy>"))


def test_screens_of_open_apps(shared_data: Path) -> None:
    screens = read_screens(shared_data)
    digests = sorted({touch.screen for touch in read_touches() if touch.split == "open"})
    trees = [tree for digest in some(digests, 3) if (tree := readable(screens[digest])) is not None]
    assert len(trees) > 50
    for tree in trees:
        check(tree)
    known = Counter(str(row["kind"]) for tree in trees for row in rows_of("Role", tree))
    takers = sum(1 for tree in trees for one in tree.nodes if one.takes_touch)
    assert known.total() >= 0.9 * takers
    assert known["commit"] > 6 and known["cancel"] > 6 and known["menu_item"] > 10


MANY = 6000


def low(n: int) -> tuple[int, int, int, int]:
    return (0, n % 880, 900, n % 880 + 9)


def many(made: Callable[[int], str]) -> Callable[[], Tree]:
    return lambda: page(*map(made, range(MANY)))


OK = node("Button", at=(0, 0, 9, 9), clickable="true", text="OK")
LARGE = {
    "ways out": many(lambda n: button("Cancel", low(n), resource_id="a:id/button2")),
    "amounts": many(lambda n: said("$ " + "1 1 " * 70, low(n))),
    "dialogs": many(lambda n: node("Dialog", OK, resource_id="a:id/dialog")),
    "fields": many(lambda n: field("x", low(n), checkable="true")),
    "scrims": many(lambda n: node("View", clickable="true", content_desc="Dismiss")),
    "rows": many(lambda n: node("LinearLayout", said("T", low(n)), OK, at=low(n), clickable="true")),
}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("what", LARGE)
def test_a_hostile_tree_takes_no_long(what: str) -> None:
    tree = LARGE[what]()
    begin = process_time()
    for name in RELATIONS:
        sum(1 for _ in rows_of(name, tree))
    assert process_time() - begin < 5
